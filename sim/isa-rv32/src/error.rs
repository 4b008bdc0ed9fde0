//! Decoding errors.

use std::fmt;

use crate::{Extension, Reg};

/// Why an encoding is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// No known extension defines it.
    Reserved,
    /// It belongs to an extension that the core does not have.
    Lacks(Extension),
    /// RV32E does not have this register.
    Register(Reg),
}

/// An illegal instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecodeError {
    /// The encoding, in the low half if it is compressed.
    pub raw: u32,
    /// Its length in bytes, 2 or 4.
    pub size: u8,
    /// The reason why it is illegal.
    pub reason: Reason,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = usize::from(self.size) * 2;
        write!(f, "illegal instruction {:0digits$x}: ", self.raw)?;
        match self.reason {
            Reason::Reserved => f.write_str("the encoding is reserved"),
            Reason::Lacks(extension) => write!(f, "the core has no {extension:?}"),
            Reason::Register(reg) => write!(f, "RV32E has no x{}", reg.0),
        }
    }
}

impl std::error::Error for DecodeError {}
