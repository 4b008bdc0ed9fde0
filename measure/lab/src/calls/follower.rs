//! Extracts calls and threads from the events of a run.

use std::collections::{BTreeSet, HashMap};

use events::{Enter, EntryKind, Exception, Exit, Retire};
use spans::{PointId, Record};

/// Start of the addresses without code on a Cortex-M, where LR holds `EXC_RETURN`, or nothing at reset.
const NO_CODE: u32 = 0xffff_ff00;

/// Sizes in bytes of a Cortex-M's exception frames: eight registers, optionally with floating-point registers, and optionally with an
/// alignment word (ARMv7-M ARM B1.5.6 and B1.5.7).
const FRAMES: [u32; 4] = [32, 36, 104, 108];

/// An active handler.
#[derive(Clone, Debug)]
struct Handler {
    exception: Exception,
    /// Stack pointer at its first instruction.
    sp: u32,
    /// Bytes that its entry pushed on the same stack.
    frame: u32,
}

/// Follows the calls of some functions.
#[derive(Clone, Debug)]
pub(crate) struct Follower {
    functions: Vec<(u32, PointId)>,
    /// Their calls that link by `t0`: function and return address.
    millicode: Vec<(u32, u32)>,
    /// The return addresses of all calls so far.
    returns: BTreeSet<u32>,
    /// The active handlers, innermost last.
    handlers: Vec<Handler>,
    /// The frame of the handler that ended last, which a tail-chained handler reuses.
    last_frame: u32,
    threads: Threads,
    grew: bool,
    asks_clock: bool,
}

/// Threads by the stack pointers with which they were suspended.
#[derive(Clone, Default, Debug)]
struct Threads {
    parked: HashMap<u32, u32>,
    current: u32,
    known: u32,
}

impl Follower {
    pub(crate) fn new(functions: &[(u32, PointId)], millicode: &[(u32, u32)]) -> Follower {
        Follower {
            functions: functions.to_vec(),
            millicode: millicode.to_vec(),
            returns: BTreeSet::new(),
            handlers: Vec::new(),
            last_frame: 0,
            threads: Threads::default(),
            grew: false,
            asks_clock: false,
        }
    }

    /// The instructions to report: function entries, return addresses, and the instructions before those.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u32> {
        let entries = self.functions.iter().map(|(pc, _)| *pc);
        let returns = self.returns.iter();
        entries.chain(returns.flat_map(|pc| [*pc, pc.wrapping_sub(2), pc.wrapping_sub(4)]))
    }

    /// Whether the set of addresses has grown since the last query.
    pub(crate) fn grew(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    /// Whether a call has begun since the last clock record.
    pub(crate) fn asks_clock(&self) -> bool {
        self.asks_clock
    }

    pub(crate) fn clock_told(&mut self) {
        self.asks_clock = false;
    }

    /// Processes an executed instruction; `stack` requests a record of the stack pointer.
    pub(crate) fn retire(&mut self, retire: &Retire, stack: bool, to: &mut Vec<Record>) {
        let Retire { pc, sp_before, .. } = *retire;
        self.reached(retire.issued, pc, Some(sp_before), to);
        let behind = pc.wrapping_add(u32::from(retire.size));
        if self.returns.contains(&behind) {
            let (returns_to, sp) = (behind, retire.sp);
            to.push(Record::Calls { returns_to, sp });
        }
        let (returns_to, keeps_stack) = self.returns_to(retire);
        let handler = self.handlers.last().filter(|handler| handler.sp == sp_before);
        let (outermost, frame) = (handler.is_some(), handler.map_or(0, |handler| handler.frame));
        // An address may have several names.
        for &(_, function) in self.functions.iter().filter(|(entry, _)| *entry == pc) {
            if returns_to < NO_CODE {
                self.grew |= self.returns.insert(returns_to);
            }
            self.asks_clock = true;
            to.push(Record::Call {
                cycle: retire.issued,
                function,
                sp: sp_before,
                returns_to,
                outermost,
                keeps_stack,
                frame,
            });
        }
        if stack {
            to.push(Record::Stack { sp: retire.sp });
        }
    }

    /// The return address at a function's first instruction, and whether the function keeps the stack pointer. A function that links by
    /// `t0` sets up its caller's frame instead.
    fn returns_to(&self, retire: &Retire) -> (u32, bool) {
        let alternate = (retire.pc, retire.alternate_link);
        if self.millicode.contains(&alternate) {
            return (retire.alternate_link, false);
        }
        // The low bit marks Thumb code.
        (retire.link & !1, true)
    }

    /// Processes the start of the instruction at `pc`.
    pub(crate) fn reached(&mut self, cycle: u64, pc: u32, sp: Option<u32>, to: &mut Vec<Record>) {
        if self.returns.contains(&pc) {
            to.push(Record::Reached {
                cycle,
                address: pc,
                sp,
            });
        }
    }

    /// Processes an exception entry; `sp` is the stack pointer before it.
    pub(crate) fn enter(&mut self, enter: &Enter, sp: u32, to: &mut Vec<Record>) {
        // A supervisor call does not retire, and a function may return to it.
        let at = match enter.exception {
            Exception::SV_CALL => Some(enter.return_address.wrapping_sub(2)),
            // Environment calls of user, supervisor and machine mode.
            Exception::Trap(8 | 9 | 11) => Some(enter.return_address),
            _ => None,
        };
        if let Some(pc) = at {
            self.reached(enter.recognised, pc, None, to);
        }
        let pushed = sp.wrapping_sub(enter.sp);
        self.handlers.push(Handler {
            exception: enter.exception,
            sp: enter.sp,
            frame: match enter.kind {
                EntryKind::TailChain => self.last_frame,
                // Any other size means another stack.
                _ => Some(pushed).filter(|size| FRAMES.contains(size)).unwrap_or(0),
            },
        });
    }

    pub(crate) fn exit(&mut self, exit: &Exit) {
        let depth = self
            .handlers
            .iter()
            .rposition(|handler| handler.exception == exit.exception);
        if let Some(depth) = depth {
            self.last_frame = self.handlers[depth].frame;
            self.handlers.truncate(depth);
        }
    }

    /// Resets to no active handler and no suspended thread.
    pub(crate) fn restart(&mut self) {
        self.handlers.clear();
        self.threads = Threads::default();
    }

    /// Processes a thread switch.
    pub(crate) fn switch(&mut self, cycle: u64, left: u32, sp: u32, to: &mut Vec<Record>) {
        let thread = self.threads.switch(left, sp);
        to.push(Record::Switch { cycle, thread });
    }
}

impl Threads {
    fn switch(&mut self, left: u32, sp: u32) -> u32 {
        self.parked.insert(left, self.current);
        self.current = self.parked.remove(&sp).unwrap_or_else(|| {
            self.known += 1;
            self.known
        });
        self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_known_by_the_stack_pointer_with_which_it_was_left() {
        let mut threads = Threads::default();
        let seen = [(100, 200), (190, 300), (280, 100), (96, 190), (180, 280)];
        let seen = seen.map(|(left, sp)| threads.switch(left, sp));
        assert_eq!(seen, [1, 2, 0, 1, 2]);
    }
}
