//! The registers as a program meets them.

use std::collections::BTreeSet;

use super::map;
use crate::config::{Config, Debugger};
use crate::core::Core;
use crate::cores::CoreKind;
use crate::fault::Fault;
use crate::microop::Step;
use crate::testing::{at, config, core, core_as, fault_of, get, not_modelled, op, pend, put};
use crate::timing::Model;

fn load<const N: usize>(core: &mut Core, address: u32) -> (u32, Step) {
    let op = op(core);
    core.load::<N>(&op, address)
}

fn store<const N: usize>(core: &mut Core, address: u32, value: u32) -> Step {
    let op = op(core);
    core.store::<N>(&op, address, value)
}

#[test]
fn enable_and_pending_bits_are_set_and_cleared_by_ones() {
    let mut core = core();
    put(&mut core, at::NVIC_ISER, 0b1011);
    put(&mut core, at::NVIC_ISER + 0x80, 0b0010);
    assert_eq!(get(&mut core, at::NVIC_ISER), 0b1001);
    put(&mut core, at::NVIC_ISPR + 4, 0b110);
    put(&mut core, at::NVIC_ICPR + 4, 0b010);
    assert_eq!(get(&mut core, at::NVIC_ICPR + 4), 0b100);
    assert_eq!(core.pending_exception(), None, "line 34 is not enabled");
    put(&mut core, at::NVIC_ISER + 4, 0b100);
    assert_eq!(core.pending_exception(), Some(16 + 34));
}

#[test]
fn lines_that_the_core_lacks_stay_zero() {
    let mut core = core_as(Config { irqs: 40, ..config() });
    for index in 0..8 {
        put(&mut core, at::NVIC_ISER + 4 * index, u32::MAX);
        put(&mut core, at::NVIC_ISPR + 4 * index, u32::MAX);
        let expected = [u32::MAX, 0xff].get(index as usize).copied().unwrap_or(0);
        assert_eq!(get(&mut core, at::NVIC_ISER + 4 * index), expected);
        assert_eq!(get(&mut core, at::NVIC_ISPR + 4 * index), expected);
    }
    put(&mut core, at::NVIC_IPR + 40, u32::MAX);
    assert_eq!(get(&mut core, at::NVIC_IPR + 40), 0);
    assert_eq!(get(&mut core, 0xe000_e004), 1, "ICTR: 33 to 64 lines");
}

#[test]
fn priorities_are_bytes_with_only_the_implemented_bits() {
    let mut core = core_as(Config {
        priority_bits: 4,
        ..config()
    });
    put(&mut core, at::NVIC_IPR, 0x1234_5678);
    assert_ne!(store::<1>(&mut core, at::NVIC_IPR + 1, 0xff), Step::Trap);
    assert_ne!(store::<2>(&mut core, at::NVIC_IPR + 2, 0xabcd), Step::Trap);
    assert_eq!(get(&mut core, at::NVIC_IPR), 0xa0c0_f070);
    assert_eq!(load::<1>(&mut core, at::NVIC_IPR + 3).0, 0xa0);
    assert_eq!(load::<2>(&mut core, at::NVIC_IPR).0, 0xf070);
    assert_eq!(core.sys.exceptions.priority(17), 0xf0);
}

#[test]
fn system_handlers_have_priorities_where_they_exist() {
    let mut core = core();
    for (word, expected) in [(0, 0x00ff_ffff), (4, 0xff00_0000), (8, 0xffff_00ff)] {
        put(&mut core, at::SHPR1 + word, u32::MAX);
        assert_eq!(get(&mut core, at::SHPR1 + word), expected, "SHPR{}", word / 4 + 1);
    }
}

