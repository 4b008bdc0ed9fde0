//! The state of one core.

use bus::{Bus, Foreseen, ProfileId};

use crate::config::Config;
use crate::engine::{Flow, LateClear, Schedule, Sleep, Told};
use crate::fault::{Fault, FaultRecord, NotModelled};
use crate::regs::Registers;
use crate::run::{Leaving, Noted, Runs};
use crate::stack::Floors;
use crate::sys::System;
use crate::timing::{Asked, Cycle, FlashRead, RuleSet};

/// A request of an instruction's handler to the engine, with [`crate::microop::Step::Trap`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trap {
    /// Nothing: never seen with `Step::Trap`.
    None,
    /// A synchronous fault; the instruction did nothing.
    Fault(Fault),
    /// SVC.
    Svc,
    /// BKPT with this immediate; 0xab is a semihosting request.
    Bkpt(u8),
    /// A branch to this EXC_RETURN value in handler mode; all else of the instruction is done.
    ExceptionReturn(u32),
    /// WFI.
    WaitForInterrupt,
    /// WFE with no event registered.
    WaitForEvent,
    /// The run cannot go on.
    NotModelled(Box<NotModelled>),
    /// Nothing happened, and what is to happen depends on the time: the careful way must execute the instruction.
    Careful,
    /// Not executed: the access depends on the time, and the run's cost assumes another kind of memory. The slow path must execute the
    /// instruction.
    Expect(ProfileId),
}

impl Trap {
    /// Whether the instruction did nothing, or not all that it does.
    pub(crate) fn undid(&self) -> bool {
        matches!(self, Trap::Fault(_) | Trap::NotModelled(_))
    }
}

/// In what an instruction's execution differed from the facts that its run's cost assumes.
///
/// Neutral before every instruction. A handler that returns `Step::Next` has not touched it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct Facts {
    /// Its IT condition failed: it did nothing.
    pub skipped: bool,
    /// The value of LR, for a branch to LR whose condition failed.
    pub aside: Option<u32>,
    /// Whether it jumped (the engine sets it for `Step::Branch`).
    pub taken: bool,
    /// Whether it raised PRIMASK, FAULTMASK or BASEPRI (the engine finds out).
    pub raises: bool,
    /// Somebody wants to hear of an access that it made. It costs what it would.
    pub told: bool,
    /// Whether it changed how, or with which timing, other accesses are made.
    pub disturbs: bool,
    /// Wait states of its data accesses beyond (or below) those of its nominal profile.
    pub extra_wait: i32,
    /// Those of them that it waits for other masters of the bus.
    pub held: u8,
    /// Its transactions so far, while other masters are at work.
    pub contended: u8,
    /// Bus transactions beyond its nominal ones: an unaligned access is split, a bit-band write reads first.
    pub extra_transactions: u8,
    /// The profile of memory that it really met, if not its nominal one.
    pub profile: Option<ProfileId>,
    /// Its read from a flash that may need wait states.
    pub flash: Option<FlashRead>,
    /// The old value of a divide's destination: an exception may abandon the divide.
    pub replaced: Option<u32>,
    /// Operands of a divide (dividend, divisor) or long multiply, when the cost depends on them.
    pub operands: Option<[u32; 2]>,
    /// The cycles that these decide.
    pub cycles: u8,
}

impl Facts {
    /// The facts that a run's cost assumes.
    pub(crate) const NONE: Facts = Facts {
        skipped: false,
        aside: None,
        taken: false,
        raises: false,
        told: false,
        disturbs: false,
        extra_wait: 0,
        held: 0,
        contended: 0,
        extra_transactions: 0,
        profile: None,
        flash: None,
        replaced: None,
        operands: None,
        cycles: 0,
    };

