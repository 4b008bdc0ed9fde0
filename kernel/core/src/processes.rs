//! Processes and their messages: which one runs, which waits for which, and what a fault does.
//!
//! Each process has a [`Context`]: its state while another one runs, and the memory that it may reach. Two ways of passing a message
//! work on the same contexts. The *fast* one is a few instructions of assembly for the common case, in which the receiver waits
//! already and no more urgent one is ready; it touches only the fields that are marked so below. Everything else is a
//! [`System`]'s: a receiver that is busy, interrupts, faults, memory that changes hands.
//!
//! A process can have several threads: a context for each, of which the first is the one that is called; any that waits receives.
//!
//! There is no list and no allocation: the ready processes, and those that wait for a receiver, are sets of bits.

mod context;
mod ends;
mod order;
mod system;

pub use context::{BUSY, CONNECTIONS, Context, FLAGS, GAVE, LENT, LENT_MUT, NOWHERE, Region, SLOW, WORDS};
pub use system::{Machine, System, Waits};

/// What a process asks the kernel for, by the number in the last of the message's registers, and how a message was sent, by the same
/// number at its receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(isize)]
pub enum Operation {
    /// Sends words, and waits for the answer.
    Call = 0,
    /// Answers, and waits for the next message. Any number with the highest bit set.
    Reply = -1,
    /// As `Call`, and the receiver may read memory of the sender's until it answers.
    Lend = 2,
    /// As `Call`, and the receiver may read and write memory of the sender's until it answers.
    LendMut = 3,
    /// As `Call`, and the sender's frame becomes the receiver's.
    Move = 4,
    /// Sends words, and goes on when the receiver has them.
    Send = 5,
    /// Waits for a message, without an answer to one before.
    Receive = 6,
    /// As `Call`, unless the receiver is not waiting.
    TryCall = 7,
    /// As `Send`, unless the receiver is not waiting.
    TrySend = 8,
    /// As `Reply`, and the answerer's frame goes to the process that is answered, if that one gave its own away.
    ReplyMove = 9,
    /// Something that the process cannot go on from: a fault.
    Stop = 10,
    /// Lets the process's interrupt come again. At a receiver: the interrupt came.
    Interrupt = 11,
    /// As `Call`, for that many ticks: the word that names the connection has them above [`TICKS_FROM`].
    CallWithin = 12,
    /// As `Lend`, until it was received for that many ticks.
    LendWithin = 13,
    /// As `LendMut`, until it was received for that many ticks.
    LendMutWithin = 14,
    /// Has another thread of the same process go on that waits to be received, or for an answer: the one whose number is the first word.
    Cancel = 15,
}

impl Operation {
    /// The operation of that number.
    pub const fn from_number(number: usize) -> Option<Operation> {
        Some(match number {
            number if (number as isize) < 0 => Operation::Reply,
            0 => Operation::Call,
            2 => Operation::Lend,
            3 => Operation::LendMut,
            4 => Operation::Move,
            5 => Operation::Send,
            6 => Operation::Receive,
            7 => Operation::TryCall,
            8 => Operation::TrySend,
            9 => Operation::ReplyMove,
            10 => Operation::Stop,
            11 => Operation::Interrupt,
            12 => Operation::CallWithin,
            13 => Operation::LendWithin,
            14 => Operation::LendMutWithin,
            15 => Operation::Cancel,
            _ => return None,
        })
    }

    /// Whether it sends a message to a connection.
    const fn sends(self) -> bool {
        matches!(
            self,
            Operation::Call
                | Operation::Lend
                | Operation::LendMut
                | Operation::Move
                | Operation::Send
                | Operation::TryCall
                | Operation::TrySend
                | Operation::CallWithin
                | Operation::LendWithin
                | Operation::LendMutWithin
        )
    }

    /// The operation as the receiver sees it, however long the sender would wait.
    const fn at_receiver(self) -> Operation {
        match self {
            Operation::TryCall | Operation::CallWithin => Operation::Call,
            Operation::TrySend => Operation::Send,
            Operation::LendWithin => Operation::Lend,
            Operation::LendMutWithin => Operation::LendMut,
            other => other,
        }
    }

    /// Whether it waits with a time limit.
    const fn is_timed(self) -> bool {
        matches!(
            self,
            Operation::CallWithin | Operation::LendWithin | Operation::LendMutWithin
        )
    }

    /// Whether it wants no answer.
    const fn is_send(self) -> bool {
        matches!(self, Operation::Send | Operation::TrySend)
    }
}

/// The lowest bit of the ticks that an operation waits, in the word that names the connection: 27 bits of them.
pub const TICKS_FROM: u32 = 5;

/// The bits of a connection's word that encode a time limit in ticks.
///
/// # Panics
///
/// If the word has no room for them: they would be fewer, and the wait would end early.
#[inline(always)]
#[must_use]
pub const fn time_limit(ticks: u32) -> usize {
    assert!(
        ticks <= u32::MAX >> TICKS_FROM,
        "a call waits for 2^27 - 1 ticks at the most"
    );
    (ticks as usize) << TICKS_FROM
}

/// How an operation went: the word that follows the five of a message, at the asker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Status {
    /// It was done, or answered.
    Done = 0,
    /// The receiver stopped before it answered. How far it got is not known.
    Died = 1,
    /// The receiver was not waiting, and the sender did not want to.
    Busy = 2,
    /// There is no such connection.
    NoConnection = 3,
    /// The memory is not all the sender's own, or of a size or place that cannot be granted.
    BadMemory = 4,
    /// There is no such operation, or not here.
    NoOperation = 5,
    /// The receiver has a frame already.
    Full = 6,
    /// The receiver waits, by itself or over others, for the sender.
    Deadlock = 7,
    /// There was no answer in time. How far the receiver got is not known.
    TimedOut = 8,
    /// Another thread of the same process ended the wait. How far the receiver got is not known.
    Cancelled = 9,
}

impl Status {
    /// The status of that number. Another number is an answerer's own, which did not keep to the rules: it counts as dead.
    pub const fn from_number(number: usize) -> Status {
        match number {
            0 => Status::Done,
            2 => Status::Busy,
            3 => Status::NoConnection,
            4 => Status::BadMemory,
            5 => Status::NoOperation,
            6 => Status::Full,
            7 => Status::Deadlock,
            8 => Status::TimedOut,
            9 => Status::Cancelled,
            _ => Status::Died,
        }
    }
}
