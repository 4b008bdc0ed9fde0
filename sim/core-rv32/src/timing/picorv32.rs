//! `PicoRV32`: a state machine that takes one instruction after the other, and one memory port that fetches the next one
//! meanwhile.
//!
//! Every field goes by the name that the register has in the Verilog, or says which one it is. An instruction retires in
//! the cycle in which the next one is launched. Not modelled: interrupts (`ENABLE_IRQ`), the co-processor interface, and the
//! parameters that change the number of cycles (`BARREL_SHIFTER`, `TWO_CYCLE_ALU`, ...): they have their default.

use super::Supply;
use super::in_flight::{InFlight, Kind};
use super::memoizable::{AccessPlace, Memoizable, RelevantOperand, is_plain, strip_insn};
use super::port::Port;
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
enum CpuState {
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
enum MemoryState {
    Idle,
    Reads,
    Writes,
    /// The next instruction has arrived, before its request.
    Prefetched,
}

/// `mem_do_*`: the pending requests to the memory port.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a register of the Verilog
struct MemoryRequests {
    prefetch: bool,
    instruction: bool,
    load: bool,
    store: bool,
}

/// The core's registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PicoRv32 {
    state: CpuState,
    memory: MemoryState,
    port: Port,
    wanted: MemoryRequests,
    /// `decoder_trigger`: an instruction is there to be launched.
    triggered: bool,
    /// `reg_next_pc`.
    next_pc: u32,
    /// Target of a decided branch or JALR that was not fetched yet (`latched_branch`, `latched_store`).
    target: Option<u32>,
    /// The instruction that was launched last.
    launched: Option<InFlight>,
    /// Cycles that the multiplier or the divider still needs, or places to be shifted by.
    left: u8,
    /// The rule by which the cycle that was clocked last is lost.
    lost: Told<Option<Rule>>,
}