    /// Notes a read of `bytes` bytes from flash, contiguous with its earlier reads.
    pub(crate) fn reads_flash(&mut self, address: u32, bytes: u32) {
        let first = self.flash.map_or(address, |read| read.address);
        let bytes = address.wrapping_sub(first) + bytes;
        self.flash = Some(FlashRead {
            address: first,
            bytes,
        });
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
    pub(crate) facts: Facts,
    pub(crate) trap: Trap,
    /// The last faults, oldest first, for a crash report.
    pub(crate) faults: Vec<FaultRecord>,
    /// Cycle at which the run being executed began, such that `base + MicroOp::start` is an instruction's first one.
    pub(crate) base: u64,
    /// Core cycle between two instructions.
    pub(crate) cycle: u64,
    /// Address range of the exclusive monitor, if it is in the exclusive state.
    pub(crate) exclusive: Option<u32>,
    /// Event register of WFE/SEV.
    pub(crate) event: bool,
    pub(crate) runs: Runs,
    /// How the next instruction is reached.
    pub(crate) flow: Flow,
    /// The address that the prefetch unit was last refilled from: the target of a jump, an exception or its return.
    pub(crate) filled_from: u32,
    /// How far down its stacks may go.
    pub(crate) floors: Floors,
    /// Interrupts to come from outside.
    pub(crate) schedule: Schedule,
    /// A change of the exception logic's state is seen from this cycle on; `u64::MAX` when all is seen.
    pub(crate) recognise_from: u64,
    /// On the fast way: the same, of a change from which nothing can follow; 0 when there is none.
    pub(crate) void_until: u64,
    /// Handlers that clear their request right before they return.
    pub(crate) late_clear: LateClear,
    /// The fast way executes: times are those that the run's cost assumes.
    pub(crate) hurries: bool,
    /// Emission of events to the listener.
    pub(crate) told: Told,
    /// The rules by which the flash served the fetches of the instruction under way.
    pub(crate) fetched_by: RuleSet,
    /// The rules for requests before those, where [`Core::flow`] does not include them.
    pub(crate) caught: RuleSet,
    /// From when until when registers of the FPU were saved, for which the instruction under way waited.
    pub(crate) preserved: Option<[Cycle; 2]>,
    /// The core sleeps: for what, and since which cycle.
    pub(crate) sleeping: Option<(Sleep, u64)>,
    /// The values of PRIMASK, FAULTMASK and BASEPRI that were last emitted.
    pub(crate) masks_seen: [u8; 3],
    /// The value that the MSR under way wrote to BASEPRI, including unimplemented bits.
    pub(crate) basepri_written: u8,
    /// Requests of the instruction under way to a flash with wait states.
    pub(crate) asked: Asked,
    /// How the instruction under way went, while that is to be remembered.
    pub(crate) noted: Option<Noted>,
    /// How the flash is about to serve what the instruction under way reads from it, if that was asked.
    pub(crate) foreseen: Option<Foreseen>,
    /// The run that was left in a way that is not known yet.
    pub(crate) leaving: Option<Leaving>,
    /// Whether costs of runs are computed once and reused.
    pub(crate) remembers: bool,
    /// Addresses at which an attached debugger halts the core.
    pub(crate) halts: Vec<u32>,
    /// Addresses before whose instruction the run pauses, and where it paused last, until that instruction executes.
    pub(crate) stops: (Vec<u32>, Option<u32>),
    /// Both: a run of instructions begins at each.
    pub(crate) begins: Vec<u32>,
    /// The address at which it halted, until that instruction executes.
    pub(crate) halted_at: Option<u32>,
}

impl Core {
    /// Core cycles since reset, between two instructions.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Whether what straight runs cost is worked out once and reused, as it is unless this says otherwise. Without that, each
    /// instruction is timed by itself: the same cycles and the same events, slowly. To compare the two.
    pub fn set_remembering(&mut self, remembers: bool) {
        self.remembers = remembers;
    }

    /// An attached debugger halts the core before it executes an instruction at one of these addresses, and lets it go
    /// on at once: nothing is counted meanwhile, and the pipeline is full, as at a BKPT (rule `halt`).
    pub fn set_halts(&mut self, addresses: Vec<u32>) {
        self.halts = addresses;
    }

    /// The faults that were taken so far, oldest first; at most the last sixteen.
    pub fn faults(&self) -> &[FaultRecord] {
        &self.faults
    }
}
