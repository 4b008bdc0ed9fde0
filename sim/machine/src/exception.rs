//! Exceptions by number and by name.

use std::sync::Arc;

use thiserror::Error;

use crate::board::Board;
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// The number of an exception. On a Cortex-M 1 to 15 are the core's own, from 16 on come the external interrupts. On RV32 0 to
/// 15 are the causes of exceptions, 16 and more those of interrupts (16 + cause), 32 and more the lines from outside, of
/// which `VexRiscv` makes one interrupt, and from 64 on come the sources of the board's PLIC (64 + source).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Exception(pub u16);

/// The core's own exceptions (ARMv7-M ARM B1.5.2).
const NAMES: [(u16, &str); 10] = [
    (1, "Reset"),
    (2, "NMI"),
    (3, "HardFault"),
    (4, "MemManage"),
    (5, "BusFault"),
    (6, "UsageFault"),
    (11, "SVCall"),
    (12, "DebugMonitor"),
    (14, "PendSV"),
    (15, "SysTick"),
];

/// The number of the first external interrupt.
const EXTERNAL: u16 = 16;

/// Traps of RV32 (privileged ISA manual, table 14).
const TRAPS: [(u16, &str); 20] = [
    (0, "InstructionMisaligned"),
    (1, "InstructionFault"),
    (2, "IllegalInstruction"),
    (3, "Breakpoint"),
    (4, "LoadMisaligned"),
    (5, "LoadFault"),
    (6, "StoreMisaligned"),
    (7, "StoreFault"),
    (8, "UserEnvCall"),
    (9, "SupervisorEnvCall"),
    (11, "MachineEnvCall"),
    (12, "InstructionPageFault"),
    (13, "LoadPageFault"),
    (15, "StorePageFault"),
    (RV32_INTERRUPT + 1, "SupervisorSoft"),
    (MACHINE_SOFT, "MachineSoft"),
    (RV32_INTERRUPT + 5, "SupervisorTimer"),
    (MACHINE_TIMER, "MachineTimer"),
    (RV32_INTERRUPT + 9, "SupervisorExternal"),
    (RV32_INTERRUPT + 11, "MachineExternal"),
];

/// What is added to the cause of an interrupt of RV32.
pub(crate) const RV32_INTERRUPT: u16 = 16;
const MACHINE_SOFT: u16 = RV32_INTERRUPT + 3;
const MACHINE_TIMER: u16 = RV32_INTERRUPT + 7;

/// The number of the first line from outside of RV32.
const RV32_EXTERNAL: u16 = 32;

/// What stands for source 0 of a PLIC, which is none.
const RV32_SOURCE: u16 = 64;

/// How a source of a PLIC is named: with its number.
const PLIC: &str = "PLIC:";

/// An interrupt input of an RV32 core, or of the interrupt controller beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// The machine's timer.
    Timer,
    /// The machine's software interrupt.
    Software,
    /// One of the lines from outside.
    External(u8),
    /// A source of the board's PLIC, from 1 on.
    Source(u16),
}

/// Why a name is not that of an exception.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExceptionError {
    /// None is called so.
    #[error("no exception `{name}` on board `{board}`")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The board.
        board: String,
        /// Names that resemble it.
        nearest: Vec<String>,
    },
    /// The board has fewer interrupts.
    #[error("no interrupt {irq} on board `{board}`, which has 0 to {last}")]
    OutOfRange {
        /// What was asked for.
        irq: u32,
        /// The board.
        board: String,
        /// The last one that there is.
        last: u16,
    },
    /// The board's PLIC has fewer sources, or there is none.
    #[error("no source `{name}` on board `{board}`, whose PLIC has {sources}, numbered from 1")]
    NoSource {
        /// What was asked for.
        name: String,
        /// The board.
        board: String,
        /// How many there are.
        sources: u16,
    },
    /// It is no input of the core.
    #[error("`{name}` cannot be raised from outside on board `{board}`")]
    NoInput {
        /// What was asked for.
        name: String,
        /// The board.
        board: String,
        /// Of its core.
        architecture: Architecture,
    },
}

