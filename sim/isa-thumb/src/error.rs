//! Decoding errors.

use std::fmt;

/// Why decoding failed. `raw` is the encoding as in [`Insn::raw`](crate::Insn::raw), `size` its length in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// The architecture leaves this encoding undefined: it raises a `UsageFault`, UNDEFINSTR.
    Undefined {
        /// The encoding.
        raw: u32,
        /// Its length in bytes.
        size: u8,
        /// Where else it is defined, or that it is reserved.
        why: &'static str,
    },
    /// The architecture calls this encoding unpredictable: programs must not rely on its behaviour.
    Unpredictable {
        /// The encoding.
        raw: u32,
        /// Its length in bytes.
        size: u8,
        /// The rule that it breaks.
        why: &'static str,
    },
    /// Not one whole instruction: the second halfword of a wide one is missing, or a narrow one has an extra halfword.
    Truncated {
        /// The first halfword.
        first: u16,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DecodeError::Undefined { raw, size, why } => {
                write!(f, "undefined instruction {}: {why}", Encoding { raw, size })
            }
            DecodeError::Unpredictable { raw, size, why } => {
                write!(f, "unpredictable instruction {}: {why}", Encoding { raw, size })
            }
            DecodeError::Truncated { first } => write!(f, "{first:04x} alone is not one instruction"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// An encoding formatted as in listings: one or two halfwords.
struct Encoding {
    raw: u32,
    size: u8,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.size == 2 {
            write!(f, "{:04x}", self.raw)
        } else {
            write!(f, "{:04x} {:04x}", self.raw >> 16, self.raw & 0xffff)
        }
    }
}
