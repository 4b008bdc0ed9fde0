//! 32-bit loads and stores (ARMv7-M ARM A5.3.5 to A5.3.10).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{Index, Op, Reg};

pub(super) const ROWS: &[Row] = &[
    // Several registers.
    row(
        "STM T2",
        "1110 100 010 W 0 nnnn (0) M (0) r rrrr rrrr rrrr",
        Op::Stm,
        "stmia%c.w %n%!, %L",
    )
    .form(Form::List)
    .index(Index::Post)
    .unpredictable(&[rules::RN_PC, rules::FEWER_THAN_TWO, rules::BASE_IN_LIST]),
    row(
        "LDM T2, POP T2",
        "1110 100 010 W 1 nnnn P M (0) r rrrr rrrr rrrr",
        Op::Ldm,
        "ldmia%c.w %n%!, %L",
    )
    .form(Form::List)
    .index(Index::Post)
    .unpredictable(&[
        rules::RN_PC,
        rules::FEWER_THAN_TWO,
        rules::LR_AND_PC,
        rules::BASE_IN_LIST,
    ]),
    row(
        "STMDB, PUSH T2",
        "1110 100 100 W 0 nnnn (0) M (0) r rrrr rrrr rrrr",
        Op::Stm,
        "stmdb%c %n%!, %L",
    )
    .form(Form::List)
    .index(Index::Pre)
    .unpredictable(&[rules::RN_PC, rules::FEWER_THAN_TWO, rules::BASE_IN_LIST]),
    row(
        "LDMDB",
        "1110 100 100 W 1 nnnn P M (0) r rrrr rrrr rrrr",
        Op::Ldm,
        "ldmdb%c %n%!, %L",
    )
    .form(Form::List)
    .index(Index::Pre)
    .unpredictable(&[
        rules::RN_PC,
        rules::FEWER_THAN_TWO,
        rules::LR_AND_PC,
        rules::BASE_IN_LIST,
    ]),
    undefined(
        "SRS, RFE: not in this profile",
        "1110 100 000 -- ---- ---- ---- ---- ----",
    ),
    undefined(
        "SRS, RFE: not in this profile",
        "1110 100 110 -- ---- ---- ---- ---- ----",
    ),
    // Two registers.
    row(
        "STRD (immediate)",
        "1110 100 P U 1 W 0 nnnn tttt uuuu iiiiiiii",
        Op::Strd,
        "strd%c %t, %a, %A",
    )
    .form(Form::Indexed(2))
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::RN_PC, rules::RT, rules::RT2, rules::BASE_IS_DATA]),
    row(
        "LDRD (immediate), LDRD (literal)",
        "1110 100 P U 1 W 1 nnnn tttt uuuu iiiiiiii",
        Op::Ldrd,
        "ldrd%c %t, %a, %A",
    )
    .form(Form::Indexed(2))
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[
        rules::RT,
        rules::RT2,
        rules::SAME_DATA,
        rules::BASE_IS_DATA,
        rules::PC_WRITTEN_BACK,
    ]),
    // Exclusive.
    row(
        "STREX",
        "1110 1000 0100 nnnn tttt xxxx iiiiiiii",
        Op::Strex,
        "strex%c %m, %t, %A",
    )
    .form(Form::Offset(2))
    .unpredictable(&[rules::RN_PC, rules::RT, rules::STATUS, rules::STATUS_IS_OTHER]),
    row(
        "LDREX",
        "1110 1000 0101 nnnn tttt (1)(1)(1)(1) iiiiiiii",
        Op::Ldrex,
        "ldrex%c %t, %A",
    )
    .form(Form::Offset(2))
    .unpredictable(&[rules::RN_PC, rules::RT]),
    row(
        "STREXB",
        "1110 1000 1100 nnnn tttt (1)(1)(1)(1) 0100 xxxx",
        Op::Strex,
        "strexb%c %m, %t, %A",
    )
    .byte()
    .unpredictable(&[rules::RN_PC, rules::RT, rules::STATUS, rules::STATUS_IS_OTHER]),
    row(
        "LDREXB",
        "1110 1000 1101 nnnn tttt (1)(1)(1)(1) 0100 (1)(1)(1)(1)",
        Op::Ldrex,
        "ldrexb%c %t, %A",
    )
    .byte()
    .unpredictable(&[rules::RN_PC, rules::RT]),
    row(
        "STREXH",
        "1110 1000 1100 nnnn tttt (1)(1)(1)(1) 0101 xxxx",
        Op::Strex,
        "strexh%c %m, %t, %A",
    )
    .half()
    .unpredictable(&[rules::RN_PC, rules::RT, rules::STATUS, rules::STATUS_IS_OTHER]),
    row(
        "LDREXH",
        "1110 1000 1101 nnnn tttt (1)(1)(1)(1) 0101 (1)(1)(1)(1)",
        Op::Ldrex,
        "ldrexh%c %t, %A",
    )
    .half()
    .unpredictable(&[rules::RN_PC, rules::RT]),
    // Stores of one register.
    row(
        "STRB (immediate) T2",
        "1111 1000 1 00 0 nnnn tttt iiiiiiiiiiii",
        Op::Str,
        "strb%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .byte()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "STRB (immediate) T3",
        "1111 1000 0 00 0 nnnn tttt 1 P U W iiiiiiii",
        Op::Str,
        "strb%c.w %t, %A",
    )
    .form(Form::Indexed(0))
    .byte()
    .except(&[('n', 15)])
    .except(&[('P', 1), ('U', 1), ('W', 0)])
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::RT, rules::BASE_IS_DATA]),
    row(
        "STRBT",
        "1111 1000 0 00 0 nnnn tttt 1110 iiiiiiii",
        Op::Str,
        "strbt%c %t, %A",
    )
    .form(Form::Offset(0))
    .byte()
    .unprivileged()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "STRB (register) T2",
        "1111 1000 0 00 0 nnnn tttt 000000 ii mmmm",
        Op::Str,
        "strb%c.w %t, %A",
    )
    .form(Form::Reg)
    .byte()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT, rules::RM]),
    row(
        "STRH (immediate) T2",
        "1111 1000 1 01 0 nnnn tttt iiiiiiiiiiii",
        Op::Str,
        "strh%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .half()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "STRH (immediate) T3",
        "1111 1000 0 01 0 nnnn tttt 1 P U W iiiiiiii",
        Op::Str,
        "strh%c.w %t, %A",
    )
    .form(Form::Indexed(0))
    .half()
    .except(&[('n', 15)])
    .except(&[('P', 1), ('U', 1), ('W', 0)])
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::RT, rules::BASE_IS_DATA]),
    row(
        "STRHT",
        "1111 1000 0 01 0 nnnn tttt 1110 iiiiiiii",
        Op::Str,
        "strht%c %t, %A",
    )
    .form(Form::Offset(0))
    .half()
    .unprivileged()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "STRH (register) T2",
        "1111 1000 0 01 0 nnnn tttt 000000 ii mmmm",
        Op::Str,
        "strh%c.w %t, %A",
    )
    .form(Form::Reg)
    .half()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT, rules::RM]),
    row(
        "STR (immediate) T3",
        "1111 1000 1 10 0 nnnn tttt iiiiiiiiiiii",
        Op::Str,
        "str%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT_PC]),
    row(
        "STR (immediate) T4, PUSH T3",
        "1111 1000 0 10 0 nnnn tttt 1 P U W iiiiiiii",
        Op::Str,
        "str%c.w %t, %A",
    )
    .form(Form::Indexed(0))
    .except(&[('n', 15)])
    .except(&[('P', 1), ('U', 1), ('W', 0)])
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::RT_PC, rules::BASE_IS_DATA]),
    row(
        "STRT",
        "1111 1000 0 10 0 nnnn tttt 1110 iiiiiiii",
        Op::Str,
        "strt%c %t, %A",
    )
    .form(Form::Offset(0))
    .unprivileged()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "STR (register) T2",
        "1111 1000 0 10 0 nnnn tttt 000000 ii mmmm",
        Op::Str,
        "str%c.w %t, %A",
    )
    .form(Form::Reg)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT_PC, rules::RM]),
    // Loads of one register. Rt = 15 is a hint unless a word is loaded.
    row(
        "LDRB (literal)",
        "1111 100 0 U 00 1 1111 tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldrb%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .rn(Reg::PC)
    .byte()
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP]),
    row(
        "LDRB (immediate) T2",
        "1111 100 0 1 00 1 nnnn tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldrb%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .byte()
    .except(&[('n', 15)])
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP]),
    row(
        "LDRB (immediate) T3",
        "1111 100 0 0 00 1 nnnn tttt 1 P U W iiiiiiii",
        Op::Ldr,
        "ldrb%c.w %t, %A",
    )
    .form(Form::Indexed(0))
    .byte()
    .except(&[('n', 15)])
    .except(&[('t', 15), ('P', 1), ('U', 0), ('W', 0)])
    .except(&[('P', 1), ('U', 1), ('W', 0)])
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::RT_SP, rules::RT_PC, rules::BASE_IS_DATA]),
    row(
        "LDRBT",
        "1111 100 0 0 00 1 nnnn tttt 1110 iiiiiiii",
        Op::Ldr,
        "ldrbt%c %t, %A",
    )
    .form(Form::Offset(0))
    .byte()
    .unprivileged()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "LDRB (register) T2",
        "1111 100 0 0 00 1 nnnn tttt 000000 ii mmmm",
        Op::Ldr,
        "ldrb%c.w %t, %A",
    )
    .form(Form::Reg)
    .byte()
    .except(&[('n', 15)])
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP, rules::RM]),
    row(
        "LDRH (literal)",
        "1111 100 0 U 01 1 1111 tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldrh%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .rn(Reg::PC)
    .half()
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP]),
    row(
        "LDRH (immediate) T2",
        "1111 100 0 1 01 1 nnnn tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldrh%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .half()
    .except(&[('n', 15)])
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP]),
    row(
        "LDRH (immediate) T3",
        "1111 100 0 0 01 1 nnnn tttt 1 P U W iiiiiiii",
        Op::Ldr,
        "ldrh%c.w %t, %A",
    )
    .form(Form::Indexed(0))
    .half()
    .except(&[('n', 15)])
    .except(&[('t', 15), ('P', 1), ('U', 0), ('W', 0)])
    .except(&[('P', 1), ('U', 1), ('W', 0)])
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::RT_SP, rules::RT_PC, rules::BASE_IS_DATA]),
    row(
        "LDRHT",
        "1111 100 0 0 01 1 nnnn tttt 1110 iiiiiiii",
        Op::Ldr,
        "ldrht%c %t, %A",
    )
    .form(Form::Offset(0))
    .half()
    .unprivileged()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "LDRH (register) T2",
        "1111 100 0 0 01 1 nnnn tttt 000000 ii mmmm",
        Op::Ldr,
        "ldrh%c.w %t, %A",
    )
    .form(Form::Reg)
    .half()
    .except(&[('n', 15)])
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP, rules::RM]),
    row(
        "LDRSB (literal)",
        "1111 100 1 U 00 1 1111 tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldrsb%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .rn(Reg::PC)
    .byte()
    .signed()
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP]),
    row(
        "LDRSB (immediate) T1",
        "1111 100 1 1 00 1 nnnn tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldrsb%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .byte()
    .signed()
    .except(&[('n', 15)])
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP]),
    row(
        "LDRSB (immediate) T2",
        "1111 100 1 0 00 1 nnnn tttt 1 P U W iiiiiiii",
        Op::Ldr,
        "ldrsb%c.w %t, %A",
    )
    .form(Form::Indexed(0))
    .byte()
    .signed()
    .except(&[('n', 15)])
    .except(&[('t', 15), ('P', 1), ('U', 0), ('W', 0)])
    .except(&[('P', 1), ('U', 1), ('W', 0)])
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::RT_SP, rules::RT_PC, rules::BASE_IS_DATA]),
    row(
        "LDRSBT",
        "1111 100 1 0 00 1 nnnn tttt 1110 iiiiiiii",
        Op::Ldr,
        "ldrsbt%c %t, %A",
    )
    .form(Form::Offset(0))
    .byte()
    .signed()
    .unprivileged()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "LDRSB (register) T2",
        "1111 100 1 0 00 1 nnnn tttt 000000 ii mmmm",
        Op::Ldr,
        "ldrsb%c.w %t, %A",
    )
    .form(Form::Reg)
    .byte()
    .signed()
    .except(&[('n', 15)])
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP, rules::RM]),
    row(
        "LDRSH (literal)",
        "1111 100 1 U 01 1 1111 tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldrsh%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .rn(Reg::PC)
    .half()
    .signed()
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP]),
    row(
        "LDRSH (immediate) T1",
        "1111 100 1 1 01 1 nnnn tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldrsh%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .half()
    .signed()
    .except(&[('n', 15)])
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP]),
    row(
        "LDRSH (immediate) T2",
        "1111 100 1 0 01 1 nnnn tttt 1 P U W iiiiiiii",
        Op::Ldr,
        "ldrsh%c.w %t, %A",
    )
    .form(Form::Indexed(0))
    .half()
    .signed()
    .except(&[('n', 15)])
    .except(&[('t', 15), ('P', 1), ('U', 0), ('W', 0)])
    .except(&[('P', 1), ('U', 1), ('W', 0)])
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::RT_SP, rules::RT_PC, rules::BASE_IS_DATA]),
    row(
        "LDRSHT",
        "1111 100 1 0 01 1 nnnn tttt 1110 iiiiiiii",
        Op::Ldr,
        "ldrsht%c %t, %A",
    )
    .form(Form::Offset(0))
    .half()
    .signed()
    .unprivileged()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "LDRSH (register) T2",
        "1111 100 1 0 01 1 nnnn tttt 000000 ii mmmm",
        Op::Ldr,
        "ldrsh%c.w %t, %A",
    )
    .form(Form::Reg)
    .half()
    .signed()
    .except(&[('n', 15)])
    .except(&[('t', 15)])
    .unpredictable(&[rules::RT_SP, rules::RM]),
    row(
        "LDR (literal) T2",
        "1111 100 0 U 10 1 1111 tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldr%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .rn(Reg::PC),
    row(
        "LDR (immediate) T3",
        "1111 100 0 1 10 1 nnnn tttt iiiiiiiiiiii",
        Op::Ldr,
        "ldr%c.w %t, %A",
    )
    .form(Form::Offset(0))
    .except(&[('n', 15)]),
    row(
        "LDR (immediate) T4, POP T3",
        "1111 100 0 0 10 1 nnnn tttt 1 P U W iiiiiiii",
        Op::Ldr,
        "ldr%c.w %t, %A",
    )
    .form(Form::Indexed(0))
    .except(&[('n', 15)])
    .except(&[('P', 1), ('U', 1), ('W', 0)])
    .except(&[('P', 0), ('W', 0)])
    .unpredictable(&[rules::BASE_IS_DATA]),
    row(
        "LDRT",
        "1111 100 0 0 10 1 nnnn tttt 1110 iiiiiiii",
        Op::Ldr,
        "ldrt%c %t, %A",
    )
    .form(Form::Offset(0))
    .unprivileged()
    .except(&[('n', 15)])
    .unpredictable(&[rules::RT]),
    row(
        "LDR (register) T2",
        "1111 100 0 0 10 1 nnnn tttt 000000 ii mmmm",
        Op::Ldr,
        "ldr%c.w %t, %A",
    )
    .form(Form::Reg)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RM]),
    // Memory hints.
    row(
        "PLD (literal)",
        "1111 100 0 U 00 1 1111 1111 iiiiiiiiiiii",
        Op::Pld,
        "pld%c %A",
    )
    .byte()
    .form(Form::Offset(0))
    .rn(Reg::PC),
    row(
        "PLD (immediate)",
        "1111 100 0 1 00 1 nnnn 1111 iiiiiiiiiiii",
        Op::Pld,
        "pld%c %A",
    )
    .byte()
    .form(Form::Offset(0))
    .except(&[('n', 15)]),
    row(
        "PLD (negative immediate)",
        "1111 100 0 0 00 1 nnnn 1111 1100 iiiiiiii",
        Op::Pld,
        "pld%c %A",
    )
    .byte()
    .form(Form::Negative)
    .except(&[('n', 15)]),
    row(
        "PLD (register)",
        "1111 100 0 0 00 1 nnnn 1111 000000 ii mmmm",
        Op::Pld,
        "pld%c %A",
    )
    .byte()
    .form(Form::Reg)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RM]),
    row(
        "PLI (literal)",
        "1111 100 1 U 00 1 1111 1111 iiiiiiiiiiii",
        Op::Pld,
        "pli%c %A",
    )
    .byte()
    .form(Form::Offset(0))
    .rn(Reg::PC),
    row(
        "PLI (immediate)",
        "1111 100 1 1 00 1 nnnn 1111 iiiiiiiiiiii",
        Op::Pld,
        "pli%c %A",
    )
    .byte()
    .form(Form::Offset(0))
    .except(&[('n', 15)]),
    row(
        "PLI (negative immediate)",
        "1111 100 1 0 00 1 nnnn 1111 1100 iiiiiiii",
        Op::Pld,
        "pli%c %A",
    )
    .byte()
    .form(Form::Negative)
    .except(&[('n', 15)]),
    row(
        "PLI (register)",
        "1111 100 1 0 00 1 nnnn 1111 000000 ii mmmm",
        Op::Pld,
        "pli%c %A",
    )
    .byte()
    .form(Form::Reg)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RM]),
    row(
        "unallocated memory hint (literal)",
        "1111 100 0 U 01 1 1111 1111 iiiiiiiiiiii",
        Op::Pld,
        "pldw%c %A",
    )
    .half()
    .form(Form::Offset(0))
    .rn(Reg::PC),
    row(
        "unallocated memory hint (immediate)",
        "1111 100 0 1 01 1 nnnn 1111 iiiiiiiiiiii",
        Op::Pld,
        "pldw%c %A",
    )
    .half()
    .form(Form::Offset(0))
    .except(&[('n', 15)]),
    row(
        "unallocated memory hint (negative immediate)",
        "1111 100 0 0 01 1 nnnn 1111 1100 iiiiiiii",
        Op::Pld,
        "pldw%c %A",
    )
    .half()
    .form(Form::Negative)
    .except(&[('n', 15)]),
    row(
        "unallocated memory hint (register)",
        "1111 100 0 0 01 1 nnnn 1111 000000 ii mmmm",
        Op::Pld,
        "pldw%c %A",
    )
    .half()
    .form(Form::Reg)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RM]),
    row(
        "unallocated memory hint (literal)",
        "1111 100 1 U 01 1 1111 1111 iiiiiiiiiiii",
        Op::Pld,
        "ldrsh%c.w pc, %A",
    )
    .half()
    .form(Form::Offset(0))
    .rn(Reg::PC),
    row(
        "unallocated memory hint (immediate)",
        "1111 100 1 1 01 1 nnnn 1111 iiiiiiiiiiii",
        Op::Pld,
        "ldrsh%c.w pc, %A",
    )
    .half()
    .form(Form::Offset(0))
    .except(&[('n', 15)]),
    row(
        "unallocated memory hint (negative immediate)",
        "1111 100 1 0 01 1 nnnn 1111 1100 iiiiiiii",
        Op::Pld,
        "ldrsh%c.w pc, %A",
    )
    .half()
    .form(Form::Negative)
    .except(&[('n', 15)]),
    row(
        "unallocated memory hint (register)",
        "1111 100 1 0 01 1 nnnn 1111 000000 ii mmmm",
        Op::Pld,
        "ldrsh%c.w pc, %A",
    )
    .half()
    .form(Form::Reg)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RM]),
    undefined(
        "load-acquire, store-release: not in this profile",
        "1110 1000 110 - ---- ---- ---- 1 --- ----",
    ),
    undefined(
        "exclusive: reserved operation",
        "1110 1000 110 - ---- ---- ---- 001 - ----",
    ),
    undefined(
        "exclusive: reserved operation",
        "1110 1000 1100 ---- ---- ---- 000 - ----",
    ),
    undefined(
        "LDREXD, STREXD: not in this profile",
        "1110 1000 110 - ---- ---- ---- 011 - ----",
    ),
    undefined(
        "a store relative to PC",
        "1111 1000 - oo 0 1111 ---- ---- ---- ----",
    )
    .except(&[('o', 3)]),
    undefined(
        "single store: reserved addressing mode",
        "1111 1000 0 oo 0 nnnn ---- 0 pp ppp ------",
    )
    .except(&[('o', 3)])
    .except(&[('n', 15)])
    .except(&[('p', 0)]),
    undefined(
        "single store: neither pre-indexed nor written back",
        "1111 1000 0 oo 0 nnnn ---- 10-0 --------",
    )
    .except(&[('o', 3)])
    .except(&[('n', 15)]),
    undefined(
        "single load: reserved addressing mode",
        "1111 100 - 0 0 - 1 nnnn ---- 0 pp ppp ------",
    )
    .except(&[('n', 15)])
    .except(&[('p', 0)]),
    undefined(
        "single load: neither pre-indexed nor written back",
        "1111 100 - 0 0 - 1 nnnn ---- 10-0 --------",
    )
    .except(&[('n', 15)]),
    undefined(
        "single load: reserved addressing mode",
        "1111 1000 0 10 1 nnnn ---- 0 pp ppp ------",
    )
    .except(&[('n', 15)])
    .except(&[('p', 0)]),
    undefined(
        "single load: neither pre-indexed nor written back",
        "1111 1000 0 10 1 nnnn ---- 10-0 --------",
    )
    .except(&[('n', 15)]),
    undefined(
        "a signed load of a word",
        "1111 1001 - 10 1 ---- ---- ---- ---- ----",
    ),
    undefined(
        "loads and stores: reserved size",
        "1111 100 - - 11 1 ---- ---- ---- ---- ----",
    ),
    undefined(
        "loads and stores: reserved size",
        "1111 1000 - 11 0 ---- ---- ---- ---- ----",
    ),
    undefined(
        "Advanced SIMD: not in this profile",
        "1111 1001 - -- 0 ---- ---- ---- ---- ----",
    ),
];
