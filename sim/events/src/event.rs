//! Everything that a run announces, in one list.

use crate::cost::{Costs, Window};
use crate::rule::RuleSet;

/// What masks interrupts: a special-purpose register of a Cortex-M, or the status register of RV32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mask {
    /// PRIMASK: 1 masks every configurable exception.
    Primask,
    /// FAULTMASK: 1 masks all but NMI.
    Faultmask,
    /// BASEPRI: masks this priority and the less urgent ones; 0 masks nothing.
    Basepri,
    /// The bit MIE (SIE in supervisor mode) of RV32's status register, which the program cleared: 1 masks every interrupt that is
    /// handled in that mode. What a trap masks until it returns is no change, nor is what is masked at reset.
    Mie,
}

/// How an exception's handler was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntryKind {
    /// From thread or handler code, with stacking.
    Preempt,
    /// From another handler's end, without unstacking and stacking.
    TailChain,
    /// It arrived during the stacking for a less urgent one, and took its place.
    LateArrival,
}

/// An instruction was executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retire {
    /// The cycles that are its own: from the end of what came before it to where the next instruction can start, its refill
    /// included if it jumped. None where it was hidden behind another instruction.
    pub at: Window,
    /// When it started to execute. A Cortex-M may start it before its window begins (in the last cycle of a load before it),
    /// or later in it (it had to wait). An RV32 instruction is announced when it retires, which is the last cycle of its
    /// window.
    pub issued: u64,
    /// Its address.
    pub pc: u32,
    /// Its encoding, the first halfword in the upper half if it has two.
    pub raw: u32,
    /// Its length in bytes.
    pub size: u8,
    /// Stack pointer before it.
    pub sp_before: u32,
    /// Stack pointer behind it.
    pub sp: u32,
    /// Link register (LR, `ra`) before it: where a function returns to, at its first instruction.
    pub link: u32,
    /// The alternate link register of RV32 (`t0`) before it, by which some functions return; 0 on a Cortex-M.
    pub alternate_link: u32,
    /// The rules that decided what came between the event before and this instruction's window: those of the
    /// instructions that were not told of.
    pub since: RuleSet,
    /// The rules that decided what it cost, those by which it cost nothing included.
    pub rules: RuleSet,
    /// What its cycles went to; they add up to its window's length.
    pub costs: Costs,
}

/// An instruction that was executed, for a sink that asks for no more than this ([`crate::Interest::steps`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<'a> {
    /// As [`Retire::at`].
    pub at: Window,
    /// Its address.
    pub pc: u32,
    /// As [`Retire::raw`].
    pub raw: u32,
    /// Its length in bytes.
    pub size: u8,
    /// Stack pointer before it.
    pub sp_before: u32,
    /// Stack pointer behind it.
    pub sp: u32,
    /// As [`Retire::costs`].
    pub costs: &'a Costs,
}

impl Retire {
    /// What a sink hears that asks for no more.
    pub const fn step(&self) -> Step<'_> {
        Step {
            at: self.at,
            pc: self.pc,
            raw: self.raw,
            size: self.size,
            sp_before: self.sp_before,
            sp: self.sp,
            costs: &self.costs,
        }
    }
}

/// The core left what it did and entered an exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Enter {
    /// From the end of what came before it to the start of the handler's first instruction.
    pub at: Window,
    /// When the exception was recognised. The cycles of the window before it the core still waited, or spent on an
    /// instruction that it gave up for the exception.
    pub recognised: u64,
    /// Exception number.
    pub number: u16,
    /// How it was reached.
    pub kind: EntryKind,
    /// Address that will be returned to.
    pub return_address: u32,
    /// The handler's address.
    pub handler: u32,
    /// Its group priority on a Cortex-M: less is more urgent, three are below 0. `None` where there are no priorities.
    pub priority: Option<i16>,
    /// Stack pointer of the handler's first instruction.
    pub sp: u32,
    /// As [`Retire::since`].
    pub since: RuleSet,
    /// As [`Retire::rules`].
    pub rules: RuleSet,
    /// As [`Retire::costs`].
    pub costs: Costs,
}

