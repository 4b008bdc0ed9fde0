//! 32-bit data processing (ARMv7-M ARM A5.3.1 to A5.3.3, A5.3.11 to A5.3.17).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::Op;

pub(super) const ROWS: &[Row] = &[
    // Modified immediate.
    row(
        "AND (immediate) T1",
        "11110 i 0 0000 S nnnn 0 iii dddd iiiiiiii",
        Op::And,
        "and%s%c.w %d, %n, %i",
    )
    .form(Form::Modified)
    .except(&[('d', 15), ('S', 1)])
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row(
        "TST (immediate) T1",
        "11110 i 0 0000 1 nnnn 0 iii 1111 iiiiiiii",
        Op::Tst,
        "tst%c.w %n, %i",
    )
    .form(Form::Modified)
    .flags()
    .unpredictable(&[rules::ZERO_REPEATED, rules::RN]),
    row(
        "BIC (immediate) T1",
        "11110 i 0 0001 S nnnn 0 iii dddd iiiiiiii",
        Op::Bic,
        "bic%s%c.w %d, %n, %i",
    )
    .form(Form::Modified)
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row(
        "ORR (immediate) T1",
        "11110 i 0 0010 S nnnn 0 iii dddd iiiiiiii",
        Op::Orr,
        "orr%s%c.w %d, %n, %i",
    )
    .form(Form::Modified)
    .except(&[('n', 15)])
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN_SP]),
    row(
        "MOV (immediate) T2",
        "11110 i 0 0010 S 1111 0 iii dddd iiiiiiii",
        Op::Mov,
        "mov%s%c.w %d, %i",
    )
    .form(Form::Modified)
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD]),
    row(
        "ORN (immediate) T1",
        "11110 i 0 0011 S nnnn 0 iii dddd iiiiiiii",
        Op::Orn,
        "orn%s%c %d, %n, %i",
    )
    .form(Form::Modified)
    .except(&[('n', 15)])
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN_SP]),
    row(
        "MVN (immediate) T1",
        "11110 i 0 0011 S 1111 0 iii dddd iiiiiiii",
        Op::Mvn,
        "mvn%s%c.w %d, %i",
    )
    .form(Form::Modified)
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD]),
    row(
        "EOR (immediate) T1",
        "11110 i 0 0100 S nnnn 0 iii dddd iiiiiiii",
        Op::Eor,
        "eor%s%c.w %d, %n, %i",
    )
    .form(Form::Modified)
    .except(&[('d', 15), ('S', 1)])
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row(
        "TEQ (immediate) T1",
        "11110 i 0 0100 1 nnnn 0 iii 1111 iiiiiiii",
        Op::Teq,
        "teq%c %n, %i",
    )
    .form(Form::Modified)
    .flags()
    .unpredictable(&[rules::ZERO_REPEATED, rules::RN]),
    row(
        "ADD (immediate) T3, ADD (SP plus immediate) T3",
        "11110 i 0 1000 S nnnn 0 iii dddd iiiiiiii",
        Op::Add,
        "add%s%c.w %d, %n, %i",
    )
    .form(Form::Modified)
    .except(&[('d', 15), ('S', 1)])
    .unpredictable(&[
        rules::ZERO_REPEATED,
        rules::RD_PC,
        rules::RD_SP_FROM_OTHER,
        rules::RN_PC,
    ]),
    row(
        "CMN (immediate) T1",
        "11110 i 0 1000 1 nnnn 0 iii 1111 iiiiiiii",
        Op::Cmn,
        "cmn%c.w %n, %i",
    )
    .form(Form::Modified)
    .flags()
    .unpredictable(&[rules::ZERO_REPEATED, rules::RN_PC]),
    row(
        "ADC (immediate) T1",
        "11110 i 0 1010 S nnnn 0 iii dddd iiiiiiii",
        Op::Adc,
        "adc%s%c.w %d, %n, %i",
    )
    .form(Form::Modified)
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row(
        "SBC (immediate) T1",
        "11110 i 0 1011 S nnnn 0 iii dddd iiiiiiii",
        Op::Sbc,
        "sbc%s%c.w %d, %n, %i",
    )
    .form(Form::Modified)
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row(
        "SUB (immediate) T3, SUB (SP minus immediate) T2",
        "11110 i 0 1101 S nnnn 0 iii dddd iiiiiiii",
        Op::Sub,
        "sub%s%c.w %d, %n, %i",
    )
    .form(Form::Modified)
    .except(&[('d', 15), ('S', 1)])
    .unpredictable(&[
        rules::ZERO_REPEATED,
        rules::RD_PC,
        rules::RD_SP_FROM_OTHER,
        rules::RN_PC,
    ]),
    row(
        "CMP (immediate) T2",
        "11110 i 0 1101 1 nnnn 0 iii 1111 iiiiiiii",
        Op::Cmp,
        "cmp%c.w %n, %i",
    )
    .form(Form::Modified)
    .flags()
    .unpredictable(&[rules::ZERO_REPEATED, rules::RN_PC]),
    row(
        "RSB (immediate) T2",
        "11110 i 0 1110 S nnnn 0 iii dddd iiiiiiii",
        Op::Rsb,
        "rsb%s%c %d, %n, %i",
    )
    .form(Form::Modified)
    .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    undefined(
        "modified immediate: reserved operation",
        "11110 - 0 0101 - ---- 0 ---------------",
    ),
    undefined(
        "modified immediate: reserved operation",
        "11110 - 0 0110 - ---- 0 ---------------",
    ),
    undefined(
        "modified immediate: reserved operation",
        "11110 - 0 0111 - ---- 0 ---------------",
    ),
    undefined(
        "modified immediate: reserved operation",
        "11110 - 0 1001 - ---- 0 ---------------",
    ),
    undefined(
        "modified immediate: reserved operation",
        "11110 - 0 1100 - ---- 0 ---------------",
    ),
    undefined(
        "modified immediate: reserved operation",
        "11110 - 0 1111 - ---- 0 ---------------",
    ),
    // Plain immediate and bit fields.
    row(
        "ADD (immediate) T4, ADD (SP plus immediate) T4",
        "11110 i 1 0000 0 nnnn 0 iii dddd iiiiiiii",
        Op::Add,
        "addw%c %d, %n, %i",
    )
    .form(Form::Imm(0))
    .except(&[('n', 15)])
    .unpredictable(&[rules::RD_PC, rules::RD_SP_FROM_OTHER]),
    row(
        "ADR T3",
        "11110 i 1 0000 0 1111 0 iii dddd iiiiiiii",
        Op::Adr,
        "addw%c %d, pc, %i",
    )
    .form(Form::Imm(0))
    .unpredictable(&[rules::RD]),
    row(
        "MOV (immediate) T3",
        "11110 i 1 0010 0 jjjj 0 iii dddd iiiiiiii",
        Op::Movw,
        "movw%c %d, %i",
    )
    .form(Form::Joined(12))
    .unpredictable(&[rules::RD]),
    row(
        "SUB (immediate) T4, SUB (SP minus immediate) T3",
        "11110 i 1 0101 0 nnnn 0 iii dddd iiiiiiii",
        Op::Sub,
        "subw%c %d, %n, %i",
    )
    .form(Form::Imm(0))
    .except(&[('n', 15)])
    .unpredictable(&[rules::RD_PC, rules::RD_SP_FROM_OTHER]),
    row(
        "ADR T2",
        "11110 i 1 0101 0 1111 0 iii dddd iiiiiiii",
        Op::Adr,
        "subw%c %d, pc, %i",
    )
    .form(Form::Negative)
    .unpredictable(&[rules::RD]),
    row(
        "MOVT",
        "11110 i 1 0110 0 jjjj 0 iii dddd iiiiiiii",
        Op::Movt,
        "movt%c %d, %i",
    )
    .form(Form::Joined(12))
    .unpredictable(&[rules::RD]),
    row(
        "SSAT",
        "11110 (0) 11 00 y 0 nnnn 0 iii dddd ii (0) wwwww",
        Op::Ssat,
        "ssat%c %d, %w, %n%p",
    )
    .form(Form::Saturate)
    .except(&[('y', 1), ('i', 0)])
    .unpredictable(&[rules::RD, rules::RN]),
    row(
        "SBFX",
        "11110 (0) 11 010 0 nnnn 0 iii dddd ii (0) wwwww",
        Op::Sbfx,
        "sbfx%c %d, %n, %i, %w",
    )
    .form(Form::FieldByWidth)
    .unpredictable(&[rules::RD, rules::RN, rules::PAST_BIT_31]),
    row(
        "BFI",
        "11110 (0) 11 011 0 nnnn 0 iii dddd ii (0) wwwww",
        Op::Bfi,
        "bfi%c %d, %n, %i, %w",
    )
    .form(Form::FieldByMsb)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RD, rules::RN_SP, rules::MSB_BELOW_LSB]),
    row(
        "BFC",
        "11110 (0) 11 011 0 1111 0 iii dddd ii (0) wwwww",
        Op::Bfc,
        "bfc%c %d, %i, %w",
    )
    .form(Form::FieldByMsb)
    .unpredictable(&[rules::RD, rules::MSB_BELOW_LSB]),
    row(
        "USAT",
        "11110 (0) 11 10 y 0 nnnn 0 iii dddd ii (0) wwwww",
        Op::Usat,
        "usat%c %d, %w, %n%p",
    )
    .form(Form::Saturate)
    .except(&[('y', 1), ('i', 0)])
    .unpredictable(&[rules::RD, rules::RN]),
    row(
        "UBFX",
        "11110 (0) 11 110 0 nnnn 0 iii dddd ii (0) wwwww",
        Op::Ubfx,
        "ubfx%c %d, %n, %i, %w",
    )
    .form(Form::FieldByWidth)
    .unpredictable(&[rules::RD, rules::RN, rules::PAST_BIT_31]),
    // Shifted register.
    row(
        "AND (register) T2",
        "1110 101 0000 S nnnn (0) iii dddd ii yy mmmm",
        Op::And,
        "and%s%c.w %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .except(&[('d', 15), ('S', 1)])
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "TST (register) T2",
        "1110 101 0000 1 nnnn (0) iii 1111 ii yy mmmm",
        Op::Tst,
        "tst%c.w %n, %m%p",
    )
    .form(Form::Shifted)
    .flags()
    .unpredictable(&[rules::RN, rules::RM]),
    row(
        "BIC (register) T2",
        "1110 101 0001 S nnnn (0) iii dddd ii yy mmmm",
        Op::Bic,
        "bic%s%c.w %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "ORR (register) T2",
        "1110 101 0010 S nnnn (0) iii dddd ii yy mmmm",
        Op::Orr,
        "orr%s%c.w %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row(
        "MOV (register) T3",
        "1110 101 0010 0 1111 (0) 000 dddd 00 00 mmmm",
        Op::Mov,
        "mov%c.w %d, %m",
    )
    .form(Form::Reg)
    .unpredictable(&[rules::RD_PC, rules::RM_PC, rules::MOV_SP_TO_SP]),
    row(
        "MOV (register) T3, setting the flags",
        "1110 101 0010 1 1111 (0) 000 dddd 00 00 mmmm",
        Op::Mov,
        "movs%c.w %d, %m",
    )
    .form(Form::Reg)
    .flags()
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "LSL (immediate) T2",
        "1110 101 0010 S 1111 (0) iii dddd ii 00 mmmm",
        Op::Lsl,
        "mov%s%c.w %d, %m, lsl %i",
    )
    .form(Form::ShiftBy)
    .except(&[('i', 0)])
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "LSR (immediate) T2",
        "1110 101 0010 S 1111 (0) iii dddd ii 01 mmmm",
        Op::Lsr,
        "mov%s%c.w %d, %m, lsr %i",
    )
    .form(Form::ShiftBy)
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "ASR (immediate) T2",
        "1110 101 0010 S 1111 (0) iii dddd ii 10 mmmm",
        Op::Asr,
        "mov%s%c.w %d, %m, asr %i",
    )
    .form(Form::ShiftBy)
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "RRX",
        "1110 101 0010 S 1111 (0) 000 dddd 00 11 mmmm",
        Op::Rrx,
        "mov%s%c.w %d, %m, rrx",
    )
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "ROR (immediate) T1",
        "1110 101 0010 S 1111 (0) iii dddd ii 11 mmmm",
        Op::Ror,
        "mov%s%c.w %d, %m, ror %i",
    )
    .form(Form::ShiftBy)
    .except(&[('i', 0)])
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "ORN (register) T1",
        "1110 101 0011 S nnnn (0) iii dddd ii yy mmmm",
        Op::Orn,
        "orn%s%c %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .except(&[('n', 15)])
    .unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row(
        "MVN (register) T2",
        "1110 101 0011 S 1111 (0) iii dddd ii yy mmmm",
        Op::Mvn,
        "mvn%s%c.w %d, %m%p",
    )
    .form(Form::Shifted)
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "EOR (register) T2",
        "1110 101 0100 S nnnn (0) iii dddd ii yy mmmm",
        Op::Eor,
        "eor%s%c.w %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .except(&[('d', 15), ('S', 1)])
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "TEQ (register) T1",
        "1110 101 0100 1 nnnn (0) iii 1111 ii yy mmmm",
        Op::Teq,
        "teq%c %n, %m%p",
    )
    .form(Form::Shifted)
    .flags()
    .unpredictable(&[rules::RN, rules::RM]),
    row(
        "ADD (register) T3, ADD (SP plus register) T3",
        "1110 101 1000 S nnnn (0) iii dddd ii yy mmmm",
        Op::Add,
        "add%s%c.w %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .except(&[('d', 15), ('S', 1)])
    .unpredictable(&[
        rules::RD_PC,
        rules::RD_SP_FROM_OTHER,
        rules::SP_SHIFT,
        rules::RN_PC,
        rules::RM,
    ]),
    row(
        "CMN (register) T2",
        "1110 101 1000 1 nnnn (0) iii 1111 ii yy mmmm",
        Op::Cmn,
        "cmn%c.w %n, %m%p",
    )
    .form(Form::Shifted)
    .flags()
    .unpredictable(&[rules::RN_PC, rules::RM]),
    row(
        "ADC (register) T2",
        "1110 101 1010 S nnnn (0) iii dddd ii yy mmmm",
        Op::Adc,
        "adc%s%c.w %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "SBC (register) T2",
        "1110 101 1011 S nnnn (0) iii dddd ii yy mmmm",
        Op::Sbc,
        "sbc%s%c.w %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "SUB (register) T2, SUB (SP minus register) T1",
        "1110 101 1101 S nnnn (0) iii dddd ii yy mmmm",
        Op::Sub,
        "sub%s%c.w %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .except(&[('d', 15), ('S', 1)])
    .unpredictable(&[
        rules::RD_PC,
        rules::RD_SP_FROM_OTHER,
        rules::SP_SHIFT,
        rules::RN_PC,
        rules::RM,
    ]),
    row(
        "CMP (register) T3",
        "1110 101 1101 1 nnnn (0) iii 1111 ii yy mmmm",
        Op::Cmp,
        "cmp%c.w %n, %m%p",
    )
    .form(Form::Shifted)
    .flags()
    .unpredictable(&[rules::RN_PC, rules::RM]),
    row(
        "RSB (register) T1",
        "1110 101 1110 S nnnn (0) iii dddd ii yy mmmm",
        Op::Rsb,
        "rsb%s%c %d, %n, %m%p",
    )
    .form(Form::Shifted)
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    undefined(
        "shifted register: reserved operation",
        "1110 101 0101 - ---- - --- ---- -- -- ----",
    ),
    undefined(
        "shifted register: reserved operation",
        "1110 101 0111 - ---- - --- ---- -- -- ----",
    ),
    undefined(
        "shifted register: reserved operation",
        "1110 101 1001 - ---- - --- ---- -- -- ----",
    ),
    undefined(
        "shifted register: reserved operation",
        "1110 101 1100 - ---- - --- ---- -- -- ----",
    ),
    undefined(
        "shifted register: reserved operation",
        "1110 101 1111 - ---- - --- ---- -- -- ----",
    ),
    // Registers.
    row(
        "LSL (register) T2",
        "1111 1010 0 00 S nnnn 1111 dddd 0000 mmmm",
        Op::Lsl,
        "lsl%s%c.w %d, %n, %m",
    )
    .form(Form::Reg)
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "LSR (register) T2",
        "1111 1010 0 01 S nnnn 1111 dddd 0000 mmmm",
        Op::Lsr,
        "lsr%s%c.w %d, %n, %m",
    )
    .form(Form::Reg)
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "ASR (register) T2",
        "1111 1010 0 10 S nnnn 1111 dddd 0000 mmmm",
        Op::Asr,
        "asr%s%c.w %d, %n, %m",
    )
    .form(Form::Reg)
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "ROR (register) T2",
        "1111 1010 0 11 S nnnn 1111 dddd 0000 mmmm",
        Op::Ror,
        "ror%s%c.w %d, %n, %m",
    )
    .form(Form::Reg)
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "SXTH T2",
        "1111 1010 0 000 1111 1111 dddd 1 (0) ii mmmm",
        Op::Sxth,
        "sxth%c.w %d, %m%p",
    )
    .form(Form::Rotate)
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "UXTH T2",
        "1111 1010 0 001 1111 1111 dddd 1 (0) ii mmmm",
        Op::Uxth,
        "uxth%c.w %d, %m%p",
    )
    .form(Form::Rotate)
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "SXTB T2",
        "1111 1010 0 100 1111 1111 dddd 1 (0) ii mmmm",
        Op::Sxtb,
        "sxtb%c.w %d, %m%p",
    )
    .form(Form::Rotate)
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "UXTB T2",
        "1111 1010 0 101 1111 1111 dddd 1 (0) ii mmmm",
        Op::Uxtb,
        "uxtb%c.w %d, %m%p",
    )
    .form(Form::Rotate)
    .unpredictable(&[rules::RD, rules::RM]),
    row(
        "REV T2",
        "1111 1010 1001 kkkk 1111 dddd 10 00 mmmm",
        Op::Rev,
        "rev%c.w %d, %m",
    )
    .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    row(
        "REV16 T2",
        "1111 1010 1001 kkkk 1111 dddd 10 01 mmmm",
        Op::Rev16,
        "rev16%c.w %d, %m",
    )
    .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    row(
        "RBIT T1",
        "1111 1010 1001 kkkk 1111 dddd 10 10 mmmm",
        Op::Rbit,
        "rbit%c %d, %m",
    )
    .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    row(
        "REVSH T2",
        "1111 1010 1001 kkkk 1111 dddd 10 11 mmmm",
        Op::Revsh,
        "revsh%c.w %d, %m",
    )
    .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    row(
        "CLZ",
        "1111 1010 1011 kkkk 1111 dddd 1000 mmmm",
        Op::Clz,
        "clz%c %d, %m",
    )
    .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    // Multiply and divide.
    row(
        "MUL T2",
        "1111 1011 0000 nnnn 1111 dddd 0000 mmmm",
        Op::Mul,
        "mul%c.w %d, %n, %m",
    )
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "MLA",
        "1111 1011 0000 nnnn aaaa dddd 0000 mmmm",
        Op::Mla,
        "mla%c %d, %n, %m, %a",
    )
    .except(&[('a', 15)])
    .unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA_SP]),
    row(
        "MLS",
        "1111 1011 0000 nnnn aaaa dddd 0001 mmmm",
        Op::Mls,
        "mls%c %d, %n, %m, %a",
    )
    .unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA]),
    row(
        "SMULL",
        "1111 1011 1 000 nnnn llll hhhh 0000 mmmm",
        Op::Smull,
        "smull%c %d, %a, %n, %m",
    )
    .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row(
        "UMULL",
        "1111 1011 1 010 nnnn llll hhhh 0000 mmmm",
        Op::Umull,
        "umull%c %d, %a, %n, %m",
    )
    .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row(
        "SMLAL",
        "1111 1011 1 100 nnnn llll hhhh 0000 mmmm",
        Op::Smlal,
        "smlal%c %d, %a, %n, %m",
    )
    .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row(
        "UMLAL",
        "1111 1011 1 110 nnnn llll hhhh 0000 mmmm",
        Op::Umlal,
        "umlal%c %d, %a, %n, %m",
    )
    .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row(
        "SDIV",
        "1111 1011 1 001 nnnn (1)(1)(1)(1) dddd 1111 mmmm",
        Op::Sdiv,
        "sdiv%c %d, %n, %m",
    )
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row(
        "UDIV",
        "1111 1011 1 011 nnnn (1)(1)(1)(1) dddd 1111 mmmm",
        Op::Udiv,
        "udiv%c %d, %n, %m",
    )
    .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    undefined(
        "plain immediate: reserved operation",
        "11110 - 1 ---- 1 ---- 0 --- ---- --------",
    ),
    undefined(
        "plain immediate: reserved operation",
        "11110 - 1 0001 0 ---- 0 --- ---- --------",
    ),
    undefined(
        "plain immediate: reserved operation",
        "11110 - 1 0011 0 ---- 0 --- ---- --------",
    ),
    undefined(
        "plain immediate: reserved operation",
        "11110 - 1 0100 0 ---- 0 --- ---- --------",
    ),
    undefined(
        "plain immediate: reserved operation",
        "11110 - 1 0111 0 ---- 0 --- ---- --------",
    ),
    undefined(
        "plain immediate: reserved operation",
        "11110 - 1 1111 0 ---- 0 --- ---- --------",
    ),
    undefined(
        "registers: reserved unless bits 15 to 12 are ones",
        "1111 1010 ---- ---- bbbb ---- ---- ----",
    )
    .except(&[('b', 15)]),
    undefined(
        "shift by register: reserved operation",
        "1111 1010 0 --- ---- 1111 ---- 0 ooo ----",
    )
    .except(&[('o', 0)]),
    undefined(
        "extend: reserved operation",
        "1111 1010 0 11 - ---- 1111 ---- 1 --- ----",
    ),
    undefined(
        "registers: reserved operation",
        "1111 1010 1 --- ---- 1111 ---- 11 -- ----",
    ),
    undefined(
        "CRC32: not in this profile",
        "1111 1010 110 - ---- 1111 ---- 10 -- ----",
    ),
    undefined(
        "registers: reserved operation",
        "1111 1010 111 - ---- 1111 ---- 10 -- ----",
    ),
    undefined(
        "CLZ's neighbours: reserved",
        "1111 1010 1011 ---- 1111 ---- 10 oo ----",
    )
    .except(&[('o', 0)]),
    undefined(
        "multiply: reserved unless bits 7 and 6 are zeros",
        "1111 1011 0 --- ---- ---- ---- oo -- ----",
    )
    .except(&[('o', 0)]),
    undefined(
        "multiply: reserved operation",
        "1111 1011 0000 ---- ---- ---- 001 - ----",
    ),
    undefined(
        "long multiply and divide: reserved operation",
        "1111 1011 10-0 ---- ---- ---- oooo ----",
    )
    .except(&[('o', 0)]),
    undefined(
        "long multiply and divide: reserved operation",
        "1111 1011 10-1 ---- ---- ---- oooo ----",
    )
    .except(&[('o', 15)]),
    undefined(
        "long multiply and divide: reserved operation",
        "1111 1011 1100 ---- ---- ---- 0ooo ----",
    )
    .except(&[('o', 0)]),
    undefined(
        "long multiply and divide: reserved operation",
        "1111 1011 1101 ---- ---- ---- oooo ----",
    )
    .except(&[('o', 12)])
    .except(&[('o', 13)]),
    undefined(
        "long multiply and divide: reserved operation",
        "1111 1011 1110 ---- ---- ---- oooo ----",
    )
    .except(&[('o', 0)])
    .except(&[('o', 6)]),
    undefined(
        "long multiply and divide: reserved operation",
        "1111 1011 1111 ---- ---- ---- ---- ----",
    ),
];
