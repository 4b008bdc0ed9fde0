//! One test for each case in the crate's documentation.

use spans::{Collector, Parts, PointId, Record, Span, Stats, Unit, Unmeasured};

const FROM: PointId = PointId(0);
const TO: PointId = PointId(1);
const SYSTICK: u16 = 15;
const PENDSV: u16 = 14;
const IRQ6: u16 = 22;

fn span() -> Span {
    Span {
        from: FROM,
        to: TO,
        unit: Unit::Cycles,
        skip: 0,
        count: None,
    }
}

fn point(cycle: u64, point: PointId) -> Record {
    Record::Point { cycle, point, sp: 0 }
}

fn enter(cycle: u64, end: u64, number: u16) -> Record {
    let asked = number == PENDSV;
    Record::Enter {
        cycle,
        end,
        number,
        asked,
    }
}

/// An entry that an interrupt's handler set pending.
fn forced(cycle: u64, end: u64, number: u16) -> Record {
    let asked = false;
    Record::Enter {
        cycle,
        end,
        number,
        asked,
    }
}

fn exit(cycle: u64, end: u64, number: u16) -> Record {
    Record::Exit { cycle, end, number }
}

fn switch(cycle: u64, thread: u32) -> Record {
    Record::Switch { cycle, thread }
}

fn measure(span: Span, records: &[Record]) -> Result<Stats, Unmeasured> {
    let mut collector = Collector::new([span]);
    for &record in records {
        collector.record(record);
    }
    collector.finish().remove(0)
}

fn parts(own: i64, preempted: i64, blocked: i64) -> Parts {
    Parts {
        own,
        preempted,
        blocked,
    }
}

fn single(records: &[Record]) -> Parts {
    let stats = measure(span(), records).expect("one sample");
    assert_eq!(stats.count, 1);
    stats.worst
}

#[test]
fn plain_code_is_its_own() {
    assert_eq!(single(&[point(5, FROM), point(12, TO)]), parts(7, 0, 0));
}

#[test]
fn latency_owns_the_entry() {
    let records = [point(100, FROM), enter(101, 111, IRQ6), point(111, TO)];
    assert_eq!(single(&records), parts(11, 0, 0));
}

#[test]
fn the_way_back_owns_the_exit() {
    let records = [
        enter(0, 12, IRQ6),
        point(20, FROM),
        exit(20, 30, IRQ6),
        point(30, TO),
    ];
    assert_eq!(single(&records), parts(10, 0, 0));
}

#[test]
fn tail_chain_is_its_own() {
    let records = [
        enter(0, 12, IRQ6),
        point(20, FROM),
        exit(20, 20, IRQ6),
        enter(20, 26, SYSTICK),
        point(26, TO),
    ];
    assert_eq!(single(&records), parts(6, 0, 0));
}

#[test]
fn an_interruption_is_preempted_from_entry_to_exit() {
    let records = [
        point(10, FROM),
        enter(12, 24, IRQ6),
        exit(30, 40, IRQ6),
        point(45, TO),
    ];
    assert_eq!(single(&records), parts(7, 28, 0));
}

#[test]
fn nested_handlers_count_once() {
    let records = [
        point(10, FROM),
        enter(12, 24, PENDSV),
        enter(26, 38, IRQ6),
        exit(40, 50, IRQ6),
        exit(52, 62, PENDSV),
        point(62, TO),
    ];
    assert_eq!(single(&records), parts(2, 50, 0));
}

#[test]
fn latency_pays_for_a_handler_that_came_first() {
    let records = [
        point(10, FROM),
        enter(11, 23, SYSTICK),
        exit(33, 33, SYSTICK),
        enter(33, 39, IRQ6),
        point(39, TO),
    ];
    assert_eq!(single(&records), parts(7, 22, 0));
}

#[test]
fn a_handler_interrupted_on_the_way_to_the_point_pays_for_it() {
    let records = [
        point(0, FROM),
        enter(1, 11, PENDSV),
        enter(13, 23, IRQ6),
        exit(25, 35, IRQ6),
        point(40, TO),
    ];
    assert_eq!(single(&records), parts(18, 22, 0));
}

#[test]
fn another_thread_blocks_and_the_switches_are_own() {
    let records = [
        switch(0, 1),
        point(10, FROM),
        enter(12, 20, PENDSV),
        switch(30, 2),
        exit(40, 50, PENDSV),
        enter(90, 100, PENDSV),
        switch(110, 1),
        exit(120, 130, PENDSV),
        point(135, TO),
    ];
    assert_eq!(single(&records), parts(45, 0, 80));
}

