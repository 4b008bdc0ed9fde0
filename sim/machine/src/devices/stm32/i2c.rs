//! ST's I2C as a master: the older one (RM0041 chapter 22, RM0090 27) and the later one (RM0394 39, RM0440 41).
//!
//! On its bus are the devices that the board file names (`targets`): each acknowledges its address, and is a memory of 256 bytes with a pointer
//! that the first byte of a write sets, as the registers of most sensors are. Bytes that stimuli give (`I2C1@0=\x12\x34`) are
//! read before those. Without a target nobody acknowledges. The role of a slave, ten-bit addresses and `SMBus` are not modelled.

mod later;
mod older;

pub(crate) use later::LaterSettings;
pub(crate) use older::OlderSettings;

use std::collections::VecDeque;

use bus::{DeviceError, Incoming};

use crate::devices::not_modelled;

/// Clocks of a byte with its acknowledgement.
const BYTE: u64 = 9;

/// What is on a bus.
#[derive(Clone, Default)]
struct Targets {
    all: Vec<Target>,
    /// What stimuli gave to be read.
    answers: VecDeque<u8>,
    addressed: Option<usize>,
    /// The next byte that is written is the pointer.
    sets_pointer: bool,
}

#[derive(Clone)]
struct Target {
    address: u8,
    bytes: [u8; 256],
    pointer: u8,
}

impl Targets {
    fn new(addresses: &[u8]) -> Result<Targets, String> {
        if addresses.iter().any(|&address| address > 0x7f) {
            return Err("`targets` are addresses of seven bits".into());
        }
        let target = |&address: &u8| Target {
            address,
            bytes: [0; 256],
            pointer: 0,
        };
        Ok(Targets {
            all: addresses.iter().map(target).collect(),
            ..Targets::default()
        })
    }

    /// Whether somebody acknowledges this address.
    fn address(&mut self, address: u8) -> bool {
        self.addressed = self.all.iter().position(|target| target.address == address);
        self.sets_pointer = true;
        self.addressed.is_some()
    }

    fn write(&mut self, byte: u8) {
        let Some(target) = self.addressed.map(|index| &mut self.all[index]) else {
            return;
        };
        if std::mem::take(&mut self.sets_pointer) {
            target.pointer = byte;
        } else {
            target.bytes[usize::from(target.pointer)] = byte;
            target.pointer = target.pointer.wrapping_add(1);
        }
    }

    fn read(&mut self) -> u8 {
        let Some(target) = self.addressed.map(|index| &mut self.all[index]) else {
            return 0xff;
        };
        self.answers.pop_front().unwrap_or_else(|| {
            let byte = target.bytes[usize::from(target.pointer)];
            target.pointer = target.pointer.wrapping_add(1);
            byte
        })
    }

    fn stimulate(&mut self, input: &Incoming) -> Result<(), DeviceError> {
        let Incoming::Bytes(bytes) = input else {
            return not_modelled("it takes the bytes that are read next");
        };
        self.answers.extend(bytes);
        Ok(())
    }
}
