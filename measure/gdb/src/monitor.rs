//! GDB's `monitor` commands.

use lab::why::windows;
use machine::target::{Drive, TargetError};

use crate::session::Session;

const HELP: &str = "\
monitor cycles             cycles and instructions since reset, and the time
monitor why                the last instructions, and the rule behind each of their cycles
monitor raise NAME [N]     raise an interrupt from outside, N cycles from now: EXTI0, IRQ6, SysTick
monitor reset              back to reset
monitor snapshot [NAME]    save the state under a name; without one, list what is saved
monitor restore NAME       go back to a saved state
monitor drain on|off       whether a stop halts the core as a debug probe does, or leaves its pipeline as it is
";

/// Appended when a command moves the program: the protocol cannot tell GDB.
const STALE: &str = "; `maintenance flush register-cache` lets GDB see that\n";

impl Session {
    /// Executes a `monitor` command; returns its output.
    ///
    /// # Errors
    /// If the target cannot be run or saved.
    pub fn monitor(&mut self, command: &str) -> Result<String, TargetError> {
        let words: Vec<&str> = command.split_whitespace().collect();
        Ok(match words[..] {
            [] | ["help"] => HELP.to_owned(),
            ["cycles"] => self.cycles(),
            ["why"] => {
                let events = self.recent()?;
                let target = self.target();
                windows(target.image(), target.board(), &events)
            }
            ["raise", name] => self.raise(name, 0)?,
            ["raise", name, cycles] => match cycles.parse() {
                Ok(cycles) => self.raise(name, cycles)?,
                Err(_) => format!("`{cycles}` is no number of cycles\n"),
            },
            // Commands that tools send to other GDB servers mean the same here.
            ["reset", ..] => {
                self.reset()?;
                format!("the program is at reset{STALE}")
            }
            ["snapshot"] => self.saved(),
            ["snapshot", name] => {
                let state = self.target().snapshot()?;
                self.named.retain(|(known, _)| known != name);
                self.named.push((name.to_owned(), state));
                format!("saved `{name}` in cycle {}\n", self.cycle())
            }
            ["restore", name] => match self.named.iter().position(|(known, _)| known == name) {
                Some(index) => {
                    self.restore(index)?;
                    format!("back in cycle {}{STALE}", self.cycle())
                }
                None => format!("no state `{name}`\n{}", self.saved()),
            },
            ["drain", "on"] => self.drain(true),
            ["drain", "off"] => self.drain(false),
            // cortex-debug and others halt with it.
            ["halt" | "init"] => String::new(),
            _ => format!("no command `{command}`\n{HELP}"),
        })
    }

    fn cycles(&mut self) -> String {
        let target = self.target();
        format!(
            "cycle {}, {} instructions, {} ns at {} Hz\n",
            target.cycle(),
            target.instructions(),
            target.nanoseconds(),
            target.clock_hz()
        )
    }

    fn raise(&mut self, name: &str, cycles: u64) -> Result<String, TargetError> {
        let at = self.cycle().saturating_add(cycles);
        let target = self.target();
        match target.board().input(name) {
            Ok(exception) => {
                target.drive(exception, at, Drive::Pulse)?;
                Ok(format!("{name} comes in cycle {at}\n"))
            }
            Err(error) => Ok(match error.hint() {
                Some(hint) => format!("{error}: {hint}\n"),
                None => format!("{error}\n"),
            }),
        }
    }

    fn saved(&self) -> String {
        if self.named.is_empty() {
            return "nothing is saved\n".to_owned();
        }
        let names: Vec<&str> = self.named.iter().map(|(name, _)| name.as_str()).collect();
        format!("saved: {}\n", names.join(", "))
    }

    fn drain(&mut self, on: bool) -> String {
        self.drains = on;
        format!(
            "a stop {}\n",
            if on {
                "halts the core"
            } else {
                "leaves the pipeline as it is"
            }
        )
    }
}