/// A forced switch away from a thread is not the thread's own work, and neither are handlers nested in it.
#[test]
fn a_switch_that_the_thread_did_not_ask_for_preempts_it() {
    let records = [
        switch(0, 1),
        point(10, FROM),
        forced(12, 20, PENDSV),
        enter(22, 24, IRQ6),
        exit(26, 28, IRQ6),
        switch(30, 2),
        exit(40, 50, PENDSV),
        forced(90, 100, PENDSV),
        switch(110, 1),
        exit(120, 130, PENDSV),
        point(135, TO),
    ];
    assert_eq!(single(&records), parts(27, 18, 80));
}

/// The forced switch counts as own if the span ends in the other thread.
#[test]
fn a_span_to_another_thread_owns_a_forced_switch_to_it() {
    let records = [
        point(10, FROM),
        forced(12, 20, PENDSV),
        switch(45, 2),
        exit(50, 60, PENDSV),
        point(61, TO),
    ];
    assert_eq!(single(&records), parts(51, 0, 0));
}

#[test]
fn a_span_from_thread_to_thread_owns_the_switch_but_not_its_interruption() {
    let records = [
        point(10, FROM),
        enter(12, 20, PENDSV),
        enter(22, 30, IRQ6),
        exit(32, 40, IRQ6),
        switch(45, 2),
        exit(50, 60, PENDSV),
        point(61, TO),
    ];
    assert_eq!(single(&records), parts(33, 18, 0));
}

#[test]
fn each_context_has_its_own_opening() {
    // The handler runs the same code as the thread that it interrupts.
    let records = [
        point(10, FROM),
        enter(12, 22, IRQ6),
        point(25, FROM),
        point(28, TO),
        exit(30, 40, IRQ6),
        point(43, TO),
    ];
    let stats = measure(span(), &records).unwrap();
    assert_eq!((stats.count, stats.min, stats.max), (2, 3, 33));
    assert_eq!(stats.worst, parts(5, 28, 0));
}

#[test]
fn the_latest_opening_wins() {
    assert_eq!(
        single(&[point(10, FROM), point(20, FROM), point(25, TO), point(30, TO)]),
        parts(5, 0, 0)
    );
}

#[test]
fn an_opening_of_a_handler_that_ended_gives_way_to_the_next() {
    let records = [
        enter(0, 10, IRQ6),
        point(15, FROM),
        exit(16, 26, IRQ6),
        enter(50, 60, IRQ6),
        point(65, FROM),
        exit(66, 76, IRQ6),
        point(80, TO),
        point(90, TO),
    ];
    assert_eq!(single(&records), parts(15, 0, 0));
}

#[test]
fn a_point_to_itself_measures_the_period() {
    let span = Span { to: FROM, ..span() };
    let stats = measure(span, &[point(10, FROM), point(30, FROM), point(45, FROM)]).unwrap();
    assert_eq!((stats.count, stats.min, stats.max), (2, 15, 20));
}

#[test]
fn count_stops_collecting() {
    let mut collector = Collector::new([Span {
        count: Some(2),
        ..span()
    }]);
    for start in [0, 100, 200] {
        assert_eq!(collector.is_done(), start == 200);
        collector.record(point(start, FROM));
        collector.record(point(start + 1 + start / 50, TO));
    }
    let stats = collector.finish()[0].clone().unwrap();
    assert_eq!((stats.count, stats.max), (2, 3));
}

#[test]
fn stack_bytes_are_the_fall_of_the_stack_pointer() {
    let bytes = Span {
        unit: Unit::StackBytes,
        ..span()
    };
    let from = Record::Point {
        cycle: 3,
        point: FROM,
        sp: 0x2000_1000,
    };
    let to = Record::Point {
        cycle: 9,
        point: TO,
        sp: 0x2000_0fe0,
    };
    assert_eq!(measure(bytes, &[from, to]).unwrap().worst, Parts::all_own(32));
    let grown = [
        Record::Point {
            cycle: 3,
            point: FROM,
            sp: 0x100,
        },
        Record::Point {
            cycle: 4,
            point: TO,
            sp: 0x120,
        },
    ];
    assert_eq!(measure(bytes, &grown).unwrap().worst, Parts::all_own(-32));
}

#[test]
fn what_was_not_reached_is_named() {
    let missing = |from, to| Err(Unmeasured::NeverReached { from, to });
    assert_eq!(measure(span(), &[]), missing(true, true));
    assert_eq!(measure(span(), &[point(1, FROM)]), missing(false, true));
    assert_eq!(measure(span(), &[point(1, TO)]), missing(true, false));
    assert_eq!(
        measure(span(), &[point(1, TO), point(7, FROM)]),
        Err(Unmeasured::NeverClosed { opened: 7 })
    );
}

