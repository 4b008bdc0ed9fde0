//! Event emission: windows that tile the run, and the events in them.
//!
//! Listeners change neither a cycle nor a byte; they only select the events. [`crate::state::Emitter::since`] collects the rules of instructions without a
//! listener, for the next one that has one.

use events::{Costs, Event, Exception, Flow, Interest, Retire, RuleSet, Sink, Window};
use exec::{Accessed, AddressRange};

use crate::block::{self, Block};
use crate::core::Core;
use crate::microop::{MicroOp, Step};
use crate::state::Deviation;
use crate::timing::{Cycle, Rule, Timing};

impl Core {
    /// Number of instructions executed since reset.
    pub fn instructions(&self) -> u64 {
        self.emitter.instructions
    }

    /// The rules that decided a cycle since reset.
    pub fn rules_used(&self) -> RuleSet {
        self.emitter.rules.union(self.emitter.since)
    }

    /// Whether the last run's sink asked for a pause, even if the run stopped for another reason first.
    pub fn pause_requested(&self) -> bool {
        self.emitter.paused
    }

    /// Adds a rule that the next run does not include.
    pub(crate) fn relies_on(&mut self, rule: Rule) {
        self.emitter.since = self.emitter.since.with(rule);
    }

    /// Sets the selection of events from now on.
    pub(crate) fn set_interest(&mut self, interest: Interest) {
        self.stops.0 = interest.stops.addresses().to_vec();
        // A core that is elsewhere by now, or has other stops, stops when it reaches the address again.
        let stands_at = |pc: &u32| *pc == self.regs.r[15] && self.stops.0.contains(pc);
        self.stops.1 = self.stops.1.filter(stands_at);
        self.block_starts = [&self.halts[..], &self.stops.0].concat();
        let event = &mut self.emitter;
        event.paused = false;
        (event.pcs, event.steps, event.control) = (interest.pcs, interest.steps, interest.control);
        (event.writes, event.reads) = (interest.writes, interest.reads);
        self.bus.listen(self.emitter.control);
        let event = &self.emitter;
        self.sys.watched = [&event.reads, &event.writes].map(AddressRange::of);
    }

    /// Cycles from `from` on went to `costs` and belong to the next window.
    pub(super) fn carry(&mut self, from: Cycle, costs: &Costs) {
        let carried = self.emitter.carried.get_or_insert((from, Costs::NONE));
        carried.1.join(costs);
    }

    /// The window that ends in cycle `to`, including carried cycles. `costs` are those from `free` on.
    pub(super) fn window(&mut self, free: Cycle, to: Cycle, costs: &mut Costs) -> Window {
        let mut free = free;
        if let Some((from, mut all)) = self.emitter.carried.take() {
            all.join(costs);
            (free, *costs) = (from, all);
        }
        let from = free.max(self.emitter.to);
        costs.take_first((from - free) as u32);
        self.emitter.to = to;
        let window = Window {
            from: from as u64,
            to: to as u64,
        };
        debug_assert_eq!(costs.total(), window.length(), "{costs:?} in {window:?}");
        window
    }

    /// Takes the rules since the last emitted window.
    pub(super) fn since(&mut self, own: RuleSet) -> RuleSet {
        let since = std::mem::take(&mut self.emitter.since);
        self.emitter.round += 1;
        self.emitter.rules = self.emitter.rules.union(since).union(own);
        since
    }

    #[inline]
    pub(super) fn emit(&mut self, event: &Event, sink: &mut dyn Sink) {
        self.emit_passed_edges(event.cycle(), sink);
        self.emitter.paused |= sink.event(event) == Flow::Pause;
    }

    /// Emits input edges, if there may be any and a sink asks for them. After a sleep this happens at once, because the run may be cut
    /// there.
    #[inline]
    pub(super) fn emit_passed_edges(&mut self, now: u64, sink: &mut dyn Sink) {
        let waiting = !self.schedule.is_empty() || !self.emitter.lines.is_empty();
        if waiting && self.emitter.control {
            self.emit_edges(now, sink);
        }
    }

