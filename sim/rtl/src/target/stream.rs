//! Derives the events of a run from the instructions that the Verilog retired.
//!
//! The stream has addresses, encodings and results. Stored values follow from the registers, which this module tracks from the results; a
//! trap shows as a next address that the last instruction does not lead to.

use crate::{Core, Job, Line, Outcome, Retired, Step};
use events::{Costs, Enter, EntryKind, Event, Exception, Exit, Retire, RuleId, RuleSet, Window};
use isa_rv32::{Insn, Isa, Op, decode, length};

const ILLEGAL_INSTRUCTION: Exception = Exception::Trap(2);

/// The rule of every cost, which no book has: it is as the Verilog does.
const VERILOG: RuleId = RuleId(127);

/// The events of a run on a core.
pub(super) fn events(outcome: &Outcome, job: &Job, core: &Core) -> Vec<Event> {
    let mut follower = Follower {
        job,
        splits: core.splits_accesses(),
        privilege: 3,
        x: [0; 32],
        expected: None,
        behind: None,
        traps: Vec::new(),
        returned: None,
        events: Vec::new(),
        told: 0,
    };
    let mut fetches = outcome.fetches.iter().peekable();
    for retired in &outcome.stream {
        while let Some(fetch) = fetches.next_if(|fetch| fetch.cycle <= retired.cycle) {
            follower.events.push(fetched(fetch));
        }
        follower.retire(retired);
    }
    follower.events.extend(fetches.map(fetched));
    follower.events
}

fn fetched(step: &Step) -> Event {
    let Step { cycle, pc } = *step;
    Event::Fetch { cycle, pc }
}

struct Follower<'a> {
    job: &'a Job,
    /// The core makes a misaligned access as several.
    splits: bool,
    /// Of the last instruction.
    privilege: u8,
    x: [u32; 32],
    /// Address of the next instruction, if known.
    expected: Option<u32>,
    /// The address after the last instruction in memory.
    behind: Option<u32>,
    /// The traps that the program is in: with the stack pointers that they found.
    traps: Vec<(Exception, u32)>,
    /// The cycle and the address of a trap return whose target has not retired yet.
    returned: Option<(u64, u32)>,
    events: Vec<Event>,
    /// The end of the last window.
    told: u64,
}

