//! Waveforms of a run, as a logic analyser inside the core would show them.

use std::collections::HashMap;
use std::io;

use events::{Event, Exception, Mask, Step};
use machine::{Architecture, Board, Image};
use report::waves::{Signal, Waves};

use super::Writer;
use crate::timeline::Contexts;

/// Indices of the signals before the interrupt lines.
const PC: usize = 0;
const SP: usize = 1;
const CONTEXT: usize = 2;
const ASLEEP: usize = 3;
/// Also used for RV32's MIE when the program clears it.
const PRIMASK: usize = 4;
const FAULTMASK: usize = 5;
const BASEPRI: usize = 6;
const PRIORITY: usize = 7;
/// The names of the thread or interrupt, and of the function, that runs.
const THREAD_NAME: usize = 8;
const FUNCTION: usize = 9;
const LINES: usize = 10;

/// Priority of thread code without masks.
const THREAD: i16 = 256;

/// The interrupts of an RV32 core, its external ones, and the sources of its interrupt controller that have a signal.
fn rv32_lines() -> impl Iterator<Item = Exception> {
    let own = (0..16).map(Exception::Interrupt);
    own.chain((0..33).map(Exception::External))
        .chain((1..64).map(Exception::Source))
}

/// The value of the context while an exception is handled: a Cortex-M's exception number, or the code of an RV32 trap, plus 16 for an
/// interrupt.
fn number(exception: Exception) -> u16 {
    match exception {
        Exception::System(number) | Exception::Trap(number) => number.into(),
        Exception::Interrupt(code) => 16 + u16::from(code),
        Exception::External(line) | Exception::Source(line) => 16 + line,
    }
}

/// The waveform writer.
pub(super) struct Wires<'a> {
    image: &'a Image,
    waves: Waves,
    contexts: Contexts<'a>,
    /// The context whose name was written last, and whether the name has changed since.
    named: Option<usize>,
    /// The addresses from and up to which the function that was written last goes.
    function: (u32, u32),
    /// The index of each interrupt line among their signals.
    lines: HashMap<Exception, usize>,
    /// For each port: peripheral index, index of its first signal, number of signals.
    ports: Vec<(usize, usize, u8)>,
    /// Active exceptions with their priorities.
    handlers: Vec<(Exception, i16)>,
    /// The execution priority that the masks give.
    lifts: i16,
    /// First cycle of the previous window; all earlier changes are known.
    before: u64,
    /// The stack pointer reported last.
    sp: Option<u32>,
}

impl<'a> Wires<'a> {
    /// Starts a file. Without `whole`, the trace does not start at reset, and all signals are unknown at first.
    pub(super) fn begin(
        image: &'a Image,
        board: &Board,
        whole: bool,
        out: &mut Vec<u8>,
    ) -> io::Result<Wires<'a>> {
        let architecture = image.architecture();
        let called = board.exception_names();
        let lines: Vec<Exception> = match architecture {
            Architecture::Arm => (0..16 + board.irqs()).map(Exception::of_number).collect(),
            Architecture::RiscV => rv32_lines().collect(),
        };
        let masked = match architecture {
            Architecture::Arm => "primask",
            Architecture::RiscV => "mie_clear",
        };
        let fixed = [
            ("pc", 32),
            ("sp", 32),
            ("context", 16),
            ("asleep", 1),
            (masked, 1),
            ("faultmask", 1),
            ("basepri", 8),
            ("priority", 16),
            ("thread", 0),
            ("function", 0),
        ];
        let fixed = fixed.map(|(name, bits)| signal("core", name, bits));
        let mut signals: Vec<Signal> = fixed.to_vec();
        for &line in &lines {
            signals.push(signal("interrupts", &called.name(line), 1));
        }
        let (mut ports, mut levels) = (Vec::new(), Vec::new());
        for (place, name, port) in board.ports() {
            ports.push((place, signals.len(), port.pins));
            for pin in 0..port.pins {
                levels.push((signals.len(), port.levels >> pin & 1));
                signals.push(signal("pins", &format!("{name}.{pin}"), 1));
            }
        }
        let hz = board.clock_hz();
        let comment = format!("1 unit is 1 cycle of the core; {hz} Hz at reset");
        let mut waves = Waves::begin(&comment, &signals, out)?;
        if whole {
            let without = |signal: &usize| {
                ![PRIORITY, THREAD_NAME, FUNCTION].contains(signal)
                    && !levels.iter().any(|level| level.0 == *signal)
            };
            let others = (CONTEXT..signals.len()).filter(without);
            others.for_each(|signal| waves.change(0, signal, 0));
            waves.change(0, PRIORITY, bits(THREAD));
            for (signal, level) in levels {
                waves.change(0, signal, level);
            }
        }
        Ok(Wires {
            image,
            waves,
            lines: lines.into_iter().zip(0..).collect(),
            contexts: Contexts::new(image, called),
            named: None,
            function: (0, 0),
            ports,
            handlers: Vec::new(),
            lifts: THREAD,
            before: 0,
            sp: None,
        })
    }

    fn context(&mut self, cycle: u64) {
        let context = self.handlers.last().map_or(0, |handler| number(handler.0));
        self.waves.change(cycle, CONTEXT, context.into());
        self.priority(cycle);
    }

    /// Updates the execution priority from this cycle on.
    fn priority(&mut self, cycle: u64) {
        let handlers = self.handlers.iter().map(|handler| handler.1);
        let priority = handlers.fold(self.lifts, i16::min);
        self.waves.change(cycle, PRIORITY, bits(priority));
    }

    /// Processes the start of a window.
    fn passes(&mut self, from: u64, out: &mut Vec<u8>) {
        let before = std::mem::replace(&mut self.before, from);
        self.waves.until(before, out);
    }

    fn line(&mut self, cycle: u64, exception: Exception, level: bool) {
        if let Some(index) = self.lines.get(&exception) {
            self.waves.change(cycle, LINES + index, level.into());
        }
    }
}

