//! Reports a program that can never continue.

use std::fmt::{self, Display, Formatter};

use super::{Frame, Scene, Site, fmt_backtrace};
use crate::exception::{Exception, ExceptionNames};

/// A program that sleeps or spins on one instruction while nothing scheduled can wake or interrupt it.
#[derive(Clone, Debug)]
pub struct StuckReport {
    /// Core cycle.
    pub cycle: u64,
    /// The instruction, or the one after WFI or WFE.
    pub site: Site,
    /// Whether it sleeps; otherwise it spins.
    pub asleep: bool,
    /// The exception whose handler is running.
    pub handler: Option<Exception>,
    /// Since when it sleeps, and which pending exceptions do not wake it.
    pub waits: Vec<String>,
    /// The calls that led there, innermost first.
    pub backtrace: Vec<Frame>,
}

impl StuckReport {
    pub(crate) fn new(scene: Scene<'_>, names: &ExceptionNames) -> Self {
        StuckReport {
            cycle: scene.processor.cycle(),
            asleep: scene.processor.is_asleep(),
            site: scene.site(scene.processor.pc()),
            handler: scene.processor.handler(),
            waits: scene.processor.asleep(names).unwrap_or_default(),
            backtrace: scene.backtrace(),
        }
    }
}

impl Display for StuckReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let does = if self.asleep {
            "sleeps"
        } else {
            "spins in an endless loop"
        };
        let handler = self.handler.map_or(String::new(), |exception| {
            format!(" in the handler of {}", exception.name())
        });
        writeln!(
            f,
            "the program {does}{handler}, and nothing can ever happen again (cycle {})",
            self.cycle
        )?;
        writeln!(f, "  at         {}", self.site)?;
        for (index, line) in self.waits.iter().enumerate() {
            let head = if index == 0 { "waits" } else { "" };
            writeln!(f, "  {head:<10} {line}")?;
        }
        fmt_backtrace(f, &self.backtrace)
    }
}
