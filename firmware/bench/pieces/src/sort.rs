//! Heap sort: branches that the data decides.

use core::hint::black_box;

/// The result of [`work`].
pub const EXPECTED: u32 = 0xbd76_faa8;
const WORDS: usize = 512;
const ROUNDS: u32 = 6;

/// Sorts words of no pattern, again and again.
pub fn work() -> u32 {
    let mut words = [0; WORDS];
    let mut sum = 0;
    for round in 0..black_box(ROUNDS) {
        let mut state = round | 1;
        for word in &mut words {
            state = crate::next(state);
            *word = state;
        }
        sort(&mut words);
        sum ^= words[WORDS / 3].rotate_left(round);
    }
    sum
}

/// Sorts ascending.
#[inline(never)]
pub fn sort(words: &mut [u32]) {
    for root in (0..words.len() / 2).rev() {
        sift(words, root);
    }
    for end in (1..words.len()).rev() {
        words.swap(0, end);
        sift(&mut words[..end], 0);
    }
}

fn sift(heap: &mut [u32], mut root: usize) {
    loop {
        let mut child = 2 * root + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && heap[child + 1] > heap[child] {
            child += 1;
        }
        if heap[root] >= heap[child] {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}
