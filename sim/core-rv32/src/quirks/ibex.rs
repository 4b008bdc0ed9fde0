//! Ibex's choices and its own registers. Source: `ibex_cs_registers.sv`.

use super::Quirks;
use crate::core::Core;
use crate::csr::Csrs;
use crate::trap::Privilege;

/// Software, timer, external and fast interrupts.
const INTERRUPTS: u32 = 0x7fff_0888;
/// `mcountinhibit`: of `mcycle` and `minstret`.
const INHIBITS: u32 = 1 | 1 << 2;
/// `cpuctrlsts`: what exceptions set.
const SEEN: u32 = 1 << 6;
const SEEN_AGAIN: u32 = 1 << 7;

/// Instructions that are legal in debug mode, in machine mode, or where `mstatus.TW` is clear.
const DRET: u32 = 0x7b20_0073;
const MRET: u32 = 0x3020_0073;
const WFI: u32 = 0x1050_0073;

pub(super) struct IbexQuirks;

impl Quirks for IbexQuirks {
    /// At an address with this remainder: a table of handlers is below the first instruction.
    fn reset(&self, csrs: &mut Csrs, pc: u32) {
        csrs.mtvec = pc & !0xff | 1;
        csrs.status.mpie = true;
        csrs.status.mpp = Privilege::User as u8;
    }

    fn hides_registers(&self) -> bool {
        false
    }

    /// `instr_perf_count_id_o` uses the decoder's check for an illegal instruction, without those for debug mode and privilege.
    fn counts_illegal(&self, raw: u32) -> bool {
        matches!(raw, DRET | MRET | WFI)
    }

    fn breakpoint_value(&self, _: u32, _: u32) -> u32 {
        0
    }

    fn interrupt_value(&self) -> Option<u32> {
        Some(0)
    }

    fn modifies_privilege(&self) -> bool {
        false
    }

    fn write(&self, core: &mut Core, csr: u16, value: u32, now: u64) -> bool {
        let csrs = &mut core.csrs;
        let (low, high) = (u64::from(value), u64::from(value) << 32);
        match csr {
            0x300 => csrs.set_ibex_status(value),
            0x304 => csrs.mie = value & INTERRUPTS,
            // Always a table, at a multiple of 256.
            0x305 => csrs.mtvec = value & !0xff | 1,
            0x320 => csrs.inhibit(value & INHIBITS, now),
            0x340 => csrs.mscratch = value,
            0x341 => csrs.mepc = value & !1,
            0x342 => csrs.mcause = cause(value),
            0x343 => csrs.mtval = value,
            0x7c0 => csrs.control = value & (SEEN | SEEN_AGAIN),
            0xb00 => csrs.set_cycle(csrs.cycle(now) & !0xffff_ffff | low, now + 1),
            0xb80 => csrs.set_cycle(csrs.cycle(now) & 0xffff_ffff | high, now + 1),
            0xb02 => csrs.set_instret(csrs.instret & !0xffff_ffff | low),
            0xb82 => csrs.set_instret(csrs.instret & 0xffff_ffff | high),
            _ => {}
        }
        true
    }
}

/// Five bits of the code, and two that tell an interrupt from outside and one from inside.
fn cause(value: u32) -> u32 {
    let code = value & 0x1f;
    match value >> 30 {
        2 => 0x8000_0000 | code,
        3 => 0xffff_ffe0 | code,
        _ => code,
    }
}

impl Csrs {
    fn set_ibex_status(&mut self, value: u32) {
        let bit = |place: u32| value >> place & 1 != 0;
        let status = &mut self.status;
        (status.mie, status.mpie, status.mprv, status.tw) = (bit(3), bit(7), bit(17), bit(21));
        let machine = value >> 11 & 3 == Privilege::Machine as u32;
        status.mpp = if machine {
            Privilege::Machine as u8
        } else {
            Privilege::User as u8
        };
    }

    /// `mcycle` in core cycle `now`.
    pub(crate) fn cycle(&self, now: u64) -> u64 {
        if self.inhibited & 1 == 0 {
            now.wrapping_add(self.cycle_offset)
        } else {
            self.stopped_cycle
        }
    }

    fn set_instret(&mut self, value: u64) {
        let counts = self.inhibited & 1 << 2 == 0;
        self.instret = value.wrapping_sub(if counts { self.under_way.swallowed } else { 0 });
    }

    pub(super) fn set_cycle(&mut self, value: u64, now: u64) {
        self.stopped_cycle = value;
        self.cycle_offset = value.wrapping_sub(now);
    }

    /// A write takes effect in the next cycle, and its value is not incremented in this one. The instruction counted in this cycle still
    /// uses the old value.
    fn inhibit(&mut self, inhibited: u32, now: u64) {
        let counts = u64::from(self.under_way.swallowed != 0);
        match (self.inhibited & 1 << 2 == 0, inhibited & 1 << 2 == 0) {
            (true, false) => self.instret = self.instret.wrapping_add(counts),
            (false, true) => self.instret = self.instret.wrapping_sub(counts),
            _ => {}
        }
        let counted = self.inhibited & 1 == 0;
        self.set_cycle(self.cycle(now).wrapping_add(u64::from(counted)), now + 1);
        self.inhibited = inhibited;
    }

    /// Counts retired instructions.
    #[inline]
    pub(crate) fn count_instructions(&mut self, count: u64) {
        if self.inhibited & 1 << 2 == 0 {
            self.instret = self.instret.wrapping_add(count);
        }
    }

    /// An exception is taken.
    pub(crate) fn see_exception(&mut self) {
        let again = if self.control & SEEN != 0 { SEEN_AGAIN } else { 0 };
        self.control |= SEEN | again;
    }

    /// A trap is returned from.
    pub(crate) fn forget_exception(&mut self) {
        self.control &= !SEEN;
    }
}
