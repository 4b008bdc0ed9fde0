//! The disassembler, in GNU objdump's syntax with `-M no-aliases`.
//!
//! A row's template contains two-character codes for the parts that depend on the encoding:
//!
//! | code | stands for |
//! |---|---|
//! | `%d`, `%s`, `%t` | the registers rd, rs1, rs2 |
//! | `%i`, `%x` | the immediate, in decimal and in hexadecimal |
//! | `%u` | the immediate's upper 20 bits |
//! | `%b` | the target of a branch or jump |
//! | `%c` | a control and status register |
//! | `%f` | what a fence orders |
//! | `%q` | `.aq`, `.rl` or both |

use std::fmt::{self, Display, Formatter, Write as _};

use crate::table::{Row, rows};
use crate::{Insn, csr};

/// The second characters of the codes.
pub(crate) const CODES: &[u8] = b"dstixubcfq";

/// An instruction as text: `mnemonic operands`.
#[derive(Clone, Copy, Debug)]
pub struct Disassembly<'a> {
    insn: &'a Insn,
    address: u32,
}

impl Insn {
    /// This instruction at `address` as text.
    pub fn disassemble(&self, address: u32) -> Disassembly<'_> {
        Disassembly { insn: self, address }
    }
}

impl Display for Disassembly<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(row) = rows().get(usize::from(self.insn.row)) else {
            return write!(f, ".insn {:#x}", self.insn.raw); // made by hand, from no row
        };
        let mut text = row.text.chars();
        while let Some(symbol) = text.next() {
            match symbol {
                '%' => self.code(f, text.next().unwrap_or('%'), row)?,
                _ => f.write_char(symbol)?,
            }
        }
        Ok(())
    }
}

impl Disassembly<'_> {
    fn code(&self, f: &mut Formatter<'_>, code: char, row: &Row) -> fmt::Result {
        let insn = self.insn;
        match code {
            'd' => f.write_str(insn.rd.name()),
            's' => f.write_str(insn.rs1.name()),
            't' => f.write_str(insn.rs2.name()),
            'i' => write!(f, "{}", insn.imm),
            'x' => write!(f, "{:#x}", insn.imm),
            'u' => write!(f, "{:#x}", insn.imm as u32 >> 12),
            'b' => write!(f, "{:#x}", self.address.wrapping_add(insn.imm as u32)),
            'c' => match csr::name(insn.csr) {
                Some(name) => f.write_str(name),
                None => write!(f, "{:#x}", insn.csr),
            },
            'f' => fence(f, row.field('p', insn.raw), row.field('n', insn.raw)),
            _ => ordering(f, row.field('q', insn.raw), row.field('r', insn.raw)),
        }
    }
}

fn fence(f: &mut Formatter<'_>, before: u32, after: u32) -> fmt::Result {
    accesses(f, before)?;
    f.write_char(',')?;
    accesses(f, after)
}

/// Kinds of accesses: device input, device output, memory reads, memory writes.
fn accesses(f: &mut Formatter<'_>, kinds: u32) -> fmt::Result {
    if kinds == 0 {
        return f.write_str("unknown");
    }
    let named = "iorw".chars().zip([8, 4, 2, 1]);
    named
        .filter(|&(_, bit)| kinds & bit != 0)
        .try_for_each(|(kind, _)| f.write_char(kind))
}

fn ordering(f: &mut Formatter<'_>, acquire: u32, release: u32) -> fmt::Result {
    match (acquire, release) {
        (0, 0) => Ok(()),
        (_, 0) => f.write_str(".aq"),
        (0, _) => f.write_str(".rl"),
        _ => f.write_str(".aqrl"),
    }
}
