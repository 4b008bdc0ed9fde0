//! Basic blocks, executed without a pipeline as long as nothing special happens.

use std::collections::VecDeque;

use bus::Bus;
use exec::Accessed;
use isa_rv32::{Extension, Insn, Op};

use super::emit::{Frame, RetireData, accessed};
use crate::core::Core;
use crate::exec::{extended, operation};
use crate::mmu::Purpose;
use crate::reserved::empties_data;
use crate::timing::RelevantOperand;

/// Maximum number of instructions in a block.
pub(super) const LONGEST: usize = 48;

/// From this length on a block ends at an aligned address, so that blocks with different starts converge in straight-line code.
const LONG: usize = 16;

/// Maximum number of instructions in a block whose operands decide their duration.
const MAX_RELEVANT_OPERANDS: usize = 10;

/// A basic block: up to a jump or an instruction that is not simple.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub pc: u32,
    pub steps: Vec<BlockInsn>,
    /// Address after its last instruction.
    pub end: u32,
}

/// An instruction of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockInsn {
    action: Action,
    pub pc: u32,
    pub insn: Insn,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Registers(fn(u32, u32) -> u32),
    Immediate(fn(u32, u32) -> u32),
    /// A result of two operands, with a duration that depends on the shift amount.
    Shift(fn(u32, u32) -> u32),
    /// A result of two operands, with a duration that depends on whether the divisor is zero.
    Divide(fn(u32, u32) -> u32),
    Set(u32),
    /// By its bytes, 1, 2 or 4.
    LoadByte,
    LoadHalf,
    LoadWord,
    StoreByte,
    StoreHalf,
    StoreWord,
    Branch,
    Jump,
    JumpRegister,
    Nothing,
}

/// A store to be undone.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct UndoneStore {
    pub address: u32,
    size: u8,
    old: [u8; 4],
}

/// The outcome of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    pub next: u32,
    /// The operands that decide its duration, and the kinds of memory accessed.
    pub detail: u64,
    seconds: u64,
}

/// Decides whether an access to these bytes of a word proceeds without waiting. `places`: address and bus address.
pub(super) trait AccessPolicy {
    fn load(&mut self, at: usize, places: [u32; 2], mask: u8) -> bool;
    fn store(&mut self, at: usize, places: [u32; 2], mask: u8) -> bool;
}

/// Receives the event data of each instruction.
pub(super) trait InsnObserver {
    /// Whether anybody observes.
    const ON: bool;

    fn executed(&mut self, seen: RetireData);
}

/// Discards everything.
pub(super) struct NoObserver;

impl InsnObserver for NoObserver {
    const ON: bool = false;

    #[inline]
    fn executed(&mut self, _: RetireData) {}
}

impl InsnObserver for VecDeque<RetireData> {
    const ON: bool = true;

    fn executed(&mut self, seen: RetireData) {
        self.push_back(seen);
    }
}

/// The kinds of memory that a block accesses, two at the most.
#[derive(Clone, Copy, Default)]
struct MemoryKinds {
    first: u8,
    second: u8,
    /// Which accesses are to the second kind, a bit for each index.
    seconds: u64,
}

impl MemoryKinds {
    /// Notes an access. Returns false for a third kind.
    #[inline]
    fn meet(&mut self, at: usize, kind: u8) -> bool {
        if kind == self.first {
            return true;
        }
        if self.first == 0 {
            self.first = kind;
            return true;
        }
        if self.second == 0 {
            self.second = kind;
        }
        self.seconds |= 1 << at;
        kind == self.second
    }
}

/// What is needed to undo a block, and the addresses of recent accesses.
#[derive(Clone, Debug)]
pub(super) struct UndoLog {
    regs: [u32; 32],
    /// Address and bus address of each access of the last blocks, by slot and index.
    addresses: [[[u32; 2]; LONGEST]; KEPT],
    /// The slot of this block.
    place: usize,
    stores: Vec<UndoneStore>,
}

/// Number of slots, a power of two.
const KEPT: usize = 4;

impl UndoLog {
    pub(super) fn new() -> UndoLog {
        UndoLog {
            regs: [0; 32],
            addresses: [[[0; 2]; LONGEST]; KEPT],
            place: 0,
            stores: Vec::with_capacity(LONGEST),
        }
    }

