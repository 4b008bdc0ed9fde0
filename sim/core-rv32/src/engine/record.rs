//! A record of a core's activity with all values, for comparison with the Verilog. Recording clocks every cycle.

use std::collections::VecDeque;

use exec::Accessed;
use isa_rv32::Insn;

use crate::core::Core;

/// An instruction that retired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retirement {
    /// The cycle in which it retires.
    pub cycle: u64,
    /// The instruction's address.
    pub pc: u32,
    /// The register that it wrote, if not `x0`, and its value.
    pub written: Option<(u8, u32)>,
    /// The privilege at which it was executed: 3 machine, 1 supervisor, 0 user.
    pub privilege: u8,
}

/// A trap that was taken, and what it left in the registers of the mode that handles it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The cycle of the trap.
    pub cycle: u64,
    /// In `mcause`, or `scause`.
    pub cause: u32,
    /// In `mepc`, or `sepc`.
    pub epc: u32,
    /// In `mtval`, or `stval`.
    pub value: u32,
    /// The mode of the handler: 3 or 1.
    pub privilege: u8,
}

/// A word that was written at the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// The cycle of the write.
    pub cycle: u64,
    /// Its address on the bus, a multiple of 4.
    pub address: u32,
    /// A bit for each byte that was written.
    pub lanes: u8,
    /// The written bytes; the others are 0.
    pub value: u32,
}

/// A core's recorded activity.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Record {
    /// Retired instructions.
    pub retired: Vec<Retirement>,
    /// The traps that were taken.
    pub traps: Vec<Taken>,
    /// Writes at the bus.
    pub writes: Vec<Written>,
}

/// An instruction that was executed and has not retired.
#[derive(Clone, Copy, Debug)]
struct RecordedStart {
    rd: u8,
    value: u32,
    privilege: u8,
    stores: bool,
}

/// Keeps a record while the program goes on.
#[derive(Clone, Default, Debug)]
pub(super) struct Recorder {
    pub(super) record: Record,
    begun: VecDeque<RecordedStart>,
    /// Stores that have not reached the bus, oldest first: first address and number of bytes.
    stores: VecDeque<Accessed>,
}

impl Recorder {
    /// An instruction was executed; some are only begun, and their value comes later.
    pub(super) fn begin(&mut self, core: &Core, insn: &Insn, write: Option<Accessed>) {
        let writes = !insn.is_branch() && !insn.only_stores();
        self.begun.push_back(RecordedStart {
            rd: if writes { insn.rd.0 } else { 0 },
            value: core.read(insn.rd),
            privilege: core.privilege as u8,
            stores: write.is_some(),
        });
        self.stores.extend(write);
    }

    /// The youngest of them has its value.
    pub(super) fn finish(&mut self, value: u32) {
        if let Some(last) = self.begun.back_mut() {
            last.value = value;
        }
    }

    /// Sets the value of the instruction with `place` older ones.
    pub(super) fn finish_at(&mut self, place: usize, value: u32) {
        if let Some(begun) = self.begun.get_mut(place) {
            begun.value = value;
        }
    }

    /// The youngest of them was not executed after all.
    pub(super) fn undo(&mut self) {
        if self.begun.pop_back().is_some_and(|begun| begun.stores) {
            self.stores.pop_back();
        }
    }

    /// The oldest of them, the one at `pc`, retires.
    pub(super) fn retire(&mut self, cycle: u64, pc: u32) {
        if let Some(RecordedStart {
            rd, value, privilege, ..
        }) = self.begun.pop_front()
        {
            self.record.retired.push(Retirement {
                cycle,
                pc,
                written: (rd != 0).then_some((rd, value)),
                privilege,
            });
        }
    }

    /// A trap was taken in this cycle.
    pub(super) fn take(&mut self, cycle: u64, core: &Core) {
        let (csrs, privilege) = (&core.csrs, core.privilege as u8);
        let [cause, epc, value] = if privilege == 3 {
            [csrs.mcause, csrs.mepc, csrs.mtval]
        } else {
            [csrs.scause, csrs.sepc, csrs.stval]
        };
        self.record.traps.push(Taken {
            cycle,
            cause,
            epc,
            value,
            privilege,
        });
    }

    /// Records a write of the word at this address in this cycle, by the oldest store or by its first part.
    pub(super) fn write(&mut self, cycle: u64, address: u32) {
        let Some(store) = self.stores.front_mut() else {
            return;
        };
        let first = store.address & 3;
        let here = (4 - first).min(store.size.into());
        let lanes = ((1 << here) - 1) << first;
        let bytes = (0..4).filter(|byte| lanes >> byte & 1 != 0);
        let mask = bytes.fold(0, |mask, byte| mask | 0xff << (8 * byte));
        self.record.writes.push(Written {
            cycle,
            address: address & !3,
            lanes: lanes as u8,
            value: store.value << (8 * first) & mask,
        });
        if here < store.size.into() {
            store.address = (store.address & !3).wrapping_add(4);
            store.value >>= 8 * here;
            store.size -= here as u8;
        } else {
            self.stores.pop_front();
        }
    }
}
