//! Tracks one span: its openings, and its samples so far.

use crate::account::Walk;
use crate::collector::{Span, Unit, Unmeasured};
use crate::record::PointId;
use crate::relied::{Moment, Relied};
use crate::stats::{Parts, Stats};
use crate::timeline::{Context, Timeline};

#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    span: Span,
    /// The latest opening of each context, the most recent last. Contexts that ended are removed at the next opening.
    open: Vec<Open>,
    stats: Option<Stats>,
    /// Number of samples still to be skipped.
    to_skip: u64,
    from_met: Option<u64>,
    to_met: bool,
    /// The cycle of the last opening that a chip reset cut off.
    cut: Option<u64>,
    /// Number of openings that a deeper one in the same context replaced before they closed.
    nested: u64,
    /// Number of closings of such replaced openings: the outer passes of a recursion.
    recursed: u64,
}

/// A first point that waits for its second, or an open call.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) sp: u32,
    pub(crate) context: Context,
    /// The shares up to the start of the log, or up to the opening if that is later.
    walk: Walk,
    /// Log position at which the walk continues.
    mark: usize,
    pub(crate) since: Moment,
}

impl Tracker {
    pub(crate) fn new(span: Span) -> Tracker {
        Tracker {
            span,
            open: Vec::new(),
            to_skip: span.skip,
            stats: None,
            from_met: None,
            to_met: false,
            cut: None,
            nested: 0,
            recursed: 0,
        }
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    pub(crate) fn is_done(&self) -> bool {
        let samples = self.stats.as_ref().map_or(0, |stats| stats.count);
        self.span.count.is_some_and(|count| samples >= count)
    }

    /// Number of openings that wait for their second point.
    pub(crate) fn waiting(&self) -> usize {
        self.open.len()
    }

    /// One of the span's points was reached.
    pub(crate) fn met(&mut self, cycle: u64, point: PointId, sp: u32, timeline: &Timeline, relied: &Relied) {
        // Close first, for a span from a point to itself.
        if point == self.span.to {
            self.to_met = true;
            self.close(cycle, sp, timeline, relied);
        }
        if point == self.span.from {
            self.from_met = Some(cycle);
            self.open(cycle, sp, timeline, relied);
        }
        if self.is_done() {
            self.open.clear();
        }
    }

    /// Drops all openings after a chip reset.
    pub(crate) fn abandon(&mut self) {
        self.cut = self.open.last().map(Open::began).or(self.cut);
        self.open.clear();
        self.nested = 0;
    }

    /// Processes the log before it is cleared.
    pub(crate) fn catch_up(&mut self, timeline: &Timeline) {
        self.open.iter_mut().for_each(|open| open.catch_up(timeline));
    }

    pub(crate) fn finish(self) -> Result<Stats, Unmeasured> {
        let skipped = self.span.skip - self.to_skip;
        let unmeasured = match (self.cut, self.from_met, self.to_met) {
            _ if skipped > 0 => Unmeasured::Skipped { samples: skipped },
            (Some(opened), ..) => Unmeasured::CutByReset { opened },
            (None, Some(opened), true) => Unmeasured::NeverClosed { opened },
            (None, from, to) => Unmeasured::NeverReached {
                from: from.is_none(),
                to: !to,
            },
        };
        let recursed = self.recursed;
        let stats = self.stats.map(|stats| Stats { recursed, ..stats });
        stats.ok_or(unmeasured)
    }

    fn open(&mut self, cycle: u64, sp: u32, timeline: &Timeline, relied: &Relied) {
        let context = timeline.context();
        let is_deeper = |open: &Open| open.context == context && open.sp > sp;
        self.nested += u64::from(self.open.iter().any(is_deeper));
        self.open
            .retain(|open| open.context != context && timeline.lives(open.context));
        self.open.push(Open::new(cycle, sp, timeline, relied));
    }

    fn close(&mut self, cycle: u64, sp: u32, timeline: &Timeline, relied: &Relied) {
        let context = timeline.context();
        let same = self.open.iter().rposition(|open| open.context == context);
        let Some(index) = same.or(self.open.len().checked_sub(1)) else {
            if let Some(rest) = self.nested.checked_sub(1) {
                self.nested = rest;
                self.recursed += 1;
            }
            return;
        };
        let open = self.open.remove(index);
        if let Some(rest) = self.to_skip.checked_sub(1) {
            self.to_skip = rest;
            return;
        }
        let (on, at) = (relied.since(open.since), (open.began(), cycle));
        let sample = match self.span.unit {
            Unit::StackBytes => Parts::all_own(i64::from(open.sp) - i64::from(sp)),
            Unit::Cycles => open.cycles_until(cycle, timeline),
        };
        match &mut self.stats {
            Some(stats) => stats.add(sample, on, at),
            None => self.stats = Some(Stats::of(sample, on, at)),
        }
    }
}

impl Open {
    /// Opens now, in the running context.
    pub(crate) fn new(cycle: u64, sp: u32, timeline: &Timeline, relied: &Relied) -> Open {
        Open {
            sp,
            context: timeline.context(),
            walk: Walk::new(cycle, timeline.thread()),
            mark: timeline.mark(),
            since: relied.now(),
        }
    }

    /// The cycle in which it opened.
    pub(crate) fn began(&self) -> u64 {
        self.walk.start()
    }

    /// Processes the log before it is cleared.
    pub(crate) fn catch_up(&mut self, timeline: &Timeline) {
        self.walk.go(timeline.since(self.mark), u64::MAX);
        self.mark = 0;
    }

    /// The split of the cycles up to `end`.
    pub(crate) fn cycles_until(mut self, end: u64, timeline: &Timeline) -> Parts {
        self.walk.go(timeline.since(self.mark), end);
        self.walk.finish(end, timeline.thread())
    }
}
