//! Event emission: windows that tile the run, and the events in them.
//!
//! Listeners change neither a cycle nor a byte; they only select the events. [`Told::since`] collects the rules of instructions without a
//! listener, for the next one that has one.

use events::{Costs, Event, Flow, Interest, Pcs, Ranges, Retire, RuleSet, Sink, Window};
use exec::{Accessed, AddressRange};

use crate::core::{Core, Facts};
use crate::microop::{MicroOp, Step};
use crate::run::{self, Run};
use crate::timing::{Cycle, Rule, Timing};

/// The selection of events, and the position of the stream.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// Which instructions.
    pub(crate) pcs: Pcs,
    /// By [`Sink::step`], where that is easier.
    steps: bool,
    /// Exceptions and the like.
    control: bool,
    writes: Ranges,
    reads: Ranges,
    /// The end of the last window.
    to: Cycle,
    /// Cycles that passed since some cycle, and belong to the next window.
    carried: Option<(Cycle, Costs)>,
    /// The rules since the last emitted window.
    pub(super) since: RuleSet,
    /// The rules of all before that.
    rules: RuleSet,
    /// Changes whenever [`Told::since`] restarts: a run must add its rules once per round.
    pub(super) round: u64,
    /// Instructions that were executed.
    pub(super) instructions: u64,
    /// SP and LR before the instruction under way.
    pub(super) before: [u32; 2],
    /// Loads and stores of the instruction under way that somebody wants to hear of.
    /// With the stack pointer before it: an access is made before its base is moved.
    accesses: Vec<(Accessed, u32)>,
    /// Pending changes of peripheral lines and inputs.
    lines: Vec<Event>,
    /// The stack pointer of threads when the last one was left.
    pub(super) thread_sp: Option<u32>,
    /// A sink asked for a pause.
    pub(super) paused: bool,
}

impl Told {
    /// Nothing yet, of a run that begins in cycle `from` and whose first instruction can start in cycle `to`.
    pub(crate) fn new(from: Cycle, to: Cycle, rule: Rule) -> Told {
        Told {
            pcs: Pcs::None,
            steps: false,
            control: false,
            writes: Ranges::NONE,
            reads: Ranges::NONE,
            to: from,
            carried: Some((from, Costs::of(rule, (to - from) as u32))),
            since: RuleSet::EMPTY,
            rules: RuleSet::EMPTY,
            round: 1,
            instructions: 0,
            before: [0; 2],
            accesses: Vec::new(),
            lines: Vec::new(),
            thread_sp: None,
            paused: false,
        }
    }

    /// Whether exceptions and similar events are emitted.
    pub(super) fn hears_control(&self) -> bool {
        self.control
    }

    /// Whether instructions are emitted as steps.
    pub(super) fn tells_steps(&self) -> bool {
        self.steps
    }

    /// Whether no earlier event is pending for emission with or before the next instruction.
    pub(super) fn is_alone(&self) -> bool {
        self.carried.is_none() && self.lines.is_empty()
    }

    /// Starts a round after this one, since runs' memory of emitted rules is stale.
    pub(crate) fn begin_behind(&mut self, round: u64) {
        self.round = round + 1;
    }

    /// The round that is under way.
    pub(crate) fn round(&self) -> u64 {
        self.round
    }

    /// Whether every instruction is emitted.
    pub(super) fn all(&self) -> bool {
        self.pcs == Pcs::All
    }
}

impl Core {
    /// Instructions that were executed since reset.
    pub fn instructions(&self) -> u64 {
        self.told.instructions
    }

    /// The rules that decided a cycle since reset.
    pub fn relied(&self) -> RuleSet {
        self.told.rules.union(self.told.since)
    }

    /// Whether the sink of the last run asked for a pause; the run may have stopped for something else before it came to that.
    pub fn asked_to_pause(&self) -> bool {
        self.told.paused
    }

