//! The core of a board: which one, and what was chosen of it when the chip was made.

use std::fmt;

use core_cortex_m::timing::{CoreKind, Model, Rule as TimingRule};
use core_cortex_m::{Config, Debugger, Options};

use crate::cores::Core;

/// A core with what was chosen of it.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    CortexM(CortexM),
    Rv32(Rv32),
}

/// A Cortex-M as a chip has it.
#[derive(Clone, Debug)]
pub(super) struct CortexM {
    pub(super) kind: CoreKind,
    pub(super) without_rules: Vec<TimingRule>,
    pub(super) revision: Revision,
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

/// An RV32 core as a chip has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rv32 {
    /// The core as it is made.
    pub(super) core: &'static core_rv32::Config,
    /// As this board has it.
    pub(super) config: core_rv32::Config,
    /// Address of the first instruction; without it, the program's entry point.
    pub(super) reset: Option<u32>,
}

/// A core's revision, `r2p1`: variant and revision of its CPUID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Revision {
    variant: u8,
    patch: u8,
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}p{}", self.variant, self.patch)
    }
}

impl CortexM {
    pub(super) fn config(&self, debugger: Debugger) -> Config {
        let model = if self.slow_multiplier {
            Model::of(self.kind).with_slow_multiplier()
        } else {
            Model::of(self.kind)
        };
        let abandons = self.kind == CoreKind::CortexM3 && self.revision.variant < 2;
        let model = if abandons {
            model
                .without(TimingRule::JumpBehindFetch)
                .without(TimingRule::FetchInVain)
                .without(TimingRule::UnalignedFetch)
                .without(TimingRule::ItBehindMultiply)
                .without(TimingRule::ItBehindStack)
                .without(TimingRule::WriteBehindFetch)
        } else {
            model
                .without(TimingRule::LoadAhead)
                .without(TimingRule::SkippedRoom)
        };
        let model = if self.unbuffered_writes {
            model.with_unbuffered_writes()
        } else {
            model
        };
        Config {
            model: self
                .without_rules
                .iter()
                .fold(model, |model, &rule| model.without(rule)),
            options: self.options,
            priority_bits: self.priority_bits,
            irqs: self.irqs,
            mpu_regions: self.mpu_regions,
            bit_band: self.bit_band,
            // The Cortex-M3 resets CCR.STKALIGN to 1 from r2p0 on, all later cores always did.
            stack_align: self.kind != CoreKind::CortexM3 || self.revision.variant >= 2,
            cpuid: self.revision.cpuid(self.kind),
            vector_table: self.vector_table,
            systick_reference: self.systick_reference,
            systick_calibration: self.systick_calibration,
            debugger,
        }
    }

    /// The rules of its timing that can be switched off.
    pub(super) fn switchable(&self) -> Vec<TimingRule> {
        let model = Model::of(self.kind);
        let switchable = |rule: &TimingRule| rule.is_switchable() && model.has(*rule);
        TimingRule::ALL.iter().copied().filter(switchable).collect()
    }
}

/// Interrupt lines that `VexRiscv` takes from outside, by its own mask register.
const RV32_IRQS: u16 = 32;

impl Chosen {
    pub(super) fn core(&self) -> Core {
        match self {
            Chosen::CortexM(core) => Core::CortexM(core.kind),
            Chosen::Rv32(core) => Core::Rv32(core.core),
        }
    }

    /// How many external interrupts it has.
    pub(super) fn irqs(&self) -> u16 {
        match self {
            Chosen::CortexM(core) => core.irqs,
            Chosen::Rv32(_) => RV32_IRQS,
        }
    }
}

impl Revision {
    /// ARMv7-M ARM B3.2.3, ARMv6-M ARM B3.2.3: implementer Arm.
    fn cpuid(self, core: CoreKind) -> u32 {
        let architecture = if core.is_armv6m() {
            0x410c_0000
        } else {
            0x410f_0000
        };
        architecture | u32::from(self.variant) << 20 | core.part_number() << 4 | u32::from(self.patch)
    }

    pub(super) fn parse(text: &str) -> Option<Revision> {
        let (variant, patch) = text.strip_prefix('r')?.split_once('p')?;
        let digit = |word: &str| word.parse::<u8>().ok().filter(|&digit| digit < 16);
        Some(Revision {
            variant: digit(variant)?,
            patch: digit(patch)?,
        })
    }
}
