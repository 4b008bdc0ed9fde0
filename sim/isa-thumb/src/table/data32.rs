//! 32-bit data processing (ARMv7-M ARM A5.3.1 to A5.3.3, A5.3.11 to A5.3.17).

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::Op;

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    // Modified immediate.
    row("11110 i 0 0000 S nnnn 0 iii dddd iiiiiiii", "AND (immediate) T1", Op::And, "and%s%c.w %d, %n, %i")
        .form(Form::Modified).except(&[('d', 15), ('S', 1)])
        .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row("11110 i 0 0000 1 nnnn 0 iii 1111 iiiiiiii", "TST (immediate) T1", Op::Tst, "tst%c.w %n, %i")
        .form(Form::Modified).flags().unpredictable(&[rules::ZERO_REPEATED, rules::RN]),
    row("11110 i 0 0001 S nnnn 0 iii dddd iiiiiiii", "BIC (immediate) T1", Op::Bic, "bic%s%c.w %d, %n, %i")
        .form(Form::Modified).unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row("11110 i 0 0010 S nnnn 0 iii dddd iiiiiiii", "ORR (immediate) T1", Op::Orr, "orr%s%c.w %d, %n, %i")
        .form(Form::Modified).except(&[('n', 15)])
        .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN_SP]),
    row("11110 i 0 0010 S 1111 0 iii dddd iiiiiiii", "MOV (immediate) T2", Op::Mov, "mov%s%c.w %d, %i")
        .form(Form::Modified).unpredictable(&[rules::ZERO_REPEATED, rules::RD]),
    row("11110 i 0 0011 S nnnn 0 iii dddd iiiiiiii", "ORN (immediate) T1", Op::Orn, "orn%s%c %d, %n, %i")
        .form(Form::Modified).except(&[('n', 15)])
        .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN_SP]),
    row("11110 i 0 0011 S 1111 0 iii dddd iiiiiiii", "MVN (immediate) T1", Op::Mvn, "mvn%s%c.w %d, %i")
        .form(Form::Modified).unpredictable(&[rules::ZERO_REPEATED, rules::RD]),
    row("11110 i 0 0100 S nnnn 0 iii dddd iiiiiiii", "EOR (immediate) T1", Op::Eor, "eor%s%c.w %d, %n, %i")
        .form(Form::Modified).except(&[('d', 15), ('S', 1)])
        .unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row("11110 i 0 0100 1 nnnn 0 iii 1111 iiiiiiii", "TEQ (immediate) T1", Op::Teq, "teq%c %n, %i")
        .form(Form::Modified).flags().unpredictable(&[rules::ZERO_REPEATED, rules::RN]),
    row("11110 i 0 1000 S nnnn 0 iii dddd iiiiiiii", "ADD (immediate) T3, ADD (SP plus immediate) T3", Op::Add, "add%s%c.w %d, %n, %i")
        .form(Form::Modified).except(&[('d', 15), ('S', 1)])
        .unpredictable(&[rules::ZERO_REPEATED, rules::RD_PC, rules::RD_SP_FROM_OTHER, rules::RN_PC]),
    row("11110 i 0 1000 1 nnnn 0 iii 1111 iiiiiiii", "CMN (immediate) T1", Op::Cmn, "cmn%c.w %n, %i")
        .form(Form::Modified).flags().unpredictable(&[rules::ZERO_REPEATED, rules::RN_PC]),
    row("11110 i 0 1010 S nnnn 0 iii dddd iiiiiiii", "ADC (immediate) T1", Op::Adc, "adc%s%c.w %d, %n, %i")
        .form(Form::Modified).unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row("11110 i 0 1011 S nnnn 0 iii dddd iiiiiiii", "SBC (immediate) T1", Op::Sbc, "sbc%s%c.w %d, %n, %i")
        .form(Form::Modified).unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    row("11110 i 0 1101 S nnnn 0 iii dddd iiiiiiii", "SUB (immediate) T3, SUB (SP minus immediate) T2", Op::Sub, "sub%s%c.w %d, %n, %i")
        .form(Form::Modified).except(&[('d', 15), ('S', 1)])
        .unpredictable(&[rules::ZERO_REPEATED, rules::RD_PC, rules::RD_SP_FROM_OTHER, rules::RN_PC]),
    row("11110 i 0 1101 1 nnnn 0 iii 1111 iiiiiiii", "CMP (immediate) T2", Op::Cmp, "cmp%c.w %n, %i")
        .form(Form::Modified).flags().unpredictable(&[rules::ZERO_REPEATED, rules::RN_PC]),
    row("11110 i 0 1110 S nnnn 0 iii dddd iiiiiiii", "RSB (immediate) T2", Op::Rsb, "rsb%s%c %d, %n, %i")
        .form(Form::Modified).unpredictable(&[rules::ZERO_REPEATED, rules::RD, rules::RN]),
    undefined("11110 - 0 0101 - ---- 0 ---------------", "modified immediate: reserved operation"),
    undefined("11110 - 0 0110 - ---- 0 ---------------", "modified immediate: reserved operation"),
    undefined("11110 - 0 0111 - ---- 0 ---------------", "modified immediate: reserved operation"),
    undefined("11110 - 0 1001 - ---- 0 ---------------", "modified immediate: reserved operation"),
    undefined("11110 - 0 1100 - ---- 0 ---------------", "modified immediate: reserved operation"),
    undefined("11110 - 0 1111 - ---- 0 ---------------", "modified immediate: reserved operation"),
    // Plain immediate and bit fields.
    row("11110 i 1 0000 0 nnnn 0 iii dddd iiiiiiii", "ADD (immediate) T4, ADD (SP plus immediate) T4", Op::Add, "addw%c %d, %n, %i")
        .form(Form::Imm(0)).except(&[('n', 15)]).unpredictable(&[rules::RD_PC, rules::RD_SP_FROM_OTHER]),
    row("11110 i 1 0000 0 1111 0 iii dddd iiiiiiii", "ADR T3", Op::Adr, "addw%c %d, pc, %D")
        .form(Form::Imm(0)).unpredictable(&[rules::RD]),
    row("11110 i 1 0010 0 jjjj 0 iii dddd iiiiiiii", "MOV (immediate) T3", Op::Movw, "movw%c %d, %i")
        .form(Form::Joined(12)).unpredictable(&[rules::RD]),
    row("11110 i 1 0101 0 nnnn 0 iii dddd iiiiiiii", "SUB (immediate) T4, SUB (SP minus immediate) T3", Op::Sub, "subw%c %d, %n, %i")
        .form(Form::Imm(0)).except(&[('n', 15)]).unpredictable(&[rules::RD_PC, rules::RD_SP_FROM_OTHER]),
    row("11110 i 1 0101 0 1111 0 iii dddd iiiiiiii", "ADR T2", Op::Adr, "subw%c %d, pc, %D")
        .form(Form::Negative).unpredictable(&[rules::RD]),
    row("11110 i 1 0110 0 jjjj 0 iii dddd iiiiiiii", "MOVT", Op::Movt, "movt%c %d, %i")
        .form(Form::Joined(12)).unpredictable(&[rules::RD]),
    row("11110 (0) 11 00 y 0 nnnn 0 iii dddd ii (0) wwwww", "SSAT", Op::Ssat, "ssat%c %d, %i, %n%p")
        .form(Form::Saturate).except(&[('y', 1), ('i', 0)]).unpredictable(&[rules::RD, rules::RN]),
    row("11110 (0) 11 010 0 nnnn 0 iii dddd ii (0) wwwww", "SBFX", Op::Sbfx, "sbfx%c %d, %n, %i, %w")
        .form(Form::FieldByWidth).unpredictable(&[rules::RD, rules::RN, rules::PAST_BIT_31]),
    row("11110 (0) 11 011 0 nnnn 0 iii dddd ii (0) wwwww", "BFI", Op::Bfi, "bfi%c %d, %n, %i, %w")
        .form(Form::FieldByMsb).except(&[('n', 15)])
        .unpredictable(&[rules::RD, rules::RN_SP, rules::MSB_BELOW_LSB]),
    row("11110 (0) 11 011 0 1111 0 iii dddd ii (0) wwwww", "BFC", Op::Bfc, "bfc%c %d, %i, %w")
        .form(Form::FieldByMsb).unpredictable(&[rules::RD, rules::MSB_BELOW_LSB]),
    row("11110 (0) 11 10 y 0 nnnn 0 iii dddd ii (0) wwwww", "USAT", Op::Usat, "usat%c %d, %i, %n%p")
        .form(Form::Saturate).except(&[('y', 1), ('i', 0)]).unpredictable(&[rules::RD, rules::RN]),
    row("11110 (0) 11 110 0 nnnn 0 iii dddd ii (0) wwwww", "UBFX", Op::Ubfx, "ubfx%c %d, %n, %i, %w")
        .form(Form::FieldByWidth).unpredictable(&[rules::RD, rules::RN, rules::PAST_BIT_31]),
    // Shifted register.
    row("1110 101 0000 S nnnn (0) iii dddd ii yy mmmm", "AND (register) T2", Op::And, "and%s%c.w %d, %n, %m%p")
        .form(Form::Shifted).except(&[('d', 15), ('S', 1)]).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1110 101 0000 1 nnnn (0) iii 1111 ii yy mmmm", "TST (register) T2", Op::Tst, "tst%c.w %n, %m%p")
        .form(Form::Shifted).flags().unpredictable(&[rules::RN, rules::RM]),
    row("1110 101 0001 S nnnn (0) iii dddd ii yy mmmm", "BIC (register) T2", Op::Bic, "bic%s%c.w %d, %n, %m%p")
        .form(Form::Shifted).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1110 101 0010 S nnnn (0) iii dddd ii yy mmmm", "ORR (register) T2", Op::Orr, "orr%s%c.w %d, %n, %m%p")
        .form(Form::Shifted).except(&[('n', 15)]).unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row("1110 101 0010 0 1111 (0) 000 dddd 00 00 mmmm", "MOV (register) T3", Op::Mov, "mov%c.w %d, %m")
        .form(Form::Reg).unpredictable(&[rules::RD_PC, rules::RM_PC, rules::MOV_SP_TO_SP]),
    row("1110 101 0010 1 1111 (0) 000 dddd 00 00 mmmm", "MOV (register) T3, setting the flags", Op::Mov, "movs%c.w %d, %m")
        .form(Form::Reg).flags().unpredictable(&[rules::RD, rules::RM]),
    row("1110 101 0010 S 1111 (0) iii dddd ii 00 ssss", "LSL (immediate) T2", Op::Lsl, "mov%s%c.w %d, %n, lsl %i")
        .form(Form::ShiftBy).except(&[('i', 0)]).unpredictable(&[rules::RD, rules::RS]),
    row("1110 101 0010 S 1111 (0) iii dddd ii 01 ssss", "LSR (immediate) T2", Op::Lsr, "mov%s%c.w %d, %n, lsr %i")
        .form(Form::ShiftBy).unpredictable(&[rules::RD, rules::RS]),
    row("1110 101 0010 S 1111 (0) iii dddd ii 10 ssss", "ASR (immediate) T2", Op::Asr, "mov%s%c.w %d, %n, asr %i")
        .form(Form::ShiftBy).unpredictable(&[rules::RD, rules::RS]),
    row("1110 101 0010 S 1111 (0) 000 dddd 00 11 ssss", "RRX", Op::Rrx, "mov%s%c.w %d, %n, rrx")
        .unpredictable(&[rules::RD, rules::RS]),
    row("1110 101 0010 S 1111 (0) iii dddd ii 11 ssss", "ROR (immediate) T1", Op::Ror, "mov%s%c.w %d, %n, ror %i")
        .form(Form::ShiftBy).except(&[('i', 0)]).unpredictable(&[rules::RD, rules::RS]),
    row("1110 101 0011 S nnnn (0) iii dddd ii yy mmmm", "ORN (register) T1", Op::Orn, "orn%s%c %d, %n, %m%p")
        .form(Form::Shifted).except(&[('n', 15)]).unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row("1110 101 0011 S 1111 (0) iii dddd ii yy mmmm", "MVN (register) T2", Op::Mvn, "mvn%s%c.w %d, %m%p")
        .form(Form::Shifted).unpredictable(&[rules::RD, rules::RM]),
    row("1110 101 0100 S nnnn (0) iii dddd ii yy mmmm", "EOR (register) T2", Op::Eor, "eor%s%c.w %d, %n, %m%p")
        .form(Form::Shifted).except(&[('d', 15), ('S', 1)]).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1110 101 0100 1 nnnn (0) iii 1111 ii yy mmmm", "TEQ (register) T1", Op::Teq, "teq%c %n, %m%p")
        .form(Form::Shifted).flags().unpredictable(&[rules::RN, rules::RM]),
    row("1110 101 1000 S nnnn (0) iii dddd ii yy mmmm", "ADD (register) T3, ADD (SP plus register) T3", Op::Add, "add%s%c.w %d, %n, %m%p")
        .form(Form::Shifted).except(&[('d', 15), ('S', 1)])
        .unpredictable(&[rules::RD_PC, rules::RD_SP_FROM_OTHER, rules::SP_SHIFT, rules::RN_PC, rules::RM]),
    row("1110 101 1000 1 nnnn (0) iii 1111 ii yy mmmm", "CMN (register) T2", Op::Cmn, "cmn%c.w %n, %m%p")
        .form(Form::Shifted).flags().unpredictable(&[rules::RN_PC, rules::RM]),
    row("1110 101 1010 S nnnn (0) iii dddd ii yy mmmm", "ADC (register) T2", Op::Adc, "adc%s%c.w %d, %n, %m%p")
        .form(Form::Shifted).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1110 101 1011 S nnnn (0) iii dddd ii yy mmmm", "SBC (register) T2", Op::Sbc, "sbc%s%c.w %d, %n, %m%p")
        .form(Form::Shifted).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1110 101 1101 S nnnn (0) iii dddd ii yy mmmm", "SUB (register) T2, SUB (SP minus register) T1", Op::Sub, "sub%s%c.w %d, %n, %m%p")
        .form(Form::Shifted).except(&[('d', 15), ('S', 1)])
        .unpredictable(&[rules::RD_PC, rules::RD_SP_FROM_OTHER, rules::SP_SHIFT, rules::RN_PC, rules::RM]),
    row("1110 101 1101 1 nnnn (0) iii 1111 ii yy mmmm", "CMP (register) T3", Op::Cmp, "cmp%c.w %n, %m%p")
        .form(Form::Shifted).flags().unpredictable(&[rules::RN_PC, rules::RM]),
    row("1110 101 1110 S nnnn (0) iii dddd ii yy mmmm", "RSB (register) T1", Op::Rsb, "rsb%s%c %d, %n, %m%p")
        .form(Form::Shifted).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    undefined("1110 101 0101 - ---- - --- ---- -- -- ----", "shifted register: reserved operation"),
    undefined("1110 101 0111 - ---- - --- ---- -- -- ----", "shifted register: reserved operation"),
    undefined("1110 101 1001 - ---- - --- ---- -- -- ----", "shifted register: reserved operation"),
    undefined("1110 101 1100 - ---- - --- ---- -- -- ----", "shifted register: reserved operation"),
    undefined("1110 101 1111 - ---- - --- ---- -- -- ----", "shifted register: reserved operation"),
    // Registers.
    row("1111 1010 0 00 S nnnn 1111 dddd 0000 mmmm", "LSL (register) T2", Op::Lsl, "lsl%s%c.w %d, %n, %m")
        .form(Form::Reg).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 0 01 S nnnn 1111 dddd 0000 mmmm", "LSR (register) T2", Op::Lsr, "lsr%s%c.w %d, %n, %m")
        .form(Form::Reg).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 0 10 S nnnn 1111 dddd 0000 mmmm", "ASR (register) T2", Op::Asr, "asr%s%c.w %d, %n, %m")
        .form(Form::Reg).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 0 11 S nnnn 1111 dddd 0000 mmmm", "ROR (register) T2", Op::Ror, "ror%s%c.w %d, %n, %m")
        .form(Form::Reg).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 0 000 1111 1111 dddd 1 (0) ii mmmm", "SXTH T2", Op::Sxth, "sxth%c.w %d, %m%p")
        .form(Form::Rotate).unpredictable(&[rules::RD, rules::RM]),
    row("1111 1010 0 001 1111 1111 dddd 1 (0) ii mmmm", "UXTH T2", Op::Uxth, "uxth%c.w %d, %m%p")
        .form(Form::Rotate).unpredictable(&[rules::RD, rules::RM]),
    row("1111 1010 0 100 1111 1111 dddd 1 (0) ii mmmm", "SXTB T2", Op::Sxtb, "sxtb%c.w %d, %m%p")
        .form(Form::Rotate).unpredictable(&[rules::RD, rules::RM]),
    row("1111 1010 0 101 1111 1111 dddd 1 (0) ii mmmm", "UXTB T2", Op::Uxtb, "uxtb%c.w %d, %m%p")
        .form(Form::Rotate).unpredictable(&[rules::RD, rules::RM]),
    row("1111 1010 1001 kkkk 1111 dddd 10 00 mmmm", "REV T2", Op::Rev, "rev%c.w %d, %m")
        .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    row("1111 1010 1001 kkkk 1111 dddd 10 01 mmmm", "REV16 T2", Op::Rev16, "rev16%c.w %d, %m")
        .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    row("1111 1010 1001 kkkk 1111 dddd 10 10 mmmm", "RBIT T1", Op::Rbit, "rbit%c %d, %m")
        .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    row("1111 1010 1001 kkkk 1111 dddd 10 11 mmmm", "REVSH T2", Op::Revsh, "revsh%c.w %d, %m")
        .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    row("1111 1010 1011 kkkk 1111 dddd 1000 mmmm", "CLZ", Op::Clz, "clz%c %d, %m")
        .unpredictable(&[rules::RM_TWICE, rules::RD, rules::RM]),
    // Multiply and divide.
    row("1111 1011 0000 nnnn 1111 dddd 0000 mmmm", "MUL T2", Op::Mul, "mul%c.w %d, %n, %m")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1011 0000 nnnn aaaa dddd 0000 mmmm", "MLA", Op::Mla, "mla%c %d, %n, %m, %a")
        .except(&[('a', 15)]).unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA_SP]),
    row("1111 1011 0000 nnnn aaaa dddd 0001 mmmm", "MLS", Op::Mls, "mls%c %d, %n, %m, %a")
        .unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA]),
    row("1111 1011 1 000 nnnn llll hhhh 0000 mmmm", "SMULL", Op::Smull, "smull%c %d, %a, %n, %m")
        .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row("1111 1011 1 010 nnnn llll hhhh 0000 mmmm", "UMULL", Op::Umull, "umull%c %d, %a, %n, %m")
        .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row("1111 1011 1 100 nnnn llll hhhh 0000 mmmm", "SMLAL", Op::Smlal, "smlal%c %d, %a, %n, %m")
        .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row("1111 1011 1 110 nnnn llll hhhh 0000 mmmm", "UMLAL", Op::Umlal, "umlal%c %d, %a, %n, %m")
        .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row("1111 1011 1 001 nnnn (1)(1)(1)(1) dddd 1111 mmmm", "SDIV", Op::Sdiv, "sdiv%c %d, %n, %m")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1011 1 011 nnnn (1)(1)(1)(1) dddd 1111 mmmm", "UDIV", Op::Udiv, "udiv%c %d, %n, %m")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    // The undefined space between them.
    undefined("11110 - 1 ---- 1 ---- 0 --- ---- --------", "plain immediate: reserved operation"),
    undefined("11110 - 1 0001 0 ---- 0 --- ---- --------", "plain immediate: reserved operation"),
    undefined("11110 - 1 0011 0 ---- 0 --- ---- --------", "plain immediate: reserved operation"),
    undefined("11110 - 1 0100 0 ---- 0 --- ---- --------", "plain immediate: reserved operation"),
    undefined("11110 - 1 0111 0 ---- 0 --- ---- --------", "plain immediate: reserved operation"),
    undefined("11110 - 1 1111 0 ---- 0 --- ---- --------", "plain immediate: reserved operation"),
    undefined("1111 1010 ---- ---- bbbb ---- ---- ----", "registers: reserved unless bits 15 to 12 are ones")
        .except(&[('b', 15)]),
    undefined("1111 1010 0 --- ---- 1111 ---- 0 ooo ----", "shift by register: reserved operation")
        .except(&[('o', 0)]),
    undefined("1111 1010 0 11 - ---- 1111 ---- 1 --- ----", "extend: reserved operation"),
    undefined("1111 1010 1 --- ---- 1111 ---- 11 -- ----", "registers: reserved operation"),
    undefined("1111 1010 110 - ---- 1111 ---- 10 -- ----", "CRC32: not in this profile"),
    undefined("1111 1010 111 - ---- 1111 ---- 10 -- ----", "registers: reserved operation"),
    undefined("1111 1010 1011 ---- 1111 ---- 10 oo ----", "CLZ's neighbours: reserved").except(&[('o', 0)]),
    undefined("1111 1011 0 --- ---- ---- ---- oo -- ----", "multiply: reserved unless bits 7 and 6 are zeros")
        .except(&[('o', 0)]),
    undefined("1111 1011 0000 ---- ---- ---- 001 - ----", "multiply: reserved operation"),
    undefined("1111 1011 10-0 ---- ---- ---- oooo ----", "long multiply and divide: reserved operation")
        .except(&[('o', 0)]),
    undefined("1111 1011 10-1 ---- ---- ---- oooo ----", "long multiply and divide: reserved operation")
        .except(&[('o', 15)]),
    undefined("1111 1011 1100 ---- ---- ---- 0ooo ----", "long multiply and divide: reserved operation")
        .except(&[('o', 0)]),
    undefined("1111 1011 1101 ---- ---- ---- oooo ----", "long multiply and divide: reserved operation")
        .except(&[('o', 12)]).except(&[('o', 13)]),
    undefined("1111 1011 1110 ---- ---- ---- oooo ----", "long multiply and divide: reserved operation")
        .except(&[('o', 0)]).except(&[('o', 6)]),
    undefined("1111 1011 1111 ---- ---- ---- ---- ----", "long multiply and divide: reserved operation"),
];
