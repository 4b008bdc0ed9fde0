use events::{Costs, Enter, EntryKind, Exception, Exit, Retire, RuleSet, Window};
use spans::{Parts, Span, Stats, Unit};

use super::*;

fn retire(cycle: u64, pc: u32, sp: u32, rules: u128) -> Event {
    Event::Retire(Retire {
        at: window(cycle, cycle + 1),
        issued: cycle,
        pc,
        raw: 0xbf00,
        size: 2,
        sp_before: 0x1000,
        sp,
        link: 0,
        alternate_link: 0,
        since: RuleSet::EMPTY,
        rules: RuleSet(rules),
        costs: Costs::NONE,
    })
}

fn window(from: u64, to: u64) -> Window {
    Window { from, to }
}

fn breakpoint(cycle: u64, pc: u32, imm: u8) -> Event {
    Event::Breakpoint {
        at: window(cycle, cycle),
        pc,
        imm,
        sp: 0x1000,
        since: RuleSet::EMPTY,
        costs: Costs::NONE,
    }
}

fn run(places: &[Place], unit: Unit, events: &[Event]) -> (Stats, Vec<Option<u64>>) {
    let span = Span {
        from: PointId(0),
        to: PointId(1),
        unit,
        skip: 0,
        count: None,
    };
    let watch = Watch::new(places);
    let mut watcher = Watcher::new(&watch, Collector::new([span]), 0x1000);
    for event in events {
        let _ = watcher.event(event);
    }
    let first = watcher.first_met().to_vec();
    (watcher.finish().finish()[0].clone().expect("measured"), first)
}

#[test]
fn code_is_met_when_it_starts_and_relies_on_what_lies_between() {
    let places = [Place::Code(vec![0x100]), Place::Code(vec![0x104])];
    // 0x900 shares a filter bit with 0x100.
    let events = [
        retire(5, 0x900, 0x1000, 1),
        retire(6, 0x100, 0x1000, 2),
        retire(7, 0x102, 0x1000, 4),
        retire(9, 0x104, 0x1000, 8),
    ];
    let (stats, first) = run(&places, Unit::Cycles, &events);
    assert_eq!((stats.worst, stats.relied), (Parts::all_own(3), 6));
    assert_eq!(first, [Some(6), Some(9)]);
}

#[test]
fn a_label_at_a_breakpoint_is_met_as_the_breakpoint_is() {
    let breakpoint = |cycle, pc| breakpoint(cycle, pc, 0);
    let events = [
        breakpoint(5, 0x100),
        retire(5, 0x102, 0x1000, 0),
        breakpoint(6, 0x104),
    ];
    let places = [Place::Code(vec![0x100]), Place::Code(vec![0x104])];
    let (stats, first) = run(&places, Unit::Cycles, &events);
    assert_eq!((stats.worst, stats.count), (Parts::all_own(1), 1));
    assert_eq!(first, [Some(5), Some(6)]);
}

#[test]
fn where_words_are_fetched_both_halves_are_met_with_their_word() {
    let places = [0x100, 0x102, 0x104].map(|pc| Place::Code(vec![pc]));
    let watch = Watch::new(&places).viewed(View::Fetch).in_words();
    let mut watcher = Watcher::new(&watch, Collector::new([]), 0);
    let _ = watcher.event(&Event::Fetch { cycle: 3, pc: 0x100 });
    assert_eq!(watcher.first_met(), [Some(3), Some(3), None]);
}

#[test]
fn in_the_view_of_the_fetch_code_is_met_when_it_is_fetched() {
    let events = [Event::Fetch { cycle: 3, pc: 0x100 }, retire(5, 0x100, 0x1000, 0)];
    for (view, met) in [(View::Retire, 5), (View::Fetch, 3)] {
        let watch = Watch::new(&[Place::Code(vec![0x100])]).viewed(view);
        let mut watcher = Watcher::new(&watch, Collector::new([]), 0x1000);
        assert_eq!(watcher.interest().fetch, view == View::Fetch);
        for event in &events {
            let _ = watcher.event(event);
        }
        assert_eq!(watcher.first_met(), [Some(met)], "{view:?}");
    }
}

