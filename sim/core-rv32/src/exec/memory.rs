//! Loads, stores and atomic operations.

use isa_rv32::{Insn, Op};

use crate::core::{Core, NotModelled, Refusal, refused};
use crate::mmu::Purpose;
use crate::trap::{Cause, Trap};

impl Core {
    /// Makes the access of a load, store or atomic operation in core cycle `now`.
    pub(super) fn access(&mut self, insn: &Insn, now: u64) -> Result<(), Refusal> {
        let (address, size) = (self.address(insn), insn.access_size());
        let stores = insn.is_store();
        let atomic = insn.is_atomic();
        if address & (size - 1) != 0 {
            if self.config.splits && !atomic {
                return self.split(insn, address, size, now);
            }
            if self.config.asks_page_first() {
                self.physical(address, 1, purpose(insn))?;
            }
            let cause = if stores {
                Cause::StoreMisaligned
            } else {
                Cause::LoadMisaligned
            };
            return Err(Trap::new(cause, address).into());
        }
        match insn.op {
            Op::LrW => self.load_reserved(insn, address, now),
            Op::ScW => self.store_conditional(insn, address, now),
            _ if insn.is_amo() => self.modify(insn, address, now),
            _ if stores => self.store(address, size, self.read(insn.rs2), now),
            _ => {
                let value = self.load(address, size, now)?;
                self.write(insn.rd, extended(insn.op, value));
                Ok(())
            }
        }
    }

    fn address(&self, insn: &Insn) -> u32 {
        self.read(insn.rs1).wrapping_add(insn.imm as u32)
    }

    fn load(&mut self, address: u32, size: u32, now: u64) -> Result<u32, Refusal> {
        let physical = self.physical(address, size, Purpose::Load)?;
        let value = self.bus.read(physical, size, now);
        value.map_err(|error| refused(error, Cause::LoadAccess, address, physical))
    }

    fn store(&mut self, address: u32, size: u32, value: u32, now: u64) -> Result<(), Refusal> {
        let physical = self.physical(address, size, Purpose::Store)?;
        let done = self.bus.write(physical, size, value, now);
        done.map_err(|error| refused(error, Cause::StoreAccess, address, physical))
    }

    /// A misaligned load or store, byte by byte; it has no effect unless all bytes succeed.
    fn split(&mut self, insn: &Insn, address: u32, size: u32, now: u64) -> Result<(), Refusal> {
        let purpose = if insn.is_store() {
            Purpose::Store
        } else {
            Purpose::Load
        };
        let mut bytes = [(0, 0); 4];
        for (place, byte) in (0..size).zip(&mut bytes) {
            let address = address.wrapping_add(place);
            *byte = (address, self.physical(address, 1, purpose)?);
        }
        let bytes = &bytes[..size as usize];
        if insn.is_store() {
            for (&(address, physical), value) in bytes.iter().zip(self.read(insn.rs2).to_le_bytes()) {
                let done = self.bus.write(physical, 1, value.into(), now);
                done.map_err(|error| refused(error, Cause::StoreAccess, address, physical))?;
            }
            return Ok(());
        }
        let mut value = 0;
        for &(address, physical) in bytes.iter().rev() {
            let byte = self.bus.read(physical, 1, now);
            value =
                value << 8 | byte.map_err(|error| refused(error, Cause::LoadAccess, address, physical))?;
        }
        self.write(insn.rd, extended(insn.op, value));
        Ok(())
    }

    /// Refuses an operation that `VexRiscv` leaves to its data cache, at an uncached address.
    fn ask_cache(&self, physical: u32, what: &str) -> Result<(), Refusal> {
        if !self.config.quirks().modifies_in_cache() || !self.config.leaves_alone(physical) {
            return Ok(());
        }
        let region = self.bus.region(physical);
        Err(Refusal::NotModelled(NotModelled::Device {
            region: region.map_or_else(|| "?".into(), |region| region.name.clone()),
            what: what.into(),
        }))
    }

    fn load_reserved(&mut self, insn: &Insn, address: u32, now: u64) -> Result<(), Refusal> {
        if self.reservation.is_none() {
            // It takes the present value without waiting for the bus.
            let physical = self.physical(address, 4, Purpose::Load)?;
            self.ask_cache(physical, "an LR where VexRiscv does not cache")?;
        }
        let value = self.load(address, 4, now)?;
        self.reservation = Some(self.physical(address, 4, Purpose::Load)?);
        self.write(insn.rd, value);
        Ok(())
    }

    /// rd ← 0 if it was stored, else 1; the reservation ends either way, on most cores.
    fn store_conditional(&mut self, insn: &Insn, address: u32, now: u64) -> Result<(), Refusal> {
        let physical = self.physical(address, 4, Purpose::Store)?;
        let reserved = self.is_reserved(self.reservation, physical);
        if reserved {
            self.store(address, 4, self.read(insn.rs2), now)?;
        }
        self.reservation = self.reservation.filter(|_| self.config.keeps_reservation);
        self.write(insn.rd, u32::from(!reserved));
        Ok(())
    }

    /// Whether SC.W to this address on the bus stores, with such a reservation.
    pub(crate) fn is_reserved(&self, reservation: Option<u32>, physical: u32) -> bool {
        if self.config.reserves_any {
            reservation.is_some()
        } else {
            reservation == Some(physical)
        }
    }

    /// Executes an AMO; exceptions of its access are those of a store.
    fn modify(&mut self, insn: &Insn, address: u32, now: u64) -> Result<(), Refusal> {
        let physical = self.physical(address, 4, Purpose::Modify)?;
        // The data cache computes on what it has at hand.
        self.ask_cache(physical, "an AMO where VexRiscv does not cache")?;
        let old = self.bus.read(physical, 4, now);
        let old = old.map_err(|error| refused(error, Cause::StoreAccess, address, physical))?;
        let new = combined(insn.op, old, self.read(insn.rs2));
        let done = self.bus.write(physical, 4, new, now);
        done.map_err(|error| refused(error, Cause::StoreAccess, address, physical))?;
        self.write(insn.rd, old);
        Ok(())
    }
}

fn purpose(insn: &Insn) -> Purpose {
    match insn.op {
        Op::LrW => Purpose::Load,
        _ if insn.is_amo() => Purpose::Modify,
        _ if insn.is_store() => Purpose::Store,
        _ => Purpose::Load,
    }
}

pub(crate) fn extended(op: Op, value: u32) -> u32 {
    match op {
        Op::Lb => i32::from(value as i8) as u32,
        Op::Lh => i32::from(value as i16) as u32,
        _ => value,
    }
}

fn combined(op: Op, old: u32, operand: u32) -> u32 {
    match op {
        Op::AmoswapW => operand,
        Op::AmoaddW => old.wrapping_add(operand),
        Op::AmoxorW => old ^ operand,
        Op::AmoandW => old & operand,
        Op::AmoorW => old | operand,
        Op::AmominW => (old as i32).min(operand as i32) as u32,
        Op::AmomaxW => (old as i32).max(operand as i32) as u32,
        Op::AmominuW => old.min(operand),
        _ => old.max(operand),
    }
}
