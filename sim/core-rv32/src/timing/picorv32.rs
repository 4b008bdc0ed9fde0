//! `PicoRV32`: a state machine that takes one instruction after the other, and one memory port that fetches the next one
//! meanwhile.
//!
//! Every field goes by the name that the register has in the Verilog, or says which one it is. An instruction retires in
//! the cycle in which the next one is launched. Not modelled: interrupts (`ENABLE_IRQ`), the co-processor interface, and the
//! parameters that change the number of cycles (`BARREL_SHIFTER`, `TWO_CYCLE_ALU`, ...): they have their default.

use super::Supply;
use super::passage::{Kind, Passage};
use super::port::Port;
use super::recurrent::{Matters, Place, Recurrent, is_plain, strip_passage};
use super::rules::{Rule, Told};

/// Cycles in which the operands of a multiplication are held out to the multiplier (`picorv32_pcpi_mul`): 32 steps, and
/// what it takes to begin and to end. The divider (`picorv32_pcpi_div`) takes the same.
const MULTIPLIES: u8 = 38;
const DIVIDES: u8 = 38;
/// Further steps for the upper half of a product.
const UPPER: u8 = 32;
/// A shift goes on by so much in a cycle as long as it can (`TWO_STAGE_SHIFT`), then by one.
const LARGE_SHIFT: u8 = 4;

/// `cpu_state`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum State {
    Fetch,
    LoadOperands,
    Execute,
    Shift,
    Store,
    Load,
    Trap,
}

/// `mem_state`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Memory {
    Idle,
    Reads,
    Writes,
    /// The next instruction has arrived, before its request.
    Prefetched,
}

/// `mem_do_*`: the pending requests to the memory port.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
struct Wanted {
    prefetch: bool,
    instruction: bool,
    load: bool,
    store: bool,
}

/// The core's registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PicoRv32 {
    state: State,
    memory: Memory,
    port: Port,
    wanted: Wanted,
    /// `decoder_trigger`: an instruction is there to be launched.
    triggered: bool,
    /// `reg_next_pc`.
    next_pc: u32,
    /// Target of a decided branch or JALR that was not fetched yet (`latched_branch`, `latched_store`).
    target: Option<u32>,
    /// The instruction that was launched last.
    launched: Option<Passage>,
    /// Cycles that the multiplier or the divider still needs, or places to be shifted by.
    left: u8,
    /// The rule by which the cycle that was clocked last is lost.
    lost: Told<Option<Rule>>,
}

impl PicoRv32 {
    /// As it comes out of reset, at `pc`.
    pub fn new(pc: u32) -> PicoRv32 {
        PicoRv32 {
            state: State::Fetch,
            memory: Memory::Idle,
            port: Port::default(),
            wanted: Wanted::default(),
            triggered: false,
            next_pc: pc,
            target: None,
            launched: None,
            left: 0,
            lost: Told(None),
        }
    }

    /// The address of the next instruction to be fetched.
    pub fn fetch_pc(&self) -> u32 {
        self.next_pc
    }

    /// The rule by which the cycle that was clocked last is lost; none if every instruction takes it.
    pub fn lost(&self) -> Option<Rule> {
        self.lost.0
    }

    /// Clocks one cycle. Returns the instruction that retires in it.
    pub fn clock(&mut self, supply: &mut impl Supply) -> Option<Passage> {
        let answered = self.port.acknowledged();
        let done = self.is_done(answered);
        let mut next = PicoRv32 {
            triggered: self.wanted.instruction && done,
            ..*self
        };
        if done {
            next.wanted = Wanted::default();
        }
        self.clock_memory(answered, &mut next, supply);
        self.tell_waits(answered, done, &mut next);
        let retired = match self.state {
            State::Fetch => self.fetch(done, &mut next, supply),
            State::LoadOperands => {
                self.load_operands(&mut next, supply);
                None
            }
            State::Execute => {
                self.execute(done, &mut next);
                None
            }
            State::Shift => {
                self.shift(done, &mut next);
                None
            }
            State::Load | State::Store => {
                self.access(done, &mut next);
                None
            }
            State::Trap => None,
        };
        *self = next;
        retired
    }

