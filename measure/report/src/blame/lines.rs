//! Joins reasons that concern the same line.

use std::collections::BTreeMap;

use super::Item;
use super::items::Where;

/// Most reasons that the item of one line shows.
const MOST_PARTS: usize = 3;

/// One reason on one line.
pub(super) struct Part {
    /// Whether it only follows from a change elsewhere.
    pub(super) is_effect: bool,
    /// Whether it sums up several lines.
    pub(super) is_of_many: bool,
    /// The change in words.
    pub(super) what: String,
    pub(super) at: Where,
    pub(super) cycles: i64,
    pub(super) rules: BTreeMap<String, i64>,
}

/// An item for each line, so that a change of one line is one reason.
pub(super) fn by_line(parts: impl Iterator<Item = Part>) -> Vec<Item> {
    let mut lines: Vec<Vec<Part>> = Vec::new();
    for part in parts {
        let is_on_it = |line: &&mut Vec<Part>| {
            let is_line = line[0].at.2 > 0 && line[0].at.1 == part.at.1 && line[0].at.2 == part.at.2;
            is_line && !line[0].is_of_many && !part.is_of_many
        };
        match lines.iter_mut().find(is_on_it) {
            Some(line) => line.push(part),
            None => lines.push(vec![part]),
        }
    }
    lines.into_iter().map(line).filter(|item| item.by != 0).collect()
}

/// The item of the reasons on one line.
fn line(mut parts: Vec<Part>) -> Item {
    parts.sort_by_key(|part| (part.is_effect, std::cmp::Reverse(part.cycles.abs())));
    let what = match &parts[..] {
        [one] => one.what.clone(),
        several => {
            let shown = several.iter().take(MOST_PARTS);
            let shown = shown.map(|part| format!("{} ({:+})", part.what, part.cycles));
            let more = several.len().saturating_sub(MOST_PARTS);
            let more = (more > 0).then(|| format!("{more} more"));
            shown.chain(more).collect::<Vec<_>>().join("; ")
        }
    };
    let mut rules: BTreeMap<String, i64> = BTreeMap::new();
    for (rule, cycles) in parts.iter().flat_map(|part| &part.rules) {
        *rules.entry(rule.clone()).or_default() += cycles;
    }
    let (function, file, line) = parts[0].at.clone();
    Item {
        by: parts.iter().map(|part| part.cycles).sum(),
        what,
        function: Some(function).filter(|function| !function.is_empty()),
        place: (line > 0).then_some((file, line)),
        rules: rules.into_iter().filter(|(_, cycles)| *cycles != 0).collect(),
        is_effect: parts.iter().all(|part| part.is_effect),
    }
}
