//! Exceptions by number and by name.

use std::sync::Arc;

use thiserror::Error;

use bus::{CoreInterrupt, Irq};
pub use events::Exception;

use crate::board::Board;
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// An interrupt input of an RV32 core or of its interrupt controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// The machine's timer.
    Timer,
    /// The machine's software interrupt.
    Software,
    /// One of the external lines.
    External(u8),
    /// A source of the board's PLIC, from 1.
    Source(u16),
}

/// Why a name is not an exception's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExceptionError {
    /// No exception has this name.
    #[error("no exception `{name}` on board `{board}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// The board.
        board: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    /// The board has fewer interrupts.
    #[error("no interrupt {irq} on board `{board}`, which has 0 to {last}")]
    OutOfRange {
        /// The requested number.
        irq: u32,
        /// The board.
        board: String,
        /// The last interrupt.
        last: u16,
    },
    /// The board's PLIC has fewer sources, or the board has none.
    #[error("no source `{name}` on board `{board}`, whose PLIC has {sources}, numbered from 1")]
    NoSource {
        /// The requested name.
        name: String,
        /// The board.
        board: String,
        /// The number of sources.
        sources: u16,
    },
    /// The exception is not an input of the core.
    #[error("`{name}` cannot be raised from outside on board `{board}`")]
    NoInput {
        /// The requested name.
        name: String,
        /// The board.
        board: String,
        /// Its core's architecture.
        architecture: Architecture,
    },
}

impl ExceptionError {
    /// The suggested correction.
    pub fn hint(&self) -> Option<String> {
        match self {
            ExceptionError::Unknown { nearest, .. } => did_you_mean(nearest),
            ExceptionError::OutOfRange { .. } | ExceptionError::NoSource { .. } => None,
            ExceptionError::NoInput {
                architecture: Architecture::Arm,
                ..
            } => Some("from outside come NMI, SysTick, PendSV and the interrupts: IRQ0 and so on".into()),
            ExceptionError::NoInput { .. } => Some(
                "the inputs of an RV32 core are MachineTimer, MachineSoft, IRQ0 and so on, `PLIC:` with the number of a \
                 source, and peripherals with an interrupt by their names"
                    .into(),
            ),
        }
    }
}

/// Whether an exception can be raised from outside. Resets, and exceptions that the core's own instructions and accesses cause, cannot.
fn is_input(exception: Exception) -> bool {
    const PEND_SV: u8 = 14;
    match exception {
        Exception::System(number) => exception == Exception::NMI || number >= PEND_SV,
        Exception::External(_) => true,
        Exception::Trap(_) | Exception::Interrupt(_) | Exception::Source(_) => Input::of(exception).is_some(),
    }
}

impl Input {
    /// The input of an RV32 core or its PLIC that raises this exception.
    pub fn of(exception: Exception) -> Option<Input> {
        match exception {
            Exception::MACHINE_TIMER => Some(Input::Timer),
            Exception::MACHINE_SOFT => Some(Input::Software),
            Exception::External(line) => u8::try_from(line).ok().map(Input::External),
            Exception::Source(source) => Some(Input::Source(source)),
            Exception::System(_) | Exception::Trap(_) | Exception::Interrupt(_) => None,
        }
    }
}

/// The exception that an interrupt line of the core or its interrupt controller raises.
fn raised_by(irq: Irq) -> Exception {
    match irq {
        Irq::External(line) => Exception::External(line),
        Irq::Source(source) => Exception::Source(source),
        Irq::Core(CoreInterrupt::MachineSoftware) => Exception::MACHINE_SOFT,
        Irq::Core(CoreInterrupt::MachineTimer) => Exception::MACHINE_TIMER,
        Irq::Core(CoreInterrupt::SupervisorExternal) => Exception::SUPERVISOR_EXTERNAL,
        Irq::Core(CoreInterrupt::MachineExternal) => Exception::MACHINE_EXTERNAL,
    }
}

