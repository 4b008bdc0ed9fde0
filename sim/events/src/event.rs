//! Every event that a run emits.

use crate::cost::{Costs, Window};
use crate::exception::Exception;
use crate::rule::RuleSet;

/// An interrupt mask: a special-purpose register of a Cortex-M, or the status register of RV32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mask {
    /// PRIMASK: 1 masks every configurable exception.
    Primask,
    /// FAULTMASK: 1 masks all but NMI.
    Faultmask,
    /// BASEPRI: masks this priority and the less urgent ones; 0 masks nothing.
    Basepri,
    /// MIE (SIE in supervisor mode) of RV32's status register, inverted: 1 masks every interrupt that the mode handles. Only the
    /// program's changes are reported, neither a trap's masking until it returns nor the mask at reset.
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
    /// The cycles attributed to it: from the end of the previous event to where the next instruction can start, including the refill
    /// after a jump. Empty if another instruction hides it.
    pub at: Window,
    /// When it started to execute. On a Cortex-M that may be before its window (in the last cycle of a preceding load) or later in it
    /// (after a wait). An RV32 instruction is reported when it retires, in the last cycle of its window.
    pub issued: u64,
    /// Its address.
    pub pc: u32,
    /// Its encoding, the first halfword in the upper half if it has two.
    pub raw: u32,
    /// Length in bytes.
    pub size: u8,
    /// Stack pointer before it.
    pub sp_before: u32,
    /// Stack pointer after it.
    pub sp: u32,
    /// Link register (LR, `ra`) before it. At a function's first instruction this is the return address.
    pub link: u32,
    /// The alternate link register of RV32 (`t0`) before it, by which some functions return; 0 on a Cortex-M.
    pub alternate_link: u32,
    /// The rules that decided what happened between the previous event and this window: those of the instructions that were not reported.
    pub since: RuleSet,
    /// The rules that decided its cost, including those by which it cost nothing.
    pub rules: RuleSet,
    /// Its cycles by rule; the sum is the window's length.
    pub costs: Costs,
}

/// The reduced form of [`Retire`] for a sink that sets [`crate::Interest::steps`].
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
    /// Stack pointer after it.
    pub sp: u32,
    /// As [`Retire::costs`].
    pub costs: &'a Costs,
}