    /// Emits input edges up to cycle `now`, changes of lines, and inputs that came during a sleep, in cycle order.
    pub(super) fn emit_edges(&mut self, now: u64, sink: &mut dyn Sink) {
        let by_now = |line: &mut Event| line.cycle() <= now;
        let mut lines: Vec<Event> = self.emitter.lines.extract_if(.., by_now).collect();
        lines.sort_by_key(Event::cycle);
        for line in lines {
            self.emit_scheduled(line.cycle(), sink);
            self.emitter.paused |= sink.event(&line) == Flow::Pause;
        }
        self.emit_scheduled(now, sink);
    }

    fn emit_scheduled(&mut self, now: u64, sink: &mut dyn Sink) {
        while let Some((cycle, number)) = self.schedule.take_edge(now) {
            let event = Event::Input {
                cycle,
                exception: Exception::of_number(number),
                level: true,
                since: self.since(RuleSet::EMPTY),
            };
            self.emitter.paused |= sink.event(&event) == Flow::Pause;
        }
    }

    /// Cycle of the next input edge to emit.
    pub(super) fn next_edge(&self) -> Cycle {
        let edge = self.schedule.next_edge().filter(|_| self.emitter.control);
        edge.map_or(Cycle::MAX, |cycle| cycle as Cycle)
    }

    /// Emits an event that is neither an instruction nor an access, if a sink asks for those.
    pub(super) fn emit_control(&mut self, event: &Event, sink: &mut dyn Sink) {
        self.count_event(event);
        if self.emitter.control {
            self.emit(event, sink);
        }
    }

    /// Notes an input that was seen during a sleep, to be emitted later.
    pub(super) fn note_passed_edge(&mut self, cycle: u64, number: u16) {
        if self.emitter.control {
            let since = self.since(RuleSet::EMPTY);
            self.emitter.lines.push(Event::Input {
                cycle,
                exception: Exception::of_number(number),
                level: true,
                since,
            });
        }
    }

    /// Notes a change of a peripheral line, to be emitted before the next event.
    pub(super) fn note_line(&mut self, event: Event) {
        self.emitter.lines.push(event);
    }

    /// Whether a listener observes this access; its instruction is then emitted with it.
    pub(crate) fn note_access(&mut self, writes: bool, address: u32, size: u32, value: u32) -> bool {
        let accessed = Accessed {
            writes,
            address,
            size: size as u8,
            value,
        };
        let wanted = self.keep_access(accessed);
        self.deviation.observed |= wanted;
        wanted
    }

    /// Notes a word stored by the core itself.
    pub(crate) fn note_own_store(&mut self, address: u32, value: u32) {
        self.keep_access(Accessed {
            writes: true,
            address,
            size: 4,
            value,
        });
    }

    /// Keeps an access for emission, if it is observed.
    fn keep_access(&mut self, accessed: Accessed) -> bool {
        let wanted = accessed.touches([&self.emitter.reads, &self.emitter.writes]);
        if wanted {
            self.emitter.accesses.push((accessed, self.regs.r[13]));
        }
        wanted
    }

    /// Emits the stores of an exception frame, recognised in cycle `at`, while the stack pointer was `sp`.
    pub(super) fn emit_frame(&mut self, return_address: u32, sp: u32, at: Cycle, sink: &mut dyn Sink) {
        for (_, before) in &mut self.emitter.accesses {
            *before = sp;
        }
        self.emit_accesses(return_address, at as u64, sink);
    }

    /// Emits a reset of the chip and returns its cycle. Windows that had begun are dropped.
    pub(super) fn emit_reset(&mut self, sink: &mut dyn Sink) -> Cycle {
        let now = self.emitter.to.max(self.cycle as Cycle);
        let mut costs = Costs::NONE;
        let at = self.window(now, now, &mut costs);
        self.emit_control(&Event::Reset { at, costs }, sink);
        self.emitter.accesses.clear();
        self.emitter.thread_sp = None;
        now
    }

