//! Cases that are not compared, with reasons. `core-cortex-m` tests each of them instead.

use isa_thumb::{Insn, Op, Reg};

use crate::Target;
use crate::state::Stopped;

/// The reason to keep this instruction out of programs, if any.
pub fn left_out(insn: &Insn) -> Option<&'static str> {
    let special = |bit: u32| insn.imm < 8 && insn.imm & bit != 0;
    match insn.op {
        Op::Mrs if special(2) => Some("Unicorn reads EPSR as what it is; the architecture reads it as zero"),
        Op::Msr if special(3) => Some("Unicorn lets MSR write IPSR and EPSR; the architecture ignores that"),
        Op::Wfi | Op::Wfe => Some("a core that sleeps does nothing to compare"),
        Op::Ldr if insn.rn == Reg::PC && insn.rd == Reg::PC => {
            Some("its target would be code read as an address; programs have no literals")
        }
        Op::Yield => Some("Unicorn leaves its loop, as if the instruction were undefined"),
        Op::Strex => Some("Unicorn's monitor compares address and value, Cortex-M3's neither: only in pairs"),
        _ => None,
    }
}

/// The reason to keep this instruction out of IT blocks, if any.
pub fn left_out_of_it_blocks(insn: &Insn) -> Option<&'static str> {
    match insn.op {
        Op::Isb => Some("Unicorn ends its translation at ISB without saving ITSTATE, and the block with it"),
        Op::Msr if bits_to_keep(insn).is_some() || bits_to_set(insn) != 0 => {
            Some("its value must be fit, and the block may change it")
        }
        Op::VcvtFromFixed => Some("FPSCR must be fit, and the block may change it"),
        _ => None,
    }
}

/// The bits of an MSR value that both sides treat alike; `None` for all. Unicorn keeps bits 1 and 0 of a stack pointer.
pub fn bits_to_keep(insn: &Insn) -> Option<u32> {
    match (insn.op, insn.imm) {
        (Op::Msr, 8 | 9) => Some(!3),
        _ => None,
    }
}

/// The bits of an MSR value to the flags that both sides treat alike. Unicorn writes Q on ARMv6-M too, which has no such flag (ARMv6-M
/// ARM B1.4.2).
pub fn flags_to_keep(target: Target, insn: &Insn) -> Option<u32> {
    (insn.op == Op::Msr && insn.imm < 4 && !target.isa().is_v7()).then_some(!(1 << 27))
}

/// The bits of an MSR value that must be set: CONTROL.FPCA. When Unicorn creates a floating-point context, it copies all of FPSCR from
/// FPDSCR instead of the modes only (ARMv7-M ARM B1.5.7, `ExecuteFPCheck`).
pub fn bits_to_set(insn: &Insn) -> u32 {
    match (insn.op, insn.imm) {
        (Op::Msr, 20) => 4,
        _ => 0,
    }
}

/// The FPSCR bits that do not make an instruction's results differ. Unicorn uses FPSCR's rounding mode to convert fixed-point to
/// floating-point numbers; the architecture rounds to nearest (ARMv7-M ARM A7.7.229), as QEMU does since version 6.1.
pub fn bits_of_fpscr(insn: &Insn) -> u32 {
    match insn.op {
        Op::VcvtFromFixed => !(3 << 22),
        _ => u32::MAX,
    }
}

/// Whether an address is in the core's own registers, which Unicorn lacks.
pub fn is_private(address: u32) -> bool {
    address >> 20 == 0xe00
}

/// Whether Unicorn accepts an address that is not a multiple of four although the architecture raises UNALIGNED.
pub fn misses_alignment_fault(insn: &Insn) -> bool {
    matches!(
        insn.op,
        Op::Ldm
            | Op::Stm
            | Op::Ldrd
            | Op::Strd
            | Op::Ldrex
            | Op::Strex
            | Op::Vldr
            | Op::Vstr
            | Op::Vldm
            | Op::Vstm
    )
}

/// Unicorn keeps bits 1 and 0 of a value written to SP; the core ignores them (ARMv7-M ARM B1.4.1), as QEMU does since version 6.2. The
/// oracle clears them after each instruction.
pub const SP_BITS: u32 = !3;

/// After a fault in an IT block, Unicorn executes the rest of the block before it stops.
pub const GOES_ON_IN_IT_BLOCK: bool = true;

/// After a store to unmapped memory, Unicorn begins the next instruction before it stops, but does not execute it.
pub const STOPS_BEHIND_STORE: bool = true;

/// Whether Unicorn may report this stop for an instruction with EPSR.T zero: undefined, or a fetch error if the address is unmapped too.
pub fn means_no_thumb(theirs: Stopped) -> bool {
    matches!(theirs, Stopped::Undefined | Stopped::Fetch | Stopped::NoThumb)
}

/// Whether an encoding is FLDMX or FSTMX: VLDM or VSTM of double registers with an odd number of words, which the manual deprecates.
/// Unicorn executes them; our table has no row for them.
pub fn is_deprecated(raw: u32) -> bool {
    raw & 0xfe00_0f01 == 0xec00_0b01
}

/// Encodings that Unicorn executes although the core leaves them undefined: it checks the architecture's version there, or nothing, but
/// not the profile or extension.
pub const LAX: [&str; 12] = [
    "IT, CBZ and CBNZ are not in ARMv6-M",
    "BLX (immediate): this profile has no Arm state",
    "Advanced SIMD: not in this profile",
    "multiplications of halfwords need the DSP extension",
    "long multiplications of halfwords need the DSP extension",
    "a store relative to PC",
    "LDREXD, STREXD: not in this profile",
    "SXTAH, UXTAH need the DSP extension",
    "SXTAB, UXTAB need the DSP extension",
    "SSAT16 needs the DSP extension",
    "USAT16 needs the DSP extension",
    "SETEND and its neighbours: not in this profile",
];
