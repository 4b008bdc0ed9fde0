//! Fixed properties of a core; each core's configuration is in a file of its name.

pub mod aquila;
pub mod ibex;
pub mod manual;
pub mod picorv32;
pub mod vexriscv;

use isa_rv32::{DecodeError, Extension, Insn, Isa, Op, Reason, decode, length};

use crate::reserved;
use crate::trap::Privilege;

/// A program's access to a control and status register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Only read it; a write alone is illegal, one that reads as well is ignored.
    Read,
    /// Only read it; any write is illegal.
    ReadOnly,
    /// Only write it: it reads as 0, and a read alone is illegal.
    Write,
    /// Reads and writes.
    Both,
    /// Both, but what is written is ignored.
    Fixed,
}

/// The pipeline of a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// `VexRiscv` without caches, bypasses and prediction.
    Simple,
    /// With an instruction cache, bypasses and static prediction.
    Lite,
    /// With a data cache too, a multiplier and a shifter that are pipelined.
    Cached,
    /// With compressed instructions too.
    Compressed,
    /// `VexRiscv` of an older generator, with set-associative caches and two more fetch stages.
    Precursor,
    /// `PicoRV32`: one instruction after the other.
    PicoRv32,
    /// Ibex with two stages.
    Ibex,
    /// With a write-back stage and an adder for branch targets.
    IbexWriteBack,
}

/// Whose registers a core has, where the ISA leaves it open which of their bits there are, and what becomes of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// `VexRiscv`: fields keep whatever a program writes, and lower modes see bits that delegation withholds from them.
    VexRiscv,
    /// Ibex's own choices.
    Ibex,
    /// The privileged ISA manual, with what QEMU's generic cores choose.
    Manual,
}

/// Physical memory protection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    /// No protection.
    None,
    /// `VexRiscv`'s `PmpPlugin`: 16 entries without order ([`crate::pmp`]).
    VexRiscv,
    /// As in the manual, with this number of entries.
    Manual(u8),
}

/// Address translation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Translation {
    /// No translation.
    None,
    /// `VexRiscv`'s `MmuPlugin`: Sv32 without accessed and dirty bits ([`crate::mmu`]).
    VexRiscv,
    /// Sv32 as the manual says; accessed and dirty bits are set by the core.
    Sv32,
}

/// The configuration of a core.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is an option of the generator
pub struct Config {
    /// As results show it.
    pub name: &'static str,
    /// Its pipeline; `None` if it is only known what its instructions do.
    pub timing: Option<Timing>,
    /// Whose registers it has.
    pub family: Family,
    /// Its instruction set.
    pub isa: Isa,
    /// Its control and status registers, by number.
    pub csrs: &'static [(u16, Access)],
    /// Whether using a register that is not there, or not in this way, traps; else it reads as 0.
    pub checks_csrs: bool,
    /// Whether it has supervisor mode.
    pub supervisor: bool,
    /// Whether it has user mode; without, `mstatus.MPP` is just two bits.
    pub user: bool,
    /// Whether encodings that the ISA reserves are executed as if they were not, as [`crate::reserved`] says; else they trap.
    pub expands_reserved: bool,
    /// Whether EBREAK traps as a breakpoint; else it is an illegal instruction.
    pub breakpoints: bool,
    /// Whether `mtval` holds the instruction after ECALL and EBREAK; else 0.
    pub tells_calls: bool,
    /// Whether interrupts can have a handler each.
    pub vectored: bool,
    /// Whether WFI waits; else it does nothing.
    pub waits: bool,
    /// Whether it makes a misaligned load or store as several accesses; else that is an exception.
    pub splits: bool,
    /// Physical memory protection.
    pub protection: Protection,
    /// Address translation.
    pub translation: Translation,
    /// The bits of `mstatus` that there are.
    pub mstatus: u32,
    /// The bits that `sstatus` shows.
    pub sstatus: u32,
    /// Interrupts that can be delegated to supervisor mode.
    pub mideleg: u32,
    /// Exceptions that can be delegated to supervisor mode.
    pub medeleg: u32,
    /// Whether SC.W succeeds at any address after LR.W; else only at the one that was reserved.
    pub reserves_any: bool,
    /// Whether only traps and returns from them end what LR.W reserved; else SC.W does.
    pub keeps_reservation: bool,
    /// Whether a fetch from where nothing is traps, as a bus that answers with an error makes it; else the run stops.
    pub refuses_fetch: bool,
    /// Bits of the address of its first instruction that are not free: which, and what they are.
    pub first: (u32, u32),
    /// The lowest privilege, which MRET leaves in `mstatus.MPP`.
    pub lowest: Privilege,
    /// Whether it has no traps: an exception halts it for ever, and its only system instructions are RDCYCLE, RDTIME and RDINSTRET.
    pub halts: bool,
    /// Reset value of `misa`.
    pub misa: u32,
    /// `mvendorid`, `marchid`, `mimpid`.
    pub ids: [u32; 3],
    /// `VexRiscv`'s register 0xcc0: the data cache's size and line.
    pub data_cache_info: u32,
    /// A bit for each 256 MiB of the address space that its data cache leaves alone.
    pub uncached: u16,
    /// Ways of 4 KiB of its caches, of instructions and of data: powers of two. More than one with [`Timing::Precursor`] only.
    pub ways: [u8; 2],
}

