//! Straight runs of instructions, to be executed without a pipeline as long as all goes straight.

use std::collections::VecDeque;

use bus::Bus;
use exec::Accessed;
use isa_rv32::{Extension, Insn, Op};

use super::tell::{Frame, Seen, accessed};
use crate::core::Core;
use crate::exec::{extended, operation};
use crate::mmu::Purpose;
use crate::reserved::empties_data;
use crate::timing::Matters;

/// The most instructions of a run.
pub(super) const LONGEST: usize = 48;

/// From this length on, a run ends at the end of a memory block, so that runs with different starts in straight code converge.
const LONG: usize = 16;

/// Instructions in a run whose operands matter.
const MATTERING: usize = 10;

/// A run: up to a jump, or to what is not simple.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub pc: u32,
    pub steps: Vec<Step>,
    /// The address after its last instruction.
    pub end: u32,
}

/// An instruction of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    act: Act,
    pub pc: u32,
    pub insn: Insn,
}

#[derive(Clone, Copy, Debug)]
enum Act {
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

/// An access that a run made, by the instruction's place in it.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Stored {
    pub address: u32,
    size: u8,
    old: [u8; 4],
}

/// The outcome of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    pub next: u32,
    /// Operands that matter, and the kinds of memory accessed.
    pub detail: u64,
    seconds: u64,
}

/// Decides whether an access to these bytes of a word goes straight through, possibly at another bus address.
pub(super) trait Straight {
    fn load(&mut self, at: usize, places: [u32; 2], mask: u8) -> bool;
    fn store(&mut self, at: usize, places: [u32; 2], mask: u8) -> bool;
}

/// Receives the effects of each instruction of a run.
pub(super) trait Trace {
    /// Whether anybody does.
    const ON: bool;

    fn executed(&mut self, seen: Seen);
}

/// Discards them.
pub(super) struct Unseen;

impl Trace for Unseen {
    const ON: bool = false;

    #[inline]
    fn executed(&mut self, _: Seen) {}
}

impl Trace for VecDeque<Seen> {
    const ON: bool = true;

    fn executed(&mut self, seen: Seen) {
        self.push_back(seen);
    }
}

/// Which kinds of memory a run accesses: at the most two.
#[derive(Clone, Copy, Default)]
struct Kinds {
    first: u8,
    second: u8,
    /// Which accesses are to the second, by their instruction's place.
    seconds: u64,
}

impl Kinds {
    /// An access; false if it is to a third kind.
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

/// Side data of executed runs.
#[derive(Clone, Debug)]
pub(super) struct Traces {
    regs: [u32; 32],
    /// Addresses and bus addresses of the last runs' accesses, by the run's place.
    addresses: [[[u32; 2]; LONGEST]; KEPT],
    /// The place of this run.
    place: usize,
    stores: Vec<Stored>,
}

/// Runs whose accesses are kept: a power of two.
const KEPT: usize = 4;

impl Traces {
    pub(super) fn new() -> Traces {
        Traces {
            regs: [0; 32],
            addresses: [[[0; 2]; LONGEST]; KEPT],
            place: 0,
            stores: Vec::with_capacity(LONGEST),
        }
    }

    /// The next run begins. Gives the place of this one.
    #[inline]
    pub(super) fn advance(&mut self) -> usize {
        let next = (self.place + 1) % KEPT;
        std::mem::replace(&mut self.place, next)
    }

    /// Address and bus address of the access by the instruction at `at` of the run in that place.
    pub(super) fn accessed(&self, place: usize, at: usize) -> [u32; 2] {
        self.addresses[place][at]
    }

    /// Address and bus address of an access of this run.
    pub(super) fn accessed_last(&self, at: usize) -> [u32; 2] {
        self.accessed(self.place, at)
    }

    #[inline(always)]
    fn access(&mut self, at: usize, places: [u32; 2]) {
        self.addresses[self.place % KEPT][at] = places;
    }

