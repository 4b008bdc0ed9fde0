//! Loads and stores: alignment, protection, then memory, a device, or the core's own registers.
//!
//! Almost every access is aligned, to plain memory, of the kind that its run's cost assumes; the fast path below handles it. The slow path
//! handles the rest and notes in [`Core::facts`] what it met.
//!
//! Unaligned accesses are split into aligned ones, as the bus interface does. A store that fails on the bus faults imprecisely: the write
//! buffer let the core continue, and BusFault becomes pending (Cortex-M3 TRM, "Write buffer"); ACTLR.DISDEFWBUF and strongly ordered memory
//! make it precise.

mod hardware;
mod slow;

pub(crate) use hardware::{executable_by_default, may_run_blocks_at};

use crate::core::{Core, Trap};
use crate::fault::{Fault, NotModelled};
use crate::microop::{MicroOp, Step};
use crate::sys::mpu::{Accessor, Want};
use crate::timing::{Cycle, Rule};

/// Why an access was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// The program's mistake.
    Fault(Fault),
    /// The model's limit.
    NotModelled(Box<NotModelled>),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Refused::Fault(fault)
    }
}

/// An access of the program.
#[derive(Clone, Copy, Debug)]
struct Access {
    address: u32,
    /// 1, 2 or 4 bytes.
    size: u32,
    want: Want,
    privileged: bool,
}

/// Run-time facts of an access on the bus.
#[derive(Clone, Copy, Default, Debug)]
struct AccessFacts {
    transactions: u8,
    /// Wait states of all of them.
    wait: i32,
    profile: bus::ProfileId,
    /// Whether it read from a flash that may need wait states.
    flash: bool,
    attention: bool,
}

/// The step for an access, depending on whether a listener wants it.
fn announced(told: bool) -> Step {
    if told { Step::Irregular } else { Step::Next }
}

fn word<const N: usize>(bytes: [u8; N]) -> u32 {
    let mut word = [0; 4];
    word[..N].copy_from_slice(&bytes);
    u32::from_le_bytes(word)
}

impl Core {
    /// The core cycle at which an instruction's (first) data access is on the bus.
    #[inline]
    pub(crate) fn access_cycle(&self, op: &MicroOp) -> u64 {
        self.base.wrapping_add_signed(i64::from(op.start)) + u64::from(op.access)
    }

