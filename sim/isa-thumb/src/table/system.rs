//! Exceptions, hints, barriers, special registers, and what is permanently undefined (ARMv7-M ARM A5.2.5, A5.2.6, A5.3.4, B5.2).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{ItRule, Op};

pub(super) const ROWS: &[Row] = &[
    row("SVC", "1101 1111 iiiiiiii", Op::Svc, "svc%c $i").form(Form::Imm(0)),
    row("UDF T1", "1101 1110 iiiiiiii", Op::Udf, "udf%c %i").form(Form::Imm(0)),
    row("BKPT", "1011 1110 iiiiiiii", Op::Bkpt, "bkpt %x").form(Form::Imm(0)),
    row("IT", "1011 1111 jjjj iiii", Op::It, "it%T")
        .form(Form::Joined(4))
        .it(ItRule::Outside)
        .except(&[('i', 0)])
        .unpredictable(&[rules::IT_CONDITION, rules::IT_ELSE_NEVER]),
    row("CPS", "1011 0110 011 i (0)(0) ii", Op::Cps, "cps%I")
        .form(Form::Interrupts)
        .it(ItRule::Outside)
        .unpredictable(&[rules::CPS_NOTHING]),
    undefined(
        "SETEND and its neighbours: not in this profile",
        "1011 0110 00- -----",
    ),
    undefined(
        "SETEND and its neighbours: not in this profile",
        "1011 0110 010 -----",
    ),
    undefined("CPS's neighbours: reserved", "1011 0110 1-- -----"),
    undefined("reserved", "1011 0111 --------"),
    undefined("reserved", "1011 1000 --------"),
    // Hints; an unallocated one does nothing.
    row("NOP T1", "1011 1111 0000 0000", Op::Nop, "nop%c"),
    row("YIELD T1", "1011 1111 0001 0000", Op::Yield, "yield%c"),
    row("WFE T1", "1011 1111 0010 0000", Op::Wfe, "wfe%c"),
    row("WFI T1", "1011 1111 0011 0000", Op::Wfi, "wfi%c"),
    row("SEV T1", "1011 1111 0100 0000", Op::Sev, "sev%c"),
    row("unallocated hint", "1011 1111 oooo 0000", Op::Nop, "nop%c {$o}")
        .except(&[('o', 0)])
        .except(&[('o', 1)])
        .except(&[('o', 2)])
        .except(&[('o', 3)])
        .except(&[('o', 4)]),
    row(
        "NOP T2",
        "1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0000",
        Op::Nop,
        "nop%c.w",
    ),
    row(
        "YIELD T2",
        "1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0001",
        Op::Yield,
        "yield%c.w",
    ),
    row(
        "WFE T2",
        "1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0010",
        Op::Wfe,
        "wfe%c.w",
    ),
    row(
        "WFI T2",
        "1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0011",
        Op::Wfi,
        "wfi%c.w",
    ),
    row(
        "SEV T2",
        "1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 0000 0100",
        Op::Sev,
        "sev%c.w",
    ),
    row(
        "DBG",
        "1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 1111 iiii",
        Op::Dbg,
        "dbg%c %i",
    )
    .form(Form::Imm(0)),
    row(
        "unallocated hint",
        "1111 0011 1010 (1)(1)(1)(1) 10 (0) 0 (0) 000 oooo pppp",
        Op::Nop,
        "nop%c.w {%h}",
    )
    .except(&[('o', 0), ('p', 0)])
    .except(&[('o', 0), ('p', 1)])
    .except(&[('o', 0), ('p', 2)])
    .except(&[('o', 0), ('p', 3)])
    .except(&[('o', 0), ('p', 4)])
    .except(&[('o', 15)]),
    // Barriers and the exclusive monitor.
    row(
        "CLREX",
        "1111 0011 1011 (1)(1)(1)(1) 10 (0) 0 (1)(1)(1)(1) 0010 (1)(1)(1)(1)",
        Op::Clrex,
        "clrex%c",
    ),
    row(
        "DSB",
        "1111 0011 1011 (1)(1)(1)(1) 10 (0) 0 (1)(1)(1)(1) 0100 iiii",
        Op::Dsb,
        "dsb%c %B",
    )
    .form(Form::Imm(0)),
    row(
        "DMB",
        "1111 0011 1011 (1)(1)(1)(1) 10 (0) 0 (1)(1)(1)(1) 0101 iiii",
        Op::Dmb,
        "dmb%c %B",
    )
    .form(Form::Imm(0)),
    row(
        "ISB",
        "1111 0011 1011 (1)(1)(1)(1) 10 (0) 0 (1)(1)(1)(1) 0110 iiii",
        Op::Isb,
        "isb%c %B",
    )
    .form(Form::Imm(0)),
    // Special registers.
    row(
        "MSR",
        "1111 0011 100 (0) nnnn 10 (0) 0 ww (0)(0) iiiiiiii",
        Op::Msr,
        "msr%c %R, %n",
    )
    .form(Form::Special)
    .unpredictable(&[rules::RN, rules::NO_SUCH_SPECIAL, rules::NO_MASK, rules::GE_MASK]),
    row(
        "MRS",
        "1111 0011 111 (0) (1)(1)(1)(1) 10 (0) 0 dddd iiiiiiii",
        Op::Mrs,
        "mrs%c %d, %R",
    )
    .form(Form::Special)
    .unpredictable(&[rules::RD, rules::NO_SUCH_SPECIAL]),
    row(
        "UDF T2",
        "1111 0111 1111 iiii 1010 iiiiiiiiiiii",
        Op::Udf,
        "udf%c.w %i",
    )
    .form(Form::Imm(0)),
    undefined(
        "CPS T2: not in this profile",
        "1111 0011 1010 ---- 10-0 -ooo ---- ----",
    )
    .except(&[('o', 0)]),
    undefined(
        "barriers: reserved operation",
        "1111 0011 1011 ---- 10-0 ---- 1--- ----",
    ),
    undefined(
        "barriers: reserved operation",
        "1111 0011 1011 ---- 10-0 ---- 000- ----",
    ),
    undefined(
        "barriers: reserved operation",
        "1111 0011 1011 ---- 10-0 ---- 0011 ----",
    ),
    undefined(
        "barriers: reserved operation",
        "1111 0011 1011 ---- 10-0 ---- 0111 ----",
    ),
    undefined(
        "BXJ: not in this profile",
        "1111 0011 1100 ---- 10-0 ---- ---- ----",
    ),
    undefined(
        "SUBS PC, LR: not in this profile",
        "1111 0011 1101 ---- 10-0 ---- ---- ----",
    ),
    undefined(
        "miscellaneous control: reserved",
        "1111 0111 10-- ---- 10-0 ---- ---- ----",
    ),
    undefined(
        "miscellaneous control: reserved",
        "1111 0111 110- ---- 10-0 ---- ---- ----",
    ),
    undefined(
        "HVC: not in this profile",
        "1111 0111 1110 ---- 10-0 ---- ---- ----",
    ),
    undefined(
        "SMC: not in this profile",
        "1111 0111 1111 ---- 1000 ---- ---- ----",
    ),
];
