//! The program's answers to the pipeline's requests.

use bus::{Access, Transfer};
use isa_rv32::Op;

use super::super::insn_cache::HostRequest;
use super::{Before, Deferred, PendingSwitch, Program};
use crate::config::Timing;
use crate::core::{NotModelled, Refusal};
use crate::engine::Stop;
use crate::timing::{InFlight, Jump, Kind, Latency, Located, Supply, TableEntry};
use crate::trap::{Cause, Trap};

impl Supply for Program {
    #[inline]
    fn decode_at(&mut self, pc: u32, physical: u32) -> InFlight {
        self.decoded_at(pc, physical).in_flight.at(pc)
    }

    #[inline]
    fn locate_fetch(&mut self, pc: u32) -> Located {
        self.core.locate_fetch(pc)
    }

    #[inline]
    fn lacks_translation(&mut self, address: u32) -> bool {
        self.core.lacks_translation(address)
    }

    fn first_entry(&mut self, address: u32) -> u32 {
        self.disturbed = true;
        self.core.first_entry(address)
    }

    fn walked(&mut self, entry: TableEntry) -> Option<u32> {
        self.disturbed = true;
        if self.is_stuck() {
            return None;
        }
        let next = self.core.walked(entry);
        let is_next = entry.fetch && (entry.address ^ self.core.pc) >> 12 == 0;
        if entry.level == 0 && next.is_some() && is_next {
            let address = entry.address;
            self.not_modelled(self.core.pc, NotModelled::EndlessWalk { address });
        }
        next
    }

    #[inline]
    fn word(&mut self, address: u32) -> u32 {
        let word = self.core.bus.memory(address).get(address);
        word.map_or_else(
            || self.core.bus.peek_word(address).unwrap_or_default(),
            u32::from_le_bytes,
        )
    }

    #[inline]
    fn execute(&mut self, in_flight: InFlight) -> InFlight {
        if self.is_stuck() {
            return in_flight;
        }
        let pc = in_flight.pc;
        assert_eq!(pc, self.core.pc, "the pipeline executes what the program says");
        self.issued += 1;
        let decoded = self.decoded_at(pc, in_flight.fetched);
        let Some(insn) = decoded.insn else {
            return in_flight;
        };
        match in_flight.kind {
            Kind::Wait | Kind::Return if self.core.refuses_system(&insn) => {
                self.under.exception = Some(Trap::new(Cause::IllegalInstruction, insn.raw));
                // VexRiscv looks at the privilege in the execute stage.
                let late = self.is_vexriscv();
                in_flight.of_kind(if late { Kind::Call } else { Kind::Illegal })
            }
            Kind::Wait => {
                self.pass_by(&insn);
                in_flight
            }
            Kind::Csr | Kind::FlushTranslations if decoded.host.is_none() && self.core.refuses(&insn) => {
                self.under.exception = Some(Trap::new(Cause::IllegalInstruction, insn.raw));
                in_flight.of_kind(Kind::IllegalCsr)
            }
            Kind::Csr | Kind::FlushTranslations | Kind::Return => {
                self.under.later = Some((insn, decoded.host));
                let before = Before {
                    register: self.core.read(insn.rd),
                    ..self.unchanged()
                };
                self.begin(pc, &insn, None, before);
                in_flight
            }
            _ => self.execute_now(in_flight, &insn),
        }
    }

    fn mislaid(&mut self, in_flight: InFlight) -> InFlight {
        let decoded = self.decoded_at(in_flight.pc, in_flight.fetched);
        let Some(insn) = decoded.insn else {
            return in_flight;
        };
        // Whether it may use that register depends on the privilege and on other registers.
        self.disturbed |= in_flight.kind == Kind::Csr && self.core.config.user;
        let waits = matches!(in_flight.kind, Kind::Csr | Kind::FlushTranslations);
        if waits && decoded.host.is_none() && self.core.refuses(&insn) {
            return in_flight.of_kind(Kind::IllegalCsr);
        }
        let returns = matches!(in_flight.kind, Kind::Wait | Kind::Return);
        self.disturbed |= returns && self.core.config.user;
        if returns && self.is_vexriscv() && self.core.refuses_system(&insn) {
            return in_flight.of_kind(Kind::Call);
        }
        // How long it shifts may matter, and depends on what is in the register.
        self.disturbed |= matches!(insn.op, Op::Sll | Op::Srl | Op::Sra);
        let [rs1, rs2] = self.operands(&insn);
        let jump = insn.target(in_flight.pc, rs1, rs2).map(|target| Jump {
            target,
            misaligned: false,
        });
        InFlight {
            jump,
            ..in_flight.with_operands(&insn, rs1, rs2)
        }
    }

    fn access_csr(&mut self) {
        let Some((insn, host)) = self.under.later.take().filter(|_| !self.is_stuck()) else {
            return;
        };
        self.core.csrs.under_way = self.uncounted();
        let (pc, let_in) = (self.core.pc, self.core.lets_interrupts_in());
        match host {
            Some(HostRequest::Service) => {
                self.core.pc = pc.wrapping_add(u32::from(insn.size));
                self.served_at = pc;
                self.stop = Some(Stop::Semihosting);
            }
            Some(HostRequest::Breakpoint) => {
                self.core.pc = pc.wrapping_add(u32::from(insn.size));
                self.breakpoint = Some(pc);
            }
            None => match self.core.execute(&insn, self.now) {
                Ok(_) => {}
                Err(Refusal::Trap(trap)) => self.under.exception = Some(trap),
                Err(Refusal::NotModelled(what)) => self.not_modelled(pc, what),
            },
        }
        let let_in = [let_in, self.core.lets_interrupts_in()];
        self.under.masking.changed(self.now, pc, let_in, false);
        if let Some(last) = self.under.executed.back_mut() {
            last.seen.sp = self.core.regs[2];
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.finish(self.core.read(insn.rd));
        }
    }

