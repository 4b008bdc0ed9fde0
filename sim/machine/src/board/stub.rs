//! The user's additions to a board: stubs for unmodelled registers of an SVD file, and scripts that drive inputs.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use bus::Region;
use serde::Deserialize;
use toml::Spanned;

use super::allow::number;
use super::check::{Checker, MOST as MOST_PERIPHERALS};
use super::{Board, BoardError};
use crate::devices::{Script, Stub};
use crate::host::Files;
use crate::restart::OnReset;
use crate::svd::{Peripheral, Svd};

/// The most stubbed peripherals.
const MOST: usize = 1000;
/// The name that stands for all peripherals.
const ALL: &str = "*";

/// A register or peripheral to stub, and the values that it returns.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StubEntry {
    /// A peripheral of the SVD file, or `*` for all.
    pub peripheral: String,
    /// One of its registers; by default, all.
    pub register: Option<String>,
    /// The values that reads return.
    #[serde(default)]
    pub read: Read,
}

/// The values that reads of a stubbed register return.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub enum Read {
    /// The reset value.
    Reset,
    /// The last value written to the writable bits, initially the reset value.
    #[default]
    LastWritten,
    /// All bits set and all clear alternately.
    Toggles,
    /// This word.
    Value(u32),
}

/// The form in a board file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Word(u32),
    Name(String),
}

impl TryFrom<Written> for Read {
    type Error = String;

    fn try_from(written: Written) -> Result<Read, String> {
        match written {
            Written::Word(value) => Ok(Read::Value(value)),
            Written::Name(name) => name.parse(),
        }
    }
}

impl FromStr for Read {
    type Err = String;

    fn from_str(name: &str) -> Result<Read, String> {
        match name {
            "reset" => Ok(Read::Reset),
            "last written" => Ok(Read::LastWritten),
            "toggles" => Ok(Read::Toggles),
            other => number(other)
                .and_then(|value| u32::try_from(value).ok())
                .map(Read::Value)
                .ok_or_else(|| format!("`{other}` is neither `reset`, `last written`, `toggles` nor a word")),
        }
    }
}

impl FromStr for StubEntry {
    type Err = String;

    /// Parses `I2C1` or `I2C1.SR1`, optionally followed by `=reset`, `=toggles` or `=0x12`.
    fn from_str(text: &str) -> Result<StubEntry, String> {
        let (name, read) = match text.split_once('=') {
            None => (text, Read::default()),
            Some((name, read)) => (name, read.parse()?),
        };
        let (peripheral, register) = match name.split_once('.') {
            None => (name, None),
            Some((peripheral, register)) => (peripheral, Some(register.to_owned())),
        };
        if peripheral.is_empty() || register.as_ref().is_some_and(String::is_empty) {
            return Err("a peripheral, or `PERIPHERAL.REGISTER`, comes first".into());
        }
        let peripheral = peripheral.to_owned();
        Ok(StubEntry {
            peripheral,
            register,
            read,
        })
    }
}

/// The user's description of a chip beyond its board file.
#[derive(Clone, Default, Debug)]
pub struct Described {
    /// The SVD file.
    pub svd: Option<PathBuf>,
    /// The stubs.
    pub stubs: Vec<StubEntry>,
    /// Scripts that drive the chip's inputs.
    pub scripts: Vec<PathBuf>,
    /// How a run continues after a reset of the chip.
    pub on_reset: OnReset,
}

/// A stub resolved for the bus.
#[derive(Clone)]
pub(super) struct Stubbed {
    pub(super) region: Region,
    pub(super) device: Stub,
}

impl std::fmt::Debug for Stubbed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stubbed").field(&self.region).finish()
    }
}

type Told = (String, Option<String>);

impl Board {
    /// This board with the user's SVD file, which replaces the board file's own, and the stubs and scripts.
    ///
    /// # Errors
    /// If the SVD file cannot be read, or lacks something that the stubs name.
    pub fn described(mut self, by: &Described, files: &dyn Files) -> Result<Board, BoardError> {
        if let Some(path) = &by.svd {
            self.svd = Some(Arc::new(Svd::read_from(files, path)?));
        }
        for entry in &by.stubs {
            let stubbed = self.stub(entry);
            stubbed.map_err(|(message, hint)| BoardError::Stub { message, hint })?;
        }
        for path in &by.scripts {
            self.script(path, files)?;
        }
        Ok(self.with_resets(by.on_reset))
    }

    /// Adds a script without registers, named after its file.
    fn script(&mut self, path: &Path, files: &dyn Files) -> Result<(), BoardError> {
        let wrong = |message| BoardError::Stub { message, hint: None };
        if self.peripherals.len() >= MOST_PERIPHERALS {
            let message = format!("a board has at most {MOST_PERIPHERALS} peripherals and scripts");
            return Err(wrong(message));
        }
        let device = Script::around(files, path).map_err(wrong)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        self.peripherals.push(super::Peripheral {
            region: Region::new(&*name, 0, 0),
            device: Box::new(device),
            irq: None,
        });
        Ok(())
    }

    pub(super) fn stub(&mut self, entry: &StubEntry) -> Result<(), Told> {
        let Some(svd) = self.svd.clone() else {
            let hint = "`--svd FILE`, or `svd = \"FILE\"` in the board file";
            return Err((
                format!("no SVD file says what `{}` is", entry.peripheral),
                Some(hint.into()),
            ));
        };
        if entry.peripheral != ALL {
            return self.stub_one(svd.peripheral(&entry.peripheral)?, entry);
        }
        let mut peripherals = svd.peripherals.iter();
        peripherals.try_for_each(|peripheral| self.stub_one(peripheral, entry))
    }

    fn stub_one(&mut self, peripheral: &Peripheral, entry: &StubEntry) -> Result<(), Told> {
        if self.stubs.len() == MOST {
            return Err((format!("at most {MOST} peripherals are stubbed"), None));
        }
        let name = peripheral.name.as_str();
        let stubbed = match &entry.register {
            None => Stubbed {
                region: Region::new(name, peripheral.base, peripheral.size),
                device: Stub::new(peripheral.registers.iter(), 0, entry.read),
            },
            Some(register) => {
                let register = peripheral.register(register)?;
                let base = register.offset & !3;
                let size = (register.offset + register.bytes - base).next_multiple_of(4);
                let begin = peripheral.base.wrapping_add(base);
                Stubbed {
                    region: Region::new(name, begin, size),
                    device: Stub::new(std::iter::once(register), base, entry.read),
                }
            }
        };
        // A register's stub overrides its peripheral's.
        let place = if entry.register.is_some() {
            0
        } else {
            self.stubs.len()
        };
        self.stubs.insert(place, stubbed);
        Ok(())
    }
}

impl Checker<'_> {
    /// Applies the board file's own SVD file, by its path relative to that file.
    pub(super) fn describe(
        &self,
        mut board: Board,
        svd: Option<&Spanned<String>>,
        stubs: &[Spanned<StubEntry>],
    ) -> Result<Board, BoardError> {
        if let Some(name) = svd {
            let folder = Path::new(self.file).parent().unwrap_or(Path::new(""));
            let path = folder.join(name.get_ref());
            board.svd = Some(Arc::new(Svd::read_from(self.files, &path).map_err(
                |error| match error {
                    BoardError::Unreadable { file, error } => {
                        self.error(name, format!("`{file}` cannot be read: {error}"), None)
                    }
                    other => other,
                },
            )?));
        }
        for entry in stubs {
            let stubbed = board.stub(entry.get_ref());
            stubbed.map_err(|(message, hint)| self.error(entry, message, hint))?;
        }
        Ok(board)
    }
}
