//! Fields that gate the clocks of other peripherals or hold their resets.

use std::collections::VecDeque;

use bus::Effect;
use serde::Deserialize;

use super::Register;
use super::field::Field;
use crate::devices::Around;

/// The board file's pairs of a field and a peripheral's name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct GateEntries(Vec<[String; 2]>);

/// A peripheral that works as long as some field lets it.
pub(crate) struct Gate<'a> {
    /// The peripheral's name.
    pub(crate) peripheral: &'a str,
    /// The field.
    pub(crate) field: &'a str,
    /// Whether it works after reset.
    pub(crate) open: bool,
    /// Whether the field holds it in reset, and does not turn its clock on.
    pub(crate) resets: bool,
}

impl Gate<'_> {
    /// The line on which the block `by` tells the peripheral what this field lets it do.
    pub(crate) fn wire(&self, by: &str) -> String {
        format!("{by}_{}_{}", self.field, self.peripheral)
    }
}

impl GateEntries {
    /// All of them, as they are after reset; a field that does not exist is told of when the block is made.
    pub(super) fn gates<'a>(
        &'a self,
        resets: bool,
        registers: &'a [Register],
    ) -> impl Iterator<Item = Gate<'a>> {
        let values: Vec<u32> = registers.iter().map(|register| register.reset).collect();
        self.0.iter().map(move |[field, peripheral]| {
            let set = Field::parse(field, registers).is_ok_and(|field| field.get(&values) != 0);
            Gate {
                peripheral,
                field,
                open: set != resets,
                resets,
            }
        })
    }
}

/// The gates that the block evaluates.
#[derive(Clone, Default)]
pub(super) struct Gates(Vec<Line>);

#[derive(Clone)]
struct Line {
    field: Field,
    number: u16,
    resets: bool,
    open: bool,
}

impl Gates {
    /// Resolves the names.
    ///
    /// # Errors
    /// A message to the user.
    pub(super) fn add(
        &mut self,
        entries: &GateEntries,
        resets: bool,
        registers: &[Register],
        around: &Around<'_>,
    ) -> Result<(), String> {
        for gate in entries.gates(resets, registers) {
            self.0.push(Line {
                field: Field::parse(gate.field, registers)?,
                number: around.wires.number(&gate.wire(around.name)),
                resets,
                open: gate.open,
            });
        }
        Ok(())
    }

    /// Tells those whose field changed.
    pub(super) fn tell(&mut self, values: &[u32], effects: &mut VecDeque<Effect>) {
        for line in &mut self.0 {
            let open = (line.field.get(values) != 0) != line.resets;
            if std::mem::replace(&mut line.open, open) != open {
                let number = line.number;
                effects.push_back(Effect::Wire { number, level: open });
            }
        }
    }
}
