//! The records that a trace consists of.

/// A point, by its index in the caller's list of points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PointId(pub u32);

/// One event of a trace. Cycles count from any origin and never wrap; records are in chronological order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// A point was reached.
    Point {
        /// Cycle at which it was reached.
        cycle: u64,
        /// The point.
        point: PointId,
        /// Stack pointer at the point; only spans counted in bytes use it.
        sp: u32,
    },
    /// An exception's entry.
    Enter {
        /// Cycle at which the core left the interrupted code.
        cycle: u64,
        /// Cycle at which the handler's first instruction started; a point there has this cycle.
        end: u64,
        /// Exception number.
        number: u16,
        /// Whether the running code requested it, by a supervisor call or a fault, rather than an outside source.
        asked: bool,
    },
    /// An exception handler's end.
    Exit {
        /// Cycle at which the return sequence began.
        cycle: u64,
        /// Cycle at which execution continued.
        end: u64,
        /// Exception number.
        number: u16,
    },
    /// Another thread became the current one; code outside of handlers now belongs to it.
    Switch {
        /// Cycle of the switch.
        cycle: u64,
        /// A number unique to the thread; a trace begins in thread 0.
        thread: u32,
    },
    /// A reset: the trace continues in thread 0, and open spans are not measured.
    Restart,
    /// A function's first instruction executes: a call begins.
    Call {
        /// Cycle at which it executes.
        cycle: u64,
        /// The function.
        function: PointId,
        /// Stack pointer before that instruction.
        sp: u32,
        /// Address of the instruction that the call returns to.
        returns_to: u32,
        /// Whether the function is the handler of the active exception, and may end with it.
        outermost: bool,
        /// Whether it returns with the stack pointer that it began with.
        keeps_stack: bool,
        /// Bytes that the exception entry pushed on the same stack; they count as the call's own.
        frame: u32,
    },
    /// The return address of some call is reached.
    Reached {
        /// Cycle at which it is reached.
        cycle: u64,
        /// Its address.
        address: u32,
        /// Stack pointer before the instruction, if known.
        sp: Option<u32>,
    },
    /// The instruction before a return address executes: a call is made.
    Calls {
        /// The call's return address.
        returns_to: u32,
        /// Stack pointer.
        sp: u32,
    },
    /// The running context's stack pointer changed; only calls use it.
    Stack {
        /// The stack pointer.
        sp: u32,
    },
    /// The core's clock for the calls that began since the last such record. Calls without it have cycles, but no time.
    Clock {
        /// Clock in Hz, at least 1.
        hz: u32,
    },
    /// A bit for each thing relied on since the last such record. The caller defines the bits, for example as a simulator's timing rules.
    /// Each span's statistics hold their union. A board's trace has no such records.
    Relied {
        /// The bits.
        on: u128,
    },
}
