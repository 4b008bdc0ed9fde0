//! Registers that a board file lists: each holds what is written to its writable bits. `access` lists the sizes in which the
//! manual lets a program access them; a narrow write changes its bytes only.
//!
//! Beyond that the file can say what chips of all families do alike, so that they differ by data:
//!
//! - `shows`: a field shows another one, if need be some time after it rises (a ready flag, the clock in use);
//! - `clocks`: the frequencies that the fields stand for ([`clocks`]);
//! - `flash`: the fields that say how flash is accessed ([`flash`]);
//! - `voltage`: the fields that choose the core's voltage range;
//! - `holds`: a field that keeps another one at its value after reset;
//! - `gates` and `resets`: the fields that turn other peripherals on and off ([`gates`]);
//! - `at_reset`: what a reset of the chip leaves as it is, and where it notes its cause ([`reset`]).
//!
//! A write of ones to bits that a register does not have is told, once for each bit ([`absent`]).
//!
//! It is not a [`Block`](super::block::Block), whose table the compiler makes for a type: these rows are read at run time. Both share [`Bits`] and
//! [`Absent`].

mod absent;
mod clocks;
mod field;
mod flash;
mod gates;
mod reset;

use std::collections::VecDeque;
use std::sync::Arc;

use bus::{ClockId, Device, DeviceError, Effect, Outside, ResetCause};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::block::{Bits, about};
use super::words::part;
use super::{Around, Settings, not_modelled};
use clocks::{ClockEntry, Tree};
use field::Field;
use flash::{Flash, FlashEntry};
use gates::{GateEntries, Gates};
use reset::{Reset, ResetEntry};

pub(crate) use absent::Absent;
pub(crate) use gates::Gate;

/// The message for registers whose reset values contradict each other.
pub(crate) const CANNOT_LEAVE_RESET: &str = "the chip cannot leave reset this way";

about! { without table Listing, B,
    "the board file",
    "holds writable bits, shows ready flags, clock tree, flash and voltage settings; accessed as words, or in the sizes that `access = [1, 2, 4]` lists",
    "everything else"
}

/// One register of the list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Register {
    pub(crate) name: String,
    /// Bytes from the base, a multiple of four.
    pub(crate) offset: u32,
    /// Value after reset.
    pub(crate) reset: u32,
    /// Bits that a write changes.
    pub(crate) write: u32,
    /// Bits that writing a one clears.
    #[serde(default)]
    pub(crate) clear: u32,
    /// Bits that do something which is not modelled when they are written as one.
    #[serde(default)]
    pub(crate) refuse: u32,
    /// Bits that do something when they are written as one, and read as 0.
    #[serde(default)]
    strobe: u32,
    /// Fields that it lacks and other chips of the family have, to name them when a program writes to them: `LATENCY[2:0]`.
    #[serde(default)]
    absent: Vec<String>,
    /// How many there are of it, `step` bytes apart; in the name, their number stands for `#`.
    count: Option<u32>,
    step: Option<u32>,
}

impl Register {
    fn bits(&self) -> Bits {
        Bits {
            write: self.write,
            clear: self.clear,
            refuse: self.refuse,
            strobe: self.strobe,
        }
    }
}

/// Most registers of one entry.
const MOST: u32 = 1024;

/// The registers of a list, each for itself.
fn expanded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Register>, D::Error> {
    let mut registers = Vec::new();
    for register in Vec::<Register>::deserialize(deserializer)? {
        let count = register.count.unwrap_or(1);
        if count > MOST {
            return Err(D::Error::custom(format!("`count` is at most {MOST}")));
        }
        let step = register.step.unwrap_or(4);
        registers.extend((0..count).map(|index| Register {
            name: register.name.replace('#', &index.to_string()),
            offset: register.offset.wrapping_add(step.wrapping_mul(index)),
            ..register.clone()
        }));
    }
    Ok(registers)
}

/// A field that shows another one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowEntry {
    field: String,
    of: String,
    /// How long after the other one rises from 0, in microseconds.
    #[serde(default)]
    after_us: u32,
    /// Whether it reads as the inverse of each bit.
    #[serde(default)]
    inverted: bool,
}

/// The fields that choose the core's voltage range.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VoltageEntry {
    /// Most significant first.
    fields: Vec<String>,
    /// The range for each value that they form together.
    ranges: Vec<u8>,
}

