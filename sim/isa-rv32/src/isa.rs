//! Which instructions a core has.

/// An extension of the base instruction set, or the base itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Extension {
    /// The base.
    I,
    /// Multiplication and division.
    M,
    /// The half of A that loads and reserves, and stores on condition.
    Zalrsc,
    /// The half of A that reads, changes and writes.
    Zaamo,
    /// Compressed encodings.
    C,
    /// Instructions for control and status registers.
    Zicsr,
    /// FENCE.I.
    Zifencei,
    /// Addresses: shift and add.
    Zba,
    /// Basic bit manipulation.
    Zbb,
    /// Single bits.
    Zbs,
    /// Supervisor mode: SRET and SFENCE.VMA.
    Supervisor,
}

/// A set of extensions, and how many registers there are.
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

    /// RV32E: as RV32I, with 16 registers.
    pub const RV32E: Isa = Isa {
        few_registers: true,
        ..Isa::RV32I
    };

    /// Everything that the table holds.
    pub const ALL: Isa = Isa {
        extensions: u16::MAX,
        few_registers: false,
    };

    /// With one extension more.
    #[must_use]
    pub const fn with(self, extension: Extension) -> Isa {
        Isa {
            extensions: self.extensions | 1 << extension as u8,
            ..self
        }
    }

    /// Whether an extension is there.
    pub const fn has(self, extension: Extension) -> bool {
        self.extensions >> extension as u8 & 1 != 0
    }

    /// Registers: 32, or 16 of RV32E.
    pub const fn registers(self) -> u8 {
        if self.few_registers { 16 } else { 32 }
    }
}
