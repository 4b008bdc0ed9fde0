//! What is on a bus of I2C: the devices that the board file names (`targets`). Each acknowledges its address, and is a memory of 256 bytes with a
//! pointer that the first byte of a write sets, as the registers of most sensors are. Bytes that stimuli give are read before those.

use std::collections::VecDeque;

use bus::{DeviceError, Incoming};

use super::not_modelled;

/// What is on a bus.
#[derive(Clone, Default)]
pub(crate) struct Targets {
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
    pub(crate) fn new(addresses: &[u8]) -> Result<Targets, String> {
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
    pub(crate) fn address(&mut self, address: u8) -> bool {
        self.addressed = self.all.iter().position(|target| target.address == address);
        self.sets_pointer = true;
        self.addressed.is_some()
    }

    pub(crate) fn write(&mut self, byte: u8) {
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

    pub(crate) fn read(&mut self) -> u8 {
        let Some(target) = self.addressed.map(|index| &mut self.all[index]) else {
            return 0xff;
        };
        self.answers.pop_front().unwrap_or_else(|| {
            let byte = target.bytes[usize::from(target.pointer)];
            target.pointer = target.pointer.wrapping_add(1);
            byte
        })
    }

    pub(crate) fn stimulate(&mut self, input: &Incoming) -> Result<(), DeviceError> {
        let Incoming::Bytes(bytes) = input else {
            return not_modelled("it takes the bytes that are read next");
        };
        self.answers.extend(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Outside;

    #[test]
    fn they_keep_their_memory_when_their_master_is_reset() {
        let mut old = Targets::new(&[0x50]).unwrap();
        let mut new = old.clone();
        assert!(old.address(0x50));
        old.write(3);
        old.write(0xa5);
        let mut outside = Outside::default();
        outside.carry(&mut old);
        outside.carry(&mut new);
        assert!(new.address(0x50) && !old.address(0x50));
        new.write(3);
        assert_eq!(new.read(), 0xa5);
    }
}