impl Follower<'_> {
    fn retire(&mut self, retired: &Retired) {
        let Retired {
            cycle, pc, insn: raw, ..
        } = *retired;
        self.announce_switch(retired);
        self.privilege = retired.privilege;
        let size = self.size(pc);
        // An instruction that only this core has: it retires and writes its register, but its stores and its branch target are unknown.
        let insn = decode(raw, Isa::ALL).ok();
        if let Some(write) = insn.as_ref().and_then(|insn| self.write(cycle, pc, insn)) {
            self.events.push(write);
        }
        self.expected = insn.as_ref().and_then(|insn| self.next(insn, pc, size));
        self.behind = Some(pc.wrapping_add(size));
        let [sp_before, link, alternate_link] = [2, 1, 5].map(|register| self.x(register));
        if let Some((register, value)) = retired.written {
            self.x[usize::from(register)] = value;
        }
        if insn.is_some_and(|insn| matches!(insn.op, Op::Mret | Op::Sret)) {
            self.returned = Some((cycle, pc));
        }
        let (at, costs) = self.window(cycle + 1);
        self.events.push(Event::Retire(Retire {
            at,
            issued: cycle,
            pc,
            raw,
            size: size as u8,
            sp_before,
            sp: self.x[2],
            link,
            alternate_link,
            since: RuleSet::EMPTY,
            rules: RuleSet::EMPTY,
            costs,
        }));
    }

    /// The window that ends in cycle `to`. The Verilog does not say by which rule its cycles passed: they are one cost.
    fn window(&mut self, to: u64) -> (Window, Costs) {
        let at = Window {
            from: self.told,
            to: to.max(self.told),
        };
        self.told = at.to;
        (at, Costs::of(VERILOG, at.length() as u32))
    }

    /// A trap, or a return from one, came before what retires now.
    fn announce_switch(&mut self, retired: &Retired) {
        let sp = self.x[2];
        if let Some((cycle, pc)) = self.returned.take() {
            if let Some((exception, left)) = self.traps.pop() {
                let (at, costs) = self.window(retired.cycle);
                self.events.push(Event::Exit(Exit {
                    at,
                    began: cycle,
                    exception,
                    to: retired.pc,
                    sp,
                    since: RuleSet::EMPTY,
                    rules: RuleSet::EMPTY,
                    costs,
                }));
                if left != sp {
                    self.events.push(Event::Switch { cycle, pc, left, sp });
                }
            }
            return;
        }
        // After an instruction that is not known only the harness can tell a trap from a jump.
        let unknown = self.behind.filter(|_| retired.trap.is_some());
        let expected = self.expected.or(unknown);
        let Some(expected) = expected.filter(|&expected| expected != retired.pc) else {
            return;
        };
        let exception = retired
            .trap
            .unwrap_or_else(|| self.cause(expected, retired.cycle));
        self.traps.push((exception, sp));
        let (at, costs) = self.window(retired.cycle);
        self.events.push(Event::Enter(Enter {
            at,
            recognised: retired.cycle,
            exception,
            kind: EntryKind::Preempt,
            return_address: expected,
            handler: retired.pc,
            priority: None,
            sp,
            since: RuleSet::EMPTY,
            rules: RuleSet::EMPTY,
            costs,
        }));
    }

    /// Why the instruction at `pc` was not executed, on a core whose harness does not see that.
    fn cause(&self, pc: u32, now: u64) -> Exception {
        let Ok(insn) = decode(self.word(pc), Isa::ALL) else {
            return ILLEGAL_INSTRUCTION;
        };
        let address = self.x(insn.rs1.0).wrapping_add(insn.imm as u32);
        let size = insn.access_size();
        match insn.op {
            Op::Ecall => return Exception::Trap(8 + self.privilege),
            Op::Ebreak => return Exception::Trap(3),
            _ if size != 0 && !self.splits && address & (size - 1) != 0 => {
                return Exception::Trap(if insn.is_store() { 6 } else { 4 });
            }
            _ => {}
        }
        let high = |line: Line| {
            let mut changes = self.job.changes.iter().filter(|change| change.cycle <= now);
            let last = changes.rfind(|change| change.line == line);
            last.is_some_and(|change| change.level)
        };
        if (0..32).any(|number| high(Line::External(number))) {
            Exception::MACHINE_EXTERNAL
        } else if high(Line::Software) {
            Exception::MACHINE_SOFT
        } else if high(Line::Timer) {
            Exception::MACHINE_TIMER
        } else {
            ILLEGAL_INSTRUCTION
        }
    }

    fn next(&self, insn: &Insn, pc: u32, size: u32) -> Option<u32> {
        if matches!(insn.op, Op::Mret | Op::Sret) {
            return None;
        }
        let target = insn.target(pc, self.x(insn.rs1.0), self.x(insn.rs2.0));
        Some(target.unwrap_or(pc.wrapping_add(size)))
    }

    fn write(&self, cycle: u64, pc: u32, insn: &Insn) -> Option<Event> {
        insn.only_stores().then(|| Event::Write {
            cycle,
            pc,
            address: self.x(insn.rs1.0).wrapping_add(insn.imm as u32),
            size: insn.access_size() as u8,
            value: insn.stored(self.x(insn.rs2.0)),
            sp: self.x[2],
            since: RuleSet::EMPTY,
        })
    }

    fn x(&self, register: u8) -> u32 {
        self.x[usize::from(register)]
    }

    /// Bytes of the instruction at `pc`, which the stream has decompressed.
    fn size(&self, pc: u32) -> u32 {
        length(self.word(pc) as u16).into()
    }

    fn word(&self, pc: u32) -> u32 {
        let at = pc.wrapping_sub(self.job.base) as usize;
        let half = |at: usize| {
            let bytes = self.job.memory.get(at..).and_then(<[u8]>::first_chunk);
            u32::from(bytes.copied().map_or(0, u16::from_le_bytes))
        };
        half(at) | half(at + 2) << 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retired(cycle: u64, pc: u32, insn: u32) -> Retired {
        Retired {
            cycle,
            fetch_pc: pc,
            pc,
            insn,
            written: None,
            privilege: 3,
            trap: None,
        }
    }

    fn events_of(stream: Vec<Retired>) -> Vec<Event> {
        let job = Job {
            memory: vec![0x13; 0x40],
            limit: 100,
            ..Job::default()
        };
        let outcome = Outcome {
            cycles: 100,
            exit: None,
            stream,
            fetches: Vec::new(),
            traps: Vec::new(),
            writes: Vec::new(),
            console: Vec::new(),
        };
        events(
            &outcome,
            &job,
            &Core::named("vexriscv-standard").expect("it is known"),
        )
    }

    /// An instruction of the space for extensions of one's own (`custom-0`), which writes SP.
    const CUSTOM: u32 = 0x0000_010b;
    const NOP: u32 = 0x13;

    #[test]
    fn an_instruction_that_is_not_known_retires_and_writes_its_register() {
        let custom = Retired {
            written: Some((2, 0x8000)),
            ..retired(1, 4, CUSTOM)
        };
        let events = events_of(vec![retired(0, 0, NOP), custom, retired(2, 8, NOP)]);
        let seen: Vec<_> = events
            .iter()
            .map(|event| match event {
                Event::Retire(retire) => (retire.pc, retire.raw, retire.sp_before, retire.sp),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            seen,
            [(0, NOP, 0, 0), (4, CUSTOM, 0, 0x8000), (8, NOP, 0x8000, 0x8000)]
        );
    }

    #[test]
    fn a_trap_after_an_instruction_that_is_not_known_is_one_if_the_harness_says_so() {
        for (trap, entered) in [(None, false), (Some(ILLEGAL_INSTRUCTION), true)] {
            let next = Retired {
                trap,
                ..retired(5, 0x20, NOP)
            };
            let events = events_of(vec![retired(0, 4, CUSTOM), next]);
            let enter = events.iter().find_map(|event| match event {
                Event::Enter(enter) => Some((enter.exception, enter.return_address)),
                _ => None,
            });
            assert_eq!(enter, entered.then_some((ILLEGAL_INSTRUCTION, 8)));
        }
    }
}
