//! Sleep: wake-up conditions, and the time spent.

use super::cursor::Stop;
use crate::state::Sleep;
use events::{Costs, Event, Exception, Sink};

use crate::core::Core;
use crate::microop::MicroOp;
use crate::sys::exceptions::number;
use crate::timing::{Cycle, PipelineState, Rule, Timing};

/// A core that sleeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asleep {
    /// Core cycle in which it fell asleep.
    pub since: u64,
    /// Whether an event also ends it (WFE), not only an interrupt.
    pub for_event: bool,
    /// The exceptions that are pending and do not wake it, by number.
    pub pending: Vec<(Exception, HeldBack)>,
}

/// The reason that a pending exception does not wake the core. PRIMASK is none: WFI ignores it (ARMv7-M ARM B1.5.19).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeldBack {
    /// Not enabled in the NVIC.
    Disabled,
    /// FAULTMASK is set.
    Faultmask,
    /// BASEPRI is this, and the exception's priority the second, which is as much or more.
    Basepri(u8, u8),
    /// The handler of this exception runs, which is as urgent.
    Handler(Exception),
}

impl Core {
    /// Since when it sleeps, and what does not wake it; `None` of a core that is awake.
    pub fn asleep(&self) -> Option<Asleep> {
        let (sleep, since) = self.sleeping?;
        let pending = self.sys.exceptions.pending();
        Some(Asleep {
            since,
            for_event: sleep == Sleep::ForEvent,
            pending: pending
                .map(|number| (Exception::of_number(number), self.held_back(number)))
                .collect(),
        })
    }

    fn held_back(&self, number: u16) -> HeldBack {
        let (exceptions, regs) = (&self.sys.exceptions, &self.regs);
        let priority = exceptions.group(exceptions.priority(number));
        if !exceptions.is_enabled(number) {
            HeldBack::Disabled
        } else if regs.faultmask {
            HeldBack::Faultmask
        } else if exceptions.mask_priority(regs) <= priority {
            HeldBack::Basepri(regs.basepri, exceptions.priority_field(number))
        } else {
            HeldBack::Handler(Exception::of_number(regs.ipsr))
        }
    }

    /// Whether any future event may end this sleep. SysTick does not count if its exception is already pending.
    fn may_wake(&self) -> bool {
        let others = self.bus.next_event() != u64::MAX || !self.schedule.is_empty();
        let ticks = self.sys.next_event() != u64::MAX && !self.sys.exceptions.is_pending(number::SYS_TICK);
        others || ticks || self.recognise_from != u64::MAX
    }

    /// WFI, WFE or an exception return ended in sleep.
    pub(super) fn fall_asleep(
        &mut self,
        sleep: Sleep,
        op: &MicroOp,
        timing: &Timing,
        before: &PipelineState,
        sink: &mut dyn Sink,
    ) {
        self.emit_instruction(op, timing, (before.free(), timing.free), sink);
        (self.regs.r[15], self.regs.it) = (op.pc.wrapping_add(u32::from(op.size)), op.it_after);
        self.resume_full(timing.free);
        self.sleeping = Some((sleep, self.cycle));
    }

    /// Whether it sleeps: after WFI, WFE, or by sleep on exit.
    pub fn is_asleep(&self) -> bool {
        self.sleeping.is_some()
    }

    /// Sleeps until something wakes the core, or to `until`. True while it still sleeps.
    pub(super) fn sleep(&mut self, until: Cycle, sink: &mut dyn Sink) -> Result<bool, Stop> {
        let Some((sleep, since)) = self.sleeping else {
            return Ok(false);
        };
        let began = self.cycle;
        let mut now = began as Cycle;
        loop {
            self.catch_up(now as u64);
            if let Some(stop) = self.stop_requested() {
                self.nap(began, now as u64, sink);
                return Err(stop);
            }
            if self.wakes(sleep) {
                break;
            }
            self.recognise_from = u64::MAX;
            if self.emitter.paused {
                self.nap(began, now as u64, sink);
                return Err(Stop::Paused);
            }
            let due = self.next_due();
            if due == Cycle::MAX || !self.may_wake() {
                self.nap(began, now as u64, sink);
                return Err(Stop::Forever);
            }
            if due >= until {
                self.nap(began, until as u64, sink);
                return Ok(true);
            }
            now = due.max(now);
        }
        self.sleeping = None;
        self.nap(began, now as u64, sink);
        // Once, wherever the sleep was cut: the flash is asked for what the pipeline holds.
        if now as u64 > since {
            self.resume_full(now);
        }
        Ok(false)
    }

    /// Time passes while the core sleeps.
    fn nap(&mut self, began: u64, end: u64, sink: &mut dyn Sink) {
        if end > began {
            let mut costs = Costs::of(Rule::WakeUp, (end - began) as u32);
            let at = self.window(began as Cycle, end as Cycle, &mut costs);
            self.emit_control(&Event::Sleep { at, costs }, sink);
            self.emit_passed_edges(end, sink);
            self.cycle = end;
        }
    }

    /// Whether something ends such a sleep now.
    fn wakes(&mut self, sleep: Sleep) -> bool {
        match sleep {
            Sleep::ForInterrupt => self.would_wake(),
            Sleep::ForEvent => self.would_wake_event() && (self.take_event() || self.would_wake()),
        }
    }
}
