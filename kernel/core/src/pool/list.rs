//! The lists of blocks that were given back.

#![allow(unsafe_code)] // A list is sound if a block is in it once, and in nobody's hands; that, no type can say.

use super::Class;
use core::hint::cold_path;

use super::cut::cut;
use super::word::Word;

/// The value of a head or a link where there is no block.
pub const NONE: u32 = 0;

/// The first word of each block while it is free.
pub trait Links {
    /// The link in `block`. Another context may own the block by now and have written anything there: the answer is
    /// then of no use, and the store that would use it fails.
    ///
    /// # Safety
    ///
    /// `block` was in the list a moment ago.
    unsafe fn next(&self, block: u32) -> u32;

    /// Writes the link.
    ///
    /// # Safety
    ///
    /// The caller owns `block`.
    unsafe fn set_next(&self, block: u32, next: u32);
}

/// Takes the first block out of the list, or [`NONE`] if there is none.
///
/// # Safety
///
/// Every block in the list came there by [`push`], and `links` is where they lie.
#[inline(always)]
pub unsafe fn pop(head: &impl Word, links: &impl Links) -> u32 {
    // SAFETY: the caller's promise.
    if let Some(first) = unsafe { try_pop::<false>(head, links) } {
        return first;
    }
    // The attempts that follow a failed one are a loop of their own, out of the way: a branch less where all goes well.
    cold_path();
    loop {
        // SAFETY: as above.
        if let Some(first) = unsafe { try_pop::<true>(head, links) } {
            return first;
        }
    }
}

/// An attempt; `None` if another context came in between.
///
/// # Safety
///
/// As for [`pop`].
#[inline(always)]
unsafe fn try_pop<const AGAIN: bool>(head: &impl Word, links: &impl Links) -> Option<u32> {
    let first = head.load_linked();
    if first == NONE {
        cold_path();
        return Some(NONE);
    }
    // SAFETY: it was the first a moment ago.
    let next = unsafe { links.next(first) };
    store::<AGAIN>(head, next).then_some(first)
}

#[inline(always)]
fn store<const AGAIN: bool>(head: &impl Word, value: u32) -> bool {
    if AGAIN {
        head.store_again(value)
    } else {
        head.store_conditional(value)
    }
}

/// Puts `block` at the front of the list.
///
/// # Safety
///
/// The caller owns `block`, which is one of those that `links` knows, and gives it away.
#[inline(always)]
pub unsafe fn push(head: &impl Word, links: &impl Links, block: u32) {
    // SAFETY: the caller's promise.
    if !unsafe { try_push::<false>(head, links, block) } {
        cold_path();
        // SAFETY: as above: nothing has been given away yet.
        while !unsafe { try_push::<true>(head, links, block) } {}
    }
}

/// An attempt; whether the block is in the list.
///
/// # Safety
///
/// As for [`push`].
#[inline(always)]
unsafe fn try_push<const AGAIN: bool>(head: &impl Word, links: &impl Links, block: u32) -> bool {
    let first = head.load_linked();
    // SAFETY: the block is the caller's until the store succeeds.
    unsafe { links.set_next(block, first) };
    store::<AGAIN>(head, block)
}

/// The policy for a class whose list is empty, when there is no unused memory either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenDry {
    /// Nothing: memory stays with its class.
    Fail,
    /// Take a block of the next larger class that has one. It goes back to the list of the class that it was taken for,
    /// and stays there.
    TakeLarger,
}

/// The facts of a pool.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'t> {
    /// By increasing size.
    pub classes: &'t [Class],
    /// The policy for an empty class.
    pub when_dry: WhenDry,
    /// Length of the memory.
    pub granules: u32,
    /// Its address.
    pub base: u32,
}

/// Takes a block of class number `class`: from its list, else from unused memory, else as `when_dry` says. `fresh` says
/// how much of the memory was used.
///
/// # Safety
///
/// As for [`pop`], for each head; `head` is that of `class`, `larger(i)` that of class `i`, and `fresh` is of the
/// memory that `links` knows.
#[inline(always)]
pub unsafe fn take<F: Word, L: Word>(
    shape: &Shape<'_>,
    class: usize,
    head: &impl Word,
    fresh: impl FnOnce() -> F,
    larger: impl Fn(usize) -> L,
    links: &impl Links,
) -> Option<Taken> {
    // SAFETY: the caller's promise.
    let block = unsafe { pop(head, links) };
    if block != NONE {
        return Some(Taken::Again(block));
    }
    // SAFETY: as above.
    unsafe { take_elsewhere(shape, class, fresh, larger, links) }
}

/// As [`take`], where the class's list was empty just now.
///
/// # Safety
///
/// As for [`take`].
#[inline(always)]
pub unsafe fn take_elsewhere<F: Word, L: Word>(
    shape: &Shape<'_>,
    class: usize,
    fresh: impl FnOnce() -> F,
    larger: impl Fn(usize) -> L,
    links: &impl Links,
) -> Option<Taken> {
    if let Some(place) = cut(&fresh(), shape.classes[class], shape.granules, shape.base) {
        return Some(Taken::First(place));
    }
    if matches!(shape.when_dry, WhenDry::Fail) {
        return None;
    }
    for other in class + 1..shape.classes.len() {
        if shape.classes[other].align >= shape.classes[class].align {
            // SAFETY: the caller's promise.
            let block = unsafe { pop(&larger(other), links) };
            if block != NONE {
                return Some(Taken::Again(block));
            }
        }
    }
    None
}

/// Where a block came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// From a list.
    Again(u32),
    /// From unused memory: the words before it.
    First(u32),
}