#[test]
fn what_a_reset_cut_is_named() {
    let cut = Err(Unmeasured::CutByReset { opened: 7 });
    let records = [point(7, FROM), Record::Restart];
    assert_eq!(measure(span(), &records), cut);
    assert_eq!(measure(span(), &[&records[..], &[point(9, TO)]].concat()), cut);
    // A later pair of points is a sample.
    let whole = [&records[..], &[point(9, FROM), point(11, TO)]].concat();
    assert_eq!(measure(span(), &whole).unwrap().count, 1);
    // No span was open.
    assert_eq!(
        measure(span(), &[Record::Restart, point(9, FROM)]),
        Err(Unmeasured::NeverReached {
            from: false,
            to: true
        })
    );
}

#[test]
fn a_lossy_trace_still_adds_up() {
    // The nested handler's exit is lost; the first exit belongs to a handler that began before the trace.
    let records = [
        exit(0, 5, SYSTICK),
        point(10, FROM),
        enter(12, 24, PENDSV),
        enter(26, 38, IRQ6),
        exit(52, 62, PENDSV),
        point(64, TO),
    ];
    assert_eq!(single(&records), parts(4, 50, 0));
}

#[test]
fn what_a_span_relied_on_is_what_was_told_inside_it() {
    let relied = |on| Record::Relied { on };
    let records = [
        relied(1),
        point(10, FROM),
        relied(2),
        relied(4),
        point(20, TO),
        relied(8),
        point(30, FROM),
        relied(16),
        point(40, TO),
        relied(32),
    ];
    assert_eq!(measure(span(), &records).unwrap().relied, 2 | 4 | 16);
}

#[test]
fn samples_while_caches_are_cold_are_skipped() {
    let records = [10, 40, 60, 80].map(|cycle| [point(cycle, FROM), point(cycle + 100 / cycle, TO)]);
    let skipping = |skip, count| Span {
        skip,
        count,
        ..span()
    };
    let stats = measure(skipping(2, Some(1)), records.as_flattened()).unwrap();
    assert_eq!((stats.count, stats.min, stats.max), (1, 1, 1));
    let stats = measure(skipping(1, None), records.as_flattened()).unwrap();
    assert_eq!((stats.count, stats.max), (3, 2));
}

/// A span that never closes while interrupts arrive and threads switch.
#[test]
fn what_is_kept_does_not_grow_with_the_run() {
    let kept_after = |rounds: u64| {
        let mut collector = Collector::new([span()]);
        collector.record(point(0, FROM));
        for start in (0..rounds).map(|round| 1000 + 100 * round) {
            collector.record(enter(start, start + 10, IRQ6));
            collector.record(point(start + 12, FROM));
            collector.record(exit(start + 20, start + 30, IRQ6));
            collector.record(enter(start + 40, start + 50, PENDSV));
            collector.record(switch(start + 55, (start / 100 % 3) as u32));
            collector.record(exit(start + 60, start + 70, PENDSV));
            collector.record(Record::Relied { on: 1 });
        }
        // The debug text holds all of the collector's state; numbers grow by a digit or two.
        format!("{collector:?}").len()
    };
    let (short, long) = (kept_after(100), kept_after(10_000));
    assert!(long < short + short / 2, "{short} bytes, then {long}");
}

#[test]
fn outer_passes_of_a_recursion_are_counted() {
    let at = |cycle, point, sp| Record::Point { cycle, point, sp };
    let records = [
        at(0, FROM, 100),
        at(10, FROM, 90),
        at(20, FROM, 80),
        at(25, TO, 80),
        at(30, TO, 90),
        at(40, TO, 100),
    ];
    let stats = measure(span(), &records).unwrap();
    assert_eq!((stats.count, stats.max, stats.recursed), (1, 5, 2));
    // A repeated opening at the same depth is no recursion, nor is an opening whose second point is never reached.
    let tries = [
        at(0, FROM, 100),
        at(10, FROM, 100),
        at(15, TO, 100),
        at(20, TO, 100),
    ];
    assert_eq!(measure(span(), &tries).unwrap().recursed, 0);
    let left = [
        at(0, FROM, 100),
        at(10, FROM, 90),
        at(15, TO, 90),
        at(20, FROM, 100),
        at(25, TO, 100),
    ];
    assert_eq!(measure(span(), &left).unwrap().recursed, 0);
}
