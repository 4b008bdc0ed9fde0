//! Frames, vectors, modes, stacks, and the way back.

use crate::config::Config;
use crate::core::Core;
use crate::cores::CoreKind;
use crate::exception::Stuck;
use crate::fault::{Fault, NotModelled};
use crate::regs::Mode;
use crate::testing::{RAM, STACK, at, config, core, core_as, enter_at, get, handler, pend, put};
use crate::timing::Model;

const TO_HANDLER: u32 = 0xffff_fff1;
const TO_MAIN: u32 = 0xffff_fff9;
const TO_PROCESS: u32 = 0xffff_fffd;
const PSP: u32 = RAM + 0x404;

/// Thread code at 0x300 with a value in each register.
fn running() -> Core {
    let mut core = core();
    for (number, register) in (0u32..13).zip(&mut core.regs.r) {
        *register = 0x1111 * number;
    }
    core.regs.r[14] = 0xaaaa;
    core.regs.flags = crate::regs::Flags::from_bits(0xa800_0000);
    core
}

/// Thread code on the process stack.
fn on_process_stack() -> Core {
    let mut core = running();
    core.regs.other_sp = PSP;
    core.regs.switch_stack(|regs| regs.process_stack = true);
    core
}

fn return_by(core: &mut Core, exc_return: u32) -> bool {
    core.begin_return(exc_return, 0x500)
        .expect("a fault, if any, can be taken");
    core.pending_exception().is_none() && core.unstack(exc_return, 0x500).expect("a stack")
}

#[test]
fn the_frame_is_that_of_the_manual() {
    let mut core = running();
    pend(&mut core, 20, 0);
    enter_at(&mut core, 0x300);
    let frame: Vec<u32> = (0..8).map(|word| get(&mut core, STACK - 32 + 4 * word)).collect();
    assert_eq!(
        frame,
        [0, 0x1111, 0x2222, 0x3333, 0xcccc, 0xaaaa, 0x300, 0xa900_0000]
    );
    assert_eq!(core.regs.r[13], STACK - 32);
    assert_eq!(core.regs.r[14], TO_MAIN);
    assert_eq!((core.regs.r[15], core.regs.thumb), (handler(20), true));
    assert_eq!((core.regs.mode(), core.regs.ipsr), (Mode::Handler, 20));
    assert!(core.sys.exceptions.is_active(20) && !core.sys.exceptions.is_pending(20));
}

#[test]
fn entry_and_return_restore_what_was_left() {
    let mut core = running();
    let before = format!("{:?}", core.regs);
    pend(&mut core, 20, 0);
    enter_at(&mut core, 0x300);
    core.regs.r[..13].fill(9);
    core.regs.flags = crate::regs::Flags::default();
    core.regs.r[4..12].copy_from_slice(&[4, 5, 6, 7, 8, 9, 10, 11].map(|n| 0x1111 * n));
    assert!(return_by(&mut core, TO_MAIN));
    assert_eq!(core.regs.r[15], 0x300);
    core.regs.r[15] = handler(1);
    let flags = core.regs.flags.bits();
    core.regs.flags = crate::regs::Flags::from_bits(0xa800_0000);
    assert_eq!((format!("{:?}", core.regs), flags), (before, 0xa800_0000));
    assert_eq!(core.sys.exceptions.active_count(), 0);
}

#[test]
fn the_process_stack_takes_the_frame_of_thread_code_that_uses_it() {
    let mut core = on_process_stack();
    pend(&mut core, 20, 0);
    enter_at(&mut core, 0x300);
    assert_eq!(core.regs.r[14], TO_PROCESS);
    assert_eq!(core.regs.stack_pointers(), (STACK, PSP - 36), "aligned to eight");
    assert!(!core.regs.process_stack, "CONTROL.SPSEL is 0 in a handler");
    assert!(return_by(&mut core, TO_PROCESS));
    assert_eq!(core.regs.stack_pointers(), (STACK, PSP));
    assert!(core.regs.uses_process_stack());
}

