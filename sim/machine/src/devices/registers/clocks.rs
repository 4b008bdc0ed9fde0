//! The clock tree of a chip, as a board file lists it.
//!
//! Each clock is a source of a fixed frequency, one that a field chooses from a list, or made from an earlier one by a
//! multiplication and a division. A clock with `ready` is off while that field is 0. A core whose clock is off stops the
//! run: real hardware would go on with the old clock until the new one is ready, and a program that is right waits.

use std::sync::Arc;

use bus::{ClockId, DeviceError};
use serde::Deserialize;

use super::{Field, Register};
use crate::devices::not_modelled;

/// One clock of the list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockEntry {
    pub(crate) name: String,
    /// Hz, for a source.
    #[serde(default)]
    hz: u32,
    /// Hz for each value of the field that `select` names.
    #[serde(default)]
    table: Vec<u32>,
    /// Its sources, earlier clocks. An empty name is a reserved choice.
    #[serde(default)]
    from: Vec<String>,
    /// The field that chooses from `from` or `table`.
    select: Option<String>,
    multiply: Option<Factor>,
    divide: Option<Factor>,
    /// The field that is not 0 while the clock runs.
    ready: Option<String>,
}

/// A factor or divisor: fixed, or what a field stands for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Factor {
    field: String,
    /// The meaning of each field value; by default, the value itself.
    #[serde(default)]
    values: Vec<u32>,
    /// Added to the field's value.
    #[serde(default)]
    plus: u32,
}

#[derive(Clone, Debug)]
struct Clock {
    id: ClockId,
    name: String,
    source: Source,
    multiply: Option<Resolved>,
    divide: Option<Resolved>,
    ready: Option<Field>,
}

#[derive(Clone, Debug)]
enum Source {
    Fixed(u32),
    Table(Field, Vec<u32>),
    /// Indices of earlier clocks.
    Always(usize),
    Chosen(Field, Vec<Option<usize>>),
}

#[derive(Clone, Debug)]
struct Resolved {
    field: Field,
    values: Vec<u32>,
    plus: u32,
}

/// All clocks of one block, each after those that it is made from.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    clocks: Arc<[Clock]>,
}

impl Tree {
    /// Resolves names and fields; `id` numbers a clock by its name.
    ///
    /// # Errors
    /// A message about the mistake.
    pub(super) fn new(
        entries: &[ClockEntry],
        registers: &[Register],
        id: impl Fn(&str) -> ClockId,
    ) -> Result<Tree, String> {
        let mut clocks: Vec<Clock> = Vec::new();
        for entry in entries {
            let clock = Clock {
                id: id(&entry.name),
                name: entry.name.clone(),
                source: source(entry, registers, &clocks)
                    .map_err(|error| format!("clock `{}`: {error}", entry.name))?,
                multiply: resolve(entry.multiply.as_ref(), registers)?,
                divide: resolve(entry.divide.as_ref(), registers)?,
                ready: field(entry.ready.as_ref(), registers)?,
            };
            clocks.push(clock);
        }
        Ok(Tree {
            clocks: clocks.into(),
        })
    }

    /// Each clock's frequency in Hz for these register values; 0 if it is stopped.
    ///
    /// # Errors
    /// A core that has no clock: the program chose one that does not run.
    pub(super) fn frequencies(&self, values: &[u32]) -> Result<Vec<(ClockId, u32)>, DeviceError> {
        let mut all: Vec<(ClockId, u32)> = Vec::with_capacity(self.clocks.len());
        for (index, clock) in self.clocks.iter().enumerate() {
            let hz = clock.frequency(values, &all);
            if hz == 0 && clock.id == ClockId::CORE {
                let stopped = self.stopped(index, values);
                return not_modelled(format!(
                    "the core's clock stops: `{stopped}` does not run; hardware would keep the old one until it does"
                ));
            }
            all.push((clock.id, hz));
        }
        Ok(all)
    }

    /// The name of the clock that a stopped one is waiting for.
    fn stopped(&self, mut index: usize, values: &[u32]) -> &str {
        while let (true, Some(input)) = (self.clocks[index].runs(values), self.clocks[index].input(values)) {
            index = input;
        }
        &self.clocks[index].name
    }
}

impl Clock {
    fn runs(&self, values: &[u32]) -> bool {
        self.ready.is_none_or(|field| field.get(values) != 0)
    }

    fn frequency(&self, values: &[u32], earlier: &[(ClockId, u32)]) -> u32 {
        if !self.runs(values) {
            return 0;
        }
        let input = match &self.source {
            Source::Fixed(hz) => *hz,
            Source::Table(field, table) => table.get(field.get(values) as usize).copied().unwrap_or(0),
            _ => self.input(values).map_or(0, |index| earlier[index].1),
        };
        let factor = |factor: &Option<Resolved>| factor.as_ref().map_or(1, |factor| factor.of(values));
        let (multiply, divide) = (factor(&self.multiply), factor(&self.divide));
        let hz = u64::from(input) * u64::from(multiply) / u64::from(divide.max(1));
        u32::try_from(hz).unwrap_or(u32::MAX)
    }

    /// Index of the clock that it is made from; a reserved choice is none.
    fn input(&self, values: &[u32]) -> Option<usize> {
        match &self.source {
            Source::Always(index) => Some(*index),
            Source::Chosen(field, from) => from.get(field.get(values) as usize).copied().flatten(),
            Source::Fixed(_) | Source::Table(..) => None,
        }
    }
}

impl Resolved {
    fn of(&self, values: &[u32]) -> u32 {
        let value = self.field.get(values);
        self.values.get(value as usize).copied().unwrap_or(value) + self.plus
    }
}

fn field(text: Option<&String>, registers: &[Register]) -> Result<Option<Field>, String> {
    text.map(|text| Field::parse(text, registers)).transpose()
}

fn resolve(factor: Option<&Factor>, registers: &[Register]) -> Result<Option<Resolved>, String> {
    let resolve = |factor: &Factor| {
        Ok(Resolved {
            field: Field::parse(&factor.field, registers)?,
            values: factor.values.clone(),
            plus: factor.plus,
        })
    };
    factor.map(resolve).transpose()
}

fn source(entry: &ClockEntry, registers: &[Register], clocks: &[Clock]) -> Result<Source, String> {
    let find = |name: &String| {
        let found = clocks.iter().position(|clock| clock.name == *name);
        match found {
            None if !name.is_empty() => Err(format!("no clock `{name}` stands before it")),
            found => Ok(found),
        }
    };
    let from = entry.from.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    match (field(entry.select.as_ref(), registers)?, from.as_slice()) {
        (None, [Some(only)]) => Ok(Source::Always(*only)),
        (None, []) if entry.hz > 0 => Ok(Source::Fixed(entry.hz)),
        (Some(field), []) if !entry.table.is_empty() => Ok(Source::Table(field, entry.table.clone())),
        (Some(field), [_, ..]) => Ok(Source::Chosen(field, from)),
        _ => Err("it needs `hz`, or `from` one clock, or `select` with `from` or `table`".into()),
    }
}
