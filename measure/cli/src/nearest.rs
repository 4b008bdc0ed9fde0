//! The right words that are nearest to a wrong one.

/// How alike two words must be, from 0 to 1, to be worth a hint.
const ALIKE: f64 = 0.75;

/// At most `most` of `words` that look like `word`, the nearest first; equally near ones in their own order.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let lower = word.to_lowercase();
    let score = |other: &str| alike(&lower, &other.to_lowercase());
    let mut scored: Vec<(f64, &str)> = words.into_iter().map(|other| (score(other), other)).collect();
    scored.retain(|(score, _)| *score >= ALIKE);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(most).map(|(_, other)| other).collect()
}

/// A hint such as ``did you mean `from`?``, if any word is near.
pub fn did_you_mean<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = nearest(word, words, 3);
    let quoted: Vec<String> = near.iter().map(|word| format!("`{word}`")).collect();
    let (last, before) = quoted.split_last()?;
    let list = if before.is_empty() {
        last.clone()
    } else {
        format!("{} or {last}", before.join(", "))
    };
    Some(format!("did you mean {list}?"))
}

/// Slips of the fingers count by edits; a word with its path left out counts by its end.
fn alike(word: &str, other: &str) -> f64 {
    let end = other.rsplit("::").next().unwrap_or(other);
    let edits = strsim::normalized_damerau_levenshtein(word, other);
    // A little below one: the full name is the better answer when both are there.
    let tail = 0.98 * strsim::normalized_damerau_levenshtein(word, end);
    let begins = if word.len() >= 4 && other.starts_with(word) {
        0.8
    } else {
        0.0
    };
    edits.max(tail).max(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_paths_and_beginnings_are_found() {
        assert_eq!(nearest("form", ["from", "to", "unit"], 3), ["from"]);
        assert_eq!(nearest("publshed", ["published", "program"], 3), ["published"]);
        assert_eq!(
            nearest("yeild", ["app::kernel::yield", "memcpy"], 3),
            ["app::kernel::yield"]
        );
        assert_eq!(
            nearest("stm32f100", ["stm32f100rb", "mps2-an385"], 3),
            ["stm32f100rb"]
        );
        assert_eq!(nearest("pendsv", ["PendSV", "SVCall"], 3), ["PendSV"]);
        assert!(nearest("zebra", ["from", "to"], 3).is_empty());
    }

    #[test]
    fn the_hint_reads_as_a_sentence() {
        assert_eq!(did_you_mean("t1", ["main"]), None);
        assert_eq!(did_you_mean("fron", ["from"]).unwrap(), "did you mean `from`?");
        let three = did_you_mean("task_1", ["task_2", "task_3", "task_4", "task_5"]).unwrap();
        assert_eq!(three, "did you mean `task_2`, `task_3` or `task_4`?");
    }
}
