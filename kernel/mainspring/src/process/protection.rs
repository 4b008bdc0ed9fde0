//! The kinds of protection units.

/// How the chip's protection unit reads its registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    /// RISC-V's PMP, by the manual, whose entries can be naturally aligned powers of two.
    Pmp,
    /// The PMP of `VexRiscv`'s `PmpPlugin`, as `LiteX` packages it: a region is a quarter of the size that the manual says, and at least 128 bytes.
    /// It does not watch loads and stores that are not cached.
    VexRiscv,
    /// ARMv7-M's MPU.
    Mpu,
    /// RISC-V's page tables, by the manual. Memory is granted by pages of 4 KiB ([`Pages`](super::Pages)).
    Sv32,
    /// Those of `VexRiscv`'s `MmuPlugin`, which has no PMP beside, and forgets what it knew of them when `satp` is written.
    VexRiscvSv32,
    /// The same of an older generator (Precursor's), which forgets them at SFENCE.VMA alone.
    FencedVexRiscvSv32,
}

impl Protection {
    /// Whether memory is granted by pages.
    pub const fn is_paged(self) -> bool {
        matches!(
            self,
            Protection::Sv32 | Protection::VexRiscvSv32 | Protection::FencedVexRiscvSv32
        )
    }
}
