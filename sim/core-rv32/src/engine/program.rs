//! The program as its pipeline asks for it: executes instructions when they leave the decode stage, and emits them when they retire.

mod devices;
mod emit;
mod executed;
mod supply;
mod traps;

use std::collections::VecDeque;

use bus::{BusError, Latency, Transfer};
use events::RuleSet as Told;
use events::{Costs, Event};
use isa_rv32::{Extension, Insn, Op};

use devices::{Deferred, not_answered};
use emit::{Masking, PendingSwitch};
pub(super) use executed::Unretired;
use executed::{Before, Executed};

use super::block::Block;
use super::emit::{Listener, RetireData};
use super::handling::{ExceptionRecord, Handling};
use super::insn_cache::{DecodedInsn, HostRequest, InsnCache};
use super::record::Recorder;
use super::{Debugger, Stop};
use crate::config::Timing;
use crate::core::{Core, NotModelled, Refusal};
use crate::csr::{self, Csrs};
use crate::mmu::Mmu;
use crate::timing::rules::{Rule, RuleSet};
use crate::timing::{InFlight, Jump, RelevantOperand, Rights};
use crate::trap::{Cause, Interrupt, Privilege, Trap};

/// A core and its instructions in flight.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) core: Core,
    pub(super) code: InsnCache,
    now: u64,
    /// Number of instructions that left the decode stage.
    issued: u64,
    /// Number of retired instructions.
    pub(super) retired: u64,
    /// Whether one of them was a jump, or the last of a piece of memory, in this cycle.
    jumped: bool,
    /// Whether the instructions in flight were undone in this cycle, to be executed again.
    redone: bool,
    /// Whether anything happened in this cycle besides the next instruction.
    disturbed: bool,
    /// The interrupt taken in this cycle.
    pub(super) taken: Option<Interrupt>,
    breakpoint: Option<u32>,
    /// Replaces the address of the exception that is taken in this cycle.
    misplaced: Option<u32>,
    /// Address of the EBREAK of the last semihosting request.
    served_at: u32,
    stop: Option<Stop>,
    /// Address of the store by which the program ended the run.
    ended_by: Option<u32>,
    under: UnderWay,
    pub(super) notes: Notes,
    pub(super) recorder: Option<Box<Recorder>>,
}

/// What is noted of a block while it is clocked.
#[derive(Clone, Default)]
pub(super) struct Notes {
    /// Whether notes are taken.
    taken: bool,
    pub(super) retired: Vec<RetiredInsn>,
    /// Cycles lost since the last retirement.
    pub(super) lost: Costs,
    /// Transfers whose latency depends on earlier ones, with that latency.
    pub(super) transfers: Vec<(Transfer, Latency)>,
}

/// An instruction that retired.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetiredInsn {
    pub(super) cycle: u64,
    pub(super) rules: RuleSet,
    /// Cycles lost before it.
    pub(super) lost: Costs,
}

/// What is in flight.
#[derive(Clone, Debug)]
struct UnderWay {
    /// The exception of an executed instruction, until it is taken.
    exception: Option<Trap>,
    /// An instruction that is executed later, with its request to the host.
    later: Option<(Insn, Option<HostRequest>)>,
    /// Executed instructions that have not retired, oldest first.
    executed: VecDeque<Executed>,
    /// Accesses to devices, oldest first.
    deferred: VecDeque<Deferred>,
    /// The interrupt that was pending and enabled in the previous cycle.
    interrupt: Option<Interrupt>,
    /// The interrupt that is pending and enabled in this cycle.
    requested: Option<Interrupt>,
    switched: Option<PendingSwitch>,
    /// Earlier switches without a retirement since: a trap return directly before the next interrupt.
    switched_before: Vec<PendingSwitch>,
    masking: Masking,
    /// The traps that the program has not returned from.
    handling: Handling,
    traps_forever: bool,
}

/// The state of a program without its bus.
#[derive(Clone)]
pub(super) struct Saved {
    regs: [u32; 32],
    pc: u32,
    privilege: Privilege,
    csrs: Csrs,
    reservation: Option<u32>,
    mmu: Mmu,
    retired: u64,
    under: UnderWay,
}

