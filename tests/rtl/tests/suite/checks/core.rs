//! Assembler options for a core: its instructions, and symbols for its features and peculiarities.

use core_rv32::{Config, Family, Protection, Translation};
use isa_rv32::Extension;

/// `-march` and `-mabi`.
pub(super) fn instructions(config: &Config) -> [String; 2] {
    let isa = config.isa;
    let (base, abi) = if isa.registers() == 16 {
        ("rv32e", "ilp32e")
    } else {
        ("rv32i", "ilp32")
    };
    let names = [
        (Extension::M, "m"),
        (Extension::Zalrsc, "a"),
        (Extension::C, "c"),
        (Extension::Zicsr, "_zicsr"),
        (Extension::Zifencei, "_zifencei"),
        (Extension::Zba, "_zba"),
        (Extension::Zbb, "_zbb"),
        (Extension::Zbs, "_zbs"),
    ];
    let there = names
        .into_iter()
        .filter(|&(extension, _)| isa.has(extension))
        .map(|(_, name)| name);
    [
        format!("-march={base}{}", there.collect::<String>()),
        format!("-mabi={abi}"),
    ]
}

/// A core's symbols, each 1 or 0.
pub(super) fn symbols(config: &Config) -> impl Iterator<Item = String> {
    let has = |csr| config.access(csr).is_some();
    let symbols = [
        // RV32E.
        ("E", config.isa.registers() == 16),
        ("TRAPS", !config.halts),
        ("USER", config.user),
        ("SUPERVISOR", config.supervisor),
        ("M", config.isa.has(Extension::M)),
        ("A", config.isa.has(Extension::Zalrsc)),
        // AMOs, in addition to LR and SC.
        ("AMO", config.isa.has(Extension::Zaamo)),
        ("COMPRESSED", config.isa.has(Extension::C)),
        ("ZBB", config.isa.has(Extension::Zbb)),
        ("VEXRISCV", config.family == Family::VexRiscv),
        ("IBEX", config.family == Family::Ibex),
        ("MANUAL", config.family == Family::Manual),
        ("DATA_CACHE", has(0xcc0)),
        ("CHECKS_CSRS", config.checks_csrs),
        ("MSCRATCH", has(0x340)),
        ("COUNTERS", has(0xb00)),
        ("USER_COUNTERS", has(0xc00)),
        ("BREAKPOINTS", config.breakpoints),
        ("TELLS_CALLS", config.tells_calls),
        ("VECTORED", config.vectored),
        ("SPLITS", config.splits),
        ("RESERVES_ANY", config.reserves_any),
        ("REFUSES_FETCH", config.refuses_fetch),
        ("PMP", config.protection != Protection::None),
        ("MARKS_PAGES", config.translation == Translation::Sv32),
    ];
    symbols
        .into_iter()
        .map(|(name, value)| format!("{name}={}", u8::from(value)))
}
