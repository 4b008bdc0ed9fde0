//! Inspection of a bus without side effects.

use crate::{Bus, Memory, Region};

impl Bus {
    /// The region that answers at `address`, if any.
    pub fn region(&self, address: u32) -> Option<&Region> {
        let memory = self.find_memory(address, 1).map(Memory::region);
        memory.or_else(|| {
            self.device_map
                .find(address)
                .map(|index| &self.devices[index].region)
        })
    }

    /// Copies memory at `address` into `into` without side effects; false if any byte is not memory.
    pub fn peek(&self, address: u32, into: &mut [u8]) -> bool {
        let mut done = 0;
        while done < into.len() {
            let address = address.wrapping_add(done as u32);
            let Some(memory) = self.find_memory(address, 1) else {
                return false;
            };
            let rest = &mut into[done..];
            let length = rest.len().min(self.reach(memory, address));
            rest[..length].copy_from_slice(memory.slice(address, length));
            done += length;
        }
        true
    }

    /// The halfword at `address` without side effects, if it is memory.
    pub fn peek_halfword(&self, address: u32) -> Option<u16> {
        let mut bytes = [0; 2];
        self.peek(address, &mut bytes).then(|| u16::from_le_bytes(bytes))
    }

    /// The word at `address` without side effects, if it is memory.
    pub fn peek_word(&self, address: u32) -> Option<u32> {
        let mut bytes = [0; 4];
        self.peek(address, &mut bytes).then(|| u32::from_le_bytes(bytes))
    }

    /// Inverts these bits of what is read at this address of a device, or of nothing any more: to find out what a program that reads it
    /// would do then. The device does not change.
    pub fn invert(&mut self, bits: Option<(u32, u32)>) {
        self.inverted = bits;
    }

    /// The name of the register at `address`, as the device there calls it.
    pub fn register_name(&self, address: u32) -> Option<String> {
        let mapped = &self.devices[self.device_map.find(address)?];
        mapped.device.register_name(address - mapped.region.base)
    }

    /// Whether a stand-in for unmodelled hardware answers at `address`.
    pub fn is_stand_in(&self, address: u32) -> bool {
        let index = self.device_map.find(address);
        index.is_some_and(|index| self.devices[index].device.is_stand_in())
    }
}