#[test]
fn a_handler_can_return_to_the_other_stack() {
    let mut core = running();
    pend(&mut core, 20, 0);
    enter_at(&mut core, 0x300);
    core.regs.other_sp = STACK - 32;
    core.regs.r[13] = STACK - 0x100;
    assert!(return_by(&mut core, TO_PROCESS));
    assert_eq!(core.regs.stack_pointers(), (STACK - 0x100, STACK));
}

#[test]
fn stkalign_pads_the_frame_and_remembers_it() {
    for (align, sp) in [(true, STACK - 40), (false, STACK - 36)] {
        let mut core = core_as(Config {
            stack_align: align,
            ..config()
        });
        core.regs.r[13] = STACK - 4;
        pend(&mut core, 20, 0);
        enter_at(&mut core, 0x300);
        assert_eq!(core.regs.r[13], sp);
        assert_eq!(get(&mut core, sp + 28) >> 9 & 1, u32::from(align));
        assert!(return_by(&mut core, TO_MAIN));
        assert_eq!(core.regs.r[13], STACK - 4);
    }
}

#[test]
fn an_aligned_stack_needs_no_padding() {
    let mut core = running();
    pend(&mut core, 20, 0);
    enter_at(&mut core, 0x300);
    assert_eq!(get(&mut core, STACK - 4) >> 9 & 1, 0);
}

#[test]
fn a_nested_exception_returns_to_its_handler() {
    let mut core = running();
    pend(&mut core, 20, 0x80);
    enter_at(&mut core, 0x300);
    pend(&mut core, 21, 0x40);
    assert_eq!(enter_at(&mut core, 0x440), 21);
    assert_eq!(core.regs.r[14], TO_HANDLER);
    assert_eq!(core.sys.exceptions.active_count(), 2);
    assert!(return_by(&mut core, TO_HANDLER));
    assert_eq!(
        (core.regs.ipsr, core.regs.r[15], core.execution_priority()),
        (20, 0x440, 0x80)
    );
    assert!(return_by(&mut core, TO_MAIN));
    assert_eq!((core.regs.ipsr, core.regs.r[13]), (0, STACK));
}

#[test]
fn the_next_exception_is_tail_chained_without_a_frame() {
    let mut core = running();
    pend(&mut core, 20, 0x80);
    enter_at(&mut core, 0x300);
    pend(&mut core, 21, 0x80);
    assert_eq!(core.pending_exception(), None, "of equal priority");
    core.begin_return(TO_MAIN, 0x500).unwrap();
    assert_eq!(core.pending_exception(), Some(21));
    core.take(21).unwrap();
    assert_eq!((core.regs.r[13], core.regs.r[14]), (STACK - 32, TO_MAIN));
    assert_eq!((core.regs.ipsr, core.sys.exceptions.active_count()), (21, 1));
    assert!(return_by(&mut core, TO_MAIN));
    assert_eq!((core.regs.r[15], core.regs.r[13]), (0x300, STACK));
}

#[test]
fn what_is_less_urgent_than_the_code_below_is_not_tail_chained() {
    let mut core = running();
    pend(&mut core, 20, 0x80);
    enter_at(&mut core, 0x300);
    pend(&mut core, 21, 0x40);
    enter_at(&mut core, 0x440);
    pend(&mut core, 22, 0x80);
    core.begin_return(TO_HANDLER, 0x500).unwrap();
    assert_eq!(core.pending_exception(), None);
}

#[test]
fn a_more_urgent_exception_can_arrive_while_stacking() {
    let mut core = running();
    pend(&mut core, 20, 0x80);
    core.stack(0x300, 0).unwrap();
    pend(&mut core, 21, 0x40);
    let number = core.pending_exception().unwrap();
    assert_eq!(core.take(number).unwrap().number, 21);
    assert_eq!(core.regs.r[14], TO_MAIN);
    assert!(core.sys.exceptions.is_pending(20) && !core.sys.exceptions.is_active(20));
}

