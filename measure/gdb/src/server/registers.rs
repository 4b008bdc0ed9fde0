//! Requests about registers.

use super::arguments::{Answered, Arguments, Refusal, digits};
use super::{Answer, Server};
use crate::registers::Row;
use crate::threads::Thread;

impl Server {
    /// A register's bytes; `None` if its value is unknown.
    fn register(&mut self, number: usize, thread: Option<&Thread>) -> Option<Vec<u8>> {
        self.session
            .register(self.description.rows().nth(number)?, thread)
    }

    /// The size of a register in bytes.
    fn size(&self, number: usize) -> Answered<usize> {
        self.description
            .rows()
            .nth(number)
            .map(Row::size)
            .ok_or(Refusal::NoRegister)
    }

    fn sizes(&self) -> Vec<usize> {
        self.description.rows().map(Row::size).collect()
    }

    fn set_register(&mut self, number: usize, bytes: &[u8]) -> Answered<()> {
        let row = self.description.rows().nth(number).ok_or(Refusal::NoRegister)?;
        if self.session.set_register(row, bytes)? {
            Ok(())
        } else {
            Err(Refusal::NoRegister)
        }
    }

    /// Sets the address at which the program resumes.
    pub(super) fn go_to(&mut self, address: u32) -> Answered<()> {
        let pc = self.description.rows().position(Row::is_pc);
        self.set_register(pc.ok_or(Refusal::NoRegister)?, &address.to_le_bytes())
    }

    /// The register's hexadecimal digits, or `x`es if its value is unknown.
    fn shown(&mut self, number: usize, size: usize, thread: Option<&Thread>) -> Vec<u8> {
        let bytes = self.register(number, thread);
        bytes.map_or_else(|| vec![b'x'; 2 * size], |bytes| digits(&bytes))
    }

    pub(super) fn read_registers(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        let thread = self.waiting()?;
        let sizes = self.sizes().into_iter().enumerate();
        let shown = sizes.flat_map(|(number, size)| self.shown(number, size, thread.as_ref()));
        Ok(Answer::Reply(shown.collect()))
    }

    pub(super) fn read_register(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let number = arguments.number()? as usize;
        arguments.end()?;
        let size = self.size(number)?;
        let thread = self.waiting()?;
        Ok(Answer::Reply(self.shown(number, size, thread.as_ref())))
    }

    /// Checks that the current thread is running: registers that a kernel saved are read-only.
    fn runs(&mut self) -> Answered<()> {
        match self.waiting()? {
            None => Ok(()),
            Some(_) => Err(Refusal::NoRegister),
        }
    }

    pub(super) fn write_register(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let number = arguments.number()? as usize;
        arguments.expect(b'=')?;
        let bytes = arguments.bytes()?;
        if bytes.len() != self.size(number)? {
            return Err(Refusal::Malformed);
        }
        self.runs()?;
        self.set_register(number, &bytes)?;
        Ok(Answer::ok())
    }

    /// Writes all registers; one with an unknown byte keeps its value.
    pub(super) fn write_registers(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        let bytes = arguments.known_bytes()?;
        let sizes = self.sizes();
        if bytes.len() != sizes.iter().sum::<usize>() {
            return Err(Refusal::Malformed);
        }
        self.runs()?;
        let mut rest = bytes.into_iter();
        for (number, size) in sizes.into_iter().enumerate() {
            let known: Vec<u8> = rest.by_ref().take(size).flatten().collect();
            if known.len() == size {
                self.set_register(number, &known)?;
            }
        }
        Ok(Answer::ok())
    }
}
