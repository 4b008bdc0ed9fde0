//! What a device is built from: its keys of the board file, and its surroundings on the board.

use std::cell::RefCell;
use std::path::Path;

use bus::{ClockId, Device, DeviceError, Irq};

use super::registers::{Gate, Register};
use crate::host::Files;
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// The board file's keys for a peripheral of one kind.
pub(crate) trait Settings {
    /// The device as it leaves reset.
    ///
    /// # Errors
    /// A message to the user.
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String>;

    /// The names of the clocks that it makes.
    fn clocks(&self) -> Vec<&str> {
        Vec::new()
    }

    /// How many sources it has, from 1 on, if the interrupt lines of the board's other peripherals end there.
    fn sources(&self) -> Option<u16> {
        None
    }

    /// The architecture whose cores alone can have it.
    fn architecture(&self) -> Option<Architecture> {
        None
    }

    /// The peripherals that work as long as it lets them.
    fn gates(&self) -> Vec<Gate<'_>> {
        Vec::new()
    }

    /// The registers that it lists.
    fn registers(&mut self) -> &mut [Register] {
        &mut []
    }
}

/// A device's surroundings on its board.
pub(crate) struct Around<'a> {
    /// The device's name on the board.
    pub(crate) name: &'a str,
    /// Where the files that the board file names are read from.
    pub(crate) files: &'a dyn Files,
    /// The folder of the board file, for relative paths.
    pub(crate) folder: &'a Path,
    /// The destination of its interrupt.
    pub(crate) irq: Option<Irq>,
    /// Its first address.
    pub(crate) base: u32,
    /// Bytes from there on.
    pub(crate) size: u32,
    /// The board's clocks.
    pub(crate) clocks: &'a ClockNames,
    /// The lines between its peripherals.
    pub(crate) wires: &'a Wires,
}

impl Around<'_> {
    /// The line between peripherals that is called as this one with `what` behind: `TX` of `USART1` is `USART1_TX`.
    pub(crate) fn wire(&self, what: &str) -> u16 {
        self.wires.number(&format!("{}_{what}", self.name))
    }
}

/// The lines between a board's peripherals, numbered as they are asked for.
#[derive(Default)]
pub(crate) struct Wires(RefCell<Vec<String>>);

impl Wires {
    /// The number of the line of this name; 0 is no line, whose name is empty.
    pub(crate) fn number(&self, name: &str) -> u16 {
        if name.is_empty() {
            return 0;
        }
        let mut names = self.0.borrow_mut();
        let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        u16::try_from(place + 1).unwrap_or(0)
    }

    /// The numbers of several.
    pub(crate) fn numbers(&self, names: &[String]) -> Vec<u16> {
        names.iter().map(|name| self.number(name)).collect()
    }
}

/// The clock that core cycles are counted in, as a board file calls it.
const CORE: &str = "core";

/// The names of a board's clocks; the place of a name is its number, and the core's comes first.
pub(crate) struct ClockNames(Vec<String>);

impl Default for ClockNames {
    fn default() -> ClockNames {
        ClockNames(vec![CORE.to_owned()])
    }
}

impl ClockNames {
    /// One more, unless it is there.
    ///
    /// # Errors
    /// When there are more than can be numbered.
    pub(crate) fn add(&mut self, clock: &str) -> Result<(), String> {
        if self.find(clock).is_none() {
            self.0.push(clock.to_owned());
        }
        if self.0.len() > usize::from(u8::MAX) {
            return Err("a board has at most 255 clocks".into());
        }
        Ok(())
    }

    /// The clock of this name.
    pub(crate) fn find(&self, name: &str) -> Option<ClockId> {
        let place = self.0.iter().position(|known| known == name)?;
        u8::try_from(place).ok().map(ClockId)
    }

    /// The clock of a peripheral that must have one.
    ///
    /// # Errors
    /// When it names none, or one that there is not.
    pub(crate) fn wanted(&self, name: Option<&str>) -> Result<ClockId, String> {
        let name = name.ok_or("it needs a `clock`")?;
        self.find(name).ok_or_else(|| {
            let hint = did_you_mean(&nearest(name, self.0.iter().map(String::as_str), 1));
            let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
            format!("no clock `{name}` on this board{hint}")
        })
    }
}

/// Refuses an access that is not modelled.
pub(super) fn not_modelled<T>(what: impl Into<String>) -> Result<T, DeviceError> {
    Err(DeviceError::NotModelled(what.into()))
}