impl Protection {
    /// Whether `pmpcfg0` and so on (0x3a0) or `pmpaddr0` and so on (0x3b0) is there. `VexRiscv` looks at the last two bits of
    /// a `pmpcfg`'s number only.
    fn has_register(self, csr: u16) -> bool {
        let place = csr & 15;
        match self {
            Protection::None => false,
            Protection::VexRiscv => true,
            Protection::Manual(entries) => {
                let (each, entries) = (if csr & 16 == 0 { 4 } else { 1 }, u16::from(entries));
                place * each < entries
            }
        }
    }
}

/// The instructions that most cores have.
const IM: Isa = RV32I.with(Extension::M);
const RV32I: Isa = Isa::RV32I.with(Extension::Zicsr).with(Extension::Zifencei);

impl Config {
    /// The defaults of most cores: machine mode alone, as in the privileged ISA.
    const fn new(
        name: &'static str,
        family: Family,
        isa: Isa,
        csrs: &'static [(u16, Access)],
        timing: Timing,
    ) -> Config {
        Config {
            name,
            timing: Some(timing),
            family,
            isa,
            csrs,
            checks_csrs: true,
            supervisor: false,
            user: false,
            expands_reserved: false,
            breakpoints: true,
            tells_calls: false,
            vectored: false,
            waits: true,
            splits: false,
            protection: Protection::None,
            translation: Translation::None,
            mstatus: 0x1888,
            sstatus: 0,
            mideleg: 0,
            medeleg: 0,
            reserves_any: false,
            keeps_reservation: false,
            refuses_fetch: false,
            first: (3, 0),
            lowest: Privilege::User,
            halts: false,
            misa: 0,
            ids: [0; 3],
            data_cache_info: 0,
            uncached: 0xff00,
            ways: [1, 1],
        }
    }

    /// Whether SFENCE.VMA takes effect when it leaves the pipeline. Younger instructions under way then keep their translations, and a
    /// write of `satp` does not flush any.
    pub(crate) const fn flushes_late(&self) -> bool {
        matches!(self.timing, Some(Timing::Precursor))
    }

    /// Whether what a page refuses counts before that an address is misaligned.
    pub(crate) const fn asks_page_first(&self) -> bool {
        matches!(self.timing, Some(Timing::Precursor))
    }

    /// Whether its first instruction can be at this address.
    pub const fn can_begin_at(&self, address: u32) -> bool {
        let (mask, value) = self.first;
        address & mask == value
    }

    /// The instruction that these bits are on this core.
    ///
    /// # Errors
    /// When they are none.
    pub fn decode(&self, raw: u32) -> Result<Insn, DecodeError> {
        let insn = match decode(raw, self.isa) {
            Err(_) if raw == SRET && self.family == Family::VexRiscv && !self.halts => {
                decode(raw, self.isa.with(Extension::Supervisor))?
            }
            Err(error) if self.expands_reserved => self.expanded(raw).ok_or(error)?,
            decoded => decoded?,
        };
        if self.halts && is_of_system(&insn) && !self.reads_counter(&insn) {
            return Err(DecodeError {
                raw: insn.raw,
                size: insn.size,
                reason: Reason::Reserved,
            });
        }
        Ok(insn)
    }

    /// Whether instructions and data come through the same port.
    pub const fn has_one_port(&self) -> bool {
        matches!(self.timing, Some(Timing::PicoRv32))
    }

