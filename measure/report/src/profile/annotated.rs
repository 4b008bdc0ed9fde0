//! Annotated source and assembly: each instruction with its count, its cycles and their causes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::summary::rule_off;
use super::{Profile, Tally};
use crate::wrap::{WIDTH, beside};

/// Column at which causes begin, unless the instruction is longer.
const CAUSES: usize = 56;

impl Profile {
    /// The executed instructions of a function, below their source lines. `source` gives the text of a line, if it is known.
    pub fn annotated(&self, function: usize, source: &dyn Fn(&str, u32) -> Option<String>) -> String {
        let (all, inclusive) = (self.by_instruction(), self.by_instruction_inclusive());
        let of_function: BTreeMap<u32, &Tally> = all
            .iter()
            .filter(|(pc, _)| self.code.get(pc).is_some_and(|code| code.function == function))
            .map(|(pc, tally)| (*pc, tally))
            .collect();
        let mut text = String::new();
        let total: u64 = of_function.values().map(|tally| tally.total()).sum();
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            text,
            "{}: {total} cycles of {}",
            self.functions[function].name, self.cycles
        );
        let head = format!("{:>9} {:>9}  {:<8}  ", "count", "cycles", "address");
        let _ = writeln!(
            text,
            "{}",
            beside(&head, "instruction", CAUSES, "its cycles went to")
        );
        rule_off(&mut text);
        let mut place = None;
        for (pc, tally) in of_function {
            let code = &self.code[&pc];
            let here = code.frames.first().and_then(|frame| frame.place.clone());
            if here != place {
                place.clone_from(&here);
                if let Some((file, line)) = here {
                    let says = source(&file, line).unwrap_or_default();
                    let inlined = if code.frames.len() > 1 {
                        code.frames[0]
                            .function
                            .as_deref()
                            .map_or(String::new(), |name| format!(" · {name}"))
                    } else {
                        String::new()
                    };
                    let place = format!("  {}:{line}{inlined}  ", tail(&file));
                    let _ = writeln!(text, "{}", cut(&(place + says.trim())));
                }
            }
            let causes: Vec<String> = self
                .by_rule(tally)
                .iter()
                .map(|(rule, cycles)| format!("{rule}\u{a0}{cycles}"))
                .collect();
            let below = inclusive.get(&pc).map_or(0, Tally::total);
            let mut causes = causes.join(" +\u{a0}");
            if below > tally.total() {
                let _ = write!(causes, " ·\u{a0}with\u{a0}callees\u{a0}{below}");
            }
            let front = format!("{:>9} {:>9}  {pc:08x}  ", tally.count, tally.total());
            let line = beside(&front, &code.text, CAUSES, &causes);
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

/// The last components of a path.
fn tail(path: &str) -> &str {
    let at = path.rmatch_indices(['/', '\\']).nth(2);
    at.map_or(path, |(at, _)| &path[at + 1..])
}

/// A source line, cut to the available width.
fn cut(line: &str) -> String {
    let line = line.trim_end();
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let kept: String = line.chars().take(WIDTH - 1).collect();
    kept.trim_end().to_owned() + "…"
}
