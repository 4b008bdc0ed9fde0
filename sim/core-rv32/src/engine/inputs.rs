//! Interrupt inputs: their levels, who drives them, and how late the core sees them.

use bus::{Bus, End, HostEvent, Irq};
use events::{Event, RuleSet};
use exec::Schedule;

use crate::config::Family;
use crate::csr::{Csrs, WRITABLE_PENDING};
use crate::trap::Interrupt;

/// An interrupt input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// The machine's timer.
    Timer,
    /// The machine's software interrupt.
    Software,
    /// One of the 32 external interrupts.
    External(u8),
}

/// A level for each input: bits 0 to 31 the external ones, then those of an interrupt's own.
type Levels = u64;

const SOFTWARE: Levels = 1 << 32;
const TIMER: Levels = 1 << 33;
/// The outputs of an interrupt controller beside the core.
const MACHINE_EXTERNAL: Levels = 1 << 34;
const SUPERVISOR_EXTERNAL: Levels = 1 << 35;

/// The drivers of the interrupt inputs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Inputs {
    /// The levels that devices drive.
    devices: Levels,
    /// The levels that were set from outside.
    outside: Levels,
    /// Of those, the ones to be lowered when their interrupt is taken.
    held: Levels,
    /// Scheduled external changes.
    changes: Schedule<InputChange>,
    /// Pulses of sources of the interrupt controller on the bus.
    pulses: Schedule<u16>,
    /// `externalInterruptArray_regNext`: the external inputs as they were in the cycle before.
    seen: u32,
    /// `mip` shows the inputs as they are (Ibex), not as they were in the cycle before.
    direct: bool,
    /// The external inputs are masked one by one (`VexRiscv`).
    masked: bool,
    /// Edges not yet emitted.
    edges: Vec<InputEdge>,
}

/// An input that rose or fell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct InputEdge {
    line: Levels,
    level: bool,
    /// A device drives it.
    device: bool,
}

