//! Implements `Target` for the model.

use std::sync::Arc;

use events::{Event, Flow, Interest, Pcs, RuleSet, Sink};

use super::{Drive, Memory, One, Registers, State, Target, TargetError, Until};
use crate::board::Board;
use crate::crash::Frame;
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
        self.processor_mut().halt();
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
        Ok(self.processor_mut().registers())
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

    fn backtrace(&self, registers: Option<&dyn Registers>) -> Vec<Frame> {
        self.backtrace(registers)
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

    fn scheduled_inputs(&self) -> Vec<(u64, String)> {
        self.scheduled_inputs()
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

/// Pauses a run before these instructions.
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

struct Ram<'a>(&'a mut dyn Processor);

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
            let is_written = self.0.write_memory(address, bytes);
            self.0.refetch(address, bytes.len());
            return is_written;
        }
        pieces(address, bytes.len()).all(|(address, size, done)| {
            let mut word = [0; 4];
            word[..size].copy_from_slice(&bytes[done..done + size]);
            self.poke(address, size, u32::from_le_bytes(word))
        })
    }

    fn program(&mut self, address: u32, bytes: &[u8]) -> bool {
        // All or nothing.
        let offsets = (0..bytes.len()).step_by(WORD).chain(bytes.len().checked_sub(1));
        let mut addresses = offsets.map(|offset| address.wrapping_add(offset as u32));
        if !addresses.all(|address| self.0.bus().is_memory(address)) {
            return false;
        }
        let is_written = self.0.program_memory(address, bytes);
        self.0.refetch(address, bytes.len());
        is_written
    }
}

/// Memories begin and end at word boundaries.
const WORD: usize = 4;

impl Ram<'_> {
    fn look(&self, address: u32, size: usize) -> Option<u32> {
        let mut word = [0; 4];
        if self.0.bus().peek(address, &mut word[..size]) {
            return Some(u32::from_le_bytes(word));
        }
        self.0.look(address, size as u32)
    }

    fn poke(&mut self, address: u32, size: usize, value: u32) -> bool {
        self.0.poke(address, size as u32, value)
    }
}

/// Splits a range into the widest aligned accesses: address, size, and offset.
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
