//! Priorities of exceptions, and wake-up.

use proptest::prelude::*;

use crate::testing::{at, core, pend, put};

/// Sets PRIGROUP: this bit of a priority and those below do not count for pre-emption.
fn group(core: &mut crate::core::Core, bits: u32) {
    put(core, at::AIRCR, 0x05fa_0000 | bits << 8);
}

#[test]
fn the_lowest_priority_value_goes_first_then_the_lowest_number() {
    let mut core = core();
    pend(&mut core, 18, 0x40);
    pend(&mut core, 17, 0x40);
    pend(&mut core, 16, 0x80);
    assert_eq!(core.pending_exception(), Some(17));
    pend(&mut core, 14, 0x40);
    assert_eq!(core.pending_exception(), Some(14));
    core.sys.pend(2);
    assert_eq!(core.pending_exception(), Some(2));
}

#[test]
fn only_what_is_pending_and_enabled_is_taken() {
    let mut core = core();
    core.sys.pend(16);
    assert_eq!(core.pending_exception(), None);
    core.sys.exceptions.set_enabled(16, true);
    assert_eq!(core.pending_exception(), Some(16));
    core.sys.exceptions.unpend(16);
    assert_eq!(core.pending_exception(), None);
}

#[test]
fn an_active_exception_is_pre_empted_by_a_higher_group_only() {
    // PRIGROUP, priority of the active exception, of the pending one, and whether that pre-empts.
    for (bits, active, pending, pre_empts) in [
        (0, 0x80, 0x7e, true),
        (0, 0x80, 0x80, false),
        (0, 0x81, 0x80, false),
        (3, 0x85, 0x80, false),
        (3, 0x85, 0x7f, true),
        (6, 0x80, 0x7f, true),
        (6, 0xff, 0x80, false),
        (7, 0xff, 0x00, false),
    ] {
        let mut core = core();
        group(&mut core, bits);
        pend(&mut core, 20, active);
        core.sys.exceptions.activate(20);
        pend(&mut core, 21, pending);
        let expected = pre_empts.then_some(21);
        assert_eq!(
            core.pending_exception(),
            expected,
            "PRIGROUP {bits}: {pending:#x} against {active:#x}"
        );
    }
}

#[test]
fn the_subpriority_decides_among_pending_ones() {
    let mut core = core();
    group(&mut core, 3);
    pend(&mut core, 20, 0x85);
    pend(&mut core, 21, 0x84);
    assert_eq!(core.pending_exception(), Some(21));
}

#[test]
fn primask_leaves_nmi_and_hard_fault() {
    let mut core = core();
    core.regs.primask = true;
    pend(&mut core, 20, 0);
    assert_eq!(core.pending_exception(), None);
    core.sys.pend(3);
    assert_eq!(core.pending_exception(), Some(3));
    core.regs.faultmask = true;
    assert_eq!(core.pending_exception(), None);
    core.sys.pend(2);
    assert_eq!(core.pending_exception(), Some(2));
}

#[test]
fn basepri_masks_its_own_priority_and_below() {
    let mut core = core();
    pend(&mut core, 20, 0x40);
    for (base, taken) in [
        (0, true),
        (0x42, true),
        (0x41, false),
        (0x40, false),
        (0x3f, false),
    ] {
        core.regs.basepri = base;
        assert_eq!(core.pending_exception().is_some(), taken, "BASEPRI {base:#x}");
    }
    group(&mut core, 3);
    core.regs.basepri = 0x4f;
    assert_eq!(core.pending_exception(), None, "BASEPRI counts by group too");
}

#[test]
fn nested_exceptions_hold_the_highest_of_their_priorities() {
    let mut core = core();
    for (number, priority) in [(20, 0x80), (21, 0x40), (22, 0xc0)] {
        pend(&mut core, number, priority);
        core.sys.exceptions.activate(number);
    }
    assert_eq!(core.execution_priority(), 0x40);
    core.sys.exceptions.deactivate(21);
    assert_eq!(core.execution_priority(), 0x80);
}

