//! The model as a target.

use std::sync::Arc;

use core_rv32::Hart;
use events::{Event, Flow, Interest, Pcs, RuleSet, Sink};

use super::{Drive, Memory, One, Registers, State, Target, TargetError, Until};
use crate::board::Board;
use crate::exception::Exception;
use crate::image::Image;
use crate::machine::{Machine, Outcome, Snapshot};
use crate::processor::Processor;
use crate::waiting::Waiting;

impl Target for Machine {
    fn board(&self) -> &Board {
        self.board()
    }

    fn image(&self) -> &Arc<Image> {
        self.image()
    }

    fn run(&mut self, until: Until, sink: &mut dyn Sink) -> Result<Outcome, TargetError> {
        Ok(match until {
            Until::Cycle(cycle) => Machine::run(self, cycle, sink),
            Until::Step => Machine::run(self, u64::MAX, &mut (One, sink)),
            Until::Halt { before, limit } => Machine::run(self, limit, &mut (Before(Pcs::at(before)), sink)),
        })
    }

    fn halt(&mut self) -> Result<(), TargetError> {
        if let Processor::CortexM(core) = self.processor_mut() {
            core.halt();
        }
        Ok(())
    }

    fn drive(&mut self, exception: Exception, at: u64, drive: Drive) -> Result<(), TargetError> {
        match drive {
            Drive::Pulse => self.raise(exception, at),
            Drive::Level(level) => {
                if !self.processor_mut().set_line(exception, at, level) {
                    let name = exception.name();
                    let message = format!("`{name}` of {} has no level to hold", self.board().core().name());
                    return Err(TargetError::new(message).help("a pulse on it makes it pending"));
                }
            }
        }
        Ok(())
    }

    fn registers(&mut self) -> Result<Box<dyn Registers + '_>, TargetError> {
        Ok(match self.processor_mut() {
            Processor::CortexM(core) => Box::new(CortexM(core)),
            Processor::Rv32(hart) => Box::new(Rv32(hart)),
        })
    }

    fn memory(&mut self) -> Result<Box<dyn Memory + '_>, TargetError> {
        Ok(Box::new(Ram(self.processor_mut())))
    }

    fn snapshot(&mut self) -> Result<State, TargetError> {
        Ok(State(Box::new(Machine::snapshot(self))))
    }

    fn restore(&mut self, state: &State) -> Result<(), TargetError> {
        let snapshot = state.0.downcast_ref::<Snapshot>();
        let snapshot = snapshot.ok_or_else(|| TargetError::new("that state is one of another target"))?;
        Machine::restore(self, snapshot);
        Ok(())
    }

    fn calls(&self) -> Option<String> {
        Some(self.calls())
    }

    fn waits(&mut self, outcome: &Outcome) -> Option<Waiting> {
        self.waits(outcome)
    }

    fn stack_overrun(&self) -> Option<[String; 2]> {
        self.stack_overrun()
    }

    fn notes(&self) -> &[String] {
        self.notes()
    }

    fn cycle(&self) -> u64 {
        self.cycle()
    }

    fn still_to_come(&self) -> Vec<(u64, String)> {
        self.still_to_come()
    }

    fn unreceived(&self) -> Vec<(String, usize, &'static str)> {
        self.unreceived()
    }

    fn refused(&self) -> Option<String> {
        self.refused()
    }

    fn instructions(&self) -> u64 {
        self.instructions()
    }

    fn relied(&self) -> RuleSet {
        self.relied()
    }

    fn clock_hz(&self) -> u32 {
        self.clock_hz()
    }

    fn fastest_clock_hz(&self) -> u32 {
        self.fastest_clock_hz()
    }

    fn nanoseconds(&self) -> u64 {
        self.nanoseconds()
    }
}

/// Pauses before these instructions.
struct Before(Pcs);

impl Sink for Before {
    fn interest(&self) -> Interest {
        Interest {
            stops: self.0.clone(),
            ..Interest::none()
        }
    }

    fn event(&mut self, _: &Event) -> Flow {
        Flow::On
    }
}

struct Ram<'a>(&'a mut Processor);

impl Memory for Ram<'_> {
    fn read(&self, address: u32, bytes: &mut [u8]) -> bool {
        if self.0.bus().peek(address, bytes) {
            return true;
        }
        pieces(address, bytes.len()).all(|(address, size, done)| {
            let value = self.look(address, size);
            value
                .map(|value| bytes[done..done + size].copy_from_slice(&value.to_le_bytes()[..size]))
                .is_some()
        })
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        if self.0.bus().is_memory(address) {
            return self.0.write_memory(address, bytes);
        }
        pieces(address, bytes.len()).all(|(address, size, done)| {
            let mut word = [0; 4];
            word[..size].copy_from_slice(&bytes[done..done + size]);
            self.poke(address, size, u32::from_le_bytes(word))
        })
    }

    fn program(&mut self, address: u32, bytes: &[u8]) -> bool {
        match self.0 {
            Processor::CortexM(core) => core.program_memory(address, bytes),
            Processor::Rv32(hart) => hart.write_memory(address, bytes),
        }
    }
}