    /// `mem_done`.
    fn is_done(&self, answered: bool) -> bool {
        let Wanted {
            instruction,
            load,
            store,
            ..
        } = self.wanted;
        let transferred = answered && self.memory != Memory::Idle && (instruction || load || store);
        transferred || self.memory == Memory::Prefetched && instruction
    }

    /// Names what the instruction that was launched waits for in this cycle, the way to the next one included. A plain one
    /// waits for nothing while it is in the states that every instruction goes through.
    fn tell_waits(&self, answered: bool, done: bool, next: &mut PicoRv32) {
        let slow = self.port.asks && !answered;
        next.lost = Told(None);
        let Some(launched) = &mut next.launched else {
            next.lost = Told(Some(if slow { Rule::WaitStates } else { Rule::Fetch }));
            return;
        };
        let rule = match self.state {
            State::Fetch if !self.triggered => behind(launched),
            State::Execute if launched.branches && !done => Rule::Fetch,
            State::LoadOperands if matches!(launched.kind, Kind::Multiply | Kind::Divide) => behind(launched),
            State::Shift => Rule::Shift,
            State::Load | State::Store if self.wanted.prefetch => Rule::Port,
            State::Load | State::Store => Rule::Access,
            _ => return,
        };
        let waits = &mut launched.waits;
        waits.add(rule);
        waits.add_if(slow, Rule::WaitStates);
        next.lost = Told(Some(if slow { Rule::WaitStates } else { rule }));
    }

    fn clock_memory(&self, answered: bool, next: &mut PicoRv32, supply: &mut impl Supply) {
        let Wanted {
            prefetch,
            instruction,
            load,
            store,
        } = self.wanted;
        let fetches = prefetch || instruction;
        let mut asks = self.port.asks && !answered;
        match self.memory {
            Memory::Idle if fetches || load || store => {
                let latency = if fetches {
                    supply.fetch_latency(self.target.unwrap_or(self.next_pc), 1)
                } else {
                    supply.data_latency(self.accessed(), store, 1)
                };
                next.port.aim(latency);
                next.memory = if store { Memory::Writes } else { Memory::Reads };
                asks = true;
            }
            Memory::Reads if answered => {
                let prefetched = !instruction && !load;
                next.memory = if prefetched {
                    Memory::Prefetched
                } else {
                    Memory::Idle
                };
            }
            Memory::Writes if answered => next.memory = Memory::Idle,
            Memory::Prefetched if instruction => next.memory = Memory::Idle,
            _ => {}
        }
        if answered && (load || store) {
            supply.transferred(self.accessed(), store);
        }
        next.port.clock(answered, asks, false);
    }

    fn accessed(&self) -> u32 {
        self.launched.map_or(0, |launched| launched.address)
    }

    /// Waits for an instruction and launches it.
    fn fetch(&self, done: bool, next: &mut PicoRv32, supply: &mut impl Supply) -> Option<Passage> {
        let pc = self.target.unwrap_or(self.next_pc);
        (next.next_pc, next.target) = (pc, None);
        if !self.triggered {
            next.wanted.instruction = !done;
            return None;
        }
        let passage = supply.decode(pc);
        let passage = supply.execute(passage);
        next.launched = Some(passage);
        next.next_pc = pc.wrapping_add(u32::from(passage.size));
        if passage.is_refused() {
            supply.take_exception();
            next.state = State::Trap;
        } else if let (Kind::Link, Some(target)) = (passage.kind, passage.predicted) {
            next.next_pc = target;
            next.wanted.instruction = true;
        } else {
            next.wanted = Wanted {
                prefetch: passage.kind != Kind::Link,
                ..Wanted::default()
            };
            next.state = State::LoadOperands;
        }
        self.launched
    }