/// The board file's entry for one block.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    #[serde(default, deserialize_with = "expanded")]
    pub(crate) registers: Vec<Register>,
    /// Access sizes in bytes; by default, only words.
    pub(crate) access: Option<Vec<u8>>,
    #[serde(default)]
    pub(crate) shows: Vec<ShowEntry>,
    #[serde(default)]
    pub(crate) clocks: Vec<ClockEntry>,
    pub(crate) flash: Option<FlashEntry>,
    pub(crate) voltage: Option<VoltageEntry>,
    /// Fields that turn on the clocks of peripherals.
    #[serde(default)]
    pub(crate) gates: GateEntries,
    /// Fields that hold peripherals in reset.
    #[serde(default)]
    pub(crate) resets: GateEntries,
    /// Pairs of fields: while the first is set, the second has its value after reset.
    #[serde(default)]
    pub(crate) holds: Vec<[String; 2]>,
    /// The state and cause that a reset of the chip leaves.
    #[serde(default)]
    at_reset: ResetEntry,
}

impl Settings for Listing {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        if self.registers.is_empty() {
            return Err("it needs `registers`".into());
        }
        if let Some(register) = self
            .registers
            .iter()
            .find(|register| register.offset >= around.size)
        {
            return Err(format!(
                "register `{}` is at {:#x}, behind the peripheral's end at {:#x}",
                register.name, register.offset, around.size
            ));
        }
        let id = |name: &str| around.clocks.find(name).unwrap_or(ClockId::CORE);
        let mut block = Registers::new(self.clone(), id)?;
        for (entries, resets) in [(&self.gates, false), (&self.resets, true)] {
            block.gates.add(entries, resets, &self.registers, around)?;
        }
        Ok(Box::new(block))
    }

    fn gates(&self) -> Vec<Gate<'_>> {
        let clocks = self.gates.gates(false, &self.registers);
        clocks.chain(self.resets.gates(true, &self.registers)).collect()
    }

    fn clocks(&self) -> Vec<&str> {
        self.clocks.iter().map(|clock| clock.name.as_str()).collect()
    }

    fn registers(&mut self) -> &mut [Register] {
        &mut self.registers
    }
}

#[derive(Clone)]
struct Show {
    field: Field,
    of: Field,
    after_us: u32,
    inverted: bool,
    /// The core cycle in which it follows, if it does not yet.
    due: Option<u64>,
}

#[derive(Clone)]
struct Voltage {
    fields: Vec<Field>,
    ranges: Vec<u8>,
}

/// All registers of one block.
#[derive(Clone)]
pub(crate) struct Registers {
    list: Arc<[Register]>,
    /// The sum of the sizes in which they are accessed.
    sizes: u32,
    values: Vec<u32>,
    shows: Vec<Show>,
    holds: Vec<[Field; 2]>,
    clocks: Tree,
    flash: Option<Flash>,
    voltage: Option<Voltage>,
    gates: Gates,
    reset: Reset,
    absent: Absent,
    core_hz: u32,
    /// The clocks as the others know them.
    told: Vec<(ClockId, u32)>,
    effects: VecDeque<Effect>,
}

/// The names of two registers at one place: the second would never answer.
fn of_one_offset(list: &[Register]) -> Option<[&str; 2]> {
    list.iter().enumerate().find_map(|(index, register)| {
        let mut before = list[..index].iter();
        let other = before.find(|other| other.offset == register.offset)?;
        Some([other.name.as_str(), register.name.as_str()])
    })
}

