//! What a command line asks for, as if a spec said it: messages point into the command.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use machine::{Board, Exception, Image};

use crate::backend::Bench;
use crate::diagnostic::{Result, Source};
use crate::resolve::Scope;
use crate::spec::{Located, Raise, Spec, When};

/// An interrupt from outside: `IRQ6@1000` is in cycle 1000 since reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interruption {
    /// The name of its exception.
    pub name: String,
    /// When.
    pub cycle: u64,
}

impl FromStr for Interruption {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Interruption, String> {
        let parts = text.rsplit_once('@').filter(|(name, _)| !name.is_empty());
        let read = |(name, cycle): (&str, &str)| {
            Some(Interruption {
                name: name.to_owned(),
                cycle: cycle.parse().ok()?,
            })
        };
        parts.and_then(read).ok_or_else(|| {
            "an interrupt and the cycle since reset in which it comes are written as IRQ6@1000".to_owned()
        })
    }
}

/// Raises interrupts from outside in a run that this command asked for.
///
/// # Errors
///
/// If the board has no such input.
pub fn raise(
    command: &str,
    interrupts: &[Interruption],
    image: &Image,
    board: &Board,
    bench: &mut Bench,
) -> Result<()> {
    let mut asked = Asked::new(command, image);
    let raises = asked.raises(interrupts);
    let spec = asked.spec();
    let scope = Scope {
        spec: &spec,
        image,
        board,
    };
    for (raise, interrupt) in raises.iter().zip(interrupts) {
        bench.raise(Exception(scope.input(&raise.irq)?), interrupt.cycle)?;
    }
    Ok(())
}

/// A command under construction.
pub(crate) struct Asked {
    text: String,
}

impl Asked {
    /// `cyclescope COMMAND FILE`.
    pub(crate) fn new(command: &str, image: &Image) -> Asked {
        let file = Path::new(image.file()).file_name().unwrap_or_default();
        Asked {
            text: format!("cyclescope {command} {}", file.to_string_lossy()),
        }
    }

    /// One word more.
    pub(crate) fn word(&mut self, word: &str) -> Located<String> {
        self.text.push(' ');
        let from = self.text.len();
        self.text.push_str(word);
        Located {
            value: word.to_owned(),
            range: from..self.text.len(),
        }
    }

    /// The option for these interrupts.
    pub(crate) fn raises(&mut self, interrupts: &[Interruption]) -> Vec<Raise> {
        let raise = |interrupt: &Interruption| {
            self.word("--raise");
            let mut irq = self.word(&format!("{}@{}", interrupt.name, interrupt.cycle));
            irq.value.clone_from(&interrupt.name);
            Raise {
                irq,
                when: When::At(interrupt.cycle),
                phases: 1,
            }
        };
        interrupts.iter().map(raise).collect()
    }

    /// All of it, for messages.
    pub(crate) fn spec(self) -> Spec {
        Spec {
            source: Arc::new(Source {
                path: "command line".to_owned(),
                text: self.text,
            }),
            rtl: None,
            programs: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_has_a_name_and_a_cycle() {
        let interrupt = Interruption {
            name: "IRQ6".to_owned(),
            cycle: 1000,
        };
        assert_eq!("IRQ6@1000".parse(), Ok(interrupt));
        for wrong in ["IRQ6", "@5", "IRQ6@", "IRQ6@soon"] {
            assert!(wrong.parse::<Interruption>().is_err(), "{wrong}");
        }
    }
}
