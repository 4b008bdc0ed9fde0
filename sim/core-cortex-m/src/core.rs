//! The state of one core.

use bus::{Bus, PredictedRead, ProfileId};

use crate::block::{Code, PendingLink, StepRecord};
use crate::config::Config;
use crate::fault::{Fault, FaultRecord, NotModelled};
use crate::regs::Registers;
use crate::state::{Deviation, Emitter, Flow, InputSchedule, LateClear, Sleep, StackFloors};
use crate::sys::System;
use crate::timing::{Cycle, RequestLog, RuleSet};

/// What an instruction's handler asks of the engine, with [`crate::microop::Step::Trap`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trap {
    /// Nothing. Never together with `Step::Trap`.
    None,
    /// A synchronous fault. The instruction did nothing.
    Fault(Fault),
    /// SVC.
    Svc,
    /// BKPT with this immediate; 0xab is a semihosting request.
    Bkpt(u8),
    /// A branch to this EXC_RETURN value in handler mode. The rest of the instruction is done.
    ExceptionReturn(u32),
    /// WFI.
    WaitForInterrupt,
    /// WFE while no event is registered.
    WaitForEvent,
    /// The run cannot continue.
    NotModelled(Box<NotModelled>),
    /// Nothing happened, because the result depends on the exact cycle: the slow path must execute the instruction.
    SlowPath,
    /// Nothing happened, because the access depends on the exact cycle and goes to another memory than expected: the slow path must
    /// execute the instruction.
    Expect(ProfileId),
}

impl Trap {
    /// Whether the instruction had no effect, or not all of its effects.
    pub(crate) fn undid(&self) -> bool {
        matches!(self, Trap::Fault(_) | Trap::NotModelled(_))
    }
}

/// A core and everything on its buses.
#[derive(Clone)]
pub struct Core {
    /// The core registers.
    pub regs: Registers,
    /// Everything outside the core.
    pub bus: Bus,
    /// NVIC, SCB, SysTick, MPU, DWT, ITM.
    pub sys: System,
    /// Its configuration.
    pub config: Config,
    pub(crate) deviation: Deviation,
    pub(crate) trap: Trap,
    /// The last faults, oldest first, for a crash report.
    pub(crate) faults: Vec<FaultRecord>,
    /// Cycle at which the time of the block being executed begins: `base + MicroOp::start` is the first cycle of an instruction.
    pub(crate) base: u64,
    /// Core cycle between two instructions.
    pub(crate) cycle: u64,
    /// Address range of the exclusive monitor, if it is in the exclusive state.
    pub(crate) exclusive: Option<u32>,
    /// Event register of WFE/SEV.
    pub(crate) event: bool,
    pub(crate) code: Code,
    /// How the next instruction is reached.
    pub(crate) flow: Flow,
    /// Address of the last prefetch refill: the target of a jump, exception or exception return.
    pub(crate) refilled_from: u32,
    /// The lowest addresses that stacks may reach.
    pub(crate) floors: StackFloors,
    /// Scheduled external interrupts.
    pub(crate) schedule: InputSchedule,
    /// The cycle from which a change of the exception state is seen; `u64::MAX` if there is none.
    pub(crate) recognise_from: u64,
    /// On the fast path: as `recognise_from`, for a change that can have no consequence; 0 if there is none.
    pub(crate) void_until: u64,
    /// Detects handlers that clear their request just before they return.
    pub(crate) late_clear: LateClear,
    /// Whether the fast path executes, at the cycles that the block's cost assumes.
    pub(crate) in_fast_path: bool,
    /// Emission of events.
    pub(crate) emitter: Emitter,
    /// Rules by which the flash served the fetches of the instruction in flight.
    pub(crate) fetched_by: RuleSet,
    /// Rules of requests before those, where [`Core::flow`] does not include them.
    pub(crate) earlier_rules: RuleSet,
    /// From when until when FPU registers were saved for the instruction in flight.
    pub(crate) preserved: Option<[Cycle; 2]>,
    /// The kind of sleep, and its first cycle.
    pub(crate) sleeping: Option<(Sleep, u64)>,
    /// PRIMASK, FAULTMASK and BASEPRI as last emitted.
    pub(crate) masks_seen: [u8; 3],
    /// The value that the MSR in flight wrote to BASEPRI, with its unimplemented bits.
    pub(crate) basepri_written: u8,
    /// Requests of the instruction in flight to a flash with wait states.
    pub(crate) request_log: RequestLog,
    /// The step that is being recorded, if one is.
    pub(crate) step_record: Option<StepRecord>,
    /// The predicted answer of the flash to the instruction in flight, if one was made.
    pub(crate) predicted_read: Option<PredictedRead>,
    /// The block that was left by an edge without a link.
    pub(crate) pending_link: Option<PendingLink>,
    /// Whether costs of blocks are computed once and reused.
    pub(crate) reuses_costs: bool,
    /// Addresses at which an attached debugger halts the core.
    pub(crate) halts: Vec<u32>,
    /// Addresses before which the run pauses, and where it paused last, until that instruction executes.
    pub(crate) stops: (Vec<u32>, Option<u32>),
    /// Both: a block begins at each.
    pub(crate) block_starts: Vec<u32>,
    /// The address at which the debugger halted it, until that instruction executes.
    pub(crate) halted_at: Option<u32>,
}

impl Core {
    /// Core cycles since reset, between two instructions.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Whether the cost of a block is computed once and reused (the default). Otherwise each instruction is timed by itself: the same
    /// cycles and events, but slowly. For tests that compare the two.
    pub fn set_cost_reuse(&mut self, reuses_costs: bool) {
        self.reuses_costs = reuses_costs;
    }

    /// Sets the addresses at which an attached debugger halts the core. It continues at once: nothing is counted meanwhile, and the
    /// pipeline is full, as after a BKPT (rule `halt`).
    pub fn set_halts(&mut self, addresses: Vec<u32>) {
        self.halts = addresses;
    }

    /// The faults that were taken so far, oldest first; at most the last sixteen.
    pub fn faults(&self) -> &[FaultRecord] {
        &self.faults
    }
}
