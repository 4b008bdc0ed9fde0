//! The callgrind format, for `KCachegrind` and `callgrind_annotate`: cycles in total and per class of causes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Profile, Tally};

/// Calls from one function to others: how often, and their inclusive cost.
type Calls = BTreeMap<(u32, usize), (u64, Tally)>;

impl Profile {
    /// The profile by instruction, with calls. A context is a function that calls what runs in it.
    pub fn callgrind(&self, tool: &str) -> String {
        let mut text = format!(
            "# callgrind format\nversion: 1\ncreator: {tool}\ncmd: {}\ndesc: Board: {} ({})\npositions: instr line\nevents: Cycles {}\n",
            self.elf.replace(char::is_control, "?"),
            self.board,
            self.core,
            self.classes
                .iter()
                .map(|name| camel(name))
                .collect::<Vec<_>>()
                .join(" ")
        );
        let totals = self.figures(&self.total());
        let _ = writeln!(text, "summary: {totals}\n");
        let calls = self.calls();
        for (function, tallies) in self.code_of().into_iter().enumerate() {
            let calls = &calls[function];
            if tallies.is_empty() && calls.is_empty() {
                continue;
            }
            let known = &self.functions[function];
            let file = known.place.as_ref().map_or("???", |(file, _)| file.as_str());
            let _ = writeln!(text, "fl={file}\nfn={}", named(&known.name));
            for (pc, tally) in &tallies {
                let line = self.inlined_file(*pc, file, &mut text);
                let _ = writeln!(text, "{pc:#x} {line} {}", self.figures(tally));
            }
            for ((site, callee), (count, tally)) in calls {
                let line = self.inlined_file(*site, file, &mut text);
                let callee = &self.functions[*callee];
                if let Some((file, _)) = &callee.place {
                    let _ = writeln!(text, "cfi={file}");
                }
                let (entry, entry_line) = (
                    callee.address.unwrap_or(0),
                    callee.place.as_ref().map_or(0, |(_, line)| *line),
                );
                let _ = writeln!(
                    text,
                    "cfn={}\ncalls={count} {entry:#x} {entry_line}\n{site:#x} {line} {}",
                    named(&callee.name),
                    self.figures(tally)
                );
            }
            text.push('\n');
        }
        text
    }

    /// Writes the file of an instruction, as `fi` if inlining brought it in from another file than `file`, and returns its line.
    fn inlined_file(&self, pc: u32, file: &str, text: &mut String) -> u32 {
        let Some((known, line)) = self.line_of(pc) else {
            return 0;
        };
        let kind = if known == file { "fe" } else { "fi" };
        let _ = writeln!(text, "{kind}={known}");
        line
    }

    /// The instructions of each function; cycles without an instruction are at the function's address, or at 0.
    fn code_of(&self) -> Vec<BTreeMap<u32, Tally>> {
        let mut all = vec![BTreeMap::<u32, Tally>::new(); self.functions.len()];
        for node in &self.nodes {
            let of_function = &mut all[node.function];
            if node.own.total() > 0 {
                let address = self.functions[node.function].address.unwrap_or(0);
                of_function.entry(address).or_default().add(&node.own);
            }
            for (pc, tally) in &node.code {
                of_function.entry(*pc).or_default().add(tally);
            }
        }
        all
    }

    /// The calls that each function made.
    fn calls(&self) -> Vec<Calls> {
        let below = self.below();
        let mut all = vec![Calls::new(); self.functions.len()];
        for (node, tally) in self.nodes.iter().zip(&below) {
            let Some(parent) = node.parent else { continue };
            let key = (node.call_site.unwrap_or(0), node.function);
            let (count, sum) = all[self.nodes[parent].function].entry(key).or_default();
            *count += node.calls;
            sum.add(tally);
        }
        all
    }

    fn figures(&self, tally: &Tally) -> String {
        let all: Vec<String> = std::iter::once(tally.total())
            .chain(self.by_class(tally))
            .map(|cycles| cycles.to_string())
            .collect();
        all.join(" ")
    }
}

/// Escapes a leading bracketed number, which would refer to a name given before.
fn named(name: &str) -> Cow<'_, str> {
    match name.strip_prefix('(') {
        Some(rest) if rest.starts_with(|letter: char| letter.is_ascii_digit()) => {
            Cow::Owned(format!("_{name}"))
        }
        _ => Cow::Borrowed(name),
    }
}

/// An event name in camel case: `wait-state` becomes `WaitState`.
fn camel(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    words.collect()
}
