//! Loads and stores of several registers: LDM, STM, POP, PUSH (ARMv7-M ARM A7.7.41, A7.7.159).
//!
//! The lowest register is at the lowest address. A load that faults has changed no register; a store that faults has
//! left the base alone, so that either can be repeated.

use isa_thumb::{Index, Op, Reg};

use super::branch::{interwork, loaded};
use super::operand::{read, write};
use crate::core::Core;
use crate::microop::{Handler, MicroOp, Step};

/// The registers of a list, lowest first.
struct Members(u16);

impl Iterator for Members {
    type Item = u8;

    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        let lowest = (self.0 != 0).then(|| self.0.trailing_zeros() as u8);
        self.0 &= self.0.wrapping_sub(1);
        lowest
    }
}

/// The lowest address, and what the base becomes: the registers lie below the base if `DOWN`, else from it upwards.
#[inline(always)]
fn extent<const DOWN: bool>(core: &Core, op: &MicroOp) -> (u32, u32) {
    let base = read(core, op.rn);
    let length = 4 * op.list.count_ones();
    if DOWN {
        let lowest = base.wrapping_sub(length);
        (lowest, lowest)
    } else {
        (base, base.wrapping_add(length))
    }
}

fn load<const DOWN: bool, const WRITE_BACK: bool, const PC: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let (mut address, base) = extent::<DOWN>(core, op);
    let mut values = [0; 16];
    let mut step = Step::Next;
    if let Some(bytes) = core.quick_words(op, address) {
        let words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        for (register, word) in Members(op.list).zip(words) {
            values[usize::from(register & 15)] = word;
        }
    } else {
        for register in Members(op.list) {
            let (value, one) = core.load_aligned(op, address);
            if one == Step::Trap {
                return one;
            }
            values[usize::from(register & 15)] = value;
            step = step.and(one);
            address = address.wrapping_add(4);
        }
    }
    if WRITE_BACK {
        write(core, op.rn, base);
    }
    for register in Members(op.list & 0x7fff) {
        write(core, register, values[usize::from(register & 15)]);
    }
    if PC {
        let jump = interwork(core, values[15]);
        step = loaded(core, step, jump);
    }
    step
}

fn store<const DOWN: bool, const WRITE_BACK: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let (mut address, base) = extent::<DOWN>(core, op);
    let mut step = Step::Next;
    if let Some((bytes, registers)) = core.quick_words_mut(op, address) {
        for (register, word) in Members(op.list).zip(bytes.as_chunks_mut().0) {
            *word = registers[usize::from(register & 15)].to_le_bytes();
        }
        if WRITE_BACK {
            moved::<DOWN>(core, op, base);
        }
        return step;
    }
    for register in Members(op.list) {
        let one = core.store_aligned(op, address, read(core, register));
        if one == Step::Trap {
            return one;
        }
        step = step.and(one);
        address = address.wrapping_add(4);
    }
    if WRITE_BACK {
        moved::<DOWN>(core, op, base);
    }
    step
}

/// Updates the base after a store; a store downwards may be a growing stack.
#[inline(always)]
fn moved<const DOWN: bool>(core: &mut Core, op: &MicroOp, base: u32) {
    let before = read(core, op.rn);
    write(core, op.rn, base);
    if DOWN && op.rn == Reg::SP.0 && core.floors.is_below(base) {
        core.stack_grew(op, before);
    }
}

/// The handler of a load or store of several registers, or `None` if `op` is neither.
pub(super) fn handler(op: Op, index: Index, write_back: bool, with_pc: bool) -> Option<Handler> {
    let down = index == Index::Pre;
    Some(match (op, down, write_back, with_pc) {
        (Op::Ldm, false, false, false) => load::<false, false, false>,
        (Op::Ldm, false, false, true) => load::<false, false, true>,
        (Op::Ldm, false, true, false) => load::<false, true, false>,
        (Op::Ldm, false, true, true) => load::<false, true, true>,
        (Op::Ldm, true, false, false) => load::<true, false, false>,
        (Op::Ldm, true, false, true) => load::<true, false, true>,
        (Op::Ldm, true, true, false) => load::<true, true, false>,
        (Op::Ldm, true, true, true) => load::<true, true, true>,
        (Op::Stm, false, false, _) => store::<false, false>,
        (Op::Stm, false, true, _) => store::<false, true>,
        (Op::Stm, true, false, _) => store::<true, false>,
        (Op::Stm, true, true, _) => store::<true, true>,
        _ => return None,
    })
}
