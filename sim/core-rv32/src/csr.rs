//! Control and status registers (privileged ISA manual, chapters 2 to 4).
//!
//! A register holds only the bits that the core has; what a program cannot see is not there.

mod ibex;

use crate::config::{Access, Family};
use crate::core::Core;
use crate::trap::{Interrupt, Privilege};

/// The fields of `mstatus` and `sstatus`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a bit of the register
pub struct Status {
    /// Interrupts to machine mode are enabled.
    pub mie: bool,
    /// What it was before the trap.
    pub mpie: bool,
    /// The privilege before the trap to machine mode, two bits: a program can also write the reserved 2.
    pub mpp: u8,
    /// Interrupts to supervisor mode are enabled.
    pub sie: bool,
    /// What it was before the trap.
    pub spie: bool,
    /// Whether the trap to supervisor mode came from there.
    pub spp: bool,
    /// Loads and stores are made at the privilege before the trap.
    pub mprv: bool,
    /// WFI is illegal below machine mode.
    pub tw: bool,
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
pub(crate) struct UnderWay {
    /// A read of `minstret` counts so many.
    pub counted: u64,
    /// A write to it keeps so many from being counted.
    pub swallowed: u64,
}

/// The registers.
#[derive(Clone, Debug)]
pub struct Csrs {
    /// `mstatus`.
    pub status: Status,
    /// `mie`.
    pub mie: u32,
    /// The bits of `mip` that a program wrote, over which the inputs come again a cycle later.
    pub written_pending: Option<u32>,
    /// `mip` as the inputs set it: [`crate::Hart`] keeps it, one cycle behind them.
    pub input_pending: u32,
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
    /// What a program wrote to `mcycle`, less the cycle at that time.
    pub cycle_offset: u64,
    /// Instructions retired, as `minstret` counts them.
    pub instret: u64,
    /// `mcountinhibit`: bit 0 `mcycle`, bit 2 `minstret`.
    pub inhibited: u32,
    /// `mcycle` while it stands still.
    pub stopped_cycle: u64,
    /// Ibex's `cpuctrlsts`: bit 6, an exception was taken and not returned from; bit 7, and another in between.
    pub control: u32,
    /// What a timed core has under way.
    pub(crate) under_way: UnderWay,
    /// `VexRiscv`'s mask of the 32 external interrupts.
    pub external_mask: u32,
    /// The levels of the 32 external interrupts.
    pub external: u32,
}

/// Bits of `mie` and `mip`.
const MACHINE: u32 =
    Interrupt::MachineSoftware.bit() | Interrupt::MachineTimer.bit() | Interrupt::MachineExternal.bit();

/// The bits of `mip` that a program can write.
pub(crate) const WRITABLE_PENDING: u32 = Interrupt::MachineSoftware.bit();

/// The bits of a cause: whether it is an interrupt, and four of its code.
const CAUSE: u32 = 0x8000_000f;

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
                tw: false,
            },
            mie: 0,
            written_pending: None,
            input_pending: 0,
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
            cycle_offset: 0,
            instret: 0,
            inhibited: 0,
            stopped_cycle: 0,
            control: 0,
            under_way: UnderWay::default(),
            external_mask: 0,
            external: 0,
        }
    }

    /// `mip`.
    pub fn pending(&self) -> u32 {
        self.input_pending
    }
}

/// What a CSR instruction does with a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Use {
    pub reads: bool,
    pub writes: bool,
}

impl Core {
    /// Whether an instruction may use this register so, at this privilege.
    pub(crate) fn may_use(&self, csr: u16, what: Use) -> bool {
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
        used_well && self.privilege as u16 >= lowest
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
            0x300 => self.mstatus(),
            0x301 => csrs.misa,
            0x304 => csrs.mie,
            0x305 => csrs.mtvec,
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
            0xbc0 => csrs.external_mask,
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
        if self.config.family == Family::Ibex {
            return self.write_ibex_csr(csr, value, now);
        }
        let (low, high) = (u64::from(value), u64::from(value) << 32);
        let csrs = &mut self.csrs;
        let cycle = now.wrapping_add(csrs.cycle_offset);
        match csr {
            0x300 => self.set_mstatus(value),
            0x301 => csrs.misa = value & 0xc3ff_ffff,
            0x304 => csrs.mie = value & MACHINE,
            0x305 => csrs.mtvec = value,
            0x340 => csrs.mscratch = value,
            0x341 => csrs.mepc = value,
            0x342 => csrs.mcause = value & CAUSE,
            0x343 => csrs.mtval = value,
            0x344 => csrs.written_pending = Some(value & WRITABLE_PENDING),
            0xb00 => csrs.cycle_offset = (cycle & !0xffff_ffff | low).wrapping_sub(now),
            0xb80 => csrs.cycle_offset = (cycle & 0xffff_ffff | high).wrapping_sub(now),
            0xb02 => csrs.instret = csrs.instret & !0xffff_ffff | low,
            0xb82 => csrs.instret = csrs.instret & 0xffff_ffff | high,
            0xbc0 => csrs.external_mask = value,
            _ => {}
        }
    }

    fn mstatus(&self) -> u32 {
        let status = &self.csrs.status;
        let bit = |set: bool, place: u32| u32::from(set) << place;
        bit(status.tw, 21)
            | bit(status.mprv, 17)
            | u32::from(status.mpp) << 11
            | bit(status.mpie, 7)
            | bit(status.mie, 3)
    }

    fn set_mstatus(&mut self, value: u32) {
        let status = &mut self.csrs.status;
        let bit = |place: u32| value >> place & 1 != 0;
        (status.mpie, status.mie) = (bit(7), bit(3));
        status.mpp = (value >> 11) as u8 & 3;
    }
}