    /// Puts back what the last run changed.
    pub(super) fn undo(&mut self, core: &mut Core) {
        core.regs = self.regs;
        while let Some(stored) = self.stores.pop() {
            core.bus
                .load(stored.address, &stored.old[..usize::from(stored.size)]);
        }
    }
}

impl Run {
    /// The run at `pc`, in blocks of `1 << block` bytes.
    pub(super) fn new(
        pc: u32,
        matters: Matters,
        block: u32,
        mut insn_at: impl FnMut(u32) -> Option<Insn>,
    ) -> Run {
        let mut run = Run {
            pc,
            steps: Vec::new(),
            end: pc,
        };
        let mut mattering = 0;
        while run.steps.len() < LONGEST && mattering < MATTERING {
            let Some((insn, act)) =
                insn_at(run.end).and_then(|insn| Some((insn, act(&insn, run.end, matters)?)))
            else {
                break;
            };
            let at = run.end;
            let next = at.wrapping_add(u32::from(insn.size));
            if insn.is_division() && insn_at(next).is_some_and(|next| empties_data(next.raw)) {
                // The operands determine what is flushed meanwhile.
                break;
            }
            run.steps.push(Step { act, pc: at, insn });
            run.end = next;
            mattering += usize::from(matches!(act, Act::Shift(_) | Act::Divide(_)));
            let ends_block = run.steps.len() >= LONG && (run.end ^ at) >> block != 0;
            if ends_block || matches!(act, Act::Branch | Act::Jump | Act::JumpRegister) {
                break;
            }
        }
        run
    }

    /// Executes `count` instructions, unless one does not go straight: then it undoes all.
    pub(super) fn execute(
        &self,
        length: usize,
        core: &mut Core,
        traces: &mut Traces,
        straight: &mut impl Straight,
        trace: &mut impl Trace,
    ) -> Option<Outcome> {
        traces.regs = core.regs;
        traces.stores.clear();
        let outcome = self.steps_through(length, core, traces, straight, trace);
        if outcome.is_none() {
            traces.undo(core);
        }
        outcome
    }