impl PicoRv32 {
    /// As it comes out of reset, at `pc`.
    pub fn new(pc: u32) -> PicoRv32 {
        PicoRv32 {
            state: CpuState::Fetch,
            memory: MemoryState::Idle,
            port: Port::default(),
            wanted: MemoryRequests::default(),
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
    pub fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight> {
        let answered = self.port.acknowledged();
        let done = self.is_done(answered);
        let mut next = PicoRv32 {
            triggered: self.wanted.instruction && done,
            ..*self
        };
        if done {
            next.wanted = MemoryRequests::default();
        }
        self.clock_memory(answered, &mut next, supply);
        self.attribute_waits(answered, done, &mut next);
        let retired = match self.state {
            CpuState::Fetch => self.fetch(done, &mut next, supply),
            CpuState::LoadOperands => {
                self.load_operands(&mut next, supply);
                None
            }
            CpuState::Execute => {
                self.execute(done, &mut next);
                None
            }
            CpuState::Shift => {
                self.shift(done, &mut next);
                None
            }
            CpuState::Load | CpuState::Store => {
                self.access(done, &mut next);
                None
            }
            CpuState::Trap => None,
        };
        *self = next;
        retired
    }

    /// `mem_done`.
    fn is_done(&self, answered: bool) -> bool {
        let MemoryRequests {
            instruction,
            load,
            store,
            ..
        } = self.wanted;
        let transferred = answered && self.memory != MemoryState::Idle && (instruction || load || store);
        transferred || self.memory == MemoryState::Prefetched && instruction
    }

    /// Names what the instruction that was launched waits for in this cycle, the way to the next one included. A plain one
    /// waits for nothing while it is in the states that every instruction goes through.
    fn attribute_waits(&self, answered: bool, done: bool, next: &mut PicoRv32) {
        let slow = self.port.asks && !answered;
        next.lost = Told(None);
        let Some(launched) = &mut next.launched else {
            next.lost = Told(Some(if slow { Rule::WaitStates } else { Rule::Fetch }));
            return;
        };
        let rule = match self.state {
            CpuState::Fetch if !self.triggered => behind(launched),
            CpuState::Execute if launched.branches && !done => Rule::Fetch,
            CpuState::LoadOperands if matches!(launched.kind, Kind::Multiply | Kind::Divide) => {
                behind(launched)
            }
            CpuState::Shift => Rule::Shift,
            CpuState::Load | CpuState::Store if self.wanted.prefetch => Rule::Port,
            CpuState::Load | CpuState::Store => Rule::Access,
            _ => return,
        };
        let waits = &mut launched.waits;
        waits.add(rule);
        waits.add_if(slow, Rule::WaitStates);
        next.lost = Told(Some(if slow { Rule::WaitStates } else { rule }));
    }

    fn clock_memory(&self, answered: bool, next: &mut PicoRv32, supply: &mut impl Supply) {
        let MemoryRequests {
            prefetch,
            instruction,
            load,
            store,
        } = self.wanted;
        let fetches = prefetch || instruction;
        let mut asks = self.port.asks && !answered;
        match self.memory {
            MemoryState::Idle if fetches || load || store => {
                let latency = if fetches {
                    supply.fetch_latency(self.target.unwrap_or(self.next_pc), 1)
                } else {
                    supply.data_latency(self.accessed(), store, 1)
                };
                next.port.aim(latency);
                next.memory = if store {
                    MemoryState::Writes
                } else {
                    MemoryState::Reads
                };
                asks = true;
            }
            MemoryState::Reads if answered => {
                let prefetched = !instruction && !load;
                next.memory = if prefetched {
                    MemoryState::Prefetched
                } else {
                    MemoryState::Idle
                };
            }
            MemoryState::Writes if answered => next.memory = MemoryState::Idle,
            MemoryState::Prefetched if instruction => next.memory = MemoryState::Idle,
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
    fn fetch(&self, done: bool, next: &mut PicoRv32, supply: &mut impl Supply) -> Option<InFlight> {
        let pc = self.target.unwrap_or(self.next_pc);
        (next.next_pc, next.target) = (pc, None);
        if !self.triggered {
            next.wanted.instruction = !done;
            return None;
        }
        let in_flight = supply.decode(pc);
        let in_flight = supply.execute(in_flight);
        next.launched = Some(in_flight);
        next.next_pc = pc.wrapping_add(u32::from(in_flight.size));
        if in_flight.is_refused() {
            supply.take_exception();
            next.state = CpuState::Trap;
        } else if let (Kind::Link, Some(target)) = (in_flight.kind, in_flight.predicted) {
            next.next_pc = target;
            next.wanted.instruction = true;
        } else {
            next.wanted = MemoryRequests {
                prefetch: in_flight.kind != Kind::Link,
                ..MemoryRequests::default()
            };
            next.state = CpuState::LoadOperands;
        }
        self.launched
    }

    fn load_operands(&self, next: &mut PicoRv32, supply: &mut impl Supply) {
        let Some(launched) = self.launched else { return };
        match launched.kind {
            Kind::Multiply | Kind::Divide => self.co_process(&launched, next),
            Kind::Csr => {
                supply.access_csr();
                next.state = CpuState::Fetch;
            }
            Kind::Load => {
                next.state = CpuState::Load;
                next.wanted.instruction = true;
            }
            Kind::Store => {
                next.state = CpuState::Store;
                next.wanted.instruction = true;
            }
            Kind::Shift(amount) => {
                next.state = CpuState::Shift;
                next.left = amount;
            }
            _ => {
                next.state = CpuState::Execute;
                next.wanted.instruction = self.wanted.prefetch;
            }
        }
    }

    /// Holds the operands out to the multiplier or divider until it is done.
    fn co_process(&self, launched: &InFlight, next: &mut PicoRv32) {
        let all = match launched.kind {
            Kind::Divide => DIVIDES,
            _ if launched.upper => MULTIPLIES + UPPER,
            _ => MULTIPLIES,
        };
        let left = if self.left == 0 { all } else { self.left };
        next.left = left - 1;
        if left == 1 {
            next.state = CpuState::Fetch;
            next.wanted.instruction = true;
        }
    }

    /// Executes an instruction. A branch waits until the next instruction is fetched, even if it is taken.
    fn execute(&self, done: bool, next: &mut PicoRv32) {
        let Some(launched) = self.launched else { return };
        next.target = launched.jump.map(|jump| jump.target);
        if launched.kind == Kind::Link {
            next.state = CpuState::Fetch;
        } else if launched.branches {
            if done {
                next.state = CpuState::Fetch;
            }
            if next.target.is_some() {
                next.triggered = false;
                next.wanted.instruction = true;
            }
        } else {
            next.state = CpuState::Fetch;
        }
    }

    fn shift(&self, done: bool, next: &mut PicoRv32) {
        if self.left == 0 {
            next.wanted.instruction = self.wanted.prefetch && !done;
            next.state = CpuState::Fetch;
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
        let (loads, begun) = (
            self.state == CpuState::Load,
            self.wanted.load || self.wanted.store,
        );
        if !begun {
            (next.wanted.load, next.wanted.store) = (loads, !loads);
        }
        if !self.wanted.prefetch && done {
            next.state = CpuState::Fetch;
            next.triggered = true;
        }
    }
}

/// The rule that delays the instruction after this one.
fn behind(launched: &InFlight) -> Rule {
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

impl Memoizable for PicoRv32 {
    const PACE: u32 = 3;
    const RELEVANT_OPERAND: RelevantOperand = RelevantOperand::Amount;

    fn clock(&mut self, supply: &mut impl Supply) -> Option<InFlight> {
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
        self.state != CpuState::Trap && self.launched.iter().all(is_plain)
    }

    fn stripped(&mut self, class: &impl Fn(u32) -> u32) -> Self {
        let mut stripped = *self;
        if let Some(launched) = &mut stripped.launched {
            strip_insn(launched, Self::RELEVANT_OPERAND, class);
        }
        stripped
    }

    fn resume(&mut self, stripped: &Self, places: &[AccessPlace], _: u32) {
        *self = *stripped;
        if let (Some(launched), Some(place)) = (&mut self.launched, places.first()) {
            place.put(launched);
        }
    }
}