    /// The bits of an address that the fetch looks at: of what `mepc` and `sepc` hold beside them a return sees nothing.
    pub(crate) const fn fetched(&self) -> u32 {
        if self.isa.has(Extension::C) { !1 } else { !3 }
    }

    /// Whether it is known what the core fetches in which cycle: [`events::Event::Fetch`].
    pub const fn announces_fetch(&self) -> bool {
        self.timing.is_some()
    }

    /// Whether it announces the words that it requests from its bus. Ibex's request follows from the bus's answer in the same cycle, so
    /// that no register holds the address of an instruction before the word has arrived.
    pub const fn fetches_words(&self) -> bool {
        matches!(self.timing, Some(Timing::Ibex | Timing::IbexWriteBack))
    }

    /// An encoding that the ISA reserves.
    fn expanded(&self, raw: u32) -> Option<Insn> {
        let size = length(raw as u16);
        let (raw, meant) = if reserved::empties_data(raw) && !self.has_data_cache() {
            return None;
        } else if size == 4 {
            (raw, reserved::wide(raw)?)
        } else if self.isa.has(Extension::C) {
            (raw & 0xffff, reserved::expanded(raw as u16)?)
        } else {
            return None;
        };
        let insn = decode(meant, self.isa).ok()?;
        Some(Insn { raw, size, ..insn })
    }

    /// Whether it is one of the instructions for AES that Precursor's core has (`AesPlugin`), which are not modelled.
    pub fn is_for_aes(&self, raw: u32) -> bool {
        self.timing == Some(Timing::Precursor) && raw & 0x707f == CUSTOM_0
    }

    /// The name of an instruction for `PicoRV32`'s own interrupts, which it is built without (`ENABLE_IRQ`).
    pub fn unbuilt(&self, raw: u32) -> Option<&'static str> {
        const NAMES: [&str; 6] = ["getq", "setq", "retirq", "maskirq", "waitirq", "timer"];
        let custom = self.timing == Some(Timing::PicoRv32) && raw & 0x7f == CUSTOM_0;
        NAMES.get((raw >> 25) as usize).copied().filter(|_| custom)
    }

    /// Whether it has `VexRiscv`'s data cache, whose size a register shows.
    fn has_data_cache(&self) -> bool {
        self.access(0xcc0).is_some()
    }

    /// RDCYCLE, RDTIME or RDINSTRET, or their upper halves.
    fn reads_counter(&self, insn: &Insn) -> bool {
        insn.op == Op::Csrrs && insn.rs1.0 == 0 && self.access(insn.csr).is_some()
    }

    /// Whether the data cache leaves an address alone.
    pub(crate) fn leaves_alone(&self, address: u32) -> bool {
        self.uncached >> (address >> 28) & 1 != 0
    }

    /// A program's access to a register; `None` if the register does not exist.
    pub fn access(&self, csr: u16) -> Option<Access> {
        if csr >> 5 == 0x3a0 >> 5 {
            return self.protection.has_register(csr).then_some(Access::Both);
        }
        if self.family == Family::Manual && counts_events(csr) {
            let is_for_users = csr >> 10 == 3;
            return Some(if is_for_users {
                Access::ReadOnly
            } else {
                Access::Fixed
            });
        }
        let place = self.csrs.binary_search_by_key(&csr, |&(number, _)| number).ok()?;
        Some(self.csrs[place].1)
    }
}

/// Whether a register counts events, chooses them, or stops counters: each may be 0 whatever is written to it (privileged ISA manual
/// 3.1.10 and 3.1.12).
fn counts_events(csr: u16) -> bool {
    matches!(
        csr,
        0x320 | 0x323..=0x33f | 0xb03..=0xb1f | 0xb83..=0xb9f | 0xc03..=0xc1f | 0xc83..=0xc9f
    )
}

/// An opcode that the ISA leaves to the core.
const CUSTOM_0: u32 = 0b000_1011;

/// To `VexRiscv` this and MRET are one instruction, whose privilege is looked at when it is executed.
const SRET: u32 = 0x1020_0073;

/// An instruction for the system that a core without traps need not have.
fn is_of_system(insn: &Insn) -> bool {
    insn.is_csr() || matches!(insn.op, Op::Mret | Op::Sret | Op::Wfi | Op::SfenceVma)
}
