//! How a core is set up.

use crate::cores::CoreKind;
use crate::timing::Model;

/// The receiver of a BKPT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Debugger {
    /// A debugger: the core halts, the pipeline drains, and no counter advances until it continues after the BKPT. This is how a person
    /// with GDB reads a cycle counter.
    Attached,
    /// None: a BKPT escalates as on a bare board.
    None,
}

/// Properties of a core that are fixed when a chip is made.
#[derive(Clone, Debug)]
pub struct Config {
    /// The kind of core.
    pub core: CoreKind,
    /// Its pipeline, with the rules that are switched on.
    pub model: Model,
    /// Optional parts of an ARMv6-M core.
    pub options: Options,
    /// Implemented bits of a priority, 3 to 8, on ARMv6-M always 2; they are the upper ones.
    pub priority_bits: u8,
    /// External interrupt lines, 1 to 240, on ARMv6-M 1 to 32.
    pub irqs: u16,
    /// MPU regions: 0 (no MPU) or 8.
    pub mpu_regions: u8,
    /// Whether the bit-band alias regions exist.
    pub bit_band: bool,
    /// Reset value of CCR.STKALIGN: false on r1p1, true from r2p0 on.
    pub stack_align: bool,
    /// The value of CPUID.
    pub cpuid: u32,
    /// Address of the vector table after reset: the reset value of VTOR if there is one.
    pub vector_table: u32,
    /// Core clocks per tick of SysTick's external reference; 0 if there is none.
    pub systick_reference: u32,
    /// The value of `SYST_CALIB`.
    pub systick_calibration: u32,
    /// The receiver of a BKPT.
    pub debugger: Debugger,
}

/// Parts of the architecture that a chip with an ARMv6-M core may leave out; ARMv7-M always has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// VTOR; without it the vector table stays where it was at reset. The Cortex-M0 never has it.
    pub vtor: bool,
    /// The SysTick timer.
    pub systick: bool,
    /// Unprivileged thread mode. The Cortex-M0 never has it.
    pub unprivileged: bool,
}

impl Options {
    /// All options.
    pub const ALL: Options = Options {
        vtor: true,
        systick: true,
        unprivileged: true,
    };
}
