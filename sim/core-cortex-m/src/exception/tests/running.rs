//! The exception model under the engine: behaviour visible to a program, without timing.
//!
//! Each handler appends its exception number to a log in RAM, so that the order of handlers can be read there.

use bus::ResetCause;
use events::{EntryKind, Event};

use crate::core::Core;
use crate::engine::Stop;
use crate::testing::{RAM, at, core, get, handler, pend, put};

/// The number of entries in the log; the entries follow.
const LOG: u32 = RAM + 0x100;
const THREAD: u32 = 0x1000;

pub(super) fn load(core: &mut Core, address: u32, code: &[u16]) {
    for (offset, halfword) in (0..).step_by(2).zip(code) {
        assert!(core.bus.load(address + offset, &halfword.to_le_bytes()));
    }
}

/// A core whose thread executes `code`, with a handler that logs for each exception.
pub(super) fn program(code: &[u16]) -> Core {
    let mut core = core();
    load(&mut core, THREAD, code);
    // mrs r0, ipsr; ldr r1, =LOG; ldr r2, [r1]; adds r2, #4; str r2, [r1]; str r0, [r1, r2]; bx lr
    load(
        &mut core,
        0xc00,
        &[0xf3ef, 0x8005, 0x4902, 0x680a, 0x3204, 0x600a, 0x5088, 0x4770],
    );
    assert!(core.bus.load(0xc10, &LOG.to_le_bytes()));
    for number in 2..=80 {
        load(&mut core, handler(number), &branch(handler(number), 0xc00));
    }
    core.regs.r[15] = THREAD;
    core
}

/// B.W from one address to another that lies less than a mebibyte ahead.
fn branch(from: u32, to: u32) -> [u16; 2] {
    let offset = to - from - 4;
    [
        0xf000 | (offset >> 12 & 0x3ff) as u16,
        0xb800 | (offset >> 1 & 0x7ff) as u16,
    ]
}

/// Runs for some cycles, and gives what happened and the handlers in the order of their execution.
fn run(core: &mut Core, cycles: u64) -> (Stop, Vec<Event>, Vec<u32>) {
    let mut events = Vec::new();
    let stop = core.run(core.cycle() + cycles, &mut events);
    (stop, events, log(core))
}

fn log(core: &mut Core) -> Vec<u32> {
    let end = get(core, LOG);
    (0..end / 4).map(|index| get(core, LOG + 4 + 4 * index)).collect()
}

fn kinds(events: &[Event]) -> Vec<(u16, EntryKind)> {
    let entry = |event: &Event| match *event {
        Event::Enter(enter) => Some((enter.exception.number()?, enter.kind)),
        _ => None,
    };
    events.iter().filter_map(entry).collect()
}

/// `b .`
const FOREVER: u16 = 0xe7fe;
const NOP: u16 = 0xbf00;

#[test]
fn systick_interrupts_a_loop_again_and_again() {
    let mut core = program(&[FOREVER]);
    put(&mut core, at::SYST_RVR, 199);
    put(&mut core, at::SYST_CSR, 7);
    let (stop, _, log) = run(&mut core, 1000);
    assert_eq!((stop, log), (Stop::Cycle, vec![15; 4]));
    let mut silent = program(&[FOREVER]);
    put(&mut silent, at::SYST_RVR, 199);
    put(&mut silent, at::SYST_CSR, 7);
    assert_eq!(silent.run(1000, &mut events::Silent), Stop::Cycle);
    assert_eq!(self::log(&mut silent), vec![15; 4]);
}

/// The second load begins in the last cycle of the first, and faults: nothing is counted twice.
#[test]
fn windows_tile_also_where_an_overlapping_load_faults() {
    // ldr r0, [r1]; ldr r2, [r3]; b .
    let mut core = program(&[0x6808, 0x681a, FOREVER]);
    (core.regs.r[1], core.regs.r[3]) = (RAM, RAM + 1);
    core.sys.scb.ccr |= 1 << 3; // UNALIGN_TRP
    let (_, events, log) = run(&mut core, 100);
    assert_eq!(log, [3; 3][..log.len()], "HardFault, again and again");
    assert!(!log.is_empty());
    let windows: Vec<_> = events.iter().filter_map(Event::window).collect();
    for pair in windows.windows(2) {
        assert_eq!(pair[0].0.to, pair[1].0.from);
    }
    assert!(windows.iter().all(|(at, costs)| costs.total() == at.length()));
}

#[test]
fn an_input_interrupts_a_loop() {
    let mut core = program(&[FOREVER]);
    put(&mut core, at::NVIC_ISER, 1 << 4);
    core.raise_at(100, 20);
    core.raise_at(300, 20);
    assert_eq!(run(&mut core, 500).2, [20, 20]);
}

