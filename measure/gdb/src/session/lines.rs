//! Steps by lines of source: into calls, over them and out of them.
//!
//! A step that meets a call or an exception lets it run, and goes on where it returns to. That place is an address and a value of the
//! stack pointer: a recursive call, or another thread, passes the same address with another stack.

use std::sync::Arc;

use machine::target::{TargetError, Until};
use machine::{Architecture, Image, Listing, Outcome};

use super::{Session, Stopped, moment, one_step};
use crate::stops::Stops;

/// Steps between two looks at what the debugger asks.
const STEPS: u32 = 1 << 10;
/// The number of calls that a step back leaves at most before it gives up.
const MOST_CALLS: u32 = 1 << 10;

/// How the program advances, a part at a time ([`Session::advance_by`]).
pub(crate) enum Motion {
    /// Run until something stops the program; the cycle of [`Session::advance`].
    Run(u64),
    /// Step until the line changes.
    Line(Line),
    /// Run to where a call or an exception returns to; then go on with the step, or stop.
    Return(Return, Option<Line>),
}

/// A step by lines.
#[derive(Clone)]
pub(crate) struct Line {
    /// Whether it stops in a function that is called.
    into: bool,
    /// Whether it is a step of one instruction.
    instruction: bool,
    from: Place,
}

/// Where a call returns to.
#[derive(Clone, Copy)]
pub(crate) struct Return {
    address: u32,
    stack: u32,
    /// The cycle of [`Session::advance`].
    until: u64,
}

/// A place in the source: the line, as seen from a function of a certain depth of inlining.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    function: Option<u32>,
    line: Option<(Arc<str>, u32)>,
    depth: usize,
}

impl Place {
    /// The innermost line at an address.
    fn of(image: &Image, pc: u32) -> Place {
        let depth = image.frames_at(pc).len();
        Place::at_depth(image, pc, depth)
    }

    /// The line at an address in the outermost `depth` functions.
    fn at_depth(image: &Image, pc: u32, depth: usize) -> Place {
        let frames = image.frames_at(pc);
        let frame = frames
            .len()
            .checked_sub(depth)
            .and_then(|index| frames.get(index));
        let place = frame.or(frames.first()).and_then(|frame| frame.place.as_ref());
        let line = place.filter(|place| place.line > 0);
        Place {
            function: image.symbol_at(pc).map(|(symbol, _)| symbol.address),
            line: line.map(|place| (Arc::clone(&place.file), place.line)),
            depth: depth.min(frames.len()),
        }
    }

    /// Whether code at `pc` still belongs to this line: of itself, or of a function inlined into it; code without a line does.
    fn holds(&self, image: &Image, pc: u32, into: bool) -> bool {
        let now = if into {
            Place::of(image, pc)
        } else {
            Place::at_depth(image, pc, self.depth)
        };
        now.function == self.function && (now.line.is_none() || now.line == self.line)
    }
}

/// The registers that tell a call or an exception.
struct Standing {
    pc: u32,
    sp: u32,
    link: u32,
    /// The exception being handled (IPSR); 0 on RV32.
    handled: u32,
}

impl Session {
    /// Prepares a step to another line, or of one instruction.
    ///
    /// # Errors
    /// If the target cannot be saved.
    pub(crate) fn step_line(&mut self, into: bool, instruction: bool) -> Result<Motion, TargetError> {
        let from = Place::of(&Arc::clone(self.bench.image()), self.pc());
        self.set_off()?;
        let instruction = instruction || from.line.is_none();
        Ok(Motion::Line(Line {
            into,
            instruction,
            from,
        }))
    }

    /// Prepares to run until the current function returns; `None` if its caller is unknown.
    ///
    /// # Errors
    /// If the target cannot be saved.
    pub(crate) fn step_out(&mut self) -> Result<Option<Motion>, TargetError> {
        let image = Arc::clone(self.bench.image());
        let (pc, calls) = (self.pc(), self.backtrace(None));
        let depth = image.frames_at(pc).len();
        if depth > 1 {
            let from = Place::at_depth(&image, pc, depth - 1);
            self.set_off()?;
            let (into, instruction) = (false, false);
            return Ok(Some(Motion::Line(Line {
                into,
                instruction,
                from,
            })));
        }
        let Some(caller) = calls.get(1) else {
            return Ok(None);
        };
        let (address, stack) = (caller.site.pc, caller.sp);
        let until = self.set_off()?;
        Ok(Some(Motion::Return(
            Return {
                address,
                stack,
                until,
            },
            None,
        )))
    }

