//! Formats fault status registers and xPSR.

use std::fmt::Write;

use core_cortex_m::{Fault, FaultStatus};

use crate::exception::Exception;

/// Bits of CFSR (ARMv7-M ARM B3.2.15).
const CFSR: [(u32, &str, &str); 19] = [
    (
        0,
        "IACCVIOL",
        "instruction fetch from a place that the MPU or the memory map forbids",
    ),
    (1, "DACCVIOL", "data access that the MPU forbids"),
    (
        3,
        "MUNSTKERR",
        "the MPU forbade the unstacking on exception return",
    ),
    (4, "MSTKERR", "the MPU forbade the stacking on exception entry"),
    (
        5,
        "MLSPERR",
        "the MPU forbade saving floating-point registers lazily",
    ),
    (7, "MMARVALID", "MMFAR holds the address"),
    (8, "IBUSERR", "instruction fetch failed on the bus"),
    (9, "PRECISERR", "data access failed on the bus"),
    (10, "IMPRECISERR", "an earlier store failed on the bus"),
    (11, "UNSTKERR", "unstacking on exception return failed on the bus"),
    (12, "STKERR", "stacking on exception entry failed on the bus"),
    (
        13,
        "LSPERR",
        "saving floating-point registers lazily failed on the bus",
    ),
    (15, "BFARVALID", "BFAR holds the address"),
    (16, "UNDEFINSTR", "undefined instruction"),
    (
        17,
        "INVSTATE",
        "execution outside Thumb state: a jump to an even address",
    ),
    (18, "INVPC", "exception return with a wrong EXC_RETURN or frame"),
    (
        19,
        "NOCP",
        "access to a coprocessor that is not there, or not enabled in CPACR (floating point?)",
    ),
    (24, "UNALIGNED", "unaligned access"),
    (25, "DIVBYZERO", "division by zero"),
];

/// Bits of HFSR (ARMv7-M ARM B3.2.16).
const HFSR: [(u32, &str, &str); 3] = [
    (1, "VECTTBL", "the vector of an exception could not be read"),
    (
        30,
        "FORCED",
        "another fault escalated, because its own handler is disabled or not urgent enough",
    ),
    (31, "DEBUGEVT", "BKPT without a debugger"),
];

/// One line for each non-zero register: `name value  BIT: what it means; …`.
pub(super) fn lines(status: &FaultStatus) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |name: &str, value: u32, text: String| {
        lines.push(format!("{name:<5} {value:#010x}  {text}").trim_end().to_owned());
    };
    if status.cfsr != 0 {
        add("CFSR", status.cfsr, words(status.cfsr, &CFSR));
    }
    if status.hfsr != 0 {
        add("HFSR", status.hfsr, words(status.hfsr, &HFSR));
    }
    if status.cfsr & 1 << 7 != 0 {
        add("MMFAR", status.mmfar, String::new());
    }
    if status.cfsr & 1 << 15 != 0 {
        add("BFAR", status.bfar, String::new());
    }
    lines
}

fn words(value: u32, bits: &[(u32, &str, &str)]) -> String {
    let set = bits.iter().filter(|(bit, _, _)| value & 1 << bit != 0);
    set.map(|(_, name, meaning)| format!("{name}: {meaning}"))
        .collect::<Vec<_>>()
        .join("; ")
}

/// Describes a fault in a sentence. It names the fault's own exception if that is `configurable`; ARMv6-M takes every fault as HardFault.
pub(super) fn describe(fault: Fault, configurable: bool) -> String {
    let what = match fault {
        Fault::DataBus(address) => format!("data access at {address:#010x} failed on the bus"),
        Fault::DataAccess(address) => format!("forbidden data access at {address:#010x}"),
        Fault::Unaligned(address) => format!("unaligned access to {address:#010x}"),
        _ => words_for(fault).into(),
    };
    match own_exception(fault).filter(|_| configurable) {
        Some(exception) => format!("{what} ({exception})"),
        None => what,
    }
}

