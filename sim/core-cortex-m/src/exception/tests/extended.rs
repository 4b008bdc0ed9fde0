//! Frames with floating-point registers: stacked at once, lazily, or never.

use crate::config::Config;
use crate::core::Core;
use crate::cores::CoreKind;
use crate::exception::Stuck;
use crate::fault::Fault;
use crate::fp::Fpscr;
use crate::microop::Step;
use crate::sys::exceptions::number;
use crate::sys::fp::fpccr::{self, ASPEN, LSPACT, LSPEN};
use crate::sys::scb::status;
use crate::testing::{HOLE, RAM, STACK, at, config, core_as, enter_at, get, pend, put};
use crate::timing::Model;

const FRAME: u32 = STACK - 104;
const ROUND_UP: u32 = 1 << 22;
const EXTENDED_TO_HANDLER: u32 = 0xffff_ffe1;
const EXTENDED_TO_MAIN: u32 = 0xffff_ffe9;
const EXTENDED_TO_PROCESS: u32 = 0xffff_ffed;

/// Thread code of a Cortex-M4F that uses its floating-point registers.
pub(super) fn using() -> Core {
    let mut core = core_as(Config {
        core: CoreKind::CORTEX_M4F,
        model: Model::of(CoreKind::CORTEX_M4F),
        cpuid: 0x410f_c241,
        ..config()
    });
    put(&mut core, at::CPACR, 0xf << 20);
    assert_eq!(core.prepare_fp(), Step::Next);
    for (value, register) in (0..).zip(&mut core.regs.s) {
        *register = 0x5000 + value;
    }
    core.regs.fpscr = Fpscr::from_bits(0xa000_001f | ROUND_UP);
    core
}

fn interrupted(core: &mut Core, number: u16, priority: u8) {
    pend(core, number, priority);
    assert_eq!(enter_at(core, 0x300), number);
}

fn return_by(core: &mut Core, exc_return: u32) -> bool {
    core.begin_return(exc_return, 0x500)
        .expect("a fault, if any, can be taken");
    core.pending_exception().is_none() && core.unstack(exc_return, 0x500).expect("a stack")
}

fn context(core: &mut Core) -> u32 {
    get(core, at::FPCCR)
}

/// The registers saved in the frame: S0, S15, FPSCR.
fn saved(core: &mut Core) -> [u32; 3] {
    [32, 32 + 60, 32 + 64].map(|offset| get(core, FRAME + offset))
}

const ALL_SAVED: [u32; 3] = [0x5000, 0x500f, 0xa000_001f | ROUND_UP];

#[test]
fn the_extension_is_disabled_after_reset() {
    let mut core = core_as(Config {
        core: CoreKind::CORTEX_M4F,
        model: Model::of(CoreKind::CORTEX_M4F),
        ..config()
    });
    assert_eq!(context(&mut core), ASPEN | LSPEN);
    assert_eq!(core.prepare_fp(), Step::Trap);
    assert_eq!(core.trap, crate::core::Trap::Fault(Fault::NoCp));
    put(&mut core, at::CPACR, 5 << 20);
    core.regs.unprivileged = true;
    assert_eq!(core.prepare_fp(), Step::Trap, "privileged code only");
    core.regs.unprivileged = false;
    assert_eq!(core.prepare_fp(), Step::Next);
}

#[test]
fn a_new_context_takes_its_modes_from_fpdscr() {
    let mut core = using();
    put(&mut core, at::FPDSCR, 0xffff_ffff);
    interrupted(&mut core, 20, 0);
    assert!(!core.regs.fp_active);
    core.prepare_fp();
    assert!(core.regs.fp_active);
    assert_eq!(
        core.regs.fpscr.bits(),
        0xa000_001f | 0x07c0_0000,
        "only the modes"
    );
}

#[test]
fn without_aspen_no_context_begins() {
    let mut core = using();
    core.regs.fp_active = false;
    put(&mut core, at::FPCCR, LSPEN);
    assert_eq!(core.prepare_fp(), Step::Next);
    assert!(!core.regs.fp_active);
}

#[test]
fn lazy_stacking_reserves_room_and_notes_where() {
    let mut core = using();
    interrupted(&mut core, 20, 0);
    assert_eq!((core.regs.r[13], core.regs.r[14]), (FRAME, EXTENDED_TO_MAIN));
    assert_eq!(saved(&mut core), [0; 3], "nothing is written yet");
    assert_eq!(get(&mut core, at::FPCAR), FRAME + 32);
    let terms = fpccr::THREAD | fpccr::HFRDY;
    assert_eq!(context(&mut core), ASPEN | LSPEN | LSPACT | terms);
    assert!(!core.regs.fp_active);
}

