//! The core of a board and its configuration.

use core_cortex_m::CoreKind;
use core_cortex_m::timing::{Model, Rule as TimingRule};
use core_cortex_m::{Config, Debugger, Options, Revision};

use crate::cores::Core;

/// A configured core.
#[derive(Clone, Debug)]
pub(crate) enum Chosen {
    CortexM(CortexM),
    Rv32(Rv32),
}

/// A Cortex-M as configured in a chip.
#[derive(Clone, Debug)]
pub(crate) struct CortexM {
    pub(super) kind: CoreKind,
    pub(super) without_rules: Vec<TimingRule>,
    pub(super) revision: &'static Revision,
    pub(super) options: Options,
    pub(super) slow_multiplier: bool,
    pub(super) unbuffered_writes: bool,
    pub(super) priority_bits: u8,
    pub(super) mpu_regions: u8,
    pub(super) bit_band: bool,
    pub(super) systick_reference: u32,
    pub(super) systick_calibration: u32,
    pub(super) vector_table: u32,
    pub(super) irqs: u16,
}

/// An RV32 core as configured in a chip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rv32 {
    /// The core's default configuration.
    pub(super) core: &'static core_rv32::Config,
    /// This board's configuration.
    pub(crate) config: core_rv32::Config,
    /// The address of the first instruction; by default, the program's entry point.
    pub(crate) reset: Option<u32>,
}

impl CortexM {
    pub(crate) fn config(&self, debugger: Debugger) -> Config {
        let model = Model::of_revision(self.kind, self.revision);
        let model = if self.slow_multiplier {
            model.with_slow_multiplier()
        } else {
            model
        };
        let model = if self.unbuffered_writes {
            model.with_unbuffered_writes()
        } else {
            model
        };
        Config {
            core: self.kind,
            model: self
                .without_rules
                .iter()
                .fold(model, |model, &rule| model.without(rule)),
            options: self.options,
            priority_bits: self.priority_bits,
            irqs: self.irqs,
            mpu_regions: self.mpu_regions,
            bit_band: self.bit_band,
            stack_align: self.revision.aligns_stack,
            cpuid: self.kind.cpuid(self.revision),
            vector_table: self.vector_table,
            systick_reference: self.systick_reference,
            systick_calibration: self.systick_calibration,
            debugger,
        }
    }

    /// The timing rules that can be switched off.
    pub(super) fn switchable(&self) -> Vec<TimingRule> {
        let model = Model::of(self.kind);
        let switchable = |rule: &TimingRule| rule.is_switchable() && model.has(*rule);
        TimingRule::ALL.iter().copied().filter(switchable).collect()
    }
}

/// External interrupt lines of `VexRiscv`, which its own mask register controls.
const RV32_IRQS: u16 = 32;

impl Chosen {
    pub(super) fn core(&self) -> Core {
        match self {
            Chosen::CortexM(core) => Core::CortexM(core.kind),
            Chosen::Rv32(core) => Core::Rv32(core.core),
        }
    }

    /// The number of its external interrupts.
    pub(super) fn irqs(&self) -> u16 {
        match self {
            Chosen::CortexM(core) => core.irqs,
            Chosen::Rv32(_) => RV32_IRQS,
        }
    }
}