/// An exception return was executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exit {
    /// From the end of the returning instruction to the start of the next one, or to where the entry into a tail-chained
    /// handler begins.
    pub at: Window,
    /// First cycle of the returning instruction.
    pub began: u64,
    /// The exception that ended.
    pub number: u16,
    /// Where execution goes on.
    pub to: u32,
    /// Stack pointer there.
    pub sp: u32,
    /// As [`Retire::since`].
    pub since: RuleSet,
    /// As [`Retire::rules`].
    pub rules: RuleSet,
    /// As [`Retire::costs`].
    pub costs: Costs,
}

/// A load or store of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// When it was executed.
    pub cycle: u64,
    /// The instruction's address.
    pub pc: u32,
    /// The address read or written.
    pub address: u32,
    /// 1, 2 or 4 bytes.
    pub size: u8,
    /// The value, zero-extended.
    pub value: u32,
    /// Stack pointer before the instruction.
    pub sp: u32,
    /// As [`Retire::since`].
    pub since: RuleSet,
}

impl Access {
    /// As an event.
    pub const fn event(self, writes: bool) -> Event {
        let Access {
            cycle,
            pc,
            address,
            size,
            value,
            sp,
            since,
        } = self;
        if writes {
            Event::Write {
                cycle,
                pc,
                address,
                size,
                value,
                sp,
                since,
            }
        } else {
            Event::Read {
                cycle,
                pc,
                address,
                size,
                value,
                sp,
                since,
            }
        }
    }
}

