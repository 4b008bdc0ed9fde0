//! One row of the table, and the words that rows are written in.

use isa_pattern::{Cube, Exceptions, Pattern, check_template};

use crate::disasm;
use crate::{Extension, Op, Reg};

/// Where an immediate stands in an encoding: which field goes to which bit, and how long it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Immediate {
    /// Field, and the bit of the value that its lowest bit is.
    pub parts: &'static [(char, u8)],
    /// The bit whose value is the sign; 0 if it has none.
    pub sign: u8,
}

impl Immediate {
    /// The value in `raw`.
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
    /// Its bits.
    pub pattern: Pattern,
    /// What it does.
    pub op: Op,
    /// Where it belongs.
    pub extension: Extension,
    /// How it is written, as [`crate::disasm`] explains.
    pub text: &'static str,
    /// Its immediate.
    pub immediate: Immediate,
    /// Destination that no field names.
    pub rd: Reg,
    /// First source that no field names.
    pub rs1: Reg,
    /// Second source that no field names.
    pub rs2: Reg,
    exceptions: Exceptions<3>,
}

impl Row {
    /// Whether `raw`, of this row's size, belongs to it.
    #[inline]
    pub fn matches(&self, raw: u32) -> bool {
        self.pattern.select.contains(raw) && !self.exceptions().any(|exception| exception.contains(raw))
    }

    /// Encodings within the pattern that are other rows', or reserved.
    pub fn exceptions(&self) -> impl Iterator<Item = Cube> {
        self.exceptions.iter()
    }

    /// The value of a field of this row in `raw`.
    pub fn field(&self, letter: char, raw: u32) -> u32 {
        self.pattern.field(letter as u8, raw)
    }
}

/// A row.
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

/// The words that complete a row.
impl Row {
    /// An unsigned immediate.
    pub(super) const fn unsigned(self, parts: &'static [(char, u8)]) -> Row {
        Row {
            immediate: Immediate { parts, sign: 0 },
            ..self
        }
    }

    /// An immediate whose highest bit, this one, is its sign.
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

    /// Leaves out the encodings in which all these fields have these values.
    pub(super) const fn except(self, fields: &[(char, u32)]) -> Row {
        Row {
            exceptions: self.exceptions.and(&self.pattern, fields),
            ..self
        }
    }
}
