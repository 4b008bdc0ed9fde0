//! The calls of functions.

use spans::{Calls, Collector, Parts, PointId, Record, Stats, Unit, Unmeasured};

const WORK: PointId = PointId(0);
const OTHER: PointId = PointId(1);
const BACK: u32 = 0x104;
const IRQ6: u16 = 22;

fn calls(function: PointId) -> Calls {
    Calls {
        function,
        unit: Unit::Cycles,
        skip: 0,
        count: None,
    }
}

fn call(cycle: u64, function: PointId, sp: u32, returns_to: u32) -> Record {
    Record::Call {
        cycle,
        function,
        sp,
        returns_to,
        outermost: false,
        keeps_stack: true,
        frame: 0,
    }
}

fn back(cycle: u64, address: u32, sp: u32) -> Record {
    Record::Reached {
        cycle,
        address,
        sp: Some(sp),
    }
}

fn measure(calls: &[Calls], records: &[Record]) -> Vec<Result<Stats, Unmeasured>> {
    let mut collector = Collector::new([]).and_calls(calls.iter().copied());
    for record in records {
        collector.record(*record);
    }
    collector.finish()
}

fn one(records: &[Record]) -> Stats {
    measure(&[calls(WORK)], records)[0].clone().expect("measured")
}

#[test]
fn a_call_ends_where_it_returns_to_with_its_own_stack_pointer() {
    // A deeper call reaches the same address first.
    let stats = one(&[call(10, WORK, 100, BACK), back(15, BACK, 80), back(30, BACK, 100)]);
    assert_eq!((stats.count, stats.max), (1, 20));
}

#[test]
fn recursion_is_matched_by_the_stack_pointer() {
    let stats = one(&[
        call(0, WORK, 100, BACK),
        call(10, WORK, 90, 0x200),
        call(20, WORK, 80, 0x200),
        back(30, 0x200, 80),
        back(45, 0x200, 90),
        back(60, BACK, 100),
    ]);
    assert_eq!((stats.count, stats.min, stats.max, stats.sum), (3, 10, 60, 105));
}

#[test]
fn a_tail_call_ends_with_its_caller() {
    let records = [
        call(0, WORK, 100, BACK),
        call(7, OTHER, 100, BACK),
        back(20, BACK, 100),
    ];
    let both = measure(&[calls(WORK), calls(OTHER)], &records);
    assert_eq!(both.map_totals(), [20, 13]);
}

trait Totals {
    fn map_totals(&self) -> Vec<i64>;
}

impl Totals for Vec<Result<Stats, Unmeasured>> {
    fn map_totals(&self) -> Vec<i64> {
        self.iter()
            .map(|stats| stats.clone().expect("measured").max)
            .collect()
    }
}

#[test]
fn a_jump_to_the_first_instruction_goes_on_with_the_call() {
    let stats = one(&[
        call(0, WORK, 100, BACK),
        call(3, WORK, 100, BACK),
        back(6, BACK, 100),
    ]);
    assert_eq!((stats.count, stats.max, stats.called.unfinished), (1, 6, 0));
}

#[test]
fn a_call_that_another_one_replaces_has_not_returned() {
    let again = Record::Calls {
        returns_to: BACK,
        sp: 100,
    };
    let stats = one(&[
        call(0, WORK, 100, BACK),
        again,
        call(50, WORK, 100, BACK),
        back(60, BACK, 100),
    ]);
    assert_eq!((stats.count, stats.max, stats.called.unfinished), (1, 10, 1));
    // A call with another return address shows by itself that the first was abandoned.
    let stats = one(&[
        call(0, WORK, 100, BACK),
        call(50, WORK, 100, 0x300),
        back(60, 0x300, 100),
    ]);
    assert_eq!((stats.count, stats.max, stats.called.unfinished), (1, 10, 1));
}

#[test]
fn without_a_return_there_is_no_sample() {
    assert_eq!(measure(&[calls(WORK)], &[]), [Err(Unmeasured::NeverCalled)]);
    let never = Unmeasured::NeverReturned {
        calls: 2,
        unfinished: 2,
    };
    let records = [call(0, WORK, 100, BACK), call(5, WORK, 60, BACK)];
    assert_eq!(measure(&[calls(WORK)], &records), [Err(never)]);
}

