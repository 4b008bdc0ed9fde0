//! Scheduled external events.

use crate::state::InputEdge;
use bus::HostEvent;
use events::{Event, Exception};

use crate::block::EffectTimes;
use crate::core::Core;
use crate::sys::exceptions::number;
use crate::timing::{Cycle, Latencies};

impl Core {
    /// Raises an interrupt input (by exception number: 16 and up external, 2 NMI; others are set pending) so that
    /// its edge falls into `cycle`. One in the past rises at once.
    pub fn raise_at(&mut self, cycle: u64, exception: u16) {
        let emitted = false;
        self.schedule
            .0
            .add(cycle.max(self.cycle), InputEdge { exception, emitted });
    }

    /// The first cycle at which an interrupt input, SysTick, a device, or a change made by the program reaches the
    /// exception logic.
    pub(crate) fn next_due(&self) -> Cycle {
        let input = self.schedule.0.deadline().saturating_add(INPUT_DELAY);
        let due = input
            .min(self.sys.next_event())
            .min(self.bus.next_event())
            .min(self.recognise_from);
        due.min(i64::MAX as u64) as Cycle
    }

    /// Lets everything that is due by `now` reach the exception logic. Gives from when on SysTick's exception is seen, if it is raised.
    pub(super) fn catch_up(&mut self, now: u64) -> Option<u64> {
        let seen = self.poll_systick(now);
        if let Some(seen) = seen {
            self.recognise_from = self.recognise_from.min(seen);
        }
        let mut changed = false;
        while let Some((cycle, edge)) = now
            .checked_sub(INPUT_DELAY)
            .and_then(|edge| self.schedule.0.pop(edge))
        {
            self.sys.pend(edge.exception);
            if !edge.emitted {
                self.note_passed_edge(cycle, edge.exception);
            }
            changed = true;
        }
        if self.bus.next_event() <= now {
            self.poll_devices(now);
            changed = true;
        }
        if changed {
            self.recognise_from = self.recognise_from.min(now);
        }
        seen
    }

    /// Lets SysTick count up to and including a cycle, and notes when its exception is raised: from when on that is seen.
    pub(super) fn poll_systick(&mut self, cycle: u64) -> Option<u64> {
        let seen = self.sys.poll(cycle)?;
        if self.emitter.observes_control() {
            self.note_line(Event::Line {
                cycle: seen,
                exception: Exception::of_number(number::SYS_TICK),
                level: true,
            });
        }
        Some(seen)
    }

    /// Rule `late-recognition`: how much later than otherwise the exception logic sees what an instruction raises.
    pub(super) fn recognised_late(&self) -> Cycle {
        Latencies::late_recognition(self.config.model).0
    }

    /// Takes over the levels of the devices' interrupt lines; says whether one has changed.
    pub(crate) fn poll_devices(&mut self, now: u64) -> bool {
        let sys = &mut self.sys;
        let mut lines = Vec::new();
        let told = self.emitter.observes_control();
        let mut changed = false;
        self.bus.poll(now, &mut |irq, level| {
            let changes = sys.set_irq_line(irq, level);
            changed |= changes;
            if changes && told {
                lines.extend(number::of(irq).map(|number| (number, level)));
            }
        });
        if self.bus.take_code_changed() {
            self.code.invalidate();
            changed = true;
        }
        for (number, level) in lines {
            self.note_line(Event::Line {
                cycle: now,
                exception: Exception::of_number(number),
                level,
            });
        }
        while let Some((cycle, news)) = self.bus.take_host_event() {
            self.note_line(match news {
                HostEvent::Pin { device, pin, level } => Event::Pin {
                    cycle,
                    port: device,
                    pin,
                    level,
                },
                HostEvent::Clock(hz) => Event::Clock { cycle, hz },
            });
        }
        self.emitter.paused |= self.bus.has_sent();
        changed
    }

    /// The program changed what the exception logic sees, by an instruction that started in this cycle: it matters from a later one
    /// on.
    pub(super) fn recognise_changes(&mut self, start: u64, changed: EffectTimes) {
        self.recognise_void(start);
        if self.bus.has_to_poll(changed.access as u64) {
            self.poll_devices(changed.access as u64);
        }
        let written = self
            .sys
            .changed_at
            .take()
            .map(|access| access + (Latencies::NVIC_WRITE + self.recognised_late()) as u64);
        let seen = written.unwrap_or(changed.free as u64);
        self.recognise_from = self.recognise_from.min(seen);
    }
}

impl Core {
    /// Skips a pending change without consequences: no exception is pending, no other event is due within `margin` cycles after it, and the
    /// run does not end by then. The fast path then need not stop for it. Returns the cycle of the next event or the end of the run.
    #[inline]
    pub(super) fn pass_void(&mut self, until: Cycle, margin: Cycle) -> Cycle {
        let seen_from = std::mem::replace(&mut self.recognise_from, u64::MAX);
        let others = self.next_due().min(until);
        if self.sys.exceptions.waiting()
            || others <= (seen_from.min(i64::MAX as u64) as Cycle).saturating_add(margin)
        {
            self.recognise_from = seen_from;
        } else {
            self.void_until = seen_from;
        }
        others
    }

    /// Looks at another event in this cycle: a change that the fast path skipped, and that is not yet visible, counts again.
    pub(super) fn recognise_void(&mut self, now: u64) {
        if self.void_until > now {
            self.recognise_from = self.recognise_from.min(self.void_until);
        }
        self.void_until = 0;
    }
}

const INPUT_DELAY: u64 = Latencies::INTERRUPT_INPUT as u64;

#[cfg(test)]
mod tests {
    use crate::sys::exceptions::number;
    use crate::testing::{at, config, core_as, put};

    /// CC2650, published with `CMEmu` (`systick_exc`): SysTick's exception is raised in the cycle in which what started it is seen, and
    /// is itself seen four cycles later.
    #[test]
    fn what_systick_raises_is_seen_late_whatever_else_is_seen_meanwhile() {
        let mut config = config();
        config.model = config.model.with_unbuffered_writes();
        let mut core = core_as(config);
        for (register, value) in [(at::SYST_RVR, 1), (at::SYST_CVR, 0), (at::SYST_CSR, 7)] {
            put(&mut core, register, value);
        }
        // Taken over a cycle late, the counter loads 1 in cycle 2 and arrives at 0 in the next one.
        core.recognise_from = 3;
        assert_eq!(core.recognise(3), Ok(None));
        assert!(core.sys.exceptions.is_pending(number::SYS_TICK));
        assert_eq!(core.recognise(6), Ok(None));
        assert_eq!(core.recognise(7), Ok(Some(number::SYS_TICK)));
    }
}
