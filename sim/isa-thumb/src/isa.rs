//! The instructions that a core has.

use crate::Op;

/// An architecture with its extensions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Isa {
    /// ARMv7-M if true, ARMv6-M otherwise.
    v7: bool,
    dsp: bool,
    float: bool,
}

impl Isa {
    /// ARMv6-M: Cortex-M0, M0+, M1.
    pub const ARMV6M: Isa = Isa {
        v7: false,
        dsp: false,
        float: false,
    };
    /// ARMv7-M: Cortex-M3.
    pub const ARMV7M: Isa = Isa {
        v7: true,
        ..Isa::ARMV6M
    };
    /// ARMv7-M with the DSP extension: Cortex-M4.
    pub const ARMV7EM: Isa = Isa {
        dsp: true,
        ..Isa::ARMV7M
    };
    /// ARMv7E-M with FPv4-SP: Cortex-M4F.
    pub const ARMV7EM_FLOAT: Isa = Isa {
        float: true,
        ..Isa::ARMV7EM
    };
    /// Every architecture, each a superset of the one before.
    pub const ALL: [Isa; 4] = [Isa::ARMV6M, Isa::ARMV7M, Isa::ARMV7EM, Isa::ARMV7EM_FLOAT];

    /// Whether it is ARMv7-M rather than ARMv6-M.
    pub const fn is_v7(self) -> bool {
        self.v7
    }

    /// Whether it has the DSP extension.
    pub const fn has_dsp(self) -> bool {
        self.dsp
    }

    /// Whether it has single-precision floating point.
    pub const fn has_float(self) -> bool {
        self.float
    }

    /// Whether it has a base operation in an encoding of `size` bytes. ARMv6-M has the narrow encodings except IT, CBZ and CBNZ, and of
    /// the wide ones BL, barriers, MRS and MSR (ARMv6-M ARM A5).
    pub fn has(self, op: Op, size: u8) -> bool {
        if self.v7 {
            return true;
        }
        match size {
            2 => !matches!(op, Op::It | Op::Cbz | Op::Cbnz),
            _ => matches!(
                op,
                Op::Bl | Op::Dsb | Op::Dmb | Op::Isb | Op::Mrs | Op::Msr | Op::Udf
            ),
        }
    }
}