impl Registers {
    /// Resolves the names in the list; `id` numbers a clock by its name.
    ///
    /// # Errors
    /// A message about the mistake.
    pub(crate) fn new(listing: Listing, id: impl Fn(&str) -> ClockId) -> Result<Self, String> {
        let mut list = listing.registers;
        list.sort_by_key(|register| register.offset);
        if let Some(register) = list.iter().find(|register| register.offset % 4 != 0) {
            return Err(format!(
                "register `{}`: its offset is not a multiple of 4",
                register.name
            ));
        }
        if let Some([one, other]) = of_one_offset(&list) {
            return Err(format!("registers `{one}` and `{other}` have the same offset"));
        }
        let sizes = listing.access.unwrap_or_else(|| vec![4]);
        if !sizes.contains(&4) || sizes.iter().any(|size| ![1, 2, 4].contains(size)) {
            return Err("`access` lists sizes in bytes: 4, and 2 and 1 where there are such accesses".into());
        }
        let shows = listing.shows.iter().map(|entry| show(entry, &list));
        let shows = shows.collect::<Result<Vec<_>, _>>()?;
        let holds = listing.holds.iter().map(|[by, field]| hold(by, field, &list));
        let holds = holds.collect::<Result<Vec<_>, _>>()?;
        let voltage = listing.voltage.map(|entry| Voltage::new(entry, &list));
        let flash = listing.flash.map(|entry| Flash::new(&entry, &list));
        let reset = Reset::new(&listing.at_reset, &list)?;
        let clocks = Tree::new(&listing.clocks, &list, id)?;
        // A status that hardware shows is often written back.
        for field in shows.iter().map(|show: &Show| show.field).chain(reset.shown()) {
            list[field.register].strobe |= field.mask();
        }
        let mut block = Registers {
            values: list.iter().map(|register| register.reset).collect(),
            holds,
            clocks,
            flash: flash.transpose()?,
            voltage: voltage.transpose()?,
            absent: Absent::new(&list)?,
            reset,
            shows,
            list: list.into(),
            gates: Gates::default(),
            sizes: sizes.into_iter().fold(0, |all, size| all | u32::from(size)),
            core_hz: 0,
            told: Vec::new(),
            effects: VecDeque::new(),
        };
        block
            .tell()
            .map_err(|error| format!("{CANNOT_LEAVE_RESET}: {error}"))?;
        Ok(block)
    }

    fn place(&self, offset: u32) -> Option<usize> {
        let found = self
            .list
            .binary_search_by_key(&(offset & !3), |register| register.offset);
        found.ok()
    }

    fn find(&self, offset: u32, size: u32) -> Result<usize, DeviceError> {
        match self.place(offset) {
            Some(index) if self.sizes & size != 0 && offset.is_multiple_of(size) => Ok(index),
            Some(index) => not_modelled(format!("{}, an access of {size} bytes", self.list[index].name)),
            None => not_modelled(format!(
                "offset {offset:#x}, a register that the board file does not list"
            )),
        }
    }

    /// Finds the register of a read, which may cover part of a read-only one.
    fn find_to_read(&self, offset: u32, size: u32) -> Result<usize, DeviceError> {
        let index = self.find(offset & !3, 4)?;
        let register = &self.list[index];
        if register.write | register.clear == 0 {
            Ok(index)
        } else {
            self.find(offset, size)
        }
    }

    /// Gives every field that another one holds its value after reset.
    fn hold(&mut self) {
        for [by, field] in &self.holds {
            if by.get(&self.values) != 0 {
                let (value, reset) = (&mut self.values[field.register], self.list[field.register].reset);
                *value = *value & !field.mask() | reset & field.mask();
            }
        }
    }

    /// Lets every field follow the one that it shows, as far as it is time. Returns whether one did.
    fn follow(&mut self, now: u64) -> bool {
        let mut changed = false;
        for show in &mut self.shows {
            let mut wanted = show.of.get(&self.values);
            if show.inverted {
                wanted ^= show.field.ones();
            }
            if show.field.get(&self.values) == wanted {
                show.due = None;
                continue;
            }
            let delay = if wanted == 0 { 0 } else { show.after_us };
            let cycles = u64::from(delay) * u64::from(self.core_hz) / 1_000_000;
            if *show.due.get_or_insert(now + cycles) <= now {
                let value = &mut self.values[show.field.register];
                *value = show.field.put(*value, wanted);
                show.due = None;
                changed = true;
            }
        }
        changed
    }

    /// Works out what the fields now mean for others.
    fn tell(&mut self) -> Result<(), DeviceError> {
        let clocks = self.clocks.frequencies(&self.values)?;
        if let Some(voltage) = &self.voltage {
            self.effects
                .push_back(Effect::Voltage(voltage.range(&self.values)));
        }
        if let Some(flash) = &self.flash {
            flash.check(&self.values)?;
            self.effects
                .push_back(Effect::Flash(flash.settings(&self.values)));
            let (instructions, data) = flash.resets(&self.values);
            if instructions || data {
                self.effects.push_back(Effect::FlashReset { instructions, data });
            }
        }
        self.gates.tell(&self.values, &mut self.effects);
        let known = std::mem::take(&mut self.told);
        let changed = clocks.iter().filter(|clock| !known.contains(clock));
        self.effects
            .extend(changed.map(|&(id, hz)| Effect::Clock(id, hz)));
        self.told = clocks;
        Ok(())
    }
}

