//! The program as the pipeline asks for it: instructions are executed when their time has come, and announced when they
//! retire.

use std::collections::VecDeque;

use bus::End;
use isa_rv32::{Insn, Op};
use probe::{EntryKind, Event, Probe};

use super::code::{Code, Decoded, Host};
use super::{Debugger, Stop};
use crate::core::{Core, NotModelled, Refusal};
use crate::csr::Csrs;
use crate::exec::taken;
use crate::timing::{Jump, Kind, Latency, Passage, Supply};
use crate::trap::{Cause, Interrupt, Privilege, Trap};

/// Cycles from the one in which a load or store leaves decode until its access is on the bus, if nothing is in the way.
const ACCESS: u64 = 2;

/// Added to the cause of an interrupt to make its number in events.
const INTERRUPT_NUMBER: u16 = 16;

/// An instruction that was executed and has not retired yet.
#[derive(Clone, Copy, Debug)]
struct Executed {
    pc: u32,
    insn: Insn,
    sp: u32,
    write: Option<Write>,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    address: u32,
    size: u8,
    value: u32,
}

/// A trap or trap return that is announced with the next instruction, when it is known how long it took.
#[derive(Clone, Copy, Debug)]
struct Switched {
    cycle: u64,
    number: u16,
    to: u32,
    /// The address to return to, of an entry.
    entry: Option<u32>,
    sp: u32,
}

/// A core and what of its program is under way.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) core: Core,
    code: Code,
    now: u64,
    /// The interrupt that was taken in this cycle.
    pub(super) taken: Option<Interrupt>,
    breakpoint: Option<u32>,
    stop: Option<Stop>,
    under: UnderWay,
}

/// What was begun and is not over.
#[derive(Clone, Debug)]
struct UnderWay {
    /// The exception that an executed instruction met, until it is taken.
    exception: Option<Trap>,
    /// The instruction that was begun and is executed later, with what it asks of the host.
    later: Option<(Insn, Option<Host>)>,
    /// What was executed and is to retire, the oldest first.
    executed: VecDeque<Executed>,
    /// The interrupt that was pending and enabled last.
    interrupt: Option<Interrupt>,
    switched: Option<Switched>,
    /// The numbers of the traps that the program is in, the innermost last, as far as it returns from them.
    handling: Vec<u16>,
    traps_forever: bool,
}

/// What of a program can change, without what is on its bus.
#[derive(Clone)]
pub(super) struct Saved {
    regs: [u32; 32],
    pc: u32,
    privilege: Privilege,
    csrs: Csrs,
    reservation: Option<u32>,
    under: UnderWay,
}

/// Nested deeper than this, a trap's number is not kept: no sensible program gets there.
const DEEPEST: usize = 64;

impl Program {
    pub(super) fn new(core: Core) -> Program {
        Program {
            core,
            code: Code::new(),
            now: 0,
            taken: None,
            breakpoint: None,
            stop: None,
            under: UnderWay {
                exception: None,
                later: None,
                executed: VecDeque::with_capacity(8),
                interrupt: None,
                switched: None,
                handling: Vec::new(),
                traps_forever: false,
            },
        }
    }

    /// Saves all but the bus.
    pub(super) fn save(&self) -> Saved {
        let core = &self.core;
        Saved {
            regs: core.regs,
            pc: core.pc,
            privilege: core.privilege,
            csrs: core.csrs.clone(),
            reservation: core.reservation,
            under: self.under.clone(),
        }
    }