#[test]
fn itstate_and_ici_are_stacked_and_come_back() {
    for it in [0b0000_0100, 0b1011_0110, 0xf0] {
        let mut core = running();
        pend(&mut core, 20, 0);
        core.stack(0x300, it).unwrap();
        core.take(20).unwrap();
        assert_eq!(core.regs.it, 0);
        assert!(return_by(&mut core, TO_MAIN));
        assert_eq!(core.regs.it, it);
    }
    let mut core = running();
    pend(&mut core, 20, 0);
    core.stack(0x300, 0xf0).unwrap();
    core.take(20).unwrap();
    assert_eq!(
        get(&mut core, STACK - 4) >> 12 & 15,
        15,
        "ICI: the register to go on with"
    );
}

#[test]
fn masks_are_kept_except_faultmask_at_the_end() {
    let mut core = running();
    pend(&mut core, 20, 0x20);
    core.regs.basepri = 0x40;
    enter_at(&mut core, 0x300);
    (core.regs.primask, core.regs.faultmask) = (true, true);
    assert!(return_by(&mut core, TO_MAIN));
    assert_eq!(
        (core.regs.primask, core.regs.faultmask, core.regs.basepri),
        (true, false, 0x40)
    );
}

#[test]
fn nmi_leaves_faultmask() {
    let mut core = running();
    core.regs.faultmask = true;
    core.sys.pend(2);
    enter_at(&mut core, 0x300);
    assert!(return_by(&mut core, TO_MAIN));
    assert!(core.regs.faultmask);
}

#[test]
fn entry_and_return_clear_the_monitor_and_set_the_event() {
    let mut core = running();
    pend(&mut core, 20, 0);
    core.exclusive = Some(RAM);
    enter_at(&mut core, 0x300);
    assert_eq!((core.exclusive, core.take_event()), (None, true));
    core.exclusive = Some(RAM);
    assert!(return_by(&mut core, TO_MAIN));
    assert_eq!((core.exclusive, core.take_event()), (None, true));
}

#[test]
fn a_vector_without_the_thumb_bit_faults_in_the_handler() {
    let mut core = running();
    core.bus.load(4 * 20, &0x540u32.to_le_bytes());
    pend(&mut core, 20, 0);
    enter_at(&mut core, 0x300);
    assert_eq!((core.regs.r[15], core.regs.thumb), (0x540, false));
}

#[test]
fn vtor_moves_the_vectors() {
    let mut core = running();
    put(&mut core, at::VTOR, RAM);
    put(&mut core, RAM + 4 * 20, 0x777);
    pend(&mut core, 20, 0);
    enter_at(&mut core, 0x300);
    assert_eq!(core.regs.r[15], 0x776);
}

#[test]
fn reset_starts_from_the_vector_table() {
    let mut core = running();
    core.regs.primask = true;
    pend(&mut core, 20, 0);
    core.reset().unwrap();
    assert_eq!(
        (core.regs.r[13], core.regs.r[15], core.regs.thumb),
        (STACK, handler(1), true)
    );
    assert_eq!((core.regs.r[14], core.regs.primask), (u32::MAX, false));
    assert_eq!(core.pending_exception(), None);
    let mut nowhere = Core::new(config(), bus::Bus::new());
    assert_eq!(
        nowhere.reset(),
        Err(NotModelled::Unmapped {
            address: 0,
            size: 4,
            write: false
        })
    );
}

#[test]
fn sleep_on_exit_is_for_the_last_exception() {
    let mut core = running();
    put(&mut core, at::SCR, 1 << 1);
    pend(&mut core, 20, 0x80);
    enter_at(&mut core, 0x300);
    pend(&mut core, 21, 0x40);
    enter_at(&mut core, 0x440);
    assert!(return_by(&mut core, TO_HANDLER));
    assert!(!core.sleeps_on_exit());
    assert!(return_by(&mut core, TO_MAIN));
    assert!(core.sleeps_on_exit());
    put(&mut core, at::SCR, 0);
    assert!(!core.sleeps_on_exit());
}

/// In a handler, with UsageFault enabled.
fn in_handler() -> Core {
    let mut core = running();
    core.sys.exceptions.set_enabled(6, true);
    pend(&mut core, 20, 0x80);
    enter_at(&mut core, 0x300);
    core
}

