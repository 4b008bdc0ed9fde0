//! The stages of `VexRiscv` after the fetch, and their arbitration. Source: the Verilog's `*_arbitration_*` signals, which give the fields
//! their names.

use super::Supply;
use super::in_flight::{InFlight, Kind};
use super::rules::{Rule, Told};
use super::vexriscv_waits::{Lost, NextInDecode, Why};

/// The instructions in the stages, and the exceptions that travel with them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Stages {
    pub decode: Option<InFlight>,
    pub execute: Option<InFlight>,
    pub memory: Option<InFlight>,
    pub write_back: Option<InFlight>,
    /// `exceptionValidsRegs`: an exception that waits in a stage, from decode on.
    pub exceptions: [bool; 4],
    /// An exception reached the end in the cycle before.
    pub had_exception: bool,
    /// The address that goes for that of an exception, which has come so far: to the stage with this number.
    pub(super) misplaced: Option<(u8, u32)>,
    /// The next instruction for the decode stage.
    pub(super) next: NextInDecode,
    /// Why the stages after decode are empty.
    pub(super) lost: Lost,
    /// The outcome of this cycle: why no stage advances, and the rule for a lost cycle if nothing retires.
    pub(super) why: Told<Why>,
}

/// Why a stage waits by itself, or gives up its instruction.
#[derive(Clone, Copy, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a signal of the Verilog
pub(crate) struct Halts {
    pub decode: bool,
    pub execute: bool,
    pub memory: bool,
    pub write_back: bool,
    /// An interrupt jumps to its handler.
    pub interrupt: bool,
    /// The instruction in the memory stage raises an exception there.
    pub memory_fault: bool,
    /// The instruction in the last stage raises an exception.
    pub write_back_fault: bool,
    /// The instruction in the last stage must be fetched and executed again.
    pub redo: bool,
    /// The instruction in the execute stage has all younger ones fetched again.
    pub reschedule: bool,
    /// The next instruction for the decode stage cannot be fetched.
    pub fetch_fault: bool,
    /// The instruction to be fetched again lacked its translation.
    pub untranslated: bool,
    /// A memory does not answer: of the fetch, of data.
    pub slow: [bool; 2],
}

/// Why the last stage jumps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    Exception,
    Interrupt,
    Return,
}

impl Switch {
    /// The address that it leads to.
    pub(crate) fn target(self, supply: &mut impl Supply) -> u32 {
        match self {
            Switch::Exception => supply.take_exception(),
            Switch::Interrupt => supply.take_interrupt(),
            Switch::Return => supply.return_from_trap(),
        }
    }
}

/// The decisions of the stages in one cycle.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a signal of the Verilog
pub(crate) struct Decision {
    /// `isStuck` of decode, execute, memory.
    pub stuck: [bool; 3],
    /// `removeIt` of decode, execute, memory.
    pub remove: [bool; 3],
    /// `isFlushed` of execute: its side effects must be suppressed.
    pub execute_flushed: bool,
    /// Some stage is flushed, and so is the fetch.
    pub flush: bool,
    /// The fetch makes no request.
    pub halt_fetch: bool,
    /// A trap or a trap return jumps.
    pub traps: Option<Switch>,
    /// `isStuck` of the last stage.
    pub write_back_stuck: bool,
    /// `removeIt` of the last stage.
    pub write_back_removed: bool,
    /// The instruction in the last stage and all younger ones are fetched and executed again.
    pub redo: bool,
    /// The decode stage is removed.
    pub decode_removed: bool,
    /// `exceptionValids`, from decode on.
    valids: [bool; 4],
}

impl Stages {
    /// A trap return is on its way: decode waits for it.
    pub(crate) fn returns(&self) -> bool {
        let behind = [self.execute, self.memory, self.write_back];
        behind
            .into_iter()
            .flatten()
            .any(|in_flight| in_flight.kind == Kind::Return)
    }

    /// Decode reads a register that cannot be bypassed yet: one that an instruction in the execute or memory stage writes, if
    /// its result is late there.
    pub(crate) fn misses_result(
        &self,
        late_in_execute: impl Fn(Kind) -> bool,
        late_in_memory: impl Fn(Kind) -> bool,
    ) -> bool {
        let Some(decode) = self.decode else {
            return false;
        };
        let execute = self.execute.filter(|execute| late_in_execute(execute.kind));
        let memory = self.memory.filter(|memory| late_in_memory(memory.kind));
        let late = [execute, memory].into_iter().flatten();
        late.map(|in_flight| in_flight.writes)
            .any(|register| register != 0 && decode.reads.contains(&register))
    }

    /// The decisions of this cycle, given these reasons to wait.
    pub(crate) fn decide(&self, halts: Halts) -> Decision {
        let write_back_stuck = halts.write_back;
        let memory_stuck = halts.memory || write_back_stuck;
        let execute_stuck = halts.execute || memory_stuck;
        let decode_stuck = halts.decode || halts.reschedule || execute_stuck;
        let illegal = halts.fetch_fault || self.decode.is_some_and(|decode| decode.kind == Kind::Illegal);
        let call = self
            .execute
            .is_some_and(|execute| matches!(execute.kind, Kind::Call | Kind::IllegalCsr));
        let branches = self.memory.is_some_and(|memory| memory.jump.is_some());
        let bad_jump = self
            .memory
            .is_some_and(|memory| memory.jump.is_some_and(|jump| jump.misaligned));
        let fault = halts.memory_fault || bad_jump;
        let traps = self.switch(halts.interrupt);
        let memory_flushed = traps.is_some() || halts.write_back_fault || halts.redo;
        let execute_flushed = memory_flushed || branches || fault;
        let decode_flushed = execute_flushed || call || halts.reschedule;
        let [at_decode, at_execute, at_memory, at_end] = self.exceptions;
        let valids = [
            (at_decode || illegal) && !decode_flushed,
            (at_execute || call) && !execute_flushed,
            (at_memory || fault) && !memory_flushed,
            (at_end || halts.write_back_fault) && !halts.redo,
        ];
        Decision {
            stuck: [decode_stuck, execute_stuck, memory_stuck],
            write_back_stuck,
            remove: [
                illegal || decode_flushed,
                call || execute_flushed,
                fault || memory_flushed,
            ],
            write_back_removed: halts.write_back_fault || halts.redo,
            execute_flushed,
            flush: decode_flushed || illegal,
            halt_fetch: valids.contains(&true) || traps.is_some(),
            traps,
            redo: halts.redo,
            decode_removed: illegal || decode_flushed,
            valids,
        }
    }

