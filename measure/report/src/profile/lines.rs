//! The table of source lines, and the causes below its rows.

use std::fmt::Write as _;

use super::summary::{fitting, percent, rule_off};
use super::{ByLine, Profile, Tally};
use crate::wrap::wrapped;

/// Width of the columns before the name.
const FRONT: usize = 44;

/// Width of the name column.
const NAME: usize = 36;

/// Options of a profile's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// Number of rows.
    pub most: usize,
    /// Show source lines instead of functions.
    pub lines: bool,
    /// Show the causes of each row's own cycles.
    pub causes: bool,
}

impl Profile {
    /// The source lines by their own cycles, the most first; cycles without an instruction included.
    pub(super) fn lines_to(&self, text: &mut String, rows: Rows) {
        let mut all: Vec<(String, ByLine)> = self
            .by_line()
            .into_iter()
            .map(|(place, line)| {
                (
                    place.map_or("[no line]".to_owned(), |(file, line)| format!("{file}:{line}")),
                    line,
                )
            })
            .collect();
        let mut others = ByLine::default();
        self.nodes.iter().for_each(|node| others.tally.add(&node.own));
        if others.tally.total() > 0 {
            others.inclusive = others.tally.clone();
            all.push(("[no instruction]".to_owned(), others));
        }
        all.sort_by_key(|(_, line)| std::cmp::Reverse((line.tally.total(), line.inclusive.total())));
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            text,
            "{:>12} {:>7} {:>12} {:>8}  line",
            "own cycles", "share", "with callees", "count"
        );
        rule_off(text);
        let (shown, rest) = all.split_at(rows.most.min(all.len()));
        for (name, line) in shown {
            let own = line.tally.total();
            let (share, name) = (percent(own, self.cycles), fitting(name, NAME));
            let _ = writeln!(
                text,
                "{own:>12} {share:>7} {:>12} {:>8}  {name}",
                line.inclusive.total(),
                line.count
            );
            if rows.causes {
                self.classes_to(text, &line.tally);
            }
        }
        if !rest.is_empty() {
            let own: u64 = rest.iter().map(|(_, line)| line.tally.total()).sum();
            let share = percent(own, self.cycles);
            let _ = writeln!(
                text,
                "{own:>12} {share:>7} {:>12} {:>8}  {} more",
                "",
                "",
                rest.len()
            );
        }
        text.push('\n');
    }

    /// The classes of a tally's cycles, below the row that they belong to.
    pub(super) fn classes_to(&self, text: &mut String, tally: &Tally) {
        let classes = self.by_class(tally).into_iter().zip(&self.classes);
        let mut classes: Vec<_> = classes.filter(|(cycles, _)| *cycles > 0).collect();
        classes.sort_by_key(|(cycles, _)| std::cmp::Reverse(*cycles));
        let classes: Vec<String> = classes
            .iter()
            .map(|(cycles, name)| format!("{name}\u{a0}{cycles}"))
            .collect();
        for line in wrapped(&classes.join(", "), NAME - 2) {
            let _ = writeln!(text, "{:FRONT$}  {line}", "");
        }
    }
}
