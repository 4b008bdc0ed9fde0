//! Counting the words that are the same.

use crate::recording::Dump;

/// How many words of a kind there are, and how many of them are the same.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Words that the recording holds.
    pub words: u64,
    /// Those that the model leaves too.
    pub same: u64,
}

/// A word that differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The name of the part of memory.
    pub name: String,
    /// Which of its words.
    pub index: usize,
    /// What silicon left.
    pub expected: u32,
    /// What the model left.
    pub measured: u32,
}

impl Tally {
    /// Counts a part of memory, without the words at its end that nobody wrote; says which differ.
    pub fn count(&mut self, expected: &Dump, measured: &Dump) -> Vec<Difference> {
        let (expected_words, measured_words) = (words(expected), words(measured));
        let written = |words: &[u32]| {
            words
                .iter()
                .rposition(|&word| word != 0)
                .map_or(0, |last| last + 1)
        };
        let count = written(&expected_words).max(written(&measured_words));
        let pairs = expected_words.iter().zip(&measured_words).take(count).enumerate();
        let differ = pairs.filter(|(_, (expected, measured))| expected != measured);
        let differences: Vec<_> = differ
            .map(|(index, (&expected_word, &measured))| Difference {
                name: expected.name.clone(),
                index,
                expected: expected_word,
                measured,
            })
            .collect();
        self.words += count as u64;
        self.same += (count - differences.len()) as u64;
        differences
    }

    /// Counts a part of memory of which nothing is the same.
    pub fn miss(&mut self, expected: &Dump) {
        let last = words(expected).iter().rposition(|&word| word != 0);
        self.words += last.map_or(0, |last| last as u64 + 1);
    }

    /// Adds another one.
    pub fn add(&mut self, other: Tally) {
        self.words += other.words;
        self.same += other.same;
    }
}

fn words(dump: &Dump) -> Vec<u32> {
    let chunks = dump.content.chunks_exact(4);
    chunks
        .map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(words: &[u32]) -> Dump {
        Dump {
            name: "times".into(),
            address: 0,
            content: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        }
    }

    #[test]
    fn words_that_nobody_wrote_do_not_count() {
        let mut tally = Tally::default();
        let differ = tally.count(&dump(&[1, 0, 3, 0, 0]), &dump(&[1, 0, 4, 0, 0]));
        assert_eq!(tally, Tally { words: 3, same: 2 });
        assert_eq!(
            (differ[0].index, differ[0].expected, differ[0].measured),
            (2, 3, 4)
        );
    }

    #[test]
    fn a_word_that_only_the_model_wrote_differs() {
        let mut tally = Tally::default();
        assert_eq!(tally.count(&dump(&[1, 0]), &dump(&[1, 5])).len(), 1);
        assert_eq!(tally.words, 2);
    }
}