#[test]
fn a_handler_ends_with_its_exception_and_what_it_called_does_not_return() {
    let enter = Record::Enter {
        cycle: 10,
        end: 22,
        number: IRQ6,
        asked: false,
    };
    let exit = Record::Exit {
        cycle: 50,
        end: 60,
        number: IRQ6,
    };
    let handler = Record::Call {
        cycle: 22,
        function: WORK,
        sp: 68,
        returns_to: 0xffff_fff8,
        outermost: true,
        keeps_stack: true,
        frame: 0,
    };
    let records = [
        call(0, OTHER, 100, BACK),
        enter,
        handler,
        call(30, OTHER, 40, 0x200),
        exit,
        back(70, BACK, 100),
    ];
    let both = measure(&[calls(WORK), calls(OTHER)], &records);
    let (handler, other) = (both[0].clone().unwrap(), both[1].clone().unwrap());
    assert_eq!(handler.worst, Parts::all_own(38));
    let parts = Parts {
        own: 20,
        preempted: 50,
        blocked: 0,
    };
    assert_eq!((other.count, other.worst, other.called.unfinished), (1, parts, 1));
}

#[test]
fn a_thread_is_blocked_while_another_one_is_in_the_same_function() {
    let switch = |cycle, thread| Record::Switch { cycle, thread };
    let stats = one(&[
        call(0, WORK, 100, BACK),
        switch(10, 1),
        call(15, WORK, 500, BACK),
        switch(30, 0),
        back(40, BACK, 100),
        switch(45, 1),
        back(50, BACK, 500),
    ]);
    assert_eq!((stats.count, stats.min, stats.max), (2, 35, 40));
    let worst = Parts {
        own: 20,
        preempted: 0,
        blocked: 20,
    };
    assert_eq!(stats.worst, worst);
}

#[test]
fn time_is_at_the_clock_of_each_call() {
    let clock = |hz| Record::Clock { hz };
    let stats = one(&[
        call(0, WORK, 100, BACK),
        clock(1_000_000),
        back(10, BACK, 100),
        call(20, WORK, 100, BACK),
        clock(100_000_000),
        back(120, BACK, 100),
    ]);
    let time = stats.called.time.expect("clocks were told");
    assert_eq!(
        (time.min, time.max, time.sum),
        (1_000_000, 10_000_000, 11_000_000)
    );
    let untold = one(&[call(0, WORK, 100, BACK), back(10, BACK, 100)]);
    assert_eq!(untold.called.time, None);
}

#[test]
fn stack_is_that_of_the_call_and_what_it_calls_without_interrupts() {
    let stack = |sp| Record::Stack { sp };
    let enter = Record::Enter {
        cycle: 10,
        end: 22,
        number: IRQ6,
        asked: false,
    };
    let exit = Record::Exit {
        cycle: 50,
        end: 60,
        number: IRQ6,
    };
    let records = [
        call(0, WORK, 100, BACK),
        stack(92),
        stack(60),
        stack(92),
        enter,
        stack(10),
        exit,
        back(70, BACK, 100),
    ];
    assert_eq!(one(&records).called.stack, 40);
    let bytes = Calls {
        unit: Unit::StackBytes,
        ..calls(WORK)
    };
    assert_eq!(measure(&[bytes], &records).map_totals(), [40]);
}

#[test]
fn a_function_is_done_after_its_calls() {
    let counted = Calls {
        skip: 1,
        count: Some(1),
        ..calls(WORK)
    };
    let mut collector = Collector::new([]).and_calls([counted]);
    for (n, length) in [(0, 5), (1, 6), (2, 7)] {
        collector.record(call(100 * n, WORK, 100, BACK));
        assert_eq!(collector.is_done(), n == 2);
        collector.record(back(100 * n + length, BACK, 100));
    }
    let stats = collector.finish()[0].clone().unwrap();
    assert_eq!((stats.count, stats.max), (1, 6));
}

#[test]
fn what_makes_its_caller_s_frame_returns_with_another_stack_pointer() {
    let mut saves = call(10, WORK, 100, BACK);
    if let Record::Call { keeps_stack, .. } = &mut saves {
        *keeps_stack = false;
    }
    let stats = one(&[saves, back(15, BACK, 84)]);
    assert_eq!((stats.count, stats.max), (1, 5));
}

#[test]
fn a_clock_that_is_told_behind_a_short_call_is_still_its_own() {
    let hz = Record::Clock { hz: 1_000_000 };
    let stats = one(&[call(10, WORK, 100, BACK), back(15, BACK, 100), hz]);
    assert_eq!(stats.called.time.map(|time| time.max), Some(5_000_000));
    let mut limited = calls(WORK);
    limited.count = Some(1);
    let records = [call(10, WORK, 100, BACK), back(15, BACK, 100), hz];
    let done = measure(&[limited], &records)[0].clone().expect("measured");
    assert_eq!(done.called.time, stats.called.time);
}