#[test]
fn pending_exceptions_are_tail_chained_in_their_order() {
    let mut core = program(&[FOREVER]);
    for (number, priority) in [(20, 0x80), (21, 0x40), (22, 0x80)] {
        core.sys.exceptions.set_priority_field(number, priority);
        core.sys.exceptions.set_enabled(number, true);
        core.raise_at(100, number);
    }
    let (_, events, log) = run(&mut core, 500);
    assert_eq!(log, [21, 20, 22]);
    let expected = [
        (21, EntryKind::Preempt),
        (20, EntryKind::TailChain),
        (22, EntryKind::TailChain),
    ];
    assert_eq!(kinds(&events), expected);
}

#[test]
fn what_becomes_pending_in_a_handler_is_tail_chained() {
    let mut core = program(&[FOREVER]);
    core.sys.exceptions.set_priority_field(20, 0x40);
    for number in [20, 21] {
        core.sys.exceptions.set_enabled(number, true);
    }
    core.sys.exceptions.set_priority_field(21, 0x80);
    core.raise_at(100, 20);
    core.raise_at(118, 21);
    let (_, events, log) = run(&mut core, 500);
    assert_eq!(log, [20, 21]);
    assert_eq!(kinds(&events)[1], (21, EntryKind::TailChain));
}

#[test]
fn a_more_urgent_input_arrives_late() {
    let mut core = program(&[FOREVER]);
    for (number, priority, cycle) in [(20, 0x80, 100), (21, 0x40, 105)] {
        core.sys.exceptions.set_priority_field(number, priority);
        core.sys.exceptions.set_enabled(number, true);
        core.raise_at(cycle, number);
    }
    let (_, events, log) = run(&mut core, 500);
    assert_eq!(log, [21, 20]);
    assert_eq!(
        kinds(&events),
        [(21, EntryKind::LateArrival), (20, EntryKind::TailChain)]
    );
}

/// However late the second interrupt comes, both handlers run once, and the thread goes on with its registers.
#[test]
fn two_interrupts_at_any_distance() {
    for distance in 0..60 {
        for (first, second) in [(0x80, 0x40), (0x40, 0x80), (0x40, 0x40)] {
            let mut core = program(&[0x3401, 0xe7fd]);
            for (number, priority, cycle) in [(20, first, 100), (21, second, 100 + distance)] {
                core.sys.exceptions.set_priority_field(number, priority);
                core.sys.exceptions.set_enabled(number, true);
                core.raise_at(cycle, number);
            }
            core.regs.r[0] = 0xdead;
            let (_, events, _) = run(&mut core, 500);
            let mut entered: Vec<u16> = kinds(&events).iter().map(|&(number, _)| number).collect();
            entered.sort_unstable();
            assert_eq!(
                entered,
                [20, 21],
                "{distance} cycles after, {first:#x} then {second:#x}"
            );
            assert_eq!((core.regs.r[0], core.regs.ipsr), (0xdead, 0));
            let exits = events
                .iter()
                .filter(|event| matches!(event, Event::Exit(_)))
                .count();
            assert_eq!(exits, 2);
        }
    }
}

#[test]
fn unmasking_takes_what_was_held_back() {
    // cpsid i; nop; nop; cpsie i; b .
    let mut core = program(&[0xb672, NOP, NOP, 0xb662, FOREVER]);
    core.sys.exceptions.set_enabled(20, true);
    core.raise_at(1, 20);
    let (_, events, log) = run(&mut core, 200);
    assert_eq!(log, [20]);
    let entry = events.iter().position(|event| matches!(event, Event::Enter(_)));
    let unmask = events
        .iter()
        .rposition(|event| matches!(event, Event::MaskChange { new: 0, .. }));
    assert!(entry > unmask);
}

#[test]
fn svc_returns_behind_itself() {
    // svc 0; adds r4, #1; b .
    let mut core = program(&[0xdf00, 0x3401, FOREVER]);
    assert_eq!(run(&mut core, 200).2, [11]);
    assert_eq!(core.regs.r[4], 1);
}

#[test]
fn a_masked_svc_becomes_hard_fault_behind_itself() {
    // cpsid i; svc 0
    let mut core = program(&[0xb672, 0xdf00, FOREVER]);
    load(&mut core, handler(3), &[FOREVER]);
    run(&mut core, 200);
    assert_eq!(
        (core.regs.ipsr, core.bus.peek_word(core.regs.r[13] + 24)),
        (3, Some(THREAD + 4))
    );
}

#[test]
fn an_undefined_instruction_reaches_its_handler_with_its_address() {
    let mut core = program(&[NOP, 0xde00]);
    load(&mut core, handler(6), &[FOREVER]);
    core.sys.exceptions.set_enabled(6, true);
    run(&mut core, 200);
    assert_eq!(
        (core.regs.ipsr, core.bus.peek_word(core.regs.r[13] + 24)),
        (6, Some(THREAD + 2))
    );
}

