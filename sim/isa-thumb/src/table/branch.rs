//! Branches of either width (ARMv7-M ARM A5.2.3, A5.2.5, A5.2.6, A5.3.4).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{ItRule, Op};

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    row("010001 110 mmmm (0)(0)(0)", "BX", Op::Bx, "bx%c %m"),
    row("010001 111 mmmm (0)(0)(0)", "BLX (register)", Op::Blx, "blx%c %m").unpredictable(&[rules::RM_PC]),
    row("1011 00 i 1 iiiii nnn", "CBZ", Op::Cbz, "cbz %n, %b").form(Form::Imm(1)).it(ItRule::Outside),
    row("1011 10 i 1 iiiii nnn", "CBNZ", Op::Cbnz, "cbnz %n, %b").form(Form::Imm(1)).it(ItRule::Outside),
    row("1101 cccc iiiiiiii", "B T1", Op::B, "b%f.n %b")
        .form(Form::Branch).it(ItRule::Outside).except(&[('c', 14)]).except(&[('c', 15)]),
    row("11100 iiiiiiiiiii", "B T2", Op::B, "b%c.n %b").form(Form::Branch),
    row("11110 g cccc iiiiii 10 p 0 q iiiiiiiiiii", "B T3", Op::B, "b%f.w %b")
        .form(Form::BranchFar).it(ItRule::Outside).except(&[('c', 14)]).except(&[('c', 15)]),
    row("11110 g iiiiiiiiii 10 p 1 q iiiiiiiiiii", "B T4", Op::B, "b%c.w %b").form(Form::BranchLong),
    row("11110 g iiiiiiiiii 11 p 1 q iiiiiiiiiii", "BL", Op::Bl, "bl%c %b").form(Form::BranchLong),
    undefined("11110 ----------- 11 - 0 ------------", "BLX (immediate): this profile has no Arm state"),
    row("1110 1000 1101 nnnn (1)(1)(1)(1) (0)(0)(0)(0) 0000 mmmm", "TBB", Op::Tbb, "tbb%c %A")
        .form(Form::Reg).byte().unpredictable(&[rules::RN_SP, rules::RM]),
    row("1110 1000 1101 nnnn (1)(1)(1)(1) (0)(0)(0)(0) 0001 mmmm", "TBH", Op::Tbb, "tbh%c %A")
        .form(Form::Doubled).half().unpredictable(&[rules::RN_SP, rules::RM]),
];
