//! Checks random runs against a slower second method: record for each cycle what ran in it.

use proptest::prelude::*;
use spans::{Collector, Parts, PointId, Record, Span, Unit};

const FROM: PointId = PointId(0);
const TO: PointId = PointId(1);

/// One step of a random run.
#[derive(Clone, Debug)]
enum Step {
    Run(u64),
    /// Cycles of the entry, and whether the running code requested it.
    Enter(u64, bool),
    Exit(u64),
    Switch(u32),
    From,
    To,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..9u64).prop_map(Step::Run),
        2 => (0..13u64, any::<bool>()).prop_map(|(cost, asked)| Step::Enter(cost, asked)),
        2 => (0..11u64).prop_map(Step::Exit),
        1 => (0..3u32).prop_map(Step::Switch),
        1 => Just(Step::From),
        1 => Just(Step::To),
    ];
    prop::collection::vec(step, 1..120)
}

/// A handler's activation. Its cycles run from entry to exit, both included.
#[derive(Clone, Copy, Debug)]
struct Life {
    begun_at_record: usize,
    ended_at_record: usize,
    thread_before: u32,
    thread_after: u32,
    asked: bool,
}

/// What ran in one cycle.
#[derive(Clone, Debug)]
struct Paint {
    thread: u32,
    handlers: Vec<usize>,
}

/// Steps between a span's two points, more than the log can hold.
fn long_way() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..9u64).prop_map(Step::Run),
        2 => (0..13u64, any::<bool>()).prop_map(|(cost, asked)| Step::Enter(cost, asked)),
        2 => (0..11u64).prop_map(Step::Exit),
        1 => (0..3u32).prop_map(Step::Switch),
    ];
    prop::collection::vec(step, 150..500)
}

/// A run: its records, and what ran in each cycle.
#[derive(Default)]
struct Run {
    now: u64,
    thread: u32,
    active: Vec<usize>,
    lives: Vec<Life>,
    paint: Vec<Paint>,
    records: Vec<(Record, u32)>,
}

impl Run {
    fn of(steps: &[Step]) -> Run {
        let mut run = Run::default();
        for step in steps {
            run.step(step);
        }
        run
    }

    fn spend(&mut self, cycles: u64) {
        let paint = Paint {
            thread: self.thread,
            handlers: self.active.clone(),
        };
        self.paint.extend(std::iter::repeat_n(paint, cycles as usize));
        self.now += cycles;
    }

    fn record(&mut self, record: Record) {
        self.records.push((record, self.thread));
    }

    fn step(&mut self, step: &Step) {
        let (cycle, number) = (self.now, 16 + self.active.len() as u16);
        match *step {
            Step::Run(cycles) => self.spend(cycles),
            Step::Enter(cost, asked) => {
                self.active.push(self.lives.len());
                let life = Life {
                    begun_at_record: self.records.len(),
                    ended_at_record: usize::MAX,
                    thread_before: self.thread,
                    thread_after: self.thread,
                    asked,
                };
                self.lives.push(life);
                self.spend(cost);
                self.record(Record::Enter {
                    cycle,
                    end: self.now,
                    number,
                    asked,
                });
            }
            Step::Exit(cost) if !self.active.is_empty() => {
                self.spend(cost);
                let id = self.active.pop().unwrap();
                self.lives[id].ended_at_record = self.records.len();
                self.lives[id].thread_after = self.thread;
                self.record(Record::Exit {
                    cycle,
                    end: self.now,
                    number: number - 1,
                });
            }
            Step::Exit(_) => {}
            Step::Switch(thread) => {
                self.thread = thread;
                self.record(Record::Switch { cycle, thread });
            }
            Step::From => self.record(Record::Point {
                cycle,
                point: FROM,
                sp: 0,
            }),
            Step::To => self.record(Record::Point {
                cycle,
                point: TO,
                sp: 0,
            }),
        }
    }

    fn cycle(&self, record: usize) -> u64 {
        match self.records[record].0 {
            Record::Point { cycle, .. } => cycle,
            _ => unreachable!("only points bound a span"),
        }
    }

    /// Splits the cycles between two point records by looking at each cycle.
    fn parts(&self, from: usize, to: usize) -> Parts {
        let homes = [self.records[from].1, self.records[to].1];
        let preempts = |&id: &usize, thread: u32| {
            let life = self.lives[id];
            let left = !life.asked && homes[0] == homes[1] && thread == life.thread_before;
            life.begun_at_record > from
                && life.ended_at_record < to
                && (life.thread_before == life.thread_after || left)
        };
        let mut parts = Parts::default();
        for paint in &self.paint[self.cycle(from) as usize..self.cycle(to) as usize] {
            if !homes.contains(&paint.thread) {
                parts.blocked += 1;
            } else if paint.handlers.iter().any(|id| preempts(id, paint.thread)) {
                parts.preempted += 1;
            } else {
                parts.own += 1;
            }
        }
        parts
    }
}