impl Retire {
    /// The reduced form of this event.
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

/// The core entered an exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Enter {
    /// From the end of the previous event to the start of the handler's first instruction.
    pub at: Window,
    /// When the exception was recognised. Until then the core waited, or worked on an instruction that it then abandoned.
    pub recognised: u64,
    /// The exception.
    pub exception: Exception,
    /// How it was reached.
    pub kind: EntryKind,
    /// Return address.
    pub return_address: u32,
    /// The handler's address.
    pub handler: u32,
    /// Its group priority on a Cortex-M: less is more urgent, and three fixed ones are below 0. `None` if the core has no priorities.
    pub priority: Option<i16>,
    /// Stack pointer at the handler's first instruction.
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
    /// From the end of the returning instruction to the start of the next one, or to where entry into a tail-chained handler begins.
    pub at: Window,
    /// First cycle of the returning instruction.
    pub began: u64,
    /// The exception that ended.
    pub exception: Exception,
    /// Address at which execution continues.
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
    /// Cycle of execution.
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
    /// Converts it to [`Event::Write`] or [`Event::Read`].
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

/// An event of a run. Cycles are core clocks since reset, counted without wrapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// An instruction was executed.
    Retire(Retire),
    /// The core entered an exception.
    Enter(Enter),
    /// An exception's handler returned.
    Exit(Exit),
    /// The fetch address changed, whether or not the fetched code will execute: the fetch address register took a new value. On a core
    /// without that register (Ibex), the bus granted a word.
    Fetch {
        /// First cycle with the new value, or the cycle of the grant.
        cycle: u64,
        /// The new value, or the address of the word.
        pc: u32,
    },
    /// A store to memory or to a peripheral: by the program, or by the core when it pushes an exception frame or lazily saves
    /// floating-point registers. Each word of a frame is one event.
    Write {
        /// When the store was executed; for a frame, when the exception was recognised.
        cycle: u64,
        /// The store's address; for a store by the core itself, the address of the next instruction.
        pc: u32,
        /// The address written.
        address: u32,
        /// 1, 2 or 4 bytes.
        size: u8,
        /// The value, zero-extended.
        value: u32,
        /// Stack pointer before the instruction.
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
        /// Stack pointer before the instruction.
        sp: u32,
        /// As [`Retire::since`].
        since: RuleSet,
    },
    /// PRIMASK, FAULTMASK or BASEPRI changed, or an RV32 program masked or unmasked interrupts.
    MaskChange {
        /// Cycle of the change.
        cycle: u64,
        /// Address of the instruction, or of the handler if an exception exit made the change.
        pc: u32,
        /// Which register.
        mask: Mask,
        /// Value before.
        old: u8,
        /// Value after.
        new: u8,
        /// The execution priority that the three masks together give: -1, 0, or that of BASEPRI. 256 if they mask nothing, and on RV32,
        /// which has no priorities.
        lifts: i16,
    },
    /// An interrupt input of the core, or one of its own exceptions, was driven from outside the program.
    Input {
        /// Cycle of the edge.
        cycle: u64,
        /// The exception that it requests.
        exception: Exception,
        /// The new level.
        level: bool,
        /// As [`Retire::since`], for what started before the edge.
        since: RuleSet,
    },
    /// A peripheral's interrupt line changed level.
    Line {
        /// When the core sampled it.
        cycle: u64,
        /// The exception that it requests.
        exception: Exception,
        /// The new level.
        level: bool,
    },
    /// A port pin changed level.
    Pin {
        /// Cycle of the change.
        cycle: u64,
        /// The port's index among the board's peripherals.
        port: u8,
        /// The pin, from 0.
        pin: u8,
        /// The new level.
        level: bool,
    },
    /// The core's clock frequency changed.
    Clock {
        /// First cycle with the new frequency.
        cycle: u64,
        /// New frequency in Hz.
        hz: u32,
    },
    /// A context switch: an exception return installed a stack pointer other than the one that its entry saved.
    Switch {
        /// Cycle of the switch.
        cycle: u64,
        /// Address of the instruction that switched.
        pc: u32,
        /// Stack pointer of the old context.
        left: u32,
        /// Stack pointer of the new context.
        sp: u32,
    },
    /// A semihosting request.
    Semihosting {
        /// The cycles that the core waited for its BKPT or EBREAK; the request itself takes no cycles.
        at: Window,
        /// Its address.
        pc: u32,
        /// Operation number (R0, a0).
        operation: u32,
        /// Parameter (R1, a1).
        parameter: u32,
        /// The window's cycles by rule.
        costs: Costs,
    },
    /// A BKPT or EBREAK was reached. The core waits, so that an attached debugger can read its counters.
    Breakpoint {
        /// The cycles that the core waited for it; the breakpoint is hit at their end.
        at: Window,
        /// Its address.
        pc: u32,
        /// Its immediate; 0 for EBREAK.
        imm: u8,
        /// Stack pointer.
        sp: u32,
        /// As [`Retire::since`].
        since: RuleSet,
        /// The window's cycles by rule.
        costs: Costs,
    },
    /// The chip was reset, which ends all calls, handlers and threads.
    Reset {
        /// The cycles that the core still waited, or spent on an abandoned instruction; the reset is at their end.
        at: Window,
        /// The window's cycles by rule.
        costs: Costs,
    },
    /// The core slept (WFI, WFE or sleep-on-exit).
    Sleep {
        /// From falling asleep to waking up. If a run is cut during sleep, each part is an event.
        at: Window,
        /// The window's cycles by rule.
        costs: Costs,
    },
    /// The program wrote a byte of output. The event follows the semihosting request, or the device's transmission, whether a store, a
    /// DMA transfer or another cause started it.
    Text {
        /// Cycle of the report: where the next instruction can start.
        cycle: u64,
        /// Whether it goes to standard error.
        error: bool,
        /// The byte.
        byte: u8,
    },
}

impl Event {
    /// The cycle at which it happened or began.
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

    /// Its window and costs, if it is one of the events that tile the run.
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