    /// Begins the next block. Returns the slot of this one.
    #[inline]
    pub(super) fn advance(&mut self) -> usize {
        let next = (self.place + 1) % KEPT;
        std::mem::replace(&mut self.place, next)
    }

    /// Address and bus address of the access at an index of the block in a slot.
    pub(super) fn accessed(&self, place: usize, at: usize) -> [u32; 2] {
        self.addresses[place][at]
    }

    /// Address and bus address of an access of this block.
    pub(super) fn accessed_last(&self, at: usize) -> [u32; 2] {
        self.accessed(self.place, at)
    }

    #[inline(always)]
    fn access(&mut self, at: usize, places: [u32; 2]) {
        self.addresses[self.place % KEPT][at] = places;
    }

    /// Undoes the last block.
    pub(super) fn undo(&mut self, core: &mut Core) {
        core.regs = self.regs;
        while let Some(stored) = self.stores.pop() {
            core.bus
                .load(stored.address, &stored.old[..usize::from(stored.size)]);
        }
    }
}

impl Block {
    /// Decodes the block at `pc`. A long one ends at a multiple of `1 << bits` bytes.
    pub(super) fn new(
        pc: u32,
        relevant: RelevantOperand,
        bits: u32,
        mut insn_at: impl FnMut(u32) -> Option<Insn>,
    ) -> Block {
        let mut block = Block {
            pc,
            steps: Vec::new(),
            end: pc,
        };
        let mut relevant_operands = 0;
        while block.steps.len() < LONGEST && relevant_operands < MAX_RELEVANT_OPERANDS {
            let Some((insn, action)) =
                insn_at(block.end).and_then(|insn| Some((insn, action(&insn, block.end, relevant)?)))
            else {
                break;
            };
            let at = block.end;
            let next = at.wrapping_add(u32::from(insn.size));
            if insn.is_division() && insn_at(next).is_some_and(|next| empties_data(next.raw)) {
                // The operands determine what is flushed meanwhile.
                break;
            }
            block.steps.push(BlockInsn { action, pc: at, insn });
            block.end = next;
            relevant_operands += usize::from(matches!(action, Action::Shift(_) | Action::Divide(_)));
            let ends_block = block.steps.len() >= LONG && (block.end ^ at) >> bits != 0;
            if ends_block || matches!(action, Action::Branch | Action::Jump | Action::JumpRegister) {
                break;
            }
        }
        block
    }

    /// Executes the first `length` instructions; undoes all of them if one does not proceed without waiting.
    pub(super) fn execute(
        &self,
        length: usize,
        core: &mut Core,
        undo_log: &mut UndoLog,
        policy: &mut impl AccessPolicy,
        observer: &mut impl InsnObserver,
    ) -> Option<Outcome> {
        undo_log.regs = core.regs;
        undo_log.stores.clear();
        let outcome = self.steps_through(length, core, undo_log, policy, observer);
        if outcome.is_none() {
            undo_log.undo(core);
        }
        outcome
    }

