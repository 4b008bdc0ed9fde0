//! What a core did, down to every value: to be held against the Verilog. Who asks for it has every cycle clocked.

use std::collections::VecDeque;

use exec::Accessed;
use isa_rv32::Insn;

use crate::core::Core;

/// An instruction that retired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retirement {
    /// In this cycle.
    pub cycle: u64,
    /// Its address.
    pub pc: u32,
    /// The register that it wrote, if not `x0`, and its value.
    pub written: Option<(u8, u32)>,
    /// The privilege at which it was executed: 3 machine, 1 supervisor, 0 user.
    pub privilege: u8,
}

/// A trap that was taken, and what it left in the registers of the mode that handles it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// In this cycle.
    pub cycle: u64,
    /// In `mcause`, or `scause`.
    pub cause: u32,
    /// In `mepc`, or `sepc`.
    pub epc: u32,
    /// In `mtval`, or `stval`.
    pub value: u32,
    /// That mode: 3 or 1.
    pub privilege: u8,
}

/// A word that was written at the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// In this cycle.
    pub cycle: u64,
    /// Its address on the bus, a multiple of 4.
    pub address: u32,
    /// The bytes of it that were written, a bit for each.
    pub lanes: u8,
    /// Those bytes; the others are 0.
    pub value: u32,
}

/// What a core did.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Record {
    /// What retired.
    pub retired: Vec<Retirement>,
    /// The traps that were taken.
    pub traps: Vec<Taken>,
    /// What was written at the bus.
    pub writes: Vec<Written>,
}

/// An instruction that was executed and has not retired.
#[derive(Clone, Copy, Debug)]
struct Begun {
    rd: u8,
    value: u32,
    privilege: u8,
    stores: bool,
}

/// Keeps a record while the program goes on.
#[derive(Clone, Default, Debug)]
pub(super) struct Recorder {
    pub(super) record: Record,
    begun: VecDeque<Begun>,
    /// Stores that are not at the bus yet, the oldest first: the address of the first byte, and so many bytes.
    stores: VecDeque<Accessed>,
}

impl Recorder {
    /// An instruction was executed; some are only begun, and their value comes later.
    pub(super) fn begin(&mut self, core: &Core, insn: &Insn, write: Option<Accessed>) {
        let writes = !insn.is_branch() && !insn.only_stores();
        self.begun.push_back(Begun {
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

    /// The one with so many older ones has its value.
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
        if let Some(Begun {
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

    /// A word with this address is written in this cycle: by the oldest store, or with the first part of it.
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
