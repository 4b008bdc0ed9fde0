//! Accesses that are not plain: protected, unaligned, bit-banded, to a device or a system register, or failing.

use super::{Access, AccessFacts, Refused, announced};
use crate::core::{Core, Trap};
use crate::fault::{Fault, NotModelled};
use crate::microop::{MicroOp, Step};
use crate::state::Deviation;
use crate::sys::mpu::Want;
use crate::sys::{Refusal, RegisterEffect, View, map};
use bus::{BusError, ProfileId, SuggestedStub};

/// A bit-band region, and the alias in which each word stands for one of its bits (Cortex-M3 TRM, "Bit-banding").
struct BitBand {
    region: u32,
    alias: u32,
}

const BIT_BANDS: [BitBand; 2] = [
    BitBand {
        region: 0x2000_0000,
        alias: 0x2200_0000,
    },
    BitBand {
        region: 0x4000_0000,
        alias: 0x4200_0000,
    },
];
const ALIAS_SIZE: u32 = 0x200_0000;

/// The aligned accesses that make up one of `size` bytes: address, size, and how many bytes went before.
fn pieces(address: u32, size: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let left = (size - done).checked_ilog2()?;
        let at = address.wrapping_add(done);
        let piece = (at, 1 << at.trailing_zeros().min(left), done);
        done += piece.1;
        Some(piece)
    })
}

fn bits_of(size: u32) -> u32 {
    u32::MAX >> (32 - 8 * size)
}