    /// Advances by a part of a motion: a million cycles, or a thousand steps. `None` if nothing has stopped the program yet.
    ///
    /// # Errors
    /// The errors of [`Session::go_on`].
    pub(crate) fn advance_by(&mut self, motion: &mut Motion) -> Result<Option<Stopped>, TargetError> {
        match motion {
            Motion::Run(until) => self.advance(until),
            Motion::Line(line) => {
                let line = line.clone();
                self.advance_line(motion, &line)
            }
            Motion::Return(to, line) => {
                let (arrived, stopped) = self.advance_to(to)?;
                match line.take() {
                    _ if stopped.is_some() => Ok(stopped),
                    line if !arrived => {
                        *motion = Motion::Return(*to, line);
                        Ok(None)
                    }
                    Some(line) => self.resumed(motion, line),
                    None => self.halted(Stopped::Stepped).map(Some),
                }
            }
        }
    }

    /// Goes on with a step behind a call.
    fn resumed(&mut self, motion: &mut Motion, line: Line) -> Result<Option<Stopped>, TargetError> {
        let image = Arc::clone(self.bench.image());
        let pc = moment(self.bench.target()).pc;
        if line.instruction || !line.from.holds(&image, pc, line.into) {
            return self.halted(Stopped::Stepped).map(Some);
        }
        *motion = Motion::Line(line);
        Ok(None)
    }

    fn advance_line(&mut self, motion: &mut Motion, line: &Line) -> Result<Option<Stopped>, TargetError> {
        let image = Arc::clone(self.bench.image());
        for _ in 0..STEPS {
            let before = self.standing();
            let mut stops = Stops::stepping(&self.points);
            let outcome = one_step(self.bench.target(), &mut stops)?;
            if let Some(stopped) = self.stopped(&outcome, &stops)? {
                return Ok(Some(stopped));
            }
            let now = self.standing();
            if self.points.breakpoints.contains(&now.pc) {
                return self.halted(Stopped::Breakpoint).map(Some);
            }
            let entered = self.exception_entered(&before, &now);
            let called = entered.is_none().then(|| self.called(&before, &now)).flatten();
            let is_over = entered.is_some() || !line.into || image.place_at(now.pc).is_none();
            if let Some(to) = entered
                .or(called)
                .filter(|_| is_over && !(line.into && line.instruction))
            {
                *motion = Motion::Return(to, Some(line.clone()));
                return Ok(None);
            }
            if line.instruction || !line.from.holds(&image, now.pc, line.into) {
                return self.halted(Stopped::Stepped).map(Some);
            }
        }
        Ok(None)
    }

    /// Runs a part of the way to where a call returns to; whether it arrived there, and why something else stopped it.
    fn advance_to(&mut self, to: &mut Return) -> Result<(bool, Option<Stopped>), TargetError> {
        loop {
            let mut points = self.points.clone();
            points.breakpoints.push(to.address);
            let mut stops = Stops::at(&points);
            let until = (to.until / super::STRIDE)
                .saturating_add(1)
                .saturating_mul(super::STRIDE);
            let outcome = self.bench.target().run(Until::Cycle(until), &mut stops)?;
            if let Some(stopped) = self.stopped(&outcome, &stops)? {
                return Ok((false, Some(stopped)));
            }
            let now = self.standing();
            match outcome {
                Outcome::Paused { .. } if now.pc == to.address && now.sp == to.stack => {
                    return Ok((true, None));
                }
                Outcome::Paused { .. } => {}
                _ => {
                    to.until = until;
                    self.mark(true)?;
                    return Ok((false, None));
                }
            }
        }
    }

    fn standing(&mut self) -> Standing {
        let arm = self.bench.target().board().core().architecture() == Architecture::Arm;
        let registers = self.bench.target().registers();
        let get = |name| registers.as_ref().ok().and_then(|registers| registers.get(name));
        let value = |name| get(name).unwrap_or(0);
        Standing {
            pc: value("pc"),
            sp: value("sp"),
            link: value(if arm { "lr" } else { "ra" }),
            handled: value("xpsr") & 0x1ff,
        }
    }

