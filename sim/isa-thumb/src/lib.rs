//! What a Thumb instruction means: one table of encodings that gives the decoder and the disassembler.
//!
//! Covered is all of ARMv7-M without floating point. [`table`] holds one row for every encoding, in the manual's own
//! terms; [`decode()`](decode()) finds the row of some bits and reads their fields into an [`Insn`], or says why they are undefined
//! or unpredictable. Nothing here knows what an instruction costs.

mod decode;
pub mod disasm;
mod error;
mod insn;
mod it;
mod operands;
pub mod pattern;
pub mod table;

pub use decode::{decode, decode_at, is_wide};
pub use disasm::Disassembly;
pub use error::DecodeError;
pub use insn::{Cond, Index, Insn, ItRule, Op, Operand, Reg, RegSet, SetFlags, Shift, Width};
pub use it::ItState;