fn span(count: Option<u64>) -> Span {
    Span {
        from: FROM,
        to: TO,
        unit: Unit::Cycles,
        skip: 0,
        count,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The first sample matches the cycle-by-cycle split, and exists exactly when that does.
    #[test]
    fn shares_are_those_of_painted_cycles(steps in steps()) {
        let run = Run::of(&steps);
        let mut collector = Collector::new([span(Some(1))]);
        let mut openings = Vec::new();
        for (index, (record, _)) in run.records.iter().enumerate() {
            collector.record(*record);
            if let Record::Point { point: FROM, .. } = record {
                openings.push(index);
            }
            if collector.is_done() {
                let stats = collector.finish()[0].clone().unwrap();
                // Another test checks which opening a closing point belongs to.
                let fits = |&from: &usize| run.parts(from, index) == stats.worst;
                prop_assert!(openings.iter().any(fits), "{stats:?} fits no opening");
                return Ok(());
            }
        }
        let closed = run.records.iter().rposition(|(r, _)| matches!(r, Record::Point { point: TO, .. }));
        prop_assert!(openings.first().zip(closed).is_none_or(|(&from, to)| from > to), "a pair was missed");
    }

    /// However long a span is open, its split matches the cycle-by-cycle one.
    #[test]
    fn long_spans_are_shared_out_as_short_ones(
        before in prop::collection::vec((0..13u64, any::<bool>()).prop_map(|(cost, asked)| Step::Enter(cost, asked)), 0..3),
        way in long_way(),
    ) {
        let from = before.len();
        let steps: Vec<_> = before.into_iter().chain([Step::From]).chain(way).chain([Step::To]).collect();
        let run = Run::of(&steps);
        let mut collector = Collector::new([span(None)]);
        run.records.iter().for_each(|(record, _)| collector.record(*record));
        let stats = collector.finish()[0].clone().unwrap();
        prop_assert_eq!(stats.worst, run.parts(from, run.records.len() - 1));
    }

    /// A span gives the same result with and without other spans.
    #[test]
    fn spans_do_not_touch_each_other(
        ends in prop::collection::vec((0..6u32, 0..6u32, 0..2u64, prop::option::of(1..3u64)), 1..12),
        events in prop::collection::vec((0..9u32, 0..9u64, 0..128u32), 0..200),
    ) {
        let spans: Vec<_> = ends.into_iter().map(|(from, to, skip, count)| Span {
            from: PointId(from), to: PointId(to), unit: Unit::Cycles, skip, count,
        }).collect();
        let mut now = 0;
        let records: Vec<_> = events.into_iter().map(|(kind, cycles, bit)| {
            now += cycles;
            match kind {
                0 => Record::Enter { cycle: now, end: now, number: 16, asked: bit & 1 != 0 },
                1 => Record::Exit { cycle: now, end: now, number: 16 },
                2 => Record::Relied { on: 1 << bit },
                // One of the seven points belongs to no span.
                _ => Record::Point { cycle: now, point: PointId(bit % 7), sp: 0 },
            }
        }).collect();
        let measured = |spans: &[Span]| {
            let mut collector = Collector::new(spans.iter().copied());
            for record in &records {
                collector.record(*record);
            }
            (collector.is_done(), collector.finish())
        };
        let alone: Vec<_> = spans.iter().map(|span| measured(&[*span])).collect();
        let (done, together) = measured(&spans);
        prop_assert_eq!(done, alone.iter().all(|(done, _)| *done));
        prop_assert_eq!(together, alone.into_iter().flat_map(|(_, one)| one).collect::<Vec<_>>());
    }

    /// The parts of every sample add up to its total, and none is negative.
    #[test]
    fn shares_add_up(steps in steps()) {
        let run = Run::of(&steps);
        let mut collector = Collector::new([span(None), Span { to: FROM, ..span(None) }]);
        run.records.iter().for_each(|(record, _)| collector.record(*record));
        for stats in collector.finish().into_iter().flatten() {
            prop_assert_eq!(stats.worst.total(), stats.max);
            prop_assert!(stats.worst.own >= 0 && stats.worst.preempted >= 0 && stats.worst.blocked >= 0);
            prop_assert!(stats.min <= stats.max && stats.min >= 0);
            let count = i128::from(stats.count);
            prop_assert!(i128::from(stats.min) * count <= stats.sum && stats.sum <= i128::from(stats.max) * count);
        }
    }

    /// A jumping clock, and duplicate or missing exits, must not break the sum.
    #[test]
    fn nonsense_adds_up(events in prop::collection::vec((0..5u8, 0..50u64, 0..50u64, 0..3u16), 0..60)) {
        let mut collector = Collector::new([span(None)]);
        for (kind, cycle, end, number) in events {
            collector.record(match kind {
                0 => Record::Enter { cycle, end, number, asked: end & 1 != 0 },
                1 => Record::Exit { cycle, end, number },
                2 => Record::Switch { cycle, thread: u32::from(number) },
                3 => Record::Point { cycle, point: FROM, sp: 0 },
                _ => Record::Point { cycle, point: TO, sp: 0 },
            });
        }
        if let Ok(stats) = &collector.finish()[0] {
            prop_assert_eq!(stats.worst.total(), stats.max);
            prop_assert!(stats.worst.own >= 0 && stats.worst.preempted >= 0 && stats.worst.blocked >= 0);
        }
    }
}
