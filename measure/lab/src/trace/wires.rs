//! Waveforms of a run: what a logic analyser in the core would show.

use std::io;

use events::{Event, Mask, Step};
use machine::{Architecture, Board, Exception, Image};
use report::waves::{Signal, Waves};

use super::Writer;

/// The signals in front of the interrupt lines.
const PC: usize = 0;
const SP: usize = 1;
const CONTEXT: usize = 2;
const ASLEEP: usize = 3;
const PRIMASK: usize = 4;
const FAULTMASK: usize = 5;
const BASEPRI: usize = 6;
const LINES: usize = 7;

/// The numbers of an RV32 core's own interrupts begin here, behind its traps.
const RV32_INTERRUPTS: u16 = 16;

/// Interrupts from outside of an RV32 core, and the sources of its controller.
const RV32_LINES: u16 = 112;

/// Waveforms.
pub(super) struct Wires {
    waves: Waves,
    /// The exception of the first interrupt line, and how many there are.
    lines: (u16, u16),
    handlers: Vec<u16>,
    /// The first cycle of the window before: earlier changes are all known.
    before: u64,
    /// The stack pointer that was told last.
    sp: Option<u32>,
}

impl Wires {
    pub(super) fn begin(image: &Image, board: &Board, out: &mut Vec<u8>) -> io::Result<Wires> {
        let architecture = image.architecture();
        let lines = match architecture {
            Architecture::Arm => (0, 16 + board.irqs()),
            Architecture::RiscV => (RV32_INTERRUPTS, RV32_LINES),
        };
        let fixed = [
            ("pc", 32),
            ("sp", 32),
            ("context", 16),
            ("asleep", 1),
            ("primask", 1),
            ("faultmask", 1),
            ("basepri", 8),
        ];
        let mut signals: Vec<Signal> = fixed.map(|(name, bits)| signal(name, bits)).to_vec();
        for number in lines.0..lines.0 + lines.1 {
            signals.push(signal(&Exception(number).name_in(architecture), 1));
        }
        let hz = board.clock_hz();
        let comment = format!("1 unit is 1 cycle of the core; {hz} Hz at reset");
        let mut waves = Waves::begin(&comment, "core", &signals, out)?;
        for signal in CONTEXT..signals.len() {
            waves.change(0, signal, 0);
        }
        Ok(Wires {
            waves,
            lines,
            handlers: Vec::new(),
            before: 0,
            sp: None,
        })
    }

    fn context(&mut self, cycle: u64) {
        let context = self.handlers.last().copied().unwrap_or(0);
        self.waves.change(cycle, CONTEXT, context.into());
    }

    /// A window began in this cycle.
    fn passes(&mut self, from: u64, out: &mut Vec<u8>) {
        let before = std::mem::replace(&mut self.before, from);
        self.waves.until(before, out);
    }

    fn line(&mut self, cycle: u64, number: u16, level: bool) {
        let (first, count) = self.lines;
        if let Some(index) = number.checked_sub(first).filter(|index| *index < count) {
            self.waves.change(cycle, LINES + usize::from(index), level.into());
        }
    }
}

impl Writer for Wires {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        match *event {
            Event::Retire(ref retire) => return self.step(&retire.step(), out),
            Event::Enter(ref enter) => {
                self.handlers.push(enter.number);
                self.context(enter.at.to);
                // What was a pulse has been heard.
                self.line(enter.recognised, enter.number, false);
            }
            Event::Exit(ref exit) => {
                let depth = self.handlers.iter().rposition(|number| *number == exit.number);
                self.handlers.truncate(depth.unwrap_or(self.handlers.len()));
                self.context(exit.at.to);
            }
            Event::MaskChange { cycle, mask, new, .. } => {
                let signal = match mask {
                    Mask::Primask => PRIMASK,
                    Mask::Faultmask => FAULTMASK,
                    Mask::Basepri => BASEPRI,
                };
                self.waves.change(cycle, signal, new.into());
            }
            Event::Input {
                cycle, number, level, ..
            }
            | Event::Line { cycle, number, level } => self.line(cycle, number, level),
            Event::Sleep { at, .. } => {
                self.waves.change(at.from, ASLEEP, 1);
                self.waves.change(at.to, ASLEEP, 0);
            }
            Event::Breakpoint { at, pc, .. } | Event::Semihosting { at, pc, .. } => {
                self.waves.change(at.from, PC, pc);
            }
            _ => {}
        }
        if let Some((at, _)) = event.window() {
            self.passes(at.from, out);
        }
    }

    fn step(&mut self, step: &Step<'_>, out: &mut Vec<u8>) {
        self.waves.change(step.at.from, PC, step.pc);
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

fn signal(name: &str, bits: u32) -> Signal {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '_'
        }
    };
    Signal {
        name: name.chars().map(plain).collect(),
        bits,
    }
}
