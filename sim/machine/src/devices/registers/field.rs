//! A field of a register, written as in a manual: `CFGR[3:2]`, `CR[17]`.

use super::Register;

/// Some bits of one register of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Field {
    /// Index of the register in the block's list.
    pub(super) register: usize,
    low: u8,
    width: u8,
}

impl Field {
    /// Reads `NAME[bit]` or `NAME[high:low]`.
    ///
    /// # Errors
    /// Parses a field; the error is a message.
    pub(super) fn parse(text: &str, registers: &[Register]) -> Result<Field, String> {
        let form = || format!("`{text}`: a field is written like CR[17] or CFGR[3:2]");
        let (name, bits) = text
            .strip_suffix(']')
            .and_then(|text| text.split_once('['))
            .ok_or_else(form)?;
        let (high, low) = bits.split_once(':').unwrap_or((bits, bits));
        let number = |text: &str| text.parse::<u8>().ok().filter(|&bit| bit < 32);
        let (high, low) = number(high).zip(number(low)).ok_or_else(form)?;
        if high < low {
            return Err(form());
        }
        let register = registers.iter().position(|register| register.name == name);
        let register = register.ok_or_else(|| format!("`{text}`: the list has no register {name}"))?;
        Ok(Field {
            register,
            low,
            width: high - low + 1,
        })
    }

    /// A whole register.
    pub(super) fn whole(register: usize) -> Field {
        Field {
            register,
            low: 0,
            width: 32,
        }
    }

    /// All of its bits.
    pub(super) fn ones(self) -> u32 {
        u32::MAX >> (32 - u32::from(self.width))
    }

    /// Its mask in the register.
    pub(super) fn mask(self) -> u32 {
        self.ones() << self.low
    }

    pub(super) fn width(self) -> u8 {
        self.width
    }

    pub(super) fn get(self, values: &[u32]) -> u32 {
        values[self.register] >> self.low & self.ones()
    }

    /// The register's value with this field changed.
    pub(super) fn put(self, register: u32, value: u32) -> u32 {
        register & !self.mask() | value << self.low & self.mask()
    }
}
