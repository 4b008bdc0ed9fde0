//! Exceptions, hints, barriers, special registers, and permanently undefined encodings (ARMv7-M ARM A5.2.5, A5.2.6, A5.3.4, B5.2).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{ItRule, Op};

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    row("1101 1111 iiiiiiii", "SVC", Op::Svc, "svc%c $i").form(Form::Imm(0)),
    row("1101 1110 iiiiiiii", "UDF T1", Op::Udf, "udf%c %i").form(Form::Imm(0)),
    row("1011 1110 iiiiiiii", "BKPT", Op::Bkpt, "bkpt %x").form(Form::Imm(0)),
    row("1011 1111 jjjj iiii", "IT", Op::It, "it%T")
        .form(Form::Joined(4)).it(ItRule::Outside).except(&[('i', 0)])
        .unpredictable(&[rules::IT_CONDITION, rules::IT_ELSE_NEVER]),
    row("1011 0110 011 i (0)(0) ii", "CPS", Op::Cps, "cps%I")
        .form(Form::Interrupts).it(ItRule::Outside).unpredictable(&[rules::CPS_NOTHING, rules::CPS_FAULTMASK]),
    undefined("1011 0110 00- -----", "SETEND and its neighbours: not in this profile"),
    undefined("1011 0110 010 -----", "SETEND and its neighbours: not in this profile"),
    undefined("1011 0110 1-- -----", "CPS's neighbours: reserved"),
    undefined("1011 0111 --------", "reserved"),
    undefined("1011 1000 --------", "reserved"),
    // Hints; unallocated ones have no effect.
    row("1011 1111 0000 0000", "NOP T1", Op::Nop, "nop%c"),
    row("1011 1111 0001 0000", "YIELD T1", Op::Yield, "yield%c"),
    row("1011 1111 0010 0000", "WFE T1", Op::Wfe, "wfe%c"),
    row("1011 1111 0011 0000", "WFI T1", Op::Wfi, "wfi%c"),
    row("1011 1111 0100 0000", "SEV T1", Op::Sev, "sev%c"),
    row("1011 1111 oooo 0000", "unallocated hint", Op::Nop, "nop%c {$o}")
        .except(&[('o', 0)]).except(&[('o', 1)]).except(&[('o', 2)]).except(&[('o', 3)]).except(&[('o', 4)]),
    row("1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0000", "NOP T2", Op::Nop, "nop%c.w"),
    row("1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0001", "YIELD T2", Op::Yield, "yield%c.w"),
    row("1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0010", "WFE T2", Op::Wfe, "wfe%c.w"),
    row("1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0011", "WFI T2", Op::Wfi, "wfi%c.w"),
    row("1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0100", "SEV T2", Op::Sev, "sev%c.w"),
    row("1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 1111 iiii", "DBG", Op::Dbg, "dbg%c %i")
        .form(Form::Imm(0)),
    row("1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 oooo pppp", "unallocated hint", Op::Nop, "nop%c.w {%h}")
        .except(&[('o', 0), ('p', 0)]).except(&[('o', 0), ('p', 1)]).except(&[('o', 0), ('p', 2)])
        .except(&[('o', 0), ('p', 3)]).except(&[('o', 0), ('p', 4)]).except(&[('o', 15)]),
    // Barriers and the exclusive monitor.
    row("1111 0011 1011 (1)(1)(1)(1) 10 (0) 0 (1)(1)(1)(1) 0010 (1)(1)(1)(1)", "CLREX", Op::Clrex, "clrex%c"),
    row("1111 0011 1011 (1)(1)(1)(1) 10 (0) 0 (1)(1)(1)(1) 0100 iiii", "DSB", Op::Dsb, "dsb%c %B")
        .form(Form::Imm(0)),
    row("1111 0011 1011 (1)(1)(1)(1) 10 (0) 0 (1)(1)(1)(1) 0101 iiii", "DMB", Op::Dmb, "dmb%c %B")
        .form(Form::Imm(0)),
    row("1111 0011 1011 (1)(1)(1)(1) 10 (0) 0 (1)(1)(1)(1) 0110 iiii", "ISB", Op::Isb, "isb%c %B")
        .form(Form::Imm(0)),
    // Special registers.
    row("1111 0011 100 (0) nnnn 10 (0) 0 ww (0)(0) iiiiiiii", "MSR", Op::Msr, "msr%c %R, %n")
        .form(Form::Special)
        .unpredictable(&[
            rules::RN, rules::NO_SUCH_SPECIAL, rules::NO_SUCH_MASK, rules::NO_MASK, rules::GE_MASK, rules::GE_ELSEWHERE,
        ]),
    row("1111 0011 111 (0) (1)(1)(1)(1) 10 (0) 0 dddd iiiiiiii", "MRS", Op::Mrs, "mrs%c %d, %R")
        .form(Form::Special).unpredictable(&[rules::RD, rules::NO_SUCH_SPECIAL, rules::NO_SUCH_MASK]),
    row("1111 0111 1111 iiii 1010 iiiiiiiiiiii", "UDF T2", Op::Udf, "udf%c.w %i").form(Form::Imm(0)),
    // The undefined space between them.
    undefined("1111 0011 1010 ---- 10-0 -ooo ---- ----", "CPS T2: not in this profile").except(&[('o', 0)]),
    undefined("1111 0011 1011 ---- 10-0 ---- 1--- ----", "barriers: reserved operation"),
    undefined("1111 0011 1011 ---- 10-0 ---- 000- ----", "barriers: reserved operation"),
    undefined("1111 0011 1011 ---- 10-0 ---- 0011 ----", "barriers: reserved operation"),
    undefined("1111 0011 1011 ---- 10-0 ---- 0111 ----", "barriers: reserved operation"),
    undefined("1111 0011 1100 ---- 10-0 ---- ---- ----", "BXJ: not in this profile"),
    undefined("1111 0011 1101 ---- 10-0 ---- ---- ----", "SUBS PC, LR: not in this profile"),
    undefined("1111 0111 10-- ---- 10-0 ---- ---- ----", "miscellaneous control: reserved"),
    undefined("1111 0111 110- ---- 10-0 ---- ---- ----", "miscellaneous control: reserved"),
    undefined("1111 0111 1110 ---- 10-0 ---- ---- ----", "HVC: not in this profile"),
    undefined("1111 0111 1111 ---- 1000 ---- ---- ----", "SMC: not in this profile"),
];
