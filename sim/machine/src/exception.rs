//! Exceptions by number and by name.

use std::sync::Arc;

use thiserror::Error;

use bus::{CoreInterrupt, Irq};

use crate::board::Board;
use crate::image::Architecture;
use crate::nearest::{did_you_mean, nearest};

/// An interrupt, exception or trap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Exception {
    /// A system exception of a Cortex-M, by its number, 1 to 15 (ARMv7-M ARM B1.5.2).
    System(u8),
    /// An RV32 trap caused by an instruction, by its code in `mcause` (privileged ISA manual, table 14).
    Trap(u8),
    /// An RV32 interrupt that the privileged architecture defines, by its code.
    Interrupt(u8),
    /// An external interrupt of the core, from 0: of a Cortex-M's NVIC, or one of the 32 lines that `VexRiscv` combines to one interrupt.
    External(u16),
    /// A source of the board's PLIC, from 1.
    Source(u16),
}

/// A Cortex-M's own exceptions.
const SYSTEM: [(Exception, &str); 10] = [
    (Exception::System(1), "Reset"),
    (Exception::NMI, "NMI"),
    (Exception::HARD_FAULT, "HardFault"),
    (Exception::System(4), "MemManage"),
    (Exception::System(5), "BusFault"),
    (Exception::System(6), "UsageFault"),
    (Exception::System(11), "SVCall"),
    (Exception::System(12), "DebugMonitor"),
    (Exception::System(14), "PendSV"),
    (Exception::System(15), "SysTick"),
];

/// Traps and interrupts of RV32.
const TRAPS: [(Exception, &str); 20] = [
    (Exception::Trap(0), "InstructionMisaligned"),
    (Exception::Trap(1), "InstructionFault"),
    (Exception::Trap(2), "IllegalInstruction"),
    (Exception::Trap(3), "Breakpoint"),
    (Exception::Trap(4), "LoadMisaligned"),
    (Exception::Trap(5), "LoadFault"),
    (Exception::Trap(6), "StoreMisaligned"),
    (Exception::Trap(7), "StoreFault"),
    (Exception::Trap(8), "UserEnvCall"),
    (Exception::Trap(9), "SupervisorEnvCall"),
    (Exception::Trap(11), "MachineEnvCall"),
    (Exception::Trap(12), "InstructionPageFault"),
    (Exception::Trap(13), "LoadPageFault"),
    (Exception::Trap(15), "StorePageFault"),
    (Exception::Interrupt(1), "SupervisorSoft"),
    (Exception::MACHINE_SOFT, "MachineSoft"),
    (Exception::Interrupt(5), "SupervisorTimer"),
    (Exception::MACHINE_TIMER, "MachineTimer"),
    (Exception::Interrupt(9), "SupervisorExternal"),
    (Exception::Interrupt(11), "MachineExternal"),
];

/// The prefix of a PLIC source's name; its number follows.
const PLIC: &str = "PLIC:";

/// Exception numbers in events ([`events::Enter::number`]).
mod code {
    /// Cortex-M: the number of the first external interrupt. Lower numbers are those of IPSR.
    pub(super) const EXTERNAL: u16 = 16;
    /// RV32: offset of interrupt codes. Lower numbers are trap codes.
    pub(super) const RV32_INTERRUPT: u16 = 16;
    /// RV32: the number of the first external line.
    pub(super) const RV32_EXTERNAL: u16 = 32;
    /// RV32: the offset of PLIC sources; source 0 does not exist.
    pub(super) const RV32_SOURCE: u16 = 64;
}

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

impl Exception {
    /// A Cortex-M's non-maskable interrupt.
    pub const NMI: Exception = Exception::System(2);
    /// A Cortex-M's HardFault.
    pub const HARD_FAULT: Exception = Exception::System(3);
    /// The software interrupt of an RV32 core's machine mode.
    pub const MACHINE_SOFT: Exception = Exception::Interrupt(3);
    /// The timer interrupt of an RV32 core's machine mode.
    pub const MACHINE_TIMER: Exception = Exception::Interrupt(7);

    /// The exception whose number IPSR holds (ARMv7-M ARM B1.4.2); `None` in thread mode.
    pub fn of_ipsr(ipsr: u16) -> Option<Exception> {
        (ipsr != 0).then(|| Exception::of_code(Architecture::Arm, ipsr))
    }

    /// The exception with this event number on a core of this architecture.
    pub fn of_code(architecture: Architecture, code: u16) -> Exception {
        use code::{EXTERNAL, RV32_EXTERNAL, RV32_INTERRUPT, RV32_SOURCE};
        match architecture {
            Architecture::Arm if code < EXTERNAL => Exception::System(code as u8),
            Architecture::Arm => Exception::External(code - EXTERNAL),
            Architecture::RiscV if code < RV32_INTERRUPT => Exception::Trap(code as u8),
            Architecture::RiscV if code < RV32_EXTERNAL => {
                Exception::Interrupt((code - RV32_INTERRUPT) as u8)
            }
            Architecture::RiscV if code <= RV32_SOURCE => Exception::External(code - RV32_EXTERNAL),
            Architecture::RiscV => Exception::Source(code - RV32_SOURCE),
        }
    }

    /// Its event number on a core of this architecture.
    pub fn code(self, architecture: Architecture) -> u16 {
        match (self, architecture) {
            (Exception::System(number), _) => number.into(),
            (Exception::Trap(cause), _) => cause.into(),
            (Exception::Interrupt(cause), _) => code::RV32_INTERRUPT + u16::from(cause),
            (Exception::External(line), Architecture::Arm) => code::EXTERNAL + line,
            (Exception::External(line), Architecture::RiscV) => code::RV32_EXTERNAL + line,
            (Exception::Source(source), _) => code::RV32_SOURCE + source,
        }
    }