fn words_for(fault: Fault) -> &'static str {
    match fault {
        Fault::UndefInstr => "undefined instruction",
        Fault::InvState => "execution outside Thumb state, after a jump to an even address",
        Fault::InvPc => "exception return with a wrong EXC_RETURN or frame",
        Fault::NoCp => "access to a coprocessor that is not there or not enabled",
        Fault::Unaligned(_) => "unaligned access",
        Fault::DivByZero => "division by zero",
        Fault::InstructionBus => "instruction fetch failed on the bus",
        Fault::DataBus(_) => "data access failed on the bus",
        Fault::ImpreciseBus => "an earlier store failed on the bus",
        Fault::StackingBus => "stacking on exception entry failed on the bus",
        Fault::UnstackingBus => "unstacking on exception return failed on the bus",
        Fault::InstructionAccess => "instruction fetch from a forbidden place",
        Fault::DataAccess(_) => "forbidden data access",
        Fault::StackingAccess => "forbidden stacking on exception entry",
        Fault::UnstackingAccess => "forbidden unstacking on exception return",
        Fault::PreservingBus => "saving floating-point registers lazily failed on the bus",
        Fault::PreservingAccess => "forbidden saving of floating-point registers",
        Fault::VectorRead => "the vector of an exception could not be read",
        Fault::DebugEvent => "BKPT without a debugger",
        Fault::SupervisorCall => {
            "SVC where SVCall cannot be taken: masked, or called from as urgent a handler"
        }
    }
}

fn own_exception(fault: Fault) -> Option<&'static str> {
    Some(match fault {
        Fault::UndefInstr
        | Fault::InvState
        | Fault::InvPc
        | Fault::NoCp
        | Fault::Unaligned(_)
        | Fault::DivByZero => "UsageFault",
        Fault::InstructionBus
        | Fault::DataBus(_)
        | Fault::StackingBus
        | Fault::UnstackingBus
        | Fault::PreservingBus => "BusFault",
        Fault::ImpreciseBus => "BusFault, imprecise",
        Fault::InstructionAccess
        | Fault::DataAccess(_)
        | Fault::StackingAccess
        | Fault::UnstackingAccess
        | Fault::PreservingAccess => "MemManage",
        Fault::VectorRead => "HardFault",
        Fault::DebugEvent | Fault::SupervisorCall => return None,
    })
}

/// xPSR in debuggers' format: flags in capitals if set, then IT state, T and mode.
pub(super) fn xpsr(value: u32) -> String {
    let mut text = String::new();
    for (bit, name) in [(31, 'n'), (30, 'z'), (29, 'c'), (28, 'v'), (27, 'q')] {
        text.push(if value & 1 << bit != 0 {
            name.to_ascii_uppercase()
        } else {
            name
        });
    }
    text.push_str(if value & 1 << 24 != 0 { " T" } else { " t" });
    let it = value >> 25 & 3 | value >> 8 & 0xfc;
    if it != 0 {
        let _ = write!(text, " IT {it:#04x}");
    }
    match Exception::of_ipsr((value & 0x1ff) as u16) {
        None => text.push_str(" thread mode"),
        Some(exception) => {
            let _ = write!(text, " handler of {}", exception.name());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_bits_that_are_set() {
        let status = FaultStatus {
            cfsr: 0x8200,
            hfsr: 0x4000_0000,
            bfar: 0x6000_0000,
            ..FaultStatus::default()
        };
        let lines = lines(&status);
        assert!(
            lines[0].contains("PRECISERR: data access failed on the bus; BFARVALID"),
            "{lines:?}"
        );
        assert!(lines[1].contains("FORCED"), "{lines:?}");
        assert_eq!(lines[2], "BFAR  0x60000000");
    }

    #[test]
    fn decodes_xpsr() {
        assert_eq!(xpsr(0x6100_0000), "nZCvq T thread mode");
        assert_eq!(xpsr(0x0000_0003), "nzcvq t handler of HardFault");
        assert_eq!(xpsr(0x0700_1c00), "nzcvq T IT 0x1f thread mode");
    }
}