#[test]
fn unprivileged_code_reaches_only_what_is_opened_to_it() {
    let mut core = core();
    core.regs.unprivileged = true;
    let (_, step) = load::<4>(&mut core, at::ICSR);
    assert_eq!(fault_of(&core, step), Some(Fault::DataBus(at::ICSR)));
    let step = store::<4>(&mut core, at::STIR, 3);
    assert_eq!(fault_of(&core, step), Some(Fault::DataBus(at::STIR)));
    core.sys.scb.ccr |= 2;
    assert_eq!(store::<4>(&mut core, at::STIR, 3), Step::Attention);
    assert!(core.sys.exceptions.is_pending(19));
    let step = store::<4>(&mut core, at::ICSR, 1 << 28);
    assert_eq!(
        fault_of(&core, step),
        Some(Fault::DataBus(at::ICSR)),
        "USERSETMPEND opens STIR alone"
    );
    assert_ne!(
        store::<4>(&mut core, 0xe000_0000, 1),
        Step::Trap,
        "stimulus ports"
    );
}

#[test]
fn unprivileged_loads_and_stores_have_no_rights_in_privileged_code() {
    let mut core = core();
    let op = op(&core);
    let (_, step) = core.load_unprivileged::<4>(&op, at::ICSR);
    assert_eq!(fault_of(&core, step), Some(Fault::DataBus(at::ICSR)));
    let step = core.store_unprivileged::<4>(&op, at::ICSR, 0);
    assert_eq!(fault_of(&core, step), Some(Fault::DataBus(at::ICSR)));
}

#[test]
fn a_word_register_takes_words_only_and_says_its_name() {
    let mut core = core();
    let (_, step) = load::<1>(&mut core, at::ICSR);
    assert!(not_modelled(&core, step).contains("ICSR, a read of 1 bytes"));
    let step = store::<2>(&mut core, at::NVIC_ISER + 4, 1);
    assert!(not_modelled(&core, step).contains("NVIC_ISER1, a write of 2 bytes"));
}

#[test]
fn what_is_not_modelled_is_named() {
    let mut core = core();
    let (_, step) = load::<4>(&mut core, 0xe004_1000);
    assert!(not_modelled(&core, step).contains("ETMCR"));
    let step = store::<4>(&mut core, 0xe000_2000, 3);
    assert!(not_modelled(&core, step).contains("FP_CTRL"));
    let (_, step) = load::<4>(&mut core, 0xe000_f000);
    assert!(not_modelled(&core, step).contains("private peripheral bus"));
    let step = store::<4>(&mut core, at::AIRCR, 0x05fa_0001);
    assert!(not_modelled(&core, step).contains("AIRCR"));
    assert!(map::find(0xe000_f000).is_none());
}

#[test]
fn aircr_needs_its_key() {
    let mut core = core();
    put(&mut core, at::AIRCR, 0x0000_0704);
    assert_eq!(get(&mut core, at::AIRCR), 0xfa05_0000);
    assert!(!core.sys.reset_requested());
    put(&mut core, at::AIRCR, 0x05fa_0300);
    assert_eq!(get(&mut core, at::AIRCR), 0xfa05_0300);
    put(&mut core, at::AIRCR, 0x05fa_0304);
    assert!(core.sys.reset_requested());
}

#[test]
fn the_vector_table_moves_by_its_alignment() {
    let mut core = core();
    put(&mut core, at::VTOR, 0x2000_01ff);
    assert_eq!(
        (get(&mut core, at::VTOR), core.sys.vector_table()),
        (0x2000_0180, 0x2000_0180)
    );
}

#[test]
fn icsr_pends_and_shows() {
    let mut core = core();
    put(&mut core, at::ICSR, 1 << 31 | 1 << 28 | 1 << 26);
    let pending: Vec<u16> = [2, 14, 15]
        .into_iter()
        .filter(|&n| core.sys.exceptions.is_pending(n))
        .collect();
    assert_eq!(pending, [2, 14, 15]);
    assert_eq!(get(&mut core, at::ICSR), 1 << 31 | 1 << 28 | 1 << 26 | 2 << 12);
    put(&mut core, at::ICSR, 1 << 27 | 1 << 25);
    assert_eq!(get(&mut core, at::ICSR), 1 << 31 | 2 << 12);
}

#[test]
fn vectpending_sees_basepri_but_not_primask() {
    let mut core = core();
    pend(&mut core, 20, 0x40);
    core.regs.primask = true;
    assert_eq!(get(&mut core, at::ICSR) >> 12 & 0x1ff, 20);
    core.regs.basepri = 0x40;
    assert_eq!(get(&mut core, at::ICSR) >> 12 & 0x1ff, 0);
    assert_eq!(get(&mut core, at::ICSR) >> 22 & 1, 1, "ISRPENDING");
}

