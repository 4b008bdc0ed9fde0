//! 32-bit loads and stores (ARMv7-M ARM A5.3.5 to A5.3.10).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{Index, Op, Reg};

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    // Several registers.
    row("1110 100 010 W 0 nnnn (0) M (0) r rrrr rrrr rrrr", "STM T2", Op::Stm, "stmia%c.w %n%!, %L")
        .form(Form::List).index(Index::Post)
        .unpredictable(&[rules::RN_PC, rules::FEWER_THAN_TWO, rules::BASE_IN_LIST]),
    row("1110 100 010 W 1 nnnn P M (0) r rrrr rrrr rrrr", "LDM T2, POP T2", Op::Ldm, "ldmia%c.w %n%!, %L")
        .form(Form::List).index(Index::Post)
        .unpredictable(&[rules::RN_PC, rules::FEWER_THAN_TWO, rules::LR_AND_PC, rules::BASE_IN_LIST]),
    row("1110 100 100 W 0 nnnn (0) M (0) r rrrr rrrr rrrr", "STMDB, PUSH T2", Op::Stm, "stmdb%c %n%!, %L")
        .form(Form::List).index(Index::Pre)
        .unpredictable(&[rules::RN_PC, rules::FEWER_THAN_TWO, rules::BASE_IN_LIST]),
    row("1110 100 100 W 1 nnnn P M (0) r rrrr rrrr rrrr", "LDMDB", Op::Ldm, "ldmdb%c %n%!, %L")
        .form(Form::List).index(Index::Pre)
        .unpredictable(&[rules::RN_PC, rules::FEWER_THAN_TWO, rules::LR_AND_PC, rules::BASE_IN_LIST]),
    undefined("1110 100 000 -- ---- ---- ---- ---- ----", "SRS, RFE: not in this profile"),
    undefined("1110 100 110 -- ---- ---- ---- ---- ----", "SRS, RFE: not in this profile"),
    // Two registers.
    row("1110 100 P U 1 W 0 nnnn tttt uuuu iiiiiiii", "STRD (immediate)", Op::Strd, "strd%c %t, %a, %A")
        .form(Form::Indexed(2)).except(&[('P', 0), ('W', 0)])
        .unpredictable(&[rules::RN_PC, rules::RT, rules::RT2, rules::BASE_IS_DATA]),
    row("1110 100 P U 1 W 1 nnnn tttt uuuu iiiiiiii", "LDRD (immediate), LDRD (literal)", Op::Ldrd, "ldrd%c %t, %a, %A")
        .form(Form::Indexed(2)).except(&[('P', 0), ('W', 0)])
        .unpredictable(&[rules::RT, rules::RT2, rules::SAME_DATA, rules::BASE_IS_DATA, rules::PC_WRITTEN_BACK]),
    // Exclusive.
    row("1110 1000 0100 nnnn tttt xxxx iiiiiiii", "STREX", Op::Strex, "strex%c %m, %t, %A")
        .form(Form::Offset(2)).unpredictable(&[rules::RN_PC, rules::RT, rules::STATUS, rules::STATUS_IS_OTHER]),
    row("1110 1000 0101 nnnn tttt (1)(1)(1)(1) iiiiiiii", "LDREX", Op::Ldrex, "ldrex%c %t, %A")
        .form(Form::Offset(2)).unpredictable(&[rules::RN_PC, rules::RT]),
    row("1110 1000 1100 nnnn tttt (1)(1)(1)(1) 0100 xxxx", "STREXB", Op::Strex, "strexb%c %m, %t, %A")
        .byte().unpredictable(&[rules::RN_PC, rules::RT, rules::STATUS, rules::STATUS_IS_OTHER]),
    row("1110 1000 1101 nnnn tttt (1)(1)(1)(1) 0100 (1)(1)(1)(1)", "LDREXB", Op::Ldrex, "ldrexb%c %t, %A")
        .byte().unpredictable(&[rules::RN_PC, rules::RT]),
    row("1110 1000 1100 nnnn tttt (1)(1)(1)(1) 0101 xxxx", "STREXH", Op::Strex, "strexh%c %m, %t, %A")
        .half().unpredictable(&[rules::RN_PC, rules::RT, rules::STATUS, rules::STATUS_IS_OTHER]),
    row("1110 1000 1101 nnnn tttt (1)(1)(1)(1) 0101 (1)(1)(1)(1)", "LDREXH", Op::Ldrex, "ldrexh%c %t, %A")
        .half().unpredictable(&[rules::RN_PC, rules::RT]),
    // Stores of one register.
    row("1111 1000 1 00 0 nnnn tttt iiiiiiiiiiii", "STRB (immediate) T2", Op::Str, "strb%c.w %t, %A")
        .form(Form::Offset(0)).byte().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 1000 0 00 0 nnnn tttt 1 P U W iiiiiiii", "STRB (immediate) T3", Op::Str, "strb%c.w %t, %A")
        .form(Form::Indexed(0)).byte().except(&[('n', 15)]).except(&[('P', 1), ('U', 1), ('W', 0)])
        .except(&[('P', 0), ('W', 0)]).unpredictable(&[rules::RT, rules::BASE_IS_DATA]),
    row("1111 1000 0 00 0 nnnn tttt 1110 iiiiiiii", "STRBT", Op::Str, "strbt%c %t, %A")
        .form(Form::Offset(0)).byte().unprivileged().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 1000 0 00 0 nnnn tttt 000000 ii mmmm", "STRB (register) T2", Op::Str, "strb%c.w %t, %A")
        .form(Form::Reg).byte().except(&[('n', 15)]).unpredictable(&[rules::RT, rules::RM]),
    row("1111 1000 1 01 0 nnnn tttt iiiiiiiiiiii", "STRH (immediate) T2", Op::Str, "strh%c.w %t, %A")
        .form(Form::Offset(0)).half().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 1000 0 01 0 nnnn tttt 1 P U W iiiiiiii", "STRH (immediate) T3", Op::Str, "strh%c.w %t, %A")
        .form(Form::Indexed(0)).half().except(&[('n', 15)]).except(&[('P', 1), ('U', 1), ('W', 0)])
        .except(&[('P', 0), ('W', 0)]).unpredictable(&[rules::RT, rules::BASE_IS_DATA]),
    row("1111 1000 0 01 0 nnnn tttt 1110 iiiiiiii", "STRHT", Op::Str, "strht%c %t, %A")
        .form(Form::Offset(0)).half().unprivileged().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 1000 0 01 0 nnnn tttt 000000 ii mmmm", "STRH (register) T2", Op::Str, "strh%c.w %t, %A")
        .form(Form::Reg).half().except(&[('n', 15)]).unpredictable(&[rules::RT, rules::RM]),
    row("1111 1000 1 10 0 nnnn tttt iiiiiiiiiiii", "STR (immediate) T3", Op::Str, "str%c.w %t, %A")
        .form(Form::Offset(0)).except(&[('n', 15)]).unpredictable(&[rules::RT_PC]),
    row("1111 1000 0 10 0 nnnn tttt 1 P U W iiiiiiii", "STR (immediate) T4, PUSH T3", Op::Str, "str%c.w %t, %A")
        .form(Form::Indexed(0)).except(&[('n', 15)]).except(&[('P', 1), ('U', 1), ('W', 0)])
        .except(&[('P', 0), ('W', 0)]).unpredictable(&[rules::RT_PC, rules::BASE_IS_DATA]),
    row("1111 1000 0 10 0 nnnn tttt 1110 iiiiiiii", "STRT", Op::Str, "strt%c %t, %A")
        .form(Form::Offset(0)).unprivileged().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 1000 0 10 0 nnnn tttt 000000 ii mmmm", "STR (register) T2", Op::Str, "str%c.w %t, %A")
        .form(Form::Reg).except(&[('n', 15)]).unpredictable(&[rules::RT_PC, rules::RM]),
    // Loads of one register. Rt = 15 is a hint unless a word is loaded.
    row("1111 100 0 U 00 1 1111 tttt iiiiiiiiiiii", "LDRB (literal)", Op::Ldr, "ldrb%c.w %t, %A")
        .form(Form::Offset(0)).rn(Reg::PC).byte().except(&[('t', 15)]).unpredictable(&[rules::RT_SP]),
    row("1111 100 0 1 00 1 nnnn tttt iiiiiiiiiiii", "LDRB (immediate) T2", Op::Ldr, "ldrb%c.w %t, %A")
        .form(Form::Offset(0)).byte().except(&[('n', 15)]).except(&[('t', 15)]).unpredictable(&[rules::RT_SP]),
    row("1111 100 0 0 00 1 nnnn tttt 1 P U W iiiiiiii", "LDRB (immediate) T3", Op::Ldr, "ldrb%c.w %t, %A")
        .form(Form::Indexed(0)).byte().except(&[('n', 15)]).except(&[('t', 15), ('P', 1), ('U', 0), ('W', 0)])
        .except(&[('P', 1), ('U', 1), ('W', 0)]).except(&[('P', 0), ('W', 0)])
        .unpredictable(&[rules::RT_SP, rules::RT_PC, rules::BASE_IS_DATA]),
    row("1111 100 0 0 00 1 nnnn tttt 1110 iiiiiiii", "LDRBT", Op::Ldr, "ldrbt%c %t, %A")
        .form(Form::Offset(0)).byte().unprivileged().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 100 0 0 00 1 nnnn tttt 000000 ii mmmm", "LDRB (register) T2", Op::Ldr, "ldrb%c.w %t, %A")
        .form(Form::Reg).byte().except(&[('n', 15)]).except(&[('t', 15)])
        .unpredictable(&[rules::RT_SP, rules::RM]),
    row("1111 100 0 U 01 1 1111 tttt iiiiiiiiiiii", "LDRH (literal)", Op::Ldr, "ldrh%c.w %t, %A")
        .form(Form::Offset(0)).rn(Reg::PC).half().except(&[('t', 15)]).unpredictable(&[rules::RT_SP]),
    row("1111 100 0 1 01 1 nnnn tttt iiiiiiiiiiii", "LDRH (immediate) T2", Op::Ldr, "ldrh%c.w %t, %A")
        .form(Form::Offset(0)).half().except(&[('n', 15)]).except(&[('t', 15)]).unpredictable(&[rules::RT_SP]),
    row("1111 100 0 0 01 1 nnnn tttt 1 P U W iiiiiiii", "LDRH (immediate) T3", Op::Ldr, "ldrh%c.w %t, %A")
        .form(Form::Indexed(0)).half().except(&[('n', 15)]).except(&[('t', 15), ('P', 1), ('U', 0), ('W', 0)])
        .except(&[('P', 1), ('U', 1), ('W', 0)]).except(&[('P', 0), ('W', 0)])
        .unpredictable(&[rules::RT_SP, rules::RT_PC, rules::BASE_IS_DATA]),
    row("1111 100 0 0 01 1 nnnn tttt 1110 iiiiiiii", "LDRHT", Op::Ldr, "ldrht%c %t, %A")
        .form(Form::Offset(0)).half().unprivileged().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 100 0 0 01 1 nnnn tttt 000000 ii mmmm", "LDRH (register) T2", Op::Ldr, "ldrh%c.w %t, %A")
        .form(Form::Reg).half().except(&[('n', 15)]).except(&[('t', 15)])
        .unpredictable(&[rules::RT_SP, rules::RM]),
    row("1111 100 1 U 00 1 1111 tttt iiiiiiiiiiii", "LDRSB (literal)", Op::Ldr, "ldrsb%c.w %t, %A")
        .form(Form::Offset(0)).rn(Reg::PC).byte().signed().except(&[('t', 15)]).unpredictable(&[rules::RT_SP]),
    row("1111 100 1 1 00 1 nnnn tttt iiiiiiiiiiii", "LDRSB (immediate) T1", Op::Ldr, "ldrsb%c.w %t, %A")
        .form(Form::Offset(0)).byte().signed().except(&[('n', 15)]).except(&[('t', 15)])
        .unpredictable(&[rules::RT_SP]),
    row("1111 100 1 0 00 1 nnnn tttt 1 P U W iiiiiiii", "LDRSB (immediate) T2", Op::Ldr, "ldrsb%c.w %t, %A")
        .form(Form::Indexed(0)).byte().signed().except(&[('n', 15)])
        .except(&[('t', 15), ('P', 1), ('U', 0), ('W', 0)]).except(&[('P', 1), ('U', 1), ('W', 0)])
        .except(&[('P', 0), ('W', 0)]).unpredictable(&[rules::RT_SP, rules::RT_PC, rules::BASE_IS_DATA]),
    row("1111 100 1 0 00 1 nnnn tttt 1110 iiiiiiii", "LDRSBT", Op::Ldr, "ldrsbt%c %t, %A")
        .form(Form::Offset(0)).byte().signed().unprivileged().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 100 1 0 00 1 nnnn tttt 000000 ii mmmm", "LDRSB (register) T2", Op::Ldr, "ldrsb%c.w %t, %A")
        .form(Form::Reg).byte().signed().except(&[('n', 15)]).except(&[('t', 15)])
        .unpredictable(&[rules::RT_SP, rules::RM]),
    row("1111 100 1 U 01 1 1111 tttt iiiiiiiiiiii", "LDRSH (literal)", Op::Ldr, "ldrsh%c.w %t, %A")
        .form(Form::Offset(0)).rn(Reg::PC).half().signed().except(&[('t', 15)]).unpredictable(&[rules::RT_SP]),
    row("1111 100 1 1 01 1 nnnn tttt iiiiiiiiiiii", "LDRSH (immediate) T1", Op::Ldr, "ldrsh%c.w %t, %A")
        .form(Form::Offset(0)).half().signed().except(&[('n', 15)]).except(&[('t', 15)])
        .unpredictable(&[rules::RT_SP]),
    row("1111 100 1 0 01 1 nnnn tttt 1 P U W iiiiiiii", "LDRSH (immediate) T2", Op::Ldr, "ldrsh%c.w %t, %A")
        .form(Form::Indexed(0)).half().signed().except(&[('n', 15)])
        .except(&[('t', 15), ('P', 1), ('U', 0), ('W', 0)]).except(&[('P', 1), ('U', 1), ('W', 0)])
        .except(&[('P', 0), ('W', 0)]).unpredictable(&[rules::RT_SP, rules::RT_PC, rules::BASE_IS_DATA]),
    row("1111 100 1 0 01 1 nnnn tttt 1110 iiiiiiii", "LDRSHT", Op::Ldr, "ldrsht%c %t, %A")
        .form(Form::Offset(0)).half().signed().unprivileged().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 100 1 0 01 1 nnnn tttt 000000 ii mmmm", "LDRSH (register) T2", Op::Ldr, "ldrsh%c.w %t, %A")
        .form(Form::Reg).half().signed().except(&[('n', 15)]).except(&[('t', 15)])
        .unpredictable(&[rules::RT_SP, rules::RM]),
    row("1111 100 0 U 10 1 1111 tttt iiiiiiiiiiii", "LDR (literal) T2", Op::Ldr, "ldr%c.w %t, %A")
        .form(Form::Offset(0)).rn(Reg::PC),
    row("1111 100 0 1 10 1 nnnn tttt iiiiiiiiiiii", "LDR (immediate) T3", Op::Ldr, "ldr%c.w %t, %A")
        .form(Form::Offset(0)).except(&[('n', 15)]),
    row("1111 100 0 0 10 1 nnnn tttt 1 P U W iiiiiiii", "LDR (immediate) T4, POP T3", Op::Ldr, "ldr%c.w %t, %A")
        .form(Form::Indexed(0)).except(&[('n', 15)]).except(&[('P', 1), ('U', 1), ('W', 0)])
        .except(&[('P', 0), ('W', 0)]).unpredictable(&[rules::BASE_IS_DATA]),
    row("1111 100 0 0 10 1 nnnn tttt 1110 iiiiiiii", "LDRT", Op::Ldr, "ldrt%c %t, %A")
        .form(Form::Offset(0)).unprivileged().except(&[('n', 15)]).unpredictable(&[rules::RT]),
    row("1111 100 0 0 10 1 nnnn tttt 000000 ii mmmm", "LDR (register) T2", Op::Ldr, "ldr%c.w %t, %A")
        .form(Form::Reg).except(&[('n', 15)]).unpredictable(&[rules::RM]),
    // Memory hints.
    row("1111 100 0 U 00 1 1111 1111 iiiiiiiiiiii", "PLD (literal)", Op::Pld, "pld%c %A")
        .byte().form(Form::Offset(0)).rn(Reg::PC),
    row("1111 100 0 1 00 1 nnnn 1111 iiiiiiiiiiii", "PLD (immediate)", Op::Pld, "pld%c %A")
        .byte().form(Form::Offset(0)).except(&[('n', 15)]),
    row("1111 100 0 0 00 1 nnnn 1111 1100 iiiiiiii", "PLD (negative immediate)", Op::Pld, "pld%c %A")
        .byte().form(Form::Negative).except(&[('n', 15)]),
    row("1111 100 0 0 00 1 nnnn 1111 000000 ii mmmm", "PLD (register)", Op::Pld, "pld%c %A")
        .byte().form(Form::Reg).except(&[('n', 15)]).unpredictable(&[rules::RM]),
    row("1111 100 1 U 00 1 1111 1111 iiiiiiiiiiii", "PLI (literal)", Op::Pld, "pli%c %A")
        .byte().form(Form::Offset(0)).rn(Reg::PC),
    row("1111 100 1 1 00 1 nnnn 1111 iiiiiiiiiiii", "PLI (immediate)", Op::Pld, "pli%c %A")
        .byte().form(Form::Offset(0)).except(&[('n', 15)]),
    row("1111 100 1 0 00 1 nnnn 1111 1100 iiiiiiii", "PLI (negative immediate)", Op::Pld, "pli%c %A")
        .byte().form(Form::Negative).except(&[('n', 15)]),
    row("1111 100 1 0 00 1 nnnn 1111 000000 ii mmmm", "PLI (register)", Op::Pld, "pli%c %A")
        .byte().form(Form::Reg).except(&[('n', 15)]).unpredictable(&[rules::RM]),
    row("1111 100 0 U 01 1 1111 1111 iiiiiiiiiiii", "unallocated memory hint (literal)", Op::Pld, "pldw%c %A")
        .half().form(Form::Offset(0)).rn(Reg::PC),
    row("1111 100 0 1 01 1 nnnn 1111 iiiiiiiiiiii", "unallocated memory hint (immediate)", Op::Pld, "pldw%c %A")
        .half().form(Form::Offset(0)).except(&[('n', 15)]),
    row("1111 100 0 0 01 1 nnnn 1111 1100 iiiiiiii", "unallocated memory hint (negative immediate)", Op::Pld, "pldw%c %A")
        .half().form(Form::Negative).except(&[('n', 15)]),
    row("1111 100 0 0 01 1 nnnn 1111 000000 ii mmmm", "unallocated memory hint (register)", Op::Pld, "pldw%c %A")
        .half().form(Form::Reg).except(&[('n', 15)]).unpredictable(&[rules::RM]),
    row("1111 100 1 U 01 1 1111 1111 iiiiiiiiiiii", "unallocated memory hint (literal)", Op::Pld, "ldrsh%c.w pc, %A")
        .half().form(Form::Offset(0)).rn(Reg::PC),
    row("1111 100 1 1 01 1 nnnn 1111 iiiiiiiiiiii", "unallocated memory hint (immediate)", Op::Pld, "ldrsh%c.w pc, %A")
        .half().form(Form::Offset(0)).except(&[('n', 15)]),
    row("1111 100 1 0 01 1 nnnn 1111 1100 iiiiiiii", "unallocated memory hint (negative immediate)", Op::Pld, "ldrsh%c.w pc, %A")
        .half().form(Form::Negative).except(&[('n', 15)]),
    row("1111 100 1 0 01 1 nnnn 1111 000000 ii mmmm", "unallocated memory hint (register)", Op::Pld, "ldrsh%c.w pc, %A")
        .half().form(Form::Reg).except(&[('n', 15)]).unpredictable(&[rules::RM]),
    // The undefined space between them.
    undefined("1110 1000 110 - ---- ---- ---- 1 --- ----", "load-acquire, store-release: not in this profile"),
    undefined("1110 1000 110 - ---- ---- ---- 001 - ----", "exclusive: reserved operation"),
    undefined("1110 1000 1100 ---- ---- ---- 000 - ----", "exclusive: reserved operation"),
    undefined("1110 1000 110 - ---- ---- ---- 011 - ----", "LDREXD, STREXD: not in this profile"),
    undefined("1111 1000 - oo 0 1111 ---- ---- ---- ----", "a store relative to PC").except(&[('o', 3)]),
    undefined("1111 1000 0 oo 0 nnnn ---- 0 pp ppp ------", "single store: reserved addressing mode")
        .except(&[('o', 3)]).except(&[('n', 15)]).except(&[('p', 0)]),
    undefined("1111 1000 0 oo 0 nnnn ---- 10-0 --------", "single store: neither pre-indexed nor written back")
        .except(&[('o', 3)]).except(&[('n', 15)]),
    undefined("1111 100 - 0 0 - 1 nnnn ---- 0 pp ppp ------", "single load: reserved addressing mode")
        .except(&[('n', 15)]).except(&[('p', 0)]),
    undefined("1111 100 - 0 0 - 1 nnnn ---- 10-0 --------", "single load: neither pre-indexed nor written back")
        .except(&[('n', 15)]),
    undefined("1111 1000 0 10 1 nnnn ---- 0 pp ppp ------", "single load: reserved addressing mode")
        .except(&[('n', 15)]).except(&[('p', 0)]),
    undefined("1111 1000 0 10 1 nnnn ---- 10-0 --------", "single load: neither pre-indexed nor written back")
        .except(&[('n', 15)]),
    undefined("1111 1001 - 10 1 ---- ---- ---- ---- ----", "a signed load of a word"),
    undefined("1111 100 - - 11 1 ---- ---- ---- ---- ----", "loads and stores: reserved size"),
    undefined("1111 1000 - 11 0 ---- ---- ---- ---- ----", "loads and stores: reserved size"),
    undefined("1111 1001 - -- 0 ---- ---- ---- ---- ----", "Advanced SIMD: not in this profile"),
];