#[test]
fn a_marker_is_each_breakpoint_with_its_operand() {
    let breakpoint = |cycle, imm| breakpoint(cycle, 0x100, imm);
    let places = [Place::Marker(1), Place::Marker(2)];
    let events = [(5, 1), (6, 0), (8, 2), (20, 1), (21, 2)].map(|(cycle, imm)| breakpoint(cycle, imm));
    let (stats, first) = run(&places, Unit::Cycles, &events);
    assert_eq!((stats.count, stats.min, stats.max), (2, 1, 3));
    assert_eq!(first, [Some(5), Some(8)]);
}

#[test]
fn an_interrupt_from_outside_is_met_in_its_own_cycle() {
    let span = Span {
        from: PointId(0),
        to: PointId(1),
        unit: Unit::Cycles,
        skip: 0,
        count: None,
    };
    let watch = Watch::new(&[Place::Raise(Exception::External(0)), Place::Code(vec![0x104])]);
    let [first, second] = [Exception::External(0), Exception::External(1)];
    let raises = [(9, first), (7, first), (6, second)];
    let mut watcher = Watcher::with_raises(&watch, Collector::new([span]), 0x1000, &raises);
    for event in [
        retire(5, 0x102, 0x1000, 0),
        retire(8, 0x104, 0x1000, 0),
        retire(12, 0x104, 0x1000, 0),
    ] {
        let _ = watcher.event(&event);
    }
    let stats = watcher.finish().finish()[0].clone().expect("measured");
    assert_eq!((stats.count, stats.min, stats.max), (2, 1, 3));
}

#[test]
fn stack_is_measured_before_the_instruction_at_the_point() {
    let places = [Place::Breakpoint(2), Place::Code(vec![0x200])];
    let entry = Event::Enter(Enter {
        at: window(8, 18),
        recognised: 8,
        exception: Exception::External(6),
        kind: EntryKind::Preempt,
        return_address: 0x104,
        handler: 0x200,
        priority: None,
        sp: 0xfe0,
        since: RuleSet::EMPTY,
        rules: RuleSet(0),
        costs: Costs::NONE,
    });
    let bkpt = |cycle| breakpoint(cycle, 0x100, 0);
    // The handler's first instruction is a PUSH of two words.
    let Event::Retire(push) = retire(18, 0x200, 0xfd8, 0) else {
        unreachable!()
    };
    let push = Event::Retire(Retire {
        sp_before: 0xfe0,
        ..push
    });
    let events = [bkpt(3), bkpt(5), retire(6, 0x102, 0x1000, 0), entry, push];
    assert_eq!(
        run(&places, Unit::StackBytes, &events).0.worst,
        Parts::all_own(32)
    );
    assert_eq!(run(&places, Unit::Cycles, &events).0.worst, Parts::all_own(13));
}

#[test]
fn exceptions_are_met_at_the_handler_s_first_cycle_and_after_the_return() {
    let places = [
        Place::Exception(Exception::System(15), Edge::Entry),
        Place::Exception(Exception::System(15), Edge::Exit),
    ];
    let entry = Event::Enter(Enter {
        at: window(0, 12),
        recognised: 0,
        exception: Exception::System(15),
        kind: EntryKind::Preempt,
        return_address: 0,
        handler: 0x200,
        priority: None,
        sp: 0,
        since: RuleSet::EMPTY,
        rules: RuleSet(1),
        costs: Costs::NONE,
    });
    let exit = Event::Exit(Exit {
        at: window(20, 30),
        began: 20,
        exception: Exception::System(15),
        to: 0,
        sp: 0,
        since: RuleSet::EMPTY,
        rules: RuleSet(2),
        costs: Costs::NONE,
    });
    let (stats, first) = run(&places, Unit::Cycles, &[entry, exit]);
    assert_eq!((stats.worst, stats.relied), (Parts::all_own(18), 2));
    assert_eq!(first, [Some(12), Some(30)]);
}

