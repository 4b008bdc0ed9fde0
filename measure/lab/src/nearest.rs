//! Hints for misspelt words.

use machine::nearest;

/// Advice such as ``did you mean `from`?``, if any of `words` is similar.
pub(crate) fn did_you_mean<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_reads_as_a_sentence() {
        assert_eq!(did_you_mean("t1", ["main"]), None);
        assert_eq!(
            did_you_mean("form", ["from", "to", "unit"]).unwrap(),
            "did you mean `from`?"
        );
        let three = did_you_mean("task_1", ["task_2", "task_3", "task_4", "task_5"]).unwrap();
        assert_eq!(three, "did you mean `task_2`, `task_3` or `task_4`?");
    }
}