#[test]
fn wfi_ends_with_what_primask_alone_holds_back() {
    let mut core = core();
    pend(&mut core, 20, 0x40);
    core.regs.primask = true;
    assert_eq!(core.pending_exception(), None);
    assert!(core.would_wake());
    core.regs.basepri = 0x40;
    assert!(!core.would_wake(), "BASEPRI holds it back as well");
    core.regs.basepri = 0;
    pend(&mut core, 21, 0x20);
    core.sys.exceptions.activate(21);
    assert!(!core.would_wake(), "a more urgent handler is active");
}

#[test]
fn events_are_remembered_once() {
    let mut core = core();
    assert!(!core.would_wake_event() && !core.take_event());
    core.event = true;
    assert!(core.would_wake_event() && core.take_event() && !core.take_event());
}

#[test]
fn sevonpend_makes_a_pending_interrupt_an_event() {
    let mut core = core();
    core.sys.pend(20);
    assert!(!core.would_wake_event());
    put(&mut core, at::SCR, 1 << 4);
    core.sys.pend(20);
    assert!(!core.would_wake_event(), "it was pending already");
    core.sys.exceptions.unpend(20);
    core.sys.pend(20);
    assert!(core.would_wake_event() && core.take_event() && !core.take_event());
    assert_eq!(core.pending_exception(), None, "it is not enabled");
}

#[test]
fn wfe_and_sev() {
    use crate::exec::Effect;
    let mut core = core();
    core.bus.load(0x1000, &[0x40, 0xbf, 0x20, 0xbf, 0x20, 0xbf]);
    core.regs.r[15] = 0x1000;
    let effects: Vec<_> = (0..3).map(|_| core.execute_alone()).collect();
    assert_eq!(
        effects,
        [Effect::Done, Effect::Done, Effect::Wait],
        "sev; wfe; wfe"
    );
}

proptest! {
    /// The exception taken, compared with the manual's pseudocode over all exceptions.
    #[test]
    fn the_choice_is_that_of_the_manual(
        states in prop::collection::vec((any::<u8>(), any::<bool>(), any::<bool>(), prop::bool::weighted(0.2)), 20),
        bits in 0u32..8,
        basepri in prop_oneof![Just(0u8), any::<u8>()],
        primask: bool,
        faultmask in prop::bool::weighted(0.1),
    ) {
        let mut core = core();
        group(&mut core, bits);
        for (number, &(priority, pending, enabled, active)) in (16u16..).zip(&states) {
            core.sys.exceptions.set_priority_field(number, priority);
            core.sys.exceptions.set_enabled(number, enabled);
            if active {
                core.sys.exceptions.activate(number);
            }
            if pending {
                core.sys.pend(number);
            }
        }
        (core.regs.basepri, core.regs.primask, core.regs.faultmask) = (basepri, primask, faultmask);

        let group_value = 2 << bits;
        let mut highest = 256;
        for &(priority, .., active) in &states {
            if active && i32::from(priority) < highest {
                highest = i32::from(priority) - i32::from(priority) % group_value;
            }
        }
        let mut boosted = 256;
        if basepri != 0 {
            boosted = i32::from(basepri) - i32::from(basepri) % group_value;
        }
        if primask {
            boosted = 0;
        }
        if faultmask {
            boosted = -1;
        }
        let execution = boosted.min(highest);
        prop_assert_eq!(i32::from(core.execution_priority()), execution);
        let first = (16u16..).zip(&states).filter(|(_, state)| state.1 && state.2);
        let first = first.min_by_key(|&(number, state)| (state.0, number));
        let expected = first.filter(|(_, state)| i32::from(state.0) / group_value * group_value < execution);
        prop_assert_eq!(core.pending_exception(), expected.map(|(number, _)| number));
    }
}