#[test]
fn what_could_be_taken_at_entry_is_noted() {
    let mut core = using();
    put(&mut core, at::SHCSR, 7 << 16);
    core.regs.unprivileged = true;
    core.sys.exceptions.set_priority_field(number::BUS_FAULT, 0x80);
    core.regs.basepri = 0x40;
    interrupted(&mut core, 20, 0);
    let terms = fpccr::THREAD | fpccr::USER | fpccr::HFRDY | fpccr::MMRDY;
    assert_eq!(
        context(&mut core),
        ASPEN | LSPEN | LSPACT | terms,
        "BASEPRI masks BusFault"
    );
}

#[test]
fn the_first_use_in_the_handler_saves_what_was_left() {
    let mut core = using();
    interrupted(&mut core, 20, 0);
    assert_eq!(core.prepare_fp(), Step::Next);
    assert_eq!(saved(&mut core), ALL_SAVED);
    assert!(!core.sys.fp.has(LSPACT));
    assert!(core.regs.fp_active);
    core.regs.s = [0; 32];
    core.regs.fpscr = Fpscr::default();
    assert!(return_by(&mut core, EXTENDED_TO_MAIN));
    assert_eq!(
        core.regs.s[..16],
        std::array::from_fn::<u32, 16, _>(|n| 0x5000 + n as u32)
    );
    assert_eq!(core.regs.s[16..], [0; 16], "the callee's own to save");
    assert_eq!(core.regs.fpscr.bits(), ALL_SAVED[2]);
    assert_eq!((core.regs.r[13], core.regs.fp_active), (STACK, true));
}

#[test]
fn a_return_before_any_use_unstacks_nothing() {
    let mut core = using();
    interrupted(&mut core, 20, 0);
    put(&mut core, FRAME + 32, 0xdead);
    assert!(return_by(&mut core, EXTENDED_TO_MAIN));
    assert_eq!(core.regs.s[0], 0x5000);
    assert!(!core.sys.fp.has(LSPACT));
    assert_eq!((core.regs.r[13], core.regs.fp_active), (STACK, true));
}

#[test]
fn without_lspen_everything_is_stacked_at_once() {
    let mut core = using();
    put(&mut core, at::FPCCR, ASPEN);
    interrupted(&mut core, 20, 0);
    assert_eq!(saved(&mut core), ALL_SAVED);
    assert_eq!(context(&mut core), ASPEN);
    core.regs.s = [0; 32];
    assert!(return_by(&mut core, EXTENDED_TO_MAIN));
    assert_eq!((core.regs.s[0], core.regs.s[15]), (0x5000, 0x500f));
}

#[test]
fn a_handler_without_use_has_a_basic_frame_inside() {
    let mut core = using();
    interrupted(&mut core, 20, 0x80);
    interrupted(&mut core, 21, 0x40);
    assert_eq!((core.regs.r[13], core.regs.r[14]), (FRAME - 32, 0xffff_fff1));
    core.prepare_fp();
    assert_eq!(
        saved(&mut core),
        ALL_SAVED,
        "the thread's, past the handler between"
    );
    core.regs.s = [0; 32];
    assert!(return_by(&mut core, 0xffff_fff1));
    assert!(!core.regs.fp_active);
    assert!(return_by(&mut core, EXTENDED_TO_MAIN));
    assert_eq!(core.regs.s[0], 0x5000);
}

#[test]
fn a_handler_that_uses_it_is_itself_left_with_an_extended_frame() {
    let mut core = using();
    interrupted(&mut core, 20, 0x80);
    core.prepare_fp();
    core.regs.s[0] = 0x6000;
    interrupted(&mut core, 21, 0x40);
    assert_eq!(
        (core.regs.r[13], core.regs.r[14]),
        (FRAME - 104, EXTENDED_TO_HANDLER)
    );
    assert!(!core.sys.fp.has(fpccr::THREAD));
    core.prepare_fp();
    core.regs.s[0] = 0x7000;
    assert!(return_by(&mut core, EXTENDED_TO_HANDLER));
    assert_eq!(core.regs.s[0], 0x6000);
    assert!(return_by(&mut core, EXTENDED_TO_MAIN));
    assert_eq!(core.regs.s[0], 0x5000);
}

#[test]
fn a_tail_chained_handler_begins_a_context_of_its_own() {
    let mut core = using();
    interrupted(&mut core, 20, 0x80);
    core.prepare_fp();
    core.regs.s[0] = 0x6000;
    pend(&mut core, 21, 0x80);
    core.begin_return(EXTENDED_TO_MAIN, 0x500).expect("no fault");
    let next = core.pending_exception().expect("the other handler");
    core.take(next).expect("a vector");
    assert_eq!(core.regs.r[14], EXTENDED_TO_MAIN);
    assert!(!core.regs.fp_active, "the frame is the thread's");
    assert!(!core.sys.fp.has(LSPACT), "and saved");
    assert!(return_by(&mut core, EXTENDED_TO_MAIN));
    assert_eq!(core.regs.s[0], 0x5000);
}

