//! Executed instructions that have not retired, with an undo log of their effects.

use exec::Accessed;
use isa_rv32::{Insn, Op};

use super::Program;
use crate::engine::emit::{Frame, RetireData, accessed};
use crate::timing::{AccessPlace, InFlight};

/// An instruction that was executed and has not retired yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Executed {
    /// The cycle in which it was executed.
    pub(super) cycle: u64,
    pub(super) pc: u32,
    pub(super) insn: Insn,
    /// Of its access, on the bus.
    pub(super) address: u32,
    /// Its event data.
    pub(super) seen: RetireData,
    pub(super) before: Before,
}

/// An instruction that was executed and has not retired, as those see it who execute without a pipeline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unretired {
    pub(super) pc: u32,
    pub(super) insn: Option<Insn>,
    /// Address of its access; `physical` is the one on the bus.
    pub(super) address: u32,
    pub(super) physical: u32,
}

impl Unretired {
    pub(crate) const NONE: Unretired = Unretired {
        pc: 0,
        insn: None,
        address: 0,
        physical: 0,
    };

    pub(crate) fn new(pc: u32, insn: Insn, [address, physical]: [u32; 2]) -> Unretired {
        Unretired {
            pc,
            insn: Some(insn),
            address,
            physical,
        }
    }

    /// The range of its access.
    pub(crate) fn place(self) -> AccessPlace {
        let size = self.insn.map_or(0, |insn| insn.access_size());
        AccessPlace {
            address: self.address,
            physical: self.physical,
            mask: (((1 << size) - 1) << (self.address & 3)) as u8,
        }
    }

    pub(crate) fn is_store(self) -> bool {
        self.insn.is_some_and(|insn| insn.is_store())
    }
}

/// The state that an instruction replaced, restored if the instruction must execute again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) register: u32,
    /// The bytes that it wrote to.
    pub(super) memory: [u8; 4],
    pub(super) frame: Frame,
    /// The access that it loads.
    pub(super) read: Option<Accessed>,
    pub(super) reservation: Option<u32>,
    /// Its access is left to the time at which the device answers.
    pub(super) deferred: bool,
}

impl Program {
    /// An instruction that does nothing but take its time.
    pub(super) fn pass_by(&mut self, insn: &Insn) {
        let pc = self.core.pc;
        self.core.pc = pc.wrapping_add(u32::from(insn.size));
        let before = self.unchanged();
        self.begin(pc, insn, None, before);
    }

    pub(super) fn unchanged(&self) -> Before {
        Before {
            register: 0,
            memory: [0; 4],
            frame: Frame {
                sp: self.core.regs[2],
                link: self.core.regs[1],
                alternate_link: self.core.regs[5],
            },
            read: None,
            reservation: self.core.reservation,
            deferred: false,
        }
    }

    #[inline]
    pub(super) fn before(&self, in_flight: &InFlight, insn: &Insn) -> Before {
        let mut memory = [0; 4];
        if insn.is_store() {
            let size = insn.access_size() as usize;
            self.core.bus.peek(in_flight.physical, &mut memory[..size]);
        }
        let read = insn.is_load().then(|| {
            let (mut bytes, size) = ([0; 4], insn.access_size());
            self.core
                .bus
                .peek(in_flight.physical, &mut bytes[..size as usize]);
            accessed(insn, false, in_flight.address, u32::from_le_bytes(bytes))
        });
        Before {
            register: self.core.read(insn.rd),
            memory,
            read,
            ..self.unchanged()
        }
    }

    pub(super) fn begin(&mut self, pc: u32, insn: &Insn, write: Option<Accessed>, before: Before) {
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(&self.core, insn, write);
        }
        self.under.executed.push_back(Executed {
            cycle: self.now,
            pc,
            insn: *insn,
            address: 0,
            seen: RetireData {
                pc,
                raw: insn.raw,
                size: insn.size,
                before: before.frame,
                sp: self.core.regs[2],
                read: before.read,
                write,
            },
            before,
        });
    }

    /// Puts back what an instruction changed.
    pub(super) fn undo(&mut self, executed: &Executed) {
        let Executed {
            pc,
            insn,
            before,
            seen,
            address,
            ..
        } = executed;
        if let Some(recorder) = &mut self.recorder {
            recorder.undo();
        }
        self.core.pc = *pc;
        self.core.write(insn.rd, before.register);
        self.core.reservation = before.reservation;
        if before.deferred {
            self.under.deferred.pop_back();
        } else if let Some(write) = seen.write {
            self.core
                .bus
                .load(*address, &before.memory[..usize::from(write.size)]);
            self.code.written(*address);
        }
    }

    /// Records the bytes that an instruction stored, and has code there decoded anew.
    #[inline]
    pub(super) fn written(
        &mut self,
        insn: &Insn,
        in_flight: &InFlight,
        rs2: u32,
        before: &Before,
    ) -> Option<Accessed> {
        if !insn.is_store() {
            return None;
        }
        self.code.written(in_flight.physical);
        let failed = insn.op == Op::ScW && !self.core.is_reserved(before.reservation, in_flight.physical);
        let value = if insn.only_stores() {
            insn.stored(rs2)
        } else {
            self.core.bus.peek_word(in_flight.physical).unwrap_or_default()
        };
        (!failed).then(|| accessed(insn, true, in_flight.address, value))
    }
}
