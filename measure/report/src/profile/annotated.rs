//! Source and assembly, each instruction with its count, its cycles and what they went to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Profile, Tally};

impl Profile {
    /// The instructions of a function that were executed, below the source line of each. `source` gives the text of a line, where
    /// it is known.
    pub fn annotated(&self, function: usize, source: &dyn Fn(&str, u32) -> Option<String>) -> String {
        let all = self.by_instruction();
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
        let _ = writeln!(
            text,
            "{:>10} {:>10}  {:<8}  {:<30}  its cycles went to",
            "count", "cycles", "address", "instruction"
        );
        let _ = writeln!(text, "{}", "─".repeat(96));
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
                    let line = format!("  {}:{line}{inlined}  {}", tail(&file), says.trim());
                    let _ = writeln!(text, "{}", line.trim_end());
                }
            }
            let causes: Vec<String> = self
                .by_rule(tally)
                .iter()
                .map(|(rule, cycles)| format!("{rule} {cycles}"))
                .collect();
            let line = format!(
                "{:>10} {:>10}  {pc:08x}  {:<30}  {}",
                tally.count,
                tally.total(),
                code.text,
                causes.join(" + ")
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

/// The last parts of a path, which a person needs.
fn tail(path: &str) -> &str {
    let at = path.rmatch_indices(['/', '\\']).nth(2);
    at.map_or(path, |(at, _)| &path[at + 1..])
}
