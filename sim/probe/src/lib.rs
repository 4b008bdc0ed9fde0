//! Everything that a run announces, in one list.
//!
//! A probe receives `&Event` and can change nothing: neither a cycle nor a byte of memory. `cycle` is always the
//! core clock since reset, as a cycle counter that never wraps would show it.

/// A special-purpose mask register whose change a probe may want to see.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mask {
    /// PRIMASK: 1 masks every configurable exception.
    Primask,
    /// FAULTMASK: 1 masks all but NMI.
    Faultmask,
    /// BASEPRI: masks this priority and the less urgent ones; 0 masks nothing.
    Basepri,
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

/// What happened, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The core fetches from another address than in the cycle before, whether what is there will be executed or not: the
    /// register that holds the address of the fetch has another value. Or, where no register does (Ibex), the bus grants it a
    /// word. Only announced to who asks ([`Probe::watches_fetch`]).
    Fetch {
        /// First cycle in which the register has this value, or the cycle of the grant.
        cycle: u64,
        /// The value, or the address of the word.
        pc: u32,
    },
    /// An instruction was executed: it occupied the execute stage from `cycle` until `end`.
    Retire {
        /// First cycle.
        cycle: u64,
        /// First cycle of what follows.
        end: u64,
        /// Its address.
        pc: u32,
        /// Its encoding, the first halfword in the upper half if it has two.
        raw: u32,
        /// Its length in bytes.
        size: u8,
        /// Stack pointer afterwards.
        sp: u32,
        /// The timing rules that decided what it cost, a bit for each (the core's own numbering).
        rules: u128,
    },
    /// The core leaves what it does and starts to enter an exception.
    ExceptionEntry {
        /// When it was recognised.
        cycle: u64,
        /// When the handler's first instruction starts to execute.
        end: u64,
        /// Exception number, 1 to 511.
        number: u16,
        /// How it was reached.
        kind: EntryKind,
        /// Address that will be returned to.
        return_address: u32,
        /// The handler's address.
        handler: u32,
        /// Stack pointer of the handler's first instruction.
        sp: u32,
        /// The timing rules that decided what it cost, a bit for each (the core's own numbering).
        rules: u128,
    },
    /// An exception return was executed.
    ExceptionExit {
        /// First cycle of the return sequence.
        cycle: u64,
        /// When the next instruction starts to execute; equal to `cycle` when another handler is tail-chained.
        end: u64,
        /// The exception that ended.
        number: u16,
        /// Where execution goes on.
        to: u32,
        /// Stack pointer there.
        sp: u32,
        /// The timing rules that decided what it cost, a bit for each (the core's own numbering).
        rules: u128,
    },
    /// The program wrote to memory or to a peripheral (never the hardware's own stacking).
    Write {
        /// When the store was executed.
        cycle: u64,
        /// The store's address.
        pc: u32,
        /// The address written.
        address: u32,
        /// 1, 2 or 4 bytes.
        size: u8,
        /// The value, zero-extended.
        value: u32,
    },
    /// PRIMASK, FAULTMASK or BASEPRI took another value.
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
    },
    /// A semihosting request.
    Semihosting {
        /// When the BKPT was reached.
        cycle: u64,
        /// Its address.
        pc: u32,
        /// Operation number (R0).
        operation: u32,
        /// Parameter (R1).
        parameter: u32,
    },
    /// A BKPT was reached: an attached debugger reads its counters here, and the core waits.
    Breakpoint {
        /// When it was reached.
        cycle: u64,
        /// Its address.
        pc: u32,
        /// Its immediate.
        imm: u8,
        /// Stack pointer.
        sp: u32,
    },
    /// The core went to sleep (WFI, WFE or sleep-on-exit).
    Sleep {
        /// When.
        cycle: u64,
        /// When it woke up.
        end: u64,
    },
}

impl Event {
    /// The cycle at which it happened (or began).
    pub const fn cycle(&self) -> u64 {
        match *self {
            Event::Fetch { cycle, .. }
            | Event::Retire { cycle, .. }
            | Event::ExceptionEntry { cycle, .. }
            | Event::ExceptionExit { cycle, .. }
            | Event::Write { cycle, .. }
            | Event::MaskChange { cycle, .. }
            | Event::Semihosting { cycle, .. }
            | Event::Breakpoint { cycle, .. }
            | Event::Sleep { cycle, .. } => cycle,
        }
    }
}

/// Receives events in the order of their cycles; but a store's [`Event::Write`] comes before its [`Event::Retire`] even
/// if it reaches the bus a cycle after the instruction's first one.
pub trait Probe {
    /// One event.
    fn event(&mut self, event: &Event);

    /// Whether anybody listens. `false` lets a run take its fastest path; it must not change during a run.
    fn listens(&self) -> bool {
        true
    }

    /// Whether it wants to hear every [`Event::Fetch`]; it must not change during a run.
    fn watches_fetch(&self) -> bool {
        false
    }
}

/// Nobody listens.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silent;

impl Probe for Silent {
    #[inline(always)]
    fn event(&mut self, _: &Event) {}

    #[inline(always)]
    fn listens(&self) -> bool {
        false
    }
}

impl Probe for Vec<Event> {
    fn event(&mut self, event: &Event) {
        self.push(*event);
    }
}

impl<A: Probe, B: Probe> Probe for (A, B) {
    fn event(&mut self, event: &Event) {
        self.0.event(event);
        self.1.event(event);
    }

    fn listens(&self) -> bool {
        self.0.listens() || self.1.listens()
    }

    fn watches_fetch(&self) -> bool {
        self.0.watches_fetch() || self.1.watches_fetch()
    }
}

impl<P: Probe + ?Sized> Probe for &mut P {
    fn event(&mut self, event: &Event) {
        (**self).event(event);
    }

    fn listens(&self) -> bool {
        (**self).listens()
    }

    fn watches_fetch(&self) -> bool {
        (**self).watches_fetch()
    }
}
