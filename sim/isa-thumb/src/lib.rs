//! What a Thumb instruction means: one table of encodings that gives the decoder and the disassembler.
//!
//! Covered is all of ARMv6-M and ARMv7-M with single-precision floating point; [`Isa`] says what of it a core has. [`table`] holds one row for every encoding, in the manual's own
//! terms. [`decode()`] finds the row of some bits and reads their fields into an [`Insn`], or says why they are
//! undefined or unpredictable; [`Insn::disassemble`] writes it as GNU objdump does. Nothing here knows what an
//! instruction costs.
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

pub use decode::{decode, decode_at, is_wide};
pub use disasm::Disassembly;
pub use error::DecodeError;
pub use insn::{Cond, FpReg, Index, Insn, ItRule, Op, Operand, Reg, RegSet, SetFlags, Shift, Width};
pub use isa::Isa;
pub use it::ItState;
