//! The compared cores.

use core_cortex_m::CoreKind;
use core_cortex_m::timing::Model;
use core_cortex_m::{Config, Debugger, Options};
use isa_thumb::Isa;
use unicorn_engine::ArmCpuModel;

use crate::CODE;

/// A core that Unicorn models too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// Cortex-M0.
    CortexM0,
    /// Cortex-M3.
    CortexM3,
    /// Cortex-M4 with its floating-point unit.
    CortexM4F,
}

impl Target {
    /// Its core kind.
    pub fn core(self) -> CoreKind {
        match self {
            Target::CortexM0 => CoreKind::CORTEX_M0,
            Target::CortexM3 => CoreKind::CORTEX_M3,
            Target::CortexM4F => CoreKind::CORTEX_M4F,
        }
    }

    /// Its instruction set.
    pub fn isa(self) -> Isa {
        self.core().isa
    }

    /// Its APSR bits: Q belongs to ARMv7-M, GE to the DSP extension.
    pub(crate) fn flags(self) -> u32 {
        match (self.isa().is_v7(), self.isa().has_dsp()) {
            (false, _) => 0xf000_0000,
            (true, false) => 0xf800_0000,
            (true, true) => 0xf80f_0000,
        }
    }

    /// Its implemented bits of CONTROL, PRIMASK, BASEPRI and FAULTMASK.
    pub(crate) fn masks(self) -> [u32; 4] {
        if self.isa().is_v7() {
            [3, 1, 0xff, 1]
        } else {
            [2, 1, 0, 0]
        }
    }

    /// Unicorn's name for it.
    pub(crate) fn model(self) -> ArmCpuModel {
        match self {
            Target::CortexM0 => ArmCpuModel::CORTEX_M0,
            Target::CortexM3 => ArmCpuModel::CORTEX_M3,
            Target::CortexM4F => ArmCpuModel::CORTEX_M4,
        }
    }

    /// Its configuration, with all priority bits as on Unicorn.
    pub fn config(self) -> Config {
        Config {
            core: self.core(),
            model: Model::of(self.core()),
            options: self.options(),
            priority_bits: if self.isa().is_v7() { 8 } else { 2 },
            irqs: 32,
            mpu_regions: 0,
            bit_band: false,
            stack_align: true,
            vector_table: CODE,
            cpuid: match self {
                Target::CortexM0 => 0x410c_c200,
                Target::CortexM3 => 0x412f_c231,
                Target::CortexM4F => 0x410f_c241,
            },
            systick_reference: 0,
            systick_calibration: 0,
            debugger: Debugger::None,
        }
    }

    /// Every option that the core can have.
    fn options(self) -> Options {
        let all = self != Target::CortexM0;
        Options {
            vtor: all,
            unprivileged: all,
            systick: true,
        }
    }
}