    /// Loads `N` (1, 2 or 4) bytes, zero-extended.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&mut self, op: &MicroOp, address: u32) -> (u32, Step) {
        match self.quick_load::<N>(op, address) {
            Some(value) => (value, Step::Next),
            None => self.other_load::<N>(op, address),
        }
    }

    /// A load that is not from plain memory, or that a listener may want: from the data cache of a flash, or by the slow path.
    #[inline(never)]
    pub(crate) fn other_load<const N: usize>(&mut self, op: &MicroOp, address: u32) -> (u32, Step) {
        if !self.sys.plain
            && let Some(value) = self.permitted_load::<N>(op, address, self.regs.privileged())
        {
            return (value, Step::Next);
        }
        let memory = self.bus.memory(address);
        let watched = self.sys.watched[0].contains(address);
        if self.sys.plain && address.is_multiple_of(N as u32) && memory.profile() == op.profile {
            let value = memory.get::<N>(address).map(word);
            if watched {
                if let Some(value) = value.filter(|_| memory.fast_profile() == op.profile) {
                    let told = self.note_access(false, address, N as u32, value);
                    return (value, announced(told));
                }
                return self.slow_load(op, address, N as u32, self.regs.privileged());
            }
            if let (Some(value), Some(flash)) = (value, self.bus.flash_mut())
                && let Some(at_once) = flash.read_at_once(address)
            {
                // A listener of the instruction sees that it relies on that rule.
                if at_once && !self.observes_rules_of(op.pc) {
                    self.relies_on(Rule::FlashDataCache);
                    return (value, Step::Next);
                }
                self.deviation.reads_flash(address, N as u32);
                return (value, Step::Irregular);
            }
        }
        self.slow_load(op, address, N as u32, self.regs.privileged())
    }

    /// A load from a flash that is expected to serve it in some way, on the fast path, if nothing else has to be asked.
    #[inline(always)]
    pub(crate) fn load_from_flash<const N: usize>(
        &mut self,
        op: &MicroOp,
        address: u32,
    ) -> Option<(u32, Step)> {
        let memory = self.bus.memory(address);
        let usual = self.sys.plain && address.is_multiple_of(N as u32) && memory.profile() == op.profile;
        if !usual || !self.in_fast_path || self.sys.watched[0].contains(address) {
            return None;
        }
        let value = memory.get::<N>(address).map(word)?;
        let at = self.access_cycle(op) as Cycle;
        if self.bus.flash_mut()?.read_if_expected(address, at, op.reads)? {
            return Some((value, Step::Next));
        }
        self.deviation.reads_flash(address, N as u32);
        Some((value, Step::Irregular))
    }

    /// Stores the low `N` (1, 2 or 4) bytes of `value`.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, op: &MicroOp, address: u32, value: u32) -> Step {
        if self.quick_store::<N>(op, address, value) {
            return Step::Next;
        }
        self.other_store::<N>(op, address, value, self.regs.privileged())
    }

    /// As [`Core::load`], for LDRT and its like: with the rights of unprivileged code.
    #[inline(always)]
    pub(crate) fn load_unprivileged<const N: usize>(&mut self, op: &MicroOp, address: u32) -> (u32, Step) {
        match self.quick_load::<N>(op, address) {
            Some(value) => (value, Step::Next),
            None => match self.permitted_load::<N>(op, address, false) {
                Some(value) => (value, Step::Next),
                None => self.slow_load(op, address, N as u32, false),
            },
        }
    }

    /// As [`Core::store`], for STRT and its like.
    #[inline(always)]
    pub(crate) fn store_unprivileged<const N: usize>(
        &mut self,
        op: &MicroOp,
        address: u32,
        value: u32,
    ) -> Step {
        if self.quick_store::<N>(op, address, value) {
            return Step::Next;
        }
        self.other_store::<N>(op, address, value, false)
    }

    /// Loads a word for LDM, LDRD and their like, which fault on an unaligned address whatever CCR says
    /// (ARMv7-M ARM A3.2.1).
    #[inline(always)]
    pub(crate) fn load_aligned(&mut self, op: &MicroOp, address: u32) -> (u32, Step) {
        match self.quick_load::<4>(op, address) {
            Some(value) => (value, Step::Next),
            None if !address.is_multiple_of(4) => (0, self.refuse(Fault::Unaligned(address).into())),
            None => match self.permitted_load::<4>(op, address, self.regs.privileged()) {
                Some(value) => (value, Step::Next),
                None => self.slow_load(op, address, 4, self.regs.privileged()),
            },
        }
    }

    /// Stores a word for STM, STRD and their like.
    #[inline(always)]
    pub(crate) fn store_aligned(&mut self, op: &MicroOp, address: u32, value: u32) -> Step {
        if self.quick_store::<4>(op, address, value) {
            return Step::Next;
        }
        if !address.is_multiple_of(4) {
            return self.refuse(Fault::Unaligned(address).into());
        }
        self.other_store::<4>(op, address, value, self.regs.privileged())
    }

    /// A store that is not a plain one: one that the MPU permits, or the slow way.
    #[inline(never)]
    fn other_store<const N: usize>(
        &mut self,
        op: &MicroOp,
        address: u32,
        value: u32,
        privileged: bool,
    ) -> Step {
        if !self.sys.plain && self.permitted_store::<N>(op, address, value, privileged) {
            return Step::Next;
        }
        if self.sys.watched[1].contains(address) && self.watched_store::<N>(op, address, value) {
            let told = self.note_access(true, address, N as u32, value & (u32::MAX >> (32 - 8 * N)));
            return announced(told);
        }
        self.slow_store(op, address, N as u32, value, privileged)
    }

    /// As [`Core::quick_load`] with the MPU on, which permits it.
    #[inline(never)]
    fn permitted_load<const N: usize>(
        &mut self,
        op: &MicroOp,
        address: u32,
        privileged: bool,
    ) -> Option<u32> {
        let by = self.with_rights(privileged);
        let mpu = self.sys.mpu_alone()?;
        let permitted = address.is_multiple_of(N as u32) && mpu.permits(address, Want::Read, by);
        let memory = self.bus.memory(address);
        let usual = memory.fast_profile() == op.profile && !self.sys.watched[0].contains(address);
        let bytes = memory.get::<N>(address).filter(|_| permitted && usual);
        bytes.map(word)
    }

    /// As [`Core::quick_store`] with the MPU on, which permits it.
    #[inline(never)]
    fn permitted_store<const N: usize>(
        &mut self,
        op: &MicroOp,
        address: u32,
        value: u32,
        privileged: bool,
    ) -> bool {
        let by = self.with_rights(privileged);
        let Some(mpu) = self.sys.mpu_alone() else {
            return false;
        };
        let permitted = address.is_multiple_of(N as u32) && mpu.permits(address, Want::Write, by);
        let memory = self.bus.memory_mut(address);
        let usual = memory.fast_profile() == op.profile && !self.sys.watched[1].contains(address);
        match memory.get_mut::<N>(address) {
            Some(bytes) if permitted && usual => {
                bytes.copy_from_slice(&value.to_le_bytes()[..N]);
                true
            }
            _ => false,
        }
    }

    /// Like [`Core::quick_store`], if a listener may want the store.
    fn watched_store<const N: usize>(&mut self, op: &MicroOp, address: u32, value: u32) -> bool {
        let memory = self.bus.memory_mut(address);
        let usual = self.sys.plain && address.is_multiple_of(N as u32) && memory.fast_profile() == op.profile;
        match memory.get_mut::<N>(address) {
            Some(bytes) if usual => {
                bytes.copy_from_slice(&value.to_le_bytes()[..N]);
                true
            }
            _ => false,
        }
    }

    /// The code that executes, with these rights.
    #[inline]
    fn with_rights(&self, privileged: bool) -> Accessor {
        let below_zero = self.regs.faultmask || self.sys.handles_below_zero();
        Accessor {
            privileged,
            below_zero,
        }
    }

    /// Whether a run, or a part of one, may be fetched; `checked` is the number of what the MPU said when that was last so.
    #[inline]
    pub(crate) fn may_run(&mut self, from: u32, to: u32, checked: &mut u64) -> bool {
        !self.sys.checks_fetches() || self.may_run_checked(from, to, checked)
    }

    #[inline(never)]
    fn may_run_checked(&mut self, from: u32, to: u32, checked: &mut u64) -> bool {
        let by = self.with_rights(self.regs.privileged());
        let view = self.sys.mpu.view(by);
        if *checked == view {
            return true;
        }
        let may = self.sys.mpu.permits_all(from, to, Want::Execute, by);
        if may {
            *checked = view;
        }
        may
    }

    /// A load that surely meets plain memory of the kind that its run's cost assumes, if it does.
    #[inline(always)]
    pub(crate) fn quick_load<const N: usize>(&self, op: &MicroOp, address: u32) -> Option<u32> {
        let memory = self.bus.memory(address);
        let usual = self.sys.plain && address.is_multiple_of(N as u32) && memory.fast_profile() == op.profile;
        if usual && !self.sys.watched[0].contains(address) {
            memory.get::<N>(address).map(word)
        } else {
            None
        }
    }

    /// Stores to plain memory on the fast path; returns whether it did.
    #[inline(always)]
    pub(crate) fn quick_store<const N: usize>(&mut self, op: &MicroOp, address: u32, value: u32) -> bool {
        let memory = self.bus.memory_mut(address);
        let usual = self.sys.plain && address.is_multiple_of(N as u32) && memory.fast_profile() == op.profile;
        match memory.get_mut::<N>(address) {
            Some(bytes) if usual && !self.sys.watched[1].contains(address) => {
                bytes.copy_from_slice(&value.to_le_bytes()[..N]);
                true
            }
            _ => false,
        }
    }

    /// The words that LDM loads, if they all come from plain memory of the kind that its run's cost assumes.
    #[inline(always)]
    pub(crate) fn quick_words(&self, op: &MicroOp, address: u32) -> Option<&[u8]> {
        let memory = self.bus.memory(address);
        let usual = self.sys.plain && address.is_multiple_of(4) && memory.fast_profile() == op.profile;
        if usual && self.sys.watched[0].is_none() {
            memory.get_all(address, 4 * op.list.count_ones() as usize)
        } else {
            None
        }
    }

    /// The memory and the registers for an STM on the fast path.
    #[inline(always)]
    pub(crate) fn quick_words_mut(&mut self, op: &MicroOp, address: u32) -> Option<(&mut [u8], &[u32; 16])> {
        let memory = self.bus.memory_mut(address);
        let usual = self.sys.plain && address.is_multiple_of(4) && memory.fast_profile() == op.profile;
        if !usual || !self.sys.watched[1].is_none() {
            return None;
        }
        let bytes = memory.get_all_mut(address, 4 * op.list.count_ones() as usize)?;
        Some((bytes, &self.regs.r))
    }

    /// Ends an access that was not made.
    #[cold]
    pub(crate) fn refuse(&mut self, refused: Refused) -> Step {
        self.trap = match refused {
            Refused::Fault(fault) => Trap::Fault(fault),
            Refused::NotModelled(what) => Trap::NotModelled(what),
        };
        Step::Trap
    }
}

#[cfg(test)]
mod tests;
