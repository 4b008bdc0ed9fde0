//! A chip's register descriptions: CMSIS-SVD files.
//!
//! They name unmodelled registers in messages, and give reset values for stubs ([`crate::board::StubEntry`]). They do not describe
//! behaviour, so nothing else is used.
//!
//! `roxmltree` parses the XML. The format itself is interpreted here ([`read`]) rather than by `svd-parser`, which expands lists of
//! indices without a bound: a line such as `0-4000000000` takes all memory.

mod read;

use std::path::Path;
use std::sync::Arc;

use crate::board::BoardError;
use crate::host::{self, Files};
use crate::nearest::{did_you_mean, nearest};

/// The largest file read, in bytes; those of the largest chips have 20 million.
const LARGEST: u64 = 64 << 20;
/// The most fields of a register listed in a message.
const LISTED: usize = 6;

/// The registers of a chip.
#[derive(Clone, Debug)]
pub struct Svd {
    pub(crate) file: String,
    /// The chip's name.
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) cpu: Option<Cpu>,
    pub(crate) peripherals: Vec<Peripheral>,
    /// The names of its interrupts, by number.
    pub(crate) interrupts: Vec<(u32, String)>,
}

/// The file's description of the core.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cpu {
    /// Such as `CM4`.
    pub(crate) name: String,
    pub(crate) revision: String,
    pub(crate) priority_bits: Option<u64>,
    pub(crate) interrupts: Option<u64>,
    pub(crate) mpu: bool,
    pub(crate) fpu: bool,
}

/// A peripheral.
#[derive(Clone, Debug)]
pub struct Peripheral {
    /// Its name, such as `USART1`.
    pub name: String,
    pub(crate) description: String,
    /// Its first address.
    pub base: u32,
    /// Size in bytes, at least 1.
    pub(crate) size: u32,
    /// The registers, ordered by offset.
    pub registers: Arc<[Register]>,
}

/// A register.
#[derive(Clone, Debug)]
pub struct Register {
    /// The name, including clusters: `CH0.CTRL`.
    pub name: String,
    pub(crate) description: String,
    /// Bytes from the base of its peripheral.
    pub offset: u32,
    /// Size in bytes: 1, 2, 4 or 8.
    pub bytes: u32,
    pub(crate) reset: u64,
    /// Bits that writes change.
    pub(crate) writable: u64,
    /// Write-one-to-clear bits.
    pub(crate) clears: u64,
    /// Its fields.
    pub fields: Arc<[Field]>,
}

/// A field of a register.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its lowest bit.
    pub low: u32,
    /// Its number of bits.
    pub width: u32,
}

impl Field {
    /// Its value in the register's.
    pub fn of(&self, value: u64) -> u64 {
        value >> self.low & u64::MAX >> (64 - self.width)
    }
}

impl Svd {
    /// Reads a file of this computer.
    ///
    /// # Errors
    /// The errors of [`Svd::read_from`].
    #[cfg(feature = "host")]
    pub fn read(path: &Path) -> Result<Svd, BoardError> {
        Svd::read_from(&crate::host::System, path)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`BoardError::Unreadable`], or [`BoardError::Wrong`] with the line of the mistake.
    pub fn read_from(files: &dyn Files, path: &Path) -> Result<Svd, BoardError> {
        let file = path.display().to_string();
        let unreadable = |error| BoardError::Unreadable {
            file: file.clone(),
            error,
        };
        let bytes = files.read(path, LARGEST).map_err(unreadable)?;
        let text = host::text(bytes).map_err(unreadable)?;
        Svd::parse(&file, &text)
    }

    /// Parses a text; `file` is its name in messages.
    ///
    /// # Errors
    /// [`BoardError::Wrong`] with the line of the mistake.
    pub fn parse(file: &str, text: &str) -> Result<Svd, BoardError> {
        read::device(file, text)
    }

    /// The chip's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The numbers of peripherals and registers.
    pub fn counts(&self) -> (usize, usize) {
        let registers = self
            .peripherals
            .iter()
            .map(|peripheral| peripheral.registers.len());
        (self.peripherals.len(), registers.sum())
    }

    /// All peripherals, in the order of the file.
    pub fn peripherals(&self) -> &[Peripheral] {
        &self.peripherals
    }

