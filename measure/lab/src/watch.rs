//! Watches a run for points and feeds the span collector.

mod asking;

use std::ops::Range;

use events::{Event, Exit, Flow, Interest, Pcs, Ranges, Sink};
use machine::{Exception, Image};
use spans::{Collector, PointId, Record};

use crate::asked::Arrivals;
use crate::calls::{Follower, millicode};
use crate::spec::Edge;
use asking::Asking;

/// The resolved place of a point in one image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// These instructions; reaching any of them counts.
    Code(Vec<u32>),
    /// Start of a function whose calls are followed; it is not a point.
    Function(u32),
    /// The n-th BKPT of the run, from 1.
    Breakpoint(u32),
    /// Each BKPT with this operand.
    Marker(u8),
    /// Entry or exit of an exception.
    Exception(Exception, Edge),
    /// Stores to these addresses.
    Write(Range<u32>),
    /// This external interrupt of the spec.
    Raise(Exception),
}

/// When a point in code is reached.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum View {
    /// When its instruction is executed.
    #[default]
    Retire,
    /// When the core starts to fetch from its address, even if the instruction never executes. This is the view of a counter on the fetch
    /// address register or, on Ibex, on the bus.
    Fetch,
}

/// All points of a run, indexed for lookup.
#[derive(Default, Debug)]
pub struct Watch {
    points: usize,
    view: View,
    /// Points in code, ascending by address.
    code: Vec<(u32, PointId)>,
    /// Functions whose calls are followed.
    functions: Vec<(u32, PointId)>,
    /// Calls of those functions that link by `t0`.
    millicode: Vec<(u32, u32)>,
    /// Whether to record the stack pointer after every instruction.
    stack: bool,
    /// Whether threads and calls are followed.
    follows: bool,
    /// One bit per halfword address modulo 1024, as a fast test: most instructions are not points.
    filter: [u64; 16],
    breakpoints: Vec<(u32, PointId)>,
    markers: Vec<(u8, PointId)>,
    exceptions: Vec<(Exception, Edge, PointId)>,
    writes: Vec<(Range<u32>, PointId)>,
    raises: Vec<(Exception, PointId)>,
}

impl Watch {
    /// Sets the view.
    #[must_use]
    pub fn viewed(self, view: View) -> Watch {
        Watch { view, ..self }
    }

    /// Follows the program's threads and calls; `stack` records their stack use too.
    #[must_use]
    pub fn following(self, image: &Image, stack: bool) -> Watch {
        let functions = self.functions.iter().map(|(pc, _)| *pc);
        Watch {
            millicode: millicode::calls(image, functions),
            follows: true,
            stack,
            ..self
        }
    }

    /// For a core that reports fetched words: a point in code is reached with its word.
    #[must_use]
    pub fn in_words(mut self) -> Watch {
        for (pc, _) in &mut self.code {
            *pc &= !3;
        }
        self.code.sort_unstable();
        self.code.dedup();
        self.fill_filter();
        self
    }

    /// Points with these places; a point's number is its index.
    pub fn new(places: &[Place]) -> Watch {
        let mut watch = Watch {
            points: places.len(),
            ..Watch::default()
        };
        for (id, place) in (0..).map(PointId).zip(places) {
            match place {
                Place::Code(addresses) => watch.code.extend(addresses.iter().map(|&pc| (pc, id))),
                Place::Function(pc) => watch.functions.push((*pc, id)),
                Place::Breakpoint(number) => watch.breakpoints.push((*number, id)),
                Place::Marker(operand) => watch.markers.push((*operand, id)),
                Place::Exception(exception, edge) => watch.exceptions.push((*exception, *edge, id)),
                Place::Write(range) => watch.writes.push((range.clone(), id)),
                Place::Raise(exception) => watch.raises.push((*exception, id)),
            }
        }
        watch.code.sort_unstable();
        watch.fill_filter();
        watch
    }

