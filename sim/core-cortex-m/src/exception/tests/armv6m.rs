//! Features that ARMv6-M lacks or has in another form (ARMv6-M ARM B1.5, B3.2).

use events::Event;

use super::running::load;
use crate::config::{Config, Options};
use crate::core::Core;
use crate::cores::CoreKind;
use crate::fault::Fault;
use crate::host::FaultStatus;
use crate::microop::Step;
use crate::testing::{RAM, at, config, core_as, fault_of, get, handler, not_modelled, op, put};
use crate::timing::Model;

const SHPR2: u32 = 0xe000_ed1c;

pub(super) fn config_of(core: CoreKind) -> Config {
    let plus = core == CoreKind::CORTEX_M0PLUS;
    Config {
        core,
        model: Model::of(core),
        options: Options {
            vtor: plus,
            unprivileged: plus,
            ..Options::ALL
        },
        priority_bits: 2,
        irqs: 32,
        bit_band: false,
        mpu_regions: if plus { 8 } else { 0 },
        ..config()
    }
}

fn core() -> Core {
    core_as(config_of(CoreKind::CORTEX_M0PLUS))
}

#[test]
fn every_fault_is_a_hard_fault_and_leaves_no_status() {
    let faults = [
        Fault::UndefInstr,
        Fault::Unaligned(RAM + 2),
        Fault::DataBus(RAM),
        Fault::DataAccess(RAM),
        Fault::DebugEvent,
    ];
    for fault in faults {
        let mut core = core();
        assert_eq!(core.raise(fault, 0x1000), Ok(3), "{fault:?}");
        assert_eq!(core.fault_status(), FaultStatus::default(), "{fault:?}");
    }
}

#[test]
fn unaligned_accesses_always_fault() {
    let mut core = core();
    put(&mut core, at::CCR, 0);
    assert_eq!(get(&mut core, at::CCR), 0x208);
    let op = op(&core);
    let (_, step) = core.load::<4>(&op, RAM + 2);
    assert_eq!(fault_of(&core, step), Some(Fault::Unaligned(RAM + 2)));
}

#[test]
fn priorities_have_two_bits_and_are_reached_by_words_only() {
    let mut core = core();
    put(&mut core, at::NVIC_IPR, u32::MAX);
    put(&mut core, SHPR2, u32::MAX);
    assert_eq!(get(&mut core, at::NVIC_IPR), 0xc0c0_c0c0);
    assert_eq!(get(&mut core, SHPR2), 0xc000_0000);
    let op = op(&core);
    let step = core.store::<1>(&op, at::NVIC_IPR, 0);
    assert!(
        not_modelled(&core, step).contains("word-only"),
        "IPR takes words only"
    );
}

#[test]
fn registers_of_armv7m_are_not_there() {
    for address in [at::STIR, at::NVIC_ISER + 4] {
        let mut core = core();
        let op = op(&core);
        let (_, step) = core.load::<4>(&op, address);
        assert!(
            not_modelled(&core, step).contains("no known register"),
            "{address:#x}"
        );
    }
}

#[test]
fn debug_registers_read_as_zero() {
    let mut core = core();
    put(&mut core, at::DEMCR, u32::MAX);
    put(&mut core, at::DWT_CTRL, 1);
    for address in [at::DEMCR, at::DWT_CTRL, at::DWT_CYCCNT, at::DHCSR] {
        assert_eq!(get(&mut core, address), 0, "{address:#x}");
    }
}

#[test]
fn vtor_is_an_option() {
    let mut plus = core();
    put(&mut plus, at::VTOR, 0x1234_5678);
    assert_eq!(get(&mut plus, at::VTOR), 0x1234_5600);
    let mut m0 = core_as(config_of(CoreKind::CORTEX_M0));
    put(&mut m0, at::VTOR, 0x1234_5678);
    assert_eq!(get(&mut m0, at::VTOR), 0);
    assert_eq!(m0.sys.vector_table(), 0);
}

#[test]
fn without_systick_its_registers_are_not_there() {
    let mut config = config_of(CoreKind::CORTEX_M0);
    config.options.systick = false;
    let mut core = core_as(config);
    let op = op(&core);
    let (_, step) = core.load::<4>(&op, at::SYST_CSR);
    assert_eq!(step, Step::Trap);
    core.sys.pend(15);
    assert_eq!(core.pending_exception(), None);
}

#[test]
fn regions_of_the_mpu_have_256_bytes_and_no_tex() {
    let mut core = core();
    put(&mut core, at::MPU_RBAR, 0x2000_0160);
    put(&mut core, at::MPU_RASR, 0x1738_000f);
    assert_eq!(get(&mut core, at::MPU_RBAR), 0x2000_0100);
    assert_eq!(get(&mut core, at::MPU_RASR), 0x1700_000f);
    let op = op(&core);
    let step = core.store::<4>(&op, at::MPU_RASR, 0x0300_000d);
    assert!(not_modelled(&core, step).contains("smallest"));
}

/// Cycles from an interrupt's edge to the first instruction of its handler.
fn latency(kind: CoreKind) -> u64 {
    let mut core = core_as(config_of(kind));
    load(&mut core, 0x1000, &[0xbf00; 200]);
    load(&mut core, handler(16), &[0xe7fe]);
    core.regs.r[15] = 0x1000;
    put(&mut core, at::NVIC_ISER, 1);
    core.raise_at(100, 16);
    let mut events = Vec::new();
    core.run(140, &mut events);
    let entered = events.iter().find_map(|event| match *event {
        Event::Enter(enter) => Some(enter.at.to),
        _ => None,
    });
    entered.expect("an entry") - 100
}

#[test]
fn an_interrupt_takes_fifteen_cycles_and_sixteen_on_the_cortex_m0() {
    assert_eq!(latency(CoreKind::CORTEX_M0PLUS), 15);
    assert_eq!(latency(CoreKind::CORTEX_M0), 16);
}
