//! The disassembler, in GNU objdump's syntax.
//!
//! A row's template contains two-character codes for the parts that depend on the encoding:
//!
//! | code | stands for |
//! |---|---|
//! | `%s` | `s` if it sets the flags, as far as the IT block lets it |
//! | `%c`, `%f` | the IT block's condition; the instruction's own |
//! | `%d` `%t`, `%n`, `%m`, `%a` | the registers `rd`, `rn`, `rm`, `ra` |
//! | `%i`, `%D`, `%x` | the immediate; its distance from zero; as four digits of hexadecimal |
//! | `%h`, `%w` | the encoding's low byte; the width of a bit field |
//! | `%p` | the shift of the last register, if any |
//! | `%A`, `%L`, `%!` | an address; a register list; the mark of a base that moves |
//! | `%b` | the target of a branch |
//! | `%T`, `%I`, `%B`, `%R` | the rest of IT and of CPS; a barrier's option; a special register |
//! | `%2`, `%N` | the marks of a coprocessor instruction's variants |
//! | `%K`, `%e` | its address; its destination, where 15 means the flags |
//! | `%V`, `%Y`, `%Z`, `%S` | the floating-point registers `vd`, `vn`, `vm`, the one after `vm` |
//! | `%G`, `%H`, `%X` | a list of them; `rd`, where 15 means the flags; the half of one |
//! | `%P`, `%q`, `%E`, `%r` | the kind of parallel arithmetic; the halves multiplied; an exchange; a rounding |
//! | `$v`, `@v` | the field `v` as a number, as a register |

use std::fmt::{self, Display, Formatter, Write};

use crate::table::{Row, rows};
use crate::{Cond, FpReg, Index, Insn, ItState, Op, Operand, Reg, SetFlags, Shift};

/// An instruction as text: `mnemonic operands`. `{:#}` appends the value of a PC-relative operand as a comment.
#[derive(Clone, Copy, Debug)]
pub struct Disassembly<'a> {
    insn: &'a Insn,
    address: u32,
    it: ItState,
}

impl Insn {
    /// This instruction at `address`, outside an IT block, as text.
    pub fn disassemble(&self, address: u32) -> Disassembly<'_> {
        self.disassemble_in(address, ItState::OUTSIDE)
    }

    /// This instruction with the IT state `it`; [`ItState::after`] tracks the state through a listing.
    pub fn disassemble_in(&self, address: u32, it: ItState) -> Disassembly<'_> {
        Disassembly {
            insn: self,
            address,
            it,
        }
    }
}

impl Display for Disassembly<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(row) = rows().get(usize::from(self.insn.row)) else {
            return write!(f, ".inst {:#x}", self.insn.raw); // made by hand, from no row
        };
        let mut text = row.text.chars();
        while let Some(symbol) = text.next() {
            match symbol {
                '%' => self.code(f, text.next().unwrap_or('%'), row)?,
                '$' => write!(f, "{}", self.field(row, text.next()))?,
                '@' => f.write_str(name(Reg(self.field(row, text.next()) as u8)))?,
                _ => f.write_char(symbol)?,
            }
        }
        match self.literal() {
            Some(address) if f.alternate() => write!(f, " @ ({address:#x})"),
            _ => Ok(()),
        }
    }
}

