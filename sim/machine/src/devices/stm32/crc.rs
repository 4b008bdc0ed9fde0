//! ST's CRC unit: with a fixed polynomial (RM0090 chapter 4), or one of 7, 8, 16 or 32 bits and bits in reverse (RM0394 14, RM0440 16).
//!
//! A calculation takes no time here. On a chip a word takes four cycles, and the core waits for them only if it reads the result at once (mark D).

use bus::{Device, DeviceError};
use serde::Deserialize;

use crate::devices::block::{Access, Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Settings, not_modelled};

about! { Crc by CrcSettings, D,
    "RM0090 4; RM0394 14; RM0440 16",
    "CRC of any polynomial where it can be chosen",
    "the time of a calculation"
}

registers! { Crc;
    DR   = 0x00 .shows(|crc, _| crc.result()).tries(Crc::feed);
    IDR  = 0x04 .write(!0).then(|crc, _| if !crc.programmable { crc.regs[IDR] &= 0xff });
    CR   = 0x08 .write(0xf8).strobe(RESET).then(Crc::control);
    INIT = 0x10 .reset(!0).write(!0).then(|crc, _| crc.restart());
    POL  = 0x14 .reset(0x04c1_1db7).write(!0);
}

const RESET: u32 = 1 << 0;

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
    regs: Regs<Self>,
    programmable: bool,
    value: u32,
}

impl Crc {
    fn new(programmable: bool) -> Crc {
        Crc {
            regs: Regs::default(),
            programmable,
            value: u32::MAX,
        }
    }

    /// Bits of the polynomial: CR.POLYSIZE.
    fn width(&self) -> u32 {
        [32, 16, 8, 7][(self.regs[CR] >> 3 & 3) as usize]
    }

    fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.width())
    }

    fn restart(&mut self) {
        self.value = self.regs[INIT] & self.mask();
    }

    fn control(&mut self, write: Write) {
        if !self.programmable {
            self.regs[CR] = 0;
        }
        if write.value & RESET != 0 {
            self.restart();
        }
    }

    /// Takes data, as many bytes as were written.
    fn feed(
        &mut self,
        Write {
            value, size, byte, ..
        }: Write,
    ) -> Result<(), DeviceError> {
        if byte != 0 || size != 4 && !self.programmable {
            return not_modelled(format!("DR, a write of {size} bytes at offset {byte:#x}"));
        }
        let data = reversed(value, size, self.regs[CR] >> 5 & 3);
        let top = 1 << (self.width() - 1);
        for bit in (0..8 * size).rev() {
            let carry = (self.value & top != 0) != (data >> bit & 1 != 0);
            self.value = self.value << 1 & self.mask();
            if carry {
                self.value ^= self.regs[POL] & self.mask();
            }
        }
        Ok(())
    }

    fn result(&self) -> u32 {
        if self.regs[CR] & 1 << 7 == 0 {
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

impl Peripheral for Crc {
    const ACCESS: Access = Access::Merged;

    fn bank(&self, offset: u32) -> u32 {
        if offset >= INIT && !self.programmable {
            u32::MAX
        } else {
            offset
        }
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
            check(1 << 5 | 1 << 7, u32::MAX, 0x04c1_1db7) ^ u32::MAX,
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