    /// Adds a rule that the next run does not include.
    pub(crate) fn relies_on(&mut self, rule: Rule) {
        self.told.since = self.told.since.with(rule);
    }

    /// Sets the selection of events from now on.
    pub(crate) fn listen(&mut self, interest: Interest) {
        self.stops.0 = interest.stops.addresses().to_vec();
        // A core that is elsewhere by now, or has other stops, stops when it reaches the address again.
        let stands_at = |pc: &u32| *pc == self.regs.r[15] && self.stops.0.contains(pc);
        self.stops.1 = self.stops.1.filter(stands_at);
        self.begins = [&self.halts[..], &self.stops.0].concat();
        let told = &mut self.told;
        told.paused = false;
        (told.pcs, told.steps, told.control) = (interest.pcs, interest.steps, interest.control);
        (told.writes, told.reads) = (interest.writes, interest.reads);
        self.bus.listen(self.told.control);
        let told = &self.told;
        self.sys.watched = [&told.reads, &told.writes].map(AddressRange::of);
    }

    /// Cycles from `from` on went to `costs`, and belong to the next window.
    pub(super) fn carry(&mut self, from: Cycle, costs: &Costs) {
        let carried = self.told.carried.get_or_insert((from, Costs::NONE));
        carried.1.join(costs);
    }

    /// The window that ends in cycle `to`: its cycles from `free` on went to `costs`; those before were carried.
    pub(super) fn window(&mut self, free: Cycle, to: Cycle, costs: &mut Costs) -> Window {
        let mut free = free;
        if let Some((from, mut all)) = self.told.carried.take() {
            all.join(costs);
            (free, *costs) = (from, all);
        }
        let from = free.max(self.told.to);
        costs.take_first((from - free) as u32);
        self.told.to = to;
        let window = Window {
            from: from as u64,
            to: to as u64,
        };
        debug_assert_eq!(costs.total(), window.length(), "{costs:?} in {window:?}");
        window
    }

    /// Takes the rules since the last emitted window.
    pub(super) fn since(&mut self, own: RuleSet) -> RuleSet {
        let since = std::mem::take(&mut self.told.since);
        self.told.round += 1;
        self.told.rules = self.told.rules.union(since).union(own);
        since
    }

    #[inline]
    pub(super) fn tell(&mut self, event: &Event, sink: &mut dyn Sink) {
        self.tell_passed(event.cycle(), sink);
        self.told.paused |= sink.event(event) == Flow::Pause;
    }

    /// As [`Core::tell_edges`], if somebody wants that. Behind a sleep it is done at once: the run may end there, wherever the sleep
    /// was cut.
    #[inline]
    pub(super) fn tell_passed(&mut self, now: u64, sink: &mut dyn Sink) {
        let waiting = !self.schedule.is_empty() || !self.told.lines.is_empty();
        if waiting && self.told.control {
            self.tell_edges(now, sink);
        }
    }

    /// Tells of the edges of inputs until cycle `now`, before what starts then, and of lines, and inputs of a core that slept, that
    /// changed by then: in the order of their cycles.
    pub(super) fn tell_edges(&mut self, now: u64, sink: &mut dyn Sink) {
        let by_now = |line: &mut Event| line.cycle() <= now;
        let mut lines: Vec<Event> = self.told.lines.extract_if(.., by_now).collect();
        lines.sort_by_key(Event::cycle);
        for line in lines {
            self.tell_scheduled(line.cycle(), sink);
            self.told.paused |= sink.event(&line) == Flow::Pause;
        }
        self.tell_scheduled(now, sink);
    }

    fn tell_scheduled(&mut self, now: u64, sink: &mut dyn Sink) {
        while let Some((cycle, number)) = self.schedule.tell_edge(now) {
            let event = Event::Input {
                cycle,
                number,
                level: true,
                since: self.since(RuleSet::EMPTY),
            };
            self.told.paused |= sink.event(&event) == Flow::Pause;
        }
    }