    /// Where a call returns to, if the step made one: its return address is the one behind the instruction.
    fn called(&mut self, before: &Standing, now: &Standing) -> Option<Return> {
        let architecture = self.bench.target().board().core().architecture();
        let first = self.word(before.pc & !3)? >> (8 * (before.pc & 2));
        let next = before.pc + Listing::new(architecture).length(first as u16);
        (now.link & !1 == next && now.pc != next).then(|| Return {
            address: next,
            stack: before.sp,
            until: self.cycle(),
        })
    }

    /// Where an exception returns to, if the step entered one.
    fn exception_entered(&mut self, before: &Standing, now: &Standing) -> Option<Return> {
        let address = match self.bench.target().board().core().architecture() {
            Architecture::Arm => self.interrupted(before, now)?,
            Architecture::RiscV => {
                let base = self.core_register("mtvec")?;
                let cause = self.core_register("mcause")?;
                let vector = if base & 1 != 0 && cause >> 31 != 0 {
                    (base & !3).wrapping_add(4 * (cause & 0x3ff))
                } else {
                    base & !3
                };
                let pc = self.core_register("mepc")?;
                (now.pc == vector && pc.wrapping_sub(before.pc) <= 4).then_some(pc)?
            }
        };
        Some(Return {
            address,
            stack: before.sp,
            until: self.cycle(),
        })
    }

    /// The address that an exception's frame holds (ARMv7-M ARM B1.5.7), if the core stands at the exception's vector.
    fn interrupted(&mut self, before: &Standing, now: &Standing) -> Option<u32> {
        const VTOR: u32 = 0xe000_ed08;
        if now.handled == before.handled || now.handled == 0 || now.link < 0xffff_ffe0 {
            return None;
        }
        let table = self.word(VTOR).unwrap_or(0);
        let vector = self.word(table.wrapping_add(4 * now.handled))?;
        let frame = if now.link & 4 != 0 {
            self.core_register("psp")?
        } else {
            now.sp
        };
        let pc = self.word(frame.wrapping_add(24))?;
        (vector & !1 == now.pc).then_some(pc)
    }

    /// Steps back to the start of the previous line, or of this one if the program stands within it. With `into`, it stops at the end of
    /// a function that was called.
    ///
    /// # Errors
    /// If the target cannot go back.
    pub(crate) fn step_line_back(&mut self, into: bool) -> Result<Stopped, TargetError> {
        let image = Arc::clone(self.bench.image());
        let mut stopped = self.step_back_in_function(&image, into)?;
        let line = Place::of(&image, self.pc());
        while stopped == Stopped::Stepped && line.line.is_some() {
            let now = self.pc();
            let starts = line.line.as_ref().is_some_and(|(file, line)| {
                image
                    .line_addresses(file, *line)
                    .is_ok_and(|starts| starts.contains(&now))
            });
            if starts {
                break;
            }
            stopped = self.step_back_in_function(&image, false)?;
            if !line.holds(&image, self.pc(), false) {
                break;
            }
        }
        Ok(stopped)
    }

    /// Steps back by an instruction, and over calls that ended there.
    fn step_back_in_function(&mut self, image: &Image, into: bool) -> Result<Stopped, TargetError> {
        let function = |pc| image.symbol_at(pc).map(|(symbol, _)| symbol.address);
        let (here, sp) = (function(self.pc()), self.standing().sp);
        let was_entry = here == Some(self.pc());
        let mut stopped = self.step_back()?;
        for _ in 0..MOST_CALLS {
            let pc = self.pc();
            let left = function(pc) != here || self.standing().sp < sp && here == Some(pc);
            let Some(entry) = function(pc).filter(|_| left && !was_entry && stopped == Stopped::Stepped)
            else {
                break;
            };
            if into && image.place_at(pc).is_some() {
                break;
            }
            let is_set = self.points.breakpoints.contains(&entry);
            if pc != entry {
                self.add_breakpoint(entry);
                stopped = self.go_back(|| false)?;
                self.remove_breakpoint(entry);
                if stopped != Stopped::Breakpoint || self.pc() != entry || is_set {
                    break;
                }
            }
            stopped = self.step_back()?;
        }
        Ok(stopped)
    }
}
