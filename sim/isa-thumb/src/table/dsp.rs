//! The DSP extension (ARMv7E-M), and its space on a core without it (ARMv7-M ARM A5.3.11 to A5.3.17).
//!
//! The instruction rows exist only with the extension, the undefined rows only without it.

use super::row::{Form, Row, row, undefined};
use super::rules;
use crate::{Op, Shift};

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    // Packing and saturating.
    row("1110 101 0110 0 nnnn (0) iii dddd ii 00 mmmm", "PKHBT", Op::Pkhbt, "pkhbt%c %d, %n, %m%p")
        .form(Form::ShiftedBy(Shift::Lsl)).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1110 101 0110 0 nnnn (0) iii dddd ii 10 mmmm", "PKHTB", Op::Pkhtb, "pkhtb%c %d, %n, %m%p")
        .form(Form::ShiftedBy(Shift::Asr)).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("11110 (0) 11 0010 nnnn 0 000 dddd 00 (0)(0) wwww", "SSAT16", Op::Ssat16, "ssat16%c %d, %i, %n")
        .form(Form::SaturateHalves).unpredictable(&[rules::RD, rules::RN]),
    row("11110 (0) 11 1010 nnnn 0 000 dddd 00 (0)(0) wwww", "USAT16", Op::Usat16, "usat16%c %d, %i, %n")
        .form(Form::SaturateHalves).unpredictable(&[rules::RD, rules::RN]),
    // Extend, and add.
    row("1111 1010 0 000 nnnn 1111 dddd 1 (0) ii mmmm", "SXTAH", Op::Sxtah, "sxtah%c %d, %n, %m%p")
        .form(Form::Rotate).except(&[('n', 15)]).unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row("1111 1010 0 001 nnnn 1111 dddd 1 (0) ii mmmm", "UXTAH", Op::Uxtah, "uxtah%c %d, %n, %m%p")
        .form(Form::Rotate).except(&[('n', 15)]).unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row("1111 1010 0 010 nnnn 1111 dddd 1 (0) ii mmmm", "SXTAB16", Op::Sxtab16, "sxtab16%c %d, %n, %m%p")
        .form(Form::Rotate).except(&[('n', 15)]).unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row("1111 1010 0 010 1111 1111 dddd 1 (0) ii mmmm", "SXTB16", Op::Sxtab16, "sxtb16%c %d, %m%p")
        .form(Form::Rotate).unpredictable(&[rules::RD, rules::RM]),
    row("1111 1010 0 011 nnnn 1111 dddd 1 (0) ii mmmm", "UXTAB16", Op::Uxtab16, "uxtab16%c %d, %n, %m%p")
        .form(Form::Rotate).except(&[('n', 15)]).unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row("1111 1010 0 011 1111 1111 dddd 1 (0) ii mmmm", "UXTB16", Op::Uxtab16, "uxtb16%c %d, %m%p")
        .form(Form::Rotate).unpredictable(&[rules::RD, rules::RM]),
    row("1111 1010 0 100 nnnn 1111 dddd 1 (0) ii mmmm", "SXTAB", Op::Sxtab, "sxtab%c %d, %n, %m%p")
        .form(Form::Rotate).except(&[('n', 15)]).unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    row("1111 1010 0 101 nnnn 1111 dddd 1 (0) ii mmmm", "UXTAB", Op::Uxtab, "uxtab%c %d, %n, %m%p")
        .form(Form::Rotate).except(&[('n', 15)]).unpredictable(&[rules::RD, rules::RN_SP, rules::RM]),
    // Parallel additions and subtractions: signed, saturating, halving; then the unsigned ones.
    row("1111 1010 1 000 nnnn 1111 dddd 0 ppp mmmm", "SADD8 and its like", Op::Add8, "%Padd8%c %d, %n, %m")
        .form(Form::Parallel).except(&[('p', 3)]).except(&[('p', 7)]).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1 001 nnnn 1111 dddd 0 ppp mmmm", "SADD16 and its like", Op::Add16, "%Padd16%c %d, %n, %m")
        .form(Form::Parallel).except(&[('p', 3)]).except(&[('p', 7)]).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1 010 nnnn 1111 dddd 0 ppp mmmm", "SASX and its like", Op::Asx, "%Pasx%c %d, %n, %m")
        .form(Form::Parallel).except(&[('p', 3)]).except(&[('p', 7)]).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1 100 nnnn 1111 dddd 0 ppp mmmm", "SSUB8 and its like", Op::Sub8, "%Psub8%c %d, %n, %m")
        .form(Form::Parallel).except(&[('p', 3)]).except(&[('p', 7)]).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1 101 nnnn 1111 dddd 0 ppp mmmm", "SSUB16 and its like", Op::Sub16, "%Psub16%c %d, %n, %m")
        .form(Form::Parallel).except(&[('p', 3)]).except(&[('p', 7)]).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1 110 nnnn 1111 dddd 0 ppp mmmm", "SSAX and its like", Op::Sax, "%Psax%c %d, %n, %m")
        .form(Form::Parallel).except(&[('p', 3)]).except(&[('p', 7)]).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1000 nnnn 1111 dddd 1000 mmmm", "QADD", Op::Qadd, "qadd%c %d, %m, %n")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1000 nnnn 1111 dddd 1001 mmmm", "QDADD", Op::Qdadd, "qdadd%c %d, %m, %n")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1000 nnnn 1111 dddd 1010 mmmm", "QSUB", Op::Qsub, "qsub%c %d, %m, %n")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1000 nnnn 1111 dddd 1011 mmmm", "QDSUB", Op::Qdsub, "qdsub%c %d, %m, %n")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1010 1010 nnnn 1111 dddd 1000 mmmm", "SEL", Op::Sel, "sel%c %d, %n, %m")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    // Halfword multiplications: `amount` bit 1 selects the upper half of Rn, bit 0 that of Rm.
    row("1111 1011 0001 nnnn aaaa dddd 00 pp mmmm", "SMLABB and its like", Op::Smlaxy, "smla%q%c %d, %n, %m, %a")
        .form(Form::Variant).except(&[('a', 15)]).unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA_SP]),
    row("1111 1011 0001 nnnn 1111 dddd 00 pp mmmm", "SMULBB and its like", Op::Smulxy, "smul%q%c %d, %n, %m")
        .form(Form::Variant).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1011 0011 nnnn aaaa dddd 000 p mmmm", "SMLAWB, SMLAWT", Op::Smlaw, "smlaw%X%c %d, %n, %m, %a")
        .form(Form::Variant).except(&[('a', 15)]).unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA_SP]),
    row("1111 1011 0011 nnnn 1111 dddd 000 p mmmm", "SMULWB, SMULWT", Op::Smulw, "smulw%X%c %d, %n, %m")
        .form(Form::Variant).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1011 1100 nnnn llll hhhh 10 pp mmmm", "SMLALBB and its like", Op::Smlalxy, "smlal%q%c %d, %a, %n, %m")
        .form(Form::Variant).unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    // Two products at once: `amount` 1 exchanges the halves of Rm.
    row("1111 1011 0010 nnnn aaaa dddd 000 p mmmm", "SMLAD, SMLADX", Op::Smlad, "smlad%E%c %d, %n, %m, %a")
        .form(Form::Variant).except(&[('a', 15)]).unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA_SP]),
    row("1111 1011 0010 nnnn 1111 dddd 000 p mmmm", "SMUAD, SMUADX", Op::Smuad, "smuad%E%c %d, %n, %m")
        .form(Form::Variant).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1011 0100 nnnn aaaa dddd 000 p mmmm", "SMLSD, SMLSDX", Op::Smlsd, "smlsd%E%c %d, %n, %m, %a")
        .form(Form::Variant).except(&[('a', 15)]).unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA_SP]),
    row("1111 1011 0100 nnnn 1111 dddd 000 p mmmm", "SMUSD, SMUSDX", Op::Smusd, "smusd%E%c %d, %n, %m")
        .form(Form::Variant).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1011 1100 nnnn llll hhhh 110 p mmmm", "SMLALD, SMLALDX", Op::Smlald, "smlald%E%c %d, %a, %n, %m")
        .form(Form::Variant).unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    row("1111 1011 1101 nnnn llll hhhh 110 p mmmm", "SMLSLD, SMLSLDX", Op::Smlsld, "smlsld%E%c %d, %a, %n, %m")
        .form(Form::Variant).unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    // The upper half of a product: `amount` 1 rounds.
    row("1111 1011 0101 nnnn aaaa dddd 000 p mmmm", "SMMLA, SMMLAR", Op::Smmla, "smmla%r%c %d, %n, %m, %a")
        .form(Form::Variant).except(&[('a', 15)]).unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA_SP]),
    row("1111 1011 0101 nnnn 1111 dddd 000 p mmmm", "SMMUL, SMMULR", Op::Smmul, "smmul%r%c %d, %n, %m")
        .form(Form::Variant).unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1011 0110 nnnn aaaa dddd 000 p mmmm", "SMMLS, SMMLSR", Op::Smmls, "smmls%r%c %d, %n, %m, %a")
        .form(Form::Variant).unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA]),
    // Sums of absolute differences, and the longest sum.
    row("1111 1011 0111 nnnn aaaa dddd 0000 mmmm", "USADA8", Op::Usada8, "usada8%c %d, %n, %m, %a")
        .except(&[('a', 15)]).unpredictable(&[rules::RD, rules::RN, rules::RM, rules::RA_SP]),
    row("1111 1011 0111 nnnn 1111 dddd 0000 mmmm", "USAD8", Op::Usad8, "usad8%c %d, %n, %m")
        .unpredictable(&[rules::RD, rules::RN, rules::RM]),
    row("1111 1011 1110 nnnn llll hhhh 0110 mmmm", "UMAAL", Op::Umaal, "umaal%c %d, %a, %n, %m")
        .unpredictable(&[rules::RDLO, rules::RDHI, rules::RN, rules::RM, rules::SAME_HALVES]),
    // Without the extension.
    undefined("1110 101 0110 - ---- - --- ---- -- -- ----", "PKHBT, PKHTB need the DSP extension").without_dsp(),
    undefined("11110 - 11 0010 ---- 0 000 ---- 00 ------", "SSAT16 needs the DSP extension").without_dsp(),
    undefined("11110 - 11 1010 ---- 0 000 ---- 00 ------", "USAT16 needs the DSP extension").without_dsp(),
    // Without an addend these are SXTH, UXTH, SXTB and UXTB of the base instruction set.
    undefined("1111 1010 000 - nnnn 1111 ---- 1 --- ----", "SXTAH, UXTAH need the DSP extension")
        .except(&[('n', 15)]).without_dsp(),
    undefined("1111 1010 001 - ---- 1111 ---- 1 --- ----", "SXTAB16, SXTB16, UXTAB16, UXTB16 need the DSP extension")
        .without_dsp(),
    undefined("1111 1010 010 - nnnn 1111 ---- 1 --- ----", "SXTAB, UXTAB need the DSP extension")
        .except(&[('n', 15)]).without_dsp(),
    undefined("1111 1010 1 --- ---- 1111 ---- 0 --- ----", "parallel additions and subtractions need the DSP extension")
        .without_dsp(),
    undefined("1111 1010 1000 ---- 1111 ---- 10 -- ----", "QADD and its like need the DSP extension").without_dsp(),
    undefined("1111 1010 1010 ---- 1111 ---- 10 -- ----", "SEL needs the DSP extension").without_dsp(),
    undefined("1111 1011 0 oo - ---- ---- ---- 00 -- ----", "multiplications of halfwords need the DSP extension")
        .except(&[('o', 0)]).without_dsp(),
    undefined("1111 1011 0001 ---- ---- ---- 00 -- ----", "multiplications of halfwords need the DSP extension")
        .without_dsp(),
    undefined("1111 1011 1100 ---- ---- ---- 1 --- ----", "long multiplications of halfwords need the DSP extension")
        .without_dsp(),
    undefined("1111 1011 1101 ---- ---- ---- 110 - ----", "long multiplications of halfwords need the DSP extension")
        .without_dsp(),
    undefined("1111 1011 1110 ---- ---- ---- 0110 ----", "UMAAL needs the DSP extension").without_dsp(),
];