    /// Emits an executed instruction. The next one can start in cycle `end`; `free` is the cycle in which this one could.
    pub(super) fn emit_instruction(
        &mut self,
        op: &MicroOp,
        timing: &Timing,
        (free, end): (Cycle, Cycle),
        sink: &mut dyn Sink,
    ) {
        self.emitter.instructions += 1;
        self.emit_accesses(op.pc, timing.access as u64, sink);
        let (issued, rules) = self.waited_for_fp(timing.start, timing.rules);
        if !self.emitter.pcs.contains(op.pc) {
            self.emitter.since = self.emitter.since.union(rules);
            self.pass(end);
            return;
        }
        let mut costs = timing.costs(end != timing.free);
        let at = self.window(free, end, &mut costs);
        let since = self.since(rules);
        let retire = self.retire(op, at, issued, since, rules, &costs);
        self.emit(&retire, sink);
    }

    /// The start and the rules of an instruction that may have waited for lazy stacking.
    fn waited_for_fp(&mut self, start: Cycle, rules: RuleSet) -> (Cycle, RuleSet) {
        match self.preserved.take() {
            Some([from, until]) if until == start => (from, rules.with(Rule::LazyStacking)),
            _ => (start, rules),
        }
    }

    /// Skips a window that nobody observes.
    fn pass(&mut self, end: Cycle) {
        (self.emitter.carried, self.emitter.to) = (None, end);
    }