impl Program {
    pub(super) fn new(core: Core) -> Program {
        Program {
            core,
            code: InsnCache::new(),
            now: 0,
            issued: 0,
            retired: 0,
            jumped: false,
            redone: false,
            disturbed: false,
            taken: None,
            breakpoint: None,
            misplaced: None,
            served_at: 0,
            stop: None,
            ended_by: None,
            notes: Notes::default(),
            recorder: None,
            under: UnderWay {
                exception: None,
                later: None,
                executed: VecDeque::with_capacity(8),
                deferred: VecDeque::with_capacity(8),
                interrupt: None,
                requested: None,
                switched: None,
                switched_before: Vec::new(),
                masking: Masking::default(),
                handling: Handling::default(),
                traps_forever: false,
            },
        }
    }

    /// Saves everything but the bus.
    pub(super) fn save(&self) -> Saved {
        let core = &self.core;
        Saved {
            regs: core.regs,
            pc: core.pc,
            privilege: core.privilege,
            csrs: core.csrs.clone(),
            reservation: core.reservation,
            mmu: core.mmu,
            retired: self.retired,
            under: self.under.clone(),
        }
    }

    /// Restores a saved state, after memory was restored.
    pub(super) fn restore(&mut self, saved: &Saved) {
        let core = &mut self.core;
        (core.regs, core.pc, core.privilege) = (saved.regs, saved.pc, saved.privilege);
        core.csrs.clone_from(&saved.csrs);
        (core.reservation, core.mmu) = (saved.reservation, saved.mmu);
        self.retired = saved.retired;
        self.under.clone_from(&saved.under);
        (self.taken, self.breakpoint, self.stop) = (None, None, None);
        (self.jumped, self.redone) = (false, false);
        self.recorder = None;
        self.code.check(&self.core.bus);
    }

    pub(super) fn set_debugger(&mut self, debugger: Debugger) {
        self.code.debugged = debugger == Debugger::Attached;
        self.code.forget();
    }

    pub(super) fn forget_code(&mut self) {
        self.code.forget();
    }

    pub(super) fn traps_forever(&self) -> bool {
        self.under.traps_forever
    }

    pub(super) fn asleep_since(&self) -> Option<u64> {
        let core = &self.core;
        let last = self
            .under
            .executed
            .back()
            .filter(|last| last.insn.op == Op::Wfi)?;
        (core.config.waits && core.csrs.pending() & core.csrs.mie == 0).then_some(last.cycle)
    }

    pub(super) fn exception(&self) -> Option<&ExceptionRecord> {
        self.under.handling.exception()
    }

    #[inline]
    pub(super) fn begin_cycle(&mut self, now: u64) {
        self.now = now;
        (self.jumped, self.redone, self.disturbed) = (false, false, false);
    }

    pub(super) fn issued(&self) -> u64 {
        self.issued
    }

    /// Whether a jump, or the last instruction of a piece of memory, left the decode stage in the previous cycle.
    #[inline]
    pub(super) fn at_jump(&self) -> bool {
        self.jumped
    }

    /// Whether the previous cycle undid instructions under way.
    #[inline]
    pub(super) fn at_redo(&self) -> bool {
        self.redone
    }

    /// Whether anything other than the next instruction is under way or happened in the previous cycle.
    pub(super) fn is_disturbed(&self) -> bool {
        let under = &self.under;
        let waits = under.exception.is_some() || under.later.is_some() || !under.deferred.is_empty();
        let waits =
            waits || under.switched.is_some() || !under.masking.is_emitted() || self.breakpoint.is_some();
        waits || self.disturbed || under.requested.is_some() || self.stop.is_some()
    }

    /// Decodes the block at `pc`, up to an address where blocks are `split`.
    pub(super) fn block_at(
        &mut self,
        pc: u32,
        relevant: RelevantOperand,
        split: impl Fn(u32) -> bool,
    ) -> Block {
        let indirect = self.core.indirect;
        // Twice the bytes of a long block.
        let bits = if self.core.config.isa.has(Extension::C) {
            6
        } else {
            7
        };
        Block::new(pc, relevant, bits, |at| {
            if at != pc && split(at) {
                return None;
            }
            if !indirect {
                return self.decoded(at).insn;
            }
            let located = self.core.locate_fetch(at);
            // An instruction at the end of a page may reach into the next one.
            let whole = located.rights == Rights::Granted && at & 0xfff != 0xffe;
            let physical = located.physical.filter(|_| whole)?;
            self.decoded(physical).insn
        })
    }

    /// Executed instructions that have not retired, oldest first.
    pub(super) fn unretired(&self) -> impl Iterator<Item = Unretired> {
        let executed = self.under.executed.iter();
        executed.map(|executed| {
            let accessed = executed.seen.read.or(executed.seen.write);
            let address = accessed.map_or(executed.address, |accessed| accessed.address);
            Unretired::new(executed.pc, executed.insn, [address, executed.address])
        })
    }