impl Ram<'_> {
    fn look(&self, address: u32, size: usize) -> Option<u32> {
        let mut word = [0; 4];
        if self.0.bus().peek(address, &mut word[..size]) {
            return Some(u32::from_le_bytes(word));
        }
        match &*self.0 {
            Processor::CortexM(core) => core.look(address, size as u32),
            Processor::Rv32(hart) => hart.core().bus.look(address, size as u32, hart.cycle())?.ok(),
        }
    }

    fn poke(&mut self, address: u32, size: usize, value: u32) -> bool {
        match self.0 {
            Processor::CortexM(core) => core.poke(address, size as u32, value).is_ok(),
            Processor::Rv32(hart) => {
                let now = hart.cycle();
                hart.core_mut()
                    .bus
                    .write(address, size as u32, value, now)
                    .is_ok()
            }
        }
    }
}

/// The aligned accesses, as wide as they can be, that make up so many bytes: address, size, and how many bytes went before.
fn pieces(address: u32, length: usize) -> impl Iterator<Item = (u32, usize, usize)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = address.wrapping_add(done as u32);
        let left = (length - done).checked_ilog2()?;
        let size = 1usize << at.trailing_zeros().min(left).min(2);
        done += size;
        Some((at, size, done - size))
    })
}

/// R0 to R15, and what MRS and MSR name.
struct CortexM<'a>(&'a mut core_cortex_m::Core);

/// Their names; the number of a general register is its place.
const GENERAL: [&str; 16] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc",
];
const SPECIAL: [&str; 7] = ["xpsr", "msp", "psp", "primask", "basepri", "faultmask", "control"];

const SINGLE: [&str; 32] = [
    "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15",
    "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30",
    "s31",
];

/// The number of a single-precision register.
fn single(name: &str) -> Option<usize> {
    SINGLE.iter().position(|known| *known == name)
}

impl CortexM<'_> {
    fn has_fp(&self) -> bool {
        self.0.config.model.core().has_fp()
    }
}

impl Registers for CortexM<'_> {
    fn names(&self) -> Vec<&'static str> {
        let float = SINGLE.into_iter().chain(["fpscr"]).filter(|_| self.has_fp());
        GENERAL.into_iter().chain(SPECIAL).chain(float).collect()
    }

    fn get(&self, name: &str) -> Option<u32> {
        let regs = &self.0.regs;
        if let Some(number) = GENERAL.iter().position(|known| *known == name) {
            return Some(regs.r[number]);
        }
        if let Some(number) = single(name).filter(|_| self.has_fp()) {
            return Some(regs.s[number]);
        }
        let (main, process) = regs.stack_pointers();
        Some(match name {
            "xpsr" => regs.xpsr(),
            "msp" => main,
            "psp" => process,
            "primask" => u32::from(regs.primask),
            "basepri" => u32::from(regs.basepri),
            "faultmask" => u32::from(regs.faultmask),
            "fpscr" if self.has_fp() => regs.fpscr.bits(),
            "control" => {
                let bits = [regs.unprivileged, regs.process_stack, regs.fp_active];
                bits.iter()
                    .zip(0..)
                    .map(|(&bit, place)| u32::from(bit) << place)
                    .sum()
            }
            _ => return None,
        })
    }

    fn set(&mut self, name: &str, value: u32) -> bool {
        match GENERAL.iter().position(|known| *known == name) {
            Some(15) => self.0.go_to(value),
            Some(13) => self.0.regs.r[13] = value & !3,
            Some(number) => self.0.regs.r[number] = value,
            None if self.has_fp() && single(name).is_some() => {
                let number = single(name).unwrap_or_default();
                self.0.regs.s[number] = value;
            }
            // What a debugger would write there the exception logic would have to see.
            None => return false,
        }
        true
    }
}

/// The integer registers and PC. Up to three instructions behind their state are still to retire.
struct Rv32<'a>(&'a mut Hart);

const INTEGER: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

impl Registers for Rv32<'_> {
    fn names(&self) -> Vec<&'static str> {
        INTEGER.into_iter().chain(["pc"]).collect()
    }

    fn system(&self) -> Vec<&'static str> {
        let all = isa_rv32::csr::all();
        all.filter(|name| self.get(name).is_some()).collect()
    }

    fn get(&self, name: &str) -> Option<u32> {
        let core = self.0.core();
        if name == "pc" {
            return Some(core.pc);
        }
        match INTEGER.iter().position(|known| *known == name) {
            Some(number) => Some(core.regs[number]),
            None => core.look_csr(isa_rv32::csr::number(name)?, self.0.cycle()),
        }
    }

    fn set(&mut self, name: &str, value: u32) -> bool {
        // PC is where the fetch goes; it is ahead of what a debugger sees.
        match INTEGER.iter().position(|known| *known == name) {
            Some(0) => false,
            None => {
                let now = self.0.cycle();
                let number = isa_rv32::csr::number(name);
                number.is_some_and(|number| self.0.core_mut().set_csr(number, value, now))
            }
            Some(number) => {
                self.0.core_mut().regs[number] = value;
                true
            }
        }
    }
}
