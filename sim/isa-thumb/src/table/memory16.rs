//! 16-bit loads and stores (ARMv7-M ARM A5.2.4, A5.2.5).

use super::row::{Form, Row, row};
use super::rules;
use crate::{Index, Op, Reg};

pub(super) const ROWS: &[Row] = &[
    row("LDR (literal) T1", "01001 ttt iiiiiiii", Op::Ldr, "ldr%c %t, %A")
        .form(Form::Offset(2))
        .rn(Reg::PC),
    // Base and index register.
    row(
        "STR (register) T1",
        "0101 000 mmm nnn ttt",
        Op::Str,
        "str%c %t, %A",
    )
    .form(Form::Reg),
    row(
        "STRH (register) T1",
        "0101 001 mmm nnn ttt",
        Op::Str,
        "strh%c %t, %A",
    )
    .form(Form::Reg)
    .half(),
    row(
        "STRB (register) T1",
        "0101 010 mmm nnn ttt",
        Op::Str,
        "strb%c %t, %A",
    )
    .form(Form::Reg)
    .byte(),
    row(
        "LDRSB (register) T1",
        "0101 011 mmm nnn ttt",
        Op::Ldr,
        "ldrsb%c %t, %A",
    )
    .form(Form::Reg)
    .byte()
    .signed(),
    row(
        "LDR (register) T1",
        "0101 100 mmm nnn ttt",
        Op::Ldr,
        "ldr%c %t, %A",
    )
    .form(Form::Reg),
    row(
        "LDRH (register) T1",
        "0101 101 mmm nnn ttt",
        Op::Ldr,
        "ldrh%c %t, %A",
    )
    .form(Form::Reg)
    .half(),
    row(
        "LDRB (register) T1",
        "0101 110 mmm nnn ttt",
        Op::Ldr,
        "ldrb%c %t, %A",
    )
    .form(Form::Reg)
    .byte(),
    row(
        "LDRSH (register) T1",
        "0101 111 mmm nnn ttt",
        Op::Ldr,
        "ldrsh%c %t, %A",
    )
    .form(Form::Reg)
    .half()
    .signed(),
    // Base and offset.
    row(
        "STR (immediate) T1",
        "0110 0 iiiii nnn ttt",
        Op::Str,
        "str%c %t, %A",
    )
    .form(Form::Offset(2)),
    row(
        "LDR (immediate) T1",
        "0110 1 iiiii nnn ttt",
        Op::Ldr,
        "ldr%c %t, %A",
    )
    .form(Form::Offset(2)),
    row(
        "STRB (immediate) T1",
        "0111 0 iiiii nnn ttt",
        Op::Str,
        "strb%c %t, %A",
    )
    .form(Form::Offset(0))
    .byte(),
    row(
        "LDRB (immediate) T1",
        "0111 1 iiiii nnn ttt",
        Op::Ldr,
        "ldrb%c %t, %A",
    )
    .form(Form::Offset(0))
    .byte(),
    row(
        "STRH (immediate) T1",
        "1000 0 iiiii nnn ttt",
        Op::Str,
        "strh%c %t, %A",
    )
    .form(Form::Offset(1))
    .half(),
    row(
        "LDRH (immediate) T1",
        "1000 1 iiiii nnn ttt",
        Op::Ldr,
        "ldrh%c %t, %A",
    )
    .form(Form::Offset(1))
    .half(),
    row(
        "STR (immediate) T2",
        "1001 0 ttt iiiiiiii",
        Op::Str,
        "str%c %t, %A",
    )
    .form(Form::Offset(2))
    .rn(Reg::SP),
    row(
        "LDR (immediate) T2",
        "1001 1 ttt iiiiiiii",
        Op::Ldr,
        "ldr%c %t, %A",
    )
    .form(Form::Offset(2))
    .rn(Reg::SP),
    // Several registers.
    row("PUSH T1", "1011 010 M rrrrrrrr", Op::Stm, "push%c %L")
        .form(Form::List)
        .rn(Reg::SP)
        .index(Index::Pre)
        .writeback()
        .unpredictable(&[rules::NO_REGISTER]),
    row("POP T1", "1011 110 P rrrrrrrr", Op::Ldm, "pop%c %L")
        .form(Form::List)
        .rn(Reg::SP)
        .index(Index::Post)
        .writeback()
        .unpredictable(&[rules::NO_REGISTER]),
    row("STM T1", "11000 nnn rrrrrrrr", Op::Stm, "stmia%c %n!, %L")
        .form(Form::List)
        .index(Index::Post)
        .writeback()
        .unpredictable(&[rules::NO_REGISTER, rules::BASE_NOT_LOWEST]),
    row("LDM T1", "11001 nnn rrrrrrrr", Op::Ldm, "ldmia%c %n%!, %L")
        .form(Form::ListUnlessBase)
        .index(Index::Post)
        .unpredictable(&[rules::NO_REGISTER]),
];
