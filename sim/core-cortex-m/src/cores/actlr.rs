//! ACTLR: the effect of its bits on each core.

/// Loads, stores and divides are not interrupted in the middle.
pub(crate) const DISMCYCINT: u32 = 1 << 0;
/// Writes of the default memory map are not buffered.
pub(crate) const DISDEFWBUF: u32 = 1 << 1;
/// DISFOLD: IT is not folded.
pub(crate) const DISFOLD: u32 = 1 << 2;
/// Floating-point instructions neither set CONTROL.FPCA nor overtake others (Cortex-M4 TRM 4.2.2).
pub(crate) const DISFPCA: u32 = 1 << 8;
pub(crate) const DISOOFP: u32 = 1 << 9;

/// ACTLR of a core: the architecture leaves its bits to each implementation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Auxiliary {
    /// Bits that are modelled.
    modelled: u32,
    /// Bits that are not: one of them stops the run, with this reason.
    refused: &'static [(u32, &'static str)],
}

impl Auxiliary {
    /// A core of ARMv6-M.
    pub(crate) const UNKNOWN: Auxiliary = Auxiliary {
        modelled: 0,
        refused: &[(
            u32::MAX,
            "ARMv6-M leaves its bits to each core, and none is known of this one",
        )],
    };
    /// Cortex-M3, and Cortex-M4 without floating point (DDI 0337I 4.2, DDI 0439D 4.2.2).
    pub(crate) const M3: Auxiliary = Auxiliary {
        modelled: DISMCYCINT | DISDEFWBUF,
        refused: &[(DISFOLD, "DISFOLD")],
    };
    /// Cortex-M4 with floating point.
    pub(crate) const M4F: Auxiliary = Auxiliary {
        refused: &[(DISFOLD, "DISFOLD"), (DISFPCA | DISOOFP, "DISFPCA or DISOOFP")],
        ..Auxiliary::M3
    };

    /// The register's value after a write of this value.
    pub(crate) fn written(self, value: u32) -> Result<u32, &'static str> {
        let refused = self.refused.iter().find(|(bits, _)| value & bits != 0);
        refused.map_or(Ok(value & self.modelled), |(_, why)| Err(why))
    }
}
