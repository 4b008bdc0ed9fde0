//! A profile as text for an 80-column terminal.

use std::fmt::Write as _;

use super::{Profile, Rows, Tally};
use crate::wrap::WIDTH;

/// Width of the column of function names.
const NAME: usize = WIDTH - 44;

/// Width of the call path at a stack's peak.
const STACK: usize = WIDTH - 4;

impl Profile {
    /// The most expensive functions or lines, and one row for the rest.
    pub fn table(&self, rows: Rows) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            text,
            "{} · {} · {}\n{}\n",
            file_name(&self.elf),
            self.board,
            self.core,
            crate::wrapped(&self.headline(), WIDTH).join("\n")
        );
        self.causes_to(&mut text);
        self.contexts_to(&mut text);
        self.kernels_to(&mut text);
        if rows.lines {
            self.lines_to(&mut text, rows);
        } else {
            self.functions_to(&mut text, rows);
        }
        self.stacks_to(&mut text);
        self.rest_to(&mut text);
        text
    }

    fn headline(&self) -> String {
        let asleep = self.classes.iter().position(|name| name == "asleep");
        let asleep = asleep.map_or(0, |class| self.by_class(&self.total())[class]);
        let (micros, rest) = (self.nanoseconds / 1000, self.nanoseconds % 1000);
        format!(
            "{} cycles, {} instructions, {micros}.{rest:03} µs; load {}; {}",
            self.cycles,
            self.instructions,
            percent(self.cycles - asleep, self.cycles),
            self.outcome
        )
    }

    fn causes_to(&self, text: &mut String) {
        let total = self.total();
        let _ = writeln!(text, "{:>14} {:>8}  {:<12} rules", "cycles", "share", "cause");
        rule_off(text);
        let sums = self.by_class(&total);
        let mut order: Vec<usize> = (0..sums.len()).filter(|&class| sums[class] > 0).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(sums[class]));
        for class in order {
            let share = percent(sums[class], self.cycles);
            let of_class = Tally {
                count: 0,
                cycles: total
                    .cycles
                    .iter()
                    .copied()
                    .filter(|(cause, _)| self.causes[*cause].class == class)
                    .collect(),
            };
            let rules = self.by_rule(&of_class);
            let rules: Vec<String> = rules
                .iter()
                .map(|(rule, cycles)| format!("{rule} {cycles}"))
                .collect();
            let lines = crate::wrapped(
                &rules
                    .iter()
                    .map(|rule| rule.replace(' ', "\u{a0}"))
                    .collect::<Vec<_>>()
                    .join(", "),
                40,
            );
            let mut lines = lines.iter();
            let first = lines.next().map_or("", String::as_str);
            let _ = writeln!(
                text,
                "{:>14} {share:>8}  {:<12} {first}",
                sums[class], self.classes[class]
            );
            for line in lines {
                let _ = writeln!(text, "{:>38}{line}", "");
            }
        }
        text.push('\n');
    }

    fn contexts_to(&self, text: &mut String) {
        let _ = writeln!(text, "{:>14} {:>8} {:>10}  context", "cycles", "share", "runs");
        rule_off(text);
        // A single thread needs no name.
        let threads = self.contexts.iter().filter(|context| context.is_thread).count();
        for (context, tally) in self.contexts.iter().zip(self.by_context()) {
            let cycles = tally.total();
            let entry = context.entry.as_ref().filter(|_| threads > 1);
            let entry = entry.map_or(String::new(), |entry| format!(": {}", fitting(entry, NAME - 10)));
            let _ = writeln!(
                text,
                "{cycles:>14} {:>8} {:>10}  {}{entry}",
                percent(cycles, self.cycles),
                context.runs,
                context.name
            );
        }
        text.push('\n');
    }

    fn functions_to(&self, text: &mut String, rows: Rows) {
        let (all, most) = (self.by_function(), rows.most);
        let _ = writeln!(
            text,
            "{:>12} {:>7} {:>12} {:>8}  function",
            "own cycles", "share", "with callees", "calls"
        );
        rule_off(text);
        for sum in all.iter().take(most) {
            let own = sum.exclusive.total();
            let name = fitting(&self.functions[sum.function].name, NAME);
            let _ = writeln!(
                text,
                "{own:>12} {:>7} {:>12} {:>8}  {name}",
                percent(own, self.cycles),
                sum.inclusive,
                sum.calls
            );
            if rows.causes {
                self.classes_to(text, &sum.exclusive);
            }
        }
        let rest = all.get(most..).unwrap_or_default();
        if !rest.is_empty() {
            let own: u64 = rest.iter().map(|sum| sum.exclusive.total()).sum();
            let _ = writeln!(
                text,
                "{own:>12} {:>7} {:>12} {:>8}  {} more",
                percent(own, self.cycles),
                "",
                "",
                rest.len()
            );
        }
        text.push('\n');
    }

    fn stacks_to(&self, text: &mut String) {
        for stack in &self.stacks {
            let bytes = stack.top - stack.lowest;
            let inside = stack.variable.as_ref();
            let inside = inside.map_or(String::new(), |(name, size)| {
                format!(", in `{name}` of {size} bytes")
            });
            let over = stack.runs_into.as_ref();
            let over = over.map_or(String::new(), |name| format!(", running into `{name}`"));
            let line = format!(
                "stack of {}: {bytes} bytes at most, down to {:#010x}{inside}{over}:",
                self.contexts[stack.context].name, stack.lowest
            );
            let _ = writeln!(text, "{}", crate::wrapped(&line, WIDTH).join("\n"));
            let names: Vec<String> = stack
                .path
                .iter()
                .map(|&node| {
                    let name = &self.functions[self.nodes[node].function].name;
                    fitting(name, STACK - 2).replace(' ', "\u{a0}")
                })
                .collect();
            for line in crate::wrapped(&names.join(" > "), STACK) {
                let _ = writeln!(text, "    {line}");
            }
        }
    }

    fn rest_to(&self, text: &mut String) {
        self.latencies_to(text);
        self.masks_to(text);
        let (hit, all) = self.coverage();
        if all > 0 {
            let _ = writeln!(
                text,
                "lines executed: {hit} of {all} ({})",
                percent(hit as u64, all as u64)
            );
        }
    }
}

pub(super) fn rule_off(text: &mut String) {
    let _ = writeln!(text, "{}", "─".repeat(WIDTH));
}

/// A share in percent, rounded to a tenth.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let tenths = (u128::from(part) * 2000 / u128::from(whole)).div_ceil(2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Shortens a name from the front: the end of a path says most.
pub(super) fn fitting(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    let rest: String = name.chars().skip(length - (width - 1)).collect();
    format!("…{rest}")
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
