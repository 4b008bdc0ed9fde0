//! The table of encodings: one row each, no encoding in two rows.
//!
//! These letters of a pattern are operands in every row:
//!
//! | letter | operand |
//! |---|---|
//! | `d`, `s`, `t` | rd, rs1, rs2 |
//! | `D`, `S`, `T` | the same in three bits, `x8` to `x15` |
//! | `X`, `Y` | rd and rs1 at once, in five bits and in three |
//! | `c` | a control and status register |
//!
//! The row's [`Immediate`] defines the other letters. Encodings in no row are reserved and trap as illegal instructions.

mod base;
mod compressed;
mod extensions;
mod row;

use isa_pattern::{count, join};

pub use row::{Immediate, Row};

const PARTS: [&[Row]; 3] = [base::ROWS, extensions::ROWS, compressed::ROWS];

static ROWS: [Row; count(&PARTS)] = join(&PARTS);

/// All rows, indexed by [`Insn::row`](crate::Insn::row).
pub fn rows() -> &'static [Row] {
    &ROWS
}

/// The row that `raw` belongs to, and its index.
///
/// A linear scan is fast enough, since each address is decoded once.
pub(crate) fn find(raw: u32, size: u8) -> Option<(u16, &'static Row)> {
    let index = ROWS
        .iter()
        .position(|row| row.pattern.size == size && row.matches(raw))?;
    Some((index as u16, &ROWS[index]))
}