    /// Its name: `SysTick`, `MachineTimer`, `IRQ6`, `PLIC:10`.
    pub fn name(self) -> String {
        let own = SYSTEM.iter().chain(&TRAPS).find(|(known, _)| *known == self);
        match (self, own) {
            (_, Some((_, name))) => (*name).into(),
            (Exception::External(line), _) => format!("IRQ{line}"),
            (Exception::Source(source), _) => format!("{PLIC}{source}"),
            (Exception::System(number) | Exception::Trap(number), _) => format!("exception {number}"),
            (Exception::Interrupt(cause), _) => format!("interrupt {cause}"),
        }
    }

    /// Whether it can be raised from outside. Resets, and exceptions that the core's own instructions and accesses cause, cannot.
    fn is_input(self) -> bool {
        const PEND_SV: u8 = 14;
        match self {
            Exception::System(number) => self == Exception::NMI || number >= PEND_SV,
            Exception::External(_) => true,
            Exception::Trap(_) | Exception::Interrupt(_) | Exception::Source(_) => self.input().is_some(),
        }
    }

    /// Whether it is HardFault, MemManage, BusFault or UsageFault.
    pub fn is_fault(self) -> bool {
        matches!(self, Exception::System(3..=6))
    }

    /// The input of an RV32 core or its PLIC that raises it.
    pub fn input(self) -> Option<Input> {
        match self {
            Exception::MACHINE_TIMER => Some(Input::Timer),
            Exception::MACHINE_SOFT => Some(Input::Software),
            Exception::External(line) => u8::try_from(line).ok().map(Input::External),
            Exception::Source(source) => Some(Input::Source(source)),
            Exception::System(_) | Exception::Trap(_) | Exception::Interrupt(_) => None,
        }
    }
}

impl From<Irq> for Exception {
    /// The exception that an interrupt line of the core or its interrupt controller raises.
    fn from(irq: Irq) -> Exception {
        match irq {
            Irq::External(line) => Exception::External(line),
            Irq::Source(source) => Exception::Source(source),
            Irq::Core(CoreInterrupt::MachineSoftware) => Exception::MACHINE_SOFT,
            Irq::Core(CoreInterrupt::MachineTimer) => Exception::MACHINE_TIMER,
            Irq::Core(CoreInterrupt::SupervisorExternal) => Exception::Interrupt(9),
            Irq::Core(CoreInterrupt::MachineExternal) => Exception::Interrupt(11),
        }
    }
}

/// An architecture's own exceptions, with their names.
fn own(architecture: Architecture) -> &'static [(Exception, &'static str)] {
    match architecture {
        Architecture::Arm => &SYSTEM,
        Architecture::RiscV => &TRAPS,
    }
}

/// A board's names of exceptions: `SysTick`, `EXTI0`, and `IRQ6` for unnamed interrupts.
#[derive(Clone, Debug)]
pub struct ExceptionNames {
    architecture: Architecture,
    irqs: Arc<[String]>,
}

impl ExceptionNames {
    /// The name of the exception with this event number.
    pub fn of(&self, number: u16) -> String {
        self.name(Exception::of_code(self.architecture, number))
    }

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
            architecture: self.core().architecture(),
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
                .get(..PLIC.len())
                .filter(|prefix| prefix.eq_ignore_ascii_case(PLIC));
            if prefix.is_some() {
                return self.source(name, &name[PLIC.len()..]);
            }
            if let Some(irq) = self.peripheral_irq(name) {
                return Ok(irq.into());
            }
        }
        let exception = self.exception(name)?;
        if !exception.is_input() {
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

    /// Event numbers and exceptions map one to one.
    #[test]
    fn numbers_of_events_and_exceptions_are_one_to_one() {
        for architecture in [Architecture::Arm, Architecture::RiscV] {
            for code in (0..=1100).filter(|code| *code != code::RV32_SOURCE) {
                let exception = Exception::of_code(architecture, code);
                assert_eq!(exception.code(architecture), code, "{exception:?}");
            }
            for &(exception, name) in own(architecture) {
                assert_eq!(
                    Exception::of_code(architecture, exception.code(architecture)).name(),
                    name
                );
            }
        }
    }

    /// An input of the other core family is refused.
    #[test]
    fn only_inputs_can_be_raised() {
        let all = [Architecture::Arm, Architecture::RiscV].map(own).concat();
        let inputs = all.iter().filter(|(exception, _)| exception.is_input());
        let inputs: Vec<_> = inputs.map(|(_, name)| *name).collect();
        assert_eq!(
            inputs,
            ["NMI", "PendSV", "SysTick", "MachineSoft", "MachineTimer"]
        );
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
        assert_eq!(input("plic:1").name(), "PLIC:1");
        assert_eq!(input("uart"), input("PLIC:10"));
        assert_eq!(input("IRQ10").input(), Some(Input::External(10)));
        for wrong in ["PLIC:0", "PLIC:96", "PLIC:x"] {
            let error = virt.input(wrong).unwrap_err().to_string();
            let expected = format!("no source `{wrong}` on board `virt`, whose PLIC has 95, numbered from 1");
            assert_eq!(error, expected);
        }
        // Without a PLIC, it is the core's line.
        let litex = Board::find("vexriscv-full").unwrap();
        assert_eq!(litex.input("timer0").unwrap().input(), Some(Input::External(1)));
        assert!(litex.input("PLIC:1").is_err());
    }
}
