//! Matches points to spans and gathers the samples.

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
}

/// Takes records and gives statistics, one for each span, in the order of the spans.
///
/// A record costs what it touches: a point, the spans that begin or end there; a change of context, the spans that are open
/// (once for every 64 changes or so). What is kept does not grow with the length of the run, whether or not a span is ever closed.
#[derive(Clone, Debug)]
pub struct Collector {
    trackers: Vec<Tracker>,
    /// Which trackers a point matters to, ascending by point; one that begins and ends at the same point stands here once.
    by_point: Vec<(PointId, usize)>,
    timeline: Timeline,
    relied: Relied,
    /// Openings that wait for their second point, of all trackers.
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
            by_point,
            timeline: Timeline::default(),
            relied: Relied::default(),
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
            Record::Relied { on } => self.relied.told(on),
        }
        if self.open == 0 {
            // The log only serves open spans.
            self.timeline.forget();
        } else if self.timeline.is_full() {
            for tracker in &mut self.trackers {
                tracker.catch_up(&self.timeline);
            }
            self.timeline.forget();
        }
    }

    /// Whether every span has as many samples as it asked for. Spans without a count are never done.
    pub fn is_done(&self) -> bool {
        self.unfinished == 0
    }

    /// The result of each span.
    pub fn finish(self) -> Vec<Result<Stats, Unmeasured>> {
        self.trackers.into_iter().map(Tracker::finish).collect()
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