    fn fill_filter(&mut self) {
        self.filter = [0; 16];
        for &(pc, _) in &self.code {
            let (word, bit) = slot(pc);
            self.filter[word] |= bit;
        }
    }

    #[inline]
    fn may_be_point(&self, pc: u32) -> bool {
        let (word, bit) = slot(pc);
        self.filter[word] & bit != 0
    }

    fn at(&self, pc: u32) -> impl Iterator<Item = PointId> {
        let first = self.code.partition_point(|(address, _)| *address < pc);
        self.code[first..]
            .iter()
            .take_while(move |(address, _)| *address == pc)
            .map(|(_, id)| *id)
    }
}

/// Whether an access of `size` bytes overlaps a range.
pub(crate) fn touches(range: &Range<u32>, address: u32, size: u8) -> bool {
    address < range.end && range.start < address.saturating_add(u32::from(size))
}

#[inline]
fn slot(pc: u32) -> (usize, u64) {
    let bit = pc >> 1 & 1023;
    ((bit >> 6) as usize, 1 << (bit & 63))
}

/// A sink that turns events into records for a [`Collector`].
#[derive(Clone, Debug)]
pub struct Watcher<'a> {
    watch: &'a Watch,
    collector: Collector,
    first: Vec<Option<u64>>,
    sp: u32,
    breakpoints: u32,
    /// External interrupts still to come, the next one last; the core does not report them.
    raises: Vec<(u64, Exception)>,
    /// External interrupts, and which were taken.
    arrivals: Arrivals,
    /// Rules since the last record.
    rules: u128,
    /// Follows threads and calls.
    follower: Option<Follower>,
    /// An exception return, held until it is known whether it switches threads.
    held: Option<Exit>,
    /// All instructions currently wanted.
    pcs: Pcs,
    /// Buffer for the follower's records of one event.
    records: Vec<Record>,
    /// Tracks which active handlers were requested.
    asking: Asking,
}

impl<'a> Watcher<'a> {
    /// A watcher at reset; `sp` is the initial stack pointer.
    pub fn new(watch: &'a Watch, collector: Collector, sp: u32) -> Watcher<'a> {
        Watcher::with_raises(watch, collector, sp, &[])
    }

    /// As [`Watcher::new`], with these external interrupts as (cycle, exception).
    pub fn with_raises(
        watch: &'a Watch,
        collector: Collector,
        sp: u32,
        raises: &[(u64, Exception)],
    ) -> Watcher<'a> {
        let first = vec![None; watch.points];
        let mut watcher = Watcher {
            watch,
            collector,
            first,
            sp,
            breakpoints: 0,
            raises: Vec::new(),
            arrivals: Arrivals::new(&[]),
            rules: 0,
            follower: watch
                .follows
                .then(|| Follower::new(&watch.functions, &watch.millicode)),
            held: None,
            pcs: Pcs::None,
            records: Vec::new(),
            asking: Asking::default(),
        };
        watcher.pcs = watcher.wanted();
        watcher.expect(raises);
        watcher
    }

    /// Expects these external interrupts.
    pub fn expect(&mut self, raises: &[(u64, Exception)]) {
        self.raises = raises.to_vec();
        self.raises.sort_by_key(|raise| std::cmp::Reverse(*raise));
        self.arrivals = Arrivals::new(raises);
    }

    /// The cycle at which each point was first reached.
    pub fn first_met(&self) -> &[Option<u64>] {
        &self.first
    }

    /// The external interrupts, and which were taken.
    pub(crate) fn arrivals(&self) -> &Arrivals {
        &self.arrivals
    }

    /// Whether every span has the number of samples that it asked for.
    pub fn is_done(&self) -> bool {
        self.collector.is_done()
    }

    /// Whether a call has begun without a clock: the run then pauses for [`Watcher::clock`].
    pub fn asks_clock(&self) -> bool {
        self.follower.as_ref().is_some_and(Follower::asks_clock)
    }

