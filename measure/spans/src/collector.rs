//! Matches points to spans and gathers the samples.

use crate::account::{Extent, account};
use crate::record::{PointId, Record};
use crate::stats::{Parts, Stats};
use crate::timeline::{Context, Timeline};

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
}

/// Takes records and gives statistics, one for each span, in the order of the spans.
#[derive(Clone, Debug)]
pub struct Collector {
    trackers: Vec<Tracker>,
    timeline: Timeline,
    open: usize,
}

impl Collector {
    /// Nothing has happened yet.
    pub fn new(spans: impl IntoIterator<Item = Span>) -> Collector {
        let trackers = spans.into_iter().map(Tracker::new).collect();
        Collector {
            trackers,
            timeline: Timeline::default(),
            open: 0,
        }
    }

    /// What happened next.
    pub fn record(&mut self, record: Record) {
        match record {
            Record::Point { cycle, point, sp } => self.point(cycle, point, sp),
            Record::Enter { cycle, number, .. } => self.timeline.enter(cycle, number),
            Record::Exit { end, number, .. } => self.timeline.exit(end, number),
            Record::Switch { cycle, thread } => self.timeline.switch(cycle, thread),
            Record::Relied { on } => self.relied(on),
        }
        // The log only serves open spans, and would grow with the length of the run.
        if self.open == 0 {
            self.timeline.forget();
        }
    }

    /// Whether every span has as many samples as it asked for. Spans without a count are never done.
    pub fn is_done(&self) -> bool {
        self.trackers.iter().all(Tracker::is_done)
    }

    /// The result of each span.
    pub fn finish(self) -> Vec<Result<Stats, Unmeasured>> {
        self.trackers.into_iter().map(Tracker::finish).collect()
    }

    fn relied(&mut self, on: u128) {
        for open in self.trackers.iter_mut().flat_map(|tracker| &mut tracker.open) {
            open.relied |= on;
        }
    }

    fn point(&mut self, cycle: u64, point: PointId, sp: u32) {
        for tracker in &mut self.trackers {
            tracker.met(cycle, point, sp, &self.timeline);
        }
        self.open = self.trackers.iter().map(|tracker| tracker.open.len()).sum();
    }
}

/// One span and its samples so far.
#[derive(Clone, Debug)]
struct Tracker {
    span: Span,
    /// At most one for each living context, and one for a handler that has ended; the latest last.
    open: Vec<Open>,
    stats: Option<Stats>,
    /// Samples that are still to be skipped.
    to_skip: u64,
    from_met: Option<u64>,
    to_met: bool,
}

/// A first point that waits for its second.
#[derive(Clone, Copy, Debug)]
struct Open {
    cycle: u64,
    sp: u32,
    context: Context,
    thread: u32,
    mark: usize,
    relied: u128,
}

impl Tracker {
    fn new(span: Span) -> Tracker {
        Tracker {
            span,
            open: Vec::new(),
            to_skip: span.skip,
            stats: None,
            from_met: None,
            to_met: false,
        }
    }

    fn is_done(&self) -> bool {
        let samples = self.stats.map_or(0, |stats| stats.count);
        self.span.count.is_some_and(|count| samples >= count)
    }

    fn met(&mut self, cycle: u64, point: PointId, sp: u32, timeline: &Timeline) {
        if self.is_done() {
            return;
        }
        // Closing comes first, for a span from a point to the same point.
        if point == self.span.to {
            self.to_met = true;
            self.close(cycle, sp, timeline);
        }
        if point == self.span.from {
            self.from_met = Some(cycle);
            self.open(cycle, sp, timeline);
        }
        if self.is_done() {
            self.open.clear();
        }
    }

    fn open(&mut self, cycle: u64, sp: u32, timeline: &Timeline) {
        let context = timeline.context();
        self.open
            .retain(|open| open.context != context && timeline.lives(open.context));
        self.open.push(Open {
            cycle,
            sp,
            context,
            thread: timeline.thread(),
            mark: timeline.mark(),
            relied: 0,
        });
    }

    fn close(&mut self, cycle: u64, sp: u32, timeline: &Timeline) {
        let context = timeline.context();
        let same = self.open.iter().rposition(|open| open.context == context);
        let Some(index) = same.or(self.open.len().checked_sub(1)) else {
            return;
        };
        let open = self.open.remove(index);
        if let Some(rest) = self.to_skip.checked_sub(1) {
            self.to_skip = rest;
            return;
        }
        let sample = match self.span.unit {
            Unit::StackBytes => Parts::all_own(i64::from(open.sp) - i64::from(sp)),
            Unit::Cycles => open.cycles_until(cycle, timeline),
        };
        match &mut self.stats {
            Some(stats) => stats.add(sample, open.relied),
            None => self.stats = Some(Stats::of(sample, open.relied)),
        }
    }

    fn finish(self) -> Result<Stats, Unmeasured> {
        let unmeasured = match (self.from_met, self.to_met) {
            (Some(opened), true) => Unmeasured::NeverClosed { opened },
            (from, to) => Unmeasured::NeverReached {
                from: from.is_none(),
                to: !to,
            },
        };
        self.stats.ok_or(unmeasured)
    }
}

impl Open {
    fn cycles_until(&self, end: u64, timeline: &Timeline) -> Parts {
        let extent = Extent {
            start: self.cycle,
            end,
            from_thread: self.thread,
            to_thread: timeline.thread(),
        };
        account(extent, timeline.since(self.mark))
    }
}
