//! Accesses of bytes and half words to devices whose registers are words.

use crate::{Device, DeviceError};

/// A mask of `size` bytes.
fn mask(size: u32) -> u32 {
    u32::MAX >> (32 - 8 * size)
}

/// A read of 1, 2 or 4 bytes: of a device of words, the part of the word that holds them.
pub(crate) fn read(device: &mut dyn Device, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
    if size == 4 || device.takes_parts() {
        return device.read(offset, size, now);
    }
    let word = device.read(offset & !3, 4, now)?;
    Ok(word >> (8 * (offset & 3)) & mask(size))
}

/// A write: a device of words takes the lowest bytes of a register alone, as the whole of it.
pub(crate) fn write(
    device: &mut dyn Device,
    offset: u32,
    size: u32,
    value: u32,
    now: u64,
) -> Result<(), DeviceError> {
    if size == 4 || device.takes_parts() {
        return device.write(offset, size, value, now);
    }
    if offset & 3 != 0 {
        return Err(DeviceError::NotModelled(format!(
            "a write of {size} bytes to offset {offset:#x}, within a register"
        )));
    }
    device.write(offset, size, value & mask(size), now)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One word; its register is the one at 8.
    #[derive(Clone)]
    struct Word(u32);

    impl Device for Word {
        fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
            assert_eq!(offset, 8);
            Ok(self.0)
        }

        fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
            assert_eq!(offset, 8);
            self.0 = value;
            Ok(())
        }
    }

    #[test]
    fn a_part_of_a_word_is_read_where_it_is_and_written_at_its_start_alone() {
        let mut word = Word(0x1122_3344);
        let mut part = |offset, size| read(&mut word, offset, size, 0);
        assert_eq!(
            [8, 9, 10, 11].map(|offset| part(offset, 1)),
            [0x44, 0x33, 0x22, 0x11].map(Ok)
        );
        assert_eq!([8, 10].map(|offset| part(offset, 2)), [0x3344, 0x1122].map(Ok));
        assert_eq!(part(8, 4), Ok(0x1122_3344));
        for offset in [9, 10, 11] {
            assert!(write(&mut word, offset, 1, 5, 0).is_err(), "{offset}");
        }
        write(&mut word, 8, 1, 0x1234_56ab, 0).unwrap();
        assert_eq!(word.0, 0xab);
    }
}
