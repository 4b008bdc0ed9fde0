//! Matches points to spans and gathers the samples.

use crate::calls::{CallTracker, Calls, Entry};
use crate::record::{PointId, Record};
use crate::relied::Relied;
use crate::stats::Stats;
use crate::timeline::Timeline;
use crate::tracker::Tracker;

/// What a span counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Clock cycles between the two points.
    Cycles,
    /// Stack that grew between the two points: stack pointer at the first less stack pointer at the second.
    StackBytes,
}

/// What to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Where it begins.
    pub from: PointId,
    /// Where it ends; it may be the same point, which then measures the time between two meetings.
    pub to: PointId,
    /// What it counts.
    pub unit: Unit,
    /// Samples at the beginning that do not count: while caches are cold.
    pub skip: u64,
    /// Samples after which it is not measured any more; without it, every pair counts.
    pub count: Option<u64>,
}

/// Why a span has no sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmeasured {
    /// One or both of its points were never met.
    NeverReached {
        /// The first point was not.
        from: bool,
        /// The second point was not.
        to: bool,
    },
    /// Both points were met, but the second never after the first.
    NeverClosed {
        /// The last cycle at which the span was opened.
        opened: u64,
    },
    /// A reset of the chip came between its first point and its second one.
    CutByReset {
        /// The last cycle at which the span was opened and then cut.
        opened: u64,
    },
    /// All of its samples were left out by `skip`.
    Skipped {
        /// How many there were.
        samples: u64,
    },
    /// The function was never called.
    NeverCalled,
    /// It was called, and not one call that counts has returned.
    NeverReturned {
        /// How often it was called.
        calls: u64,
        /// How many of these calls did not return.
        unfinished: u64,
    },
}

/// Takes records and gives statistics, one for each span, in the order of the spans, and then one for each function.
///
/// A record costs what it touches: a point, the spans that begin or end there; a change of context, the spans that are open
/// (once for every 64 changes or so). What is kept does not grow with the length of the run, whether or not a span is ever closed.
#[derive(Clone, Debug)]
pub struct Collector {
    trackers: Vec<Tracker>,
    calls: Vec<CallTracker>,
    /// Which trackers a point matters to, ascending by point; one that begins and ends at the same point stands here once.
    by_point: Vec<(PointId, usize)>,
    timeline: Timeline,
    relied: Relied,
    /// Openings that wait for their second point, and calls that have not returned, of all trackers.
    open: usize,
    /// Trackers that want more samples.
    unfinished: usize,
}

impl Collector {
    /// Nothing has happened yet.
    pub fn new(spans: impl IntoIterator<Item = Span>) -> Collector {
        let trackers: Vec<Tracker> = spans.into_iter().map(Tracker::new).collect();
        let ends = |(index, tracker): (usize, &Tracker)| {
            let Span { from, to, .. } = tracker.span();
            [(from, index), (to, index)]
        };
        let mut by_point: Vec<_> = trackers.iter().enumerate().flat_map(ends).collect();
        by_point.sort_unstable();
        by_point.dedup();
        Collector {
            unfinished: trackers.iter().filter(|tracker| !tracker.is_done()).count(),
            trackers,
            calls: Vec::new(),
            by_point,
            timeline: Timeline::default(),
            relied: Relied::default(),
            open: 0,
        }
    }

    /// Measures the calls of these functions too.
    #[must_use]
    pub fn and_calls(mut self, calls: impl IntoIterator<Item = Calls>) -> Collector {
        self.calls = calls.into_iter().map(CallTracker::new).collect();
        self.unfinished += self.calls.iter().filter(|calls| !calls.is_done()).count();
        self
    }