    /// The peripheral with this name; the error suggests similar ones.
    pub(crate) fn peripheral(&self, name: &str) -> Result<&Peripheral, (String, Option<String>)> {
        let names = || self.peripherals.iter().map(|peripheral| peripheral.name.as_str());
        let mut peripherals = self.peripherals.iter();
        let found = peripherals.find(|peripheral| peripheral.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let message = format!("`{}` has no peripheral `{name}`", self.file);
            (message, did_you_mean(&nearest(name, names(), 2)))
        })
    }

    /// The peripheral and register at an address; of overlapping peripherals, one with a register there.
    fn at(&self, address: u32) -> Option<(&Peripheral, Option<&Register>)> {
        let inside = |peripheral: &&Peripheral| address.wrapping_sub(peripheral.base) < peripheral.size;
        let around = || self.peripherals.iter().filter(inside);
        let register = around().find_map(|peripheral| Some((peripheral, peripheral.at(address)?)));
        match register {
            Some((peripheral, register)) => Some((peripheral, Some(register))),
            None => around().next().map(|peripheral| (peripheral, None)),
        }
    }

    /// The address ranges of its peripherals: first address and size in bytes.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        self.peripherals
            .iter()
            .map(|peripheral| (peripheral.base, peripheral.size))
    }

    /// The description of an address: peripheral, register, and fields, with the value written.
    pub(crate) fn describe(&self, address: u32, written: Option<u64>) -> Option<String> {
        let (peripheral, register) = self.at(address)?;
        let Some(register) = register else {
            let offset = address - peripheral.base;
            return Some(format!(
                "{}, offset {offset:#x}, where {} lists no register",
                told(&peripheral.name, &peripheral.description),
                self.name
            ));
        };
        let name = format!("{}.{}", peripheral.name, register.name);
        let fields = register.fields_in_words(written);
        Some(told(&name, &register.description) + &fields)
    }

    /// The name of the register at an address: `RCC.CR`.
    pub(crate) fn name_of(&self, address: u32) -> Option<String> {
        let (peripheral, register) = self.at(address)?;
        Some(format!("{}.{}", peripheral.name, register?.name))
    }

    /// The name of the field that contains a bit; bits count from the lowest one at the address.
    pub(crate) fn field_at(&self, address: u32, bit: u32) -> Option<&str> {
        let (peripheral, register) = self.at(address)?;
        let register = register?;
        let bit = bit + 8 * (address - peripheral.base - register.offset);
        let mut fields = register.fields.iter();
        let field = fields.find(|field| (field.low..field.low + field.width).contains(&bit))?;
        Some(&field.name)
    }

    /// The name to stub so that the address answers: a register if the board models part of the peripheral, otherwise the whole
    /// peripheral.
    pub(crate) fn stub_at(&self, address: u32, whole: bool) -> Option<String> {
        let (peripheral, register) = self.at(address)?;
        match register {
            Some(register) if !whole => Some(format!("{}.{}", peripheral.name, register.name)),
            Some(_) => Some(peripheral.name.clone()),
            None => None,
        }
    }
}

impl Peripheral {
    fn at(&self, address: u32) -> Option<&Register> {
        let offset = address.wrapping_sub(self.base);
        let mut registers = self.registers.iter();
        registers.find(|register| offset.wrapping_sub(register.offset) < register.bytes)
    }

    /// The register with this name.
    pub(crate) fn register(&self, name: &str) -> Result<&Register, (String, Option<String>)> {
        let names = || self.registers.iter().map(|register| register.name.as_str());
        let mut registers = self.registers.iter();
        let found = registers.find(|register| register.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let message = format!("`{}` has no register `{name}`", self.name);
            (message, did_you_mean(&nearest(name, names(), 2)))
        })
    }
}

impl Register {
    /// `; FREQ = 8, ITERREN = 1`, or only the names if no value is known.
    fn fields_in_words(&self, written: Option<u64>) -> String {
        let words: Vec<String> = match written {
            Some(value) => {
                let set = self.fields.iter().filter(|field| field.of(value) != 0);
                set.map(|field| format!("{} = {:#x}", field.name, field.of(value)))
                    .collect()
            }
            None => self.fields.iter().map(|field| field.name.clone()).collect(),
        };
        if words.is_empty() {
            return String::new();
        }
        let more = if words.len() > LISTED { ", …" } else { "" };
        let what = if written.is_some() { "" } else { "fields " };
        let shown: Vec<_> = words.into_iter().take(LISTED).collect();
        format!("; {what}{}{more}", shown.join(", "))
    }
}

/// A name with its description, if that fits in a line.
fn told(name: &str, description: &str) -> String {
    if description.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({description})")
    }
}

#[cfg(test)]
mod tests;