    /// Reports the core's clock in Hz.
    pub fn clock(&mut self, hz: u32) {
        if let Some(follower) = &mut self.follower {
            follower.clock_told();
        }
        self.collector.record(Record::Clock { hz });
    }

    /// The collector with all records.
    pub fn finish(mut self) -> Collector {
        self.release();
        self.flush();
        self.collector
    }

    /// Reports the rules relied on so far to the open spans.
    fn flush(&mut self) {
        self.collector.record(Record::Relied {
            on: std::mem::take(&mut self.rules),
        });
    }

    fn met(&mut self, cycle: u64, point: PointId) {
        self.flush();
        self.first[point.0 as usize].get_or_insert(cycle);
        self.collector.record(Record::Point {
            cycle,
            point,
            sp: self.sp,
        });
    }

    /// The instructions that points and calls need.
    fn wanted(&self) -> Pcs {
        let watch = self.watch;
        let code = watch.code.iter().filter(|_| watch.view == View::Retire);
        let calls = self.follower.iter().flat_map(Follower::addresses);
        if watch.stack {
            return Pcs::All;
        }
        Pcs::at(code.map(|(pc, _)| *pc).chain(calls))
    }

    /// Updates the follower and records its output. Pauses if it needs more instructions, or the clock.
    fn follow(&mut self, what: impl FnOnce(&mut Follower, &mut Vec<Record>)) -> Flow {
        let Some(follower) = &mut self.follower else {
            return Flow::On;
        };
        let mut records = std::mem::take(&mut self.records);
        what(follower, &mut records);
        let (grew, asks) = (follower.grew(), follower.asks_clock());
        if !records.is_empty() {
            self.flush();
        }
        for record in records.drain(..) {
            self.collector.record(record);
        }
        self.records = records;
        if grew {
            self.pcs = self.wanted();
        }
        if grew || asks { Flow::Pause } else { Flow::On }
    }

    /// Records the held exception return, since no thread switch follows it.
    pub(crate) fn release(&mut self) {
        if let Some(exit) = self.held.take() {
            self.sp = exit.sp;
            let (cycle, end, exception) = (exit.began, exit.at.to, exit.exception);
            self.flush();
            let number = exception.id();
            self.collector.record(Record::Exit { cycle, end, number });
            self.exception(end, exception, Edge::Exit);
        }
    }

    fn met_all(&mut self, cycle: u64, points: impl Iterator<Item = PointId>) {
        points.for_each(|point| self.met(cycle, point));
    }

    /// Records the points at an address, if this is their view.
    #[inline]
    fn code(&mut self, view: View, cycle: u64, pc: u32) {
        let watch = self.watch;
        if watch.view == view && watch.may_be_point(pc) {
            self.met_all(cycle, watch.at(pc));
        }
    }

    fn exception(&mut self, cycle: u64, exception: Exception, edge: Edge) {
        let watch = self.watch;
        let points = watch
            .exceptions
            .iter()
            .filter(|(n, e, _)| (*n, *e) == (exception, edge));
        self.met_all(cycle, points.map(|(_, _, id)| *id));
    }

    fn marker(&mut self, cycle: u64, imm: u8) {
        let watch = self.watch;
        let met = watch.markers.iter().filter(|(operand, _)| *operand == imm);
        self.met_all(cycle, met.map(|(_, id)| *id));
    }

    fn breakpoint(&mut self, cycle: u64) {
        self.breakpoints += 1;
        let (watch, number) = (self.watch, self.breakpoints);
        self.met_all(
            cycle,
            watch
                .breakpoints
                .iter()
                .filter(|(n, _)| *n == number)
                .map(|(_, id)| *id),
        );
    }

    /// Records the external interrupts that arrived by `now`, each in its own cycle.
    fn raised(&mut self, now: u64) {
        while let Some((cycle, exception)) = self.raises.pop_if(|(cycle, _)| *cycle <= now) {
            let watch = self.watch;
            let points = watch.raises.iter().filter(|(raised, _)| *raised == exception);
            self.met_all(cycle, points.map(|(_, id)| *id));
        }
    }

