//! `PicoRV32` with the parameters that its Verilog has by default, and a multiplier and a divider (`ENABLE_MUL`, `ENABLE_DIV`).
//! Its own interrupts (`ENABLE_IRQ`) are not modelled.

use isa_rv32::{Extension, Isa};

use super::{Access, Config, Family, Timing};

/// `PicoRV32`.
pub const PICORV32: Config = Config {
    halts: true,
    breakpoints: false,
    tells_calls: true,
    waits: false,
    reserves_any: true,
    ..Config::new(
        "picorv32",
        Family::VexRiscv,
        Isa::RV32I.with(Extension::Zicsr).with(Extension::M),
        COUNTERS,
        Timing::PicoRv32,
    )
};

/// The counters of `PicoRV32`.
const COUNTERS: &[(u16, Access)] = &[
    (0xc00, Access::ReadOnly),
    (0xc01, Access::ReadOnly),
    (0xc02, Access::ReadOnly),
    (0xc80, Access::ReadOnly),
    (0xc81, Access::ReadOnly),
    (0xc82, Access::ReadOnly),
];
