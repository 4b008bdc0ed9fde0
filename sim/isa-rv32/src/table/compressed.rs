//! C for RV32 (unprivileged ISA manual, chapter on the C extension).
//!
//! Hints (a result written to `x0`, a shift by zero) execute as the operation that they encode, which has no effect.

use super::row::{Row, row};
use crate::Extension::C;
use crate::{Op, Reg};

const SMALL: &[(char, u8)] = &[('g', 5), ('i', 0)];
const WORD: &[(char, u8)] = &[('k', 6), ('i', 3), ('j', 2)];
const FROM_SP: &[(char, u8)] = &[('k', 6), ('j', 5), ('i', 2)];
const TO_SP: &[(char, u8)] = &[('k', 6), ('i', 2)];
const SP_AND: &[(char, u8)] = &[('l', 6), ('k', 4), ('i', 3), ('j', 2)];
const SP_BY: &[(char, u8)] = &[('g', 9), ('l', 7), ('k', 6), ('j', 5), ('i', 4)];
const UPPER: &[(char, u8)] = &[('g', 17), ('i', 12)];
const JUMP: &[(char, u8)] = &[
    ('g', 11),
    ('n', 10),
    ('m', 8),
    ('o', 7),
    ('l', 6),
    ('j', 5),
    ('k', 4),
    ('i', 1),
];
const BRANCH: &[(char, u8)] = &[('g', 8), ('l', 6), ('j', 5), ('k', 3), ('i', 1)];

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    // Quadrant 0. All bits zero is an illegal instruction.
    row(C, "000 kk llll j i DDD 00", Op::Addi, "c.addi4spn %d,sp,%i").unsigned(SP_AND).rs1(Reg::SP)
        .except(&[('i', 0), ('j', 0), ('k', 0), ('l', 0)]),
    row(C, "010 iii SSS j k DDD 00", Op::Lw, "c.lw %d,%i(%s)").unsigned(WORD),
    row(C, "110 iii SSS j k TTT 00", Op::Sw, "c.sw %t,%i(%s)").unsigned(WORD),
    // Quadrant 1.
    row(C, "000 g XXXXX iiiii 01", Op::Addi, "c.addi %d,%i").signed(5, SMALL),
    row(C, "001 g k mm n l o iii j 01", Op::Jal, "c.jal %b").signed(11, JUMP).rd(Reg::RA),
    row(C, "010 g ddddd iiiii 01", Op::Addi, "c.li %d,%i").signed(5, SMALL),
    row(C, "011 g 00010 i k ll j 01", Op::Addi, "c.addi16sp sp,%i").signed(9, SP_BY).rd(Reg::SP).rs1(Reg::SP)
        .except(&[('g', 0), ('i', 0), ('k', 0), ('l', 0), ('j', 0)]),
    row(C, "011 g ddddd iiiii 01", Op::Lui, "c.lui %d,%u").signed(17, UPPER)
        .except(&[('d', 2)]).except(&[('g', 0), ('i', 0)]),
    row(C, "100 0 00 YYY iiiii 01", Op::Srli, "c.srli %d,%x").unsigned(&[('i', 0)]),
    row(C, "100 0 01 YYY iiiii 01", Op::Srai, "c.srai %d,%x").unsigned(&[('i', 0)]),
    row(C, "100 g 10 YYY iiiii 01", Op::Andi, "c.andi %d,%i").signed(5, SMALL),
    row(C, "100 0 11 YYY 00 TTT 01", Op::Sub, "c.sub %d,%t"),
    row(C, "100 0 11 YYY 01 TTT 01", Op::Xor, "c.xor %d,%t"),
    row(C, "100 0 11 YYY 10 TTT 01", Op::Or, "c.or %d,%t"),
    row(C, "100 0 11 YYY 11 TTT 01", Op::And, "c.and %d,%t"),
    row(C, "101 g k mm n l o iii j 01", Op::Jal, "c.j %b").signed(11, JUMP),
    row(C, "110 g kk SSS ll ii j 01", Op::Beq, "c.beqz %s,%b").signed(8, BRANCH),
    row(C, "111 g kk SSS ll ii j 01", Op::Bne, "c.bnez %s,%b").signed(8, BRANCH),
    // Quadrant 2.
    row(C, "000 0 XXXXX iiiii 10", Op::Slli, "c.slli %d,%x").unsigned(&[('i', 0)]),
    row(C, "010 j ddddd iii kk 10", Op::Lw, "c.lwsp %d,%i(sp)").unsigned(FROM_SP).rs1(Reg::SP).except(&[('d', 0)]),
    row(C, "100 0 sssss 00000 10", Op::Jalr, "c.jr %s").except(&[('s', 0)]),
    row(C, "100 0 ddddd ttttt 10", Op::Add, "c.mv %d,%t").except(&[('t', 0)]),
    row(C, "100 1 00000 00000 10", Op::Ebreak, "c.ebreak"),
    row(C, "100 1 sssss 00000 10", Op::Jalr, "c.jalr %s").rd(Reg::RA).except(&[('s', 0)]),
    row(C, "100 1 XXXXX ttttt 10", Op::Add, "c.add %d,%t").except(&[('t', 0)]),
    row(C, "110 iiii kk ttttt 10", Op::Sw, "c.swsp %t,%i(sp)").unsigned(TO_SP).rs1(Reg::SP),
];