#[test]
fn a_fault_in_hard_fault_locks_up() {
    let mut core = program(&[0xde00]);
    load(&mut core, handler(3), &[0xde00]);
    assert_eq!(run(&mut core, 200).0, Stop::LockUp);
}

#[test]
fn a_bad_exc_return_goes_to_usage_fault() {
    let mut core = program(&[FOREVER]);
    // mvns r0, #0 with bit 1 cleared: movs r0, #3; mvns r0, r0 gives 0xffff_fffc; bx r0 from a handler
    load(&mut core, handler(20), &[0x2003, 0x43c0, 0x4700]);
    for number in [6, 20] {
        core.sys.exceptions.set_enabled(number, true);
    }
    load(&mut core, handler(6), &[FOREVER]);
    core.raise_at(50, 20);
    run(&mut core, 200);
    assert_eq!((core.regs.ipsr, core.sys.scb.cfsr), (6, 1 << 18));
}

#[test]
fn a_store_to_stir_pends_before_long() {
    // str r1, [r0]; adds r4, #1 …
    let mut core = program(&[0x6001, 0x3401, 0x3401, 0x3401, 0x3401, FOREVER]);
    core.regs.r[0] = at::STIR;
    core.regs.r[1] = 4;
    core.sys.exceptions.set_enabled(20, true);
    let (_, events, log) = run(&mut core, 200);
    assert_eq!((log, core.regs.r[4] & 0xff), (vec![20], 4));
    assert!(kinds(&events).contains(&(20, EntryKind::Preempt)));
}

#[test]
fn wfi_sleeps_until_something_pends() {
    // wfi; adds r4, #1; b .
    let mut core = program(&[0xbf30, 0x3401, FOREVER]);
    core.sys.exceptions.set_enabled(20, true);
    core.raise_at(150, 20);
    let (_, events, log) = run(&mut core, 400);
    assert_eq!((log, core.regs.r[4]), (vec![20], 1));
    assert!(events.iter().any(|event| matches!(event, Event::Sleep { .. })));
}

#[test]
fn wfi_wakes_under_primask_without_taking_it() {
    // cpsid i; wfi; adds r4, #1; b .
    let mut core = program(&[0xb672, 0xbf30, 0x3401, FOREVER]);
    core.sys.exceptions.set_enabled(20, true);
    core.raise_at(150, 20);
    assert_eq!(run(&mut core, 400).2, []);
    assert_eq!(core.regs.r[4], 1);
}

#[test]
fn wfi_without_anything_to_come_is_for_ever() {
    let mut core = program(&[0xbf30, FOREVER]);
    assert_eq!(run(&mut core, 400).0, Stop::Forever);
}

#[test]
fn sleep_on_exit_sleeps_again_after_each_handler() {
    // wfi; adds r4, #1; b .
    let mut core = program(&[0xbf30, 0x3401, FOREVER]);
    put(&mut core, at::SCR, 1 << 1);
    core.sys.exceptions.set_enabled(20, true);
    core.raise_at(150, 20);
    core.raise_at(250, 20);
    let (stop, _, log) = run(&mut core, 1000);
    assert_eq!((stop, log, core.regs.r[4]), (Stop::Forever, vec![20, 20], 0));
}

#[test]
fn an_imprecise_fault_is_taken_behind_the_store() {
    // str r1, [r0]; nop; nop; adds r4, #1; b .
    let mut core = program(&[0x6001, NOP, NOP, 0x3401, FOREVER]);
    core.regs.r[0] = crate::testing::BROKEN;
    core.sys.exceptions.set_enabled(5, true);
    assert_eq!(run(&mut core, 200).2, [5]);
    assert_eq!(core.regs.r[4], 1);
    assert_eq!(core.faults()[0].pc, THREAD);
}

#[test]
fn a_reset_request_stops_the_run() {
    let mut core = program(&[0x6001, NOP, NOP, FOREVER]);
    core.regs.r[0] = at::AIRCR;
    core.regs.r[1] = 0x05fa_0004;
    assert_eq!(run(&mut core, 200).0, Stop::Reset(ResetCause::Software));
}

#[test]
fn the_next_instruction_of_a_pre_empted_handler_is_not_lost() {
    let mut core = program(&[FOREVER]);
    // adds r4, #1 sixteen times, then bx lr: pre-empted somewhere in between.
    let mut code = [0x3401; 17];
    code[16] = 0x4770;
    load(&mut core, 0xd00, &code);
    load(&mut core, handler(20), &branch(handler(20), 0xd00));
    pend(&mut core, 20, 0x80);
    core.sys.exceptions.set_priority_field(21, 0x40);
    core.sys.exceptions.set_enabled(21, true);
    core.recognise_from = 0;
    core.raise_at(20, 21);
    assert_eq!(run(&mut core, 300).2, [21]);
    assert_eq!(core.regs.r[4], 16);
}
