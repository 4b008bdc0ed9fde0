//! What is not compared, and why. Each is tested in `core-cortex-m` instead.

use isa_thumb::{Insn, Op, Reg};

use crate::state::Stopped;

/// Why no program contains this instruction by itself, if so.
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

/// Why no IT block contains this instruction, if so.
pub fn left_out_of_it_blocks(insn: &Insn) -> Option<&'static str> {
    match insn.op {
        Op::Isb => Some("Unicorn ends its translation at ISB without saving ITSTATE, and the block with it"),
        Op::Msr if bits_to_keep(insn).is_some() => Some("its value must be fit, and the block may change it"),
        _ => None,
    }
}

/// The bits of the value of MSR that both sides treat alike, if not all. Unicorn keeps bits 1 and 0 of a stack pointer,
/// and bits of CONTROL that belong to the floating-point extension.
pub fn bits_to_keep(insn: &Insn) -> Option<u32> {
    match (insn.op, insn.imm) {
        (Op::Msr, 8 | 9) => Some(!3),
        _ => None,
    }
}

/// Whether an address belongs to the core's own registers, which Unicorn does not have.
pub fn is_private(address: u32) -> bool {
    address >> 20 == 0xe00
}

/// Whether Unicorn accepts an address that is not a multiple of four where the architecture raises UNALIGNED.
pub fn misses_alignment_fault(insn: &Insn) -> bool {
    matches!(
        insn.op,
        Op::Ldm | Op::Stm | Op::Ldrd | Op::Strd | Op::Ldrex | Op::Strex
    )
}

/// Unicorn keeps bits 1 and 0 of a value written to SP; the core ignores them (ARMv7-M ARM B1.4.1), as QEMU does since
/// version 6.2. They are cleared for it after each instruction.
pub const SP_BITS: u32 = !3;

/// After a fault in an IT block Unicorn executes the rest of the block before it stops: it cannot leave one half-way.
pub const GOES_ON_IN_IT_BLOCK: bool = true;

/// Whether Unicorn may call it so when an instruction is met with EPSR.T zero: as undefined, or, if there is no memory
/// either, as that.
pub fn means_no_thumb(theirs: Stopped) -> bool {
    matches!(theirs, Stopped::Undefined | Stopped::Fetch | Stopped::NoThumb)
}

/// Space of the encoding table that Unicorn executes although Cortex-M3 leaves it undefined: it asks for the version of the
/// architecture there, not for the profile or extension.
pub const LAX: [&str; 11] = [
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
