//! Instructions as a run has them: fetched, decoded, lowered, once for each address and ITSTATE.

use bus::{Bus, ProfileId};
use isa_thumb::{DecodeError, Insn, ItState, Op, Reg, is_wide};

use super::{Context, Lowered};
use crate::exec;
use crate::microop::MicroOp;
use crate::timing::{self, Class, NearIt, Shape};

pub(super) type FetchError = (u32, u8, DecodeError);

/// The instruction at an address, with this ITSTATE, decoded once.
pub(super) fn lowered(
    known: &mut Lowered,
    pc: u32,
    it: u8,
    context: &Context,
) -> Result<(MicroOp, Shape), FetchError> {
    if let Some(&lowered) = known.get(&(pc, it)) {
        return Ok(lowered);
    }
    let insn = fetch(context, pc)?;
    let mut shape = Shape::of(&insn, pc, ItState(it).in_block());
    if shape.class == Class::Nop && shape.size == 2 {
        shape.near_it = NearIt::around(pc, |address| context.bus.peek_halfword(address));
    }
    let mut op = exec::lower(&insn, pc, it);
    op.profile = expected_profile(context.bus, &insn, pc, shape.words).unwrap_or(ProfileId::NONE);
    op.by_operands = timing::by_operands(context.model, &shape);
    known.insert((pc, it), (op, shape));
    Ok((op, shape))
}

pub(super) fn fetch(context: &Context, pc: u32) -> Result<Insn, FetchError> {
    let first = context.bus.peek_halfword(pc).unwrap_or(0);
    let second = if is_wide(first) {
        context.bus.peek_halfword(pc.wrapping_add(2))
    } else {
        None
    };
    let raw = second.map_or(u32::from(first), |second| {
        u32::from(first) << 16 | u32::from(second)
    });
    let size = if is_wide(first) { 4 } else { 2 };
    let isa = context.model.core().isa;
    isa.decode_at(first, second).map_err(|error| (raw, size, error))
}

/// The memory that an access surely meets, where the instruction tells: a literal. One that accesses nothing meets any.
fn expected_profile(bus: &Bus, insn: &Insn, pc: u32, words: u8) -> Option<ProfileId> {
    if words == 0 {
        return Some(ProfileId::default());
    }
    if insn.rn != Reg::PC || !(insn.is_load() || insn.op == Op::Tbb) {
        return None;
    }
    bus.profile_at(((pc + 4) & !3).wrapping_add(insn.imm))
}
