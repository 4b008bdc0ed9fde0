//! 16-bit loads and stores (ARMv7-M ARM A5.2.4, A5.2.5).

use super::row::{Form, Row, row};
use super::rules;
use crate::{Index, Op, Reg};

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    row("01001 ttt iiiiiiii", "LDR (literal) T1", Op::Ldr, "ldr%c %t, %A").form(Form::Offset(2)).rn(Reg::PC),
    // Base and index register.
    row("0101 000 mmm nnn ttt", "STR (register) T1", Op::Str, "str%c %t, %A").form(Form::Reg),
    row("0101 001 mmm nnn ttt", "STRH (register) T1", Op::Str, "strh%c %t, %A").form(Form::Reg).half(),
    row("0101 010 mmm nnn ttt", "STRB (register) T1", Op::Str, "strb%c %t, %A").form(Form::Reg).byte(),
    row("0101 011 mmm nnn ttt", "LDRSB (register) T1", Op::Ldr, "ldrsb%c %t, %A")
        .form(Form::Reg).byte().signed(),
    row("0101 100 mmm nnn ttt", "LDR (register) T1", Op::Ldr, "ldr%c %t, %A").form(Form::Reg),
    row("0101 101 mmm nnn ttt", "LDRH (register) T1", Op::Ldr, "ldrh%c %t, %A").form(Form::Reg).half(),
    row("0101 110 mmm nnn ttt", "LDRB (register) T1", Op::Ldr, "ldrb%c %t, %A").form(Form::Reg).byte(),
    row("0101 111 mmm nnn ttt", "LDRSH (register) T1", Op::Ldr, "ldrsh%c %t, %A")
        .form(Form::Reg).half().signed(),
    // Base and offset.
    row("0110 0 iiiii nnn ttt", "STR (immediate) T1", Op::Str, "str%c %t, %A").form(Form::Offset(2)),
    row("0110 1 iiiii nnn ttt", "LDR (immediate) T1", Op::Ldr, "ldr%c %t, %A").form(Form::Offset(2)),
    row("0111 0 iiiii nnn ttt", "STRB (immediate) T1", Op::Str, "strb%c %t, %A").form(Form::Offset(0)).byte(),
    row("0111 1 iiiii nnn ttt", "LDRB (immediate) T1", Op::Ldr, "ldrb%c %t, %A").form(Form::Offset(0)).byte(),
    row("1000 0 iiiii nnn ttt", "STRH (immediate) T1", Op::Str, "strh%c %t, %A").form(Form::Offset(1)).half(),
    row("1000 1 iiiii nnn ttt", "LDRH (immediate) T1", Op::Ldr, "ldrh%c %t, %A").form(Form::Offset(1)).half(),
    row("1001 0 ttt iiiiiiii", "STR (immediate) T2", Op::Str, "str%c %t, %A")
        .form(Form::Offset(2)).rn(Reg::SP),
    row("1001 1 ttt iiiiiiii", "LDR (immediate) T2", Op::Ldr, "ldr%c %t, %A")
        .form(Form::Offset(2)).rn(Reg::SP),
    // Several registers.
    row("1011 010 M rrrrrrrr", "PUSH T1", Op::Stm, "push%c %L")
        .form(Form::List).rn(Reg::SP).index(Index::Pre).writeback().unpredictable(&[rules::NO_REGISTER]),
    row("1011 110 P rrrrrrrr", "POP T1", Op::Ldm, "pop%c %L")
        .form(Form::List).rn(Reg::SP).index(Index::Post).writeback().unpredictable(&[rules::NO_REGISTER]),
    row("11000 nnn rrrrrrrr", "STM T1", Op::Stm, "stmia%c %n!, %L")
        .form(Form::List).index(Index::Post).writeback()
        .unpredictable(&[rules::NO_REGISTER, rules::BASE_NOT_LOWEST]),
    row("11001 nnn rrrrrrrr", "LDM T1", Op::Ldm, "ldmia%c %n%!, %L")
        .form(Form::ListUnlessBase).index(Index::Post).unpredictable(&[rules::NO_REGISTER]),
];