    #[inline(always)]
    fn steps_through<T: InsnObserver>(
        &self,
        length: usize,
        core: &mut Core,
        undo_log: &mut UndoLog,
        policy: &mut impl AccessPolicy,
        observer: &mut T,
    ) -> Option<Outcome> {
        let mut next = self.steps.get(length).map_or(self.end, |step| step.pc);
        let (mut detail, mut kinds) = (0, MemoryKinds::default());
        for (at, step) in self.steps[..length].iter().enumerate() {
            let insn = &step.insn;
            let (a, b) = (core.read(insn.rs1), core.read(insn.rs2));
            let immediate = insn.imm as u32;
            let before = Frame {
                sp: core.regs[2],
                link: core.regs[1],
                alternate_link: core.regs[5],
            };
            let mut accessed = None;
            match step.action {
                Action::Registers(function) => core.write(insn.rd, function(a, b)),
                Action::Immediate(function) => core.write(insn.rd, function(a, immediate)),
                Action::Shift(function) => {
                    core.write(insn.rd, function(a, b));
                    detail = detail << 5 | u64::from(b & 31);
                }
                Action::Divide(function) => {
                    core.write(insn.rd, function(a, b));
                    detail = detail << 5 | u64::from(b == 0);
                }
                Action::Set(value) => core.write(insn.rd, value),
                Action::Branch if insn.is_taken(a, b) => next = step.pc.wrapping_add(immediate),
                Action::Jump => {
                    core.write(insn.rd, self.end);
                    next = step.pc.wrapping_add(immediate);
                }
                Action::JumpRegister => {
                    core.write(insn.rd, self.end);
                    next = a.wrapping_add(immediate) & !1;
                }
                Action::Branch | Action::Nothing => {}
                access => {
                    accessed = Some(access_memory(
                        access,
                        (at, insn),
                        [a, b],
                        core,
                        undo_log,
                        policy,
                        &mut kinds,
                    )?);
                }
            }
            if T::ON {
                let of = |writes: bool| accessed.filter(|accessed| accessed.writes == writes);
                let (read, write) = (of(false), of(true));
                observer.executed(RetireData {
                    pc: step.pc,
                    raw: insn.raw,
                    size: insn.size,
                    before,
                    sp: core.regs[2],
                    read,
                    write,
                });
            }
        }
        if next & 2 != 0 && !core.config.isa.has(Extension::C) {
            return None;
        }
        core.pc = next;
        Some(Outcome {
            next,
            detail: detail << 12 | u64::from(kinds.first) | u64::from(kinds.second) << 6,
            seconds: kinds.seconds,
        })
    }
}

/// Executes a load or store; `None` if it has to wait or is special.
#[inline(always)]
fn access_memory(
    action: Action,
    at: (usize, &Insn),
    [base, value]: [u32; 2],
    core: &mut Core,
    undo_log: &mut UndoLog,
    policy: &mut impl AccessPolicy,
    kinds: &mut MemoryKinds,
) -> Option<Accessed> {
    match action {
        Action::LoadByte => loads::<1>(at, base, core, undo_log, policy, kinds),
        Action::LoadHalf => loads::<2>(at, base, core, undo_log, policy, kinds),
        Action::LoadWord => loads::<4>(at, base, core, undo_log, policy, kinds),
        Action::StoreByte => stores::<1>(at, [base, value], core, undo_log, policy, kinds),
        Action::StoreHalf => stores::<2>(at, [base, value], core, undo_log, policy, kinds),
        Action::StoreWord => stores::<4>(at, [base, value], core, undo_log, policy, kinds),
        _ => None,
    }
}

/// Executes a load of `N` bytes; `None` if it has to wait or is special.
#[inline(always)]
fn loads<const N: usize>(
    (at, insn): (usize, &Insn),
    base: u32,
    core: &mut Core,
    undo_log: &mut UndoLog,
    policy: &mut impl AccessPolicy,
    kinds: &mut MemoryKinds,
) -> Option<Accessed> {
    let address = base.wrapping_add(insn.imm as u32);
    let physical = core.place_at_once(address, N as u32, Purpose::Load)?;
    let (value, memory) = load::<N>(&core.bus, physical)?;
    if !policy.load(at, [address, physical], bytes::<N>(address)) || !kinds.meet(at, memory) {
        return None;
    }
    undo_log.access(at, [address, physical]);
    core.write(insn.rd, extended(insn.op, value));
    Some(accessed(insn, false, address, value))
}

/// Executes a store of `N` bytes; `None` if it has to wait or is special.
#[inline(always)]
fn stores<const N: usize>(
    (at, insn): (usize, &Insn),
    [base, value]: [u32; 2],
    core: &mut Core,
    undo_log: &mut UndoLog,
    policy: &mut impl AccessPolicy,
    kinds: &mut MemoryKinds,
) -> Option<Accessed> {
    let address = base.wrapping_add(insn.imm as u32);
    let physical = core.place_at_once(address, N as u32, Purpose::Store)?;
    if !policy.store(at, [address, physical], bytes::<N>(address)) {
        return None;
    }
    let (stored, memory) = store::<N>(&mut core.bus, physical, value)?;
    undo_log.stores.push(stored);
    if !kinds.meet(at, memory) {
        return None;
    }
    undo_log.access(at, [address, physical]);
    Some(accessed(insn, true, address, insn.stored(value)))
}