impl InputEdge {
    /// The event for it in cycle `cycle`.
    pub(super) fn event(self, cycle: u64) -> Event {
        let exception = interrupt(self.line).into();
        let level = self.level;
        if self.device {
            return Event::Line {
                cycle,
                exception,
                level,
            };
        }
        Event::Input {
            cycle,
            exception,
            level,
            since: RuleSet::EMPTY,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct InputChange {
    line: Levels,
    level: bool,
    held: bool,
}

/// The event for a device's change that is visible outside the chip.
pub(super) fn event_of(cycle: u64, news: HostEvent) -> Event {
    match news {
        HostEvent::Pin { device, pin, level } => Event::Pin {
            cycle,
            port: device,
            pin,
            level,
        },
        HostEvent::Clock(hz) => Event::Clock { cycle, hz },
    }
}

/// The inputs of the next cycle's `mip`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    pending: u32,
    external: u32,
}

impl Inputs {
    pub(super) fn new(family: Family) -> Inputs {
        Inputs {
            direct: family == Family::Ibex,
            masked: family == Family::VexRiscv,
            ..Inputs::default()
        }
    }

    pub(super) fn set(&mut self, cycle: u64, line: Line, level: bool) {
        self.schedule(cycle, line, level, false);
    }

    pub(super) fn pulse(&mut self, cycle: u64, line: Line) {
        self.schedule(cycle, line, true, true);
    }

    pub(super) fn pulse_source(&mut self, cycle: u64, source: u16) {
        self.pulses.add(cycle, source);
    }

    fn schedule(&mut self, cycle: u64, line: Line, level: bool, held: bool) {
        let line = bit(line);
        self.changes.add(cycle, InputChange { line, level, held });
    }

    /// Takes the edges since the last call.
    #[inline]
    pub(super) fn edges(&mut self) -> impl Iterator<Item = InputEdge> {
        self.edges.drain(..)
    }

    /// Whether nothing is to change from outside.
    pub(super) fn is_idle(&self) -> bool {
        self.changes.is_empty() && self.pulses.is_empty()
    }

    /// The cycle of the next change from outside.
    pub(super) fn next_change(&self) -> u64 {
        self.changes.deadline().min(self.pulses.deadline())
    }

    /// Whether the core has seen the inputs as they are.
    pub(super) fn is_settled(&self, csrs: &Csrs) -> bool {
        let sampled = self.sampled(csrs);
        let same = sampled.external == self.seen && sampled.external == csrs.external;
        same && sampled.pending == csrs.input_pending && csrs.written_pending.is_none()
    }

    /// Resets the chip's own levels; external levels stay.
    pub(super) fn reset(&mut self) {
        (self.devices, self.seen) = (0, 0);
        self.edges.clear();
    }

    /// Lets everything that is due in cycle `now` reach the inputs; gives what a device ended.
    #[inline]
    pub(super) fn advance(&mut self, now: u64, bus: &mut Bus) -> Option<End> {
        while let Some((_, change)) = self.changes.pop(now) {
            let outside = set(self.outside, change.line, change.level);
            if outside != self.outside {
                self.edges.push(InputEdge {
                    line: change.line,
                    level: change.level,
                    device: false,
                });
            }
            self.outside = outside;
            self.held = set(self.held, change.line, change.held);
        }
        while let Some((_, source)) = self.pulses.pop(now) {
            bus.pulse_source(source, now);
        }
        if bus.next_event() <= now {
            let (devices, edges) = (&mut self.devices, &mut self.edges);
            bus.poll(now, &mut |irq, level| {
                let line = device_bit(irq);
                let levels = set(*devices, line, level);
                if levels != *devices {
                    edges.push(InputEdge {
                        line,
                        level,
                        device: true,
                    });
                }
                *devices = levels;
            });
            return bus.end();
        }
        None
    }

    /// Samples the inputs that the core sees in the next cycle (`CsrPlugin_mip_*` are registers).
    #[inline]
    pub(super) fn sample(&self, csrs: &mut Csrs) -> Sampled {
        let sampled = self.sampled(csrs);
        if self.direct {
            csrs.input_pending = sampled.pending;
        }
        sampled
    }

    #[inline]
    fn sampled(&self, csrs: &Csrs) -> Sampled {
        let levels = self.devices | self.outside;
        let when = |on: bool, interrupt: Interrupt| if on { interrupt.bit() } else { 0 };
        let pending = when(levels & TIMER != 0, Interrupt::MachineTimer)
            | when(levels & SOFTWARE != 0, Interrupt::MachineSoftware)
            | when(
                self.external(levels as u32, csrs) || levels & MACHINE_EXTERNAL != 0,
                Interrupt::MachineExternal,
            )
            | when(
                self.seen & csrs.supervisor_mask != 0 || levels & SUPERVISOR_EXTERNAL != 0,
                Interrupt::SupervisorExternal,
            );
        Sampled {
            pending,
            external: levels as u32,
        }
    }

    /// The external inputs are masked one by one, and seen a cycle late; or they are one input.
    fn external(&self, levels: u32, csrs: &Csrs) -> bool {
        let seen = if self.masked {
            self.seen & csrs.external_mask
        } else {
            levels
        };
        seen != 0
    }

    #[inline]
    pub(super) fn latch(&mut self, sampled: Sampled, csrs: &mut Csrs) {
        csrs.input_pending = match csrs.written_pending.take() {
            Some(written) => sampled.pending & !WRITABLE_PENDING | written,
            None => sampled.pending,
        };
        csrs.external = sampled.external;
        self.seen = sampled.external;
    }

    /// An interrupt is taken: the inputs that were held for it are let go.
    pub(super) fn taken(&mut self, interrupt: Interrupt) {
        let lines = match interrupt {
            Interrupt::MachineTimer => TIMER,
            Interrupt::MachineSoftware => SOFTWARE,
            _ => Levels::from(u32::MAX),
        };
        let let_go = self.held & lines;
        let mut falling = let_go & self.outside;
        while falling != 0 {
            let line = falling & falling.wrapping_neg();
            falling &= !line;
            self.edges.push(InputEdge {
                line,
                level: false,
                device: false,
            });
        }
        self.outside &= !let_go;
        self.held &= !let_go;
    }
}

/// Returns `levels` with `line` set to `level`.
fn set(levels: Levels, line: Levels, level: bool) -> Levels {
    if level { levels | line } else { levels & !line }
}

/// The interrupt that a line asks for.
fn interrupt(line: Levels) -> Interrupt {
    match line {
        TIMER => Interrupt::MachineTimer,
        SOFTWARE => Interrupt::MachineSoftware,
        SUPERVISOR_EXTERNAL => Interrupt::SupervisorExternal,
        _ => Interrupt::MachineExternal,
    }
}

fn bit(line: Line) -> Levels {
    match line {
        Line::Timer => TIMER,
        Line::Software => SOFTWARE,
        Line::External(number) => 1 << (number & 31),
    }
}

fn device_bit(irq: Irq) -> Levels {
    match irq {
        Irq::MACHINE_TIMER => TIMER,
        Irq::MACHINE_SOFTWARE => SOFTWARE,
        Irq::MACHINE_EXTERNAL => MACHINE_EXTERNAL,
        Irq::SUPERVISOR_EXTERNAL => SUPERVISOR_EXTERNAL,
        Irq::External(number @ 0..32) => 1 << number,
        Irq::External(_) | Irq::Source(_) => 0,
    }
}
