//! A small core for the unit tests of this crate: vectors and code at 0, RAM, a device, and accesses without a program.

use bus::{Bus, Device, DeviceError, Memory, ProfileId, Region, WaitStates};
use isa_thumb::decode_at;

use crate::config::{Config, Debugger, Options};
use crate::core::{Core, Trap};
use crate::cores::CoreKind;
use crate::exec::lower;
use crate::fault::Fault;
use crate::microop::{MicroOp, Step};
use crate::state::Deviation;
use crate::timing::Model;

pub(crate) const RAM: u32 = 0x2000_0000;
pub(crate) const STACK: u32 = RAM + 0x800;
pub(crate) const PORT: u32 = 0x4000_0000;
/// The port answers from here on with a bus error.
pub(crate) const BROKEN: u32 = PORT + 0x100;
/// The device again at an address where a vector table may lie; its second half answers with bus errors.
pub(crate) const HOLE: u32 = 0x2100_0000;

/// A Cortex-M3 r2p1 with all options.
pub(crate) fn config() -> Config {
    Config {
        core: CoreKind::CORTEX_M3,
        model: Model::of(CoreKind::CORTEX_M3),
        options: Options::ALL,
        priority_bits: 8,
        irqs: 64,
        mpu_regions: 8,
        bit_band: true,
        stack_align: true,
        cpuid: 0x412f_c231,
        vector_table: 0,
        systick_reference: 8,
        systick_calibration: 0x4000_2327,
        debugger: Debugger::None,
    }
}

/// The handler of exception `number`.
pub(crate) fn handler(number: u16) -> u32 {
    0x400 + 16 * u32::from(number)
}

/// A device of 256 bytes that keeps what was written last, and asks for attention at that cycle.
#[derive(Clone)]
struct Port(u32);

impl Device for Port {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _: u64) -> Result<u32, DeviceError> {
        if offset < 0x100 {
            Ok(self.0 & (u32::MAX >> (32 - 8 * size)))
        } else {
            Err(DeviceError::Bus)
        }
    }

    fn write(&mut self, offset: u32, _: u32, value: u32, _: u64) -> Result<(), DeviceError> {
        self.0 = value;
        if offset < 0x100 {
            Ok(())
        } else {
            Err(DeviceError::Bus)
        }
    }
}

pub(crate) fn region(name: &str, base: u32, size: u32, wait: WaitStates) -> Region {
    Region {
        wait,
        ..Region::new(name, base, size)
    }
}

fn bus() -> Bus {
    let mut bus = Bus::new();
    let none = WaitStates::default();
    bus.add_memory(Memory::rom(region("flash", 0, 0x1_0000, none)));
    bus.add_memory(Memory::ram(region("ram", RAM, 0x1000, none)));
    bus.add_device(
        region(
            "port",
            PORT,
            0x200,
            WaitStates {
                fetch: 0,
                read: 2,
                write: 3,
                grant: 0,
                beat: 0,
                write_beat: 0,
            },
        ),
        Box::new(Port(0)),
    );
    bus.add_device(region("hole", HOLE, 0x200, none), Box::new(Port(0)));
    bus.load(0, &STACK.to_le_bytes());
    for number in 1..=80 {
        bus.load(4 * u32::from(number), &(handler(number) | 1).to_le_bytes());
    }
    bus
}

/// A core that was just reset.
pub(crate) fn core() -> Core {
    core_as(config())
}

pub(crate) fn core_as(config: Config) -> Core {
    let mut core = Core::new(config, bus());
    core.reset().expect("the vector table is in flash");
    core
}

/// An instruction that accesses memory where `profile` is expected.
pub(crate) fn op_with(profile: ProfileId) -> MicroOp {
    let nop = decode_at(0xbf00, None).expect("a NOP");
    MicroOp {
        profile,
        ..lower(&nop, 0x200, 0)
    }
}

/// An instruction that expects to meet RAM.
pub(crate) fn op(core: &Core) -> MicroOp {
    op_with(core.bus.profile_at(RAM).expect("RAM"))
}

/// Reads a word, and must succeed.
pub(crate) fn get(core: &mut Core, address: u32) -> u32 {
    let op = op(core);
    let (value, step) = core.load::<4>(&op, address);
    assert_ne!(step, Step::Trap, "{:?} at {address:#x}", core.trap);
    value
}