/// The bytes of its word that an access to `N` bytes touches.
#[inline(always)]
fn bytes<const N: usize>(address: u32) -> u8 {
    (((1 << N) - 1) << (address & 3)) as u8
}

fn action(insn: &Insn, pc: u32, relevant: RelevantOperand) -> Option<Action> {
    let immediate = insn.imm as u32;
    Some(match insn.op {
        Op::Lui => Action::Set(immediate),
        Op::Auipc => Action::Set(pc.wrapping_add(immediate)),
        Op::Lb | Op::Lbu => Action::LoadByte,
        Op::Lh | Op::Lhu => Action::LoadHalf,
        Op::Lw => Action::LoadWord,
        Op::Sb => Action::StoreByte,
        Op::Sh => Action::StoreHalf,
        Op::Sw => Action::StoreWord,
        Op::Jal => Action::Jump,
        Op::Jalr => Action::JumpRegister,
        Op::Fence => Action::Nothing,
        // Whether it is taken shows in the next address.
        _ if insn.is_branch() => (insn.imm != i32::from(insn.size)).then_some(Action::Branch)?,
        _ => match operation(insn.op)? {
            (function, true) => Action::Immediate(function),
            (function, false)
                if relevant == RelevantOperand::Amount && matches!(insn.op, Op::Sll | Op::Srl | Op::Sra) =>
            {
                Action::Shift(function)
            }
            (function, false) if relevant == RelevantOperand::Divisor && insn.is_division() => {
                Action::Divide(function)
            }
            (function, false) => Action::Registers(function),
        },
    })
}

/// A number from 1 to 63 for a memory's latency, by its profile.
fn kind(profile: u8) -> Option<u8> {
    (profile < 63).then_some(profile + 1)
}

/// As [`load`], from a memory close to another one, which takes longer to find.
#[cold]
fn load_beside<const N: usize>(bus: &Bus, address: u32) -> Option<(u32, u8)> {
    let mut bytes = [0; 4];
    if !bus.is_memory(address) || !bus.peek(address, &mut bytes[..N]) {
        return None;
    }
    Some((u32::from_le_bytes(bytes), kind(bus.profile_at(address)?.0)?))
}

/// As [`store`], to such a memory.
#[cold]
fn store_beside<const N: usize>(bus: &mut Bus, address: u32, value: u32) -> Option<(UndoneStore, u8)> {
    let (old, kind) = load_beside::<N>(bus, address)?;
    let size = N as u32;
    bus.write(address, size, value & u32::MAX >> (32 - 8 * size), 0)
        .ok()?;
    Some((stored::<N>(address, old.to_le_bytes()), kind))
}

fn stored<const N: usize>(address: u32, old: [u8; 4]) -> UndoneStore {
    UndoneStore {
        address,
        size: N as u8,
        old,
    }
}

/// `N` bytes at an address and the kind of their memory; `None` if they are not aligned within one memory.
#[inline(always)]
fn load<const N: usize>(bus: &Bus, address: u32) -> Option<(u32, u8)> {
    if address & (N as u32 - 1) != 0 {
        return None;
    }
    let memory = bus.memory(address);
    let Some(found) = memory.get::<N>(address) else {
        return load_beside::<N>(bus, address);
    };
    let mut bytes = [0; 4];
    bytes[..N].copy_from_slice(&found);
    Some((u32::from_le_bytes(bytes), kind(memory.profile().0)?))
}

#[inline(always)]
fn store<const N: usize>(bus: &mut Bus, address: u32, value: u32) -> Option<(UndoneStore, u8)> {
    if address & (N as u32 - 1) != 0 {
        return None;
    }
    let memory = bus.memory_mut(address);
    let kind = kind(memory.profile().0)?;
    let Some(place) = memory.get_mut::<N>(address) else {
        return store_beside::<N>(bus, address, value);
    };
    let (new, mut old) = (value.to_le_bytes(), [0; 4]);
    old[..N].copy_from_slice(place);
    place.copy_from_slice(&new[..N]);
    Some((stored::<N>(address, old), kind))
}
