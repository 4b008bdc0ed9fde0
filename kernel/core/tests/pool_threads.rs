//! The pool's lists in every interleaving of threads, each of which has a load-linked and a store-conditional of its own:
//! more than one core's contexts can do, which never interleave but only nest.
//!
//! `cargo test -p mainspring-core --features loom --test pool_threads` runs this.

#![cfg(feature = "loom")]
#![allow(unsafe_code)] // The lists' functions are `unsafe`, because no type says who owns a block.

use std::cell::Cell;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use loom::thread;
use mainspring_core::pool::{Links, NONE, Word, pop, push};

/// A list's head with the number of times that it was stored to, and the blocks' first words.
struct List {
    head: AtomicU64,
    links: [AtomicU32; 3],
}

impl List {
    fn new() -> Self {
        List {
            head: AtomicU64::new(u64::from(NONE)),
            links: std::array::from_fn(|_| AtomicU32::new(0)),
        }
    }

    fn pop(&self) -> u32 {
        // SAFETY: the list's own words and blocks.
        unsafe { pop(&Linked::new(&self.head), self) }
    }

    fn push(&self, block: u32) {
        // SAFETY: the callers own what they popped, or begin with it.
        unsafe { push(&Linked::new(&self.head), self, block) }
    }
}

impl Links for List {
    unsafe fn next(&self, block: u32) -> u32 {
        self.links[block as usize].load(SeqCst)
    }

    unsafe fn set_next(&self, block: u32, next: u32) {
        self.links[block as usize].store(next, SeqCst);
    }
}

/// A store-conditional fails if anybody stored since the load, whatever the value is now.
struct Linked<'w> {
    word: &'w AtomicU64,
    seen: Cell<u64>,
}

impl<'w> Linked<'w> {
    fn new(word: &'w AtomicU64) -> Self {
        Linked {
            word,
            seen: Cell::new(0),
        }
    }
}

impl Word for Linked<'_> {
    fn load_linked(&self) -> u32 {
        self.seen.set(self.word.load(SeqCst));
        self.seen.get() as u32
    }

    fn store_conditional(&self, value: u32) -> bool {
        let stores = (self.seen.get() >> 32) + 1;
        let new = stores << 32 | u64::from(value);
        self.word
            .compare_exchange(self.seen.get(), new, SeqCst, SeqCst)
            .is_ok()
    }
}

/// Every block is in the list once, or is not allocated.
fn check(list: &List, mut held: Vec<u32>) {
    held.extend(std::iter::from_fn(|| {
        Some(list.pop()).filter(|block| *block != NONE)
    }));
    held.sort_unstable();
    assert_eq!(held, [1, 2]);
}

#[test]
fn blocks_have_one_owner() {
    loom::model(|| {
        let list = Arc::new(List::new());
        list.push(1);
        list.push(2);
        let other = {
            let list = Arc::clone(&list);
            thread::spawn(move || {
                let (first, second) = (list.pop(), list.pop());
                // Writes over the link that the other may be reading.
                for block in [first, second].into_iter().filter(|block| *block != NONE) {
                    list.links[block as usize].store(77, SeqCst);
                }
                if first != NONE {
                    list.push(first);
                }
                Vec::from_iter((second != NONE).then_some(second))
            })
        };
        let mut held = Vec::from_iter(Some(list.pop()).filter(|block| *block != NONE));
        held.extend(other.join().expect("no panic"));
        check(&list, held);
    });
}

#[test]
fn blocks_given_back_at_once_are_all_there() {
    loom::model(|| {
        let list = Arc::new(List::new());
        let other = {
            let list = Arc::clone(&list);
            thread::spawn(move || list.push(1))
        };
        list.push(2);
        let held = Vec::from_iter(Some(list.pop()).filter(|block| *block != NONE));
        other.join().expect("no panic");
        check(&list, held);
    });
}