#[test]
fn rettobase_says_that_no_other_exception_is_active() {
    let mut core = core();
    assert_eq!(get(&mut core, at::ICSR), 0, "none in thread mode");
    core.regs.ipsr = 20;
    core.sys.exceptions.activate(20);
    assert_eq!(get(&mut core, at::ICSR) & 0xfff, (1 << 11) + 20);
    core.sys.exceptions.activate(21);
    assert_eq!(get(&mut core, at::ICSR) & 0xfff, 20);
}

#[test]
fn shcsr_shows_and_sets_every_state() {
    let mut core = core();
    put(&mut core, at::SHCSR, 0x0007_8d8b);
    assert_eq!(get(&mut core, at::SHCSR), 0x0007_fd8b & !0x7000);
    put(&mut core, at::SHCSR, 0x0000_7000);
    assert_eq!(get(&mut core, at::SHCSR), 0x7000);
    assert_eq!(core.pending_exception(), None, "pending, but not enabled");
    put(&mut core, at::SHCSR, 0x0007_7000);
    assert_eq!(core.pending_exception(), Some(4));
}

#[test]
fn fault_status_is_cleared_by_ones_byte_by_byte() {
    let mut core = core();
    core.sys.scb.cfsr = 0x0302_8182;
    assert_eq!(load::<2>(&mut core, at::CFSR + 2).0, 0x0302);
    assert_ne!(store::<1>(&mut core, at::CFSR, 0xff), Step::Trap);
    assert_eq!(get(&mut core, at::CFSR), 0x0302_8100);
    put(&mut core, at::CFSR, 0x0100_8000);
    assert_eq!(get(&mut core, at::CFSR), 0x0202_0100);
    core.sys.scb.hfsr = 1 << 30 | 2;
    put(&mut core, at::HFSR, 1 << 30);
    assert_eq!(get(&mut core, at::HFSR), 2);
}

#[test]
fn ccr_and_scr_keep_the_bits_that_exist() {
    let mut core = core_as(Config {
        stack_align: false,
        ..config()
    });
    assert_eq!(get(&mut core, at::CCR), 0);
    put(&mut core, at::CCR, u32::MAX);
    assert_eq!(get(&mut core, at::CCR), 0x31b);
    assert!(core.sys.traps_divide_by_zero() && core.sys.traps_unaligned());
    put(&mut core, at::SCR, u32::MAX);
    assert_eq!(get(&mut core, at::SCR), 0x16);
}

#[test]
fn identification_follows_the_revision() {
    let mut r2 = core();
    assert_eq!(get(&mut r2, 0xe000_ed60), 0x0110_1110);
    let mut r1 = core_as(Config {
        cpuid: 0x411f_c231,
        ..config()
    });
    assert_eq!(get(&mut r1, 0xe000_ed00), 0x411f_c231);
    assert_eq!(get(&mut r1, 0xe000_ed60), 0x0114_1110);
    assert_eq!(get(&mut r1, 0xe000_1fe8), 0x1b);
    assert_eq!(get(&mut r1, 0xe00f_f000), 0xfff0_f003);
}

#[test]
fn reads_and_writes_of_counters_happen_in_the_cycle_of_the_access() {
    let mut core = core();
    let op = crate::microop::MicroOp {
        start: 4,
        access: 1,
        ..op(&core)
    };
    put(&mut core, at::DEMCR, 1 << 24);
    core.base = 1000;
    assert_eq!(
        core.store::<4>(&op, at::DWT_CTRL, 1),
        Step::Irregular,
        "nobody must look at it"
    );
    core.base = 1010;
    assert_eq!(core.load::<4>(&op, at::DWT_CYCCNT).0, 10);
    core.store::<4>(&op, at::SYST_RVR, 99);
    core.store::<4>(&op, at::SYST_CSR, 7);
    core.base = 1013;
    assert_eq!(
        core.load::<4>(&op, at::SYST_CVR).0,
        97,
        "a load of the reload value, then two"
    );
    assert_eq!(core.sys.next_event(), 1015 + 100);
}

