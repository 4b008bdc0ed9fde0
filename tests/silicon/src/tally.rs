//! Counts matching words.

use crate::recording::Dump;

/// Number of words of a kind, and of matching ones.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Words in the recording.
    pub words: u64,
    /// Words that match on the model.
    pub same: u64,
}

/// A word that differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Name of the memory section.
    pub name: String,
    /// Index of the word in its section.
    pub index: usize,
    /// The word on silicon.
    pub expected: u32,
    /// The word on the model.
    pub measured: u32,
}

impl Tally {
    /// Counts a memory section, without trailing words that were never written, and returns the differences.
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

    /// Counts a memory section without any match.
    pub fn miss(&mut self, expected: &Dump) {
        let last = words(expected).iter().rposition(|&word| word != 0);
        self.words += last.map_or(0, |last| last as u64 + 1);
    }

    /// Adds another tally.
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