impl Device for Registers {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        let index = self.find_to_read(offset, size)?;
        if self.follow(now) {
            self.tell()?;
        }
        Ok(part(self.values[index], offset, size))
    }

    fn peek(&mut self, offset: u32, now: u64) -> Option<u32> {
        let mut later = self.clone();
        later.read(offset & !3, 4, now).ok()
    }

    fn set_name(&mut self, name: &str) {
        self.absent.call(name);
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        let index = self.find(offset, size)?;
        let shift = 8 * (offset & 3);
        let (value, written) = (value << shift, u32::MAX >> (32 - 8 * size) << shift);
        let bits = self.list[index].bits();
        if value & bits.refuse != 0 {
            return not_modelled(format!("{}, a write of {value:#x}", self.list[index].name));
        }
        self.follow(now);
        let old = self.values[index];
        let dropped = bits.dropped(old, value, written);
        self.absent.tell(&self.list[index].name, index, dropped, value);
        self.values[index] = bits.stored(old, value, written);
        self.reset.clear(index, value & written, &mut self.values);
        self.hold();
        self.follow(now);
        self.tell()
    }

    fn keep(&mut self, kept: &mut Outside, cause: ResetCause) {
        self.reset.note(cause, &mut self.values);
        let mut held = (self.values.clone(), self.absent.clone());
        kept.copy(&mut held);
        self.reset.keep(&held.0, &mut self.values);
        self.absent = held.1;
    }

    fn leave_reset(&mut self, now: u64) -> Result<(), DeviceError> {
        if !self.reset.keeps_any() {
            return Ok(());
        }
        self.follow(now);
        self.tell()
    }

    fn register_name(&self, offset: u32) -> Option<String> {
        let place = self.place(offset)?;
        Some(self.list[place].name.clone())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn note(&mut self) -> Option<String> {
        self.absent.note()
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, hz) = effect {
            self.core_hz = hz;
        }
        match (effect, &mut self.flash) {
            (Effect::Clock(ClockId::CORE, hz), Some(flash)) => flash.hear_clock(hz, &self.values),
            (Effect::Voltage(range), Some(flash)) => flash.hear_voltage(range, &self.values),
            _ => Ok(()),
        }
    }
}

impl Voltage {
    fn new(entry: VoltageEntry, registers: &[Register]) -> Result<Voltage, String> {
        let fields = entry.fields.iter().map(|text| Field::parse(text, registers));
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let values = 1 << fields.iter().map(|field| field.width()).sum::<u8>();
        if entry.ranges.len() == values {
            let ranges = entry.ranges;
            Ok(Voltage { fields, ranges })
        } else {
            Err(format!("`ranges` has a range for each of {values} values"))
        }
    }

    fn range(&self, values: &[u32]) -> u8 {
        let together = |value, field: &Field| value << field.width() | field.get(values) as usize;
        self.ranges[self.fields.iter().fold(0, together)]
    }
}

fn show(entry: &ShowEntry, registers: &[Register]) -> Result<Show, String> {
    let (field, of) = (
        Field::parse(&entry.field, registers)?,
        Field::parse(&entry.of, registers)?,
    );
    if field.width() != of.width() {
        return Err(format!(
            "`{}` cannot show `{}`, which has another width",
            entry.field, entry.of
        ));
    }
    let after_us = entry.after_us;
    Ok(Show {
        field,
        of,
        after_us,
        inverted: entry.inverted,
        due: None,
    })
}

fn hold(by: &str, field: &str, registers: &[Register]) -> Result<[Field; 2], String> {
    let [by, held] = [Field::parse(by, registers)?, Field::parse(field, registers)?];
    if by.register == held.register && by.mask() & held.mask() != 0 {
        return Err(format!("`{field}` holds itself: it would never be written"));
    }
    Ok([by, held])
}

#[cfg(test)]
mod tests;