    fn forget_translations(&mut self) {
        self.disturbed = true;
        self.core.mmu.flush();
    }

    fn misplace(&mut self, pc: u32) {
        self.misplaced = Some(pc);
    }

    fn take_exception(&mut self) -> u32 {
        self.disturbed = true;
        if self.is_stuck() {
            return self.core.pc;
        }
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
            // It was fetched with rights that an older instruction has changed since.
            Ok(_) if self.core.guarded => {
                self.core.pc = pc;
                self.take(Trap::new(Cause::InstructionPage, pc))
            }
            Ok(_) => panic!("the pipeline takes an exception that {pc:#010x} does not meet"),
        }
    }

    fn take_interrupt(&mut self) -> u32 {
        self.disturbed = true;
        if self.is_stuck() {
            return self.core.pc;
        }
        let interrupt = self.under.interrupt.expect("it was pending in the cycle before");
        let pc = self.core.pc;
        self.core.enter_interrupt(interrupt);
        self.record_trap();
        self.taken = Some(interrupt);
        self.entered(interrupt.into(), pc)
    }

    fn take_pending_interrupt(&mut self) -> u32 {
        self.under.interrupt = self.core.pending_interrupt();
        self.take_interrupt()
    }

    fn stands_still(&mut self) {
        let csrs = &mut self.core.csrs;
        csrs.cycle_offset = csrs.cycle_offset.wrapping_sub(1);
    }

    fn return_from_trap(&mut self) -> u32 {
        self.disturbed = true;
        if self.is_stuck() {
            return self.core.pc;
        }
        let (pc, let_in) = (self.core.pc, self.core.lets_interrupts_in());
        if let Some((insn, _)) = self.under.later.take() {
            match self.core.execute(&insn, self.now) {
                Ok(_) => {}
                Err(Refusal::Trap(trap)) => self.under.exception = Some(trap),
                Err(Refusal::NotModelled(what)) => self.not_modelled(pc, what),
            }
        }
        let let_in = [let_in, self.core.lets_interrupts_in()];
        self.under.masking.changed(self.now, pc, let_in, true);
        let (to, sp) = (self.core.pc, self.core.regs[2]);
        if let Some((exception, found)) = self.under.handling.leave() {
            self.switched(PendingSwitch {
                cycle: self.now,
                exception,
                to,
                entry: None,
                sp,
                switches: (sp != found).then_some((pc, found)),
            });
        }
        to
    }

    #[inline]
    fn is_interrupted(&mut self) -> bool {
        self.under.interrupt = self.under.requested.or(self.under.interrupt);
        self.under.requested = self.core.pending_interrupt();
        self.under.requested.is_some()
    }

    #[inline]
    fn is_woken(&mut self) -> bool {
        self.core.csrs.pending() & self.core.csrs.mie != 0
    }

    fn redo(&mut self) -> u32 {
        if self.is_stuck() {
            return self.core.pc;
        }
        self.redone = true;
        while let Some(executed) = self.under.executed.pop_back() {
            self.undo(&executed);
            self.issued = self.issued.wrapping_sub(1);
        }
        (self.under.exception, self.under.later) = (None, None);
        self.core.pc
    }

    #[inline]
    fn transferred(&mut self, address: u32, writes: bool) {
        if writes && !self.writes_when_granted() {
            self.record_write(address);
        }
        if self.under.deferred.is_empty() {
            return;
        }
        let mut deferred = self.under.deferred.iter();
        let is_it = |deferred: &Deferred| deferred.address == address && deferred.insn.is_store() == writes;
        let Some(place) = deferred.position(is_it) else {
            return;
        };
        // A load that a cache answers overtakes stores on their way: the device sees them in order.
        for _ in 0..=place {
            if !self.is_stuck() {
                self.ask_device();
            }
        }
    }

    #[inline]
    fn shares_memory(&self) -> bool {
        self.core.bus.has_caches()
    }

    fn fetch_latency(&mut self, address: u32, words: u8) -> Latency {
        self.transfer(Access::Fetch, address, words)
    }

    fn data_latency(&mut self, address: u32, writes: bool, words: u8) -> Latency {
        if writes && self.writes_when_granted() {
            self.record_write(address);
        }
        let access = if writes { Access::Write } else { Access::Read };
        self.transfer(access, address, words)
    }
}

impl Program {
    /// Whether a store's data is written with the grant of its request (Ibex), instead of with the answer.
    fn writes_when_granted(&self) -> bool {
        matches!(
            self.core.config.timing,
            Some(Timing::Ibex | Timing::IbexWriteBack)
        )
    }

    fn record_write(&mut self, address: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.write(self.now, address);
        }
    }

    /// A transfer that is at the bus from the next cycle on.
    fn transfer(&mut self, access: Access, address: u32, words: u8) -> Latency {
        let port = u8::from(access != Access::Fetch && !self.core.config.has_one_port());
        let transfer = Transfer {
            port,
            access,
            address,
            words,
            start: self.now + 1,
        };
        let latency = self.core.bus.transfer(transfer);
        if self.notes.taken && self.core.bus.has_caches() {
            self.notes.transfers.push((transfer, latency));
        }
        latency
    }
}