impl Disassembly<'_> {
    fn field(&self, row: &Row, letter: Option<char>) -> u32 {
        row.field(letter.map_or(0, |letter| letter as u8), self.insn.raw)
    }

    fn code(&self, f: &mut Formatter<'_>, code: char, row: &Row) -> fmt::Result {
        let insn = self.insn;
        match code {
            's' => f.write_str(if self.sets_flags() { "s" } else { "" }),
            'c' if self.it.in_block() => f.write_str(cond_name(self.it.cond())),
            'c' => Ok(()),
            'f' => f.write_str(insn.cond.suffix()),
            'H' if insn.rd == Reg::PC => f.write_str("APSR_nzcv"),
            'd' | 't' | 'H' => f.write_str(name(insn.rd)),
            'n' => f.write_str(name(insn.rn)),
            'm' => f.write_str(name(insn.rm)),
            'a' => f.write_str(name(insn.ra)),
            'i' => write!(f, "#{}", insn.imm),
            'D' => write!(f, "#{}", (insn.imm as i32).unsigned_abs()),
            'x' => write!(f, "{:#06x}", insn.imm),
            'h' => write!(f, "{}", insn.raw & 0xff),
            'w' => write!(f, "#{}", insn.amount),
            'p' => shift(f, insn),
            'A' => self.place(f, row),
            'L' => list(f, insn),
            '!' => f.write_str(if insn.writeback { "!" } else { "" }),
            'b' => write!(f, "{:#x}", self.address.wrapping_add(4).wrapping_add(insn.imm)),
            'T' => it_rest(f, insn.imm),
            'I' => interrupts(f, insn.imm),
            'B' => barrier(f, insn),
            'R' => special(f, insn),
            'P' => f.write_str(PARALLEL[usize::from(insn.amount & 7)]),
            'q' => f.write_str(["bb", "bt", "tb", "tt"][usize::from(insn.amount & 3)]),
            'E' => f.write_str(if insn.amount == 0 { "" } else { "x" }),
            'r' => f.write_str(if insn.amount == 0 { "" } else { "r" }),
            'V' => float_register(f, insn.vd, insn.double),
            'Y' => float_register(f, insn.vn, insn.double),
            'Z' => float_register(f, insn.vm, insn.double),
            'S' => float_register(f, FpReg(insn.vm.0.wrapping_add(1)), false),
            'G' => float_list(f, insn),
            'X' => f.write_str(if insn.amount == 0 { "b" } else { "t" }),
            _ => self.coprocessor_code(f, code, row),
        }
    }

    fn coprocessor_code(&self, f: &mut Formatter<'_>, code: char, row: &Row) -> fmt::Result {
        let field = |letter| row.field(letter, self.insn.raw);
        match code {
            '2' => f.write_str(if field(b'k') == 0 { "" } else { "2" }),
            'N' => f.write_str(if field(b'N') == 0 { "" } else { "l" }),
            'K' => self.coprocessor_place(f, row),
            'e' if (field(b'e'), field(b'k')) == (15, 0) => f.write_str("APSR_nzcv"),
            'e' => f.write_str(name(Reg(field(b'e') as u8))),
            // check_template() rejects every other code.
            _ => f.write_char(code),
        }
    }

    fn sets_flags(&self) -> bool {
        match self.insn.set_flags {
            SetFlags::Never => false,
            SetFlags::Always => true,
            SetFlags::OutsideIt => !self.it.in_block(),
        }
    }

    /// The address of a PC-relative operand.
    fn literal(&self) -> Option<u32> {
        let insn = self.insn;
        let relative = insn.op == Op::Adr || insn.rn == Reg::PC && insn.operand == Operand::Imm;
        let base = self.address.wrapping_add(4) & !3;
        (relative && !insn.writeback).then(|| base.wrapping_add(insn.imm))
    }

    /// The address operand of a load or store.
    fn place(&self, f: &mut Formatter<'_>, row: &Row) -> fmt::Result {
        let insn = self.insn;
        write!(f, "[{}", name(insn.rn))?;
        if insn.operand == Operand::Reg {
            write!(f, ", {}", name(insn.rm))?;
            shift(f, insn)?;
            return f.write_str("]");
        }
        let offset = insn.imm as i32;
        // Subtracting zero has an encoding of its own; objdump shows it for dual and floating-point accesses only.
        let dual = matches!(insn.op, Op::Ldrd | Op::Strd | Op::Vldr | Op::Vstr);
        let sign = if dual && offset == 0 && row.field(b'U', insn.raw) == 0 {
            "-"
        } else {
            ""
        };
        match insn.index {
            Index::Post => write!(f, "], #{sign}{offset}"),
            Index::Pre if offset == 0 && !dual => f.write_str("]!"),
            Index::Pre => write!(f, ", #{sign}{offset}]!"),
            Index::Offset if insn.operand == Operand::None => f.write_str("]"),
            Index::Offset if offset == 0 && sign.is_empty() && insn.size == 4 => f.write_str("]"),
            Index::Offset => write!(f, ", #{sign}{offset}]"),
        }
    }

    /// The address operand of LDC and STC.
    fn coprocessor_place(&self, f: &mut Formatter<'_>, row: &Row) -> fmt::Result {
        let field = |letter| row.field(letter, self.insn.raw);
        let base = name(Reg(field(b'b') as u8));
        let sign = if field(b'U') == 0 { "-" } else { "" };
        let distance = field(b'i') * 4;
        match (field(b'P'), field(b'W')) {
            (1, 0) if distance == 0 && sign.is_empty() => write!(f, "[{base}]"),
            (1, 0) => write!(f, "[{base}, #{sign}{distance}]"),
            (1, _) => write!(f, "[{base}, #{sign}{distance}]!"),
            (_, 1) => write!(f, "[{base}], #{sign}{distance}"),
            (_, _) => write!(f, "[{base}], {{{}}}", field(b'i')),
        }
    }
}