    /// Goes back to what was saved; code is decoded anew.
    pub(super) fn restore(&mut self, saved: &Saved) {
        let core = &mut self.core;
        (core.regs, core.pc, core.privilege) = (saved.regs, saved.pc, saved.privilege);
        core.csrs.clone_from(&saved.csrs);
        core.reservation = saved.reservation;
        self.under.clone_from(&saved.under);
        (self.taken, self.breakpoint, self.stop) = (None, None, None);
        self.code.forget();
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

    #[inline]
    pub(super) fn begin_cycle(&mut self, now: u64) {
        self.now = now;
    }

    /// The oldest instruction under way retires in cycle `now`.
    #[inline]
    pub(super) fn retire(&mut self, now: u64, listens: bool, probe: &mut impl Probe) {
        let csrs = &mut self.core.csrs;
        csrs.instret = csrs.instret.wrapping_add(1);
        let executed = self
            .under
            .executed
            .pop_front()
            .expect("what retires was executed");
        if listens {
            self.announce_switch(now, probe);
            announce(now, &executed, probe);
        }
        if executed.write.is_some()
            && let Some(end) = self.core.bus.end()
        {
            self.stop = Some(match end {
                End::Exit(code) => Stop::Exit(code),
                End::Reset => Stop::Reset,
            });
        }
    }

    /// What stops the run at the end of cycle `now`, if anything does.
    #[inline]
    pub(super) fn stopped(&mut self, now: u64, listens: bool, probe: &mut impl Probe) -> Option<Stop> {
        if let Some(pc) = self.breakpoint.take()
            && listens
        {
            self.announce_switch(now, probe);
            probe.event(&Event::Breakpoint {
                cycle: now,
                pc,
                imm: 0,
                sp: self.core.regs[2],
            });
        }
        let stop = self.stop.take()?;
        if stop == Stop::Semihosting && listens {
            probe.event(&Event::Semihosting {
                cycle: now,
                pc: self.core.pc.wrapping_sub(4),
                operation: self.core.regs[10],
                parameter: self.core.regs[11],
            });
        }
        Some(stop)
    }

    fn announce_switch(&mut self, end: u64, probe: &mut impl Probe) {
        let Some(switched) = self.under.switched.take() else {
            return;
        };
        let Switched {
            cycle,
            number,
            to,
            sp,
            ..
        } = switched;
        probe.event(&match switched.entry {
            Some(return_address) => Event::ExceptionEntry {
                cycle,
                end,
                number,
                kind: EntryKind::Preempt,
                return_address,
                handler: to,
                sp,
                rules: 0,
            },
            None => Event::ExceptionExit {
                cycle,
                end,
                number,
                to,
                sp,
                rules: 0,
            },
        });
    }

    #[inline]
    fn decoded(&mut self, pc: u32) -> Decoded {
        self.code.at(pc, &self.core.bus, self.core.config.isa)
    }

    /// Executes an instruction whose effects come at once.
    fn execute_now(&mut self, passage: Passage, insn: &Insn) -> Passage {
        let [rs1, rs2] = self.operands(insn);
        let passage = passage.with_operands(insn, rs1, rs2);
        let pc = self.core.pc;
        let jumps = matches!(insn.op, Op::Jal | Op::Jalr) || insn.is_branch() && taken(insn.op, rs1, rs2);
        let jump = match self.core.execute(insn, self.now + ACCESS) {
            Ok(_) => {
                let write = self.written(insn, passage.address, rs2);
                self.begin(pc, insn, write);
                jumps.then_some(Jump {
                    target: self.core.pc,
                    misaligned: false,
                })
            }
            Err(Refusal::Trap(trap)) => {
                self.core.pc = pc;
                self.under.exception = Some(trap);
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
        Passage { jump, ..passage }
    }

    fn begin(&mut self, pc: u32, insn: &Insn, write: Option<Write>) {
        self.under.executed.push_back(Executed {
            pc,
            insn: *insn,
            sp: self.core.regs[2],
            write,
        });
    }

    /// What an instruction stored, and the instructions there are decoded anew.
    #[inline]
    fn written(&mut self, insn: &Insn, address: u32, rs2: u32) -> Option<Write> {
        if !insn.is_store() {
            return None;
        }
        self.code.written(address);
        let plain = !insn.is_amo() && insn.op != Op::ScW;
        let failed = insn.op == Op::ScW && insn.rd.0 != 0 && self.core.read(insn.rd) != 0;
        let size = insn.access_size();
        let value = if plain {
            rs2 & (u32::MAX >> (32 - 8 * size))
        } else {
            self.core.bus.peek_word(address).unwrap_or_default()
        };
        (!failed).then_some(Write {
            address,
            size: size as u8,
            value,
        })
    }

    fn not_modelled(&mut self, pc: u32, what: NotModelled) {
        self.core.pc = pc;
        self.stop = Some(Stop::NotModelled(what));
    }

    fn operands(&self, insn: &Insn) -> [u32; 2] {
        [self.core.read(insn.rs1), self.core.read(insn.rs2)]
    }

    fn entered(&mut self, number: u16, return_address: u32) -> u32 {
        let (to, sp) = (self.core.pc, self.core.regs[2]);
        self.under.switched = Some(Switched {
            cycle: self.now,
            number,
            to,
            entry: Some(return_address),
            sp,
        });
        if self.under.handling.len() < DEEPEST {
            self.under.handling.push(number);
        }
        to
    }

    fn take(&mut self, trap: Trap) -> u32 {
        let pc = self.core.pc;
        self.core.enter_exception(trap);
        if self.core.pc == pc {
            self.under.traps_forever = true;
            self.stop = Some(Stop::Forever);
        }
        self.entered(trap.cause as u16, pc)
    }
}

impl Supply for Program {
    #[inline]
    fn decode(&mut self, pc: u32) -> Passage {
        self.decoded(pc).passage
    }

    #[inline]
    fn execute(&mut self, passage: Passage) -> Passage {
        let pc = passage.pc;
        assert_eq!(pc, self.core.pc, "the pipeline executes what the program says");
        let decoded = self.decoded(pc);
        let Some(insn) = decoded.insn else {
            return passage;
        };
        if matches!(passage.kind, Kind::Csr | Kind::Return) {
            self.under.later = Some((insn, decoded.host));
            self.begin(pc, &insn, None);
            return passage;
        }
        self.execute_now(passage, &insn)
    }

    fn mislaid(&mut self, passage: Passage) -> Passage {
        let Some(insn) = self.decoded(passage.pc).insn else {
            return passage;
        };
        let [rs1, rs2] = self.operands(&insn);
        passage.with_operands(&insn, rs1, rs2)
    }

    fn access_csr(&mut self) {
        let Some((insn, host)) = self.under.later.take() else {
            return;
        };
        let pc = self.core.pc;
        match host {
            Some(Host::Service) => {
                self.core.pc = pc.wrapping_add(u32::from(insn.size));
                self.stop = Some(Stop::Semihosting);
            }
            Some(Host::Breakpoint) => {
                self.core.pc = pc.wrapping_add(u32::from(insn.size));
                self.breakpoint = Some(pc);
            }
            None => match self.core.execute(&insn, self.now) {
                Ok(_) => {}
                Err(Refusal::Trap(trap)) => self.under.exception = Some(trap),
                Err(Refusal::NotModelled(what)) => self.not_modelled(pc, what),
            },
        }
        if let Some(last) = self.under.executed.back_mut() {
            last.sp = self.core.regs[2];
        }
    }

    fn take_exception(&mut self) -> u32 {
        if let Some(trap) = self.under.exception.take() {
            return self.take(trap);
        }
        // The next instruction was refused in the decode stage.
        let pc = self.core.pc;
        match self.core.fetch_and_execute(self.now) {
            Err(Refusal::Trap(trap)) => {
                self.core.pc = pc;
                self.take(trap)
            }
            Err(Refusal::NotModelled(what)) => {
                self.not_modelled(pc, what);
                pc
            }
            Ok(_) => panic!("the pipeline takes an exception that {pc:#010x} does not meet"),
        }
    }

    fn take_interrupt(&mut self) -> u32 {
        let interrupt = self.under.interrupt.expect("it was pending in the cycle before");
        let pc = self.core.pc;
        self.core.enter_interrupt(interrupt);
        self.taken = Some(interrupt);
        self.entered(INTERRUPT_NUMBER + interrupt as u16, pc)
    }

    fn return_from_trap(&mut self) -> u32 {
        if let Some((insn, _)) = self.under.later.take() {
            match self.core.execute(&insn, self.now) {
                Ok(_) => {}
                Err(Refusal::Trap(trap)) => self.under.exception = Some(trap),
                Err(Refusal::NotModelled(what)) => self.not_modelled(self.core.pc, what),
            }
        }
        let to = self.core.pc;
        if let Some(number) = self.under.handling.pop() {
            self.under.switched = Some(Switched {
                cycle: self.now,
                number,
                to,
                entry: None,
                sp: self.core.regs[2],
            });
        }
        to
    }

    #[inline]
    fn is_interrupted(&mut self) -> bool {
        let pending = self.core.pending_interrupt();
        // What a program writes there is overwritten by the input in the next cycle.
        self.core.csrs.software_pending = 0;
        if pending.is_some() {
            self.under.interrupt = pending;
        }
        pending.is_some()
    }

    fn fetch_latency(&mut self, address: u32) -> Latency {
        let wait = self
            .core
            .bus
            .profile_at(address)
            .map(|id| self.core.bus.profile(id).wait);
        wait.map_or(Latency::default(), |wait| Latency {
            first: wait.fetch.into(),
            beat: wait.beat.into(),
        })
    }

    fn data_latency(&mut self, address: u32, writes: bool) -> Latency {
        let wait = self
            .core
            .bus
            .profile_at(address)
            .map(|id| self.core.bus.profile(id).wait);
        wait.map_or(Latency::default(), |wait| Latency {
            first: if writes { wait.write } else { wait.read }.into(),
            beat: wait.beat.into(),
        })
    }
}

fn announce(cycle: u64, executed: &Executed, probe: &mut impl Probe) {
    let Executed { pc, insn, sp, write } = *executed;
    if let Some(Write { address, size, value }) = write {
        probe.event(&Event::Write {
            cycle,
            pc,
            address,
            size,
            value,
        });
    }
    probe.event(&Event::Retire {
        cycle,
        end: cycle + 1,
        pc,
        raw: insn.raw,
        size: insn.size,
        sp,
        rules: 0,
    });
}
