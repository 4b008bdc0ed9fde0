//! A peripheral of which only the registers are known: see [`crate::board::StubEntry`].

use std::collections::BTreeMap;
use std::sync::Arc;

use bus::{Device, DeviceError};

use super::not_modelled;
use crate::policy::Read;
use crate::svd::Register;

/// Answers as it is told, where there is a register.
#[derive(Clone)]
pub(crate) struct Stub {
    read: Read,
    /// By their offsets.
    words: Arc<BTreeMap<u32, Word>>,
    /// Written values that differ from the reset value.
    written: BTreeMap<u32, u32>,
    /// Whether the next read of a toggling register gives all ones.
    high: bool,
}

/// Four bytes of registers.
#[derive(Clone, Copy, Default)]
struct Word {
    /// Bits that belong to a register.
    there: u32,
    reset: u32,
    writable: u32,
    clears: u32,
}

impl Stub {
    /// These registers, whose offsets count from `base`.
    pub(crate) fn new<'a>(registers: impl Iterator<Item = &'a Register>, base: u32, read: Read) -> Stub {
        let mut words = BTreeMap::<u32, Word>::new();
        for register in registers {
            for number in 0..register.bytes {
                let at = (register.offset - base).saturating_add(number);
                let (from, to) = (8 * number, 8 * (at & 3));
                let word = words.entry(at & !3).or_default();
                let part = |value: u64| ((value >> from & 0xff) as u32) << to;
                // If several descriptions cover a byte, the first gives its reset value.
                if word.there & 0xff << to == 0 {
                    word.reset |= part(register.reset);
                }
                word.there |= 0xff << to;
                word.writable |= part(register.writable);
                word.clears |= part(register.clears);
            }
        }
        Stub {
            read,
            words: Arc::new(words),
            written: BTreeMap::new(),
            high: true,
        }
    }

    /// The word around an access, if registers have all of it.
    fn word(&self, offset: u32, size: u32) -> Result<Word, DeviceError> {
        let part = u32::MAX >> (32 - 8 * size) << (8 * (offset & 3));
        match self.words.get(&(offset & !3)) {
            // Chips of 32 bits answer a word where a narrower register is.
            Some(word) if word.there & part != 0 => Ok(*word),
            _ => not_modelled(format!(
                "offset {offset:#x}, a register that the SVD file does not list"
            )),
        }
    }
}

impl Device for Stub {
    fn takes_parts(&self) -> bool {
        true
    }

    fn is_stand_in(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _: u64) -> Result<u32, DeviceError> {
        let word = self.word(offset, size)?;
        let value = match self.read {
            Read::Reset => word.reset,
            Read::LastWritten => self.written.get(&(offset & !3)).copied().unwrap_or(word.reset),
            Read::Value(value) => value,
            Read::Toggles => {
                self.high = !self.high;
                if self.high { 0 } else { u32::MAX }
            }
        };
        Ok(value >> (8 * (offset & 3)) & u32::MAX >> (32 - 8 * size))
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _: u64) -> Result<(), DeviceError> {
        let word = self.word(offset, size)?;
        if self.read == Read::LastWritten {
            let shift = 8 * (offset & 3);
            let part = u32::MAX >> (32 - 8 * size) << shift;
            let (value, writable) = (value << shift & part, word.writable & part);
            let held = self.written.entry(offset & !3).or_insert(word.reset);
            *held = (*held & !writable | value & writable) & !(value & word.clears);
        }
        Ok(())
    }
}
