//! Registers and threads as a debugger sees them.

use std::sync::Arc;

use machine::crash::Frame;
use machine::target::{Registers, TargetError};

use super::Session;
use crate::registers::{Description, Row};
use crate::threads::{Saved, Thread};

impl Session {
    /// All registers of the core.
    pub(crate) fn description(&self) -> Arc<Description> {
        Arc::clone(&self.description)
    }

    /// A register's bytes, of a thread or of the core; `None` if its value is unknown.
    pub(crate) fn register(&mut self, row: &Row, thread: Option<&Thread>) -> Option<Vec<u8>> {
        if let Some(saved) = thread.and_then(|thread| thread.saved.as_ref()) {
            return row.get(saved);
        }
        match self.at_instruction {
            // A program stopped at its own BKPT shows that address, although the BKPT has executed.
            Some(pc) if row.is_pc() => Some(pc.to_le_bytes().to_vec()),
            _ => row.get(&*self.bench.target().registers().ok()?),
        }
    }

    /// Writes a register of the core; false if it is read-only.
    pub(crate) fn set_register(&mut self, row: &Row, bytes: &[u8]) -> Result<bool, TargetError> {
        if self.register(row, None).as_deref() == Some(bytes) {
            return Ok(true);
        }
        if row.is_pc() {
            self.at_instruction = None;
        }
        let mut registers = self.bench.target().registers()?;
        Ok(row.set(&mut *registers, bytes))
    }

    /// The current threads with their numbers, the running one first. A thread's number, from 1, never changes.
    pub(crate) fn threads(&mut self) -> Result<Vec<(u32, Thread)>, TargetError> {
        let threads = self.kernel.threads(&*self.bench.target().memory()?);
        let numbered = threads.into_iter();
        Ok(numbered
            .map(|thread| (self.number_of(thread.key), thread))
            .collect())
    }

    fn number_of(&mut self, key: u32) -> u32 {
        let known = self.numbered.iter().position(|known| *known == key);
        let place = known.unwrap_or_else(|| {
            self.numbered.push(key);
            self.numbered.len() - 1
        });
        place as u32 + 1
    }

    /// The calls that led to where a thread, or the core, stands: innermost first.
    pub(crate) fn backtrace(&mut self, thread: Option<&Thread>) -> Vec<Frame> {
        if let Some(saved) = thread.and_then(|thread| thread.saved.as_ref()) {
            return self.bench.target().backtrace(Some(saved));
        }
        let Some(pc) = self.at_instruction else {
            return self.bench.target().backtrace(None);
        };
        let registers = self.bench.target().registers();
        let saved = registers.ok().map(|registers| Saved::at(&*registers, pc));
        self.bench
            .target()
            .backtrace(saved.as_ref().map(|saved| saved as &dyn Registers))
    }

    /// A register of the core by its target's name.
    pub(crate) fn core_register(&mut self, name: &str) -> Option<u32> {
        match self.at_instruction {
            Some(pc) if name == "pc" => Some(pc),
            _ => self.bench.target().registers().ok()?.get(name),
        }
    }
}
