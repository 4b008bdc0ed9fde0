//! Floating-point instructions: who may execute them, what a fault leaves undone, and what goes to and from FPSCR.

use super::*;
use crate::config::{Config, Debugger};
use crate::cores::CoreKind;
use crate::fault::Fault;
use crate::fp::Fpscr;
use crate::testing::{at as register, config, core_as, put};
use crate::timing::Model;

/// vadd.f32 s0, s1, s2
const ADD: [u16; 2] = [0xee30, 0x0a81];

/// A Cortex-M4F before these halfwords, with its extension enabled.
fn float(code: &[u16]) -> Core {
    let mut core = disabled(code);
    put(&mut core, register::CPACR, 0xf << 20);
    core
}

fn disabled(code: &[u16]) -> Core {
    let core = core_as(Config {
        core: CoreKind::CORTEX_M4F,
        model: Model::of(CoreKind::CORTEX_M4F),
        debugger: Debugger::None,
        ..config()
    });
    before(core, code)
}

#[test]
fn a_disabled_extension_raises_nocp() {
    assert_eq!(disabled(&ADD).execute_alone(), Effect::Fault(Fault::NoCp));
    let mut core = disabled(&ADD);
    put(&mut core, register::CPACR, 5 << 20);
    core.regs.unprivileged = true;
    assert_eq!(core.execute_alone(), Effect::Fault(Fault::NoCp));
}

#[test]
fn a_core_without_it_raises_nocp() {
    assert_eq!(at(&ADD).execute_alone(), Effect::Fault(Fault::NoCp));
}

#[test]
fn what_it_does_not_know_is_undefined() {
    // vadd.f64: there is no double precision
    assert_eq!(
        float(&[0xee31, 0x0b02]).execute_alone(),
        Effect::Fault(Fault::UndefInstr)
    );
}

#[test]
fn the_first_instruction_begins_a_context() {
    let mut core = float(&ADD);
    core.regs.s[1..3].copy_from_slice(&[0x3f80_0000, 0x4000_0000]);
    put(&mut core, register::FPDSCR, 3 << 22);
    let core = executed(core, 1);
    assert_eq!((core.regs.s[0], core.regs.control()), (0x4040_0000, 4));
    assert_eq!(core.regs.fpscr.bits(), 3 << 22);
}

#[test]
fn only_bits_that_exist_can_be_written_to_fpscr() {
    let mut core = float(&[0xeee1, 0x0a10, 0xeef1, 0x1a10]); // vmsr fpscr, r0; vmrs r1, fpscr
    core.regs.r[0] = u32::MAX;
    assert_eq!(executed(core, 2).regs.r[1], 0xf7c0_009f);
}

#[test]
fn the_flags_of_a_comparison_reach_apsr_and_leave_q() {
    let mut core = float(&[0xeeb4, 0x0a60, 0xeef1, 0xfa10]); // vcmp.f32 s0, s1; vmrs APSR_nzcv, fpscr
    core.regs.s[0] = 0x8000_0001;
    core.regs.flags = crate::regs::Flags::from_bits(0x7800_0000);
    assert_eq!(executed(core, 2).regs.flags.bits(), 0x8800_0000);
}

#[test]
fn loads_and_stores_want_aligned_addresses() {
    for code in [
        [0xed93, 0x0a00], // vldr s0, [r3]
        [0xed83, 0x0a00], // vstr s0, [r3]
        [0xecb3, 0x2a04], // vldmia r3!, {s4-s7}
        [0xeca3, 0x2a04], // vstmia r3!, {s4-s7}
    ] {
        let mut core = float(&code);
        core.regs.r[3] = DATA + 2;
        let fault = Effect::Fault(Fault::Unaligned(DATA + 2));
        assert_eq!(core.execute_alone(), fault, "{code:x?}");
        assert_eq!(core.regs.r[3], DATA + 2);
    }
}

#[test]
fn a_faulting_vldm_changes_no_register() {
    let mut core = float(&[0xecb3, 0x2a04]);
    let base = crate::testing::BROKEN - 8;
    core.regs.r[3] = base;
    core.regs.s[4..8].copy_from_slice(&[4, 5, 6, 7]);
    assert_eq!(core.execute_alone(), Effect::Fault(Fault::DataBus(base + 8)));
    assert_eq!(
        (core.regs.r[3], &core.regs.s[4..8]),
        (base, [4, 5, 6, 7].as_slice())
    );
}

#[test]
fn a_literal_is_relative_to_the_aligned_pc() {
    // nop; vldr d1, [pc, #4]
    let mut core = float(&[
        0xbf00, 0xed9f, 0x1b01, 0xbf00, 0xbf00, 0xbf00, 0x1234, 0x5678, 0x4321, 0x8765,
    ]);
    core.bus.load(CODE + 8, &[1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(executed(core, 2).regs.s[2..4], [1, 2]);
}

#[test]
fn vpush_and_vpop_are_each_others_inverse() {
    let mut core = float(&[0xed2d, 0x2a04, 0xecbd, 0x4a04]); // vpush {s4-s7}; vpop {s8-s11}
    core.regs.s[4..8].copy_from_slice(&[4, 5, 6, 7]);
    let core = executed(core, 1);
    assert_eq!(
        [16, 12, 8, 4].map(|below| word(&core, RAM + 0x800 - below)),
        [4, 5, 6, 7]
    );
    let core = executed(core, 1);
    assert_eq!(
        (&core.regs.s[8..12], core.regs.r[13]),
        ([4, 5, 6, 7].as_slice(), RAM + 0x800)
    );
}

#[test]
fn vmla_rounds_twice_and_vfma_once() {
    // (1 + 2^-12)^2 - (1 + 2^-11): the product's last bit is lost when it is rounded.
    let run = |code: &[u16]| {
        let mut core = float(code);
        core.regs.s[..3].copy_from_slice(&[0xbf80_1000, 0x3f80_0800, 0x3f80_0800]);
        executed(core, 1).regs
    };
    let twice = run(&[0xee00, 0x0a81]);
    let once = run(&[0xeea0, 0x0a81]);
    assert_eq!((twice.s[0], twice.fpscr.bits()), (0, 0x10));
    assert_eq!((once.s[0], once.fpscr.bits()), (0x3380_0000, 0));
}

#[test]
fn fixed_point_is_rounded_to_nearest_whatever_fpscr_says() {
    let mut core = float(&[0xeeba, 0x0acd]); // vcvt.f32.s32 s0, s0, #6
    core.regs.fp_active = true;
    core.regs.fpscr = Fpscr::from_bits(1 << 22);
    core.regs.s[0] = 0x4807_1cab;
    assert_eq!(executed(core, 1).regs.s[0], 0x4b90_0e39);
}

#[test]
fn a_snapshot_brings_back_the_floating_point_registers() {
    let mut core = executed(float(&ADD), 1);
    let saved = core.snapshot();
    core.regs.s[5] = 9;
    core.regs.fpscr = Fpscr::from_bits(0x10);
    put(&mut core, register::CPACR, 0);
    core.rewind(&saved);
    assert_eq!((core.regs.s[5], core.regs.fpscr.bits()), (0, 0));
    core.regs.r[15] = CODE;
    assert_eq!(core.execute_alone(), Effect::Done);
}
