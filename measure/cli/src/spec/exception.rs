//! Names of exceptions, as specs and messages use them (ARMv7-M ARM B1.5.2).

use crate::nearest::did_you_mean;

/// The exceptions that have a name of their own; external interrupt n is `IRQn`, number 16 + n.
const NAMES: [(u16, &str); 9] = [
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

/// Greatest external interrupt of the architecture.
const LAST_IRQ: u16 = 495;

/// The number of a named exception.
///
/// # Errors
///
/// The hint to give, if there is no such name.
pub fn exception_number(name: &str) -> Result<u16, String> {
    if let Some((number, _)) = NAMES.iter().find(|(_, known)| *known == name) {
        return Ok(*number);
    }
    let irq: Option<u16> = name.strip_prefix("IRQ").and_then(|digits| digits.parse().ok());
    match irq {
        Some(irq) if irq <= LAST_IRQ => Ok(16 + irq),
        Some(_) => Err(format!("external interrupts are IRQ0 to IRQ{LAST_IRQ}")),
        None => Err(did_you_mean(name, NAMES.map(|(_, known)| known)).unwrap_or_else(all)),
    }
}

/// The name of an exception number; numbers without a meaning are shown as such.
pub fn exception_name(number: u16) -> String {
    match NAMES.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => (*name).to_owned(),
        None if number >= 16 => format!("IRQ{}", number - 16),
        None => format!("exception {number}"),
    }
}

fn all() -> String {
    format!("one of {}, IRQ0, IRQ1, …", NAMES.map(|(_, name)| name).join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for number in [2, 3, 4, 5, 6, 11, 12, 14, 15, 16, 22, 511] {
            assert_eq!(exception_number(&exception_name(number)), Ok(number));
        }
        assert_eq!(exception_number("PendSv").unwrap_err(), "did you mean `PendSV`?");
        assert_eq!(
            exception_number("IRQ496").unwrap_err(),
            "external interrupts are IRQ0 to IRQ495"
        );
    }
}
