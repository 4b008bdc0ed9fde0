//! The pool: boxes for values that live as long as they must, in constant time, from tasks and interrupts alike.
//!
//! ```
//! use mainspring::pool::{Box, Exhausted};
//!
//! mainspring::pool! {
//!     /// The memory of messages.
//!     struct Heap;
//!     bytes = 2048;
//!     classes = [8, 16, 32, 64];
//! }
//!
//! fn sum(samples: [u16; 12]) -> Result<u32, Exhausted<[u16; 12]>> {
//!     let samples: Box<[u16; 12], Heap> = Box::new(samples)?;   // 24 bytes: class 32
//!     Ok(samples.iter().map(|sample| u32::from(*sample)).sum())
//! }                                                            // the block goes back to its list
//! # assert_eq!(sum([2; 12]), Ok(24));
//! ```
//!
//! A box is one pointer; which pool it belongs to is in its type. How the pool works, and why no user needs a lock, is explained
//! in [`mainspring_core::pool`]; how to choose classes, what is wasted, and what everything costs, in the guide.
//!
//! | what | type |
//! |---|---|
//! | a value | [`Box<T, P>`](Box), one pointer |
//! | a value with several owners | [`Arc<T, P>`](Arc), one pointer; a word more in the block |
//! | a slice, a string, a `dyn Trait` | [`Dyn<U, P>`](Dyn), with its length or its vtable |
//! | something to call once | [`Job<P, Argument, Output>`](Job), one pointer |
//! | up to `N` elements, growing | [`Array<T, N>`](Array) and [`Text<N>`](Text), in a box or anywhere |
//! | a future | `Pin<Box<F, P>>` ([`Box::pin`]), `Pin<Dyn<dyn Future<…>, P>>` |
//! | everything that `alloc` has | [`Global<P>`](Global), a `GlobalAlloc` |
//! | an object that stays constructed, and comes as its last owner left it | [`Object<P>`](Object), one pointer; a word more in memory |
//! | programs written for `heapless::pool` | [`ported`] |
//!
//! **One core.** An exclusive monitor or a mask of interrupts keeps two users apart, and both belong to one core. Two
//! cores must not use the same pool, nor hand boxes, jobs or the key to one another.
//!
//! A pool is [`Shared`] by default: boxes can be made and dropped anywhere. One that is [`Exclusive`] hands its memory out
//! through a key ([`Key`]), which a task keeps for itself or shares as a resource.

mod array;
mod boxed;
mod counted;
#[cfg(cut_at_once)]
pub(crate) mod cut;
mod dynamic;
mod global;
mod job;
mod key;
mod macros;
mod object;
pub mod ported;
pub(crate) mod sharing;
mod statistics;
mod storage;
pub(crate) mod store;
mod text;
pub(crate) mod word;

pub use array::{Array, TooLong};
pub use boxed::Box;
pub use counted::Arc;
pub use dynamic::{Dyn, Refused};
pub use global::Global;
pub use job::Job;
pub use key::Key;
pub use mainspring_core::pool::{Class, WhenDry};
#[doc(hidden)]
pub use object::Kept;
pub use object::{Keeping, Object, ObjectPool, Objects};
pub use sharing::{Exclusive, Shared, Sharing};
pub use statistics::{Count, Off, On, Statistics};
pub use storage::{Exhausted, Pool, SharedPool, Storage, Store};
pub use store::{check_pool, class, high_water, prepare, waste};
pub use text::Text;
