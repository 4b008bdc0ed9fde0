//! Ibex as its Verilog is by default: RV32IMC, a multiplier of three cycles, machine and user mode, no PMP, no instruction cache,
//! no hardware counters.

use isa_rv32::Extension;

use super::{Access, Config, Family, IM, Timing};

/// Ibex with two stages.
pub const IBEX: Config = variant("ibex", Timing::Ibex);

/// With a write-back stage, and an adder for branch targets.
pub const IBEX_WB: Config = variant("ibex-wb", Timing::IbexWriteBack);

const fn variant(name: &'static str, timing: Timing) -> Config {
    Config {
        user: true,
        vectored: true,
        splits: true,
        refuses_fetch: true,
        // Behind its table of handlers (`boot_addr_i`).
        first: (0xff, 0x80),
        mstatus: 0x0022_1888,
        misa: 0x4010_1104,
        ids: [0, 22, 0],
        ..Config::new(name, Family::Ibex, IM.with(Extension::C), &REGISTERS, timing)
    }
}

const REGISTERS: [(u16, Access); 112] = registers();

/// Registers of absent counters and events read as 0.
const fn registers() -> [(u16, Access); 112] {
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
