//! The state of a core, and the execution of one step.

use std::sync::Arc;

use bus::{Bus, BusError};
use isa_rv32::{Insn, length};

use crate::config::{Config, Protection, Translation};
use crate::csr::Csrs;
use crate::mmu::{KnownPages, Mmu, Purpose};
use crate::pmp::Pmp;
use crate::trap::{Cause, Interrupt, Privilege, Trap};

/// A core with everything that it can see.
#[derive(Clone)]
pub struct Core {
    /// `x0` to `x31`; `x0` is always 0.
    pub regs: [u32; 32],
    /// Address of the next instruction.
    pub pc: u32,
    /// The privilege at which it executes.
    pub privilege: Privilege,
    /// Control and status registers.
    pub csrs: Csrs,
    /// Everything outside the core.
    pub bus: Bus,
    /// Its configuration.
    pub config: Config,
    /// The word that LR.W reserved.
    pub(crate) reservation: Option<u32>,
    /// Cached translations of the page tables.
    pub(crate) mmu: Mmu,
    /// Whether there is anything between an instruction's addresses and the bus.
    pub(crate) guarded: bool,
    /// Whether it was there when runs were begun to be executed.
    pub(crate) indirect: bool,
    /// Bus addresses of the pages that runs load from and store to.
    pub(crate) places: KnownPages,
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// An instruction was executed.
    Retired {
        /// The instruction's address.
        pc: u32,
        /// The instruction.
        insn: Insn,
    },
    /// The instruction at the old PC was not executed: its exception was taken.
    Exception(Trap),
    /// An interrupt was taken before the instruction at the old PC.
    Interrupted(Interrupt),
    /// WFI waits; nothing was done.
    Waiting,
}

/// An unmodelled feature that stops the run; PC is the instruction that used it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotModelled {
    /// An access to an address where nothing is described.
    Unmapped {
        /// The address.
        address: u32,
    },
    /// A device that exists was asked for something that is not modelled.
    Device {
        /// The device's name.
        region: Arc<str>,
        /// The request, in words.
        what: Arc<str>,
    },
    /// A page table walk that does not end on this core: the last table points to another one.
    EndlessWalk {
        /// The address that is translated.
        address: u32,
    },
    /// An instruction whose effect is not modelled yet.
    Instruction {
        /// The instruction that was refused.
        insn: Insn,
    },
}

/// Why an instruction was not executed.
pub(crate) enum Refusal {
    Trap(Trap),
    NotModelled(NotModelled),
}

impl From<Trap> for Refusal {
    fn from(trap: Trap) -> Self {
        Refusal::Trap(trap)
    }
}

impl Core {
    /// A core as after reset, whose first instruction is at `pc`.
    pub fn new(config: Config, bus: Bus, pc: u32) -> Core {
        let mut csrs = Csrs::new(config.misa);
        config.quirks().reset(&mut csrs, pc);
        csrs.pmp = Pmp::new(config.protection);
        let guarded = config.protection != Protection::None || config.translation != Translation::None;
        Core {
            regs: [0; 32],
            pc,
            privilege: Privilege::Machine,
            csrs,
            bus,
            config,
            reservation: None,
            mmu: Mmu::new(),
            guarded,
            indirect: false,
            places: KnownPages::new(),
        }
    }

    /// Executes one instruction, or takes a trap, in core cycle `now`.
    ///
    /// # Errors
    /// [`NotModelled`]; the core then stands where it stood.
    pub fn step(&mut self, now: u64) -> Result<Step, NotModelled> {
        // The input overwrites the program's value before an interrupt can be taken.
        self.csrs.written_pending = None;
        if let Some(interrupt) = self.pending_interrupt() {
            self.enter_interrupt(interrupt);
            return Ok(Step::Interrupted(interrupt));
        }
        let pc = self.pc;
        match self.fetch_and_execute(now) {
            Ok((_, false)) => Ok(Step::Waiting),
            Ok((insn, true)) => {
                self.csrs.count_instructions(1);
                Ok(Step::Retired { pc, insn })
            }
            Err(Refusal::Trap(trap)) => {
                self.pc = pc;
                self.enter_exception(trap);
                Ok(Step::Exception(trap))
            }
            Err(Refusal::NotModelled(what)) => {
                self.pc = pc;
                Err(what)
            }
        }
    }

    /// Executes the instruction at PC; false with it if it waits.
    pub(crate) fn fetch_and_execute(&mut self, now: u64) -> Result<(Insn, bool), Refusal> {
        self.fetch()
            .and_then(|insn| Ok((insn, self.execute(&insn, now)?)))
    }

    fn fetch(&mut self) -> Result<Insn, Refusal> {
        let first = self.fetch_half(self.pc)?;
        let second = if length(first) == 4 {
            self.fetch_half(self.pc.wrapping_add(2))?
        } else {
            0
        };
        let raw = u32::from(first) | u32::from(second) << 16;
        let decoded = self.config.decode(raw);
        decoded.map_err(|error| {
            if self.config.is_for_aes(raw) {
                return Refusal::NotModelled(NotModelled::Device {
                    region: self.config.name.into(),
                    what: "its instructions for AES".into(),
                });
            }
            let value = self.config.quirks().illegal_value(error.raw, error.size);
            Trap::new(Cause::IllegalInstruction, value).into()
        })
    }

    fn fetch_half(&mut self, address: u32) -> Result<u16, Refusal> {
        let mut bytes = [0; 2];
        let physical = self.physical(address, 2, Purpose::Fetch)?;
        if self.bus.peek(physical, &mut bytes) {
            return Ok(u16::from_le_bytes(bytes));
        }
        if self.config.refuses_fetch {
            Err(Trap::new(Cause::InstructionAccess, address).into())
        } else {
            Err(Refusal::NotModelled(NotModelled::Unmapped { address: physical }))
        }
    }

    pub(crate) fn read(&self, reg: isa_rv32::Reg) -> u32 {
        self.regs[usize::from(reg.0 & 31)]
    }

    pub(crate) fn write(&mut self, reg: isa_rv32::Reg, value: u32) {
        if reg.0 != 0 {
            self.regs[usize::from(reg.0 & 31)] = value;
        }
    }
}

/// The meaning of a bus error for a load or store whose bus address is `physical`.
pub(crate) fn refused(error: BusError, cause: Cause, address: u32, physical: u32) -> Refusal {
    match error {
        BusError::ReadOnly | BusError::Slave => Trap::new(cause, address).into(),
        BusError::Unmapped => Refusal::NotModelled(NotModelled::Unmapped { address: physical }),
        BusError::NotModelled { region, what, .. } => {
            Refusal::NotModelled(NotModelled::Device { region, what })
        }
    }
}
