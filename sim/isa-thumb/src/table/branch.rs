//! Branches of either width (ARMv7-M ARM A5.2.3, A5.2.5, A5.2.6, A5.3.4).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{ItRule, Op};

pub(super) const ROWS: &[Row] = &[
    row("BX", "010001 110 mmmm (0)(0)(0)", Op::Bx, "bx%c %m"),
    row("BLX (register)", "010001 111 mmmm (0)(0)(0)", Op::Blx, "blx%c %m").unpredictable(&[rules::RM_PC]),
    row("CBZ", "1011 00 i 1 iiiii nnn", Op::Cbz, "cbz %n, %b")
        .form(Form::Imm(1))
        .it(ItRule::Outside),
    row("CBNZ", "1011 10 i 1 iiiii nnn", Op::Cbnz, "cbnz %n, %b")
        .form(Form::Imm(1))
        .it(ItRule::Outside),
    row("B T1", "1101 cccc iiiiiiii", Op::B, "b%f.n %b")
        .form(Form::Branch)
        .it(ItRule::Outside)
        .except(&[('c', 14)])
        .except(&[('c', 15)]),
    row("B T2", "11100 iiiiiiiiiii", Op::B, "b%c.n %b").form(Form::Branch),
    row(
        "B T3",
        "11110 g cccc iiiiii 10 p 0 q iiiiiiiiiii",
        Op::B,
        "b%f.w %b",
    )
    .form(Form::BranchFar)
    .it(ItRule::Outside)
    .except(&[('c', 14)])
    .except(&[('c', 15)]),
    row(
        "B T4",
        "11110 g iiiiiiiiii 10 p 1 q iiiiiiiiiii",
        Op::B,
        "b%c.w %b",
    )
    .form(Form::BranchLong),
    row("BL", "11110 g iiiiiiiiii 11 p 1 q iiiiiiiiiii", Op::Bl, "bl%c %b").form(Form::BranchLong),
    undefined(
        "BLX (immediate): this profile has no Arm state",
        "11110 ----------- 11 - 0 ------------",
    ),
    row(
        "TBB",
        "1110 1000 1101 nnnn (1)(1)(1)(1) (0)(0)(0)(0) 0000 mmmm",
        Op::Tbb,
        "tbb%c %A",
    )
    .form(Form::Reg)
    .byte()
    .unpredictable(&[rules::RN_SP, rules::RM]),
    row(
        "TBH",
        "1110 1000 1101 nnnn (1)(1)(1)(1) (0)(0)(0)(0) 0001 mmmm",
        Op::Tbb,
        "tbh%c %A",
    )
    .form(Form::Doubled)
    .half()
    .unpredictable(&[rules::RN_SP, rules::RM]),
];