    fn switch(&self, interrupt: bool) -> Option<Switch> {
        let returns = self.write_back.is_some_and(|last| last.kind == Kind::Return);
        if self.had_exception {
            Some(Switch::Exception)
        } else if interrupt {
            Some(Switch::Interrupt)
        } else {
            returns.then_some(Switch::Return)
        }
    }

    /// The instruction that retires in this cycle.
    pub(crate) fn retiring(&self, decision: &Decision) -> Option<InFlight> {
        let leaves = !decision.write_back_stuck && !decision.write_back_removed;
        self.write_back.filter(|_| leaves)
    }

    /// Has the instructions executed whose time has come: the access to a control and status register that leaves the
    /// execute stage, and what leaves decode. `astray` says that a jump is still to be taken, and what is fetched until
    /// then will not be executed.
    pub(crate) fn execute_leaving(
        &mut self,
        decision: &Decision,
        astray: &mut bool,
        supply: &mut impl Supply,
    ) {
        let [decode_stuck, execute_stuck, _] = decision.stuck;
        let [remove_decode, remove_execute, _] = decision.remove;
        let accesses = |kind: Kind| matches!(kind, Kind::Csr | Kind::FlushTranslations);
        if !execute_stuck && !remove_execute && self.execute.is_some_and(|execute| accesses(execute.kind)) {
            supply.access_csr();
        }
        if decode_stuck || remove_decode {
            return;
        }
        let Some(decode) = self.decode else { return };
        let in_flight = if *astray {
            supply.mislaid(decode)
        } else {
            supply.execute(decode)
        };
        let in_flight = in_flight.corrected();
        *astray |= in_flight.leaves();
        self.decode = Some(in_flight);
    }

    /// An illegal instruction that is predicted to jump, and has to wait in the decode stage, loses its address there: from the
    /// next cycle on that is the jump's target.
    pub(crate) fn misplace(&mut self, decision: &Decision) {
        let [decode_stuck, execute_stuck, memory_stuck] = decision.stuck;
        let stuck = [
            decode_stuck,
            execute_stuck,
            memory_stuck || decision.write_back_stuck,
            false,
        ];
        let target = self
            .decode
            .filter(|decode| decode.kind == Kind::Illegal && decode_stuck && decision.valids[0])
            .and_then(|decode| decode.predicted);
        let before = self.misplaced.filter(|&(stage, _)| {
            decision
                .valids
                .get(usize::from(stage))
                .is_some_and(|&valid| valid)
        });
        self.misplaced = match (target, before) {
            (Some(target), _) => Some((0, target)),
            (None, Some((stage, target))) if !stuck[usize::from(stage)] => Some((stage + 1, target)),
            (None, before) => before,
        };
    }

    /// The address of the exception that is taken, if that was lost.
    pub(crate) fn misplaced(&self) -> Option<u32> {
        self.misplaced
            .filter(|&(stage, _)| usize::from(stage) == self.exceptions.len())
            .map(|(_, target)| target)
    }

    /// The rule by which the cycle that was clocked last is lost; none if something retired in it.
    pub(crate) fn lost(&self) -> Option<Rule> {
        self.why.0.lost
    }

    /// The end of the cycle. The decode stage takes `next` if it is not stuck.
    pub(crate) fn clock(&mut self, decision: &Decision, next: Option<InFlight>) {
        let [decode_stuck, execute_stuck, memory_stuck] = decision.stuck;
        let [remove_decode, remove_execute, remove_memory] = decision.remove;
        let moved = |from: Option<InFlight>, stuck: bool, removed: bool| from.filter(|_| !stuck && !removed);
        let why = self.why.0.behind;
        if !decision.write_back_stuck || decision.write_back_removed {
            self.write_back = moved(self.memory, memory_stuck, remove_memory);
            self.lost.set(2, self.write_back.is_none(), why[2]);
        }
        if !memory_stuck || remove_memory {
            self.memory = moved(self.execute, execute_stuck, remove_execute);
            self.lost.set(1, self.memory.is_none(), why[1]);
        }
        if !execute_stuck || remove_execute {
            self.execute = moved(self.decode, decode_stuck, remove_decode);
            self.lost.set(0, self.execute.is_none(), why[0]);
        }
        if !decode_stuck {
            let waits = next.map(|_| self.next.arrive());
            self.decode = next.zip(waits).map(|(next, waits)| InFlight { waits, ..next });
        } else if remove_decode {
            self.decode = None;
        }
        let [at_decode, at_execute, at_memory, at_end] = decision.valids;
        self.exceptions = [
            decode_stuck && at_decode,
            if execute_stuck {
                at_execute
            } else {
                at_decode && !decode_stuck
            },
            if memory_stuck {
                at_memory
            } else {
                at_execute && !execute_stuck
            },
            at_memory && !memory_stuck && !decision.write_back_stuck,
        ];
        self.had_exception = at_end;
    }
}