    /// The youngest `count` of these were executed and have not retired. The youngest come first in `unretired`, the oldest first in
    /// `seen`.
    pub(super) fn resume(&mut self, unretired: &[Unretired], count: usize, seen: &[RetireData]) {
        self.under.executed.clear();
        for insn_under_way in unretired[..count].iter().rev() {
            if let Some(insn) = insn_under_way.insn {
                let before = self.unchanged();
                self.begin(insn_under_way.pc, &insn, None, before);
                if let Some(last) = self.under.executed.back_mut() {
                    last.address = insn_under_way.physical;
                }
            }
        }
        let youngest = self.under.executed.iter_mut().rev();
        for (executed, seen) in youngest.zip(seen.iter().rev()) {
            executed.seen = *seen;
        }
    }

    /// Event data of the instructions in flight, oldest first.
    pub(super) fn seen(&self) -> impl Iterator<Item = RetireData> {
        self.under.executed.iter().map(|executed| executed.seen)
    }

    /// Retires `count` instructions along a cached block.
    #[inline]
    pub(super) fn retire_again(&mut self, count: u32) {
        self.retired += u64::from(count);
        self.core.csrs.count_instructions(count.into());
    }

    /// Retires the oldest instruction in flight in cycle `now`, after these waits.
    #[inline]
    pub(super) fn retire(&mut self, now: u64, waits: RuleSet, listener: &mut Listener<'_>) {
        let Some(executed) = self.under.executed.pop_front() else {
            let pc = self.core.pc;
            assert!(
                self.stop.is_some(),
                "what retires in cycle {now} was not executed, before {pc:#010x}"
            );
            return;
        };
        self.retired += 1;
        self.core.csrs.count_instructions(1);
        if let Some(recorder) = &mut self.recorder {
            recorder.retire(now, executed.pc);
        }
        self.emit_pending(now, waits, listener);
        listener.retired(now, &executed.seen, waits);
        if self.notes.taken {
            let lost = std::mem::take(&mut self.notes.lost);
            self.notes.retired.push(RetiredInsn {
                cycle: now,
                rules: waits,
                lost,
            });
        }
    }

    /// Nothing retired in this cycle, which `rule` accounts for.
    #[inline]
    pub(super) fn lose(&mut self, rule: Rule, listener: &mut Listener<'_>) {
        listener.position.lost.add(rule, 1);
        if self.notes.taken {
            self.notes.lost.add(rule, 1);
        }
    }

    /// Turns notes on or off.
    pub(super) fn note(&mut self, notes: bool) {
        self.notes.taken = notes;
        self.notes.retired.clear();
        self.notes.transfers.clear();
        self.notes.lost = Costs::NONE;
    }

    #[inline]
    pub(super) fn stop_noting(&mut self) {
        if self.notes.taken {
            self.note(false);
        }
    }

    /// The reason to stop the run at the end of cycle `now`, if any.
    #[inline]
    pub(super) fn stopped(&mut self, now: u64, listener: &mut Listener<'_>) -> Option<Stop> {
        if let Some(pc) = self.breakpoint.take() {
            self.emit_pending(now, RuleSet::NONE, listener);
            let (at, costs) = listener.gap(now);
            listener.emit_control(&Event::Breakpoint {
                at,
                pc,
                imm: 0,
                sp: self.core.regs[2],
                since: Told::EMPTY,
                costs,
            });
        }
        let stop = self.stop.take()?;
        if stop == Stop::Semihosting {
            self.emit_pending(now, RuleSet::NONE, listener);
            // This cycle belonged to the request itself.
            let (at, costs) = listener.gap(now + 1);
            listener.emit_control(&Event::Semihosting {
                at,
                pc: self.served_at,
                operation: self.core.regs[10],
                parameter: self.core.regs[11],
                costs,
            });
        }
        Some(stop)
    }

    /// The run ended in cycle `now`: the store that ended it retires, although it has not left the pipeline yet.
    pub(super) fn finish(&mut self, now: u64, listener: &mut Listener<'_>) {
        let Some(pc) = self.ended_by.take() else {
            return;
        };
        let mut executed = self.under.executed.iter();
        let is_store = |executed: &Executed| executed.pc == pc && executed.before.deferred;
        let older = executed.position(is_store).map_or(0, |place| place + 1);
        for _ in 0..older {
            self.retire(now, RuleSet::NONE, listener);
        }
    }

    #[inline]
    fn decoded(&mut self, pc: u32) -> DecodedInsn {
        self.code.at(pc, &self.core.bus, &self.core.config)
    }

