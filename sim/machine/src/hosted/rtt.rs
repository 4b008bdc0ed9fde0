//! Real-time transfer (SEGGER UM08001, 16.3): ring buffers in the program's memory, which a probe empties and fills.
//!
//! The control block is the symbol `_SEGGER_RTT`: a 16-byte mark, the numbers of up and down buffers, and six words for each buffer: name,
//! address, size, write offset, read offset, flags. The host empties an up buffer after each store to its write offset, so no buffer is
//! ever full.

use std::collections::{BTreeMap, VecDeque};

use super::Put;
use crate::channel::Channel;
use crate::processor::Processor;

const MARK: &[u8; 16] = b"SEGGER RTT\0\0\0\0\0\0";
/// The most buffers of one direction that are served.
const MOST: u32 = 16;
/// The number of buffers if the block's size is unknown: SEGGER's default.
const USUAL: u32 = 6;
/// Bytes from the block to the first buffer, and from each buffer to the next.
const HEAD: u32 = 24;
const BUFFER: u32 = 24;
/// The largest plausible buffer, in bytes.
const LARGEST: u32 = 1 << 24;

/// Offsets of a buffer's words.
const ADDRESS: u32 = 4;
const SIZE: u32 = 8;
const WRITTEN: u32 = 12;
const READ: u32 = 16;

#[derive(Clone, Debug)]
pub(super) struct Rtt {
    block: u32,
    /// The number of buffers, in both directions.
    buffers: u32,
    /// Input waiting for space in down buffers.
    down: BTreeMap<u32, VecDeque<u8>>,
}

impl Rtt {
    /// The control block at this address, whose size the symbol may give.
    pub(super) fn new(block: u32, size: u32) -> Rtt {
        let buffers = size.checked_sub(HEAD).map_or(USUAL, |size| size / BUFFER);
        Rtt {
            block,
            buffers: buffers.min(2 * MOST),
            down: BTreeMap::new(),
        }
    }

    /// The address of each buffer's write offset.
    pub(super) fn words(&self) -> impl Iterator<Item = (u32, u32)> {
        let word = |index| self.block.wrapping_add(HEAD + BUFFER * index + WRITTEN);
        (0..self.buffers).map(move |index| (word(index), word(index).saturating_add(3)))
    }

    pub(super) fn give(&mut self, channel: u32, bytes: &[u8]) {
        self.down.entry(channel).or_default().extend(bytes);
    }

    pub(super) fn look(&mut self, processor: &mut dyn Processor, put: &mut Vec<Put>) {
        let mut mark = [0; 16];
        let there = processor.bus().peek(self.block, &mut mark) && mark == *MARK;
        let word =
            |processor: &dyn Processor, at: u32| processor.bus().peek_word(self.block.wrapping_add(at));
        let (Some(ups), Some(downs), true) = (word(processor, 16), word(processor, 20), there) else {
            return;
        };
        for index in 0..ups.min(MOST) {
            let buffer = self.block.wrapping_add(HEAD + BUFFER * index);
            let bytes = Ring::at(processor, buffer).map(|ring| ring.take(processor));
            let bytes = bytes.filter(|bytes| !bytes.is_empty());
            put.extend(bytes.map(|bytes| (Channel::Rtt(index), bytes)));
        }
        for (&channel, waiting) in &mut self.down {
            let buffer = self.block.wrapping_add(HEAD + BUFFER * (ups.min(MOST) + channel));
            if channel < downs.min(MOST)
                && let Some(ring) = Ring::at(processor, buffer)
            {
                ring.fill(processor, waiting);
            }
        }
    }
}

/// One buffer.
struct Ring {
    buffer: u32,
    address: u32,
    size: u32,
    written: u32,
    read: u32,
}

impl Ring {
    /// Reads a buffer's words; `None` if it is not set up, or implausible.
    fn at(processor: &dyn Processor, buffer: u32) -> Option<Ring> {
        let word = |at: u32| processor.bus().peek_word(buffer.wrapping_add(at));
        let ring = Ring {
            buffer,
            address: word(ADDRESS)?,
            size: word(SIZE)?,
            written: word(WRITTEN)?,
            read: word(READ)?,
        };
        let sound = ring.size <= LARGEST && ring.written < ring.size && ring.read < ring.size;
        sound.then_some(ring)
    }

    /// Takes the buffer's content.
    fn take(&self, processor: &mut dyn Processor) -> Vec<u8> {
        let read = |from: u32, to: u32| {
            let mut bytes = vec![0; (to - from) as usize];
            processor.bus().peek(self.address.wrapping_add(from), &mut bytes);
            bytes
        };
        let bytes = if self.read <= self.written {
            read(self.read, self.written)
        } else {
            [read(self.read, self.size), read(0, self.written)].concat()
        };
        if !bytes.is_empty() {
            processor.write_memory(self.buffer.wrapping_add(READ), &self.written.to_le_bytes());
        }
        bytes
    }

    /// Adds as many bytes as there is space for.
    fn fill(&self, processor: &mut dyn Processor, waiting: &mut VecDeque<u8>) {
        let mut at = self.written;
        let next = |at: u32| if at + 1 == self.size { 0 } else { at + 1 };
        while next(at) != self.read
            && let Some(byte) = waiting.pop_front()
        {
            processor.write_memory(self.address.wrapping_add(at), &[byte]);
            at = next(at);
        }
        if at != self.written {
            processor.write_memory(self.buffer.wrapping_add(WRITTEN), &at.to_le_bytes());
        }
    }
}
