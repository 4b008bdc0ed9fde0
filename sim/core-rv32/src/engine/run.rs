//! Straight runs of instructions, to be executed without a pipeline as long as all goes straight.

use std::collections::VecDeque;

use bus::Bus;
use isa_rv32::{Extension, Insn, Op};

use super::tell::{Accessed, Frame, Seen};
use crate::core::Core;
use crate::exec::{extended, operation};
use crate::mmu::Purpose;
use crate::timing::Matters;

/// The most instructions of a run.
pub(super) const LONGEST: usize = 48;

/// With so many it ends at the end of a block of memory, so that runs that began at different places in straight code come together.
const LONG: usize = 16;

/// Instructions in a run whose operands matter.
const MATTERING: usize = 10;

/// A run: up to a jump, or to what is not simple.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub pc: u32,
    pub steps: Vec<Step>,
    /// The address behind it.
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
    /// The same, and it takes longer or shorter by the amount of a shift.
    Shift(fn(u32, u32) -> u32),
    /// The same, and it takes longer or shorter if the divisor is zero.
    Divide(fn(u32, u32) -> u32),
    Set(u32),
    Load,
    Store,
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

/// What came of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    pub next: u32,
    /// Operands that matter, and the kinds of memory accessed.
    pub detail: u64,
    seconds: u64,
}

/// Who says whether an access goes straight through, to an address that is elsewhere on the bus, perhaps.
pub(super) trait Straight {
    fn load(&mut self, at: usize, places: [u32; 2]) -> bool;
    fn store(&mut self, at: usize, places: [u32; 2]) -> bool;
}

/// Who wants to know what each instruction of a run did.
pub(super) trait Trace {
    /// Whether anybody does.
    const ON: bool;

    fn executed(&mut self, seen: Seen);
}

/// Nobody does.
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

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub(super) struct Traces {
    regs: [u32; 32],
    /// What was accessed, and where that is on the bus.
    pub addresses: [[u32; 2]; LONGEST],
    stores: Vec<Stored>,
}

impl Traces {
    pub(super) fn new() -> Traces {
        Traces {
            regs: [0; 32],
            addresses: [[0; 2]; LONGEST],
            stores: Vec::with_capacity(LONGEST),
        }
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
        mut insn: impl FnMut(u32) -> Option<Insn>,
    ) -> Run {
        let mut run = Run {
            pc,
            steps: Vec::new(),
            end: pc,
        };
        let mut mattering = 0;
        while run.steps.len() < LONGEST && mattering < MATTERING {
            let Some((insn, act)) =
                insn(run.end).and_then(|insn| Some((insn, act(&insn, run.end, matters)?)))
            else {
                break;
            };
            let at = run.end;
            run.steps.push(Step { act, pc: at, insn });
            run.end = run.end.wrapping_add(u32::from(insn.size));
            mattering += usize::from(matches!(act, Act::Shift(_) | Act::Divide(_)));
            let ends_block = run.steps.len() >= LONG && (run.end ^ at) >> block != 0;
            if ends_block || matches!(act, Act::Branch | Act::Jump | Act::JumpRegister) {
                break;
            }
        }
        run
    }

