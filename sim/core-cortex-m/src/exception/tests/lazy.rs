//! Timing of floating-point registers and exceptions: the cost of an entry, the cycle of the lazy save, and events in between.

use events::{EntryKind, Event};

use super::extended::using;
use super::running::load;
use crate::core::Core;
use crate::engine::Stop;
use crate::sys::fp::fpccr::{ASPEN, LSPACT};
use crate::testing::{STACK, at, get, handler, pend, put};
use crate::timing::{Rule, RuleSet};

const THREAD: u32 = 0x1000;
const FRAME: u32 = STACK - 104;
/// vadd.f32 s0, s0, s1
const USE: [u16; 2] = [0xee30, 0x0a20];
const RETURN: u16 = 0x4770;
const FOREVER: u16 = 0xe7fe;
const NOP: u16 = 0xbf00;

/// Thread code that loops, with floating-point registers in use; two interrupts, the second more urgent.
fn program(first: &[u16], second: &[u16]) -> Core {
    let mut core = using();
    load(&mut core, THREAD, &[FOREVER]);
    load(&mut core, handler(16), first);
    load(&mut core, handler(17), second);
    core.sys.exceptions.set_priority_field(16, 0x80);
    core.sys.exceptions.set_priority_field(17, 0x40);
    core.sys.exceptions.set_enabled(16, true);
    core.sys.exceptions.set_enabled(17, true);
    core.regs.r[15] = THREAD;
    core
}

/// Runs until nothing more can happen.
fn run(core: &mut Core) -> Vec<Event> {
    let mut events = Vec::new();
    assert_eq!(core.run(core.cycle() + 1000, &mut events), Stop::Forever);
    events
}

/// RIOT-OS/RIOT#18697: a lazy save writes to a stack that may belong to another thread by then.
#[test]
fn each_register_that_is_saved_late_is_a_write_before_the_instruction() {
    let mut core = program(&[USE[0], USE[1], RETURN], &[RETURN]);
    core.raise_at(100, 16);
    let events = run(&mut core);
    let at = |cycle_of: &dyn Fn(&Event) -> bool| events.iter().position(cycle_of).unwrap();
    let first = at(&|event| matches!(event, Event::Write { address, .. } if *address == FRAME + 32));
    let user = at(&|event| matches!(event, Event::Retire(retire) if retire.pc == handler(16)));
    assert_eq!(user, first + 17, "S0 to S15 and FPSCR, and then the instruction");
    for (word, event) in (0..).zip(&events[first..user]) {
        let Event::Write {
            pc,
            address,
            size,
            value,
            ..
        } = *event
        else {
            panic!("{event:?}");
        };
        assert_eq!((pc, address, size), (handler(16), FRAME + 32 + 4 * word, 4));
        assert_eq!(value, get(&mut core, address));
    }
}

/// Latency, stack pointer and rules of each entry.
fn entries(events: &[Event]) -> Vec<(u64, u32, RuleSet)> {
    let entry = |event: &Event| match event {
        Event::Enter(enter) => Some((enter.at.to - enter.recognised, enter.sp, enter.rules)),
        _ => None,
    };
    events.iter().filter_map(entry).collect()
}

fn exits(events: &[Event]) -> Vec<(u64, RuleSet)> {
    let exit = |event: &Event| match event {
        Event::Exit(exit) => Some((exit.at.to - exit.began, exit.rules)),
        _ => None,
    };
    events.iter().filter_map(exit).collect()
}

/// The windows of the instructions at an address, and the rules of each.
fn executions(events: &[Event], address: u32) -> Vec<(u64, u64, RuleSet)> {
    let retire = |event: &Event| match event {
        Event::Retire(retire) if retire.pc == address => Some((retire.at.from, retire.at.to, retire.rules)),
        _ => None,
    };
    events.iter().filter_map(retire).collect()
}

#[test]
fn lazy_stacking_makes_the_entry_no_longer() {
    let mut core = program(&[RETURN], &[]);
    core.raise_at(50, 16);
    let events = run(&mut core);
    assert_eq!(entries(&events), [(9, FRAME, RuleSet::of(Rule::ExceptionEntry))]);
    assert_eq!(exits(&events)[0].1, RuleSet::of(Rule::ExceptionReturn));
    assert_eq!(core.regs.s[0], 0x5000);
}

#[test]
fn seventeen_more_words_are_stacked_and_unstacked_at_once() {
    let lazy = {
        let mut core = program(&[RETURN], &[]);
        core.raise_at(50, 16);
        let events = run(&mut core);
        (entries(&events)[0].0, exits(&events)[0].0)
    };
    let mut core = program(&[RETURN], &[]);
    put(&mut core, at::FPCCR, ASPEN);
    core.raise_at(50, 16);
    let events = run(&mut core);
    let (entry, exit) = (entries(&events)[0], exits(&events)[0]);
    assert_eq!((entry.0, exit.0), (lazy.0 + 17, lazy.1 + 17));
    assert!(entry.2.contains(Rule::ExceptionEntryFp) && exit.1.contains(Rule::ExceptionReturnFp));
}

