//! Flame graphs.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use inferno::flamegraph::{self, Options};

use super::Profile;

impl Profile {
    /// A flame graph as SVG; the width of a frame is its cycles.
    ///
    /// # Panics
    ///
    /// If there is no cycle to draw.
    pub fn flame_graph(&self, causes: bool) -> String {
        drawn(&self.folded(causes), &self.title())
    }

    fn title(&self) -> String {
        let file = self.elf.rsplit(['/', '\\']).next().unwrap_or(&self.elf);
        format!("{file} on {}: {} cycles", self.board, self.cycles)
    }
}

/// A flame graph of `new`; frames that cost more than in `old` are red, those that cost less are blue.
///
/// # Panics
///
/// If there is no cycle to draw.
pub fn flame_difference(old: &Profile, new: &Profile) -> String {
    let (before, after) = (old.stacks_of(false), new.stacks_of(false));
    let mut lines = String::new();
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for stack in all {
        let [was, is] = [&before, &after].map(|stacks| stacks.get(stack).copied().unwrap_or(0));
        let _ = writeln!(lines, "{stack} {was} {is}");
    }
    let title = format!("{} against {} before", new.title(), old.cycles);
    drawn(&lines, &title)
}

fn drawn(lines: &str, title: &str) -> String {
    let mut options = Options::default();
    title.clone_into(&mut options.title);
    "cycles".clone_into(&mut options.count_name);
    // The same profile gives the same picture on every machine.
    options.deterministic = true;
    options.hash = true;
    let mut svg = Vec::new();
    let drawn = flamegraph::from_lines(&mut options, lines.lines(), &mut svg);
    assert!(drawn.is_ok(), "stacks with cycles can be drawn: {drawn:?}");
    String::from_utf8(svg).expect("SVG is text")
}
