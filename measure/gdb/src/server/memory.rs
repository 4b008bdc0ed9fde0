//! Requests about memory, and flash programming.

use std::ops::Range;

use machine::target::Memory;
use machine::{Architecture, Board};

use super::arguments::{Answered, Arguments, Refusal, digits};
use super::{Answer, Server};

/// The most bytes that one reply holds; GDB asks again for the rest.
const MOST_SHOWN: u32 = 1 << 14;
/// The most bytes of flash erased at once; larger requests only waste memory.
const MOST_FLASH: u32 = 64 << 20;
/// The private peripheral bus of a Cortex-M (ARMv7-M ARM B3.1.1).
const PRIVATE: Range<u64> = 0xe000_0000..0xe010_0000;

/// Address ranges of registers, some of which may not be modelled.
pub(super) fn blocks(board: &Board) -> Vec<Range<u64>> {
    let devices = board
        .device_ranges()
        .filter(|(base, _)| board.block_at(*base).is_none());
    let devices = devices.map(|(base, size)| u64::from(base)..u64::from(base) + u64::from(size));
    let of_core = (board.core().architecture() == Architecture::Arm).then_some(PRIVATE);
    devices.chain(of_core).collect()
}

/// The result of reading a range.
struct Block {
    bytes: Vec<u8>,
    /// Addresses of unmodelled words, which `bytes` shows as zero.
    holes: Vec<u32>,
}

/// Reads up to the first unmapped address. An unmodelled register in a modelled block reads as zero, because a reply cannot skip a word
/// and would lose the registers after it. `None` if nothing can be read.
fn block(memory: &dyn Memory, blocks: &[Range<u64>], start: u32, length: u32) -> Option<Block> {
    let mut whole = vec![0; length as usize];
    if memory.read(start, &mut whole) {
        let (bytes, holes) = (whole, Vec::new());
        return Some(Block { bytes, holes });
    }
    let (mut bytes, mut holes, mut found) = (Vec::new(), Vec::new(), false);
    while bytes.len() < length as usize {
        let at = start + bytes.len() as u32;
        let left = length as usize - bytes.len();
        let mut word = vec![0; left.min(4 - (at & 3) as usize)];
        if memory.read(at, &mut word) {
            found = true;
        } else if blocks.iter().any(|block| block.contains(&u64::from(at))) {
            word.fill(0);
            holes.push(at);
        } else {
            break;
        }
        bytes.extend(word);
    }
    found.then_some(Block { bytes, holes })
}

impl Server {
    pub(super) fn read_memory(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let (start, length) = arguments.range()?;
        arguments.end()?;
        if length == 0 {
            return Err(Refusal::Malformed);
        }
        let length = length.min(MOST_SHOWN).min((u32::MAX - start).saturating_add(1));
        let memory = self.session.target().memory()?;
        let block = block(&*memory, &self.blocks, start, length).ok_or(Refusal::NoMemory)?;
        drop(memory);
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
        let mut memory = self.session.target().memory()?;
        done(data.is_empty() || is_within(start, length) && memory.write(start, data))
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
        let length = u32::try_from(data.len()).map_err(|_| Refusal::NoMemory)?;
        let mut memory = self.session.target().memory()?;
        let is_done = data.is_empty() || is_within(start, length) && memory.program(start, data);
        drop(memory);
        self.session.flash_changed();
        done(is_done)
    }
}

/// Whether the range ends within the address space.
fn is_within(start: u32, length: u32) -> bool {
    u64::from(start) + u64::from(length) <= 1 << 32
}

fn done(done: bool) -> Answered<Answer> {
    if done {
        Ok(Answer::ok())
    } else {
        Err(Refusal::NoMemory)
    }
}
