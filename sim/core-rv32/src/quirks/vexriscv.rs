//! `VexRiscv`'s choices: fields keep whatever a program writes, and lower modes see bits that delegation withholds from them. Source:
//! `CsrPlugin`, `MmuPlugin` and the data cache in its Verilog.

use super::Quirks;
use crate::core::Core;
use crate::csr::{SUPERVISOR, WRITABLE_PENDING};

/// The bits of a cause: whether it is an interrupt, and four of its code.
const CAUSE: u32 = 0x8000_000f;

const EBREAK: u32 = 0x0010_0073;

pub(super) struct VexRiscvQuirks;

impl Quirks for VexRiscvQuirks {
    fn hides_registers(&self) -> bool {
        false
    }

    fn supervisor_view(&self, _: u32) -> u32 {
        SUPERVISOR
    }

    fn raised_by_supervisor(&self, _: u32) -> u32 {
        SUPERVISOR
    }

    fn overwrites_inputs(&self, value: u32) -> Option<u32> {
        Some(value & WRITABLE_PENDING)
    }

    fn vector(&self, _: u32, value: u32) -> u32 {
        value
    }

    fn cause(&self, value: u32) -> u32 {
        value & CAUSE
    }

    fn return_address(&self, value: u32, _: bool) -> u32 {
        value
    }

    fn translation(&self, value: u32) -> u32 {
        value & 0xffcf_ffff
    }

    fn takes_mode(&self, _: bool) -> bool {
        true
    }

    /// `PmpPlugin` has written before the instruction leaves the execute stage, in which it reads.
    fn shows_written(&self, csr: u16) -> bool {
        matches!(csr, 0x3a0..=0x3bf)
    }

    /// A compressed instruction that the decompressor does not know reads as 0.
    fn illegal_value(&self, raw: u32, size: u8) -> u32 {
        if size == 2 { 0 } else { raw }
    }

    /// The address of the word (`IBusCachedPlugin_decodeExceptionPort_payload_badAddr`).
    fn fetch_fault_value(&self, address: u32) -> u32 {
        address & !3
    }

    /// A counter that is written holds that in the next cycle, and is not counted up in this one; the other half is.
    fn write(&self, core: &mut Core, csr: u16, value: u32, now: u64) -> bool {
        let csrs = &mut core.csrs;
        let (low, high) = (u64::from(value), u64::from(value) << 32);
        let next = csrs.cycle(now).wrapping_add(1);
        match csr {
            0xb00 => csrs.set_cycle(next & !0xffff_ffff | low, now + 1),
            0xb80 => csrs.set_cycle(next & 0xffff_ffff | high, now + 1),
            _ => return false,
        }
        true
    }

    /// The instruction, as the decompressor leaves it.
    fn breakpoint_value(&self, _: u32, _: u32) -> u32 {
        EBREAK
    }

    fn modifies_privilege(&self) -> bool {
        false
    }

    fn clears_modified_privilege(&self) -> bool {
        false
    }

    fn lets_all_fence(&self) -> bool {
        true
    }

    fn modifies_in_cache(&self) -> bool {
        true
    }
}
