//! A row of the table, and the builder methods that complete it.

use isa_pattern::{Cube, Exceptions, Pattern, check_template};

use crate::disasm;
use crate::{Extension, Op, Reg};

/// The layout of an immediate in an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Immediate {
    /// (field letter, position of the field's lowest bit in the value).
    pub parts: &'static [(char, u8)],
    /// Position of the sign bit; 0 if it is unsigned.
    pub sign: u8,
}

impl Immediate {
    /// Extracts the immediate from `raw`.
    pub fn value(&self, pattern: &Pattern, raw: u32) -> i32 {
        let parts = self.parts.iter();
        let value = parts.fold(0, |value, &(letter, bit)| {
            value | pattern.field(letter as u8, raw) << bit
        });
        match self.sign {
            0 => value as i32,
            bit => (value << (31 - bit)) as i32 >> (31 - bit),
        }
    }
}

/// One encoding.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its bit pattern.
    pub pattern: Pattern,
    /// Its operation.
    pub op: Op,
    /// The extension that defines it.
    pub extension: Extension,
    /// Its text template, as [`crate::disasm`] explains.
    pub text: &'static str,
    /// Its immediate.
    pub immediate: Immediate,
    /// Destination, if no field encodes it.
    pub rd: Reg,
    /// First source, if no field encodes it.
    pub rs1: Reg,
    /// Second source, if no field encodes it.
    pub rs2: Reg,
    exceptions: Exceptions<3>,
}

impl Row {
    /// Whether `raw`, which has this row's size, matches it.
    #[inline]
    pub fn matches(&self, raw: u32) -> bool {
        self.pattern.select.contains(raw) && !self.exceptions().any(|exception| exception.contains(raw))
    }

    /// Encodings within the pattern that other rows define or that are reserved.
    pub fn exceptions(&self) -> impl Iterator<Item = Cube> {
        self.exceptions.iter()
    }

    /// Extracts a field of this row from `raw`.
    pub fn field(&self, letter: char, raw: u32) -> u32 {
        self.pattern.field(letter as u8, raw)
    }
}

/// A row without immediate or exceptions; the builder methods add them.
pub(super) const fn row(extension: Extension, pattern: &str, op: Op, text: &'static str) -> Row {
    check_template(text, disasm::CODES);
    Row {
        pattern: Pattern::parse(pattern),
        op,
        extension,
        text,
        immediate: Immediate { parts: &[], sign: 0 },
        rd: Reg::ZERO,
        rs1: Reg::ZERO,
        rs2: Reg::ZERO,
        exceptions: Exceptions::NONE,
    }
}

/// Builder methods that complete a row.
impl Row {
    /// An unsigned immediate.
    pub(super) const fn unsigned(self, parts: &'static [(char, u8)]) -> Row {
        Row {
            immediate: Immediate { parts, sign: 0 },
            ..self
        }
    }

    /// A signed immediate, whose highest bit is `sign`.
    pub(super) const fn signed(self, sign: u8, parts: &'static [(char, u8)]) -> Row {
        Row {
            immediate: Immediate { parts, sign },
            ..self
        }
    }

    pub(super) const fn rd(self, rd: Reg) -> Row {
        Row { rd, ..self }
    }

    pub(super) const fn rs1(self, rs1: Reg) -> Row {
        Row { rs1, ..self }
    }

    /// Excludes the encodings in which all these fields have these values.
    pub(super) const fn except(self, fields: &[(char, u32)]) -> Row {
        Row {
            exceptions: self.exceptions.and(&self.pattern, fields),
            ..self
        }
    }
}