    /// Drops carried cycles before instructions that nobody observes.
    #[inline]
    pub(super) fn drop_carried(&mut self) {
        if self.emitter.carried.take().is_none() {
            return;
        }
        if self.preserved.take().is_some() {
            self.emitter.since = self.emitter.since.with(Rule::LazyStacking);
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
        let [sp_before, link] = self.emitter.before;
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

    /// Emits the instruction at `index` of a block that began in cycle `base`, at its computed cost. `jumped`: its window includes the
    /// refill. `served`: the rules by which a flash served its words.
    pub(super) fn emit_computed(
        &mut self,
        block: &Block,
        index: usize,
        base: Cycle,
        jumped: bool,
        served: RuleSet,
        sink: &mut dyn Sink,
    ) {
        let insn = &block.insns[index];
        let event = if jumped { &insn.jumped } else { &insn.straight };
        self.emit_in_block(block, index, base, (event, served), sink);
    }

    /// Emits an instruction of a block with this event data, and the rules of its words.
    pub(super) fn emit_in_block(
        &mut self,
        block: &Block,
        index: usize,
        base: Cycle,
        (event, served): (&block::EventTiming, RuleSet),
        sink: &mut dyn Sink,
    ) {
        let free = base + block.insns[index].before.free();
        self.emit_window(&block.ops[index], free, base, (event, served), sink);
    }

    /// Emits an instruction that could start in cycle `free`; its event data are relative to cycle `base`.
    fn emit_window(
        &mut self,
        op: &MicroOp,
        free: Cycle,
        base: Cycle,
        (event, served): (&block::EventTiming, RuleSet),
        sink: &mut dyn Sink,
    ) {
        let rules = event.rules.union(served);
        let usual = self.emitter.carried.is_none() && self.preserved.is_none() && free >= self.emitter.to;
        if usual {
            let (from, to) = (free as u64, (base + event.end) as u64);
            self.emitter.to = base + event.end;
            if self.emitter.steps && self.emitter.lines.is_empty() {
                self.emitter.since = self.emitter.since.union(rules);
                return self.emit_step(op, Window { from, to }, &event.costs, sink);
            }
            let since = self.since(rules);
            let issued = base + event.start;
            let retire = self.retire(op, Window { from, to }, issued, since, rules, &event.costs);
            return self.emit(&retire, sink);
        }
        let mut costs = event.costs;
        let at = self.window(free, base + event.end, &mut costs);
        let (issued, rules) = self.waited_for_fp(base + event.start, rules);
        let since = self.since(rules);
        let retire = self.retire(op, at, issued, since, rules, &costs);
        self.emit(&retire, sink);
    }

    /// Emits an instruction as a step: the previous one was emitted and nothing else is pending. The caller notes its rules.
    #[inline]
    pub(super) fn step(
        &mut self,
        op: &MicroOp,
        free: Cycle,
        (base, event): (Cycle, &block::EventTiming),
        sink: &mut dyn Sink,
    ) {
        debug_assert!(
            free == self.emitter.to && self.preserved.is_none(),
            "what is told tiles the run"
        );
        self.emitter.to = base + event.end;
        let (from, to) = (free as u64, (base + event.end) as u64);
        self.emit_step(op, Window { from, to }, &event.costs, sink);
    }

    /// Emits an instruction as a step.
    #[inline]
    fn emit_step(&mut self, op: &MicroOp, at: Window, costs: &Costs, sink: &mut dyn Sink) {
        let step = events::Step {
            at,
            pc: op.pc,
            raw: op.raw,
            size: op.size,
            sp_before: self.emitter.before[0],
            sp: self.regs.r[13],
            costs,
        };
        self.emitter.paused |= sink.step(&step) == Flow::Pause;
    }

    /// Emits a memoised step whose time began in cycle `base`, if it is observed.
    pub(super) fn emit_memoised(
        &mut self,
        op: &MicroOp,
        base: Cycle,
        event: &block::EventTiming,
        sink: &mut dyn Sink,
    ) {
        self.emitter.instructions += 1;
        if self.emitter.pcs.contains(op.pc) {
            return self.emit_window(op, base, base, (event, RuleSet::EMPTY), sink);
        }
        let (_, rules) = self.waited_for_fp(base + event.start, event.rules);
        self.emitter.since = self.emitter.since.union(rules);
        self.pass(base + event.end);
    }

    /// Notes executed instructions that nobody observes, with their rules; the last one ends in cycle `end`.
    pub(super) fn note_executed(&mut self, instructions: usize, rules: RuleSet, end: Cycle) {
        self.emitter.instructions += instructions as u64;
        self.emitter.since = self.emitter.since.union(rules);
        self.pass(end);
    }

    /// Whether the instruction at `pc` is observed.
    pub(super) fn observes(&self, pc: u32) -> bool {
        self.emitter.pcs.contains(pc)
    }

    /// Whether the first instruction of a block is observed.
    #[inline]
    pub(super) fn observes_start_of(&self, block: &Block) -> bool {
        block.split && self.observes(block.pc)
    }

    /// Whether the instruction at `pc` is observed together with its rules.
    pub(crate) fn observes_rules_of(&self, pc: u32) -> bool {
        self.observes(pc) && !self.emitter.steps
    }

    /// Emits the observed loads and stores of an instruction on the fast path, if it deviated in nothing else. Returns its remaining
    /// step.
    #[inline]
    pub(super) fn emit_observed_accesses(&mut self, op: &MicroOp, step: Step, sink: &mut dyn Sink) -> Step {
        if self.deviation.observed {
            self.emit_and_settle(op, step, sink)
        } else {
            step
        }
    }

    #[inline(never)]
    fn emit_and_settle(&mut self, op: &MicroOp, step: Step, sink: &mut dyn Sink) -> Step {
        let only = Deviation {
            observed: true,
            ..Deviation::NONE
        };
        if self.deviation != only || !matches!(step, Step::Irregular | Step::Branch) {
            return step;
        }
        self.deviation = Deviation::NONE;
        self.emit_accesses(op.pc, self.access_cycle(op), sink);
        if step == Step::Irregular { Step::Next } else { step }
    }

    /// Emits the observed loads and stores of the instruction at `pc`, or stores of the core itself before it.
    pub(super) fn emit_accesses(&mut self, pc: u32, cycle: u64, sink: &mut dyn Sink) {
        if self.emitter.accesses.is_empty() {
            return;
        }
        let mut accesses = std::mem::take(&mut self.emitter.accesses);
        for (accessed, sp) in accesses.drain(..) {
            let since = self.since(RuleSet::EMPTY);
            self.emit(&accessed.event(cycle, pc, sp, since), sink);
        }
        // Reuses the allocation.
        self.emitter.accesses = accesses;
    }

    /// Remembers SP and LR for the event of the next instruction.
    #[inline(always)]
    pub(super) fn remember_frame(&mut self) {
        self.emitter.before = [self.regs.r[13], self.regs.r[14]];
    }
}
