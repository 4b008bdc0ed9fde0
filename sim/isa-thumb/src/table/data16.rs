//! 16-bit data processing (ARMv7-M ARM A5.2.1 to A5.2.3, A5.2.5).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{ItRule, Op, Reg};

pub(super) const ROWS: &[Row] = &[
    // Shift, add, subtract, move, compare.
    row(
        "MOV (register) T2",
        "00000 00000 mmm ddd",
        Op::Mov,
        "movs%c %d, %m",
    )
    .form(Form::Reg)
    .flags()
    .it(ItRule::Outside),
    row(
        "LSL (immediate) T1",
        "00000 iiiii mmm ddd",
        Op::Lsl,
        "lsl%s%c %d, %m, %i",
    )
    .form(Form::ShiftBy)
    .flags_outside_it()
    .except(&[('i', 0)]),
    row(
        "LSR (immediate) T1",
        "00001 iiiii mmm ddd",
        Op::Lsr,
        "lsr%s%c %d, %m, %i",
    )
    .form(Form::ShiftBy)
    .flags_outside_it(),
    row(
        "ASR (immediate) T1",
        "00010 iiiii mmm ddd",
        Op::Asr,
        "asr%s%c %d, %m, %i",
    )
    .form(Form::ShiftBy)
    .flags_outside_it(),
    row(
        "ADD (register) T1",
        "0001100 mmm nnn ddd",
        Op::Add,
        "add%s%c %d, %n, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "SUB (register) T1",
        "0001101 mmm nnn ddd",
        Op::Sub,
        "sub%s%c %d, %n, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "ADD (immediate) T1",
        "0001110 iii nnn ddd",
        Op::Add,
        "add%s%c %d, %n, %i",
    )
    .form(Form::Imm(0))
    .flags_outside_it(),
    row(
        "SUB (immediate) T1",
        "0001111 iii nnn ddd",
        Op::Sub,
        "sub%s%c %d, %n, %i",
    )
    .form(Form::Imm(0))
    .flags_outside_it(),
    row(
        "MOV (immediate) T1",
        "00100 ddd iiiiiiii",
        Op::Mov,
        "mov%s%c %d, %i",
    )
    .form(Form::Imm(0))
    .flags_outside_it(),
    row(
        "CMP (immediate) T1",
        "00101 nnn iiiiiiii",
        Op::Cmp,
        "cmp%c %n, %i",
    )
    .form(Form::Imm(0))
    .flags(),
    row(
        "ADD (immediate) T2",
        "00110 DDD iiiiiiii",
        Op::Add,
        "add%s%c %d, %i",
    )
    .form(Form::Imm(0))
    .flags_outside_it(),
    row(
        "SUB (immediate) T2",
        "00111 DDD iiiiiiii",
        Op::Sub,
        "sub%s%c %d, %i",
    )
    .form(Form::Imm(0))
    .flags_outside_it(),
    // Two registers.
    row(
        "AND (register) T1",
        "010000 0000 mmm DDD",
        Op::And,
        "and%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "EOR (register) T1",
        "010000 0001 mmm DDD",
        Op::Eor,
        "eor%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "LSL (register) T1",
        "010000 0010 mmm DDD",
        Op::Lsl,
        "lsl%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "LSR (register) T1",
        "010000 0011 mmm DDD",
        Op::Lsr,
        "lsr%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "ASR (register) T1",
        "010000 0100 mmm DDD",
        Op::Asr,
        "asr%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "ADC (register) T1",
        "010000 0101 mmm DDD",
        Op::Adc,
        "adc%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "SBC (register) T1",
        "010000 0110 mmm DDD",
        Op::Sbc,
        "sbc%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "ROR (register) T1",
        "010000 0111 mmm DDD",
        Op::Ror,
        "ror%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "TST (register) T1",
        "010000 1000 mmm nnn",
        Op::Tst,
        "tst%c %n, %m",
    )
    .form(Form::Reg)
    .flags(),
    row(
        "RSB (immediate) T1",
        "010000 1001 nnn ddd",
        Op::Rsb,
        "neg%s%c %d, %n",
    )
    .form(Form::Const(0))
    .flags_outside_it(),
    row(
        "CMP (register) T1",
        "010000 1010 mmm nnn",
        Op::Cmp,
        "cmp%c %n, %m",
    )
    .form(Form::Reg)
    .flags(),
    row(
        "CMN (register) T1",
        "010000 1011 mmm nnn",
        Op::Cmn,
        "cmn%c %n, %m",
    )
    .form(Form::Reg)
    .flags(),
    row(
        "ORR (register) T1",
        "010000 1100 mmm DDD",
        Op::Orr,
        "orr%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row("MUL T1", "010000 1101 nnn EEE", Op::Mul, "mul%s%c %d, %n").flags_outside_it(),
    row(
        "BIC (register) T1",
        "010000 1110 mmm DDD",
        Op::Bic,
        "bic%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    row(
        "MVN (register) T1",
        "010000 1111 mmm ddd",
        Op::Mvn,
        "mvn%s%c %d, %m",
    )
    .form(Form::Reg)
    .flags_outside_it(),
    // Any register.
    row(
        "ADD (register) T2, ADD (SP plus register) T1, T2",
        "010001 00 D mmmm DDD",
        Op::Add,
        "add%c %d, %m",
    )
    .form(Form::Reg)
    .unpredictable(&[rules::BOTH_PC]),
    row(
        "CMP (register) T2",
        "010001 01 n mmmm nnn",
        Op::Cmp,
        "cmp%c %n, %m",
    )
    .form(Form::Reg)
    .flags()
    .unpredictable(&[rules::BOTH_LOW, rules::RN_PC, rules::RM_PC]),
    row(
        "MOV (register) T1",
        "010001 10 d mmmm ddd",
        Op::Mov,
        "mov%c %d, %m",
    )
    .form(Form::Reg),
    // The stack pointer and the program counter.
    row("ADR T1", "10100 ddd iiiiiiii", Op::Adr, "add%c %d, pc, %i").form(Form::Imm(2)),
    row(
        "ADD (SP plus immediate) T1",
        "10101 ddd iiiiiiii",
        Op::Add,
        "add%c %d, sp, %i",
    )
    .form(Form::Imm(2))
    .rn(Reg::SP),
    row(
        "ADD (SP plus immediate) T2",
        "1011 0000 0 iiiiiii",
        Op::Add,
        "add%c sp, %i",
    )
    .form(Form::Imm(2))
    .rd(Reg::SP)
    .rn(Reg::SP),
    row(
        "SUB (SP minus immediate) T1",
        "1011 0000 1 iiiiiii",
        Op::Sub,
        "sub%c sp, %i",
    )
    .form(Form::Imm(2))
    .rd(Reg::SP)
    .rn(Reg::SP),
    // Extend and reverse.
    row("SXTH T1", "1011 0010 00 mmm ddd", Op::Sxth, "sxth%c %d, %m").form(Form::Rotate),
    row("SXTB T1", "1011 0010 01 mmm ddd", Op::Sxtb, "sxtb%c %d, %m").form(Form::Rotate),
    row("UXTH T1", "1011 0010 10 mmm ddd", Op::Uxth, "uxth%c %d, %m").form(Form::Rotate),
    row("UXTB T1", "1011 0010 11 mmm ddd", Op::Uxtb, "uxtb%c %d, %m").form(Form::Rotate),
    row("REV T1", "1011 1010 00 mmm ddd", Op::Rev, "rev%c %d, %m"),
    row("REV16 T1", "1011 1010 01 mmm ddd", Op::Rev16, "rev16%c %d, %m"),
    undefined("HLT: not in this profile", "1011 1010 10 ------"),
    row("REVSH T1", "1011 1010 11 mmm ddd", Op::Revsh, "revsh%c %d, %m"),
];