    /// Executes so many of its instructions, unless something does not go straight: then all is as before.
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
                Act::Load => {
                    let address = a.wrapping_add(immediate);
                    let physical = core.place_at_once(address, insn.access_size(), Purpose::Load)?;
                    let (value, memory) = load(&core.bus, insn, physical)?;
                    if !straight.load(at, [address, physical]) || !kinds.meet(at, memory) {
                        return None;
                    }
                    read = T::ON.then(|| accessed(insn, address, value));
                    traces.addresses[at] = [address, physical];
                    core.write(insn.rd, extended(insn.op, value));
                }
                Act::Store => {
                    let address = a.wrapping_add(immediate);
                    let physical = core.place_at_once(address, insn.access_size(), Purpose::Store)?;
                    if !straight.store(at, [address, physical]) {
                        return None;
                    }
                    let (stored, memory) = store(&mut core.bus, insn, physical, b)?;
                    traces.stores.push(stored);
                    if !kinds.meet(at, memory) {
                        return None;
                    }
                    write = T::ON.then(|| accessed(insn, address, insn.stored(b)));
                    traces.addresses[at] = [address, physical];
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

fn accessed(insn: &Insn, address: u32, value: u32) -> Accessed {
    Accessed {
        address,
        size: insn.access_size() as u8,
        value,
    }
}

fn act(insn: &Insn, pc: u32, matters: Matters) -> Option<Act> {
    let immediate = insn.imm as u32;
    Some(match insn.op {
        Op::Lui => Act::Set(immediate),
        Op::Auipc => Act::Set(pc.wrapping_add(immediate)),
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu => Act::Load,
        Op::Sb | Op::Sh | Op::Sw => Act::Store,
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
            (function, false)
                if matters == Matters::Divisor
                    && matches!(insn.op, Op::Div | Op::Divu | Op::Rem | Op::Remu) =>
            {
                Act::Divide(function)
            }
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
fn load_beside(bus: &Bus, insn: &Insn, address: u32) -> Option<(u32, u8)> {
    let (size, mut bytes) = (insn.access_size(), [0; 4]);
    let whole = address & (size - 1) == 0 && bus.is_memory(address);
    if !whole || !bus.peek(address, &mut bytes[..size as usize]) {
        return None;
    }
    Some((u32::from_le_bytes(bytes), kind(bus.profile_at(address)?.0)?))
}

/// The same of [`store`].
#[cold]
fn store_beside(bus: &mut Bus, insn: &Insn, address: u32, value: u32) -> Option<(Stored, u8)> {
    let (old, kind) = load_beside(bus, insn, address)?;
    let size = insn.access_size();
    bus.write(address, size, insn.stored(value), 0).ok()?;
    let stored = Stored {
        address,
        size: size as u8,
        old: old.to_le_bytes(),
    };
    Some((stored, kind))
}

#[inline]
fn load(bus: &Bus, insn: &Insn, address: u32) -> Option<(u32, u8)> {
    let memory = bus.memory(address);
    if !memory.contains(address, 1) {
        return load_beside(bus, insn, address);
    }
    let value = match insn.op {
        Op::Lw if address & 3 == 0 => u32::from_le_bytes(memory.get(address)?),
        Op::Lh | Op::Lhu if address & 1 == 0 => u32::from(u16::from_le_bytes(memory.get(address)?)),
        Op::Lb | Op::Lbu => u32::from(memory.get::<1>(address)?[0]),
        _ => return None,
    };
    Some((value, kind(memory.profile().0)?))
}

#[inline]
fn store(bus: &mut Bus, insn: &Insn, address: u32, value: u32) -> Option<(Stored, u8)> {
    if !bus.memory(address).contains(address, 1) {
        return store_beside(bus, insn, address, value);
    }
    let memory = bus.memory_mut(address);
    let kind = kind(memory.profile().0)?;
    let (bytes, mut old) = (value.to_le_bytes(), [0; 4]);
    let size: u8 = match insn.op {
        Op::Sw if address & 3 == 0 => {
            old = std::mem::replace(memory.get_mut(address)?, bytes);
            4
        }
        Op::Sh if address & 1 == 0 => {
            let place: &mut [u8; 2] = memory.get_mut(address)?;
            old[..2].copy_from_slice(place);
            place.copy_from_slice(&bytes[..2]);
            2
        }
        Op::Sb => {
            let place: &mut [u8; 1] = memory.get_mut(address)?;
            old[0] = place[0];
            place[0] = bytes[0];
            1
        }
        _ => return None,
    };
    let stored = Stored { address, size, old };
    Some((stored, kind))
}