    /// What happened next.
    pub fn record(&mut self, record: Record) {
        match record {
            Record::Point { cycle, point, sp } => self.point(cycle, point, sp),
            Record::Enter {
                cycle, number, asked, ..
            } => self.timeline.enter(cycle, number, asked),
            Record::Exit { end, number, .. } => {
                let ended = if self.calls.is_empty() {
                    Vec::new()
                } else {
                    self.timeline.ending(number)
                };
                self.timeline.exit(end, number);
                for activation in ended {
                    self.each_call(|calls, timeline, relied| calls.ended(activation, end, timeline, relied));
                }
            }
            Record::Switch { cycle, thread } => self.timeline.switch(cycle, thread),
            Record::Relied { on } => self.relied.told(on),
            Record::Restart => {
                self.trackers.iter_mut().for_each(Tracker::abandon);
                self.calls.iter_mut().for_each(CallTracker::abandon_all);
                self.timeline.restart();
                self.open = 0;
            }
            _ => self.call(record),
        }
        if self.open == 0 {
            // The log only serves open spans.
            self.timeline.forget();
        } else if self.timeline.is_full() {
            for tracker in &mut self.trackers {
                tracker.catch_up(&self.timeline);
            }
            for calls in &mut self.calls {
                calls.catch_up(&self.timeline);
            }
            self.timeline.forget();
        }
    }

    /// Whether every span has as many samples as it asked for. Spans without a count are never done.
    pub fn is_done(&self) -> bool {
        self.unfinished == 0
    }

    /// Whether every span asked for a number of samples, so that it can be done.
    pub fn is_bounded(&self) -> bool {
        let spans = self.trackers.iter().map(|tracker| tracker.span().count);
        let calls = self.calls.iter().map(CallTracker::count);
        spans.chain(calls).all(|count| count.is_some())
    }

    /// The result of each span.
    pub fn finish(self) -> Vec<Result<Stats, Unmeasured>> {
        let calls = self.calls.into_iter().map(CallTracker::finish);
        self.trackers
            .into_iter()
            .map(Tracker::finish)
            .chain(calls)
            .collect()
    }

    /// What only calls have to do with.
    fn call(&mut self, record: Record) {
        match record {
            Record::Call {
                cycle,
                function,
                sp,
                returns_to,
                outermost,
                keeps_stack,
                frame,
            } => {
                let entry = Entry {
                    cycle,
                    sp,
                    returns_to,
                    outermost,
                    keeps_stack,
                    frame,
                };
                self.each_call(|calls, timeline, relied| {
                    if calls.function() == function {
                        calls.enter(entry, timeline, relied);
                    }
                });
            }
            Record::Reached { cycle, address, sp } => self.each_call(|calls, timeline, relied| {
                calls.reached(cycle, address, sp, timeline, relied);
            }),
            Record::Calls { returns_to, sp } => {
                self.each_call(|calls, timeline, _| calls.calls_again(returns_to, sp, timeline));
            }
            Record::Stack { sp } => self.each_call(|calls, timeline, _| calls.stack(sp, timeline)),
            Record::Clock { hz } => self.calls.iter_mut().for_each(|calls| calls.clock(hz)),
            _ => {}
        }
    }

    /// Does something with each function, and counts what is open and done.
    fn each_call(&mut self, mut each: impl FnMut(&mut CallTracker, &Timeline, &Relied)) {
        for calls in self.calls.iter_mut().filter(|calls| !calls.is_done()) {
            let before = calls.waiting();
            each(calls, &self.timeline, &self.relied);
            self.open = self.open + calls.waiting() - before;
            self.unfinished -= usize::from(calls.is_done());
        }
    }

    fn point(&mut self, cycle: u64, point: PointId, sp: u32) {
        let first = self.by_point.partition_point(|(of, _)| *of < point);
        let here = self.by_point[first..].iter().take_while(|(of, _)| *of == point);
        for &(_, index) in here {
            let tracker = &mut self.trackers[index];
            if tracker.is_done() {
                continue;
            }
            let before = tracker.waiting();
            tracker.met(cycle, point, sp, &self.timeline, &self.relied);
            self.open = self.open + tracker.waiting() - before;
            self.unfinished -= usize::from(tracker.is_done());
        }
    }
}