impl ExceptionError {
    /// What to write instead.
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

impl Exception {
    /// HardFault.
    pub const HARD_FAULT: Exception = Exception(3);

    /// External interrupt `irq`, from 0, of a Cortex-M.
    pub fn irq(irq: u16) -> Exception {
        Exception(EXTERNAL + irq)
    }

    /// Its name on a Cortex-M: `SysTick`, `IRQ6`.
    pub fn name(self) -> String {
        self.name_in(Architecture::Arm)
    }

    /// Its name on a core of this architecture: `SysTick`, `MachineTimer`, `IRQ6`.
    pub fn name_in(self, architecture: Architecture) -> String {
        let (names, external) = names(architecture);
        let own = names.iter().find(|&&(number, _)| number == self.0);
        match own {
            Some((_, name)) => (*name).into(),
            None if architecture == Architecture::RiscV && self.0 > RV32_SOURCE => {
                format!("{PLIC}{}", self.0 - RV32_SOURCE)
            }
            None if self.0 >= external => format!("IRQ{}", self.0 - external),
            None => format!("exception {}", self.0),
        }
    }

    /// Whether a Cortex-M can be given it from outside: what its own instructions and accesses cause, and a reset, it cannot.
    fn is_input_of_cortex_m(self) -> bool {
        const NMI: u16 = 2;
        const PEND_SV: u16 = 14;
        self.0 == NMI || self.0 >= PEND_SV
    }

    /// Whether it is HardFault, MemManage, BusFault or UsageFault.
    pub fn is_fault(self) -> bool {
        (3..=6).contains(&self.0)
    }

    /// The input of an RV32 core, or of its board's PLIC, that it comes from.
    pub fn input(self) -> Option<Input> {
        match self.0 {
            MACHINE_TIMER => Some(Input::Timer),
            MACHINE_SOFT => Some(Input::Software),
            number if number > RV32_SOURCE => Some(Input::Source(number - RV32_SOURCE)),
            number => {
                let line = u8::try_from(number.checked_sub(RV32_EXTERNAL)?).ok()?;
                Some(Input::External(line))
            }
        }
    }
}

/// The names of an architecture's own exceptions, and the number of its first external interrupt.
fn names(architecture: Architecture) -> (&'static [(u16, &'static str)], u16) {
    match architecture {
        Architecture::Arm => (&NAMES, EXTERNAL),
        Architecture::RiscV => (&TRAPS, RV32_EXTERNAL),
    }
}

/// What a board calls its exceptions: `SysTick`, `EXTI0`, and `IRQ6` where it has no name of its own.
#[derive(Clone, Debug)]
pub struct ExceptionNames {
    architecture: Architecture,
    irqs: Arc<[String]>,
}

impl ExceptionNames {
    /// The name of the exception with this number.
    pub fn of(&self, number: u16) -> String {
        let (_, external) = names(self.architecture);
        let irq = number.checked_sub(external).map(usize::from);
        let own = irq
            .and_then(|irq| self.irqs.get(irq))
            .filter(|name| !name.is_empty());
        own.cloned()
            .unwrap_or_else(|| Exception(number).name_in(self.architecture))
    }
}

impl Board {
    /// What it calls its exceptions.
    pub fn exception_names(&self) -> ExceptionNames {
        ExceptionNames {
            architecture: self.core().architecture(),
            irqs: self.irq_names().into(),
        }
    }

