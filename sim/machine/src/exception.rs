//! Exceptions by number and by name.

use thiserror::Error;

use crate::board::Board;
use crate::nearest::{did_you_mean, nearest};

/// The number of an exception: 1 to 15 the core's own, from 16 on the external interrupts.
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
}

impl ExceptionError {
    /// What to write instead.
    pub fn hint(&self) -> Option<String> {
        match self {
            ExceptionError::Unknown { nearest, .. } => did_you_mean(nearest),
            ExceptionError::OutOfRange { .. } => None,
        }
    }
}

impl Exception {
    /// HardFault.
    pub const HARD_FAULT: Exception = Exception(3);

    /// External interrupt `irq`, from 0.
    pub fn irq(irq: u16) -> Exception {
        Exception(EXTERNAL + irq)
    }

    /// Its name: `SysTick`, `IRQ6`.
    pub fn name(self) -> String {
        let own = NAMES.iter().find(|&&(number, _)| number == self.0);
        match own {
            Some((_, name)) => (*name).into(),
            None if self.0 >= EXTERNAL => format!("IRQ{}", self.0 - EXTERNAL),
            None => format!("exception {}", self.0),
        }
    }

    /// Whether it is HardFault, MemManage, BusFault or UsageFault.
    pub fn is_fault(self) -> bool {
        (3..=6).contains(&self.0)
    }
}

impl Board {
    /// The exception of this name: `SysTick`, `IRQ6`, the board's own `EXTI0`, or the number of an external interrupt.
    ///
    /// # Errors
    /// [`ExceptionError`], with the nearest names.
    pub fn exception(&self, name: &str) -> Result<Exception, ExceptionError> {
        let own = NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        let named = own
            .map(|&(number, _)| Exception(number))
            .or_else(|| self.irq(name).map(Exception::irq));
        if let Some(exception) = named {
            return Ok(exception);
        }
        let digits = name
            .strip_prefix("IRQ")
            .or(name.strip_prefix("irq"))
            .unwrap_or(name);
        match digits.parse::<u32>() {
            Ok(irq) if irq < u32::from(self.irqs()) => Ok(Exception::irq(irq as u16)),
            Ok(irq) => Err(ExceptionError::OutOfRange {
                irq,
                board: self.name().into(),
                last: self.irqs() - 1,
            }),
            Err(_) => Err(self.unknown_exception(name)),
        }
    }

    fn unknown_exception(&self, name: &str) -> ExceptionError {
        let own = NAMES.iter().map(|&(_, name)| name);
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
}
