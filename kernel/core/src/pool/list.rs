//! The lists of blocks that were given back.

#![allow(unsafe_code)] // A list is sound if a block is in it once, and in nobody's hands; that, no type can say.

use super::Class;
use super::cut::cut;
use super::word::Word;

/// What a head or a link holds where there is no block.
pub const NONE: u32 = 0;

/// The first word of each block, for as long as nobody has it.
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
    loop {
        let first = head.load_linked();
        if first == NONE {
            return NONE;
        }
        // SAFETY: it was the first a moment ago.
        let next = unsafe { links.next(first) };
        if head.store_conditional(next) {
            return first;
        }
    }
}

/// Puts `block` at the front of the list.
///
/// # Safety
///
/// The caller owns `block`, which is one of those that `links` knows, and gives it away.
#[inline(always)]
pub unsafe fn push(head: &impl Word, links: &impl Links, block: u32) {
    loop {
        let first = head.load_linked();
        // SAFETY: the block is the caller's until the store succeeds.
        unsafe { links.set_next(block, first) };
        if head.store_conditional(block) {
            return;
        }
    }
}

/// What to do for a class whose list is empty, when there is no unused memory either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenDry {
    /// Nothing: memory stays with its class.
    Fail,
    /// Take a block of the next larger class that has one. It goes back to the list of the class that it was taken for,
    /// and stays there.
    TakeLarger,
}

/// Takes a block of `table[class]`: from its list, else from unused memory, else as `dry` says. [`NONE`] if there is
/// none. `head` and `fresh` say where the words are; `block` turns the place of unused memory into a block.
///
/// # Safety
///
/// As for [`pop`], for each head; `head(i)` is that of `table[i]`, and `fresh` is of the memory that `links` knows.
#[inline(always)]
pub unsafe fn take<W: Word>(
    table: &[Class],
    class: usize,
    dry: WhenDry,
    (total, base): (u32, u32),
    head: impl Fn(usize) -> W,
    fresh: &W,
    links: &impl Links,
) -> Option<Taken> {
    // SAFETY: the caller's promise.
    let block = unsafe { pop(&head(class), links) };
    if block != NONE {
        return Some(Taken::Again(block));
    }
    if let Some(place) = cut(fresh, table[class], total, base) {
        return Some(Taken::First(place));
    }
    if matches!(dry, WhenDry::Fail) {
        return None;
    }
    let mut larger = class + 1;
    while larger < table.len() {
        if table[larger].align >= table[class].align {
            // SAFETY: the caller's promise.
            let block = unsafe { pop(&head(larger), links) };
            if block != NONE {
                return Some(Taken::Again(block));
            }
        }
        larger += 1;
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
