//! Collapsed stacks, and flame graphs of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use inferno::flamegraph::{self, Options};

use super::{Frame, Profile, Tally};

impl Profile {
    /// Collapsed stacks, a line each: `context;function;function cycles`, inlined functions included. The lines add up to the run's
    /// cycles. With `causes`, the last function is followed by the cause in brackets.
    pub fn folded(&self, causes: bool) -> String {
        let mut text = String::new();
        for (stack, cycles) in self.stacks_of(causes) {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "{stack} {cycles}");
        }
        text
    }

    fn stacks_of(&self, causes: bool) -> BTreeMap<String, u64> {
        let mut all: BTreeMap<String, u64> = BTreeMap::new();
        for index in 0..self.nodes.len() {
            for (names, tally) in self.leaves(index) {
                let stack: Vec<String> = names.iter().map(|name| in_a_stack(name)).collect();
                let stack = stack.join(";");
                if !causes {
                    *all.entry(stack).or_default() += tally.total();
                    continue;
                }
                for (class, cycles) in self.by_class(&tally).into_iter().enumerate() {
                    if cycles > 0 {
                        *all.entry(format!("{stack};[{}]", self.classes[class]))
                            .or_default() += cycles;
                    }
                }
            }
        }
        all.retain(|_, cycles| *cycles > 0);
        all
    }

    /// The stacks that end in a node, inlined functions included, with the cycles spent there.
    pub(super) fn leaves(&self, index: usize) -> Vec<(Vec<String>, Tally)> {
        let above = self.names_above(index);
        let node = &self.nodes[index];
        let mut all = vec![(above.clone(), node.own.clone())];
        for (pc, tally) in &node.code {
            let mut names = above.clone();
            names.extend(self.inlined_at(*pc));
            match all.iter_mut().find(|(known, _)| *known == names) {
                Some((_, sum)) => sum.add(tally),
                None => all.push((names, tally.clone())),
            }
        }
        all.retain(|(_, tally)| tally.total() > 0);
        all
    }

    /// The functions from the root to a node, with the functions inlined at each call site.
    fn names_above(&self, index: usize) -> Vec<String> {
        let mut names = Vec::new();
        for node in self.path(index) {
            let node = &self.nodes[node];
            if let Some(pc) = node.call_site {
                names.extend(self.inlined_at(pc));
            }
            names.push(self.functions[node.function].name.clone());
        }
        names
    }

    /// The functions inlined at an instruction, outermost first, without the function itself.
    fn inlined_at(&self, pc: u32) -> Vec<String> {
        let Some(code) = self.code.get(&pc) else {
            return Vec::new();
        };
        let (_, inlined) = code.frames.split_last().unwrap_or((&NONE, &[]));
        let names = inlined.iter().rev().filter_map(|frame| frame.function.clone());
        names.collect()
    }

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

/// Escapes a name so that it neither splits a stack frame nor looks like a cycle count.
fn in_a_stack(name: &str) -> String {
    let name = name.replace(';', ":");
    match name.rsplit_once(' ') {
        Some((front, last)) if last.parse::<f64>().is_ok() => format!("{front}_{last}"),
        _ => name,
    }
}

/// The frame that stands for sleep.
const ASLEEP: &str = "[asleep]";

/// The margin at either side of a flame graph, in percent of its width.
const SIDE: f64 = 0.83;

const NONE: Frame = Frame {
    function: None,
    place: None,
};

/// A flame graph of what ran in `new`, without sleep; frames that cost more than in `old` are red, those that cost less are blue.
///
/// # Panics
///
/// If there is no cycle to draw.
pub fn flame_difference(old: &Profile, new: &Profile) -> String {
    let ((before, _), (after, _)) = (apart(old.stacks_of(false)), apart(new.stacks_of(false)));
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
