//! `[[reach]]`: the addresses that bus masters reach through the chip's bus matrix.

use serde::Deserialize;
use toml::Spanned;

use super::check::Checker;
use super::file::size;
use super::{Board, BoardError, Memory, Peripheral};
use crate::nearest::{did_you_mean, nearest};

/// The reach of some masters' ports.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReachEntry {
    /// `DMA1.memory`, or the name of a peripheral with one port.
    pub(super) masters: Vec<String>,
    /// The memories by name; their aliases are reached too.
    pub(super) memories: Vec<String>,
    /// The ranges reached outside memory; by default, all.
    peripherals: Option<Vec<RangeEntry>>,
    #[serde(default)]
    elsewhere: Elsewhere,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct RangeEntry {
    base: u32,
    #[serde(deserialize_with = "size")]
    size: u32,
}

/// The result of a transfer to another address.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Elsewhere {
    /// A bus error.
    #[default]
    Error,
    /// Not documented: it stops the run.
    Unknown,
}

/// The reach of one port of a master.
#[derive(Clone, Debug)]
pub(super) struct PortReach {
    /// The peripheral's name.
    pub(super) master: String,
    /// The port's index in the peripheral.
    pub(super) port: usize,
    pub(super) reach: bus::Reach,
}

impl PortReach {
    fn is_same(&self, other: &PortReach) -> bool {
        (&self.master, self.port) == (&other.master, other.port)
    }
}

impl ReachEntry {
    /// Drops a peripheral from the entry.
    pub(super) fn forget(&mut self, peripheral: &str) {
        self.masters.retain(|master| split(master).0 != peripheral);
    }
}

impl Board {
    /// The bus masters other than the core: each port's name in `[[reach]]`, and its reach; `None` if unlimited.
    pub fn masters(&self) -> Vec<(String, Option<&bus::Reach>)> {
        let mut all = Vec::new();
        for peripheral in &self.peripherals {
            let name = &peripheral.region.name;
            for (place, port) in peripheral.device.master_ports().iter().enumerate() {
                let mut reaches = self.reaches.iter();
                let reach = reaches.find(|reach| *reach.master == **name && reach.port == place);
                all.push((joined(name, port), reach.map(|reach| &reach.reach)));
            }
        }
        all
    }
}

impl Checker<'_> {
    /// The reach of each port.
    pub(super) fn reaches(
        &self,
        entries: &[Spanned<ReachEntry>],
        memories: &[Memory],
        peripherals: &[Peripheral],
    ) -> Result<Vec<PortReach>, BoardError> {
        let mut all: Vec<PortReach> = Vec::new();
        for entry in entries {
            if entry.get_ref().masters.is_empty() {
                let message = "`masters` names no port of a master".to_owned();
                return Err(self.error(entry, message, Some(masters_of(peripherals))));
            }
            let reach = self.reach(entry, memories)?;
            for name in &entry.get_ref().masters {
                let (master, port) = self.port(entry, name, peripherals)?;
                let reach = reach.clone();
                let made = PortReach { master, port, reach };
                if all.iter().any(|known| known.is_same(&made)) {
                    return self.wrong(entry, &format!("what `{name}` reaches is said twice"));
                }
                all.push(made);
            }
        }
        Ok(all)
    }

    /// Overrides `known` for the same ports.
    pub(super) fn own_reaches(
        &self,
        entries: &[Spanned<ReachEntry>],
        memories: &[Memory],
        peripherals: &[Peripheral],
        known: &mut Vec<PortReach>,
    ) -> Result<(), BoardError> {
        let own = self.reaches(entries, memories, peripherals)?;
        known.retain(|known| !own.iter().any(|own| own.is_same(known)));
        known.extend(own);
        Ok(())
    }

    fn reach(&self, entry: &Spanned<ReachEntry>, memories: &[Memory]) -> Result<bus::Reach, BoardError> {
        let mut bases = Vec::new();
        for name in &entry.get_ref().memories {
            let Some(memory) = memories.iter().find(|memory| memory.name == *name) else {
                let names = memories.iter().map(|memory| memory.name.as_str());
                let hint = did_you_mean(&nearest(name, names, 1));
                return Err(self.error(entry, format!("there is no memory `{name}`"), hint));
            };
            let aliases = memories
                .iter()
                .filter(|alias| alias.alias_of == Some(memory.base));
            bases.push(memory.base);
            bases.extend(aliases.map(|alias| alias.base));
        }
        let ranges = entry.get_ref().peripherals.iter().flatten();
        for range in ranges {
            self.fits(entry, range.base, range.size)?;
        }
        let ranges = |ranges: &Vec<RangeEntry>| ranges.iter().map(|range| (range.base, range.size)).collect();
        Ok(bus::Reach {
            memories: bases,
            peripherals: entry.get_ref().peripherals.as_ref().map(ranges),
            stops: entry.get_ref().elsewhere == Elsewhere::Unknown,
        })
    }

    /// The peripheral and port index for a name.
    fn port(
        &self,
        entry: &Spanned<ReachEntry>,
        name: &str,
        peripherals: &[Peripheral],
    ) -> Result<(String, usize), BoardError> {
        let (master, port) = split(name);
        let ports = |peripheral: &Peripheral| peripheral.device.master_ports();
        let found = peripherals
            .iter()
            .find(|peripheral| *peripheral.region.name == *master)
            .map(ports)
            .unwrap_or_default();
        if let Some(place) = found.iter().position(|known| *known == port) {
            return Ok((master.to_owned(), place));
        }
        let message = format!("`{name}` is no port of a master on this board");
        Err(self.error(entry, message, Some(masters_of(peripherals))))
    }
}

/// The ports of a board's masters, as text.
fn masters_of(peripherals: &[Peripheral]) -> String {
    let masters = peripherals.iter().flat_map(|peripheral| {
        let ports = peripheral.device.master_ports().iter();
        ports.map(|port| joined(&peripheral.region.name, port))
    });
    let masters: Vec<_> = masters.collect();
    if masters.is_empty() {
        "the board has no master besides its core".to_owned()
    } else {
        format!("its masters are {}", masters.join(", "))
    }
}

/// Splits a name into peripheral and port.
fn split(master: &str) -> (&str, &str) {
    master.split_once('.').unwrap_or((master, ""))
}

/// The name of a peripheral's port in `[[reach]]`.
fn joined(peripheral: &str, port: &str) -> String {
    if port.is_empty() {
        peripheral.to_owned()
    } else {
        format!("{peripheral}.{port}")
    }
}
