//! ST's CRC unit: with a fixed polynomial (RM0090 chapter 4), or one of 7, 8, 16 or 32 bits and bits in reverse (RM0394 14, RM0440 16).
//!
//! A calculation takes no time here; the manual's four cycles for a word hold the core up only when it reads at once (mark D).

use bus::{Device, DeviceError};
use serde::Deserialize;

use crate::devices::words::part;
use crate::devices::{Around, Settings, not_modelled};

const DR: u32 = 0x00;
const IDR: u32 = 0x04;
const CR: u32 = 0x08;
const INIT: u32 = 0x10;
const POL: u32 = 0x14;

const RESET: u32 = 1 << 0;
const POLYNOMIAL: u32 = 0x04c1_1db7;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CrcSettings {
    /// Whether the program can choose polynomial, width and direction.
    #[serde(default)]
    programmable: bool,
}

impl Settings for CrcSettings {
    fn device(&self, _: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(Crc::new(self.programmable)))
    }
}

/// The unit.
#[derive(Clone)]
pub(crate) struct Crc {
    programmable: bool,
    value: u32,
    held: u32,
    control: u32,
    initial: u32,
    polynomial: u32,
}

impl Crc {
    fn new(programmable: bool) -> Crc {
        Crc {
            programmable,
            value: u32::MAX,
            held: 0,
            control: 0,
            initial: u32::MAX,
            polynomial: POLYNOMIAL,
        }
    }

    /// Bits of the polynomial: CR.POLYSIZE.
    fn width(&self) -> u32 {
        [32, 16, 8, 7][(self.control >> 3 & 3) as usize]
    }

    fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.width())
    }

    /// Takes so many bytes of data.
    fn take(&mut self, data: u32, size: u32) {
        let data = reversed(data, size, self.control >> 5 & 3);
        let top = 1 << (self.width() - 1);
        for bit in (0..8 * size).rev() {
            let carry = (self.value & top != 0) != (data >> bit & 1 != 0);
            self.value = self.value << 1 & self.mask();
            if carry {
                self.value ^= self.polynomial & self.mask();
            }
        }
    }

    fn result(&self) -> u32 {
        if self.control & 1 << 7 == 0 {
            self.value
        } else {
            self.value.reverse_bits() >> (32 - self.width())
        }
    }
}

/// `CR.REV_IN`: bits in reverse within bytes, halfwords or words.
fn reversed(data: u32, size: u32, within: u32) -> u32 {
    let all = data.reverse_bits();
    let reversed = match (within, size) {
        (0, _) => return data,
        (1, 4) => all.swap_bytes(),
        (1, 2) => all.swap_bytes() << 16,
        (2, 4) => all.rotate_right(16),
        _ => all,
    };
    reversed >> (32 - 8 * size)
}

impl Device for Crc {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        let word = match offset & !3 {
            DR => self.result(),
            IDR => self.held,
            CR => self.control,
            INIT if self.programmable => self.initial,
            POL if self.programmable => self.polynomial,
            register => return not_modelled(format!("a read of offset {register:#x}")),
        };
        Ok(part(word, offset, size))
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match offset {
            DR if size == 4 || self.programmable => self.take(value, size),
            IDR if self.programmable => self.held = value,
            IDR => self.held = value & 0xff,
            CR => {
                self.control = if self.programmable { value & 0xf8 } else { 0 };
                if value & RESET != 0 {
                    self.value = self.initial & self.mask();
                }
            }
            INIT if self.programmable => {
                self.initial = value;
                self.value = value & self.mask();
            }
            POL if self.programmable => self.polynomial = value,
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_gives_what_the_chip_gives() {
        // The CRC that ST's application note AN4187 gives for this word.
        let mut crc = Crc::new(false);
        crc.write(CR, 4, RESET, 0).unwrap();
        crc.write(DR, 4, 0x1234_5678, 0).unwrap();
        assert_eq!(crc.read(DR, 4, 0), Ok(0xdf8a_8a2b));
    }

    /// The check values of the catalogue of parametrised CRC algorithms, of "123456789".
    #[test]
    fn known_algorithms_have_their_check_values() {
        let check = |control: u32, initial: u32, polynomial: u32| {
            let mut crc = Crc::new(true);
            for (offset, value) in [(POL, polynomial), (INIT, initial), (CR, control | RESET)] {
                crc.write(offset, 4, value, 0).unwrap();
            }
            for byte in *b"123456789" {
                crc.write(DR, 1, byte.into(), 0).unwrap();
            }
            crc.read(DR, 4, 0).unwrap()
        };
        assert_eq!(
            check(1 << 5 | 1 << 7, u32::MAX, POLYNOMIAL) ^ u32::MAX,
            0xcbf4_3926,
            "CRC-32"
        );
        assert_eq!(check(1 << 3, 0xffff, 0x1021), 0x29b1, "CRC-16/IBM-3740");
        assert_eq!(check(2 << 3, 0, 0x07), 0xf4, "CRC-8/SMBUS");
        assert_eq!(check(3 << 3, 0, 0x09), 0x75, "CRC-7/MMC");
    }

    #[test]
    fn bits_are_reversed_within_what_was_chosen() {
        assert_eq!(reversed(0x8000_0001, 4, 3), 0x8000_0001);
        assert_eq!(reversed(0x0000_0001, 4, 2), 0x0000_8000);
        assert_eq!(reversed(0x0000_0001, 4, 1), 0x0000_0080);
        assert_eq!(reversed(0x0102, 2, 1), 0x8040);
        assert_eq!(reversed(0x01, 1, 3), 0x80);
    }
}