/// An architecture's own exceptions, with their names.
fn own(architecture: Architecture) -> &'static [(Exception, &'static str)] {
    match architecture {
        Architecture::Arm => Exception::system(),
        Architecture::RiscV => Exception::traps(),
    }
}

/// A board's names of exceptions: `SysTick`, `EXTI0`, and `IRQ6` for unnamed interrupts.
#[derive(Clone, Debug)]
pub struct ExceptionNames {
    irqs: Arc<[String]>,
}

impl ExceptionNames {
    /// The name of an exception.
    pub fn name(&self, exception: Exception) -> String {
        let own = match exception {
            Exception::External(line) => self.irqs.get(usize::from(line)),
            _ => None,
        };
        own.filter(|name| !name.is_empty())
            .cloned()
            .unwrap_or_else(|| exception.name())
    }
}

impl Board {
    /// The board's names of exceptions.
    pub fn exception_names(&self) -> ExceptionNames {
        ExceptionNames {
            irqs: self.irq_names().into(),
        }
    }

    /// The exception with this name: `SysTick`, `MachineTimer`, `IRQ6`, the board's own `EXTI0`, or the number of an external interrupt.
    ///
    /// # Errors
    /// [`ExceptionError`] with the most similar names.
    pub fn exception(&self, name: &str) -> Result<Exception, ExceptionError> {
        let own = own(self.core().architecture());
        let known = own.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        let named = known
            .map(|&(exception, _)| exception)
            .or_else(|| self.irq(name).map(Exception::External));
        if let Some(exception) = named {
            return Ok(exception);
        }
        let digits = name
            .strip_prefix("IRQ")
            .or(name.strip_prefix("irq"))
            .unwrap_or(name);
        match digits.parse::<u32>() {
            Ok(irq) if irq < u32::from(self.irqs()) => Ok(Exception::External(irq as u16)),
            Ok(irq) => Err(ExceptionError::OutOfRange {
                irq,
                board: self.name().into(),
                last: self.irqs() - 1,
            }),
            Err(_) => Err(self.unknown_exception(name)),
        }
    }

    /// The exception with this name, like [`Board::exception`], if it can be raised from outside. An RV32 board also accepts a source of
    /// the PLIC (`PLIC:10`) or the name of a peripheral that interrupts.
    ///
    /// # Errors
    /// Also if it cannot be raised from outside.
    pub fn input(&self, name: &str) -> Result<Exception, ExceptionError> {
        if self.core().architecture() == Architecture::RiscV {
            let prefix = name
                .get(..Exception::PLIC.len())
                .filter(|prefix| prefix.eq_ignore_ascii_case(Exception::PLIC));
            if prefix.is_some() {
                return self.source(name, &name[Exception::PLIC.len()..]);
            }
            if let Some(irq) = self.peripheral_irq(name) {
                return Ok(raised_by(irq));
            }
        }
        let exception = self.exception(name)?;
        if !is_input(exception) {
            return Err(ExceptionError::NoInput {
                name: name.into(),
                board: self.name().into(),
                architecture: self.core().architecture(),
            });
        }
        Ok(exception)
    }

    fn source(&self, name: &str, number: &str) -> Result<Exception, ExceptionError> {
        let sources = self.plic_sources();
        let number = number
            .parse()
            .ok()
            .filter(|number| (1..=sources).contains(number));
        let missing = || ExceptionError::NoSource {
            name: name.into(),
            board: self.name().into(),
            sources,
        };
        number
            .map(|number: u16| Exception::Source(number))
            .ok_or_else(missing)
    }