    /// The cycle of the next input edge to emit.
    pub(super) fn next_edge(&self) -> Cycle {
        let edge = self.schedule.next_edge().filter(|_| self.told.control);
        edge.map_or(Cycle::MAX, |cycle| cycle as Cycle)
    }

    /// Tells of something that is neither an instruction nor an access, if somebody wants that.
    pub(super) fn tell_control(&mut self, event: &Event, sink: &mut dyn Sink) {
        self.count_event(event);
        if self.told.control {
            self.tell(event, sink);
        }
    }

    /// Notes that the core has seen an input that was not emitted, because it slept meanwhile.
    pub(super) fn edge_passed(&mut self, cycle: u64, number: u16) {
        if self.told.control {
            let since = self.since(RuleSet::EMPTY);
            self.told.lines.push(Event::Input {
                cycle,
                number,
                level: true,
                since,
            });
        }
    }

    /// Notes a change of a peripheral line, to be emitted before the next event.
    pub(super) fn note_line(&mut self, event: Event) {
        self.told.lines.push(event);
    }

    /// Whether a listener wants an access; its instruction must then be emitted with it.
    pub(crate) fn note_access(&mut self, writes: bool, address: u32, size: u32, value: u32) -> bool {
        let accessed = Accessed {
            writes,
            address,
            size: size as u8,
            value,
        };
        let wanted = self.keep_access(accessed);
        self.facts.told |= wanted;
        wanted
    }

    /// Notes a word that the core itself stores.
    pub(crate) fn note_own_store(&mut self, address: u32, value: u32) {
        self.keep_access(Accessed {
            writes: true,
            address,
            size: 4,
            value,
        });
    }

    /// Keeps an access for emission if a listener wants it.
    fn keep_access(&mut self, accessed: Accessed) -> bool {
        let wanted = accessed.touches([&self.told.reads, &self.told.writes]);
        if wanted {
            self.told.accesses.push((accessed, self.regs.r[13]));
        }
        wanted
    }

    /// Tells of the frame that was pushed for an exception recognised in cycle `at`, while the stack pointer was `sp`.
    pub(super) fn announce_frame(&mut self, return_address: u32, sp: u32, at: Cycle, sink: &mut dyn Sink) {
        for (_, before) in &mut self.told.accesses {
            *before = sp;
        }
        self.announce_accesses(return_address, at as u64, sink);
    }

    /// Emits a reset of the chip and returns its cycle. Windows that had begun are dropped.
    pub(super) fn tell_reset(&mut self, sink: &mut dyn Sink) -> Cycle {
        let now = self.told.to.max(self.cycle as Cycle);
        let mut costs = Costs::NONE;
        let at = self.window(now, now, &mut costs);
        self.tell_control(&Event::Reset { at, costs }, sink);
        self.told.accesses.clear();
        self.told.thread_sp = None;
        now
    }

    /// Emits an executed instruction. The next one can start in cycle `end`; `free` is the cycle in which this one could.
    pub(super) fn announce(
        &mut self,
        op: &MicroOp,
        timing: &Timing,
        (free, end): (Cycle, Cycle),
        sink: &mut dyn Sink,
    ) {
        self.told.instructions += 1;
        self.announce_accesses(op.pc, timing.access as u64, sink);
        let (issued, rules) = self.waited_for_fp(timing.start, timing.rules);
        if !self.told.pcs.contains(op.pc) {
            self.told.since = self.told.since.union(rules);
            self.pass(end);
            return;
        }
        let mut costs = timing.costs(end != timing.free);
        let at = self.window(free, end, &mut costs);
        let since = self.since(rules);
        let retire = self.retire(op, at, issued, since, rules, &costs);
        self.tell(&retire, sink);
    }

    /// When an instruction starts, and its rules, if it may have waited until registers of the FPU were saved.
    fn waited_for_fp(&mut self, start: Cycle, rules: RuleSet) -> (Cycle, RuleSet) {
        match self.preserved.take() {
            Some([from, until]) if until == start => (from, rules.with(Rule::LazyStacking)),
            _ => (start, rules),
        }
    }