    /// The decoded instruction at `pc`, whose bus address is `physical`.
    #[inline]
    fn decoded_at(&mut self, pc: u32, physical: u32) -> DecodedInsn {
        match self.core.other_page(pc) {
            None => self.decoded(physical),
            Some(second) => self
                .code
                .across([physical, second], &self.core.bus, &self.core.config),
        }
    }

    /// Executes an instruction whose effects come at once.
    fn execute_now(&mut self, in_flight: InFlight, insn: &Insn) -> InFlight {
        let [rs1, rs2] = self.operands(insn);
        let mut in_flight = in_flight.with_operands(insn, rs1, rs2);
        let located = self.core.locate_access(insn, in_flight.address);
        in_flight.physical = located.unwrap_or_else(|| self.core.placed(in_flight.address));
        if located.is_some() && self.asks_device(&in_flight, insn) {
            self.defer(&in_flight, insn, rs2);
            return in_flight;
        }
        in_flight.misaligned &= !self.core.config.splits;
        let before = self.before(&in_flight, insn);
        let pc = self.core.pc;
        self.jumped = matches!(insn.op, Op::Jal | Op::Jalr) || insn.is_branch();
        let jumps = insn.target(pc, rs1, rs2).is_some();
        let jump = match self.core.execute(insn, self.now) {
            Ok(_) => {
                self.jumped |= (self.core.pc ^ pc) >> 6 != 0;
                let write = self.written(insn, &in_flight, rs2, &before);
                self.begin(pc, insn, write, before);
                if let Some(last) = self.under.executed.back_mut() {
                    last.address = in_flight.physical;
                }
                jumps.then_some(Jump {
                    target: self.core.pc,
                    misaligned: false,
                })
            }
            // No pipeline is timed that far: the error arrives with the answer.
            Err(Refusal::Trap(trap))
                if located.is_some() && matches!(trap.cause, Cause::LoadAccess | Cause::StoreAccess) =>
            {
                let what = not_answered(BusError::Slave, &self.core, in_flight.address);
                self.not_modelled(pc, what);
                None
            }
            Err(Refusal::Trap(trap)) => {
                self.core.pc = pc;
                self.under.exception = Some(trap);
                // VexRiscv notices a refused access where it notices a misaligned one.
                in_flight.misaligned |= self.is_vexriscv() && insn.access_size() != 0;
                (trap.cause == Cause::InstructionMisaligned).then_some(Jump {
                    target: trap.value,
                    misaligned: true,
                })
            }
            Err(Refusal::NotModelled(what)) => {
                self.not_modelled(pc, what);
                None
            }
        };
        InFlight { jump, ..in_flight }
    }

    fn is_vexriscv(&self) -> bool {
        !matches!(
            self.core.config.timing,
            Some(Timing::Ibex | Timing::IbexWriteBack | Timing::PicoRv32)
        )
    }

    /// The effect of instructions under way on `minstret`, which the last one accesses. Without a write-back stage, a write comes before
    /// the count. With one, a read includes the instruction in that stage, and one more if the stage is empty (`perf_instr_ret_wb_spec_o`
    /// does not check whether its instruction is valid).
    fn uncounted(&self) -> csr::UnretiredInstructions {
        let older = (self.under.executed.len() as u64).saturating_sub(1);
        match self.core.config.timing {
            Some(Timing::Ibex) => csr::UnretiredInstructions {
                counted: 0,
                swallowed: 1,
            },
            Some(Timing::IbexWriteBack) => csr::UnretiredInstructions {
                counted: 1,
                swallowed: older,
            },
            _ => csr::UnretiredInstructions::default(),
        }
    }

    /// The run ends in this cycle at the instruction at `pc`. If the program ended itself in the same cycle, it was before.
    fn not_modelled(&mut self, pc: u32, what: NotModelled) {
        self.core.pc = pc;
        if !matches!(self.stop, Some(Stop::Exit(_) | Stop::Reset(_))) {
            self.stop = Some(Stop::NotModelled(what));
        }
    }

    /// Whether this cycle met an unmodelled feature. The pipeline is clocked to the end of the cycle, but no instruction executes, so that
    /// the state stays that of the instruction at fault.
    fn is_stuck(&self) -> bool {
        matches!(self.stop, Some(Stop::NotModelled(_)))
    }

    fn operands(&self, insn: &Insn) -> [u32; 2] {
        [self.core.read(insn.rs1), self.core.read(insn.rs2)]
    }
}