    fn load_operands(&self, next: &mut PicoRv32, supply: &mut impl Supply) {
        let Some(launched) = self.launched else { return };
        match launched.kind {
            Kind::Multiply | Kind::Divide => self.co_process(&launched, next),
            Kind::Csr => {
                supply.access_csr();
                next.state = State::Fetch;
            }
            Kind::Load => {
                next.state = State::Load;
                next.wanted.instruction = true;
            }
            Kind::Store => {
                next.state = State::Store;
                next.wanted.instruction = true;
            }
            Kind::Shift(amount) => {
                next.state = State::Shift;
                next.left = amount;
            }
            _ => {
                next.state = State::Execute;
                next.wanted.instruction = self.wanted.prefetch;
            }
        }
    }

    /// Holds the operands out to the multiplier or divider until it is done.
    fn co_process(&self, launched: &Passage, next: &mut PicoRv32) {
        let all = match launched.kind {
            Kind::Divide => DIVIDES,
            _ if launched.upper => MULTIPLIES + UPPER,
            _ => MULTIPLIES,
        };
        let left = if self.left == 0 { all } else { self.left };
        next.left = left - 1;
        if left == 1 {
            next.state = State::Fetch;
            next.wanted.instruction = true;
        }
    }

    /// Executes an instruction. A branch waits until the next instruction is fetched, even if it is taken.
    fn execute(&self, done: bool, next: &mut PicoRv32) {
        let Some(launched) = self.launched else { return };
        next.target = launched.jump.map(|jump| jump.target);
        if launched.kind == Kind::Link {
            next.state = State::Fetch;
        } else if launched.branches {
            if done {
                next.state = State::Fetch;
            }
            if next.target.is_some() {
                next.triggered = false;
                next.wanted.instruction = true;
            }
        } else {
            next.state = State::Fetch;
        }
    }

    fn shift(&self, done: bool, next: &mut PicoRv32) {
        if self.left == 0 {
            next.wanted.instruction = self.wanted.prefetch && !done;
            next.state = State::Fetch;
        } else if self.left >= LARGE_SHIFT {
            next.left = self.left - LARGE_SHIFT;
        } else {
            next.left = self.left - 1;
        }
    }

    /// A load or store is made when the next instruction has been fetched.
    fn access(&self, done: bool, next: &mut PicoRv32) {
        if self.wanted.prefetch && !done {
            return;
        }
        let (loads, begun) = (self.state == State::Load, self.wanted.load || self.wanted.store);
        if !begun {
            (next.wanted.load, next.wanted.store) = (loads, !loads);
        }
        if !self.wanted.prefetch && done {
            next.state = State::Fetch;
            next.triggered = true;
        }
    }
}

/// The rule that delays the instruction after this one.
fn behind(launched: &Passage) -> Rule {
    match launched.kind {
        Kind::Link => Rule::Jump,
        Kind::Csr => Rule::Csr,
        Kind::Shift(_) => Rule::Shift,
        Kind::Multiply => Rule::Multiply,
        Kind::Divide => Rule::Divide,
        _ if launched.branches && launched.jump.is_some() => Rule::Branch,
        _ => Rule::Fetch,
    }
}

impl Recurrent for PicoRv32 {
    const PACE: u32 = 3;
    const MATTERS: Matters = Matters::Amount;

    fn clock(&mut self, supply: &mut impl Supply) -> Option<Passage> {
        self.clock(supply)
    }

    fn lost(&self) -> Option<Rule> {
        self.lost()
    }

    fn fetch_pc(&self) -> u32 {
        self.fetch_pc()
    }

    fn under_way(&self) -> usize {
        self.launched.iter().count()
    }

    fn is_quiet(&self) -> bool {
        self.state != State::Trap && self.launched.iter().all(is_plain)
    }

    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self {
        let mut stripped = *self;
        if let Some(launched) = &mut stripped.launched {
            strip_passage(launched, Self::MATTERS, class);
        }
        stripped
    }

    fn resume(&mut self, stripped: &Self, places: &[Place], _: u32) {
        *self = *stripped;
        if let (Some(launched), Some(place)) = (&mut self.launched, places.first()) {
            place.put(launched);
        }
    }
}