    /// Skips a window without a listener.
    fn pass(&mut self, end: Cycle) {
        (self.told.carried, self.told.to) = (None, end);
    }

    /// The next instruction has no listener: drops pending data for it.
    #[inline]
    pub(super) fn forget_carried(&mut self) {
        if self.told.carried.take().is_none() {
            return;
        }
        if self.preserved.take().is_some() {
            self.told.since = self.told.since.with(Rule::LazyStacking);
        }
    }

    #[inline]
    fn retire(
        &self,
        op: &MicroOp,
        at: Window,
        issued: Cycle,
        since: RuleSet,
        rules: RuleSet,
        costs: &Costs,
    ) -> Event {
        let [sp_before, link] = self.told.before;
        Event::Retire(Retire {
            at,
            issued: issued as u64,
            pc: op.pc,
            raw: op.raw,
            size: op.size,
            sp_before,
            sp: self.regs.r[13],
            link,
            alternate_link: 0,
            since,
            rules,
            costs: *costs,
        })
    }

    /// Emits the instruction at `index` of a run that began in cycle `base`, with its precomputed cost. `jumped`: it jumped, and its window
    /// includes the refill. `served`: the rules by which a flash delivered its words.
    pub(super) fn announce_worked_out(
        &mut self,
        run: &Run,
        index: usize,
        base: Cycle,
        jumped: bool,
        served: RuleSet,
        sink: &mut dyn Sink,
    ) {
        let side = &run.sides[index];
        let told = if jumped { &side.jumped } else { &side.straight };
        self.announce_as(run, index, base, (told, served), sink);
    }

    /// Emits an instruction with this result, and the rules of its words.
    pub(super) fn announce_as(
        &mut self,
        run: &Run,
        index: usize,
        base: Cycle,
        (told, served): (&run::Told, RuleSet),
        sink: &mut dyn Sink,
    ) {
        let free = base + run.sides[index].before.free();
        self.announce_since(&run.ops[index], free, base, (told, served), sink);
    }

    /// Emits an instruction that could start in cycle `free`, in the time that begins in cycle `base`.
    fn announce_since(
        &mut self,
        op: &MicroOp,
        free: Cycle,
        base: Cycle,
        (told, served): (&run::Told, RuleSet),
        sink: &mut dyn Sink,
    ) {
        let rules = told.rules.union(served);
        let usual = self.told.carried.is_none() && self.preserved.is_none() && free >= self.told.to;
        if usual {
            let (from, to) = (free as u64, (base + told.end) as u64);
            self.told.to = base + told.end;
            if self.told.steps && self.told.lines.is_empty() {
                self.told.since = self.told.since.union(rules);
                return self.tell_step(op, Window { from, to }, &told.costs, sink);
            }
            let since = self.since(rules);
            let issued = base + told.start;
            let retire = self.retire(op, Window { from, to }, issued, since, rules, &told.costs);
            return self.tell(&retire, sink);
        }
        let mut costs = told.costs;
        let at = self.window(free, base + told.end, &mut costs);
        let (issued, rules) = self.waited_for_fp(base + told.start, rules);
        let since = self.since(rules);
        let retire = self.retire(op, at, issued, since, rules, &costs);
        self.tell(&retire, sink);
    }

    /// Emits an instruction as a step, if the previous one was emitted and nothing else is pending. It could start in cycle `free`, in a
    /// run whose time begins in cycle `base`. The caller still has to note its rules.
    #[inline]
    pub(super) fn step(
        &mut self,
        op: &MicroOp,
        free: Cycle,
        (base, told): (Cycle, &run::Told),
        sink: &mut dyn Sink,
    ) {
        debug_assert!(
            free == self.told.to && self.preserved.is_none(),
            "what is told tiles the run"
        );
        self.told.to = base + told.end;
        let (from, to) = (free as u64, (base + told.end) as u64);
        self.tell_step(op, Window { from, to }, &told.costs, sink);
    }