    /// The exception of this name: `SysTick`, `MachineTimer`, `IRQ6`, the board's own `EXTI0`, or the number of an external
    /// interrupt.
    ///
    /// # Errors
    /// [`ExceptionError`], with the nearest names.
    pub fn exception(&self, name: &str) -> Result<Exception, ExceptionError> {
        let (names, external) = names(self.core().architecture());
        let own = names.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        let named = own
            .map(|&(number, _)| Exception(number))
            .or_else(|| self.irq(name).map(|irq| Exception(external + irq)));
        if let Some(exception) = named {
            return Ok(exception);
        }
        let digits = name
            .strip_prefix("IRQ")
            .or(name.strip_prefix("irq"))
            .unwrap_or(name);
        match digits.parse::<u32>() {
            Ok(irq) if irq < u32::from(self.irqs()) => Ok(Exception(external + irq as u16)),
            Ok(irq) => Err(ExceptionError::OutOfRange {
                irq,
                board: self.name().into(),
                last: self.irqs() - 1,
            }),
            Err(_) => Err(self.unknown_exception(name)),
        }
    }

    /// As [`Board::exception`], of one that can be raised from outside. On a board with RV32 that is also a source of the PLIC
    /// (`PLIC:10`), or what interrupts for a peripheral, by its name.
    ///
    /// # Errors
    /// Also if it cannot.
    pub fn input(&self, name: &str) -> Result<Exception, ExceptionError> {
        if self.core().architecture() == Architecture::RiscV {
            let prefix = name
                .get(..PLIC.len())
                .filter(|prefix| prefix.eq_ignore_ascii_case(PLIC));
            if prefix.is_some() {
                return self.source(name, &name[PLIC.len()..]);
            }
            if let Some(irq) = self.peripheral_irq(name) {
                return Ok(Exception(
                    irq.as_source()
                        .map_or(RV32_EXTERNAL + irq.0, |source| RV32_SOURCE + source),
                ));
            }
        }
        let exception = self.exception(name)?;
        let is_input = match self.core().architecture() {
            Architecture::RiscV => exception.input().is_some(),
            Architecture::Arm => exception.is_input_of_cortex_m(),
        };
        if !is_input {
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
            .map(|number: u16| Exception(RV32_SOURCE + number))
            .ok_or_else(missing)
    }

    fn unknown_exception(&self, name: &str) -> ExceptionError {
        let (own, _) = names(self.core().architecture());
        let own = own.iter().map(|&(_, name)| name);
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
        let number = |name: &str| board.exception(name).unwrap().0;
        assert_eq!(number("PendSV"), 14);
        assert_eq!(number("systick"), 15);
        assert_eq!(number("IRQ6"), 22);
        assert_eq!(number("6"), 22);
        assert_eq!(number("EXTI0"), 22);
        assert_eq!(Exception::irq(6).name(), "IRQ6");
        assert_eq!(Exception(15).name(), "SysTick");
    }

    #[test]
    fn a_board_has_names_for_its_interrupts() {
        let names = Board::find("stm32f100rb").unwrap().exception_names();
        assert_eq!(names.of(22), "EXTI0");
        assert_eq!(names.of(15), "SysTick");
        let plain = Board::find("cortex-m3").unwrap().exception_names();
        assert_eq!(plain.of(22), "IRQ6");
        let virt = Board::find("virt").unwrap().exception_names();
        assert_eq!(virt.of(74), "PLIC:10");
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
        assert_eq!(input("PLIC:10").input(), Some(Input::Source(10)));
        assert_eq!(input("plic:1").name_in(Architecture::RiscV), "PLIC:1");
        assert_eq!(input("uart"), input("PLIC:10"));
        assert_eq!(input("IRQ10").input(), Some(Input::External(10)));
        for wrong in ["PLIC:0", "PLIC:96", "PLIC:x"] {
            let error = virt.input(wrong).unwrap_err().to_string();
            let expected = format!("no source `{wrong}` on board `virt`, whose PLIC has 95, numbered from 1");
            assert_eq!(error, expected);
        }
        // Without a PLIC, the line of the core.
        let litex = Board::find("vexriscv-full").unwrap();
        assert_eq!(litex.input("timer0").unwrap().input(), Some(Input::External(1)));
        assert!(litex.input("PLIC:1").is_err());
    }
}
