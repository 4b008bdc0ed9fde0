//! Suggestions for misspelt words.

/// The least similarity worth suggesting (0 to 1, Damerau–Levenshtein distance over length).
const ALIKE: f64 = 0.55;

/// Up to `count` distinct `candidates` similar to `word`, the most similar first.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let lower = word.to_lowercase();
    let mut alike: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (likeness(&lower, &candidate.to_lowercase()), candidate))
        .filter(|&(likeness, _)| likeness >= ALIKE)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    alike.dedup_by(|a, b| a.1 == b.1);
    alike
        .into_iter()
        .take(count)
        .map(|(_, candidate)| candidate)
        .collect()
}

/// The similarity; a prefix of the candidate counts as nearly right.
fn likeness(word: &str, candidate: &str) -> f64 {
    let begun = word.len() >= 3 && candidate.starts_with(word);
    let distance = strsim::normalized_damerau_levenshtein(word, candidate);
    if begun { distance.max(0.9) } else { distance }
}

/// "did you mean `a`, `b` or `c`?", or `None` without any.
pub(crate) fn did_you_mean(words: &[impl AsRef<str>]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    let (last, others) = quoted.split_last()?;
    let list = if others.is_empty() {
        last.clone()
    } else {
        format!("{} or {last}", others.join(", "))
    };
    Some(format!("did you mean {list}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_swapped_letters_and_unfinished_words_and_nothing_strange() {
        let boards = ["stm32f100rb", "lm3s6965evb", "mps2-an385", "cortex-m3"];
        assert_eq!(nearest("stm32f10rb", boards, 1), ["stm32f100rb"]);
        assert_eq!(nearest("lm3s", boards, 3), ["lm3s6965evb"]);
        assert_eq!(nearest("cortxe-m3", boards, 3), ["cortex-m3"]);
        assert!(nearest("esp32", boards, 3).is_empty());
    }

    #[test]
    fn the_question_reads_as_a_sentence() {
        assert_eq!(did_you_mean(&["a"]).unwrap(), "did you mean `a`?");
        assert_eq!(
            did_you_mean(&["a", "b", "c"]).unwrap(),
            "did you mean `a`, `b` or `c`?"
        );
        assert_eq!(did_you_mean(&[] as &[&str]), None);
    }
}
