//! Control and status registers (privileged ISA manual, chapters 2 to 4).
//!
//! A register holds only the bits that the core has; what a program cannot see is not there.

use isa_rv32::Extension;

use crate::config::{Access, Config, Protection};
use crate::core::Core;
use crate::pmp::Pmp;
use crate::trap::{Interrupt, Privilege};

/// The fields of `mstatus` and `sstatus`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a bit of the register
pub struct Status {
    /// Interrupts to machine mode are enabled.
    pub mie: bool,
    /// `mie` before the trap.
    pub mpie: bool,
    /// The privilege before the trap to machine mode, two bits: a program can also write the reserved 2.
    pub mpp: u8,
    /// Interrupts to supervisor mode are enabled.
    pub sie: bool,
    /// `sie` before the trap.
    pub spie: bool,
    /// Whether the trap to supervisor mode came from there.
    pub spp: bool,
    /// Loads and stores are made at the privilege before the trap.
    pub mprv: bool,
    /// Supervisor mode may use pages of user mode.
    pub sum: bool,
    /// Pages that can be executed can be read.
    pub mxr: bool,
    /// `satp` and SFENCE.VMA are illegal in supervisor mode.
    pub tvm: bool,
    /// WFI is illegal below machine mode.
    pub tw: bool,
    /// SRET is illegal in supervisor mode.
    pub tsr: bool,
}

impl Status {
    pub(crate) fn enter_machine(&mut self, from: Privilege) {
        (self.mpie, self.mie, self.mpp) = (self.mie, false, from as u8);
    }

    pub(crate) fn enter_supervisor(&mut self, from: Privilege) {
        (self.spie, self.sie) = (self.sie, false);
        self.spp = from == Privilege::Supervisor;
    }

    pub(crate) fn leave_machine(&mut self, lowest: Privilege) -> Privilege {
        let to = Privilege::from_bits(self.mpp.into());
        (self.mie, self.mpie, self.mpp) = (self.mpie, true, lowest as u8);
        to
    }

    pub(crate) fn leave_supervisor(&mut self) -> Privilege {
        let to = if self.spp {
            Privilege::Supervisor
        } else {
            Privilege::User
        };
        (self.sie, self.spie, self.spp) = (self.spie, true, false);
        to
    }
}

/// Instructions that have not retired when a register is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct UnretiredInstructions {
    /// Instructions that a read of `minstret` adds.
    pub counted: u64,
    /// Instructions that a write of it removes from the count.
    pub swallowed: u64,
}

/// The control and status registers.
#[derive(Clone, Debug)]
pub struct Csrs {
    /// `mstatus`.
    pub status: Status,
    /// `mie`.
    pub mie: u32,
    /// The bits of `mip` that a program wrote, over which the inputs come again a cycle later.
    pub written_pending: Option<u32>,
    /// `mip` from the inputs: [`crate::Hart`] sets it one cycle after them.
    pub input_pending: u32,
    /// The interrupts of supervisor mode that a program raised.
    pub raised: u32,
    /// `mideleg`.
    pub mideleg: u32,
    /// `medeleg`.
    pub medeleg: u32,
    /// `misa`.
    pub misa: u32,
    /// `mtvec`.
    pub mtvec: u32,
    /// `mscratch`.
    pub mscratch: u32,
    /// `mepc`.
    pub mepc: u32,
    /// `mcause`.
    pub mcause: u32,
    /// `mtval`.
    pub mtval: u32,
    /// `stvec`.
    pub stvec: u32,
    /// `sscratch`.
    pub sscratch: u32,
    /// `sepc`.
    pub sepc: u32,
    /// `scause`.
    pub scause: u32,
    /// `stval`.
    pub stval: u32,
    /// `satp`.
    pub satp: u32,
    /// `mcounteren`.
    pub mcounteren: u32,
    /// `scounteren`.
    pub scounteren: u32,
    /// `pmpcfg` and `pmpaddr`.
    pub pmp: Pmp,
    /// The value that a program wrote to `mcycle`, minus the cycle at that time.
    pub cycle_offset: u64,
    /// Instructions retired, as `minstret` counts them.
    pub instret: u64,
    /// `mcountinhibit`: bit 0 `mcycle`, bit 2 `minstret`.
    pub inhibited: u32,
    /// `mcycle` while it stands still.
    pub stopped_cycle: u64,
    /// Ibex's `cpuctrlsts`: bit 6, an exception was taken and not returned from; bit 7, and another in between.
    pub control: u32,
    /// Counts of a timed core's instructions under way.
    pub(crate) under_way: UnretiredInstructions,
    /// `VexRiscv`'s mask of the 32 external interrupts.
    pub external_mask: u32,
    /// `VexRiscv`'s mask for supervisor mode.
    pub supervisor_mask: u32,
    /// The levels of the 32 external interrupts.
    pub external: u32,
}

