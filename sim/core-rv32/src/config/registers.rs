//! The control and status registers of each kind of core, by number.

use super::Access;

/// The registers of every variant.
pub(super) const SMALL: &[(u16, Access)] = &[
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

/// The same with information about the data cache.
pub(super) const SMALL_CACHED: &[(u16, Access)] = &[
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

pub(super) const ALL: &[(u16, Access)] = &[
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

/// The counters of `PicoRV32`.
pub(super) const COUNTERS: &[(u16, Access)] = &[
    (0xc00, Access::ReadOnly),
    (0xc01, Access::ReadOnly),
    (0xc02, Access::ReadOnly),
    (0xc80, Access::ReadOnly),
    (0xc81, Access::ReadOnly),
    (0xc82, Access::ReadOnly),
];

pub(super) const IBEX_CSRS: [(u16, Access); 112] = ibex_csrs();

/// The registers of Ibex: those of counters and events that it does not have read as 0.
const fn ibex_csrs() -> [(u16, Access); 112] {
    use Access::{Both, Fixed, ReadOnly};
    let ranges: [(u16, u16, Access); 22] = [
        (0x300, 1, Both),
        (0x301, 1, Fixed),
        (0x304, 2, Both),
        (0x306, 1, Fixed),
        (0x30a, 1, Fixed),
        (0x310, 1, Fixed),
        (0x31a, 1, Fixed),
        (0x320, 1, Both),
        (0x323, 29, Fixed),
        (0x340, 4, Both),
        (0x344, 1, Fixed),
        (0x7c0, 1, Both),
        (0x7c1, 1, Fixed),
        (0xb00, 1, Both),
        (0xb02, 1, Both),
        (0xb03, 29, Fixed),
        (0xb80, 1, Both),
        (0xb82, 1, Both),
        (0xb83, 29, Fixed),
        (0xf11, 1, ReadOnly),
        (0xf12, 2, ReadOnly),
        (0xf14, 2, ReadOnly),
    ];
    let mut table = [(0, Fixed); 112];
    let (mut at, mut range) = (0, 0);
    while range < ranges.len() {
        let (first, count, access) = ranges[range];
        let mut place = 0;
        while place < count {
            table[at] = (first + place, access);
            (at, place) = (at + 1, place + 1);
        }
        range += 1;
    }
    assert!(at == table.len(), "the table is full");
    table
}

/// `VexRiscv` with supervisor mode.
pub(super) const LINUX: &[(u16, Access)] = &[
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

/// The manual's, of a core with supervisor mode. Protection's are [`Protection::has_register`].
pub(super) const SUPERVISOR: &[(u16, Access)] = &[
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

/// The same without supervisor mode.
pub(super) const USER: &[(u16, Access)] = &[
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
