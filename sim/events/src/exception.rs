//! Exceptions, interrupts and traps, as events name them.

/// An interrupt, exception or trap of a core.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Exception {
    /// A system exception of a Cortex-M, by its number, 1 to 15 (ARMv7-M ARM B1.5.2).
    System(u8),
    /// An RV32 trap caused by an instruction, by its code in `mcause` (privileged ISA manual, table 14).
    Trap(u8),
    /// An RV32 interrupt that the privileged architecture defines, by its code.
    Interrupt(u8),
    /// An external interrupt of the core, from 0: of a Cortex-M's NVIC, or one of the 32 lines that `VexRiscv` combines to one interrupt.
    External(u16),
    /// A source of the board's PLIC, from 1.
    Source(u16),
}

/// A Cortex-M's own exceptions.
const SYSTEM: [(Exception, &str); 10] = [
    (Exception::System(1), "Reset"),
    (Exception::NMI, "NMI"),
    (Exception::HARD_FAULT, "HardFault"),
    (Exception::System(4), "MemManage"),
    (Exception::System(5), "BusFault"),
    (Exception::System(6), "UsageFault"),
    (Exception::SV_CALL, "SVCall"),
    (Exception::System(12), "DebugMonitor"),
    (Exception::PEND_SV, "PendSV"),
    (Exception::System(15), "SysTick"),
];

/// Traps and interrupts of RV32.
const TRAPS: [(Exception, &str); 20] = [
    (Exception::Trap(0), "InstructionMisaligned"),
    (Exception::Trap(1), "InstructionFault"),
    (Exception::Trap(2), "IllegalInstruction"),
    (Exception::Trap(3), "Breakpoint"),
    (Exception::Trap(4), "LoadMisaligned"),
    (Exception::Trap(5), "LoadFault"),
    (Exception::Trap(6), "StoreMisaligned"),
    (Exception::Trap(7), "StoreFault"),
    (Exception::Trap(8), "UserEnvCall"),
    (Exception::Trap(9), "SupervisorEnvCall"),
    (Exception::Trap(11), "MachineEnvCall"),
    (Exception::Trap(12), "InstructionPageFault"),
    (Exception::Trap(13), "LoadPageFault"),
    (Exception::Trap(15), "StorePageFault"),
    (Exception::Interrupt(1), "SupervisorSoft"),
    (Exception::MACHINE_SOFT, "MachineSoft"),
    (Exception::Interrupt(5), "SupervisorTimer"),
    (Exception::MACHINE_TIMER, "MachineTimer"),
    (Exception::SUPERVISOR_EXTERNAL, "SupervisorExternal"),
    (Exception::MACHINE_EXTERNAL, "MachineExternal"),
];

/// A Cortex-M's exception number of the first external interrupt.
const FIRST_EXTERNAL: u16 = 16;

impl Exception {
    /// A Cortex-M's non-maskable interrupt.
    pub const NMI: Exception = Exception::System(2);
    /// A Cortex-M's HardFault.
    pub const HARD_FAULT: Exception = Exception::System(3);
    /// A Cortex-M's supervisor call.
    pub const SV_CALL: Exception = Exception::System(11);
    /// A Cortex-M's PendSV.
    pub const PEND_SV: Exception = Exception::System(14);
    /// The software interrupt of an RV32 core's machine mode.
    pub const MACHINE_SOFT: Exception = Exception::Interrupt(3);
    /// The timer interrupt of an RV32 core's machine mode.
    pub const MACHINE_TIMER: Exception = Exception::Interrupt(7);
    /// The external interrupt of an RV32 core's supervisor mode.
    pub const SUPERVISOR_EXTERNAL: Exception = Exception::Interrupt(9);
    /// The external interrupt of an RV32 core's machine mode.
    pub const MACHINE_EXTERNAL: Exception = Exception::Interrupt(11);
    /// The prefix of a PLIC source's name; its number follows.
    pub const PLIC: &'static str = "PLIC:";

    /// A Cortex-M's exception with this number (ARMv7-M ARM B1.5.2).
    pub const fn of_number(number: u16) -> Exception {
        if number < FIRST_EXTERNAL {
            Exception::System(number as u8)
        } else {
            Exception::External(number - FIRST_EXTERNAL)
        }
    }

    /// The exception whose number a Cortex-M's IPSR holds (ARMv7-M ARM B1.4.2); `None` in thread mode.
    pub fn of_ipsr(ipsr: u16) -> Option<Exception> {
        (ipsr != 0).then(|| Exception::of_number(ipsr))
    }

    /// A Cortex-M's exception number; `None` for an exception that no Cortex-M has.
    pub const fn number(self) -> Option<u16> {
        match self {
            Exception::System(number) => Some(number as u16),
            Exception::External(line) => Some(FIRST_EXTERNAL + line),
            Exception::Trap(_) | Exception::Interrupt(_) | Exception::Source(_) => None,
        }
    }

    /// A number that distinguishes it from all other exceptions of its core.
    pub const fn id(self) -> u16 {
        match self {
            Exception::System(number) | Exception::Trap(number) => number as u16,
            Exception::Interrupt(code) => 0x100 + code as u16,
            Exception::External(line) => 0x200 + line,
            Exception::Source(source) => 0x1000 + source,
        }
    }

    /// Exceptions of their own that Cortex-M cores have, each with its name.
    pub const fn system() -> &'static [(Exception, &'static str)] {
        &SYSTEM
    }

    /// Traps and interrupts that the privileged architecture of RV32 defines, each with its name.
    pub const fn traps() -> &'static [(Exception, &'static str)] {
        &TRAPS
    }

    /// Its name: `SysTick`, `MachineTimer`, `IRQ6`, `PLIC:10`.
    pub fn name(self) -> String {
        let own = SYSTEM.iter().chain(&TRAPS).find(|(known, _)| *known == self);
        match (self, own) {
            (_, Some((_, name))) => (*name).into(),
            (Exception::External(line), _) => format!("IRQ{line}"),
            (Exception::Source(source), _) => format!("{}{source}", Exception::PLIC),
            (Exception::System(number) | Exception::Trap(number), _) => format!("exception {number}"),
            (Exception::Interrupt(cause), _) => format!("interrupt {cause}"),
        }
    }

    /// Whether it is a Cortex-M's HardFault, MemManage, BusFault or UsageFault.
    pub const fn is_fault(self) -> bool {
        matches!(self, Exception::System(3..=6))
    }
}