    fn write(&mut self, cycle: u64, address: u32, size: u8) {
        let watch = self.watch;
        let touched = watch
            .writes
            .iter()
            .filter(|(range, _)| touches(range, address, size));
        self.met_all(cycle, touched.map(|(_, id)| *id));
    }
}

impl Sink for Watcher<'_> {
    fn interest(&self) -> Interest {
        let watch = self.watch;
        let writes = watch
            .writes
            .iter()
            .map(|(range, _)| (range.start, range.end.saturating_sub(1)));
        Interest {
            pcs: self.pcs.clone(),
            control: true,
            writes: Ranges::of(writes),
            fetch: watch.view == View::Fetch,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Event::Input { since, .. } = event {
            self.rules |= since.0;
        }
        if !self.raises.is_empty() {
            self.raised(event.cycle());
        }
        if !matches!(
            event,
            Event::Switch { .. }
                | Event::Input { .. }
                | Event::Line { .. }
                | Event::Pin { .. }
                | Event::Clock { .. }
                | Event::Text { .. }
        ) {
            self.release();
        }
        let mut flow = Flow::On;
        match event {
            Event::Retire(retire) => {
                // The point is the start of the instruction; its cost and its effect on SP follow.
                (self.sp, self.rules) = (retire.sp_before, self.rules | retire.since.0);
                self.code(View::Retire, retire.issued, retire.pc);
                let stack = self.watch.stack;
                flow = self.follow(|follower, to| follower.retire(retire, stack, to));
                (self.sp, self.rules) = (retire.sp, self.rules | retire.rules.0);
            }
            Event::Enter(enter) => {
                self.arrivals.event(event);
                self.rules |= enter.since.union(enter.rules).0;
                let found = std::mem::replace(&mut self.sp, enter.sp);
                let (cycle, end) = (enter.recognised, enter.at.to);
                flow = self.follow(|follower, to| follower.enter(enter, found, to));
                let asked = self.asking.enter(enter);
                self.collector.record(Record::Enter {
                    cycle,
                    end,
                    number: enter.exception.id(),
                    asked,
                });
                self.exception(end, enter.exception, Edge::Entry);
            }
            Event::Exit(exit) => {
                self.rules |= exit.since.union(exit.rules).0;
                self.held = Some(*exit);
                self.asking.exit(exit);
                flow = self.follow(|follower, _| follower.exit(exit));
                if self.follower.is_none() {
                    self.release();
                }
            }
            Event::Switch { cycle, left, sp, .. } => {
                flow = self.follow(|follower, to| follower.switch(*cycle, *left, *sp, to));
            }
            Event::Reset { .. } => {
                self.asking.restart();
                self.collector.record(Record::Restart);
                flow = self.follow(|follower, _| follower.restart());
            }
            Event::Semihosting { at, pc, .. } => {
                flow = self.follow(|follower, to| follower.reached(at.to, *pc, None, to));
            }
            Event::Breakpoint {
                at,
                pc,
                imm,
                sp,
                since,
                ..
            } => {
                (self.sp, self.rules) = (*sp, self.rules | since.0);
                self.breakpoint(at.to);
                self.marker(at.to, *imm);
                // It does not retire, but a label may be there.
                self.code(View::Retire, at.to, *pc);
                flow = self.follow(|follower, to| follower.reached(at.to, *pc, Some(*sp), to));
            }
            Event::Write {
                cycle,
                address,
                size,
                sp,
                since,
                ..
            } => {
                (self.sp, self.rules) = (*sp, self.rules | since.0);
                self.write(*cycle, *address, *size);
            }
            Event::Fetch { cycle, pc } => self.code(View::Fetch, *cycle, *pc),
            _ => {}
        }
        flow
    }
}

#[cfg(test)]
mod tests;
