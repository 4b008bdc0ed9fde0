//! How accesses are answered where nothing is modelled: in a range that the user allows, and in a register that only a stub stands for.

use std::str::FromStr;

use serde::Deserialize;

/// How accesses to an allowed range are answered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub enum Policy {
    /// Reads give zero; writes are ignored.
    #[default]
    Zero,
    /// Every access is a bus error, so the program takes a fault.
    Fault,
    /// Reads give the last value written, initially zero.
    Held,
    /// Reads alternately give all bits set and all clear, which ends every loop that waits for a bit.
    Toggles,
    /// Reads give this word; writes are ignored.
    Value(u32),
}

/// The form in a board file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Word(u32),
    Name(String),
}

impl TryFrom<Written> for Policy {
    type Error = String;

    fn try_from(written: Written) -> Result<Policy, String> {
        match written {
            Written::Word(value) => Ok(Policy::Value(value)),
            Written::Name(name) => name.parse(),
        }
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(name: &str) -> Result<Policy, String> {
        match name {
            "zero" => Ok(Policy::Zero),
            "fault" => Ok(Policy::Fault),
            "held" => Ok(Policy::Held),
            "toggles" => Ok(Policy::Toggles),
            other => number(other)
                .and_then(|value| u32::try_from(value).ok())
                .map(Policy::Value)
                .ok_or_else(|| format!("`{other}` is neither `zero`, `fault`, `held`, `toggles` nor a word")),
        }
    }
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

/// A number in decimal or, after `0x`, in hexadecimal; `_` may separate digits.
pub(crate) fn number(word: &str) -> Option<u64> {
    let digits = word.trim().replace('_', "");
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}
