//! Special registers, masks, and instructions that ask the engine for something.

use super::*;
use crate::regs::Flags;

/// mrs r0, number
fn mrs(number: u16) -> [u16; 2] {
    [0xf3ef, 0x8000 | number]
}

/// msr number, r0
fn msr(number: u16) -> [u16; 2] {
    [0xf380, 0x8800 | number]
}

fn after_msr(mut core: Core, number: u16, value: u32) -> Core {
    put_code(&mut core, &msr(number));
    core.regs.r[0] = value;
    core.regs.r[15] = CODE;
    executed(core, 1)
}

fn read_by_mrs(mut core: Core, number: u16) -> u32 {
    put_code(&mut core, &mrs(number));
    core.regs.r[15] = CODE;
    executed(core, 1).regs.r[0]
}

#[test]
fn the_views_of_xpsr_show_flags_and_exception_number_but_never_epsr() {
    let mut core = in_handler(&[]);
    core.regs.flags = Flags::from_bits(0xf800_0000);
    let values = [0, 1, 2, 3, 5, 6, 7].map(|number| read_by_mrs(core.clone(), number));
    let (apsr, ipsr) = (0xf800_0000, 16);
    assert_eq!(values, [apsr, apsr | ipsr, apsr, apsr | ipsr, ipsr, 0, ipsr]);
}

#[test]
fn msr_to_xpsr_writes_the_flags_alone() {
    for number in 0..4 {
        let core = after_msr(at(&[]), number, u32::MAX);
        assert_eq!(
            (core.regs.flags.bits(), core.regs.ipsr, core.regs.it),
            (0xf800_0000, 0, 0)
        );
    }
    for number in 5..8 {
        let mut core = at(&[]);
        core.regs.flags = Flags::from_bits(0);
        let core = after_msr(core, number, u32::MAX);
        assert_eq!((core.regs.flags.bits(), core.regs.ipsr), (0, 0));
    }
}

#[test]
fn both_stack_pointers_can_be_written_whichever_is_in_use() {
    for process in [false, true] {
        let mut core = at(&[]);
        core.regs.process_stack = process;
        let core = after_msr(after_msr(core, 8, 0x2000_0403), 9, 0x2000_0502);
        assert_eq!(
            core.regs.stack_pointers(),
            (0x2000_0400, 0x2000_0500),
            "bits 1 and 0 do not exist"
        );
        assert_eq!(core.regs.r[13], if process { 0x2000_0500 } else { 0x2000_0400 });
        assert_eq!(
            (read_by_mrs(core.clone(), 8), read_by_mrs(core, 9)),
            (0x2000_0400, 0x2000_0500)
        );
    }
}

#[test]
fn unprivileged_code_reads_zero_and_writes_nothing_but_flags() {
    let mut core = at(&[]);
    core.regs.unprivileged = true;
    core.regs.primask = true;
    core.regs.basepri = 0x40;
    assert_eq!(
        [8, 9, 16, 17, 18, 19].map(|number| read_by_mrs(core.clone(), number)),
        [0; 6]
    );
    assert_eq!(read_by_mrs(core.clone(), 20), 1, "CONTROL is for everybody");
    for number in [8, 9, 16, 17, 18, 19, 20] {
        let after = after_msr(core.clone(), number, 0x2000_0000);
        assert_eq!(after.regs.stack_pointers(), core.regs.stack_pointers());
        assert_eq!(
            (after.regs.primask, after.regs.basepri, after.regs.faultmask),
            (true, 0x40, false)
        );
        assert!(after.regs.unprivileged);
    }
    put_code(&mut core, &[0xb662]); // cpsie i
    assert!(executed(core, 1).regs.primask);
}

#[test]
fn basepri_keeps_the_implemented_bits() {
    let mut core = at(&[]);
    core.config.priority_bits = 4;
    assert_eq!(after_msr(core, 17, 0x1ff).regs.basepri, 0xf0);
}

