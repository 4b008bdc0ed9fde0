//! Events of a timed core: windows that tile the run, one for each retired instruction, and the events in them.
//!
//! A cycle without retirement is lost, by the rule that the pipeline names; lost cycles belong to the next event. Listeners change neither
//! a cycle nor a byte; they only select the events that are emitted.

use events::{Costs, Event, Flow, Interest, Pcs, Retire, Sink, Window};
use exec::{Accessed, AddressRange};
use isa_rv32::Insn;

use crate::timing::rules::{Rule, RuleSet};

/// The position up to which a run's events were emitted.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Told {
    /// The end of the last window.
    pub(super) to: u64,
    /// The cycles that were lost since then, as far as they have passed.
    pub(super) lost: Costs,
}

/// The stack pointer and the link registers before an instruction.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Frame {
    pub(super) sp: u32,
    pub(super) link: u32,
    pub(super) alternate_link: u32,
}

/// Data of an executed instruction for the event at its retirement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) pc: u32,
    pub(super) raw: u32,
    pub(super) size: u8,
    pub(super) before: Frame,
    /// The stack pointer after it.
    pub(super) sp: u32,
    pub(super) read: Option<Accessed>,
    pub(super) write: Option<Accessed>,
}

impl Seen {
    /// Its loads, then its stores.
    fn accesses(&self) -> impl Iterator<Item = &Accessed> {
        self.read.iter().chain(&self.write)
    }
}

/// The listener, and the position up to which events were emitted.
pub(super) struct Ear<'a> {
    sink: &'a mut dyn Sink,
    /// The events that it asks for.
    pub(super) interest: Interest,
    pub(super) told: Told,
    /// Cycles of an instruction that nothing keeps waiting.
    pub(super) pace: u32,
    /// Whether it asked for a pause.
    pub(super) paused: bool,
    /// It asked for a pause within a cached run: events up to this cycle were emitted.
    pub(super) deaf_until: Option<u64>,
    /// Whether it selects single instructions or accesses.
    pub(super) selects: bool,
    /// The loads and the stores among those.
    pub(super) ranges: [AddressRange; 2],
}

impl<'a> Ear<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink, told: Told, pace: u32) -> Ear<'a> {
        let interest = sink.interest();
        let accesses = !interest.reads.is_empty() || !interest.writes.is_empty();
        Ear {
            ranges: [&interest.reads, &interest.writes].map(AddressRange::of),
            selects: accesses || interest.pcs != Pcs::None,
            interest,
            sink,
            told,
            pace,
            paused: false,
            deaf_until: None,
        }
    }

    /// Whether every instruction is emitted.
    pub(super) fn hears_all(&self) -> bool {
        self.interest.pcs == Pcs::All
    }

    /// Whether any event of this instruction is emitted.
    pub(super) fn wants(&self, seen: &Seen) -> bool {
        self.interest.pcs.contains(seen.pc) || seen.accesses().any(|access| self.hears(access))
    }

    fn hears(&self, access: &Accessed) -> bool {
        access.touches([&self.interest.reads, &self.interest.writes])
    }

    pub(super) fn tell(&mut self, event: &Event) {
        if self.deaf_until.is_none() {
            self.paused |= self.sink.event(event) == Flow::Pause;
        }
    }

    /// Tells of something that is neither an instruction nor an access nor a fetch, if somebody wants that.
    pub(super) fn tell_control(&mut self, event: &Event) {
        if self.interest.control {
            self.tell(event);
        }
    }

    /// A window without cycles, where the last one ended.
    pub(super) fn nothing(&self) -> Window {
        Window {
            from: self.told.to,
            to: self.told.to,
        }
    }

    /// The cycles since the last window, up to `to`: all of them were lost.
    pub(super) fn gap(&mut self, to: u64) -> (Window, Costs) {
        self.window_of(to, 0)
    }

    fn window_of(&mut self, to: u64, pace: u32) -> (Window, Costs) {
        let at = Window {
            from: self.told.to,
            to: to.max(self.told.to),
        };
        let costs = whole(&self.told.lost, at.length() as u32, pace);
        self.pass(at.to);
        (at, costs)
    }

    /// A window ends in cycle `to`.
    #[inline]
    pub(super) fn pass(&mut self, to: u64) {
        self.told = Told {
            to,
            lost: Costs::NONE,
        };
    }

    /// An instruction retired in cycle `now`, after it had to wait for these.
    #[inline]
    pub(super) fn retired(&mut self, now: u64, seen: &Seen, waits: RuleSet) {
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

    /// Emits an instruction whose window directly follows the previous one and has these costs.
    #[inline]
    pub(super) fn retired_again(&mut self, now: u64, seen: &Seen, waits: RuleSet, costs: &Costs) {
        self.accesses(now, seen);
        let at = Window {
            from: self.told.to,
            to: now + 1,
        };
        self.told.to = at.to;
        if self.interest.pcs.contains(seen.pc) {
            self.retire(now, at, *costs, seen, waits);
        }
    }

    #[inline]
    fn retire(&mut self, now: u64, at: Window, costs: Costs, seen: &Seen, waits: RuleSet) {
        self.tell(&Event::Retire(Retire {
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
            rules: waits.tell(),
            costs,
        }));
    }

    #[inline]
    fn accesses(&mut self, cycle: u64, seen: &Seen) {
        for access in seen.accesses() {
            if self.hears(access) {
                self.tell(&access.event(cycle, seen.pc, seen.before.sp, events::RuleSet::EMPTY));
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