impl Core {
    #[cold]
    #[inline(never)]
    pub(super) fn slow_load(
        &mut self,
        op: &MicroOp,
        address: u32,
        size: u32,
        privileged: bool,
    ) -> (u32, Step) {
        let mut met = AccessFacts::default();
        let loaded = if self.meets_device(op, address, size) {
            met = self.met_device(op, Want::Read);
            let loaded = self.read_met(op, address, size, &mut met);
            let as_expected = !met.attention && self.deviation == Deviation::NONE;
            if let Some(&value) = loaded.as_ref().ok().filter(|_| as_expected) {
                return (value, Step::Next);
            }
            loaded
        } else {
            if let Some(step) = self.expects_otherwise(op, address) {
                return (0, step);
            }
            let access = Access {
                address,
                size,
                want: Want::Read,
                privileged,
            };
            self.checked_load(op, access, &mut met)
        };
        match loaded {
            Ok(value) => {
                met.attention |= self.sys.watch(address, size, Want::Read);
                let told = self.note_access(false, address, size, value);
                let step = self.settle(op, Want::Read, met).and(announced(told));
                if met.flash {
                    self.deviation.reads_flash(address, size);
                    return (value, step.and(Step::Irregular));
                }
                (value, step)
            }
            Err(Refused::Fault(fault @ Fault::DataBus(_))) if self.ignores_bus_faults() => {
                self.note_fault_status(fault);
                (0, self.settle(op, Want::Read, met))
            }
            Err(refused) => (0, self.refuse(refused)),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn slow_store(
        &mut self,
        op: &MicroOp,
        address: u32,
        size: u32,
        value: u32,
        privileged: bool,
    ) -> Step {
        if let Some(step) = self.expects_otherwise(op, address) {
            return step;
        }
        let access = Access {
            address,
            size,
            want: Want::Write,
            privileged,
        };
        let mut met = AccessFacts::default();
        match self.checked_store(op, access, value, &mut met) {
            Ok(()) => {
                met.attention |= self.sys.watch(address, size, Want::Write);
                let told = self.note_access(true, address, size, value & bits_of(size));
                self.settle(op, Want::Write, met).and(announced(told))
            }
            Err(Refused::Fault(fault @ Fault::DataBus(_))) if self.ignores_bus_faults() => {
                self.note_fault_status(fault);
                self.settle(op, Want::Write, met)
            }
            Err(Refused::Fault(Fault::DataBus(_))) if self.is_buffered(access) => {
                self.pend_imprecise_bus_fault(op.pc, self.access_cycle(op));
                self.settle(op, Want::Write, met).and(Step::Attention)
            }
            Err(refused) => self.refuse(refused),
        }
    }

    /// On the fast path, an access whose answer may depend on its cycle is made only if that cycle is known to be right; so
    /// are the transfers of LDM and STM, which an exception may interrupt.
    fn expects_otherwise(&mut self, op: &MicroOp, address: u32) -> Option<Step> {
        let timeless = op.list == 0 && !self.bus.is_contended();
        if !self.in_fast_path || self.bus.is_memory(address) && timeless {
            return None;
        }
        let profile = self.bus.profile_at(address).unwrap_or(ProfileId::PRIVATE);
        (profile != op.profile).then(|| {
            self.trap = Trap::Expect(profile);
            Step::Trap
        })
    }

    /// Whether an access goes to a device, as its run expects, with no effect other than the device's own.
    fn meets_device(&self, op: &MicroOp, address: u32, size: u32) -> bool {
        let plain = self.sys.plain && address.is_multiple_of(size) && !map::contains(address);
        let heard = self.sys.watched.iter().any(|watched| watched.contains(address));
        plain && !heard && !self.bus.is_contended() && self.bus.device_profile(address) == Some(op.profile)
    }

    /// The facts of such an access.
    fn met_device(&self, op: &MicroOp, want: Want) -> AccessFacts {
        AccessFacts {
            transactions: 1,
            wait: self.nominal_wait(op, want),
            profile: op.profile,
            ..AccessFacts::default()
        }
    }

    /// Wait states of the memory that an instruction is expected to meet.
    fn nominal_wait(&self, op: &MicroOp, want: Want) -> i32 {
        let nominal = self.bus.profile(op.profile).wait;
        i32::from(if want == Want::Write {
            nominal.write
        } else {
            nominal.read
        })
    }

    fn checked_load(&mut self, op: &MicroOp, access: Access, met: &mut AccessFacts) -> Result<u32, Refused> {
        self.check(access)?;
        let mut value = 0;
        for (address, size, done) in pieces(access.address, access.size) {
            let piece = self.read_piece(
                op,
                Access {
                    address,
                    size,
                    ..access
                },
                met,
            )?;
            value |= piece << (8 * done);
        }
        Ok(value)
    }

    fn checked_store(
        &mut self,
        op: &MicroOp,
        access: Access,
        value: u32,
        met: &mut AccessFacts,
    ) -> Result<(), Refused> {
        self.check(access)?;
        for (address, size, done) in pieces(access.address, access.size) {
            let piece = value >> (8 * done) & bits_of(size);
            self.write_piece(
                op,
                Access {
                    address,
                    size,
                    ..access
                },
                piece,
                met,
            )?;
        }
        Ok(())
    }

    /// Checks alignment and protection of the whole access before any part is made.
    fn check(&self, access: Access) -> Result<(), Refused> {
        let Access {
            address,
            size,
            want,
            privileged,
        } = access;
        let unaligned = !address.is_multiple_of(size);
        if !unaligned && !self.sys.mpu.enabled() {
            return Ok(());
        }
        if unaligned && self.sys.traps_unaligned() {
            return Err(Fault::Unaligned(address).into());
        }
        if unaligned && (map::contains(address) || self.bit_band(address).is_some()) {
            let why = "an unaligned access to the private peripheral bus or a bit-band alias";
            return Err(Refused::NotModelled(Box::new(NotModelled::Unpredictable {
                raw: address,
                why,
            })));
        }
        let below_zero = self.sys.mpu.enabled() && self.execution_priority() < 0;
        let refused = pieces(address, size).find(|&(piece, ..)| {
            !map::contains(piece) && !self.sys.mpu.allows(piece, want, privileged, below_zero)
        });
        refused.map_or(Ok(()), |(piece, ..)| Err(Fault::DataAccess(piece).into()))
    }

    fn read_piece(&mut self, op: &MicroOp, access: Access, met: &mut AccessFacts) -> Result<u32, Refused> {
        let Access { address, size, .. } = access;
        if self.is_own_register(access)? {
            met.transactions += 1;
            let view = View {
                regs: &self.regs,
                privileged: access.privileged,
                cycle: self.access_cycle(op),
            };
            let (value, outcome) = match self.sys.read(address, size, view) {
                Err(refusal) if self.board_answers(&refusal, address) => {
                    return self.bus_read(op, address, size, met);
                }
                answer => answer.map_err(|refusal| system(refusal, address))?,
            };
            met.attention |= outcome != RegisterEffect::Quiet;
            return Ok(value);
        }
        match self.bit_band(address) {
            None => self.bus_read(op, address, size, met),
            Some((target, bit)) => {
                let (target, bit) = within(target, bit, size);
                Ok(self.bus_read(op, target, size, met)? >> bit & 1)
            }
        }
    }

    fn write_piece(
        &mut self,
        op: &MicroOp,
        access: Access,
        value: u32,
        met: &mut AccessFacts,
    ) -> Result<(), Refused> {
        let Access { address, size, .. } = access;
        if self.is_own_register(access)? {
            met.transactions += 1;
            let view = View {
                regs: &self.regs,
                privileged: access.privileged,
                cycle: self.access_cycle(op),
            };
            let outcome = match self.sys.write(address, size, value, view) {
                Err(refusal) if self.board_answers(&refusal, address) => {
                    return self.bus_write(op, address, size, value, met);
                }
                answer => answer.map_err(|refusal| system(refusal, address))?,
            };
            met.attention |= outcome != RegisterEffect::Quiet;
            return Ok(());
        }
        match self.bit_band(address) {
            None => self.bus_write(op, address, size, value, met),
            Some((target, bit)) => {
                let (target, bit) = within(target, bit, size);
                let old = self.bus_read(op, target, size, met)?;
                self.bus_write(op, target, size, old & !(1 << bit) | (value & 1) << bit, met)
            }
        }
    }

    /// Whether the core itself answers. A board's device on the external private peripheral bus takes precedence, and needs the same
    /// privilege as the rest of that bus.
    fn is_own_register(&self, access: Access) -> Result<bool, Refused> {
        let address = access.address;
        let foreign = map::is_external(address) && self.bus.profile_at(address).is_some();
        if foreign && !access.privileged {
            return Err(Fault::DataBus(address).into());
        }
        Ok(map::contains(address) && !foreign)
    }

    /// Whether something of the board, such as an allowed range, answers for a register of the core that is not modelled.
    fn board_answers(&self, refusal: &Refusal, address: u32) -> bool {
        matches!(refusal, Refusal::NotModelled(_)) && self.bus.profile_at(address).is_some()
    }

    fn bus_read(
        &mut self,
        op: &MicroOp,
        address: u32,
        size: u32,
        met: &mut AccessFacts,
    ) -> Result<u32, Refused> {
        self.meet(op, address, Want::Read, met);
        self.read_met(op, address, size, met)
    }

    /// Reads where it was noted already what that costs.
    fn read_met(
        &mut self,
        op: &MicroOp,
        address: u32,
        size: u32,
        met: &mut AccessFacts,
    ) -> Result<u32, Refused> {
        let (now, event) = (self.access_cycle(op), self.bus.next_event());
        let effects = self.bus.effects();
        let value = self
            .bus
            .read(address, size, now)
            .map_err(|error| on_bus(error, address, size, false))?;
        self.note_read_back();
        self.deviation.disturbs |= self.bus.effects() != effects;
        // The read may be the reason that a line is high: it falls at once, whether or not the device has an event pending.
        if self.bus.moves_a_line(address, now) {
            met.attention |= self.poll_devices(now);
        }
        met.attention |= self.bus.next_event() != event;
        Ok(value)
    }

    fn bus_write(
        &mut self,
        op: &MicroOp,
        address: u32,
        size: u32,
        value: u32,
        met: &mut AccessFacts,
    ) -> Result<(), Refused> {
        self.meet(op, address, Want::Write, met);
        let now = self.access_cycle(op);
        let (event, effects) = (self.bus.next_event(), self.bus.effects());
        self.bus.accessed_from(op.pc);
        self.bus
            .write(address, size, value, now)
            .map_err(|error| on_bus(error, address, size, true))?;
        if self.bus.holds_code(address) {
            self.code.write(address, size);
            met.attention = true;
        }
        if !self.bus.is_memory(address) {
            // A device's effect may matter at once; so may an exception that is due for recognition.
            self.deviation.disturbs |= self.bus.effects() != effects;
            let requested = self.requests_itself();
            let moved = self.poll_devices(now) || self.deviation.disturbs;
            if requested && !self.requests_itself() {
                self.note_withdrawn(now);
            }
            let recognises = self.recognise_from != u64::MAX || self.void_until > now;
            met.attention |= moved || self.bus.next_event() < event || recognises;
        }
        Ok(())
    }

    /// Takes note of what a transaction costs.
    fn meet(&mut self, op: &MicroOp, address: u32, want: Want, met: &mut AccessFacts) {
        if self.bus.is_contended() {
            self.wait_for_masters(op, address, met);
        }
        let profile = self.bus.profile_at(address).unwrap_or_default();
        let wait = self.bus.profile(profile).wait;
        met.transactions += 1;
        met.wait += i32::from(if want == Want::Write {
            wait.write
        } else {
            wait.read
        });
        met.profile = profile;
        let flash = self.bus.flash().filter(|flash| flash.is_timed());
        met.flash |= want == Want::Read && flash.is_some_and(|flash| flash.contains(address));
    }

    /// Lets other masters of the bus go as far as the cycle of a transaction, and takes note of what it waits for them.
    #[cold]
    fn wait_for_masters(&mut self, op: &MicroOp, address: u32, met: &mut AccessFacts) {
        let waited = (self.deviation.extra_wait + met.wait).max(0);
        let at =
            self.access_cycle(op) + u64::from(self.deviation.contended) + u64::from(waited.unsigned_abs());
        let mut from = at - u64::from(op.access).min(at);
        while from <= at && self.bus.next_event() <= at {
            let due = self.bus.next_event().max(from);
            met.attention |= self.poll_devices(due);
            from = due + 1;
        }
        let held = self.bus.held(address, at);
        met.wait += held as i32;
        self.deviation.held = self
            .deviation
            .held
            .saturating_add(u8::try_from(held).unwrap_or(u8::MAX));
        self.deviation.contended = self.deviation.contended.saturating_add(1);
    }

    /// Compares what an access met with what its instruction's cost assumes.
    fn settle(&mut self, op: &MicroOp, want: Want, met: AccessFacts) -> Step {
        let wait = met.wait - self.nominal_wait(op, want);
        let extra = met.transactions.saturating_sub(1);
        self.deviation.extra_wait += wait;
        self.deviation.extra_transactions = self.deviation.extra_transactions.saturating_add(extra);
        if met.profile != op.profile {
            self.deviation.profile = Some(met.profile);
        }
        match () {
            () if met.attention => Step::Attention,
            () if self.deviation.disturbs
                || self.deviation.contended != 0
                || wait != 0
                || extra != 0
                || met.profile != op.profile =>
            {
                Step::Irregular
            }
            () => Step::Next,
        }
    }

    /// The byte and bit that an address in a bit-band alias stands for; a board's own memory there takes precedence.
    fn bit_band(&self, address: u32) -> Option<(u32, u32)> {
        let mut bands = BIT_BANDS.iter();
        let band = bands.find(|band| address.wrapping_sub(band.alias) < ALIAS_SIZE)?;
        if !self.config.bit_band || self.bus.profile_at(address).is_some() {
            return None;
        }
        let offset = address - band.alias;
        Some((band.region + offset / 32, offset / 4 % 8))
    }

    /// Whether the write buffer takes a store, so that the core does not wait for its answer.
    fn is_buffered(&self, access: Access) -> bool {
        let buffered = if self.sys.mpu.covers(access.address, self.execution_priority() < 0) {
            !self.sys.mpu.strongly_ordered(access.address)
        } else {
            !self.sys.writes_unbuffered()
        };
        buffered && self.config.model.pipeline().buffers_writes() && !map::contains(access.address)
    }
}

/// The address aligned to the size of the access, and the bit in its value.
fn within(byte: u32, bit: u32, size: u32) -> (u32, u32) {
    (byte & !(size - 1), bit + 8 * (byte & (size - 1)))
}

fn system(refusal: Refusal, address: u32) -> Refused {
    match refusal {
        Refusal::Bus => Fault::DataBus(address).into(),
        Refusal::NotModelled(what) => Refused::NotModelled(what),
    }
}

/// A failed transaction as the program or the user meets it.
pub(super) fn on_bus(error: BusError, address: u32, size: u32, write: bool) -> Refused {
    match error {
        BusError::ReadOnly | BusError::Slave => Fault::DataBus(address).into(),
        BusError::Unmapped => Refused::NotModelled(Box::new(NotModelled::Unmapped {
            address,
            size: size as u8,
            write,
        })),
        BusError::NotModelled {
            region,
            what,
            instead,
        } => {
            let (address, instead) = match instead {
                SuggestedStub::ThereToo => (Some(address), Some(address)),
                SuggestedStub::At(other) => (None, Some(other)),
                SuggestedStub::Nowhere => (None, None),
            };
            Refused::NotModelled(Box::new(NotModelled::Device {
                region,
                what,
                address,
                instead,
            }))
        }
    }
}
