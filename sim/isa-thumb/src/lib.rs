//! What a Thumb instruction means: one table of encodings that gives the decoder and the disassembler.

mod insn;

pub use insn::{Cond, Index, Insn, ItRule, Op, Operand, Reg, RegSet, SetFlags, Shift, Width};
