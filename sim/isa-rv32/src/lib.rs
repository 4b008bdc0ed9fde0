//! The meaning of RV32 instructions: one table of encodings drives the decoder and the disassembler.
//!
//! It covers RV32I and RV32E with M, A, C, Zicsr, Zifencei, Zba, Zbb, Zbs and the instructions of machine and supervisor mode. [`table`]
//! holds one row for every encoding. [`decode()`] finds the row that matches and reads its fields into an [`Insn`], or reports why the
//! encoding is illegal for an [`Isa`]. [`Insn::disassemble`] writes it like GNU objdump. Nothing here knows what an instruction costs.
//!
//! ```
//! use isa_rv32::{Extension, Isa, Op, decode};
//!
//! let insn = decode(0xff01_0113, Isa::RV32I)?;
//! assert_eq!(insn.op, Op::Addi);
//! assert_eq!(insn.disassemble(0x100).to_string(), "addi sp,sp,-16");
//! let error = decode(0x1141, Isa::RV32I).unwrap_err();
//! assert_eq!(error.to_string(), "illegal instruction 1141: the core has no C");
//! # Ok::<(), isa_rv32::DecodeError>(())
//! ```

pub mod csr;
mod decode;
pub mod disasm;
mod error;
mod insn;
mod isa;
pub mod table;

pub use decode::{decode, length};
pub use disasm::Disassembly;
pub use error::{DecodeError, Reason};
pub use insn::{Insn, Op, Reg};
pub use isa::{Extension, Isa};