    #[inline(always)]
    fn steps_through<T: Trace>(
        &self,
        length: usize,
        core: &mut Core,
        traces: &mut Traces,
        straight: &mut impl Straight,
        trace: &mut T,
    ) -> Option<Outcome> {
        let mut next = self.steps.get(length).map_or(self.end, |step| step.pc);
        let (mut detail, mut kinds) = (0, Kinds::default());
        for (at, step) in self.steps[..length].iter().enumerate() {
            let insn = &step.insn;
            let (a, b) = (core.read(insn.rs1), core.read(insn.rs2));
            let immediate = insn.imm as u32;
            let before = Frame {
                sp: core.regs[2],
                link: core.regs[1],
                alternate_link: core.regs[5],
            };
            let (mut read, mut write) = (None, None);
            match step.act {
                Act::Registers(function) => core.write(insn.rd, function(a, b)),
                Act::Immediate(function) => core.write(insn.rd, function(a, immediate)),
                Act::Shift(function) => {
                    core.write(insn.rd, function(a, b));
                    detail = detail << 5 | u64::from(b & 31);
                }
                Act::Divide(function) => {
                    core.write(insn.rd, function(a, b));
                    detail = detail << 5 | u64::from(b == 0);
                }
                Act::Set(value) => core.write(insn.rd, value),
                Act::LoadByte => {
                    read = T::ON.then_some(loads::<1>((at, insn), a, core, traces, straight, &mut kinds)?);
                }
                Act::LoadHalf => {
                    read = T::ON.then_some(loads::<2>((at, insn), a, core, traces, straight, &mut kinds)?);
                }
                Act::LoadWord => {
                    read = T::ON.then_some(loads::<4>((at, insn), a, core, traces, straight, &mut kinds)?);
                }
                Act::StoreByte => {
                    let stored = stores::<1>((at, insn), [a, b], core, traces, straight, &mut kinds)?;
                    write = T::ON.then_some(stored);
                }
                Act::StoreHalf => {
                    let stored = stores::<2>((at, insn), [a, b], core, traces, straight, &mut kinds)?;
                    write = T::ON.then_some(stored);
                }
                Act::StoreWord => {
                    let stored = stores::<4>((at, insn), [a, b], core, traces, straight, &mut kinds)?;
                    write = T::ON.then_some(stored);
                }
                Act::Branch => {
                    if insn.is_taken(a, b) {
                        next = step.pc.wrapping_add(immediate);
                    }
                }
                Act::Jump => {
                    core.write(insn.rd, self.end);
                    next = step.pc.wrapping_add(immediate);
                }
                Act::JumpRegister => {
                    core.write(insn.rd, self.end);
                    next = a.wrapping_add(immediate) & !1;
                }
                Act::Nothing => {}
            }
            if T::ON {
                trace.executed(Seen {
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

/// Executes a load of `N` bytes; none if it does not go straight.
#[inline(always)]
fn loads<const N: usize>(
    (at, insn): (usize, &Insn),
    base: u32,
    core: &mut Core,
    traces: &mut Traces,
    straight: &mut impl Straight,
    kinds: &mut Kinds,
) -> Option<Accessed> {
    let address = base.wrapping_add(insn.imm as u32);
    let physical = core.place_at_once(address, N as u32, Purpose::Load)?;
    let (value, memory) = load::<N>(&core.bus, physical)?;
    if !straight.load(at, [address, physical], bytes::<N>(address)) || !kinds.meet(at, memory) {
        return None;
    }
    traces.access(at, [address, physical]);
    core.write(insn.rd, extended(insn.op, value));
    Some(accessed(insn, false, address, value))
}

/// Executes a store whose access goes straight through.
#[inline(always)]
fn stores<const N: usize>(
    (at, insn): (usize, &Insn),
    [base, value]: [u32; 2],
    core: &mut Core,
    traces: &mut Traces,
    straight: &mut impl Straight,
    kinds: &mut Kinds,
) -> Option<Accessed> {
    let address = base.wrapping_add(insn.imm as u32);
    let physical = core.place_at_once(address, N as u32, Purpose::Store)?;
    if !straight.store(at, [address, physical], bytes::<N>(address)) {
        return None;
    }
    let (stored, memory) = store::<N>(&mut core.bus, physical, value)?;
    traces.stores.push(stored);
    if !kinds.meet(at, memory) {
        return None;
    }
    traces.access(at, [address, physical]);
    Some(accessed(insn, true, address, insn.stored(value)))
}

/// The bytes of its word that an access to `N` bytes touches.
#[inline(always)]
fn bytes<const N: usize>(address: u32) -> u8 {
    (((1 << N) - 1) << (address & 3)) as u8
}

fn act(insn: &Insn, pc: u32, matters: Matters) -> Option<Act> {
    let immediate = insn.imm as u32;
    Some(match insn.op {
        Op::Lui => Act::Set(immediate),
        Op::Auipc => Act::Set(pc.wrapping_add(immediate)),
        Op::Lb | Op::Lbu => Act::LoadByte,
        Op::Lh | Op::Lhu => Act::LoadHalf,
        Op::Lw => Act::LoadWord,
        Op::Sb => Act::StoreByte,
        Op::Sh => Act::StoreHalf,
        Op::Sw => Act::StoreWord,
        Op::Jal => Act::Jump,
        Op::Jalr => Act::JumpRegister,
        Op::Fence => Act::Nothing,
        // Whether it is taken shows in where it goes.
        _ if insn.is_branch() => (insn.imm != i32::from(insn.size)).then_some(Act::Branch)?,
        _ => match operation(insn.op)? {
            (function, true) => Act::Immediate(function),
            (function, false)
                if matters == Matters::Amount && matches!(insn.op, Op::Sll | Op::Srl | Op::Sra) =>
            {
                Act::Shift(function)
            }
            (function, false) if matters == Matters::Divisor && insn.is_division() => Act::Divide(function),
            (function, false) => Act::Registers(function),
        },
    })
}

/// A number from 1 to 63 for the kind of a memory, by its profile: as far as its latency goes.
fn kind(profile: u8) -> Option<u8> {
    (profile < 63).then_some(profile + 1)
}

/// As [`load`] from a memory that lies close to another one, which takes longer to find.
#[cold]
fn load_beside<const N: usize>(bus: &Bus, address: u32) -> Option<(u32, u8)> {
    let mut bytes = [0; 4];
    if !bus.is_memory(address) || !bus.peek(address, &mut bytes[..N]) {
        return None;
    }
    Some((u32::from_le_bytes(bytes), kind(bus.profile_at(address)?.0)?))
}

/// The same of [`store`].
#[cold]
fn store_beside<const N: usize>(bus: &mut Bus, address: u32, value: u32) -> Option<(Stored, u8)> {
    let (old, kind) = load_beside::<N>(bus, address)?;
    let size = N as u32;
    bus.write(address, size, value & u32::MAX >> (32 - 8 * size), 0)
        .ok()?;
    Some((stored::<N>(address, old.to_le_bytes()), kind))
}

fn stored<const N: usize>(address: u32, old: [u8; 4]) -> Stored {
    Stored {
        address,
        size: N as u8,
        old,
    }
}

/// `N` bytes at an address, and the kind of memory that they are in; none if that is no memory, or none of the address' own.
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
fn store<const N: usize>(bus: &mut Bus, address: u32, value: u32) -> Option<(Stored, u8)> {
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
