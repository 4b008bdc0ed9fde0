//! A real chip as a target: behind a debug probe, or behind a GDB server.
//!
//! It measures like study 000: the program stops at breakpoints, the debugger reads the cycle counter (DWT CYCCNT), and the counter does
//! not run meanwhile. A stop drains the pipeline, which costs extra cycles. At a BKPT, and at a spec's `halt:`, they belong to the
//! measurement; at other points they are subtracted. The cost of a stop is measured beforehand on the program's first instructions, by
//! running them with and without a stop.
//! before, on the program's first instructions, by going over them with and without a stop between.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use events::{Costs, Event, Flow, Interest, Pcs, Retire, RuleSet, Sink, Window};
use machine::target::{Drive, Memory, Registers, State, Until};
use machine::{Architecture, Board, Exception, Image, Options, Outcome, Target, TargetError};

use super::link::{Link, Point, Stop};
use super::remote::Remote;

const DEMCR: u32 = 0xe000_edfc;
const TRCENA: u32 = 1 << 24;
const DWT_CTRL: u32 = 0xe000_1000;
const CYCCNT: u32 = 0xe000_1004;
/// Register numbers in every server's target description of a Cortex-M.
const SP: u32 = 13;
const LR: u32 = 14;
const PC: u32 = 15;
/// Instructions used to measure the cost of a stop.
const CALIBRATED: usize = 8;
/// Bytes of the program that are compared with the target's memory.
const COMPARED: usize = 4096;
/// Bytes per read, which every server supports.
const AT_ONCE: usize = 256;
/// The operand of a semihosting BKPT.
const SEMIHOSTING: u8 = 0xab;

/// A program on a chip under debug control.
pub(super) struct Probe {
    board: Board,
    image: Arc<Image>,
    link: RefCell<Box<dyn Link>>,
    halts: Vec<u32>,
    /// Addresses with a breakpoint.
    set: BTreeSet<u32>,
    watched: BTreeSet<u32>,
    cycle: u64,
    counter: u32,
    /// The cost of a stop in cycles.
    stop_costs: u64,
    ended: Option<u32>,
}

impl Probe {
    /// A chip behind the GDB server at this address.
    pub(super) fn served(
        address: &str,
        board: &Board,
        image: &Arc<Image>,
        options: Options,
    ) -> Result<Probe, TargetError> {
        let link = || -> Result<Box<dyn Link>, TargetError> {
            let remote = Remote::connect(address).map_err(|error| {
                let error = TargetError::new(format!("no GDB server at {address}: {error}"));
                error.help("start OpenOCD, `probe-rs gdb`, pyOCD, J-Link's server, or `cyclescope gdb`")
            })?;
            Ok(Box::new(remote))
        };
        Probe::new(link, board, image, options)
    }

    /// Resets the chip, which must already have the program in memory.
    pub(super) fn new(
        link: impl FnOnce() -> Result<Box<dyn Link>, TargetError>,
        board: &Board,
        image: &Arc<Image>,
        options: Options,
    ) -> Result<Probe, TargetError> {
        if board.core().architecture() != Architecture::Arm {
            let message = format!(
                "board `{}` has a {}, without a cycle counter that a debugger reads",
                board.name(),
                board.core().name()
            );
            return Err(TargetError::new(message).help("a debugger measures a Cortex-M3 or M4"));
        }
        let mut probe = Probe {
            board: board.clone(),
            image: Arc::clone(image),
            link: RefCell::new(link()?),
            halts: options.halts,
            set: BTreeSet::new(),
            watched: BTreeSet::new(),
            cycle: 0,
            counter: 0,
            stop_costs: 0,
            ended: None,
        };
        probe.reset().map_err(|error| probe.broken(&error))?;
        probe.compare()?;
        probe.start().map_err(|error| probe.broken(&error))?;
        Ok(probe)
    }

    fn broken(&self, error: &io::Error) -> TargetError {
        TargetError::new(format!("{}: {error}", self.link.borrow().name()))
    }

    fn start(&mut self) -> io::Result<()> {
        self.stop_costs = self.calibrated()?;
        self.reset()?;
        self.counter = self.link.get_mut().word(CYCCNT)?;
        Ok(())
    }

    fn reset(&mut self) -> io::Result<()> {
        let link = self.link.get_mut();
        link.reset()?;
        let demcr = link.word(DEMCR)?;
        link.write_word(DEMCR, demcr | TRCENA)?;
        let control = link.word(DWT_CTRL)?;
        link.write_word(DWT_CTRL, control | 1)
    }