    /// Tells of an instruction of a run, before whose end no input's edge comes, to a sink that asks for no more.
    #[inline]
    fn tell_step(&mut self, op: &MicroOp, at: Window, costs: &Costs, sink: &mut dyn Sink) {
        let step = events::Step {
            at,
            pc: op.pc,
            raw: op.raw,
            size: op.size,
            sp_before: self.told.before[0],
            sp: self.regs.r[13],
            costs,
        };
        self.told.paused |= sink.step(&step) == Flow::Pause;
    }

    /// Tells of an instruction that could start when the time of what it came to began, in cycle `base`, if somebody wants that.
    pub(super) fn announce_again(
        &mut self,
        op: &MicroOp,
        base: Cycle,
        told: &run::Told,
        sink: &mut dyn Sink,
    ) {
        self.told.instructions += 1;
        if self.told.pcs.contains(op.pc) {
            return self.announce_since(op, base, base, (told, RuleSet::EMPTY), sink);
        }
        let (_, rules) = self.waited_for_fp(base + told.start, told.rules);
        self.told.since = self.told.since.union(rules);
        self.pass(base + told.end);
    }

    /// Notes `instructions` executed instructions without a listener, with their rules; the last one ends in cycle `end`.
    pub(super) fn went_through(&mut self, instructions: usize, rules: RuleSet, end: Cycle) {
        self.told.instructions += instructions as u64;
        self.told.since = self.told.since.union(rules);
        self.pass(end);
    }

    /// Whether somebody wants to hear of the instruction at `pc`.
    pub(super) fn hears(&self, pc: u32) -> bool {
        self.told.pcs.contains(pc)
    }

    /// Whether somebody wants to hear of the first instruction of a run, at which it was split.
    #[inline]
    pub(super) fn hears_first_of(&self, run: &Run) -> bool {
        run.split && self.hears(run.pc)
    }

    /// Whether somebody wants to hear of the instruction at `pc`, and by which rules it went.
    pub(crate) fn tells_rules_of(&self, pc: u32) -> bool {
        self.hears(pc) && !self.told.steps
    }

    /// Emits the loads and stores of an instruction on the fast path, if a listener wants them and it met no other facts. Returns its
    /// remaining step.
    #[inline]
    pub(super) fn tell_accesses(&mut self, op: &MicroOp, step: Step, sink: &mut dyn Sink) -> Step {
        if self.facts.told {
            self.tell_met_accesses(op, step, sink)
        } else {
            step
        }
    }

    #[inline(never)]
    fn tell_met_accesses(&mut self, op: &MicroOp, step: Step, sink: &mut dyn Sink) -> Step {
        let only = Facts {
            told: true,
            ..Facts::NONE
        };
        if self.facts != only || !matches!(step, Step::Irregular | Step::Branch) {
            return step;
        }
        self.facts = Facts::NONE;
        self.announce_accesses(op.pc, self.access_cycle(op), sink);
        if step == Step::Irregular { Step::Next } else { step }
    }

    /// Tells of the loads and stores of the instruction at `pc`, or of the stores that the core made by itself before it.
    pub(super) fn announce_accesses(&mut self, pc: u32, cycle: u64, sink: &mut dyn Sink) {
        if self.told.accesses.is_empty() {
            return;
        }
        let mut accesses = std::mem::take(&mut self.told.accesses);
        for (accessed, sp) in accesses.drain(..) {
            let since = self.since(RuleSet::EMPTY);
            self.tell(&accessed.event(cycle, pc, sp, since), sink);
        }
        // The next one needs no memory of its own.
        self.told.accesses = accesses;
    }

    /// SP and LR, for the instruction that is executed next.
    #[inline(always)]
    pub(super) fn remember_frame(&mut self) {
        self.told.before = [self.regs.r[13], self.regs.r[14]];
    }
}
