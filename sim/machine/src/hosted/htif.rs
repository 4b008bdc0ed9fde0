//! The host-target interface of RISC-V's own simulator (riscv-isa-sim, `fesvr/htif.cc`): the programs of riscv-tests end by a store
//! to `tohost`.
//!
//! An odd value ends the program; the exit code is above bit 0. An even one is the address of a proxy kernel system call, of which `write`
//! and `exit` are supported; the answer goes to the same place, and a one to `fromhost`.

use super::{Heard, Put};
use crate::channel::Channel;
use crate::processor::Processor;

/// Number of `write` among the calls of the proxy kernel.
const WRITE: u32 = 64;
/// Number of `exit`.
const EXIT: u32 = 93;
/// The most bytes of one `write`.
const LONGEST: u32 = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Htif {
    tohost: u32,
    fromhost: Option<u32>,
}

impl Htif {
    pub(super) fn new(tohost: u32, fromhost: Option<u32>) -> Htif {
        Htif { tohost, fromhost }
    }

    /// The lower of the two words; the upper one is zero.
    pub(super) fn words(&self) -> (u32, u32) {
        (self.tohost, self.tohost.saturating_add(3))
    }

    pub(super) fn look(&self, processor: &mut dyn Processor, put: &mut Vec<Put>) -> Heard {
        match processor.bus().peek_word(self.tohost) {
            None | Some(0) => Heard::Nothing,
            Some(value) if value & 1 != 0 => Heard::Exit(value >> 1),
            Some(block) => self.call(block, processor, put),
        }
    }

    fn call(&self, block: u32, processor: &mut dyn Processor, put: &mut Vec<Put>) -> Heard {
        // Eight 64-bit words: the number of the call and its arguments.
        let argument = |index: u32| processor.bus().peek_word(block.wrapping_add(8 * index));
        let words = [argument(0), argument(2), argument(3)];
        let [Some(call), Some(address), Some(length)] = words else {
            return Heard::NotModelled(format!(
                "HTIF: {block:#010x} in `tohost` is neither an exit code nor the address of a call"
            ));
        };
        match call {
            EXIT => return Heard::Exit(argument(1).unwrap_or(0)),
            WRITE => {}
            other => return Heard::NotModelled(format!("HTIF: system call {other} of the proxy kernel")),
        }
        let mut bytes = vec![0; length.min(LONGEST) as usize];
        if !processor.bus().peek(address, &mut bytes) {
            return Heard::NotModelled(format!(
                "HTIF: a write of {length} bytes at {address:#010x}, outside memory"
            ));
        }
        put.push((Channel::Semihosting, bytes));
        processor.write_memory(block, &length.min(LONGEST).to_le_bytes());
        processor.write_memory(self.tohost, &[0; 8]);
        if let Some(fromhost) = self.fromhost {
            processor.write_memory(fromhost, &1u64.to_le_bytes());
        }
        Heard::Nothing
    }
}