#[test]
fn the_first_instruction_of_the_extension_waits_for_the_late_save() {
    let code = [NOP, USE[0], USE[1], USE[0], USE[1], RETURN];
    let mut core = program(&code, &[]);
    core.raise_at(50, 16);
    let events = run(&mut core);
    let first = executions(&events, handler(16) + 2)[0];
    let second = executions(&events, handler(16) + 6)[0];
    assert_eq!(first.1 - first.0, 18);
    assert!(first.2.contains(Rule::LazyStacking));
    // It adds to the first one's sum, which is late by a cycle (rule `float-result`).
    assert_eq!((second.0, second.1 - second.0), (first.1, 2));
    assert!(!second.2.contains(Rule::LazyStacking));
    assert_eq!(get(&mut core, FRAME + 32), 0x5000);
    assert_eq!((core.regs.s[0], core.regs.fp_active), (0x5000, true));
}

#[test]
fn an_exception_goes_before_a_late_save_which_starts_again() {
    let code = [NOP, USE[0], USE[1], RETURN];
    let mut core = program(&code, &[RETURN]);
    core.raise_at(50, 16);
    // The late save begins 12 + 1 cycles later, and takes 17.
    core.raise_at(70, 17);
    let events = run(&mut core);
    let kinds: Vec<EntryKind> = events
        .iter()
        .filter_map(|event| match *event {
            Event::Enter(enter) => Some(enter.kind),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [EntryKind::Preempt; 2]);
    let urgent = entries(&events)[1];
    assert_eq!(urgent.1, FRAME - 32, "the handler has no context yet");
    let used = executions(&events, handler(16) + 2);
    assert_eq!(used.len(), 1);
    assert_eq!(used[0].1 - used[0].0, 18, "all of it once more");
    assert_eq!(get(&mut core, FRAME + 32), 0x5000);
}

#[test]
fn a_handler_in_between_may_save_for_it() {
    let mut core = program(
        &[NOP, NOP, NOP, NOP, NOP, USE[0], USE[1], RETURN],
        &[USE[0], USE[1], RETURN],
    );
    core.raise_at(50, 16);
    core.raise_at(64, 17);
    let events = run(&mut core);
    let cost = |address: u32| {
        executions(&events, address)
            .iter()
            .map(|used| used.1 - used.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(cost(handler(17)), [18]);
    assert_eq!(cost(handler(16) + 10), [1]);
    assert_eq!(core.regs.s[0], 0x5000);
    assert!(!core.sys.fp.has(LSPACT));
}

#[test]
fn the_fast_way_saves_in_the_same_cycles() {
    let code = [NOP, USE[0], USE[1], USE[0], USE[1], RETURN];
    let ends = [true, false].map(|listened| {
        let mut core = program(&code, &[USE[0], USE[1], RETURN]);
        for cycle in [50, 70, 150, 163, 300] {
            core.raise_at(cycle, 16 + (cycle % 3 == 1) as u16);
        }
        if listened {
            run(&mut core);
        } else {
            assert_eq!(core.run(1000, &mut events::Silent), Stop::Forever);
        }
        (core.cycle(), core.regs.s, core.regs.r, core.regs.fpscr)
    });
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn without_its_rule_a_late_save_takes_no_time() {
    let mut core = program(&[NOP, USE[0], USE[1], RETURN], &[]);
    core.config.model = core.config.model.without(Rule::LazyStacking);
    core.raise_at(50, 16);
    let events = run(&mut core);
    let first = executions(&events, handler(16) + 2)[0];
    assert_eq!(first.1 - first.0, 1);
    assert_eq!(get(&mut core, FRAME + 32), 0x5000);
}

#[test]
fn late_arrival_shares_the_frame() {
    let mut core = program(&[RETURN], &[USE[0], USE[1], RETURN]);
    core.raise_at(50, 16);
    core.raise_at(55, 17);
    let events = run(&mut core);
    let first = entries(&events)[0];
    assert_eq!(first.1, FRAME);
    assert!(first.2.contains(Rule::LateArrival));
    assert_eq!(
        executions(&events, handler(17))[0].1 - executions(&events, handler(17))[0].0,
        18
    );
    assert_eq!((core.regs.r[13], core.regs.s[0]), (STACK, 0x5000));
}

#[test]
fn vldm_goes_on_where_it_was_interrupted() {
    // vldmia r0, {s0-s15}; b .
    let mut core = program(&[RETURN], &[]);
    load(&mut core, THREAD, &[0xec90, 0x0a10, FOREVER]);
    let data = STACK - 0x400;
    for word in 0..16 {
        put(&mut core, data + 4 * word, 0x7000 + word);
    }
    core.regs.r[0] = data;
    let begin = core.cycle();
    pend(&mut core, 16, 0x80);
    core.sys.exceptions.unpend(16);
    core.raise_at(begin + 5, 16);
    let mut events = Vec::new();
    while entries(&events).is_empty() {
        core.run(core.cycle() + 1, &mut events);
    }
    let done = core.regs.s.iter().take_while(|&&value| value >= 0x7000).count();
    assert!((1..16).contains(&done), "{done}");
    let xpsr = get(&mut core, FRAME + 28);
    assert_eq!(
        (xpsr >> 12 & 15) as usize,
        done / 2,
        "half the number of the register to go on with"
    );
    run(&mut core);
    assert_eq!(
        core.regs.s[..16],
        std::array::from_fn::<u32, 16, _>(|n| 0x7000 + n as u32)
    );
}