/// A register's name in GCC's convention.
const fn name(reg: Reg) -> &'static str {
    const NAMES: [&str; 16] = [
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "sl", "fp", "ip", "sp", "lr", "pc",
    ];
    NAMES[reg.index()]
}

fn shift(f: &mut Formatter<'_>, insn: &Insn) -> fmt::Result {
    let kind = match insn.shift {
        Shift::Rrx => return f.write_str(", rrx"),
        _ if insn.amount == 0 => return Ok(()),
        Shift::Lsl => "lsl",
        Shift::Lsr => "lsr",
        Shift::Asr => "asr",
        Shift::Ror => "ror",
    };
    write!(f, ", {kind} #{}", insn.amount)
}

fn list(f: &mut Formatter<'_>, insn: &Insn) -> fmt::Result {
    let mut separator = "{";
    for reg in (0..16).map(Reg).filter(|&reg| insn.list.contains(reg)) {
        write!(f, "{separator}{}", name(reg))?;
        separator = ", ";
    }
    f.write_str("}")
}

/// Prefixes of parallel arithmetic, by `amount`.
const PARALLEL: [&str; 8] = ["s", "q", "sh", "", "u", "uq", "uh", ""];

fn float_register(f: &mut Formatter<'_>, reg: FpReg, double: bool) -> fmt::Result {
    if double {
        write!(f, "d{}", reg.0 / 2)
    } else {
        write!(f, "s{}", reg.0)
    }
}

/// `{s0}`, `{d8-d15}`.
fn float_list(f: &mut Formatter<'_>, insn: &Insn) -> fmt::Result {
    let each = if insn.double { 2 } else { 1 };
    f.write_str("{")?;
    float_register(f, insn.vd, insn.double)?;
    if insn.amount > each {
        f.write_str("-")?;
        float_register(f, FpReg(insn.vd.0 + insn.amount - each), insn.double)?;
    }
    f.write_str("}")
}

/// The `te eq` of `itte eq`.
fn it_rest(f: &mut Formatter<'_>, state: u32) -> fmt::Result {
    let first = state >> 4 & 1;
    for bit in (state.trailing_zeros() + 1..4).rev() {
        f.write_str(if state >> bit & 1 == first { "t" } else { "e" })?;
    }
    write!(f, " {}", cond_name(Cond::from_bits(state >> 4)))
}

/// A condition where "always" must be spelt out.
const fn cond_name(cond: Cond) -> &'static str {
    if matches!(cond, Cond::Al) {
        "al"
    } else {
        cond.suffix()
    }
}

/// The `id i` of `cpsid i`.
fn interrupts(f: &mut Formatter<'_>, effect: u32) -> fmt::Result {
    let enable = if effect & 0x10 == 0 { "ie" } else { "id" };
    let primask = if effect & 2 == 0 { "" } else { "i" };
    let faultmask = if effect & 1 == 0 { "" } else { "f" };
    write!(f, "{enable} {primask}{faultmask}")
}

fn barrier(f: &mut Formatter<'_>, insn: &Insn) -> fmt::Result {
    const NAMES: [&str; 16] = [
        "", "oshld", "oshst", "osh", "", "nshld", "unst", "un", "", "ishld", "ishst", "ish", "", "ld", "st",
        "sy",
    ];
    match NAMES[insn.imm as usize & 15] {
        "" => write!(f, "#{}", insn.imm),
        _ if insn.op == Op::Isb && insn.imm != 15 => write!(f, "#{}", insn.imm),
        option => f.write_str(option),
    }
}

/// A special register (ARMv7-M ARM B5.1.1).
fn special(f: &mut Formatter<'_>, insn: &Insn) -> fmt::Result {
    let register = match insn.imm {
        0 if insn.op == Op::Msr => ["", "CPSR_s", "CPSR_f", "CPSR_fs"][usize::from(insn.amount & 3)],
        0 => "CPSR",
        1 => "IAPSR",
        2 => "EAPSR",
        3 => "PSR",
        5 => "IPSR",
        6 => "EPSR",
        7 => "IEPSR",
        8 => "MSP",
        9 => "PSP",
        16 => "PRIMASK",
        17 => "BASEPRI",
        18 => "BASEPRI_MAX",
        19 => "FAULTMASK",
        _ => "CONTROL",
    };
    f.write_str(register)
}
