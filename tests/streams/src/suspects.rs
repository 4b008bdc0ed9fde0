//! Which rules a difference has to do with, where only digests of the earlier streams are known.

use std::collections::{BTreeMap, BTreeSet};

use crate::Ran;

/// The names of rules in a stream.
fn rules(stream: &str) -> BTreeSet<&str> {
    let words = stream.split_whitespace().map(|word| word.trim_start_matches('+'));
    let of_names = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    words
        .filter(|word| word.bytes().all(of_names) && !word.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .filter(|word| !matches!(*word, "read" | "write" | "enter" | "leave" | "input" | "exit"))
        .collect()
}

/// The rules that stand in a greater part of the changed streams than of all others, with how many of each have them; the most
/// suspect first.
pub(crate) fn of<'a>(changed: &[&'a Ran], same: &[&'a Ran]) -> Vec<(&'a str, usize, usize)> {
    let count = |all: &[&'a Ran]| {
        let mut counts = BTreeMap::<&str, usize>::new();
        for ran in all {
            for rule in rules(&ran.stream) {
                *counts.entry(rule).or_default() += 1;
            }
        }
        counts
    };
    let (with, without) = (count(changed), count(same));
    // In thousandths.
    let share = |part: usize, all: usize| (1000 * part / all.max(1)) as i64;
    let mut suspects: Vec<_> = with
        .into_iter()
        .map(|(rule, many)| (rule, many, without.get(rule).copied().unwrap_or(0)))
        .collect();
    let suspicion =
        |&(_, many, few): &(&str, usize, usize)| share(many, changed.len()) - share(few, same.len());
    suspects.retain(|suspect| suspicion(suspect) > 100);
    suspects.sort_by_key(|suspect| -suspicion(suspect));
    suspects.truncate(5);
    suspects
}
