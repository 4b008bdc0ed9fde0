//! Decoded instructions, by address and ITSTATE.

use bus::{Bus, ProfileId};
use events::Pcs;
use exec::{CodeMap, SplitPoints};
use isa_thumb::{DecodeError, Insn, ItState, Op, Reg, is_wide};

use super::DecodeContext;
use crate::microop::MicroOp;
use crate::timing::{self, Class, NearIt, Shape};
use rustc_hash::FxHashMap;

/// All decoded instructions, and the addresses where blocks must begin.
#[derive(Clone, Default)]
pub(crate) struct InsnCache {
    /// By address and ITSTATE. The profile is [`ProfileId::NONE`] if it is unknown which memory the instruction accesses.
    instructions: FxHashMap<(u32, u8), (MicroOp, Shape)>,
    /// The code words they were decoded from.
    pub(super) code: CodeMap,
    /// Addresses of instructions that a sink asks, or once asked, for.
    splits: SplitPoints,
    /// Addresses at which the debugger halts the core.
    halts: Vec<u32>,
}

impl InsnCache {
    /// Sets where blocks begin. Returns whether existing blocks may cross one of these addresses.
    pub(super) fn set_split_points(&mut self, pcs: &Pcs, halts: &[u32]) -> bool {
        let others = self.halts != halts;
        if others {
            self.halts = halts.to_vec();
        }
        self.splits.add(pcs.addresses()) | others
    }

    /// Clears it but keeps where blocks begin.
    pub(super) fn take_split_points(&mut self) -> InsnCache {
        self.instructions.clear();
        self.code.clear();
        std::mem::take(self)
    }

    /// Notes that decoded code depends on the contents of these addresses.
    fn mark_code(&mut self, addresses: [u32; 2], bus: &Bus) {
        for address in addresses {
            let word = bus.peek_word(address & !3).unwrap_or_default();
            self.code.mark(address, word);
        }
    }

    /// Whether a sink asks, or once asked, for the instruction at `pc`.
    pub(super) fn splits(&self, pc: u32) -> bool {
        self.splits.contains(pc)
    }

    /// Whether the debugger halts the core at `pc`.
    pub(super) fn halts(&self, pc: u32) -> bool {
        self.halts.contains(&pc)
    }
}

pub(super) type FetchError = (u32, u8, DecodeError);

/// Decodes the instruction at an address with this ITSTATE, once.
pub(super) fn lowered(
    known: &mut InsnCache,
    pc: u32,
    it: u8,
    context: &DecodeContext,
) -> Result<(MicroOp, Shape), FetchError> {
    if let Some(&lowered) = known.instructions.get(&(pc, it)) {
        return Ok(lowered);
    }
    known.mark_code([pc, pc.wrapping_add(2)], context.bus);
    let insn = fetch(context, pc)?;
    let mut shape = Shape::of(&insn, pc, ItState(it).in_block());
    if shape.class == Class::Nop && shape.size == 2 {
        known.mark_code(NearIt::looks_at(pc), context.bus);
        shape.near_it = NearIt::around(pc, |address| context.bus.peek_halfword(address));
    }
    let mut op = (context.decoder.lower)(&insn, pc, it);
    op.profile = expected_profile(context.bus, &insn, pc, shape.words).unwrap_or(ProfileId::NONE);
    op.by_operands = timing::by_operands(context.model, &shape);
    known.instructions.insert((pc, it), (op, shape));
    Ok((op, shape))
}

pub(super) fn fetch(context: &DecodeContext, pc: u32) -> Result<Insn, FetchError> {
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
    let isa = context.isa;
    isa.decode_at(first, second).map_err(|error| (raw, size, error))
}

/// The memory that an instruction surely accesses: that of a literal, or any if it accesses none. Otherwise `None`.
fn expected_profile(bus: &Bus, insn: &Insn, pc: u32, words: u8) -> Option<ProfileId> {
    if words == 0 {
        return Some(ProfileId::default());
    }
    if insn.rn != Reg::PC || !(insn.is_load() || insn.op == Op::Tbb) {
        return None;
    }
    bus.profile_at(((pc + 4) & !3).wrapping_add(insn.imm))
}
