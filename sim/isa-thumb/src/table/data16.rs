//! 16-bit data processing (ARMv7-M ARM A5.2.1 to A5.2.3, A5.2.5).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{ItRule, Op, Reg};

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    // Shift, add, subtract, move, compare.
    row("00000 00000 mmm ddd", "MOV (register) T2", Op::Mov, "movs%c %d, %m")
        .form(Form::Reg).flags().it(ItRule::Outside),
    row("00000 iiiii sss ddd", "LSL (immediate) T1", Op::Lsl, "lsl%s%c %d, %n, %i")
        .form(Form::ShiftBy).flags_outside_it().except(&[('i', 0)]),
    row("00001 iiiii sss ddd", "LSR (immediate) T1", Op::Lsr, "lsr%s%c %d, %n, %i")
        .form(Form::ShiftBy).flags_outside_it(),
    row("00010 iiiii sss ddd", "ASR (immediate) T1", Op::Asr, "asr%s%c %d, %n, %i")
        .form(Form::ShiftBy).flags_outside_it(),
    row("0001100 mmm nnn ddd", "ADD (register) T1", Op::Add, "add%s%c %d, %n, %m")
        .form(Form::Reg).flags_outside_it(),
    row("0001101 mmm nnn ddd", "SUB (register) T1", Op::Sub, "sub%s%c %d, %n, %m")
        .form(Form::Reg).flags_outside_it(),
    row("0001110 iii nnn ddd", "ADD (immediate) T1", Op::Add, "add%s%c %d, %n, %i")
        .form(Form::Imm(0)).flags_outside_it(),
    row("0001111 iii nnn ddd", "SUB (immediate) T1", Op::Sub, "sub%s%c %d, %n, %i")
        .form(Form::Imm(0)).flags_outside_it(),
    row("00100 ddd iiiiiiii", "MOV (immediate) T1", Op::Mov, "mov%s%c %d, %i")
        .form(Form::Imm(0)).flags_outside_it(),
    row("00101 nnn iiiiiiii", "CMP (immediate) T1", Op::Cmp, "cmp%c %n, %i").form(Form::Imm(0)).flags(),
    row("00110 DDD iiiiiiii", "ADD (immediate) T2", Op::Add, "add%s%c %d, %i")
        .form(Form::Imm(0)).flags_outside_it(),
    row("00111 DDD iiiiiiii", "SUB (immediate) T2", Op::Sub, "sub%s%c %d, %i")
        .form(Form::Imm(0)).flags_outside_it(),
    // Two registers.
    row("010000 0000 mmm DDD", "AND (register) T1", Op::And, "and%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 0001 mmm DDD", "EOR (register) T1", Op::Eor, "eor%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 0010 mmm DDD", "LSL (register) T1", Op::Lsl, "lsl%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 0011 mmm DDD", "LSR (register) T1", Op::Lsr, "lsr%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 0100 mmm DDD", "ASR (register) T1", Op::Asr, "asr%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 0101 mmm DDD", "ADC (register) T1", Op::Adc, "adc%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 0110 mmm DDD", "SBC (register) T1", Op::Sbc, "sbc%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 0111 mmm DDD", "ROR (register) T1", Op::Ror, "ror%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 1000 mmm nnn", "TST (register) T1", Op::Tst, "tst%c %n, %m").form(Form::Reg).flags(),
    row("010000 1001 nnn ddd", "RSB (immediate) T1", Op::Rsb, "neg%s%c %d, %n")
        .form(Form::Const(0)).flags_outside_it(),
    row("010000 1010 mmm nnn", "CMP (register) T1", Op::Cmp, "cmp%c %n, %m").form(Form::Reg).flags(),
    row("010000 1011 mmm nnn", "CMN (register) T1", Op::Cmn, "cmn%c %n, %m").form(Form::Reg).flags(),
    row("010000 1100 mmm DDD", "ORR (register) T1", Op::Orr, "orr%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 1101 nnn EEE", "MUL T1", Op::Mul, "mul%s%c %d, %n").flags_outside_it(),
    row("010000 1110 mmm DDD", "BIC (register) T1", Op::Bic, "bic%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    row("010000 1111 mmm ddd", "MVN (register) T1", Op::Mvn, "mvn%s%c %d, %m")
        .form(Form::Reg).flags_outside_it(),
    // Any register.
    row("010001 00 D mmmm DDD", "ADD (register) T2, ADD (SP plus register) T1, T2", Op::Add, "add%c %d, %m")
        .form(Form::Reg).unpredictable(&[rules::BOTH_PC]),
    // Also valid with two low registers: see the rules.
    row("010001 01 n mmmm nnn", "CMP (register) T2", Op::Cmp, "cmp%c %n, %m")
        .form(Form::Reg).flags().unpredictable(&[rules::RN_PC, rules::RM_PC]),
    row("010001 10 d mmmm ddd", "MOV (register) T1", Op::Mov, "mov%c %d, %m")
        .form(Form::Reg).except(&[('d', 8), ('m', 8)]),
    row("010001 10 1 1000 000", "MOV (register) T1, R8 to itself: the NOP of older processors", Op::Mov, "nop%c")
        .form(Form::Reg).rd(Reg(8)).rm(Reg(8)),
    // The stack pointer and the program counter.
    row("10100 ddd iiiiiiii", "ADR T1", Op::Adr, "add%c %d, pc, %i").form(Form::Imm(2)),
    row("10101 ddd iiiiiiii", "ADD (SP plus immediate) T1", Op::Add, "add%c %d, sp, %i")
        .form(Form::Imm(2)).rn(Reg::SP),
    row("1011 0000 0 iiiiiii", "ADD (SP plus immediate) T2", Op::Add, "add%c sp, %i")
        .form(Form::Imm(2)).rd(Reg::SP).rn(Reg::SP),
    row("1011 0000 1 iiiiiii", "SUB (SP minus immediate) T1", Op::Sub, "sub%c sp, %i")
        .form(Form::Imm(2)).rd(Reg::SP).rn(Reg::SP),
    // Extend and reverse.
    row("1011 0010 00 mmm ddd", "SXTH T1", Op::Sxth, "sxth%c %d, %m").form(Form::Rotate),
    row("1011 0010 01 mmm ddd", "SXTB T1", Op::Sxtb, "sxtb%c %d, %m").form(Form::Rotate),
    row("1011 0010 10 mmm ddd", "UXTH T1", Op::Uxth, "uxth%c %d, %m").form(Form::Rotate),
    row("1011 0010 11 mmm ddd", "UXTB T1", Op::Uxtb, "uxtb%c %d, %m").form(Form::Rotate),
    row("1011 1010 00 mmm ddd", "REV T1", Op::Rev, "rev%c %d, %m"),
    row("1011 1010 01 mmm ddd", "REV16 T1", Op::Rev16, "rev16%c %d, %m"),
    undefined("1011 1010 10 ------", "HLT: not in this profile"),
    row("1011 1010 11 mmm ddd", "REVSH T1", Op::Revsh, "revsh%c %d, %m"),
];