/// The return ended in a UsageFault with INVPC, whose handler is tail-chained with EXC_RETURN in LR.
fn assert_invalid(core: &mut Core, exc_return: u32) {
    assert!(!return_by(core, exc_return));
    assert_eq!(core.pending_exception(), Some(6));
    core.take(6).unwrap();
    assert_eq!(core.regs.r[14], exc_return);
    assert_eq!(core.sys.scb.cfsr, 1 << 18);
    assert!(
        !core.sys.exceptions.is_active(20),
        "the handler ended all the same"
    );
    assert_eq!(
        core.faults().last().map(|record| (record.fault, record.pc)),
        Some((Fault::InvPc, 0x500))
    );
}

#[test]
fn reserved_values_of_exc_return_fault() {
    for low in (0..16).filter(|low| ![1, 9, 13].contains(low)) {
        assert_invalid(&mut in_handler(), 0xffff_fff0 | low);
    }
}

#[test]
fn exc_return_with_a_zero_in_the_middle_is_unpredictable() {
    let mut core = in_handler();
    let stuck = core.begin_return(0xffff_ffe9, 0x500).unwrap_err();
    assert!(matches!(stuck, Stuck::NotModelled(what) if matches!(*what, NotModelled::Unpredictable { .. })));
}

#[test]
fn a_return_to_thread_mode_from_a_nested_handler_faults() {
    for exc_return in [TO_MAIN, TO_PROCESS] {
        let mut core = in_handler();
        core.sys.exceptions.set_priority_field(6, 0);
        pend(&mut core, 21, 0x40);
        enter_at(&mut core, 0x440);
        assert!(!return_by(&mut core, exc_return));
        assert_eq!((core.pending_exception(), core.sys.scb.cfsr), (Some(6), 1 << 18));
    }
}

#[test]
fn nonbasethrdena_permits_it() {
    let mut core = in_handler();
    put(&mut core, at::CCR, 1);
    pend(&mut core, 21, 0x40);
    enter_at(&mut core, 0x440);
    let xpsr = core.regs.r[13] + 28;
    put(&mut core, xpsr, 1 << 24);
    assert!(return_by(&mut core, TO_MAIN));
    assert_eq!(
        (core.regs.mode(), core.execution_priority()),
        (Mode::Thread, 0x80)
    );
}

#[test]
fn a_return_from_an_exception_that_is_not_active_faults() {
    let mut core = in_handler();
    core.sys.exceptions.set_active(20, false);
    assert_invalid(&mut core, TO_MAIN);
}

#[test]
fn a_frame_whose_exception_number_does_not_fit_faults_and_stays() {
    for (exc_return, ipsr) in [(TO_MAIN, 20), (TO_HANDLER, 0)] {
        let mut core = in_handler();
        put(&mut core, STACK - 4, 1 << 24 | ipsr);
        assert_invalid(&mut core, exc_return);
        assert_eq!(core.regs.r[13], STACK - 32, "the frame stays");
    }
}

/// Q and ITSTATE are of ARMv7-M, GE is of the DSP extension: elsewhere a return ignores them.
#[test]
fn a_return_restores_the_bits_of_xpsr_that_there_are() {
    let kinds = [
        (CoreKind::CORTEX_M0PLUS, 0xf100_0000),
        (CoreKind::CORTEX_M3, 0xff00_fc00),
        (CoreKind::CORTEX_M4, 0xff0f_fc00),
    ];
    for (kind, expected) in kinds {
        let mut core = core_as(Config {
            core: kind,
            model: Model::of(kind),
            priority_bits: 2,
            irqs: 32,
            bit_band: false,
            ..config()
        });
        core.regs.r[13] = STACK - 64;
        pend(&mut core, 20, 0);
        enter_at(&mut core, 0x300);
        let place = core.regs.r[13] + 28;
        put(&mut core, place, 0xff0f_fc00);
        assert!(return_by(&mut core, TO_MAIN));
        assert_eq!(core.regs.xpsr(), expected, "{kind:?}");
    }
}
