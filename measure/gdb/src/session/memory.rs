//! Memory as a debugger sees it.

use std::ops::Range;

use machine::target::{Memory, TargetError};
use machine::{Architecture, Board};

use super::Session;

/// The private peripheral bus of a Cortex-M (ARMv7-M ARM B3.1.1).
const PRIVATE: Range<u64> = 0xe000_0000..0xe010_0000;

/// Address ranges of device and core registers, some of which may not be modelled.
pub(super) fn register_blocks(board: &Board) -> Vec<Range<u64>> {
    let devices = board
        .device_ranges()
        .filter(|(base, _)| board.block_at(*base).is_none());
    let devices = devices.map(|(base, size)| u64::from(base)..u64::from(base) + u64::from(size));
    let of_core = (board.core().architecture() == Architecture::Arm).then_some(PRIVATE);
    devices.chain(of_core).collect()
}

/// The result of reading a range.
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// Addresses of unmodelled words, which `bytes` shows as zero.
    pub(crate) holes: Vec<u32>,
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

impl Session {
    /// Reads at most `length` bytes, up to the first unmapped address; `None` if nothing can be read.
    pub(crate) fn read_memory(&mut self, start: u32, length: u32) -> Result<Option<Block>, TargetError> {
        let length = length.min((u32::MAX - start).saturating_add(1));
        let memory = self.bench.target().memory()?;
        Ok(block(&*memory, &self.register_blocks, start, length))
    }

    /// Writes memory or registers; false if some of the range is neither, or is read-only.
    pub(crate) fn write_memory(&mut self, start: u32, data: &[u8]) -> Result<bool, TargetError> {
        let mut memory = self.bench.target().memory()?;
        Ok(data.is_empty() || is_within(start, data) && memory.write(start, data))
    }

    /// Writes memory, flash included, and drops the history, which does not hold what the flash was before.
    pub(crate) fn program_memory(&mut self, start: u32, data: &[u8]) -> Result<bool, TargetError> {
        let mut memory = self.bench.target().memory()?;
        let is_done = data.is_empty() || is_within(start, data) && memory.program(start, data);
        drop(memory);
        self.flash_changed();
        Ok(is_done)
    }

    /// Reads a word; `None` if it is not memory or a register.
    pub(crate) fn word(&mut self, address: u32) -> Option<u32> {
        let mut bytes = [0; 4];
        let memory = self.bench.target().memory().ok()?;
        memory
            .read(address, &mut bytes)
            .then(|| u32::from_le_bytes(bytes))
    }

    /// Enables the cycle counter of an ARMv7-M core, if the program is at reset, so that a user can read it before the program does so.
    pub(crate) fn enable_cycle_counter(&mut self) {
        const DEMCR: u32 = 0xe000_edfc;
        const DWT_CTRL: u32 = 0xe000_1000;
        let arm = self.target().board().core().architecture() == Architecture::Arm;
        if !arm || self.cycle() != 0 && self.target().instructions() != 0 {
            return;
        }
        if let Ok(mut memory) = self.target().memory() {
            // ARMv6-M has no such counter.
            let _ = memory.write(DEMCR, &(1u32 << 24).to_le_bytes())
                && memory.write(DWT_CTRL, &1u32.to_le_bytes());
        }
    }
}

/// Whether data at this address ends within the address space.
fn is_within(start: u32, data: &[u8]) -> bool {
    u64::from(start) + data.len() as u64 <= 1 << 32
}
