//! Accesses to devices: begun when their instruction is executed, made when the bus acknowledges them.

use bus::BusError;
use isa_rv32::Insn;

use super::{Before, Program};
use crate::core::{Core, NotModelled};
use crate::engine::emit::accessed;
use crate::exec::extended;
use crate::timing::InFlight;

/// An access to a device that was begun and is not done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    pc: u32,
    pub(super) insn: Insn,
    pub(super) address: u32,
    value: u32,
}

impl Program {
    pub(super) fn asks_device(&self, in_flight: &InFlight, insn: &Insn) -> bool {
        let plain = insn.access_size() != 0 && !insn.is_atomic();
        let bus = &self.core.bus;
        plain
            && !in_flight.misaligned
            && !bus.memory(in_flight.physical).contains(in_flight.physical, 1)
            && !bus.is_memory(in_flight.physical)
            && bus.region(in_flight.physical).is_some()
    }

    /// An access to a device is left to the cycle in which it is acknowledged at the bus.
    pub(super) fn defer(&mut self, in_flight: &InFlight, insn: &Insn, value: u32) {
        let pc = self.core.pc;
        self.core.pc = pc.wrapping_add(u32::from(insn.size));
        self.under.deferred.push_back(Deferred {
            pc,
            insn: *insn,
            address: in_flight.physical,
            value,
        });
        let writes = insn.is_store();
        let stored = if writes { insn.stored(value) } else { 0 };
        let accessed = accessed(insn, writes, in_flight.address, stored);
        let write = writes.then_some(accessed);
        let before = Before {
            register: self.core.read(insn.rd),
            // Its value comes with the answer.
            read: insn.is_load().then_some(accessed),
            deferred: true,
            ..self.unchanged()
        };
        self.begin(pc, insn, write, before);
    }

    /// Writes a device's answer to the load at `pc` to its register, unless a younger instruction has written that.
    fn loaded(&mut self, pc: u32, insn: &Insn, answer: u32) {
        let value = extended(insn.op, answer);
        if let Some(recorder) = &mut self.recorder
            && let Some(place) = self.under.executed.iter().position(|executed| executed.pc == pc)
        {
            recorder.finish_at(place, value);
        }
        let mut younger = self.under.executed.iter_mut();
        let asked = younger.by_ref().find(|executed| executed.pc == pc);
        if let Some(read) = asked.and_then(|executed| executed.seen.read.as_mut()) {
            read.value = answer;
        }
        if let Some(executed) = younger.find(|executed| executed.insn.rd == insn.rd) {
            executed.before.register = value;
        } else {
            self.core.write(insn.rd, value);
        }
    }

    /// Undoes the access at `pc` and younger executed instructions, unless it has retired: a store retires before its answer.
    fn undo_from(&mut self, pc: u32) {
        let younger = self.under.deferred.len();
        let executed = self.under.executed.iter().enumerate().rev();
        let asked = executed
            .filter(|(_, executed)| executed.before.deferred)
            .nth(younger)
            .filter(|(_, executed)| executed.pc == pc)
            .map(|(place, _)| place);
        let Some(place) = asked else { return };
        for executed in self.under.executed.split_off(place).iter().rev() {
            self.undo(executed);
        }
    }

    /// Makes the oldest access to a device.
    #[cold]
    pub(super) fn ask_device(&mut self) {
        let Some(Deferred {
            pc,
            insn,
            address,
            value,
        }) = self.under.deferred.pop_front()
        else {
            return;
        };
        let (bus, size) = (&mut self.core.bus, insn.access_size());
        let done = if insn.is_store() {
            bus.write(address, size, insn.stored(value), self.now)
                .map(|()| None)
        } else {
            bus.read(address, size, self.now).map(Some)
        };
        match done {
            Ok(value) => {
                if let Some(value) = value {
                    self.loaded(pc, &insn, value);
                }
                if let Some(end) = self.core.bus.end() {
                    self.ended_by = Some(pc);
                    self.stop = Some(end.into());
                }
            }
            Err(error) => {
                let what = not_answered(error, &self.core, address);
                self.undo_from(pc);
                self.not_modelled(pc, what);
            }
        }
    }
}

/// The reason that the run cannot continue after a device access.
pub(super) fn not_answered(error: BusError, core: &Core, address: u32) -> NotModelled {
    match error {
        BusError::NotModelled { region, what, .. } => NotModelled::Device { region, what },
        BusError::Unmapped => NotModelled::Unmapped { address },
        BusError::ReadOnly | BusError::Slave => NotModelled::Device {
            region: core
                .bus
                .region(address)
                .map_or_else(|| "?".into(), |region| region.name.clone()),
            what: "a bus error, on this core".into(),
        },
    }
}