    fn unknown_exception(&self, name: &str) -> ExceptionError {
        let own = own(self.core().architecture()).iter().map(|&(_, name)| name);
        let irqs = self
            .irq_names()
            .iter()
            .map(String::as_str)
            .filter(|name| !name.is_empty());
        let nearest = nearest(name, own.chain(irqs), 3)
            .into_iter()
            .map(str::to_owned)
            .collect();
        ExceptionError::Unknown {
            name: name.into(),
            board: self.name().into(),
            nearest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_to_exceptions() {
        let board = Board::find("stm32f100rb").unwrap();
        let exception = |name: &str| board.exception(name).unwrap();
        assert_eq!(exception("PendSV"), Exception::System(14));
        assert_eq!(exception("systick"), Exception::System(15));
        for irq6 in ["IRQ6", "6", "EXTI0"] {
            assert_eq!(exception(irq6), Exception::External(6));
        }
        assert_eq!(Exception::External(6).name(), "IRQ6");
        assert_eq!(Exception::System(15).name(), "SysTick");
    }

    /// No two exceptions of an architecture have one id.
    #[test]
    fn ids_of_exceptions_are_their_own() {
        let numbered = (1..16 + 240).map(Exception::of_number);
        let external = (0..1024).flat_map(|n| [Exception::External(n), Exception::Source(n)]);
        let traps = Exception::traps().iter().map(|&(exception, _)| exception);
        for all in [numbered.collect::<Vec<_>>(), external.chain(traps).collect()] {
            let ids: std::collections::BTreeSet<u16> = all.iter().map(|exception| exception.id()).collect();
            assert_eq!(ids.len(), all.len());
        }
        for number in 1..256 {
            assert_eq!(Exception::of_number(number).number(), Some(number));
        }
    }

    /// An input of the other core family is refused.
    #[test]
    fn only_inputs_can_be_raised() {
        let all = [Architecture::Arm, Architecture::RiscV].map(own).concat();
        let inputs = all.iter().filter(|(exception, _)| is_input(*exception));
        let inputs: Vec<_> = inputs.map(|(_, name)| *name).collect();
        assert_eq!(
            inputs,
            ["NMI", "PendSV", "SysTick", "MachineSoft", "MachineTimer"]
        );
    }

    #[test]
    fn a_board_has_names_for_its_interrupts() {
        let names = Board::find("stm32f100rb").unwrap().exception_names();
        assert_eq!(names.name(Exception::External(6)), "EXTI0");
        assert_eq!(names.name(Exception::System(15)), "SysTick");
        let plain = Board::find("cortex-m3").unwrap().exception_names();
        assert_eq!(plain.name(Exception::External(6)), "IRQ6");
        let virt = Board::find("virt").unwrap().exception_names();
        assert_eq!(virt.name(Exception::Source(10)), "PLIC:10");
    }

    #[test]
    fn a_wrong_name_brings_the_nearest() {
        let board = Board::find("stm32f100rb").unwrap();
        let error = board.exception("SysTik").unwrap_err();
        assert_eq!(error.hint().unwrap(), "did you mean `SysTick`?");
        let error = board.exception("IRQ99").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no interrupt 99 on board `stm32f100rb`, which has 0 to 55"
        );
    }

    #[test]
    fn sources_of_a_plic_have_numbers_and_the_names_of_their_peripherals() {
        let virt = Board::find("virt").unwrap();
        let input = |name: &str| virt.input(name).unwrap();
        assert_eq!(Input::of(input("PLIC:10")), Some(Input::Source(10)));
        assert_eq!(input("plic:1").name(), "PLIC:1");
        assert_eq!(input("uart"), input("PLIC:10"));
        assert_eq!(Input::of(input("IRQ10")), Some(Input::External(10)));
        for wrong in ["PLIC:0", "PLIC:96", "PLIC:x"] {
            let error = virt.input(wrong).unwrap_err().to_string();
            let expected = format!("no source `{wrong}` on board `virt`, whose PLIC has 95, numbered from 1");
            assert_eq!(error, expected);
        }
        // Without a PLIC, it is the core's line.
        let litex = Board::find("vexriscv-full").unwrap();
        assert_eq!(
            Input::of(litex.input("timer0").unwrap()),
            Some(Input::External(1))
        );
        assert!(litex.input("PLIC:1").is_err());
    }
}