#[test]
fn systick_pends_when_it_is_polled_or_read_too_late() {
    let mut core = core();
    put(&mut core, at::SYST_RVR, 9);
    put(&mut core, at::SYST_CSR, 7);
    assert_eq!(core.sys.poll(9), None);
    assert_eq!((core.sys.poll(10), core.sys.poll(11)), (Some(10), None));
    assert!(core.sys.exceptions.is_pending(15));
    core.base = 20;
    let op = op(&core);
    core.sys.exceptions.unpend(15);
    assert_eq!(core.load::<4>(&op, at::SYST_CSR), (7 | 1 << 16, Step::Attention));
    assert!(core.sys.exceptions.is_pending(15));
    assert_eq!(
        core.load::<4>(&op, at::SYST_CSR).0,
        7,
        "the read cleared COUNTFLAG"
    );
}

#[test]
fn a_write_that_changes_what_is_taken_says_when_it_was_on_the_bus() {
    let mut core = core();
    let op = crate::microop::MicroOp {
        start: 7,
        access: 1,
        ..op(&core)
    };
    core.base = 100;
    assert_eq!(core.store::<4>(&op, at::STIR, 0), Step::Attention);
    assert_eq!(core.sys.changed_at.take(), Some(108));
    core.store::<4>(&op, at::CFSR, 0);
    assert_eq!(core.sys.changed_at, None);
}

#[test]
fn a_debugger_shows_in_dhcsr_and_cannot_be_faked() {
    let mut bare = core();
    put(&mut bare, at::DHCSR, 0xa05f_0001);
    assert_eq!(get(&mut bare, at::DHCSR) & 1, 0);
    let mut held = core_as(Config {
        debugger: Debugger::Attached,
        ..config()
    });
    assert_eq!(get(&mut held, at::DHCSR) >> 25 & 1, 1, "it was reset");
    assert_eq!(get(&mut held, at::DHCSR), 1 << 24 | 1 << 16 | 1);
    let step = store::<4>(&mut held, at::DHCSR, 0xa05f_0003);
    assert!(not_modelled(&held, step).contains("DHCSR"));
}

#[test]
fn a_watchpoint_raises_debug_monitor_if_it_is_enabled() {
    let mut core = core();
    put(&mut core, at::DEMCR, 1 << 24);
    put(&mut core, at::DWT_COMP0, 0x2000_0020);
    put(&mut core, at::DWT_FUNCTION0, 6);
    put(&mut core, 0x2000_0020, 1);
    assert_eq!(get(&mut core, at::DWT_FUNCTION0), 1 << 24 | 6);
    assert_eq!(core.pending_exception(), None);
    put(&mut core, at::DEMCR, 1 << 24 | 1 << 16);
    put(&mut core, 0x2000_0020, 1);
    assert_eq!(core.pending_exception(), Some(12));
    assert_eq!(get(&mut core, at::DFSR), 1 << 2);
    assert_eq!(get(&mut core, at::DEMCR) >> 17 & 1, 1, "MON_PEND");
}

#[test]
fn the_trace_port_holds_what_is_written() {
    let mut core = core();
    put(&mut core, 0xe004_00f0, 2);
    put(&mut core, 0xe004_0010, 15);
    put(&mut core, 0xe004_0304, 0x100);
    assert_eq!(get(&mut core, 0xe004_00f0), 2, "SPPR");
    assert_eq!(get(&mut core, 0xe004_0010), 15, "ACPR");
    assert_eq!(get(&mut core, 0xe004_0304), 0x100, "FFCR");
}

