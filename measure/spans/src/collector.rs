//! Matches points to spans and collects samples.

use crate::calls::{CallTracker, Calls, Entry};
use crate::record::{PointId, Record};
use crate::relied::Relied;
use crate::stats::Stats;
use crate::timeline::Timeline;
use crate::tracker::Tracker;

/// The quantity that a span measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Clock cycles between the two points.
    Cycles,
    /// Stack growth in bytes: stack pointer at the first point minus stack pointer at the second.
    StackBytes,
}

/// A span to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The point where it begins.
    pub from: PointId,
    /// The point where it ends. If it is the same point, the span is the time between two hits.
    pub to: PointId,
    /// The quantity to measure.
    pub unit: Unit,
    /// Number of first samples to leave out, while caches are cold.
    pub skip: u64,
    /// Number of samples after which measuring ends; `None` measures every pair.
    pub count: Option<u64>,
}

/// Why a span has no sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmeasured {
    /// One or both points were never reached.
    NeverReached {
        /// The first point was never reached.
        from: bool,
        /// The second point was never reached.
        to: bool,
    },
    /// Both points were reached, but the second never after the first.
    NeverClosed {
        /// The last cycle at which the span was opened.
        opened: u64,
    },
    /// A chip reset came between the two points.
    CutByReset {
        /// The last cycle at which the span was opened before a reset.
        opened: u64,
    },
    /// `skip` left out every sample.
    Skipped {
        /// Number of samples left out.
        samples: u64,
    },
    /// The function was never called.
    NeverCalled,
    /// The function was called, but no call that counts returned.
    NeverReturned {
        /// Number of calls.
        calls: u64,
        /// Number of calls that did not return.
        unfinished: u64,
    },
}

/// Collects records into statistics: one for each span, in the order of the spans, then one for each function.
///
/// A point costs time for the spans that begin or end there. A context change costs time for every open span, but only about once per 64
/// changes. Memory does not grow with the length of the run, whether or not spans close.
#[derive(Clone, Debug)]
pub struct Collector {
    trackers: Vec<Tracker>,
    calls: Vec<CallTracker>,
    /// (point, tracker index), ascending by point; a span from a point to itself appears once.
    by_point: Vec<(PointId, usize)>,
    timeline: Timeline,
    relied: Relied,
    /// Number of openings and calls that are still open, over all trackers.
    open: usize,
    /// Number of trackers that need more samples.
    unfinished: usize,
}

impl Collector {
    /// A collector at the start of a trace.
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

    /// Also measures the calls of these functions.
    #[must_use]
    pub fn and_calls(mut self, calls: impl IntoIterator<Item = Calls>) -> Collector {
        self.calls = calls.into_iter().map(CallTracker::new).collect();
        self.unfinished += self.calls.iter().filter(|calls| !calls.is_done()).count();
        self
    }

    /// Processes the next record of the trace.
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

    /// Whether every span has the number of samples that it asked for. Spans without a count are never done.
    pub fn is_done(&self) -> bool {
        self.unfinished == 0
    }

    /// Whether every span asked for a number of samples, so that the collector can become done.
    pub fn is_bounded(&self) -> bool {
        let spans = self.trackers.iter().map(|tracker| tracker.span().count);
        let calls = self.calls.iter().map(CallTracker::count);
        spans.chain(calls).all(|count| count.is_some())
    }

    /// The result of each span and function.
    pub fn finish(self) -> Vec<Result<Stats, Unmeasured>> {
        let calls = self.calls.into_iter().map(CallTracker::finish);
        self.trackers
            .into_iter()
            .map(Tracker::finish)
            .chain(calls)
            .collect()
    }

    /// Processes a record that concerns calls only.
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

    /// Applies `each` to every unfinished function and updates the open and unfinished counts.
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