/// What happened, and when. Cycles are core clocks since reset, as a counter that never wraps would show them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// An instruction was executed.
    Retire(Retire),
    /// An exception was entered.
    Enter(Enter),
    /// An exception's handler returned.
    Exit(Exit),
    /// The core fetches from another address than in the cycle before, whether what is there will be executed or not: the
    /// register that holds the address of the fetch has another value. Or, where no register does (Ibex), the bus grants it a
    /// word.
    Fetch {
        /// First cycle in which the register has this value, or the cycle of the grant.
        cycle: u64,
        /// The value, or the address of the word.
        pc: u32,
    },
    /// The program wrote to memory or to a peripheral; or the core did so by itself, when it pushed the frame of an exception or saved
    /// floating-point registers late. Each word of a frame is one such event.
    Write {
        /// When the store was executed; of a frame, when the exception was recognised.
        cycle: u64,
        /// The store's address; where the core stored by itself, that of the instruction before which it did.
        pc: u32,
        /// The address written.
        address: u32,
        /// 1, 2 or 4 bytes.
        size: u8,
        /// The value, zero-extended.
        value: u32,
        /// Stack pointer before its instruction.
        sp: u32,
        /// As [`Retire::since`].
        since: RuleSet,
    },
    /// The program read memory or a peripheral as data.
    Read {
        /// When the load was executed.
        cycle: u64,
        /// The load's address.
        pc: u32,
        /// The address read.
        address: u32,
        /// 1, 2 or 4 bytes.
        size: u8,
        /// The value, zero-extended.
        value: u32,
        /// Stack pointer before its instruction.
        sp: u32,
        /// As [`Retire::since`].
        since: RuleSet,
    },
    /// PRIMASK, FAULTMASK or BASEPRI took another value, or an RV32 program masked interrupts or let them in again.
    MaskChange {
        /// When.
        cycle: u64,
        /// Address of the instruction, or of the handler for a change by exception exit.
        pc: u32,
        /// Which register.
        mask: Mask,
        /// Before.
        old: u8,
        /// After.
        new: u8,
        /// The priority to which all three together lift what executes: -1, 0, that of BASEPRI; 256 if they mask nothing, and on RV32, which has no
        /// priorities.
        lifts: i16,
    },
    /// An interrupt input of the core, or one of its own exceptions, was driven from outside the program.
    Input {
        /// When its edge came.
        cycle: u64,
        /// Exception number.
        number: u16,
        /// The level that it has now.
        level: bool,
        /// As [`Retire::since`], of what started before the edge.
        since: RuleSet,
    },
    /// The interrupt line of a peripheral changed its level.
    Line {
        /// When the core sampled it.
        cycle: u64,
        /// Exception number.
        number: u16,
        /// The level that it has now.
        level: bool,
    },
    /// A pin of a port has another level.
    Pin {
        /// When.
        cycle: u64,
        /// The port: its place among the board's peripherals.
        port: u8,
        /// The pin, from 0.
        pin: u8,
        /// The level that it has now.
        level: bool,
    },
    /// The core's clock has another frequency.
    Clock {
        /// From when on.
        cycle: u64,
        /// In Hz.
        hz: u32,
    },
    /// Another context goes on: an exception return installed another stack pointer than the entry found.
    Switch {
        /// When.
        cycle: u64,
        /// Address of the instruction that did it.
        pc: u32,
        /// The stack pointer with which the other context was left.
        left: u32,
        /// The stack pointer that was installed.
        sp: u32,
    },
    /// A semihosting request.
    Semihosting {
        /// The cycles that the core waited for its BKPT or EBREAK; the request itself takes none.
        at: Window,
        /// Its address.
        pc: u32,
        /// Operation number (R0, a0).
        operation: u32,
        /// Parameter (R1, a1).
        parameter: u32,
        /// What the cycles went to.
        costs: Costs,
    },
    /// A BKPT or EBREAK was reached: an attached debugger reads its counters here, and the core waits.
    Breakpoint {
        /// The cycles that the core waited for it; it is met at their end.
        at: Window,
        /// Its address.
        pc: u32,
        /// Its immediate; 0 of an EBREAK.
        imm: u8,
        /// Stack pointer.
        sp: u32,
        /// As [`Retire::since`].
        since: RuleSet,
        /// What the cycles went to.
        costs: Costs,
    },
    /// The chip was reset. All that the program was in is left: calls, handlers, threads.
    Reset {
        /// The cycles that the core still waited, or spent on an instruction that it gave up; it is reset at their end.
        at: Window,
        /// What the cycles went to.
        costs: Costs,
    },
    /// The core slept (WFI, WFE or sleep-on-exit).
    Sleep {
        /// From falling asleep to waking up, or a part of that: where a run is cut while the core sleeps, so is its sleep.
        at: Window,
        /// What the cycles went to.
        costs: Costs,
    },
    /// The program put out a byte. It is told behind the request of the host, or when a device has sent it: behind a store, a transfer
    /// by DMA, or what else made it do so.
    Text {
        /// When it is told: where the next instruction can start.
        cycle: u64,
        /// Whether it is meant for standard error.
        error: bool,
        /// The byte.
        byte: u8,
    },
}

impl Event {
    /// The cycle at which it happened (or began).
    pub const fn cycle(&self) -> u64 {
        match self {
            Event::Retire(retire) => retire.issued,
            Event::Enter(enter) => enter.recognised,
            Event::Exit(exit) => exit.began,
            Event::Semihosting { at, .. } | Event::Breakpoint { at, .. } | Event::Reset { at, .. } => at.to,
            Event::Sleep { at, .. } => at.from,
            Event::Fetch { cycle, .. }
            | Event::Write { cycle, .. }
            | Event::Read { cycle, .. }
            | Event::MaskChange { cycle, .. }
            | Event::Input { cycle, .. }
            | Event::Line { cycle, .. }
            | Event::Pin { cycle, .. }
            | Event::Clock { cycle, .. }
            | Event::Switch { cycle, .. }
            | Event::Text { cycle, .. } => *cycle,
        }
    }

    /// Its window, and what that went to, if it is one of those that tile the run.
    pub const fn window(&self) -> Option<(Window, &Costs)> {
        match self {
            Event::Retire(Retire { at, costs, .. })
            | Event::Enter(Enter { at, costs, .. })
            | Event::Exit(Exit { at, costs, .. })
            | Event::Semihosting { at, costs, .. }
            | Event::Breakpoint { at, costs, .. }
            | Event::Reset { at, costs }
            | Event::Sleep { at, costs } => Some((*at, costs)),
            _ => None,
        }
    }
}
