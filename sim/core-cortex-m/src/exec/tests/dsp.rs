//! The DSP extension: results by hand from the manual's pseudocode (ARMv7-M ARM A7.7), and the GE flags on their way.

use super::*;
use crate::cores::CoreKind;
use crate::regs::Flags;
use crate::testing::{config, core_as, enter_at};
use crate::timing::Model;

const Q: u32 = 1 << 27;
const ALL: u32 = u32::MAX;

fn of_kind(kind: CoreKind, code: &[u16]) -> Core {
    let mut core = core_as(crate::Config {
        core: kind,
        model: Model::of(kind),
        ..config()
    });
    put_code(&mut core, code);
    core.regs.r[13] = RAM + 0x800;
    core.regs.r[15] = CODE;
    core
}

fn m4(code: &[u16]) -> Core {
    of_kind(CoreKind::CORTEX_M4, code)
}

/// The core after one instruction with these values of R0 to R3 and all flags clear.
fn after(code: [u16; 2], registers: [u32; 4]) -> Core {
    let mut core = m4(&code);
    core.regs.r[..4].copy_from_slice(&registers);
    core.regs.flags = Flags::from_bits(0);
    executed(core, 1)
}

/// An instruction with R1, R2, R3; its result in R0 and the flags, none of which was set.
type Case = ([u16; 2], [u32; 3], u32, u32);

fn check(cases: &[Case]) {
    for &(code, [r1, r2, r3], result, flags) in cases {
        let core = after(code, [0, r1, r2, r3]);
        assert_eq!(core.regs.r[0], result, "{code:x?}");
        assert_eq!(core.regs.flags.bits(), flags, "{code:x?}");
    }
}

#[test]
fn parallel_arithmetic_sets_ge_where_it_wraps_around() {
    check(&[
        // sadd8, uadd8 r0, r1, r2
        (
            [0xfa81, 0xf002],
            [0x7f80_01ff, 0x0180_ff01, 0],
            0x8000_0000,
            0b1011 << 16,
        ),
        (
            [0xfa81, 0xf042],
            [0x7f80_01ff, 0x0180_ff01, 0],
            0x8000_0000,
            0b0111 << 16,
        ),
        // ssub16, usub16
        ([0xfad1, 0xf002], [0x0001_8000, 0x0002_7fff, 0], 0xffff_0001, 0),
        (
            [0xfad1, 0xf042],
            [0x0001_8000, 0x0002_7fff, 0],
            0xffff_0001,
            0b0011 << 16,
        ),
        // sasx, ssax
        (
            [0xfaa1, 0xf002],
            [0x0005_0003, 0x0001_0002, 0],
            0x0007_0002,
            0b1111 << 16,
        ),
        (
            [0xfae1, 0xf002],
            [0x0005_0003, 0x0001_0002, 0],
            0x0003_0004,
            0b1111 << 16,
        ),
    ]);
}

#[test]
fn saturating_and_halving_arithmetic_sets_no_flag() {
    check(&[
        ([0xfa91, 0xf012], [0x7fff_8000, 0x0001_ffff, 0], 0x7fff_8000, 0), // qadd16
        ([0xfac1, 0xf052], [0x0102_0304, 0x0201_0403, 0], 0x0001_0001, 0), // uqsub8
        ([0xfa81, 0xf062], [ALL, ALL, 0], ALL, 0),                         // uhadd8
        ([0xfa91, 0xf022], [0x8000_7fff, 0x8000_0000, 0], 0x8000_3fff, 0), // shadd16
    ]);
}

#[test]
fn single_saturating_arithmetic_sets_q() {
    check(&[
        ([0xfa81, 0xf082], [0x7fff_ffff, 1, 0], 0x7fff_ffff, Q), // qadd r0, r2, r1
        ([0xfa81, 0xf0a2], [1, 0x8000_0000, 0], 0x8000_0000, Q), // qsub
        ([0xfa81, 0xf092], [0xc000_0000, 0, 0], 0x8000_0000, 0), // qdadd
        ([0xfa81, 0xf0b2], [0x4000_0000, 0, 0], 0x8000_0001, Q), // qdsub: the doubling saturates
        ([0xf321, 0x0003], [0x0008_fff7, 0, 0], 0x0007_fff8, Q), // ssat16 r0, #4, r1
        ([0xf3a1, 0x0004], [0x0008_fff7, 0, 0], 0x0008_0000, Q), // usat16 r0, #4, r1
        ([0xf3a1, 0x0004], [0x0008_000f, 0, 0], 0x0008_000f, 0),
    ]);
}

#[test]
fn packing_and_extending() {
    check(&[
        ([0xeac1, 0x2002], [0x0000_abcd, 0x0012_3456, 0], 0x1234_abcd, 0), // pkhbt r0, r1, r2, lsl #8
        ([0xeac1, 0x0022], [0x1234_0000, 0x8000_0000, 0], 0x1234_ffff, 0), // pkhtb r0, r1, r2, asr #32
        ([0xfa41, 0xf092], [1, 0x8000, 0], 0xffff_ff81, 0),                // sxtab r0, r1, r2, ror #8
        ([0xfa11, 0xf082], [1, 0xffff, 0], 0x0001_0000, 0),                // uxtah
        ([0xfa31, 0xf082], [0x0001_ffff, 0x00ff_00ff, 0], 0x0100_00fe, 0), // uxtab16
        ([0xfa2f, 0xf082], [0, 0x0080_007f, 0], 0xff80_007f, 0),           // sxtb16
    ]);
}

