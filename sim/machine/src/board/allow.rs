//! Permission to touch what a board does not describe.

use std::str::FromStr;

use serde::Deserialize;

use super::file::size;

/// A range of addresses, and what answers there in place of the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// First address.
    pub base: u32,
    /// Length in bytes.
    #[serde(deserialize_with = "size")]
    pub size: u32,
    /// What answers.
    #[serde(default)]
    pub policy: Policy,
}

/// What answers in an allowed range.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// Reads give zero, writes are ignored.
    #[default]
    Zero,
    /// Every access is a bus error, which the program takes as a fault.
    Fault,
}

impl Allow {
    pub(crate) fn name(&self) -> &'static str {
        match self.policy {
            Policy::Zero => "allowed range",
            Policy::Fault => "range that faults",
        }
    }
}

impl FromStr for Allow {
    type Err = String;

    /// `0x40021000..0x40021400` (the end is the first address behind), or the same with `=fault`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (range, policy) = match text.split_once('=') {
            None | Some((_, "zero")) => (text.split('=').next().unwrap_or(text), Policy::Zero),
            Some((range, "fault")) => (range, Policy::Fault),
            Some((_, other)) => return Err(format!("`{other}` is neither `zero` nor `fault`")),
        };
        let form = || format!("`{text}` is not a range like 0x40021000..0x40021400");
        let (base, end) = range.split_once("..").ok_or_else(form)?;
        let number = |word: &str| number(word).ok_or_else(form);
        let (base, end) = (number(base)?, number(end)?);
        let size = end
            .checked_sub(base)
            .filter(|&size| size > 0)
            .ok_or("a range ends behind its beginning")?;
        let outside = |_| format!("`{text}` goes beyond the address space");
        let (base, size) = (
            u32::try_from(base).map_err(outside)?,
            u32::try_from(size).map_err(outside)?,
        );
        if u64::from(base) + u64::from(size) > 1 << 32 {
            return Err(format!("`{text}` goes beyond the address space"));
        }
        Ok(Allow { base, size, policy })
    }
}

fn number(word: &str) -> Option<u64> {
    let digits = word.trim().replace('_', "");
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges_as_the_message_writes_them() {
        let allow = |text: &str| text.parse::<Allow>();
        let rcc = Allow {
            base: 0x4002_1000,
            size: 0x400,
            policy: Policy::Zero,
        };
        assert_eq!(allow("0x40021000..0x40021400"), Ok(rcc));
        assert_eq!(allow("0x4002_1000..0x4002_1400=zero"), Ok(rcc));
        assert_eq!(
            allow("0x40021000..0x40021400=fault"),
            Ok(Allow {
                policy: Policy::Fault,
                ..rcc
            })
        );
        assert_eq!(allow("0xffffff00..0x100000000").unwrap().size, 0x100);
    }

    #[test]
    fn refuses_what_is_no_range() {
        let message = |text: &str| text.parse::<Allow>().unwrap_err();
        assert!(message("RCC").contains("is not a range like"));
        assert!(message("0x20..0x10").contains("ends behind"));
        assert!(message("0x10..0x20=one").contains("`one` is neither"));
        assert!(message("0..0x200000000").contains("beyond the address space"));
    }
}
