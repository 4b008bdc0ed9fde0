//! The contents of the three places of the prefetch unit after the words that have arrived (rule `it-looks`).
//!
//! A refill starts with the first place and erases nothing: the other two keep their earlier words until they are overwritten.

use super::{Fetch, SLOTS, slot};
use crate::timing::Cycle;
use crate::timing::shape::NearIt;

/// The number of places.
const PLACES: u8 = SLOTS as u8;
/// Requests since the refill that are counted: behind so many, what stood in any place was fetched since then too.
const COUNTED: u8 = 2 * PLACES;

/// Which word stands in which place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct PrefetchQueue {
    /// Words requested since the refill, as far as they are counted.
    requested: u8,
    /// Slots whose lower halfword looked like IT before the refill, a bit for each.
    stale: u8,
}

impl PrefetchQueue {
    /// A word was requested.
    pub(super) fn request(&mut self) {
        self.requested = (self.requested + 1).min(COUNTED);
    }

    /// Forgets overwritten words, which no longer matter.
    pub(super) fn forget(&mut self) {
        if self.requested == COUNTED {
            self.stale = 0;
        }
    }

    /// Whether the lower halfword in the place of the word that is requested next, or as the last one but so many words `back`, looks like
    /// IT while that word is not there.
    fn looks_like_it(self, back: u8, near: NearIt) -> bool {
        match self.requested.saturating_sub(back) {
            index if index >= PLACES => near.word_before_last,
            index => self.stale >> index & 1 != 0,
        }
    }
}

impl Fetch {
    /// Whether what stands behind the halfword at `address`, which leaves decode by cycle `at`, looks like IT: what is there, or what was
    /// before.
    pub(crate) fn looks_like_it(&self, address: u32, near: NearIt, at: Cycle) -> bool {
        if address & 2 == 0 {
            return near.next;
        }
        let word = (address >> 2).wrapping_add(1);
        let back = self.next.wrapping_sub(word);
        let there = back as i32 > 0 && self.ready[slot(word)] <= at;
        if there {
            near.next
        } else {
            self.queue.looks_like_it(back.min(SLOTS) as u8, near)
        }
    }

    /// The words in the three places since the refill that began with word `first`, as far as they are there by cycle `at`.
    pub(crate) fn queued_words(&self, first: u32, at: Cycle) -> [Option<u32>; SLOTS as usize] {
        let mut queue = [None; SLOTS as usize];
        let requested = self.next.wrapping_sub(first);
        for back in (1..=requested.min(SLOTS + 1)).rev() {
            let word = self.next.wrapping_sub(back);
            let newest = back <= 2 && self.ready[slot(word)] > at;
            if !newest {
                queue[((requested - back) % SLOTS) as usize] = Some(word);
            }
        }
        queue
    }

    /// The lower halfwords in these places looked like IT before the refill.
    pub(crate) fn leave_in_queue(&mut self, stale: u8) {
        self.queue.stale = stale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Path;
    use crate::timing::supply::Supply;

    /// Behind a jump to 0x100, with so many words requested, none of which is there by cycle 0.
    fn requested(words: u32, stale: u8) -> Fetch {
        let mut fetch = Fetch::refill(0x100, 0, Path { wait: 20, held: 0 });
        fetch.leave_in_queue(stale);
        for word in 0..words {
            fetch.ready(0x100 + 4 * word, 4, &mut Supply::immediate());
            fetch.leaves(0x100 + 4 * word, 4, 0);
        }
        fetch
    }

    const BEFORE: NearIt = NearIt {
        next: false,
        word_before_last: true,
    };

    /// CC2650, published with `CMEmu` (`it_curse_svc`).
    #[test]
    fn what_was_there_before_a_refill_stands_where_nothing_is_yet() {
        let behind = |address, words, stale| requested(words, stale).looks_like_it(address, BEFORE, 0);
        assert!(behind(0x102, 1, 0b010), "behind the first word, the second place");
        assert!(behind(0x106, 2, 0b100), "behind the second, the third");
        assert!(!behind(0x102, 1, 0b101) && !behind(0x106, 2, 0b011));
        assert!(behind(0x102, 2, 0b010), "requested, but not there");
    }

    #[test]
    fn three_words_later_it_is_what_was_fetched_itself() {
        assert!(requested(3, 0).looks_like_it(0x10a, BEFORE, 0));
        assert!(!requested(3, 0b111).looks_like_it(0x10a, NearIt::default(), 0));
        assert!(requested(8, 0).looks_like_it(0x11e, BEFORE, 0));
    }

    #[test]
    fn what_is_there_is_seen_itself() {
        let next = NearIt {
            next: true,
            word_before_last: false,
        };
        assert!(requested(1, 0).looks_like_it(0x100, next, 0), "in the same word");
        assert!(
            !requested(2, 0).looks_like_it(0x102, next, 0),
            "in the next, not there"
        );
        assert!(requested(2, 0).looks_like_it(0x102, next, Cycle::MAX), "there");
    }

    /// So a run is not worked out once for each number of words that may have been fetched before it.
    #[test]
    fn behind_six_words_it_does_not_matter_how_many_were_fetched() {
        let known = |words| {
            let mut queue = requested(words, 0b111).queue;
            queue.forget();
            queue
        };
        assert!(known(6) == known(7) && known(6) == known(9));
        assert!((2..6).all(|words| known(words) != known(words + 1)));
    }

    #[test]
    fn words_take_the_places_in_turn() {
        let words = |count| requested(count, 0).queued_words(0x40, Cycle::MAX);
        assert_eq!(words(2), [Some(0x40), Some(0x41), None]);
        assert_eq!(words(4), [Some(0x43), Some(0x41), Some(0x42)]);
        assert_eq!(words(9), [Some(0x46), Some(0x47), Some(0x48)]);
        assert_eq!(
            requested(4, 0).queued_words(0x40, 60),
            [Some(0x40), Some(0x41), None],
            "not there"
        );
    }
}
