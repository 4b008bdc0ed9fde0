//! IT blocks.

use super::*;
use crate::regs::Flags;

const Z: u32 = 1 << 30;

fn with_flags(code: &[u16], flags: u32) -> Core {
    let mut core = at(code);
    core.regs.flags = Flags::from_bits(flags);
    core
}

#[test]
fn a_condition_that_fails_skips_and_the_next_one_counts_anew() {
    let mut core = with_flags(&[0xbf0c, 0x2101, 0x2202], 0); // ite eq; moveq r1, #1; movne r2, #2
    assert_eq!(core.execute_alone(), Effect::Done);
    assert_eq!((core.execute_alone(), core.regs.r[1]), (Effect::Skipped, 0));
    assert_eq!((core.execute_alone(), core.regs.r[2]), (Effect::Done, 2));
    assert_eq!(core.regs.it, 0);
}

#[test]
fn sixteen_bit_arithmetic_sets_no_flags_inside() {
    let core = executed(with_flags(&[0xbf08, 0x2101], Z), 2); // it eq; moveq r1, #1
    assert_eq!(core.regs.flags.bits(), Z);
    let core = executed(with_flags(&[0x2101], Z), 1); // movs r1, #1
    assert_eq!(core.regs.flags.bits(), 0);
}

#[test]
fn a_comparison_inside_decides_about_the_rest() {
    // itt eq; cmpeq r1, #1; moveq r2, #2
    let mut core = with_flags(&[0xbf04, 0x2901, 0x2202], Z);
    let outcomes = [core.execute_alone(), core.execute_alone(), core.execute_alone()];
    assert_eq!(outcomes, [Effect::Done, Effect::Done, Effect::Skipped]);
}

#[test]
fn bkpt_has_no_condition() {
    let mut core = with_flags(&[0xbf08, 0xbe05], 0); // it eq; bkpt #5
    core.execute_alone();
    assert_eq!(core.execute_alone(), Effect::Breakpoint(5));
}

#[test]
fn what_jumps_may_only_stand_last() {
    let mut core = with_flags(&[0xbf04, 0x4770, 0xbf00], Z); // itt eq; bxeq lr; nop
    core.execute_alone();
    assert_eq!(
        unpredictable(&core.execute_alone()),
        Some("it may not stand at this place of an IT block")
    );
    let mut core = with_flags(&[0xbf08, 0x4770], Z); // it eq; bxeq lr
    core.regs.r[14] = 0x2001;
    let core = executed(core, 2);
    assert_eq!((core.regs.r[15], core.regs.it), (0x2000, 0));
}

#[test]
fn cbz_may_not_stand_inside() {
    let mut core = with_flags(&[0xbf08, 0xb100], Z); // it eq; cbz r0, ...
    core.execute_alone();
    assert!(unpredictable(&core.execute_alone()).is_some());
}

#[test]
fn a_skipped_write_leaves_sp() {
    let mut core = with_flags(&[0xbf08, 0x46a5], 0); // it eq; moveq sp, r4
    core.regs.r[4] = 0x1003;
    let sp = core.regs.r[13];
    core.execute_alone();
    assert_eq!((core.execute_alone(), core.regs.r[13]), (Effect::Skipped, sp));
    core.regs.flags = Flags::from_bits(Z);
    (core.regs.r[15], core.regs.it) = (CODE, 0);
    assert_eq!(executed(core, 2).regs.r[13], 0x1000);
}