/// Bits of `mie` and `mip`.
const MACHINE: u32 =
    Interrupt::MachineSoftware.bit() | Interrupt::MachineTimer.bit() | Interrupt::MachineExternal.bit();

pub(crate) const SUPERVISOR: u32 = Interrupt::SupervisorSoftware.bit()
    | Interrupt::SupervisorTimer.bit()
    | Interrupt::SupervisorExternal.bit();

/// The bits of `mip` that a program can write and the input overwrites.
pub(crate) const WRITABLE_PENDING: u32 = Interrupt::MachineSoftware.bit();

/// `cycle`, `time` and `instret` in `mcounteren` and `scounteren`.
const COUNTERS: u32 = 7;

impl Csrs {
    /// As after reset. `misa` is its reset value.
    pub fn new(misa: u32) -> Csrs {
        Csrs {
            status: Status {
                mie: false,
                mpie: false,
                mpp: Privilege::Machine as u8,
                sie: false,
                spie: false,
                spp: true,
                mprv: false,
                sum: false,
                mxr: false,
                tvm: false,
                tw: false,
                tsr: false,
            },
            mie: 0,
            written_pending: None,
            input_pending: 0,
            raised: 0,
            mideleg: 0,
            medeleg: 0,
            misa,
            mtvec: 0,
            mscratch: 0,
            mepc: 0,
            mcause: 0,
            mtval: 0,
            stvec: 0,
            sscratch: 0,
            sepc: 0,
            scause: 0,
            stval: 0,
            satp: 0,
            mcounteren: 0,
            scounteren: 0,
            pmp: Pmp::new(Protection::None),
            cycle_offset: 0,
            instret: 0,
            inhibited: 0,
            stopped_cycle: 0,
            control: 0,
            under_way: UnretiredInstructions::default(),
            external_mask: 0,
            supervisor_mask: 0,
            external: 0,
        }
    }

    /// `mip`.
    pub fn pending(&self) -> u32 {
        self.input_pending | self.raised
    }
}

/// The access of a CSR instruction to a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CsrAccess {
    pub reads: bool,
    pub writes: bool,
}

impl Core {
    /// Whether an instruction may use this register so, at this privilege.
    pub(crate) fn may_use(&self, csr: u16, what: CsrAccess) -> bool {
        if !self.config.checks_csrs {
            return true;
        }
        let lowest = csr >> 8 & 3;
        let access = self.config.access(csr);
        let used_well = match access {
            None => false,
            Some(Access::Both | Access::Fixed) => true,
            Some(Access::Read) => what.reads,
            Some(Access::ReadOnly) => !what.writes,
            Some(Access::Write) => what.writes,
        };
        used_well && self.privilege as u16 >= lowest && !self.is_hidden(csr)
    }

    /// Whether a register of this privilege is kept from it: counters (manual 3.1.11), `satp` (3.1.6.5).
    fn is_hidden(&self, csr: u16) -> bool {
        let (csrs, privilege) = (&self.csrs, self.privilege);
        if privilege == Privilege::Machine || !self.config.quirks().hides_registers() {
            return false;
        }
        if csr == 0x180 {
            return csrs.status.tvm;
        }
        let counter = csr >> 8 == 0xc;
        let by_supervisor = self.config.supervisor && privilege == Privilege::User;
        let hides = |enabled: u32| enabled >> (csr & 31) & 1 == 0;
        counter && (hides(csrs.mcounteren) || by_supervisor && hides(csrs.scounteren))
    }

    /// The interrupts that `sie` and `sip` show.
    fn supervisor_view(&self) -> u32 {
        self.config.quirks().supervisor_view(self.csrs.mideleg)
    }

    /// The part of a register's value that setting and clearing bits starts from, without the external input in `mip`.
    pub(crate) fn kept_by(&self, csr: u16, value: u32) -> u32 {
        let external = Interrupt::SupervisorExternal.bit();
        match csr {
            0x144 | 0x344 => value & !external | self.csrs.raised & external,
            _ => value,
        }
    }