#[test]
fn a_store_to_any_byte_of_an_object_counts() {
    let places = [Place::Write(0x2000..0x2008), Place::Write(0x3000..0x3001)];
    let write = |cycle, address, size| Event::Write {
        cycle,
        pc: 0,
        address,
        size,
        value: 0,
        sp: 0,
        since: RuleSet::EMPTY,
    };
    let events = [
        write(1, 0x2008, 4),
        write(2, 0x1ffe, 2),
        write(3, 0x1ffe, 4),
        write(4, 0x3001, 1),
        write(8, 0x3000, 1),
    ];
    assert_eq!(run(&places, Unit::Cycles, &events).0.worst, Parts::all_own(5));
}

/// Includes the first and the last byte of an object.
#[test]
fn a_byte_of_an_object_is_met_wherever_it_is() {
    let watch = Watch::new(&[Place::Write(0x2000..0x2004)]);
    for address in 0x1ffe..0x2006_u32 {
        let mut watcher = Watcher::new(&watch, Collector::new([]), 0);
        let _ = watcher.event(&Event::Write {
            cycle: 7,
            pc: 0,
            address,
            size: 1,
            value: 0,
            sp: 0,
            since: RuleSet::EMPTY,
        });
        let met = (0x2000..0x2004).contains(&address).then_some(7);
        assert_eq!(watcher.first_met(), [met], "{address:#x}");
        assert_eq!(
            watcher.interest().writes.touches(address, 1),
            met.is_some(),
            "{address:#x}"
        );
    }
}

/// A thread switches to another and back between two points; with `timer`, SysTick precedes the first PendSV.
fn switches(pendsv: Exception, timer: Option<Exception>) -> Parts {
    let enter = |from, exception| {
        Event::Enter(Enter {
            at: window(from, from + 10),
            recognised: from,
            exception,
            kind: EntryKind::Preempt,
            return_address: 0,
            handler: 0x200,
            priority: None,
            sp: 0xfe0,
            since: RuleSet::EMPTY,
            rules: RuleSet::EMPTY,
            costs: Costs::NONE,
        })
    };
    let exit = |from, exception| {
        Event::Exit(Exit {
            at: window(from, from + 10),
            began: from,
            exception,
            to: 0,
            sp: 0x1000,
            since: RuleSet::EMPTY,
            rules: RuleSet::EMPTY,
            costs: Costs::NONE,
        })
    };
    let switch = |cycle, left, sp| {
        let pc = 0x220;
        Event::Switch { cycle, pc, left, sp }
    };
    let ticks = timer.map(|exception| [enter(40, exception), exit(60, exception)]);
    let events = ticks.into_iter().flatten().chain([
        enter(70, pendsv),
        exit(90, pendsv),
        switch(100, 0x1000, 0x2000),
        enter(200, pendsv),
        exit(220, pendsv),
        switch(230, 0x2000, 0x1000),
    ]);
    let places = [Place::Code(vec![0x100]), Place::Code(vec![0x104])];
    let watch = Watch {
        follows: true,
        ..Watch::new(&places)
    };
    let span = Span {
        from: PointId(0),
        to: PointId(1),
        unit: Unit::Cycles,
        skip: 0,
        count: None,
    };
    let mut watcher = Watcher::new(&watch, Collector::new([span]), 0x1000);
    let points = [retire(39, 0x100, 0x1000, 0), retire(240, 0x104, 0x1000, 0)];
    for event in points[..1]
        .iter()
        .copied()
        .chain(events)
        .chain(points[1..].iter().copied())
    {
        let _ = watcher.event(&event);
    }
    watcher.finish().finish()[0].clone().expect("measured").worst
}

/// After a timer's handler, PendSV is the timer's doing, and its time until another thread runs is not the thread's own.
#[test]
fn a_switch_is_the_threads_own_only_if_nothing_else_led_to_it() {
    let arm = (Exception::PEND_SV, Exception::System(15));
    let rv32 = (Exception::MACHINE_SOFT, Exception::MACHINE_TIMER);
    for (soft, timer) in [arm, rv32] {
        let own = switches(soft, None);
        assert_eq!((own.own, own.preempted, own.blocked), (71, 0, 130));
        let forced = switches(soft, Some(timer));
        assert_eq!((forced.own, forced.preempted, forced.blocked), (11, 60, 130));
        let by_timer = switches(timer, None);
        assert_eq!(
            (by_timer.own, by_timer.preempted, by_timer.blocked),
            (41, 30, 130)
        );
    }
}