impl Wires<'_> {
    /// Writes the name of the running thread or interrupt, if it is another one.
    fn name(&mut self, cycle: u64) {
        let current = self.contexts.current();
        if self.named != Some(current) {
            self.named = Some(current);
            let text = self.waves.text(self.contexts.name(current));
            self.waves.change(cycle, THREAD_NAME, text);
        }
    }

    /// Writes the names of the thread and the function of an instruction.
    fn names(&mut self, cycle: u64, pc: u32) {
        if self.contexts.executed(pc).is_some() {
            self.named = None;
        }
        self.name(cycle);
        let (from, to) = self.function;
        if (from..to).contains(&pc) {
            return;
        }
        let name = if let Some((symbol, _)) = self.image.symbol_at(pc) {
            let end = symbol.address.saturating_add(symbol.size).max(pc + 1);
            self.function = (symbol.address, end);
            symbol.name.clone()
        } else {
            self.function = (pc, pc + 1);
            format!("{pc:#010x}")
        };
        let text = self.waves.text(&name);
        self.waves.change(cycle, FUNCTION, text);
    }

    fn pin(&mut self, cycle: u64, place: usize, pin: u8, level: bool) {
        let port = self.ports.iter().find(|port| port.0 == place && pin < port.2);
        if let Some(&(_, first, _)) = port {
            self.waves.change(cycle, first + usize::from(pin), level.into());
        }
    }
}

/// A priority as a signal value, in two's complement.
fn bits(priority: i16) -> u32 {
    u32::from(priority.cast_unsigned())
}

impl Writer for Wires<'_> {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        self.contexts.before(event);
        match *event {
            Event::Retire(ref retire) => return self.step(&retire.step(), out),
            Event::Enter(ref enter) => {
                self.handlers
                    .push((enter.exception, enter.priority.unwrap_or(THREAD)));
                self.context(enter.at.to);
                self.name(enter.at.to);
                // A pulse ends when the exception is entered.
                self.line(enter.recognised, enter.exception, false);
            }
            Event::Exit(ref exit) => {
                let depth = self
                    .handlers
                    .iter()
                    .rposition(|handler| handler.0 == exit.exception);
                self.handlers.truncate(depth.unwrap_or(self.handlers.len()));
                self.context(exit.at.to);
            }
            Event::Reset { at, .. } => {
                self.handlers.clear();
                for mask in [PRIMASK, FAULTMASK, BASEPRI] {
                    self.waves.change(at.to, mask, 0);
                }
                self.lifts = THREAD;
                self.context(at.to);
            }
            Event::MaskChange {
                cycle,
                mask,
                new,
                lifts,
                ..
            } => {
                let signal = match mask {
                    Mask::Primask | Mask::Mie => PRIMASK,
                    Mask::Faultmask => FAULTMASK,
                    Mask::Basepri => BASEPRI,
                };
                self.waves.change(cycle, signal, new.into());
                self.lifts = lifts;
                self.priority(cycle);
            }
            Event::Input {
                cycle,
                exception,
                level,
                ..
            }
            | Event::Line {
                cycle,
                exception,
                level,
            } => self.line(cycle, exception, level),
            Event::Pin {
                cycle,
                port,
                pin,
                level,
            } => self.pin(cycle, usize::from(port), pin, level),
            Event::Sleep { at, .. } => {
                self.waves.change(at.from, ASLEEP, 1);
                self.waves.change(at.to, ASLEEP, 0);
            }
            Event::Breakpoint { at, pc, .. } | Event::Semihosting { at, pc, .. } => {
                self.waves.change(at.from, PC, pc);
            }
            _ => {}
        }
        self.contexts.behind(event);
        if let Some((at, _)) = event.window() {
            self.passes(at.from, out);
        }
    }

    fn step(&mut self, step: &Step<'_>, out: &mut Vec<u8>) {
        self.waves.change(step.at.from, PC, step.pc);
        self.names(step.at.from, step.pc);
        if self.sp != Some(step.sp) {
            self.sp = Some(step.sp);
            self.waves.change(step.at.to, SP, step.sp);
        }
        self.passes(step.at.from, out);
    }

    fn end(&mut self, cycle: u64, out: &mut Vec<u8>) {
        self.waves.end(cycle, out);
    }
}

fn signal(scope: &'static str, name: &str, bits: u32) -> Signal {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '_'
        }
    };
    Signal {
        scope,
        name: name.chars().map(plain).collect(),
        bits,
    }
}
