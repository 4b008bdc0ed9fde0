//! Traps: exceptions and interrupts, into a handler and back (privileged ISA manual 3.1.6 to 3.1.16).

use events::Exception;

use crate::core::Core;

/// Why an instruction could not be executed, or what it asked for: the codes of `mcause`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Cause {
    /// A jump to an address that no instruction can have.
    InstructionMisaligned = 0,
    /// The memory that instructions come from answers with an error.
    InstructionAccess = 1,
    /// No such instruction, or not at this privilege.
    IllegalInstruction = 2,
    /// EBREAK.
    Breakpoint = 3,
    /// A load from an address that is not a multiple of its size.
    LoadMisaligned = 4,
    /// The memory loaded from answers with an error.
    LoadAccess = 5,
    /// A store to an address that is not a multiple of its size.
    StoreMisaligned = 6,
    /// The memory stored to answers with an error.
    StoreAccess = 7,
    /// ECALL from user mode.
    UserCall = 8,
    /// ECALL from supervisor mode.
    SupervisorCall = 9,
    /// ECALL from machine mode.
    MachineCall = 11,
    /// A fetch from a page that is not there, or not to be executed.
    InstructionPage = 12,
    /// A load from a page that is not there, or not to be read.
    LoadPage = 13,
    /// A store to a page that is not there, or not to be written.
    StorePage = 15,
}

/// An interrupt: its bit in `mip` and `mie`, and its code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Interrupt {
    /// Supervisor software.
    SupervisorSoftware = 1,
    /// Machine software interrupt.
    MachineSoftware = 3,
    /// Supervisor timer interrupt.
    SupervisorTimer = 5,
    /// Machine timer interrupt.
    MachineTimer = 7,
    /// Supervisor external.
    SupervisorExternal = 9,
    /// Machine external interrupt.
    MachineExternal = 11,
}

impl Interrupt {
    /// The most urgent first (privileged ISA manual 3.1.9).
    pub const BY_PRIORITY: [Interrupt; 6] = [
        Interrupt::MachineExternal,
        Interrupt::MachineSoftware,
        Interrupt::MachineTimer,
        Interrupt::SupervisorExternal,
        Interrupt::SupervisorSoftware,
        Interrupt::SupervisorTimer,
    ];

    /// Its bit in `mip` and `mie`.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl From<Interrupt> for Exception {
    fn from(interrupt: Interrupt) -> Exception {
        Exception::Interrupt(interrupt as u8)
    }
}

impl From<Cause> for Exception {
    fn from(cause: Cause) -> Exception {
        Exception::Trap(cause as u8)
    }
}

/// A privilege level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Privilege {
    /// User.
    User = 0,
    /// Supervisor.
    Supervisor = 1,
    /// Machine.
    Machine = 3,
}

impl Privilege {
    /// From the two bits of a status register; the reserved 2 is taken for machine.
    pub const fn from_bits(bits: u32) -> Privilege {
        match bits & 3 {
            0 => Privilege::User,
            1 => Privilege::Supervisor,
            _ => Privilege::Machine,
        }
    }
}

/// An exception with its `mtval`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trap {
    /// The cause.
    pub cause: Cause,
    /// An address, or the instruction.
    pub value: u32,
}

impl Trap {
    pub(crate) const fn new(cause: Cause, value: u32) -> Trap {
        Trap { cause, value }
    }

    /// Whether the program asked for it by ECALL.
    pub(crate) const fn is_call(self) -> bool {
        matches!(
            self.cause,
            Cause::UserCall | Cause::SupervisorCall | Cause::MachineCall
        )
    }
}

/// Bit 31 of `mcause`: an interrupt.
const INTERRUPT: u32 = 1 << 31;

impl Core {
    /// Goes to the handler of an exception that the instruction at `pc` met.
    /// A core without traps stays where it is.
    pub(crate) fn enter_exception(&mut self, trap: Trap) {
        if self.config.halts {
            return;
        }
        let code = trap.cause as u32;
        let delegated = self.csrs.medeleg >> code & 1 != 0;
        let value = match trap.cause {
            Cause::InstructionAccess | Cause::InstructionPage => {
                self.config.quirks().fetch_fault_value(trap.value)
            }
            _ => trap.value,
        };
        self.enter(code, delegated, Some(value));
        self.csrs.see_exception();
    }

    /// Goes to the handler of an interrupt, before the instruction at `pc`.
    pub(crate) fn enter_interrupt(&mut self, interrupt: Interrupt) {
        let delegated = self.csrs.mideleg & interrupt.bit() != 0;
        let value = self.config.quirks().interrupt_value();
        self.enter(interrupt as u32 | INTERRUPT, delegated, value);
    }

    /// A trap is taken, or returned from.
    fn end_reservation(&mut self) {
        if self.config.keeps_reservation {
            self.reservation = None;
        }
    }

    fn enter(&mut self, cause: u32, delegated: bool, value: Option<u32>) {
        let from = self.privilege;
        self.mmu.forget_refused();
        self.end_reservation();
        let supervisor = delegated && from < Privilege::Machine && self.config.supervisor;
        let csrs = &mut self.csrs;
        let vector = if supervisor {
            (csrs.sepc, csrs.scause) = (self.pc, cause);
            csrs.stval = value.unwrap_or(csrs.stval);
            csrs.status.enter_supervisor(from);
            csrs.stvec
        } else {
            (csrs.mepc, csrs.mcause) = (self.pc, cause);
            csrs.mtval = value.unwrap_or(csrs.mtval);
            csrs.status.enter_machine(from);
            csrs.mtvec
        };
        self.privilege = if supervisor {
            Privilege::Supervisor
        } else {
            Privilege::Machine
        };
        let vectored = self.config.vectored && vector & 3 == 1 && cause & INTERRUPT != 0;
        let offset = if vectored { 4 * (cause & !INTERRUPT) } else { 0 };
        self.pc = (vector & !3).wrapping_add(offset);
    }

    /// Executes MRET or SRET.
    pub(crate) fn leave(&mut self, from: Privilege) {
        self.mmu.forget_refused();
        self.end_reservation();
        if from == Privilege::Machine {
            let to = self.csrs.status.leave_machine(self.config.lowest);
            self.csrs.forget_exception();
            self.privilege = if self.config.user { to } else { Privilege::Machine };
            self.pc = self.csrs.mepc & self.config.fetched();
        } else {
            self.privilege = self.csrs.status.leave_supervisor();
            self.pc = self.csrs.sepc & self.config.fetched();
        }
        if self.privilege < Privilege::Machine && self.config.quirks().clears_modified_privilege() {
            self.csrs.status.mprv = false;
        }
    }

    /// The interrupt that is to be taken now, if any.
    pub fn pending_interrupt(&self) -> Option<Interrupt> {
        let pending = self.csrs.pending() & self.csrs.mie;
        if pending == 0 {
            return None;
        }
        let status = &self.csrs.status;
        let delegated = if self.config.supervisor {
            self.csrs.mideleg
        } else {
            0
        };
        let takes =
            |level: Privilege, enabled: bool| self.privilege < level || self.privilege == level && enabled;
        // An interrupt for machine mode takes precedence over all delegated ones.
        let most_urgent = |among: u32| {
            let mut order = Interrupt::BY_PRIORITY.into_iter();
            order.find(|interrupt| among & interrupt.bit() != 0)
        };
        let machine = takes(Privilege::Machine, status.mie).then(|| most_urgent(pending & !delegated));
        let supervisor = takes(Privilege::Supervisor, status.sie).then(|| most_urgent(pending & delegated));
        machine.flatten().or_else(|| supervisor.flatten())
    }
}