    /// The cost of a stop: cycles of the program's first instructions with one, minus those without.
    fn calibrated(&mut self) -> io::Result<u64> {
        self.reset()?;
        let link = self.link.get_mut();
        let mut pcs = vec![link.register(PC)?];
        for _ in 0..CALIBRATED {
            link.step()?;
            pcs.push(link.register(PC)?);
        }
        let distinct: BTreeSet<u32> = pcs.iter().copied().collect();
        if distinct.len() < pcs.len() {
            // The program starts with a loop: there is nothing to run.
            return Ok(0);
        }
        let mut taken = [0; 2];
        let (middle, last) = (pcs[CALIBRATED / 2], pcs[CALIBRATED]);
        for (between, taken) in [false, true].into_iter().zip(&mut taken) {
            self.reset()?;
            let link = self.link.get_mut();
            let from = link.word(CYCCNT)?;
            for place in [middle, last].into_iter().skip(usize::from(!between)) {
                link.insert(Point::Code(place))?;
                link.go_on()?;
                link.remove(Point::Code(place))?;
            }
            *taken = link.word(CYCCNT)?.wrapping_sub(from);
        }
        if taken == [0, 0] {
            return Err(io::Error::other(
                "its cycle counter (DWT CYCCNT) stands still, so there is nothing to measure: QEMU, for one, counts no cycles",
            ));
        }
        Ok(taken[1].saturating_sub(taken[0]).into())
    }

    /// Checks that the target has this program.
    fn compare(&mut self) -> Result<(), TargetError> {
        let stored = self
            .image
            .segments()
            .iter()
            .find(|segment| !segment.bytes.is_empty() && !segment.writable);
        let Some(segment) = stored else { return Ok(()) };
        let mut there = vec![0; segment.bytes.len().min(COMPARED)];
        for (at, part) in (segment.address..)
            .step_by(AT_ONCE)
            .zip(there.chunks_mut(AT_ONCE))
        {
            let read = self.link.get_mut().read(at, part);
            read.map_err(|error| self.broken(&error))?;
        }
        if there == segment.bytes[..there.len()] {
            return Ok(());
        }
        let message = format!(
            "{} has another program at {:#010x}",
            self.link.borrow().name(),
            segment.address
        );
        Err(TargetError::new(message)
            .in_file(self.image.file())
            .help("program it first: `load` in GDB, `probe-rs download`"))
    }

    /// Sets exactly the breakpoints and watchpoints that a sink needs.
    fn listen(&mut self, interest: &Interest) -> io::Result<()> {
        let pcs = match &interest.pcs {
            Pcs::All => {
                return Err(io::Error::other(
                    "not every instruction can be stopped at (`--stack`)",
                ));
            }
            pcs => pcs.addresses(),
        };
        let wanted: BTreeSet<u32> = pcs.iter().chain(&self.halts).copied().collect();
        let link = self.link.get_mut();
        for &gone in self.set.difference(&wanted) {
            link.remove(Point::Code(gone))?;
        }
        for &new in wanted.difference(&self.set) {
            link.insert(Point::Code(new))?;
        }
        self.set = wanted;
        if let Some((first, last)) = interest.writes.hull()
            && self.watched.insert(first)
        {
            link.insert(Point::Stores(first, (last - first).saturating_add(1)))?;
        }
        Ok(())
    }

    /// Reads the cycle counter and adds the difference to the cycles.
    fn count(&mut self) -> io::Result<()> {
        let counter = self.link.get_mut().word(CYCCNT)?;
        self.cycle += u64::from(counter.wrapping_sub(self.counter));
        self.counter = counter;
        Ok(())
    }

    /// The operand of the BKPT at an address, if there is one.
    fn bkpt(&mut self, pc: u32) -> Option<u8> {
        let mut half = [0; 2];
        self.link.get_mut().read(pc, &mut half).ok()?;
        (half[1] == 0xbe).then_some(half[0])
    }

    /// Resumes from `pc` and ensures progress, since some servers stop at the same place again.
    fn go_on(&mut self, pc: u32) -> io::Result<Stop> {
        let stop = self.link.get_mut().go_on()?;
        if stop != Stop::Stopped {
            return Ok(stop);
        }
        let before = self.counter;
        self.count()?;
        let stands = self.link.get_mut().register(PC)? == pc && self.counter == before;
        if !stands {
            return Ok(stop);
        }
        let is_set = self.set.contains(&pc);
        let bkpt = self.bkpt(pc);
        let link = self.link.get_mut();
        match bkpt {
            Some(_) => link.set_register(PC, pc + 2)?,
            None if is_set => {
                link.remove(Point::Code(pc))?;
                link.step()?;
                link.insert(Point::Code(pc))?;
            }
            None => {}
        }
        let stop = self.link.get_mut().go_on()?;
        if stop == Stop::Stopped {
            self.count()?;
        }
        Ok(stop)
    }

    fn run_until(&mut self, until: u64, sink: &mut dyn Sink) -> io::Result<Outcome> {
        let interest = sink.interest();
        self.listen(&interest)?;
        let mut pc = self.link.get_mut().register(PC)?;
        loop {
            if let Some(code) = self.ended {
                return Ok(Outcome::Exit { code });
            }
            if self.cycle >= until {
                return Ok(Outcome::Limit { pc });
            }
            match self.go_on(pc)? {
                Stop::Stopped => {}
                Stop::Exited(code) => {
                    self.ended = Some(code);
                    continue;
                }
                Stop::TimedOut => {
                    let message = "the program met no point for 10 seconds; `count` in every span ends the run when all is measured";
                    return Err(io::Error::other(message));
                }
            }
            pc = self.link.get_mut().register(PC)?;
            if self.tell(pc, &interest, sink)? == Flow::Pause {
                return Ok(Outcome::Paused { pc });
            }
        }
    }