#[test]
fn the_itm_keeps_what_enabled_ports_are_told() {
    let mut core = core();
    let stimulus = 0xe000_0000;
    put(&mut core, stimulus, 1);
    put(&mut core, at::DEMCR, 1 << 24);
    assert_eq!(get(&mut core, stimulus), 1, "always ready");
    put(&mut core, 0xe000_0e00, 0b101);
    assert_eq!(get(&mut core, 0xe000_0e00), 0, "locked");
    assert_eq!(get(&mut core, 0xe000_0fb4), 3);
    put(&mut core, 0xe000_0fb0, 0xc5ac_ce55);
    put(&mut core, 0xe000_0e00, 0b101);
    put(&mut core, 0xe000_0e80, 1);
    store::<1>(&mut core, stimulus, 0x141);
    store::<2>(&mut core, stimulus + 4, 7);
    put(&mut core, stimulus + 8, 0xdead_beef);
    let said: Vec<_> = core
        .sys
        .take_trace()
        .iter()
        .map(|packet| (packet.port, packet.size, packet.value))
        .collect();
    assert_eq!(said, [(0, 1, 0x41), (2, 4, 0xdead_beef)]);
    put(&mut core, 0xe000_0e40, 1);
    core.regs.unprivileged = true;
    put(&mut core, stimulus, 5);
    assert_eq!(core.sys.take_trace(), []);
}

#[test]
fn each_register_has_one_name() {
    let mut seen = BTreeSet::new();
    for address in (0xe000_0000..0xe010_0000u32).step_by(4) {
        if let Some((row, index)) = map::find(address) {
            assert!(seen.insert(row.name_at(index)), "{} twice", row.name_at(index));
        }
    }
    assert!(seen.contains("MPU_CTRL") && seen.contains("NVIC_IPR59") && seen.contains("ITM_STIM31"));
}

#[test]
fn levels_of_lines() {
    let mut core = core();
    let irq = bus::Irq::External(3);
    core.sys.set_irq_line(irq, true);
    put(&mut core, at::NVIC_ICPR, 1 << 3);
    assert!(core.sys.exceptions.is_pending(19), "the line is still high");
    core.sys.exceptions.activate(19);
    assert!(!core.sys.exceptions.is_pending(19));
    core.sys.exceptions.deactivate(19);
    assert!(core.sys.exceptions.is_pending(19), "high at the handler's end");
    core.sys.exceptions.activate(19);
    core.sys.set_irq_line(irq, false);
    core.sys.exceptions.deactivate(19);
    assert!(!core.sys.exceptions.is_pending(19));
    core.sys.exceptions.activate(19);
    core.sys.set_irq_line(irq, true);
    assert!(core.sys.exceptions.is_pending(19), "an edge while it is served");
    core.sys.set_irq_line(irq, false);
    core.sys.exceptions.unpend(19);
    assert!(!core.sys.exceptions.is_pending(19), "the line fell");
}

/// Start-up code and fault handlers for both architectures write and read these.
#[test]
fn what_armv6m_lacks_of_armv7m_is_reserved() {
    let mut core = core_as(Config {
        core: CoreKind::CORTEX_M0PLUS,
        model: Model::of(CoreKind::CORTEX_M0PLUS),
        mpu_regions: 0,
        ..config()
    });
    for address in [
        0xe000_ed18,
        0xe000_ed28,
        0xe000_ed2c,
        0xe000_ed34,
        0xe000_ed38,
        0xe000_ed3c,
        0xe000_ed88,
    ] {
        put(&mut core, address, u32::MAX);
        assert_eq!(get(&mut core, address), 0, "{address:#x}");
    }
    let refused = store::<4>(&mut core, 0xe000_ed8c, 0);
    assert!(not_modelled(&core, refused).contains("no known register"));
}

/// The bits of ACTLR are those of a Cortex-M3 or M4; ARMv6-M has the register (ARMv6-M ARM B3.2.2).
#[test]
fn a_bit_of_actlr_is_called_as_its_core_calls_it() {
    let told = |kind| {
        let mut core = core_as(Config {
            core: kind,
            model: Model::of(kind),
            mpu_regions: 0,
            ..config()
        });
        put(&mut core, 0xe000_e008, 0);
        let refused = store::<4>(&mut core, 0xe000_e008, 4);
        not_modelled(&core, refused)
    };
    assert!(told(CoreKind::CORTEX_M3).contains("ACTLR, a write of 0x4: DISFOLD"));
    for kind in [CoreKind::CORTEX_M0, CoreKind::CORTEX_M0PLUS] {
        let told = told(kind);
        let expected = "ACTLR, a write of 0x4: ARMv6-M leaves its bits to each core";
        assert!(told.contains(expected) && !told.contains("DISFOLD"), "{told}");
    }
}
