//! Formats an answer as text for an 80-column terminal, and as JSON.

use std::fmt::Write as _;

use events::{Costs, RuleBook};
use report::{WIDTH, beside, wrapped};
use serde_json::{Value, json};

use super::{Answer, Shown};

/// Minimum width of the instruction column; longer instructions shift the costs.
const INSTRUCTION: usize = 26;
/// Indentation of the text below a rule.
const INDENT: &str = "          ";

impl Answer {
    /// The answer as text: one window per line, followed by the rules of their cycles.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let hit = match self.hit {
            1 => String::new(),
            hit => format!(", hit {hit}"),
        };
        // Writing to a string cannot fail, here and below.
        let head = format!(
            "{} · {} · {} · `{}`{hit} in cycle {}{}",
            file_name(&self.elf),
            self.board,
            self.core,
            self.point,
            self.cycle,
            self.window_of_hit()
        );
        let _ = writeln!(text, "{}\n", wrapped(&head, WIDTH).join("\n"));
        self.windows_to(&mut text);
        self.rules_to(&mut text);
        text
    }

    /// The windows and their rules without a header.
    pub(super) fn windows_and_rules(&self) -> String {
        let mut text = String::new();
        self.windows_to(&mut text);
        self.rules_to(&mut text);
        text
    }

    /// The hit's window, if the point's cycle is not its first one.
    fn window_of_hit(&self) -> String {
        let hit = self.windows.iter().find(|shown| shown.is_hit);
        match hit.map(|shown| shown.at) {
            Some(at) if at.from != self.cycle => {
                format!(", in the window from {} to {}", at.from, at.to)
            }
            _ => String::new(),
        }
    }

    fn windows_to(&self, text: &mut String) {
        let last = self.windows.last().map_or(0, |shown| shown.at.to);
        let digits = last.to_string().len().max("cycle".len());
        let instruction = self.windows.iter().map(|shown| shown.text.chars().count());
        let columns = Columns {
            digits,
            instruction: instruction.max().unwrap_or(0).min(INSTRUCTION),
        };
        let head = columns.line([
            "",
            "cycle",
            "takes",
            "address",
            "instruction",
            "its cycles went to",
        ]);
        let _ = writeln!(text, "{head}\n{}", "─".repeat(WIDTH));
        let mut place = "";
        for shown in &self.windows {
            if !shown.place.is_empty() && shown.place != place {
                place = &shown.place;
                let indent = " ".repeat(columns.before_address());
                let _ = writeln!(text, "{}", beside(&indent, place, 0, ""));
            }
            columns.window(text, shown, &self.book);
        }
        let _ = writeln!(text, "{}", "─".repeat(WIDTH));
    }

    fn rules_to(&self, text: &mut String) {
        let (rules, cycles) = (self.rules(), self.cycles());
        let from = self.windows.first().map_or(0, |shown| shown.at.from);
        let sum: Vec<String> = rules
            .iter()
            .filter(|(_, cycles)| *cycles > 0)
            .map(|(_, cycles)| cycles.to_string())
            .collect();
        let sums = format!(
            "{cycles} cycles from {from} to {}, in {} windows: {}",
            from + cycles,
            self.windows.len(),
            sum.join(" +\u{a0}")
        );
        let _ = writeln!(text, "{}\n", wrapped(&sums, WIDTH).join("\n"));
        for (rule, cycles) in rules {
            let _ = writeln!(text, "{cycles:>8}  {}", rule.id);
            let source = format!("[{}: {}]", rule.mark.name(), rule.source);
            for line in wrapped(&format!("{} {source}", rule.text), WIDTH - INDENT.len()) {
                let _ = writeln!(text, "{INDENT}{line}");
            }
        }
    }

    /// The answer as JSON.
    pub fn to_json(&self, tool: &str) -> String {
        let rules = self.rules().into_iter().map(|(rule, cycles)| {
            json!({
                "id": rule.id, "cycles": cycles, "text": rule.text, "source": rule.source,
                "mark": rule.mark.name(),
            })
        });
        let windows = self.windows.iter().map(|shown| window(shown, &self.book));
        let all = json!({
            "format": "cyclescope-why/1",
            "tool": tool,
            "board": self.board,
            "core": self.core,
            "point": self.point,
            "hit": self.hit,
            "cycle": self.cycle,
            "cycles": self.cycles(),
            "windows": windows.collect::<Vec<_>>(),
            "rules": rules.collect::<Vec<_>>(),
        });
        format!("{all:#}\n")
    }
}

fn window(shown: &Shown, book: &RuleBook) -> Value {
    let causes = shown.costs.iter().map(|cost| {
        let id = book.get(cost.rule).map_or("", |rule| rule.id);
        json!({ "rule": id, "cycles": cost.cycles })
    });
    let rules: Vec<&str> = book.of(shown.rules).map(|rule| rule.id).collect();
    json!({
        "event": shown.kind,
        "from": shown.at.from,
        "to": shown.at.to,
        "cycle": shown.cycle,
        "pc": shown.pc.map(|pc| format!("{pc:#010x}")),
        "text": shown.text.trim_start_matches("── "),
        "at": shown.place,
        "point": shown.is_hit,
        "causes": causes.collect::<Vec<_>>(),
        "rules": rules,
    })
}

/// The widths of the variable columns.
struct Columns {
    digits: usize,
    instruction: usize,
}

impl Columns {
    fn before_address(&self) -> usize {
        2 + self.digits + 2 + 5 + 2
    }

    fn line(&self, [mark, cycle, takes, address, instruction, causes]: [&str; 6]) -> String {
        let (digits, width) = (self.digits, self.instruction);
        let line =
            format!("{mark:<2}{cycle:>digits$}  {takes:>5}  {address:<8}  {instruction:<width$}  {causes}");
        line.trim_end().to_owned()
    }

    fn window(&self, text: &mut String, shown: &Shown, book: &RuleBook) {
        let mark = if shown.is_hit { ">" } else { "" };
        let address = shown.pc.map_or(String::new(), |pc| format!("{pc:08x}"));
        let behind = self.before_address() + 10 + self.instruction + 2;
        let (cycle, takes) = (shown.at.from.to_string(), shown.at.length().to_string());
        let (digits, causes) = (self.digits, causes(shown, book));
        let front = format!("{mark:<2}{cycle:>digits$}  {takes:>5}  {address:<8}  ");
        let _ = writeln!(text, "{}", beside(&front, &shown.text, behind, &causes));
    }
}

/// Costs such as `load 2 + wait-states 1`; for an empty window, the rules that hid it.
fn causes(shown: &Shown, book: &RuleBook) -> String {
    if shown.at.length() == 0 {
        let hidden: Vec<&str> = book.of(shown.rules).map(|rule| rule.id).collect();
        return if hidden.is_empty() {
            String::new()
        } else {
            format!("({})", hidden.join(", "))
        };
    }
    costs(&shown.costs, book)
}

fn costs(costs: &Costs, book: &RuleBook) -> String {
    // A no-break space keeps a rule and its number together.
    let named = costs.iter().map(|cost| {
        let id = book.get(cost.rule).map_or("?", |rule| rule.id);
        format!("{id}\u{a0}{}", cost.cycles)
    });
    named.collect::<Vec<_>>().join(" +\u{a0}")
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