    /// A debugger's view of a register in core cycle `now`, at any privilege; `None` if it cannot be read.
    pub fn look_csr(&self, csr: u16, now: u64) -> Option<u32> {
        let readable = !matches!(self.config.access(csr)?, Access::Write);
        readable.then(|| self.read_csr(csr, now))
    }

    /// Writes a register for a debugger. Only registers that traps or the program itself use can be written: the vectors, the trap state,
    /// and the scratch registers. Returns false for all others, whose effect on instructions under way is unknown.
    pub fn set_csr(&mut self, csr: u16, value: u32, now: u64) -> bool {
        // xtvec, xscratch, xepc, xcause, xtval of both modes.
        let held = matches!(csr, 0x105 | 0x140..=0x143 | 0x305 | 0x340..=0x343);
        let writable = matches!(self.config.access(csr), Some(Access::Write | Access::Both));
        if held && writable {
            self.write_csr(csr, value, now);
        }
        held && writable
    }

    /// The value of a register in core cycle `now`; 0 where there is none, or nothing to read.
    pub(crate) fn read_csr(&self, csr: u16, now: u64) -> u32 {
        let readable = matches!(
            self.config.access(csr),
            Some(Access::Read | Access::ReadOnly | Access::Both | Access::Fixed)
        );
        if !readable {
            return 0;
        }
        let csrs = &self.csrs;
        let cycle = csrs.cycle(now);
        // A core without traps counts an instruction when it begins: the one that reads, too.
        let counted = if csrs.inhibited & 1 << 2 == 0 {
            csrs.under_way.counted + u64::from(self.config.halts)
        } else {
            0
        };
        let retired = csrs.instret.wrapping_add(counted);
        match csr {
            0x100 => self.mstatus() & self.config.sstatus,
            0x104 => csrs.mie & self.supervisor_view(),
            0x105 => csrs.stvec,
            0x106 => csrs.scounteren,
            0x140 => csrs.sscratch,
            0x141 => csrs.sepc,
            0x142 => csrs.scause,
            0x143 => csrs.stval,
            0x144 => csrs.pending() & self.supervisor_view(),
            0x180 => csrs.satp,
            0x300 => self.mstatus(),
            0x301 => csrs.misa,
            0x302 => csrs.medeleg,
            0x303 => csrs.mideleg,
            0x304 => csrs.mie,
            0x305 => csrs.mtvec,
            0x306 => csrs.mcounteren,
            0x340 => csrs.mscratch,
            0x341 => csrs.mepc,
            0x342 => csrs.mcause,
            0x343 => csrs.mtval,
            0x344 => csrs.pending(),
            0x320 => csrs.inhibited,
            0x7c0 => csrs.control,
            0xb00 | 0xc00 | 0xc01 => cycle as u32,
            0xb80 | 0xc80 | 0xc81 => (cycle >> 32) as u32,
            0xb02 | 0xc02 => retired as u32,
            0xb82 | 0xc82 => (retired >> 32) as u32,
            0x3a0..=0x3bf => csrs.pmp.read(csr),
            0x9c0 => csrs.supervisor_mask,
            0xbc0 => csrs.external_mask,
            0xdc0 => csrs.external & csrs.supervisor_mask,
            0xfc0 => csrs.external & csrs.external_mask,
            0xcc0 => self.config.data_cache_info,
            0xf11 => self.config.ids[0],
            0xf12 => self.config.ids[1],
            0xf13 => self.config.ids[2],
            _ => 0,
        }
    }

    /// Writes a register in core cycle `now`; what is not there, or not writable, ignores it.
    pub(crate) fn write_csr(&mut self, csr: u16, value: u32, now: u64) {
        if !matches!(self.config.access(csr), Some(Access::Write | Access::Both)) {
            return;
        }
        let config = self.config;
        if config.quirks().write(self, csr, value, now) {
            return;
        }
        match csr {
            0x100 => self.set_mstatus(self.mstatus() & !config.sstatus | value & config.sstatus),
            0x104..=0x1ff => self.write_supervisor(csr, value),
            0x300 => self.set_mstatus(value),
            0x304 => self.csrs.mie = value & (MACHINE | if config.supervisor { SUPERVISOR } else { 0 }),
            0x344 => self.set_pending(value),
            0x3a0..=0x3bf => self.csrs.pmp.write(csr, value),
            0xb00..=0xbbf => self.write_counter(csr, value, now),
            _ => self.csrs.write_machine(csr, value, &config),
        }
    }

