//! `VexRiscv` as `LiteX` packages it. Source: the generator's configuration in the package of its Verilog.

use isa_rv32::{Extension, Isa};

use super::{Access, Config, Family, IM, Protection, RV32I, Timing, Translation};

/// Without caches, bypasses and prediction.
pub const MIN: Config = variant("vexriscv-min", RV32I, SMALL, Timing::Simple);

/// With an instruction cache, bypasses, prediction, a multiplier and a divider.
pub const LITE: Config = variant("vexriscv-lite", IM, SMALL, Timing::Lite);

/// With a data cache too.
pub const STANDARD: Config = variant("vexriscv-standard", IM, SMALL_CACHED, Timing::Cached);

/// With all registers of machine mode.
pub const FULL: Config = with_all_registers("vexriscv-full", IM, Timing::Cached);

/// With compressed instructions, LR and SC.
pub const IMAC: Config = with_all_registers(
    "vexriscv-imac",
    IM.with(Extension::C).with(Extension::Zalrsc),
    Timing::Compressed,
);

/// Sv32, supervisor mode, atomic operations; few counters, and it cannot read `mtvec`.
pub const LINUX: Config = Config {
    checks_csrs: true,
    waits: true,
    supervisor: true,
    user: true,
    translation: Translation::VexRiscv,
    mstatus: 0x000e_19aa,
    sstatus: 0x000e_0122,
    mideleg: 0x222,
    medeleg: 0xb3f7,
    ids: [1, 2, 3],
    uncached: 0xc800,
    ..variant(
        "vexriscv-linux",
        IM.with(Extension::Zalrsc)
            .with(Extension::Zaamo)
            .with(Extension::Supervisor),
        LINUX_REGISTERS,
        Timing::Cached,
    )
};

/// Precursor's core: compressed instructions, Sv32, and set-associative caches, from an older generator. No package has its Verilog; a user
/// who has it can compare. Source: betrusted-io/pythondata-cpu-vexriscv, `VexRiscv_BetrustedSoC.v` and `GenBetrustedSoC.scala`, whose
/// instruction cache has two ways; the study of Xous's messages says four.
pub const PRECURSOR: Config = Config {
    name: "vexriscv-precursor",
    timing: Some(Timing::Precursor),
    isa: LINUX.isa.with(Extension::C),
    breakpoints: true,
    keeps_reservation: true,
    ways: [2, 4],
    ..LINUX
};

/// Protection of physical memory, for which it has user mode.
pub const SECURE: Config = Config {
    user: true,
    protection: Protection::VexRiscv,
    misa: 0x4010_1064,
    ids: [1, 2, 3],
    ..with_all_registers("vexriscv-secure", IM, Timing::Cached)
};

const fn variant(name: &'static str, isa: Isa, csrs: &'static [(u16, Access)], timing: Timing) -> Config {
    Config {
        checks_csrs: false,
        expands_reserved: true,
        breakpoints: false,
        tells_calls: true,
        waits: false,
        reserves_any: true,
        misa: 0x4000_0042,
        ids: [11, 22, 33],
        data_cache_info: 0x0200_1000,
        ..Config::new(name, Family::VexRiscv, isa, csrs, timing)
    }
}

const fn with_all_registers(name: &'static str, isa: Isa, timing: Timing) -> Config {
    Config {
        checks_csrs: true,
        waits: true,
        ..variant(name, isa, ALL, timing)
    }
}

/// The registers of every variant.
const SMALL: &[(u16, Access)] = &[
    (0x300, Access::Both),
    (0x304, Access::Both),
    (0x305, Access::Write),
    (0x341, Access::Both),
    (0x342, Access::Read),
    (0x343, Access::Read),
    (0x344, Access::Both),
    (0xbc0, Access::Both),
    (0xfc0, Access::Read),
];

/// The registers of a small core plus the size of the data cache.
const SMALL_CACHED: &[(u16, Access)] = &[
    (0x300, Access::Both),
    (0x304, Access::Both),
    (0x305, Access::Write),
    (0x341, Access::Both),
    (0x342, Access::Read),
    (0x343, Access::Read),
    (0x344, Access::Both),
    (0xbc0, Access::Both),
    (0xcc0, Access::Read),
    (0xfc0, Access::Read),
];

const ALL: &[(u16, Access)] = &[
    (0x300, Access::Both),
    (0x301, Access::Both),
    (0x304, Access::Both),
    (0x305, Access::Both),
    (0x340, Access::Both),
    (0x341, Access::Both),
    (0x342, Access::Both),
    (0x343, Access::Both),
    (0x344, Access::Both),
    (0xb00, Access::Both),
    (0xb02, Access::Both),
    (0xb80, Access::Both),
    (0xb82, Access::Both),
    (0xbc0, Access::Both),
    (0xc00, Access::Read),
    (0xc02, Access::Read),
    (0xc80, Access::Read),
    (0xc82, Access::Read),
    (0xcc0, Access::Read),
    (0xf11, Access::Read),
    (0xf12, Access::Read),
    (0xf13, Access::Read),
    (0xf14, Access::Read),
    (0xfc0, Access::Read),
];

/// `VexRiscv` with supervisor mode.
const LINUX_REGISTERS: &[(u16, Access)] = &[
    (0x100, Access::Both),
    (0x104, Access::Both),
    (0x105, Access::Both),
    (0x140, Access::Both),
    (0x141, Access::Both),
    (0x142, Access::Both),
    (0x143, Access::Both),
    (0x144, Access::Both),
    (0x180, Access::Both),
    (0x300, Access::Both),
    (0x302, Access::Write),
    (0x303, Access::Write),
    (0x304, Access::Both),
    (0x305, Access::Write),
    (0x340, Access::Both),
    (0x341, Access::Both),
    (0x342, Access::Read),
    (0x343, Access::Read),
    (0x344, Access::Both),
    (0x9c0, Access::Both),
    (0xbc0, Access::Both),
    (0xcc0, Access::Read),
    (0xdc0, Access::Read),
    (0xf11, Access::Read),
    (0xf12, Access::Read),
    (0xf13, Access::Read),
    (0xf14, Access::Read),
    (0xfc0, Access::Read),
];
