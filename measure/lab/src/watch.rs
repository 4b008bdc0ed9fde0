//! Watches a run for points, and feeds what spans need.

use std::ops::Range;

use events::{Event, Flow, Interest, Pcs, Ranges, Sink};
use spans::{Collector, PointId, Record};

use crate::spec::Edge;

/// Where a point lies in one particular image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Instructions, each of which is the point.
    Code(Vec<u32>),
    /// The n-th BKPT of the run, from 1.
    Breakpoint(u32),
    /// Each BKPT with this operand.
    Marker(u8),
    /// An end of an exception.
    Exception(u16, Edge),
    /// Stores to these addresses.
    Write(Range<u32>),
    /// The spec raises this exception from outside.
    Raise(u16),
}

/// When a point in code is met.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum View {
    /// When its instruction is executed.
    #[default]
    Retire,
    /// When the core begins to fetch from its address, whether the instruction is then executed or not: what a counter sees
    /// that watches the register which holds the address of the fetch, or (Ibex) the bus.
    Fetch,
}

/// All points of a run, ready to be looked for.
#[derive(Default, Debug)]
pub struct Watch {
    points: usize,
    view: View,
    /// Ascending by address.
    code: Vec<(u32, PointId)>,
    /// One bit for each halfword address modulo 1024: most instructions are no point, and one load tells.
    filter: [u64; 16],
    breakpoints: Vec<(u32, PointId)>,
    markers: Vec<(u8, PointId)>,
    exceptions: Vec<(u16, Edge, PointId)>,
    writes: Vec<(Range<u32>, PointId)>,
    raises: Vec<(u16, PointId)>,
}

impl Watch {
    /// The same in this view.
    #[must_use]
    pub fn viewed(self, view: View) -> Watch {
        Watch { view, ..self }
    }

    /// The same for a core that announces the words that it fetches: a point in code is met with its word.
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

