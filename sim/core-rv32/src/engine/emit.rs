//! Events of a timed core: windows that tile the run, one for each retired instruction, and the events in them.
//!
//! A cycle without retirement is lost, by the rule that the pipeline names; lost cycles belong to the next event. Listeners change neither
//! a cycle nor a byte; they only select the events that are emitted.

use events::{Costs, Event, Flow, Interest, Pcs, Retire, Sink, Window};
use exec::{Accessed, AddressRange};
use isa_rv32::Insn;

use crate::timing::rules::{Rule, RuleSet};

/// The position of the event stream.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct EmitPosition {
    /// End of the last window.
    pub(super) to: u64,
    /// Cycles lost since then.
    pub(super) lost: Costs,
}

/// Stack pointer and link registers before an instruction.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Frame {
    pub(super) sp: u32,
    pub(super) link: u32,
    pub(super) alternate_link: u32,
}

/// Event data of an executed instruction, for its retirement.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetireData {
    pub(super) pc: u32,
    pub(super) raw: u32,
    pub(super) size: u8,
    pub(super) before: Frame,
    /// Stack pointer after it.
    pub(super) sp: u32,
    pub(super) read: Option<Accessed>,
    pub(super) write: Option<Accessed>,
}

impl RetireData {
    /// Its load, then its store.
    fn accesses(&self) -> impl Iterator<Item = &Accessed> {
        self.read.iter().chain(&self.write)
    }
}

/// A sink, its interest, and the position of its event stream.
pub(super) struct Listener<'a> {
    sink: &'a mut dyn Sink,
    /// The events that it asks for.
    pub(super) interest: Interest,
    pub(super) position: EmitPosition,
    /// Cycles of an instruction that does not wait.
    pub(super) pace: u32,
    /// Whether it asked for a pause.
    pub(super) paused: bool,
    /// Set after a pause within a cached block: events before this cycle were emitted.
    pub(super) emitted_until: Option<u64>,
    /// Whether it asks for single instructions or accesses.
    pub(super) selects: bool,
    /// The addresses of the loads and stores that it asks for.
    pub(super) ranges: [AddressRange; 2],
}

impl<'a> Listener<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink, position: EmitPosition, pace: u32) -> Listener<'a> {
        let interest = sink.interest();
        let accesses = !interest.reads.is_empty() || !interest.writes.is_empty();
        Listener {
            ranges: [&interest.reads, &interest.writes].map(AddressRange::of),
            selects: accesses || interest.pcs != Pcs::None,
            interest,
            sink,
            position,
            pace,
            paused: false,
            emitted_until: None,
        }
    }

    /// Whether every instruction is emitted.
    pub(super) fn observes_all(&self) -> bool {
        self.interest.pcs == Pcs::All
    }

    /// Whether any event of this instruction is emitted.
    pub(super) fn wants(&self, seen: &RetireData) -> bool {
        self.interest.pcs.contains(seen.pc) || seen.accesses().any(|access| self.observes(access))
    }

    fn observes(&self, access: &Accessed) -> bool {
        access.touches([&self.interest.reads, &self.interest.writes])
    }

    pub(super) fn emit(&mut self, event: &Event) {
        if self.emitted_until.is_none() {
            self.paused |= self.sink.event(event) == Flow::Pause;
        }
    }

    /// Emits an event that is no instruction, access or fetch, if the sink asks for those.
    pub(super) fn emit_control(&mut self, event: &Event) {
        if self.interest.control {
            self.emit(event);
        }
    }

    /// An empty window at the end of the last one.
    pub(super) fn nothing(&self) -> Window {
        Window {
            from: self.position.to,
            to: self.position.to,
        }
    }

    /// The window of lost cycles up to `to`.
    pub(super) fn gap(&mut self, to: u64) -> (Window, Costs) {
        self.window_of(to, 0)
    }

    fn window_of(&mut self, to: u64, pace: u32) -> (Window, Costs) {
        let at = Window {
            from: self.position.to,
            to: to.max(self.position.to),
        };
        let costs = whole(&self.position.lost, at.length() as u32, pace);
        self.pass(at.to);
        (at, costs)
    }

    /// Ends a window in cycle `to`.
    #[inline]
    pub(super) fn pass(&mut self, to: u64) {
        self.position = EmitPosition {
            to,
            lost: Costs::NONE,
        };
    }

    /// Emits an instruction that retired in cycle `now` after these waits, if it is observed.
    #[inline]
    pub(super) fn retired(&mut self, now: u64, seen: &RetireData, waits: RuleSet) {
        if self.selects {
            self.accesses(now, seen);
            if self.interest.pcs.contains(seen.pc) {
                let (at, costs) = self.window_of(now + 1, self.pace);
                self.retire(now, at, costs, seen, waits);
                return;
            }
        }
        self.pass(now + 1);
    }

    /// Emits an instruction that retired along a cached block, with its stored costs.
    #[inline]
    pub(super) fn retired_again(&mut self, now: u64, seen: &RetireData, waits: RuleSet, costs: &Costs) {
        self.accesses(now, seen);
        let at = Window {
            from: self.position.to,
            to: now + 1,
        };
        self.position.to = at.to;
        if self.interest.pcs.contains(seen.pc) {
            self.retire(now, at, *costs, seen, waits);
        }
    }

    #[inline]
    fn retire(&mut self, now: u64, at: Window, costs: Costs, seen: &RetireData, waits: RuleSet) {
        self.emit(&Event::Retire(Retire {
            at,
            issued: now,
            pc: seen.pc,
            raw: seen.raw,
            size: seen.size,
            sp_before: seen.before.sp,
            sp: seen.sp,
            link: seen.before.link,
            alternate_link: seen.before.alternate_link,
            since: events::RuleSet::EMPTY,
            rules: waits.to_events(),
            costs,
        }));
    }

    #[inline]
    fn accesses(&mut self, cycle: u64, seen: &RetireData) {
        for access in seen.accesses() {
            if self.observes(access) {
                self.emit(&access.event(cycle, seen.pc, seen.before.sp, events::RuleSet::EMPTY));
            }
        }
    }
}

/// The load or store of an instruction.
pub(super) fn accessed(insn: &Insn, writes: bool, address: u32, value: u32) -> Accessed {
    Accessed {
        writes,
        address,
        size: insn.access_size() as u8,
        value,
    }
}

/// The costs of a window of this length: the lost cycles, then its own `pace` cycles.
pub(super) fn whole(lost: &Costs, length: u32, pace: u32) -> Costs {
    let mut lost = *lost;
    let waited = u64::from(length - length.min(pace));
    let all = lost.total();
    if all > waited {
        lost.take_first((all - waited) as u32);
    }
    let mut costs = Costs::of(Rule::Issue, length - lost.total() as u32);
    costs.join(&lost);
    costs
}