#[test]
fn products_and_sums_that_do_not_fit_set_q() {
    check(&[
        ([0xfb11, 0x3002], [0xffff, 2, 0x8000_0000], 0x7fff_fffe, Q), // smlabb r0, r1, r2, r3
        ([0xfb11, 0xf032], [0x8000_0000, 0x8000_0000, 0], 0x4000_0000, 0), // smultt
        ([0xfb31, 0xf002], [0x0001_0000, 0xfffe, 0], 0xffff_fffe, 0), // smulwb
        (
            [0xfb31, 0x3012],
            [0x7fff_ffff, 0x7fff_0000, 0x7fff_ffff],
            0xbfff_7ffe,
            Q,
        ), // smlawt
        ([0xfb21, 0xf002], [0x8000_8000, 0x8000_8000, 0], 0x8000_0000, Q), // smuad
        ([0xfb41, 0xf012], [0x0002_0003, 0x0005_0007, 0], 1, 0),      // smusdx
        (
            [0xfb41, 0x3002],
            [0x8000_0000, 0x8000_0000, 0x8000_0000],
            0x4000_0000,
            Q,
        ), // smlsd
        ([0xfb51, 0xf002], [0x4000_0000, 2, 0], 0, 0),                // smmul
        ([0xfb51, 0xf012], [0x4000_0000, 2, 0], 1, 0),                // smmulr
        ([0xfb51, 0x3002], [0x4000_0000, 4, 5], 6, 0),                // smmla
        ([0xfb61, 0x3002], [1, 1, 1], 0, 0),                          // smmls
        ([0xfb71, 0xf002], [0x0102_03ff, 0x0201_0300, 0], 257, 0),    // usad8
        ([0xfb71, 0x3002], [0x0102_03ff, 0x0201_0300, ALL], 256, 0),  // usada8
    ]);
}

#[test]
fn long_sums_take_both_words_and_set_no_flag() {
    let cases = [
        ([0xfbc1, 0x0392], [0, 0xffff, 0x0001_0000, 0], [ALL, ALL]), // smlalbt r0, r3, r1, r2
        (
            [0xfbc1, 0x03c2],
            [0, 0x8000_8000, 0x8000_8000, 0],
            [0x8000_0000, 0],
        ), // smlald
        ([0xfbd1, 0x03d2], [ALL, 0x0002_0003, 0x0005_0007, 0], [0, 1]), // smlsldx
        ([0xfbe1, 0x0362], [ALL, ALL, ALL, ALL], [ALL, ALL]),        // umaal
    ];
    for (code, registers, [low, high]) in cases {
        let core = after(code, registers);
        assert_eq!((core.regs.r[0], core.regs.r[3]), (low, high), "{code:x?}");
        assert_eq!(core.regs.flags.bits(), 0, "{code:x?}");
    }
}

#[test]
fn sel_takes_the_bytes_that_ge_names() {
    let mut core = m4(&[0xfaa1, 0xf082]); // sel r0, r1, r2
    (core.regs.r[1], core.regs.r[2]) = (0x1122_3344, 0xaabb_ccdd);
    core.regs.flags.ge = 0b1010;
    assert_eq!(executed(core, 1).regs.r[0], 0x11bb_33dd);
}

#[test]
fn msr_writes_the_parts_of_apsr_that_its_mask_names() {
    for (mask, written) in [(0x400, 0x000f_0000), (0x800, 0xf800_0000), (0xc00, 0xf80f_0000)] {
        // msr APSR_g, APSR_nzcvq or APSR_nzcvqg, r1; mrs r0, APSR
        let mut core = m4(&[0xf381, 0x8000 | mask, 0xf3ef, 0x8000]);
        core.regs.flags = Flags::from_bits(0);
        core.regs.r[1] = ALL;
        assert_eq!(executed(core, 2).regs.r[0], written);
    }
}

#[test]
fn ge_survives_an_exception() {
    let mut core = m4(&[0xbf00]);
    core.regs.flags.ge = 0b0110;
    core.sys.pend(14);
    enter_at(&mut core, CODE);
    let stacked = word(&core, core.regs.r[13] + 28);
    assert_eq!(stacked >> 16 & 15, 0b0110);
}

#[test]
fn without_the_extension_its_instructions_are_undefined() {
    for code in [
        [0xfa81, 0xf002],
        [0xfb11, 0x3002],
        [0xfbe1, 0x0362],
        [0xeac1, 0x2002],
    ] {
        let mut core = at(&code);
        assert_eq!(
            core.execute_alone(),
            Effect::Fault(crate::Fault::UndefInstr),
            "{code:x?}"
        );
    }
}
