//! The instructions that a core has.

/// The base instruction set or an extension of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Extension {
    /// The base instruction set.
    I,
    /// Multiplication and division.
    M,
    /// The part of A with load-reserved and store-conditional.
    Zalrsc,
    /// The part of A with atomic read-modify-write operations.
    Zaamo,
    /// Compressed encodings.
    C,
    /// Control and status register instructions.
    Zicsr,
    /// FENCE.I.
    Zifencei,
    /// Address generation: shift and add.
    Zba,
    /// Basic bit manipulation.
    Zbb,
    /// Single-bit operations.
    Zbs,
    /// Supervisor mode, with SRET and SFENCE.VMA.
    Supervisor,
}

/// A set of extensions, and the number of registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Isa {
    extensions: u16,
    few_registers: bool,
}

impl Isa {
    /// RV32I with nothing else.
    pub const RV32I: Isa = Isa {
        extensions: 1 << Extension::I as u8,
        few_registers: false,
    };

    /// RV32E: RV32I with 16 registers.
    pub const RV32E: Isa = Isa {
        few_registers: true,
        ..Isa::RV32I
    };

    /// Every extension in the table.
    pub const ALL: Isa = Isa {
        extensions: u16::MAX,
        few_registers: false,
    };

    /// The set with one more extension.
    #[must_use]
    pub const fn with(self, extension: Extension) -> Isa {
        Isa {
            extensions: self.extensions | 1 << extension as u8,
            ..self
        }
    }

    /// Whether the set has an extension.
    pub const fn has(self, extension: Extension) -> bool {
        self.extensions >> extension as u8 & 1 != 0
    }

    /// Number of registers: 32, or 16 for RV32E.
    pub const fn registers(self) -> u8 {
        if self.few_registers { 16 } else { 32 }
    }
}