#[test]
fn basepri_max_only_raises_the_priority() {
    let mut core = at(&[]);
    core.config.priority_bits = 4;
    let after = |old, value| {
        let mut core = core.clone();
        core.regs.basepri = old;
        after_msr(core, 18, value).regs.basepri
    };
    assert_eq!(after(0, 0x80), 0x80, "from nothing to anything");
    assert_eq!(after(0x80, 0x40), 0x40);
    assert_eq!(after(0x40, 0x80), 0x40, "not lower");
    assert_eq!(after(0x40, 0), 0x40, "not off");
    assert_eq!(
        after(0x40, 0x0f),
        0,
        "what is not implemented counts, and is zero"
    );
    assert_eq!(after(0x40, 0x4f), 0x40);
}

#[test]
fn spsel_switches_the_stack_in_thread_mode_only() {
    let mut core = at(&[]);
    core.regs.other_sp = RAM + 0x400;
    let thread = after_msr(core.clone(), 20, 2);
    assert_eq!(
        (thread.regs.r[13], thread.regs.stack_pointers()),
        (RAM + 0x400, (RAM + 0x800, RAM + 0x400))
    );
    core.regs.ipsr = 16;
    let handler = after_msr(core, 20, 3);
    assert_eq!(handler.regs.r[13], RAM + 0x800);
    assert_eq!(
        (handler.regs.process_stack, handler.regs.unprivileged),
        (false, true)
    );
}

#[test]
fn cps_writes_the_masks_that_it_names() {
    let core = executed(at(&[0xb672]), 1); // cpsid i
    assert_eq!((core.regs.primask, core.regs.faultmask), (true, false));
    let core = executed(at(&[0xb671]), 1); // cpsid f
    assert_eq!((core.regs.primask, core.regs.faultmask), (false, true));
    let core = executed(at(&[0xb673, 0xb663]), 2); // cpsid if; cpsie if
    assert_eq!((core.regs.primask, core.regs.faultmask), (false, false));
}

#[test]
fn faultmask_cannot_be_set_in_hard_fault_or_nmi() {
    for (exception, allowed) in [(2, false), (3, false), (4, true)] {
        let mut core = at(&[0xb671]); // cpsid f
        core.regs.ipsr = exception;
        assert_eq!(executed(core.clone(), 1).regs.faultmask, allowed);
        assert_eq!(after_msr(core, 19, 1).regs.faultmask, allowed);
    }
}

#[test]
fn exceptions_on_purpose_are_left_to_the_engine() {
    assert_eq!(at(&[0xdf07]).execute_alone(), Effect::SupervisorCall);
    assert_eq!(at(&[0xbeab]).execute_alone(), Effect::Breakpoint(0xab));
    assert_eq!(at(&[0xbf30]).execute_alone(), Effect::Wait); // wfi
}

#[test]
fn an_event_lets_wfe_go_on_once() {
    let mut core = executed(at(&[0xbf40, 0xbf20, 0xbf20]), 2); // sev; wfe; wfe
    assert_eq!(core.execute_alone(), Effect::Wait);
}

#[test]
fn hints_and_barriers_do_nothing() {
    let codes: [&[u16]; 8] = [
        &[0xbf00],
        &[0xbf10],
        &[0xf3af, 0x80f0], // dbg #0
        &[0xf3bf, 0x8f4f], // dsb
        &[0xf3bf, 0x8f5f], // dmb
        &[0xf3bf, 0x8f6f], // isb
        &[0xf893, 0xf000], // pld [r3]
        &[0xf993, 0xf000], // pli [r3]
    ];
    for code in codes {
        let mut core = at(code);
        core.regs.r[3] = 0x6000_0000;
        let before = core.regs.clone();
        let after = executed(core, 1).regs;
        assert_eq!(after.r[..15], before.r[..15], "{code:x?}");
        assert_eq!(after.xpsr(), before.xpsr(), "{code:x?}");
    }
}

#[test]
fn a_stack_that_begins_where_another_one_ends_is_one_of_its_own() {
    const TOP: u32 = RAM + 0x200;
    // push {r4}; mov sp, r0; push {r4}
    let mut core = at(&[0xb410, 0x4685, 0xb410]);
    core.regs.r[13] = TOP;
    core.regs.r[0] = TOP - 0x40;
    core.set_variables(vec![(TOP - 0x40, TOP), (TOP - 0x80, TOP - 0x40)]);
    let core = executed(core, 3);
    assert_eq!((core.regs.r[13], core.stack_overrun()), (TOP - 0x44, None));
}