    /// Emits the events for which the program stopped.
    fn tell(&mut self, pc: u32, interest: &Interest, sink: &mut dyn Sink) -> io::Result<Flow> {
        let at = Window {
            from: self.cycle,
            to: self.cycle,
        };
        let link = self.link.get_mut();
        let (sp, link) = (link.register(SP)?, link.register(LR)?);
        let (since, costs) = (RuleSet::EMPTY, Costs::NONE);
        let mut flow = Flow::On;
        if self.set.contains(&pc) && interest.pcs.contains(pc) {
            flow = sink.event(&Event::Retire(Retire {
                at,
                issued: self.cycle,
                pc,
                raw: 0,
                size: 2,
                sp_before: sp,
                sp,
                link,
                alternate_link: 0,
                since,
                rules: since,
                costs,
            }));
            if !self.halts.contains(&pc) {
                // Subtract the stop, which the program alone would not have.
                self.cycle = self.cycle.saturating_sub(self.stop_costs);
            }
            return Ok(flow);
        }
        match self.bkpt(pc) {
            // The server did not handle the request, so the program cannot continue or end.
            Some(SEMIHOSTING) => {
                return Err(io::Error::other(
                    "the server does not serve semihosting (OpenOCD: `monitor arm semihosting enable`)",
                ));
            }
            Some(imm) => {
                flow = sink.event(&Event::Breakpoint {
                    at,
                    pc,
                    imm,
                    sp,
                    since,
                    costs,
                });
            }
            None if !self.watched.is_empty() => {
                if let Some((address, _)) = interest.writes.hull() {
                    flow = sink.event(&Event::Write {
                        cycle: self.cycle,
                        pc,
                        address,
                        size: 4,
                        value: 0,
                        sp,
                        since,
                    });
                }
            }
            None => {}
        }
        Ok(flow)
    }
}

impl Target for Probe {
    fn board(&self) -> &Board {
        &self.board
    }

    fn image(&self) -> &Arc<Image> {
        &self.image
    }

    fn run(&mut self, until: Until, sink: &mut dyn Sink) -> Result<Outcome, TargetError> {
        let Until::Cycle(cycle) = until else {
            return Err(TargetError::new("a chip behind a debugger runs only to points"));
        };
        self.run_until(cycle, sink).map_err(|error| self.broken(&error))
    }

    fn drive(&mut self, _: Exception, _: u64, _: Drive) -> Result<(), TargetError> {
        Err(TargetError::new(
            "no interrupt can be raised from outside on a chip behind a debugger",
        ))
    }

    fn registers(&mut self) -> Result<Box<dyn Registers + '_>, TargetError> {
        Ok(Box::new(Shown(&self.link)))
    }

    fn memory(&mut self) -> Result<Box<dyn Memory + '_>, TargetError> {
        Ok(Box::new(Shown(&self.link)))
    }

    fn snapshot(&mut self) -> Result<State, TargetError> {
        Err(TargetError::new("a chip saves no state (`phases`)"))
    }

    fn restore(&mut self, _: &State) -> Result<(), TargetError> {
        Err(TargetError::new("a chip saves no state"))
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn instructions(&self) -> u64 {
        0
    }

    fn relied(&self) -> RuleSet {
        RuleSet::EMPTY
    }

    fn clock_hz(&self) -> u32 {
        self.board.clock_hz()
    }

    fn nanoseconds(&self) -> u64 {
        let nanoseconds = u128::from(self.cycle) * 1_000_000_000 / u128::from(self.board.clock_hz().max(1));
        u64::try_from(nanoseconds).unwrap_or(u64::MAX)
    }
}

/// Access to the target's registers and memory.
struct Shown<'a>(&'a RefCell<Box<dyn Link>>);

const NAMES: [&str; 3] = ["sp", "lr", "pc"];

impl Registers for Shown<'_> {
    fn names(&self) -> Vec<&'static str> {
        NAMES.to_vec()
    }

    fn get(&self, name: &str) -> Option<u32> {
        let number = NAMES.iter().position(|known| *known == name)?;
        self.0.borrow_mut().register(SP + number as u32).ok()
    }

    fn set(&mut self, name: &str, value: u32) -> bool {
        let number = NAMES.iter().position(|known| *known == name);
        number.is_some_and(|number| {
            self.0
                .borrow_mut()
                .set_register(SP + number as u32, value)
                .is_ok()
        })
    }
}

impl Memory for Shown<'_> {
    fn read(&self, address: u32, bytes: &mut [u8]) -> bool {
        self.0.borrow_mut().read(address, bytes).is_ok()
    }

    fn write(&mut self, _: u32, _: &[u8]) -> bool {
        false
    }
}
