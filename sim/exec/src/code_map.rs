//! Tracks decoded code words, to detect when they change.

use rustc_hash::FxHashMap;

/// Marks for words, a power of two.
const MARKS: u32 = 1 << 16;

/// More words than this that were written are not looked at one by one.
const FEW: u32 = 64;

/// The words of memory that instructions were decoded from, or that were looked at for that.
#[derive(Clone, Default, Debug)]
pub struct CodeMap {
    /// For each word of the address space modulo their number whether it may be one; none as long as there is no word.
    marks: Vec<bool>,
    /// The words by their number, with what was there.
    words: FxHashMap<u32, u32>,
}

impl CodeMap {
    /// The word that this address is in was looked at, and has this value.
    pub fn mark(&mut self, address: u32, value: u32) {
        let word = address >> 2;
        self.marks.resize(MARKS as usize, false);
        self.marks[(word % MARKS) as usize] = true;
        self.words.insert(word, value);
    }

    /// Whether a store to this byte may change an instruction.
    #[inline]
    pub fn contains(&self, address: u32) -> bool {
        self.contains_word(address >> 2)
    }

    /// Whether one to these bytes may, from the first to the last.
    pub fn touches(&self, first: u32, last: u32) -> bool {
        let (first, last) = (first >> 2, last >> 2);
        last - first >= FEW || (first..=last).any(|word| self.contains_word(word))
    }

    #[inline]
    fn contains_word(&self, word: u32) -> bool {
        let place = (word % MARKS) as usize;
        self.marks.get(place).is_some_and(|&marked| marked) && self.words.contains_key(&word)
    }

    /// Whether all words are unchanged; `read` returns the word at an address.
    pub fn is_same(&self, read: impl Fn(u32) -> u32) -> bool {
        self.words.iter().all(|(&word, &was)| read(word << 2) == was)
    }

    /// Forgets all words.
    pub fn clear(&mut self) {
        self.marks.fill(false);
        self.words.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_store_to_code_touches_it() {
        let mut code = CodeMap::default();
        assert!(!code.contains(0) && !code.touches(0, 3));
        code.mark(0x102, 7);
        assert!(code.contains(0x100) && code.contains(0x103) && !code.contains(0x104));
        assert!(!code.contains(0x100 + 4 * MARKS), "it has the same mark");
        assert!(code.touches(0xf0, 0x100) && !code.touches(0xf0, 0xff) && code.touches(0, u32::MAX));
        assert!(code.is_same(|address| if address == 0x100 { 7 } else { 0 }) && !code.is_same(|_| 0));
        code.clear();
        assert!(!code.contains(0x100) && code.is_same(|_| 0));
    }
}
