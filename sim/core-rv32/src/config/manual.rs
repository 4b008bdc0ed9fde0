//! Cores that follow the manuals and have no Verilog, as in QEMU. Their pipeline is that of `vexriscv-imac` plus the additions of `-linux`
//! and `-secure`: each part is compared with its Verilog, the whole is not. Marking a page as dirty costs nothing, nor do protected
//! regions.

use isa_rv32::{Extension, Isa};

use super::{Access, Config, Family, IM, Protection, Timing, Translation};

/// The core of QEMU's machine `virt`.
pub const RV32: Config = Config {
    supervisor: true,
    splits: true,
    protection: Protection::Manual(16),
    translation: Translation::Sv32,
    mstatus: 0x007e_19aa,
    sstatus: 0x000c_0122,
    mideleg: 0x222,
    medeleg: 0xb3ff,
    misa: 0x4014_1105,
    ..of(
        "rv32",
        IMAC.with(Extension::Zba)
            .with(Extension::Zbb)
            .with(Extension::Zbs)
            .with(Extension::Supervisor),
        SUPERVISOR,
    )
};

/// The core of QEMU's machine `sifive_e`.
pub const SIFIVE_E31: Config = Config {
    protection: Protection::Manual(8),
    mstatus: 0x0022_1888,
    misa: 0x4010_1105,
    ..of("sifive-e31", IMAC, USER)
};

const fn of(name: &'static str, isa: Isa, csrs: &'static [(u16, Access)]) -> Config {
    Config {
        user: true,
        vectored: true,
        ..Config::new(name, Family::Manual, isa, csrs, Timing::Compressed)
    }
}

const IMAC: Isa = IM
    .with(Extension::Zalrsc)
    .with(Extension::Zaamo)
    .with(Extension::C);

/// The manual's, of a core with supervisor mode. Protection's are [`super::Protection`].
const SUPERVISOR: &[(u16, Access)] = &[
    (0x100, Access::Both),
    (0x104, Access::Both),
    (0x105, Access::Both),
    (0x106, Access::Both),
    (0x140, Access::Both),
    (0x141, Access::Both),
    (0x142, Access::Both),
    (0x143, Access::Both),
    (0x144, Access::Both),
    (0x180, Access::Both),
    (0x300, Access::Both),
    (0x301, Access::Fixed),
    (0x302, Access::Both),
    (0x303, Access::Both),
    (0x304, Access::Both),
    (0x305, Access::Both),
    (0x306, Access::Both),
    (0x310, Access::Fixed),
    (0x340, Access::Both),
    (0x341, Access::Both),
    (0x342, Access::Both),
    (0x343, Access::Both),
    (0x344, Access::Both),
    // Triggers: none (debug specification 5.7.1: `tdata1` is 0).
    (0x7a0, Access::Fixed),
    (0x7a1, Access::Fixed),
    (0x7a2, Access::Fixed),
    (0x7a3, Access::Fixed),
    (0xb00, Access::Both),
    (0xb02, Access::Both),
    (0xb80, Access::Both),
    (0xb82, Access::Both),
    (0xc00, Access::ReadOnly),
    (0xc01, Access::ReadOnly),
    (0xc02, Access::ReadOnly),
    (0xc80, Access::ReadOnly),
    (0xc81, Access::ReadOnly),
    (0xc82, Access::ReadOnly),
    (0xf11, Access::ReadOnly),
    (0xf12, Access::ReadOnly),
    (0xf13, Access::ReadOnly),
    (0xf14, Access::ReadOnly),
];

/// The registers without supervisor mode.
const USER: &[(u16, Access)] = &[
    (0x300, Access::Both),
    (0x301, Access::Fixed),
    (0x304, Access::Both),
    (0x305, Access::Both),
    (0x306, Access::Both),
    (0x340, Access::Both),
    (0x341, Access::Both),
    (0x342, Access::Both),
    (0x343, Access::Both),
    (0x344, Access::Both),
    // Triggers: none (debug specification 5.7.1: `tdata1` is 0).
    (0x7a0, Access::Fixed),
    (0x7a1, Access::Fixed),
    (0x7a2, Access::Fixed),
    (0x7a3, Access::Fixed),
    (0xb00, Access::Both),
    (0xb02, Access::Both),
    (0xb80, Access::Both),
    (0xb82, Access::Both),
    (0xc00, Access::ReadOnly),
    (0xc01, Access::ReadOnly),
    (0xc02, Access::ReadOnly),
    (0xc80, Access::ReadOnly),
    (0xc81, Access::ReadOnly),
    (0xc82, Access::ReadOnly),
    (0xf11, Access::ReadOnly),
    (0xf12, Access::ReadOnly),
    (0xf13, Access::ReadOnly),
    (0xf14, Access::ReadOnly),
];
