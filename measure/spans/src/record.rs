//! What a trace has to tell.

/// A point, by its place in the caller's list of points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PointId(pub u32);

/// One thing that happened. Cycles count from any origin and never wrap; records come in the order in which they happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// A point was met.
    Point {
        /// When.
        cycle: u64,
        /// Which.
        point: PointId,
        /// Stack pointer at that moment; only spans counted in bytes look at it.
        sp: u32,
    },
    /// An exception's entry.
    Enter {
        /// When the core left what it did.
        cycle: u64,
        /// When the handler's first instruction started; a point met there has this cycle.
        end: u64,
        /// Exception number.
        number: u16,
        /// What runs asked for it, by a call of the supervisor or a fault; otherwise it came from outside.
        asked: bool,
    },
    /// The end of an exception's handler.
    Exit {
        /// When the return sequence began.
        cycle: u64,
        /// When execution went on.
        end: u64,
        /// Exception number.
        number: u16,
    },
    /// Another thread became the current one: what runs outside of handlers from now on is that thread.
    Switch {
        /// When.
        cycle: u64,
        /// Any number that tells this thread from the others; a trace begins in thread 0.
        thread: u32,
    },
    /// Everything begins again, in thread 0: what was open is not measured.
    Restart,
    /// The first instruction of a function is executed: a call of it begins.
    Call {
        /// When.
        cycle: u64,
        /// Which function.
        function: PointId,
        /// Stack pointer before that instruction.
        sp: u32,
        /// Address of the instruction that the call returns to.
        returns_to: u32,
        /// The function is the handler of the exception that runs, and may end with it.
        outermost: bool,
        /// It returns with the stack pointer that it began with.
        keeps_stack: bool,
        /// Bytes that the entry of its exception put on the same stack; they count as its own.
        frame: u32,
    },
    /// An instruction is reached that calls return to.
    Reached {
        /// When.
        cycle: u64,
        /// Its address.
        address: u32,
        /// Stack pointer before it, if that is known.
        sp: Option<u32>,
    },
    /// The instruction in front of one that calls return to is executed: a call is made.
    Calls {
        /// The address that it returns to.
        returns_to: u32,
        /// Stack pointer.
        sp: u32,
    },
    /// Where the stack pointer of the context that runs is now; only calls look at it.
    Stack {
        /// The stack pointer.
        sp: u32,
    },
    /// The core's clock at the calls that have begun since it was last told. Without it they take cycles, but no time.
    Clock {
        /// In Hz, at least 1.
        hz: u32,
    },
    /// What happened since the previous such record relied on these things, a bit for each. The caller says what a bit
    /// stands for (timing rules of a simulator, say); they are united over each span. A trace from a board has none.
    Relied {
        /// The bits.
        on: u128,
    },
}