/// Writes a word and must succeed; the facts of the store are dropped.
pub(crate) fn put(core: &mut Core, address: u32, value: u32) {
    let op = op(core);
    let step = core.store::<4>(&op, address, value);
    assert_ne!(step, Step::Trap, "{:?} at {address:#x}", core.trap);
    core.deviation = Deviation::NONE;
}

/// The fault that an access ended with.
pub(crate) fn fault_of(core: &Core, step: Step) -> Option<Fault> {
    match (&core.trap, step) {
        (Trap::Fault(fault), Step::Trap) => Some(*fault),
        _ => None,
    }
}

/// The text of an unmodelled access.
pub(crate) fn not_modelled(core: &Core, step: Step) -> String {
    assert_eq!(step, Step::Trap);
    match &core.trap {
        Trap::NotModelled(what) => format!("{what:?}"),
        other => panic!("modelled: {other:?}"),
    }
}

/// Enters the exception that is pending, as if it interrupted the code at `pc`.
pub(crate) fn enter_at(core: &mut Core, pc: u32) -> u16 {
    core.stack(pc, 0).expect("a stack");
    let number = core.pending_exception().expect("an exception is pending");
    core.take(number).expect("a vector").number
}

/// Makes exceptions with these priorities pending and enabled: external ones from 16 on, or others by number.
pub(crate) fn pend(core: &mut Core, number: u16, priority: u8) {
    core.sys.exceptions.set_priority_field(number, priority);
    core.sys.exceptions.set_enabled(number, true);
    core.sys.pend(number);
}

/// The registers that tests write.
pub(crate) mod at {
    pub(crate) const ACTLR: u32 = 0xe000_e008;
    pub(crate) const SYST_CSR: u32 = 0xe000_e010;
    pub(crate) const SYST_RVR: u32 = 0xe000_e014;
    pub(crate) const SYST_CVR: u32 = 0xe000_e018;
    pub(crate) const NVIC_ISER: u32 = 0xe000_e100;
    pub(crate) const NVIC_ISPR: u32 = 0xe000_e200;
    pub(crate) const NVIC_ICPR: u32 = 0xe000_e280;
    pub(crate) const NVIC_IPR: u32 = 0xe000_e400;
    pub(crate) const ICSR: u32 = 0xe000_ed04;
    pub(crate) const VTOR: u32 = 0xe000_ed08;
    pub(crate) const AIRCR: u32 = 0xe000_ed0c;
    pub(crate) const SCR: u32 = 0xe000_ed10;
    pub(crate) const CCR: u32 = 0xe000_ed14;
    pub(crate) const SHPR1: u32 = 0xe000_ed18;
    pub(crate) const SHCSR: u32 = 0xe000_ed24;
    pub(crate) const CFSR: u32 = 0xe000_ed28;
    pub(crate) const HFSR: u32 = 0xe000_ed2c;
    pub(crate) const DFSR: u32 = 0xe000_ed30;
    pub(crate) const MMFAR: u32 = 0xe000_ed34;
    pub(crate) const BFAR: u32 = 0xe000_ed38;
    pub(crate) const CPACR: u32 = 0xe000_ed88;
    pub(crate) const MPU_CTRL: u32 = 0xe000_ed94;
    pub(crate) const MPU_RNR: u32 = 0xe000_ed98;
    pub(crate) const MPU_RBAR: u32 = 0xe000_ed9c;
    pub(crate) const MPU_RASR: u32 = 0xe000_eda0;
    pub(crate) const DHCSR: u32 = 0xe000_edf0;
    pub(crate) const DEMCR: u32 = 0xe000_edfc;
    pub(crate) const STIR: u32 = 0xe000_ef00;
    pub(crate) const FPCCR: u32 = 0xe000_ef34;
    pub(crate) const FPCAR: u32 = 0xe000_ef38;
    pub(crate) const FPDSCR: u32 = 0xe000_ef3c;
    pub(crate) const MVFR0: u32 = 0xe000_ef40;
    pub(crate) const DWT_CTRL: u32 = 0xe000_1000;
    pub(crate) const DWT_CYCCNT: u32 = 0xe000_1004;
    pub(crate) const DWT_COMP0: u32 = 0xe000_1020;
    pub(crate) const DWT_FUNCTION0: u32 = 0xe000_1028;
}
