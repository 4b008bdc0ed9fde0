//! M, A (Zalrsc and Zaamo), Zba, Zbb and Zbs (unprivileged ISA manual).

use super::row::{Row, row};
use crate::Extension::{M, Zaamo, Zalrsc, Zba, Zbb, Zbs};
use crate::Op;

const AMOUNT: &[(char, u8)] = &[('i', 0)];

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    // Multiplication and division.
    row(M, "0000001 ttttt sssss 000 ddddd 0110011", Op::Mul, "mul %d,%s,%t"),
    row(M, "0000001 ttttt sssss 001 ddddd 0110011", Op::Mulh, "mulh %d,%s,%t"),
    row(M, "0000001 ttttt sssss 010 ddddd 0110011", Op::Mulhsu, "mulhsu %d,%s,%t"),
    row(M, "0000001 ttttt sssss 011 ddddd 0110011", Op::Mulhu, "mulhu %d,%s,%t"),
    row(M, "0000001 ttttt sssss 100 ddddd 0110011", Op::Div, "div %d,%s,%t"),
    row(M, "0000001 ttttt sssss 101 ddddd 0110011", Op::Divu, "divu %d,%s,%t"),
    row(M, "0000001 ttttt sssss 110 ddddd 0110011", Op::Rem, "rem %d,%s,%t"),
    row(M, "0000001 ttttt sssss 111 ddddd 0110011", Op::Remu, "remu %d,%s,%t"),
    // Atomic operations: q is acquire, r release.
    row(Zalrsc, "00010 q r 00000 sssss 010 ddddd 0101111", Op::LrW, "lr.w%q %d,(%s)"),
    row(Zalrsc, "00011 q r ttttt sssss 010 ddddd 0101111", Op::ScW, "sc.w%q %d,%t,(%s)"),
    row(Zaamo, "00001 q r ttttt sssss 010 ddddd 0101111", Op::AmoswapW, "amoswap.w%q %d,%t,(%s)"),
    row(Zaamo, "00000 q r ttttt sssss 010 ddddd 0101111", Op::AmoaddW, "amoadd.w%q %d,%t,(%s)"),
    row(Zaamo, "00100 q r ttttt sssss 010 ddddd 0101111", Op::AmoxorW, "amoxor.w%q %d,%t,(%s)"),
    row(Zaamo, "01100 q r ttttt sssss 010 ddddd 0101111", Op::AmoandW, "amoand.w%q %d,%t,(%s)"),
    row(Zaamo, "01000 q r ttttt sssss 010 ddddd 0101111", Op::AmoorW, "amoor.w%q %d,%t,(%s)"),
    row(Zaamo, "10000 q r ttttt sssss 010 ddddd 0101111", Op::AmominW, "amomin.w%q %d,%t,(%s)"),
    row(Zaamo, "10100 q r ttttt sssss 010 ddddd 0101111", Op::AmomaxW, "amomax.w%q %d,%t,(%s)"),
    row(Zaamo, "11000 q r ttttt sssss 010 ddddd 0101111", Op::AmominuW, "amominu.w%q %d,%t,(%s)"),
    row(Zaamo, "11100 q r ttttt sssss 010 ddddd 0101111", Op::AmomaxuW, "amomaxu.w%q %d,%t,(%s)"),
    // Address generation.
    row(Zba, "0010000 ttttt sssss 010 ddddd 0110011", Op::Sh1add, "sh1add %d,%s,%t"),
    row(Zba, "0010000 ttttt sssss 100 ddddd 0110011", Op::Sh2add, "sh2add %d,%s,%t"),
    row(Zba, "0010000 ttttt sssss 110 ddddd 0110011", Op::Sh3add, "sh3add %d,%s,%t"),
    // Basic bit manipulation.
    row(Zbb, "0100000 ttttt sssss 111 ddddd 0110011", Op::Andn, "andn %d,%s,%t"),
    row(Zbb, "0100000 ttttt sssss 110 ddddd 0110011", Op::Orn, "orn %d,%s,%t"),
    row(Zbb, "0100000 ttttt sssss 100 ddddd 0110011", Op::Xnor, "xnor %d,%s,%t"),
    row(Zbb, "0110000 00000 sssss 001 ddddd 0010011", Op::Clz, "clz %d,%s"),
    row(Zbb, "0110000 00001 sssss 001 ddddd 0010011", Op::Ctz, "ctz %d,%s"),
    row(Zbb, "0110000 00010 sssss 001 ddddd 0010011", Op::Cpop, "cpop %d,%s"),
    row(Zbb, "0110000 00100 sssss 001 ddddd 0010011", Op::SextB, "sext.b %d,%s"),
    row(Zbb, "0110000 00101 sssss 001 ddddd 0010011", Op::SextH, "sext.h %d,%s"),
    row(Zbb, "0000100 00000 sssss 100 ddddd 0110011", Op::ZextH, "zext.h %d,%s"),
    row(Zbb, "0000101 ttttt sssss 110 ddddd 0110011", Op::Max, "max %d,%s,%t"),
    row(Zbb, "0000101 ttttt sssss 111 ddddd 0110011", Op::Maxu, "maxu %d,%s,%t"),
    row(Zbb, "0000101 ttttt sssss 100 ddddd 0110011", Op::Min, "min %d,%s,%t"),
    row(Zbb, "0000101 ttttt sssss 101 ddddd 0110011", Op::Minu, "minu %d,%s,%t"),
    row(Zbb, "0110000 ttttt sssss 001 ddddd 0110011", Op::Rol, "rol %d,%s,%t"),
    row(Zbb, "0110000 ttttt sssss 101 ddddd 0110011", Op::Ror, "ror %d,%s,%t"),
    row(Zbb, "0110000 iiiii sssss 101 ddddd 0010011", Op::Rori, "rori %d,%s,%x").unsigned(AMOUNT),
    row(Zbb, "0010100 00111 sssss 101 ddddd 0010011", Op::OrcB, "orc.b %d,%s"),
    row(Zbb, "0110100 11000 sssss 101 ddddd 0010011", Op::Rev8, "rev8 %d,%s"),
    // Single-bit operations.
    row(Zbs, "0100100 ttttt sssss 001 ddddd 0110011", Op::Bclr, "bclr %d,%s,%t"),
    row(Zbs, "0100100 iiiii sssss 001 ddddd 0010011", Op::Bclri, "bclri %d,%s,%x").unsigned(AMOUNT),
    row(Zbs, "0100100 ttttt sssss 101 ddddd 0110011", Op::Bext, "bext %d,%s,%t"),
    row(Zbs, "0100100 iiiii sssss 101 ddddd 0010011", Op::Bexti, "bexti %d,%s,%x").unsigned(AMOUNT),
    row(Zbs, "0110100 ttttt sssss 001 ddddd 0110011", Op::Binv, "binv %d,%s,%t"),
    row(Zbs, "0110100 iiiii sssss 001 ddddd 0010011", Op::Binvi, "binvi %d,%s,%x").unsigned(AMOUNT),
    row(Zbs, "0010100 ttttt sssss 001 ddddd 0110011", Op::Bset, "bset %d,%s,%t"),
    row(Zbs, "0010100 iiiii sssss 001 ddddd 0010011", Op::Bseti, "bseti %d,%s,%x").unsigned(AMOUNT),
];
