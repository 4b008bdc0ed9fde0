//! Flame graphs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use inferno::flamegraph::{self, Options};

use super::Profile;

impl Profile {
    /// A flame graph as SVG of what ran; the width of a frame is its cycles. Sleep is a bar of its own below.
    ///
    /// # Panics
    ///
    /// If there is no cycle to draw.
    pub fn flame_graph(&self, causes: bool) -> String {
        let (awake, asleep) = apart(self.stacks_of(causes));
        let mut lines = String::new();
        for (stack, cycles) in &awake {
            let _ = writeln!(lines, "{stack} {cycles}");
        }
        let svg = drawn(&lines, &self.title());
        with_sleep(svg, awake.values().sum(), asleep)
    }

    /// A flame graph of what ran, without sleep, in which frames that cost more than in `old` are red, those that cost less are blue.
    ///
    /// # Panics
    ///
    /// If there is no cycle to draw.
    pub fn flame_difference(&self, old: &Profile) -> String {
        let ((before, _), (after, _)) = (apart(old.stacks_of(false)), apart(self.stacks_of(false)));
        let mut lines = String::new();
        let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for stack in all {
            let [was, is] = [&before, &after].map(|stacks| stacks.get(stack).copied().unwrap_or(0));
            let _ = writeln!(lines, "{stack} {was} {is}");
        }
        let title = format!("{} against {} before", self.title(), old.cycles);
        drawn(&lines, &title)
    }

    fn title(&self) -> String {
        let file = self.elf.rsplit(['/', '\\']).next().unwrap_or(&self.elf);
        format!("{file} on {}: {} cycles", self.board, self.cycles)
    }
}

/// Stacks by their cycles, without those in which the core slept, and the cycles of the latter. If it only slept, sleep is what there is to
/// draw.
fn apart(stacks: BTreeMap<String, u64>) -> (BTreeMap<String, u64>, u64) {
    let slept = |stack: &str| stack.split(';').any(|frame| frame == ASLEEP);
    let (asleep, awake): (BTreeMap<_, _>, BTreeMap<_, _>) =
        stacks.into_iter().partition(|(stack, _)| slept(stack));
    if awake.is_empty() {
        return (asleep, 0);
    }
    (awake, asleep.values().sum())
}

/// Adds a bar below a flame graph, divided into the cycles that ran and those that the core slept.
#[allow(clippy::cast_precision_loss)] // for people to look at
fn with_sleep(svg: String, ran: u64, asleep: u64) -> String {
    let value = |name: &str| -> Option<f64> {
        let (_, rest) = svg.split_once(&format!("{name}=\""))?;
        rest.split('"').next()?.parse().ok()
    };
    let (Some(width), Some(height), true) = (value("width"), value("height"), asleep > 0) else {
        return svg;
    };
    // In percent of the picture, since a browser stretches it to its window.
    let (room, share) = (100.0 - 2.0 * SIDE, ran as f64 / (ran + asleep) as f64);
    let (bar, text, percent) = (height + 4.0, height + 36.0, 100.0 * (1.0 - share));
    let drawn = format!(
        "<g id=\"sleep\"><title>asleep: {asleep} cycles ({percent:.2}%)</title>\
         <rect x=\"{SIDE}%\" y=\"{bar}\" width=\"{:.3}%\" height=\"16\" fill=\"#e07b39\"/>\
         <rect x=\"{:.3}%\" y=\"{bar}\" width=\"{:.3}%\" height=\"16\" fill=\"#b9c3cc\"/>\
         <text x=\"{SIDE}%\" y=\"{text}\">ran, as drawn above: {ran} cycles; asleep: {asleep} cycles, {percent:.2}% of the run</text></g></svg>",
        room * share,
        SIDE + room * share,
        room * (1.0 - share),
    );
    let taller = height + 44.0;
    svg.replacen(
        &format!("height=\"{height}\""),
        &format!("height=\"{taller}\""),
        2,
    )
    .replacen(
        &format!("viewBox=\"0 0 {width} {height}\""),
        &format!("viewBox=\"0 0 {width} {taller}\""),
        1,
    )
    .replacen("</svg>", &drawn, 1)
}

/// The frame that stands for sleep.
const ASLEEP: &str = "[asleep]";

/// The margin at either side of a flame graph, in percent of its width.
const SIDE: f64 = 0.83;

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
