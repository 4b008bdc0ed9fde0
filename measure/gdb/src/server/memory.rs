//! Requests about memory, and flash programming.

use super::arguments::{Answered, Arguments, Refusal, digits};
use super::{Answer, Server};

/// The most bytes that one reply holds; GDB asks again for the rest.
const MOST_SHOWN: u32 = 1 << 14;
/// The most bytes of flash erased at once; larger requests only waste memory.
const MOST_FLASH: u32 = 64 << 20;
impl Server {
    pub(super) fn read_memory(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let (start, length) = arguments.range()?;
        arguments.end()?;
        if length == 0 {
            return Err(Refusal::Malformed);
        }
        let block = self.session.read_memory(start, length.min(MOST_SHOWN))?;
        let block = block.ok_or(Refusal::NoMemory)?;
        self.tell_holes(&block.holes);
        Ok(Answer::Reply(digits(&block.bytes)))
    }

    /// Reports each register shown as zero, once.
    fn tell_holes(&mut self, holes: &[u32]) {
        let new: Vec<u32> = holes
            .iter()
            .copied()
            .filter(|hole| self.shown.insert(*hole))
            .collect();
        for run in new.chunk_by(|one, next| next - one <= 4) {
            let last = run[run.len() - 1] | 3;
            let text = format!(
                "note: {:#010x} to {last:#010x} is not modelled: a view of the whole block shows zero there\n",
                run[0]
            );
            (self.tell)(&text);
        }
    }

    pub(super) fn write_memory(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let (start, length) = arguments.range()?;
        arguments.expect(b':')?;
        let data = arguments.bytes()?;
        self.write(start, length, &data)
    }

    pub(super) fn write_binary(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let (start, length) = arguments.range()?;
        arguments.expect(b':')?;
        let data = arguments.binary()?;
        self.write(start, length, &data)
    }

    fn write(&mut self, start: u32, length: u32, data: &[u8]) -> Answered<Answer> {
        if data.len() != length as usize {
            return Err(Refusal::Malformed);
        }
        done(self.session.write_memory(start, data)?)
    }

    pub(super) fn erase_flash(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.expect(b':')?;
        let (start, length) = arguments.range()?;
        arguments.end()?;
        if length > MOST_FLASH {
            return Err(Refusal::NoMemory);
        }
        self.program(start, &vec![0xff; length as usize])
    }

    pub(super) fn write_flash(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.expect(b':')?;
        let start = arguments.number()?;
        arguments.expect(b':')?;
        let data = arguments.binary()?;
        self.program(start, &data)
    }

    pub(super) fn flash_done(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        Ok(Answer::ok())
    }

    fn program(&mut self, start: u32, data: &[u8]) -> Answered<Answer> {
        done(self.session.program_memory(start, data)?)
    }
}

fn done(done: bool) -> Answered<Answer> {
    if done {
        Ok(Answer::ok())
    } else {
        Err(Refusal::NoMemory)
    }
}
