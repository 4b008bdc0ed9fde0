//! Memory that the program itself changes by programming and erasing: flash, and the words of configuration beside it.
//!
//! A controller on the bus says when stores program ([`Effect::Programming`]) and what is erased ([`Effect::Erase`]). Programming clears bits, and
//! erasing sets them.

use crate::{Bus, BusError, Effect};

/// Bytes that are programmed at once.
const WORD: u32 = 4;

impl Bus {
    /// Programs a word of flash.
    pub(crate) fn program(
        &mut self,
        memory: usize,
        address: u32,
        size: u32,
        value: u32,
        now: u64,
    ) -> Result<(), BusError> {
        if size != WORD {
            return Err(BusError::ReadOnly);
        }
        self.memories[memory].program(address, value);
        self.code_changed = true;
        self.tell(Effect::Programmed, now)
    }

    /// Erases what a controller says.
    pub(crate) fn erase(&mut self, effect: Effect) {
        let Effect::Erase { address, size } = effect else {
            return;
        };
        for memory in self.memories.iter_mut().filter(|memory| memory.is_programmable()) {
            memory.erase(address, size);
        }
        self.code_changed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Memory, Region};

    fn bus() -> Bus {
        let mut bus = Bus::new();
        bus.add_memory(Memory::rom(Region::new("flash", 0, 0x2000)).programmable());
        bus.add_memory(Memory::rom(Region::new("rom", 0x8000, 0x1000)));
        bus
    }

    #[test]
    fn programming_clears_bits_and_erasing_sets_them() {
        let mut bus = bus();
        bus.load(0x1000, &[0xff, 0xff, 0xff, 0x0f]);
        assert_eq!(bus.write(0x1000, 4, 0x1234_5678, 0), Err(BusError::ReadOnly));
        bus.set(Effect::Programming(true));
        bus.write(0x1000, 4, 0x5678_1234, 0).unwrap();
        assert_eq!(bus.peek_word(0x1000), Some(0x0678_1234));
        assert_eq!(bus.write(0x1004, 1, 0, 0), Err(BusError::ReadOnly), "words alone");
        assert_eq!(bus.write(0x8000, 4, 0, 0), Err(BusError::ReadOnly));
        let address = 0x1000;
        bus.set(Effect::Erase {
            address,
            size: 0x1000,
        });
        assert_eq!(bus.peek_word(0x1000), Some(u32::MAX));
        assert!(bus.take_code_changed());
    }

    #[test]
    fn a_snapshot_has_what_was_programmed() {
        let mut bus = bus();
        bus.load(0, &[1, 2, 3, 4]);
        let loaded = bus.snapshot();
        bus.set(Effect::Programming(true));
        bus.write(0x10, 4, 0x55, 0).unwrap();
        let programmed = bus.snapshot();
        let (address, size) = (0, u32::MAX);
        bus.set(Effect::Erase { address, size });
        bus.restore(&programmed);
        assert_eq!(
            (bus.peek_word(0), bus.peek_word(0x10)),
            (Some(0x0403_0201), Some(0x55))
        );
        bus.restore(&loaded);
        assert_eq!(
            (bus.peek_word(0), bus.peek_word(0x10)),
            (Some(0x0403_0201), Some(u32::MAX))
        );
        assert_eq!(bus.write(0x10, 4, 0, 0), Err(BusError::ReadOnly));
    }
}