    /// Points by their places; a point's number is its index.
    pub fn new(places: &[Place]) -> Watch {
        let mut watch = Watch {
            points: places.len(),
            ..Watch::default()
        };
        for (id, place) in (0..).map(PointId).zip(places) {
            match place {
                Place::Code(addresses) => watch.code.extend(addresses.iter().map(|&pc| (pc, id))),
                Place::Breakpoint(number) => watch.breakpoints.push((*number, id)),
                Place::Marker(operand) => watch.markers.push((*operand, id)),
                Place::Exception(number, edge) => watch.exceptions.push((*number, *edge, id)),
                Place::Write(range) => watch.writes.push((range.clone(), id)),
                Place::Raise(number) => watch.raises.push((*number, id)),
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
    /// What is still raised from outside, the next one last: the core announces none of it.
    raises: Vec<(u64, u16)>,
    /// Rules since the last record.
    rules: u128,
}

impl<'a> Watcher<'a> {
    /// At reset; `sp` is the initial stack pointer.
    pub fn new(watch: &'a Watch, collector: Collector, sp: u32) -> Watcher<'a> {
        Watcher::with_raises(watch, collector, sp, &[])
    }

    /// As [`Watcher::new`], of a run with these interrupts from outside: cycle and exception number.
    pub fn with_raises(
        watch: &'a Watch,
        collector: Collector,
        sp: u32,
        raises: &[(u64, u16)],
    ) -> Watcher<'a> {
        let first = vec![None; watch.points];
        let mut watcher = Watcher {
            watch,
            collector,
            first,
            sp,
            breakpoints: 0,
            raises: Vec::new(),
            rules: 0,
        };
        watcher.expect(raises);
        watcher
    }

    /// These interrupts from outside are still to come.
    pub fn expect(&mut self, raises: &[(u64, u16)]) {
        self.raises = raises.to_vec();
        self.raises.sort_by_key(|raise| std::cmp::Reverse(*raise));
    }

    /// The cycle at which each point was first met.
    pub fn first_met(&self) -> &[Option<u64>] {
        &self.first
    }

    /// Whether every span has as many samples as it asked for.
    pub fn is_done(&self) -> bool {
        self.collector.is_done()
    }

    /// What was collected.
    pub fn finish(mut self) -> Collector {
        self.flush();
        self.collector
    }

    /// Tells the spans that are open what they relied on so far.
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

    fn met_all(&mut self, cycle: u64, points: impl Iterator<Item = PointId>) {
        points.for_each(|point| self.met(cycle, point));
    }

    /// The points at an address, if this is the view that they are met in.
    #[inline]
    fn code(&mut self, view: View, cycle: u64, pc: u32) {
        let watch = self.watch;
        if watch.view == view && watch.may_be_point(pc) {
            self.met_all(cycle, watch.at(pc));
        }
    }

    fn exception(&mut self, cycle: u64, number: u16, edge: Edge) {
        let watch = self.watch;
        let points = watch
            .exceptions
            .iter()
            .filter(|(n, e, _)| (*n, *e) == (number, edge));
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

    /// Meets the interrupts from outside that came by `now`, each in its own cycle.
    fn raised(&mut self, now: u64) {
        while let Some((cycle, number)) = self.raises.pop_if(|(cycle, _)| *cycle <= now) {
            let watch = self.watch;
            let points = watch.raises.iter().filter(|(n, _)| *n == number);
            self.met_all(cycle, points.map(|(_, id)| *id));
        }
    }

    fn write(&mut self, cycle: u64, address: u32, size: u8) {
        let watch = self.watch;
        let end = address.saturating_add(u32::from(size));
        let touched = watch
            .writes
            .iter()
            .filter(|(range, _)| address < range.end && range.start < end);
        self.met_all(cycle, touched.map(|(_, id)| *id));
    }
}

impl Sink for Watcher<'_> {
    fn interest(&self) -> Interest {
        let watch = self.watch;
        let code = watch.code.iter().map(|(pc, _)| *pc);
        let writes = watch
            .writes
            .iter()
            .map(|(range, _)| (range.start, range.end.saturating_sub(1)));
        Interest {
            pcs: match watch.view {
                View::Retire => Pcs::at(code),
                View::Fetch => Pcs::None,
            },
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
        match event {
            Event::Retire(retire) => {
                // The point is the instruction's start: what it costs, and what it does to SP, comes after it.
                (self.sp, self.rules) = (retire.sp_before, self.rules | retire.since.0);
                self.code(View::Retire, retire.issued, retire.pc);
                (self.sp, self.rules) = (retire.sp, self.rules | retire.rules.0);
            }
            Event::Enter(enter) => {
                self.rules |= enter.since.union(enter.rules).0;
                self.sp = enter.sp;
                let (cycle, end, number) = (enter.recognised, enter.at.to, enter.number);
                self.collector.record(Record::Enter { cycle, end, number });
                self.exception(end, number, Edge::Entry);
            }
            Event::Exit(exit) => {
                self.rules |= exit.since.union(exit.rules).0;
                self.sp = exit.sp;
                let (cycle, end, number) = (exit.began, exit.at.to, exit.number);
                self.collector.record(Record::Exit { cycle, end, number });
                self.exception(end, number, Edge::Exit);
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
                // It is no instruction that retires, but a label may stand there.
                self.code(View::Retire, at.to, *pc);
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
        Flow::On
    }
}

#[cfg(test)]
mod tests {
    use events::{Costs, Enter, EntryKind, Exit, Retire, RuleSet, Window};
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
        (watcher.finish().finish()[0].expect("measured"), first)
    }

    #[test]
    fn code_is_met_when_it_starts_and_relies_on_what_lies_between() {
        let places = [Place::Code(vec![0x100]), Place::Code(vec![0x104])];
        // 0x900 shares the filter's slot with 0x100.
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
        let watch = Watch::new(&[Place::Raise(16), Place::Code(vec![0x104])]);
        let raises = [(9, 16), (7, 16), (6, 17)];
        let mut watcher = Watcher::with_raises(&watch, Collector::new([span]), 0x1000, &raises);
        for event in [
            retire(5, 0x102, 0x1000, 0),
            retire(8, 0x104, 0x1000, 0),
            retire(12, 0x104, 0x1000, 0),
        ] {
            let _ = watcher.event(&event);
        }
        let stats = watcher.finish().finish()[0].expect("measured");
        assert_eq!((stats.count, stats.min, stats.max), (2, 1, 3));
    }

    #[test]
    fn stack_is_measured_before_the_instruction_at_the_point() {
        let places = [Place::Breakpoint(2), Place::Code(vec![0x200])];
        let entry = Event::Enter(Enter {
            at: window(8, 18),
            recognised: 8,
            number: 22,
            kind: EntryKind::Preempt,
            return_address: 0x104,
            handler: 0x200,
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
            Place::Exception(15, Edge::Entry),
            Place::Exception(15, Edge::Exit),
        ];
        let entry = Event::Enter(Enter {
            at: window(0, 12),
            recognised: 0,
            number: 15,
            kind: EntryKind::Preempt,
            return_address: 0,
            handler: 0x200,
            sp: 0,
            since: RuleSet::EMPTY,
            rules: RuleSet(1),
            costs: Costs::NONE,
        });
        let exit = Event::Exit(Exit {
            at: window(20, 30),
            began: 20,
            number: 15,
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
}