#[test]
fn an_extended_frame_is_aligned_whatever_ccr_says() {
    let mut core = using();
    put(&mut core, at::CCR, 0);
    core.regs.r[13] = STACK - 4;
    interrupted(&mut core, 20, 0);
    assert_eq!(core.regs.r[13], FRAME - 8);
    assert!(return_by(&mut core, EXTENDED_TO_MAIN));
    assert_eq!(core.regs.r[13], STACK - 4);
}

#[test]
fn the_process_stack_takes_an_extended_frame_too() {
    let mut core = using();
    core.regs.other_sp = RAM + 0x400;
    core.regs.switch_stack(|regs| regs.process_stack = true);
    interrupted(&mut core, 20, 0);
    assert_eq!(core.regs.r[14], EXTENDED_TO_PROCESS);
    assert_eq!(core.regs.stack_pointers(), (STACK, RAM + 0x400 - 104));
    assert!(return_by(&mut core, EXTENDED_TO_PROCESS));
    assert_eq!(core.regs.stack_pointers(), (STACK, RAM + 0x400));
    assert_eq!(core.regs.control(), 6);
}

#[test]
fn a_wrong_mode_in_an_extended_return_is_invalid() {
    let mut core = using();
    interrupted(&mut core, 20, 0x80);
    interrupted(&mut core, 21, 0x40);
    core.begin_return(EXTENDED_TO_MAIN, 0x500)
        .expect("a fault can be taken");
    assert_ne!(core.sys.scb.cfsr & status::INVPC, 0);
}

#[test]
fn stacking_at_once_needs_the_right_to_use_the_extension() {
    let mut core = using();
    put(&mut core, at::FPCCR, ASPEN);
    put(&mut core, at::SHCSR, 7 << 16);
    put(&mut core, at::CPACR, 0);
    pend(&mut core, 20, 0);
    assert_eq!(enter_at(&mut core, 0x300), number::USAGE_FAULT);
    assert_ne!(core.sys.scb.cfsr & status::NOCP, 0);
}

/// The handler of a fault that saving lazily ends with, while an interrupt of this priority executes.
fn fails_to_save(handlers: u32, priority: u8) -> (Core, Option<u16>) {
    let mut core = using();
    put(&mut core, at::SHCSR, handlers);
    interrupted(&mut core, 20, priority);
    put(&mut core, at::FPCAR, HOLE + 0x100);
    core.preserve_fp(0x600).expect("no lock-up");
    let next = core.pending_exception();
    (core, next)
}

#[test]
fn a_fault_of_a_late_save_is_taken_by_its_own_handler() {
    let (core, next) = fails_to_save(7 << 16, 0x80);
    assert_eq!(next, Some(number::BUS_FAULT));
    assert_eq!(core.sys.scb.cfsr, status::LSPERR);
    assert!(core.sys.fp.has(LSPACT), "it is tried again behind that");
}

#[test]
fn a_fault_of_a_late_save_escalates_if_its_handler_was_disabled() {
    let (core, next) = fails_to_save(0, 0x80);
    assert_eq!(next, Some(number::HARD_FAULT));
    assert_eq!(core.sys.scb.hfsr, status::FORCED);
}

#[test]
fn a_fault_of_a_late_save_waits_for_its_turn() {
    let (core, next) = fails_to_save(7 << 16, 0);
    assert_eq!(next, None);
    assert!(core.sys.exceptions.is_pending(number::BUS_FAULT));
    assert!(!core.sys.fp.has(LSPACT), "the instruction executes");
}

#[test]
fn a_late_save_locks_up_where_no_fault_could_have_been_taken() {
    let mut core = using();
    core.regs.faultmask = true;
    core.sys.pend(number::NMI);
    enter_at(&mut core, 0x300);
    assert!(!core.sys.fp.has(fpccr::HFRDY));
    put(&mut core, at::FPCAR, HOLE + 0x100);
    assert_eq!(core.preserve_fp(0x600), Err(Stuck::Lockup(Fault::PreservingBus)));
}

#[test]
fn control_shows_and_sets_whether_the_extension_is_used() {
    let core = using();
    assert_eq!(core.regs.control(), 4);
}

#[test]
fn other_cores_have_none_of_it() {
    let mut core = crate::testing::core();
    put(&mut core, at::CPACR, 0xf << 20);
    assert_eq!(get(&mut core, at::CPACR), 0);
    let op = crate::testing::op(&core);
    let (_, step) = core.load::<4>(&op, at::FPCCR);
    assert!(crate::testing::not_modelled(&core, step).contains("no known register"));
}

#[test]
fn feature_registers_are_those_of_the_cortex_m4() {
    let mut core = using();
    assert_eq!(
        (get(&mut core, at::MVFR0), get(&mut core, at::MVFR0 + 4)),
        (0x1011_0021, 0x1100_0011)
    );
}
