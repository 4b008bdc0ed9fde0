//! Threads: which one runs next, found in a word.
//!
//! Threads are numbered by *rank*, 0 the most urgent, and a set of threads is a word in which bit 31 is rank 0, or bit 0 where
//! a core finds the lowest bit with less ([`Word`]). So the most urgent member of a set is the number of zeros before it, and
//! every operation here takes a bounded number of instructions however many threads there are; what is not constant says so.
//!
//! - Threads of equal priority have adjacent ranks, a *group*. The turn in a group goes round in a circle
//!   ([`Scheduler::select`]); a group of one needs no circle, and has none.
//! - A thread that waits for a mutex *lends* its priority: it stays among those that want the processor, and when it is the
//!   most urgent of them, the mutex's owner runs in its place, along the chain of owners. That is priority inheritance,
//!   nested and chained, without a priority that is ever changed and must be changed back.
//! - The idle loop is the last rank, and always ready.
//!
//! Only one context at a time touches any of this: the kernel calls it in sections that hold back every other context that
//! would, or with the switch between threads held back.

mod awaited;
mod mutex;
mod order;
mod renumber;
mod scheduler;
mod set;
mod slot;
mod time;
mod waiting;

pub use awaited::Awaited;
pub use mutex::{Holder, Locking, Mutexes, Ownership};
pub use order::{LENT, MOST, Order, Thread, Word, behind, bit, is_before, is_member, is_top, top};
pub use renumber::Move;
pub use scheduler::{Outcome, Scheduler, Woken};
pub use set::Set;
pub use slot::Slot;
pub use waiting::Waiting;
