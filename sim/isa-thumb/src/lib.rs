//! The meaning of Thumb instructions: one table of encodings drives the decoder and the disassembler.
//!
//! It covers ARMv6-M and ARMv7-M with single-precision floating point; [`Isa`] selects what a core has. [`table`] holds one row for every
//! encoding, in the manual's own terms. [`decode()`] finds the row that matches and reads its fields into an [`Insn`], or reports why the
//! encoding is undefined or unpredictable. [`Insn::disassemble`] writes it like GNU objdump. Nothing here knows what an instruction
//! costs.
//!
//! ```
//! let insn = isa_thumb::decode(0x4801)?;
//! assert_eq!(insn.op, isa_thumb::Op::Ldr);
//! assert_eq!(format!("{:#}", insn.disassemble(0x100)), "ldr r0, [pc, #4] @ (0x108)");
//! let error = isa_thumb::decode(0xf3ef_80ff).unwrap_err();
//! assert_eq!(error.to_string(), "unpredictable instruction f3ef 80ff: there is no such special register");
//! # Ok::<(), isa_thumb::DecodeError>(())
//! ```

mod decode;
pub mod disasm;
mod error;
mod insn;
mod isa;
mod it;
mod operands;
pub mod table;

pub use decode::{decode, decode_at};
pub use disasm::Disassembly;
pub use error::DecodeError;
pub use insn::{Cond, FpReg, Index, Insn, ItRule, Op, Operand, Reg, RegSet, SetFlags, Shift, Width, is_wide};
pub use isa::Isa;
pub use it::ItState;