    /// Interrupts that a program raises and lowers: those of supervisor mode, and `VexRiscv`'s software interrupt.
    fn set_pending(&mut self, value: u32) {
        let csrs = &mut self.csrs;
        if let Some(written) = self.config.quirks().overwrites_inputs(value) {
            csrs.written_pending = Some(written);
        }
        if self.config.supervisor {
            csrs.raised = value & SUPERVISOR;
        }
    }

    fn write_supervisor(&mut self, csr: u16, value: u32) {
        let view = self.supervisor_view();
        let quirks = self.config.quirks();
        let csrs = &mut self.csrs;
        match csr {
            0x104 => csrs.mie = csrs.mie & !view | value & view & SUPERVISOR,
            0x105 => csrs.stvec = quirks.vector(csrs.stvec, value),
            0x106 => csrs.scounteren = value & COUNTERS,
            0x140 => csrs.sscratch = value,
            0x141 => csrs.sepc = return_address(value, &self.config),
            0x142 => csrs.scause = quirks.cause(value),
            0x143 => csrs.stval = value,
            0x144 => {
                let writable = quirks.raised_by_supervisor(view);
                csrs.raised = csrs.raised & !writable | value & writable;
            }
            0x180 => {
                csrs.satp = quirks.translation(value);
                if !self.config.flushes_late() {
                    self.mmu.flush();
                }
            }
            _ => {}
        }
    }

    fn write_counter(&mut self, csr: u16, value: u32, now: u64) {
        let (low, high) = (u64::from(value), u64::from(value) << 32);
        let csrs = &mut self.csrs;
        let cycle = now.wrapping_add(csrs.cycle_offset);
        match csr {
            0xb00 => csrs.cycle_offset = (cycle & !0xffff_ffff | low).wrapping_sub(now),
            0xb80 => csrs.cycle_offset = (cycle & 0xffff_ffff | high).wrapping_sub(now),
            0xb02 => csrs.instret = csrs.instret & !0xffff_ffff | low,
            0xb82 => csrs.instret = csrs.instret & 0xffff_ffff | high,
            _ => {}
        }
    }

    fn mstatus(&self) -> u32 {
        let status = &self.csrs.status;
        let bits = [
            (status.tsr, 22),
            (status.tw, 21),
            (status.tvm, 20),
            (status.mxr, 19),
            (status.sum, 18),
            (status.mprv, 17),
            (status.spp, 8),
            (status.mpie, 7),
            (status.spie, 5),
            (status.mie, 3),
            (status.sie, 1),
        ];
        let set = |value, (set, place): (bool, u32)| value | u32::from(set) << place;
        let flags = bits.into_iter().fold(0, set);
        (u32::from(status.mpp) << 11 | flags) & self.config.mstatus
    }

    fn set_mstatus(&mut self, value: u32) {
        let there = value & self.config.mstatus;
        let mpp = (there >> 11) as u8 & 3;
        let exists = match mpp {
            0 => self.config.user,
            1 => self.config.supervisor,
            other => other == 3,
        };
        let status = &mut self.csrs.status;
        let bit = |place: u32| there >> place & 1 != 0;
        (status.tsr, status.tw, status.tvm) = (bit(22), bit(21), bit(20));
        (status.mxr, status.sum, status.mprv) = (bit(19), bit(18), bit(17));
        (status.mpie, status.mie) = (bit(7), bit(3));
        (status.spp, status.spie, status.sie) = (bit(8), bit(5), bit(1));
        if self.config.quirks().takes_mode(exists) {
            status.mpp = mpp;
        }
    }
}

impl Csrs {
    /// The registers of machine mode that only hold a value.
    fn write_machine(&mut self, csr: u16, value: u32, config: &Config) {
        let quirks = config.quirks();
        match csr {
            0x301 => self.misa = value & 0xc3ff_ffff,
            0x302 => self.medeleg = value & config.medeleg,
            0x303 => self.mideleg = value & config.mideleg,
            0x305 => self.mtvec = quirks.vector(self.mtvec, value),
            0x306 => self.mcounteren = value & COUNTERS,
            0x340 => self.mscratch = value,
            0x341 => self.mepc = return_address(value, config),
            0x342 => self.mcause = quirks.cause(value),
            0x343 => self.mtval = value,
            0x9c0 => self.supervisor_mask = value,
            0xbc0 => self.external_mask = value,
            _ => {}
        }
    }
}

/// `mepc` and `sepc`.
fn return_address(value: u32, config: &Config) -> u32 {
    config
        .quirks()
        .return_address(value, config.isa.has(Extension::C))
}
