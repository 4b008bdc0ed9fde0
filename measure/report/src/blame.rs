//! Explains why a sample takes more or fewer cycles than in an earlier build. Every cycle of the difference is attributed.
//!
//! Each side lists the executed code by function, in address order. Functions are matched by name, and their instructions by the longest
//! common subsequence of their texts without addresses. An instruction on one side only is new or gone, with all its cycles. A matched
//! one may still cost a different amount; its rules then say which part changed.

mod aligned;
mod items;

use std::collections::BTreeMap;

use crate::figure::short;
use crate::results::one_line;
use crate::timeline::Timeline;

/// Why two samples differ. The cycles of the items add up to the difference.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Blame {
    /// The new sample's cycles less the old one's.
    pub cycles: i64,
    /// The reasons, the largest first.
    pub items: Vec<Item>,
}

/// One reason for a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Cycles that the new sample takes more; negative if it takes fewer.
    pub cycles: i64,
    /// The change in words: `isb sy` is new.
    pub what: String,
    /// The function.
    pub function: Option<String>,
    /// File, as the compiler recorded it, and line: in the new program, or in the old one for code that is gone.
    pub place: Option<(String, u32)>,
    /// The rules whose cycles changed, with the change of each.
    pub rules: Vec<(String, i64)>,
}

/// The class of each rule by its name: what kind of thing the rule's cycles are spent on. Unknown rules are missing.
pub type Classes = BTreeMap<String, String>;

/// Explains the difference in cycles between two samples.
pub fn blame(old: &Timeline, new: &Timeline, classes: &Classes) -> Blame {
    let cycles = signed(new.cycles()) - signed(old.cycles());
    let mut items = items::items(aligned::aligned(old, new), old, new, classes);
    let edges = new.lead + new.tail - old.lead - old.tail;
    if edges != 0 {
        items.push(Item {
            cycles: edges,
            what: "instructions under way where the sample begins and ends".to_owned(),
            function: None,
            place: None,
            rules: Vec::new(),
        });
    }
    items.sort_by(|a, b| {
        let key = |item: &Item| {
            (
                std::cmp::Reverse(item.cycles.abs()),
                item.place.clone(),
                item.what.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    Blame { cycles, items }
}

impl Item {
    /// `+14: isb sy is new, at lock.rs:212 in lock (instruction-barrier +14)`
    pub fn text(&self) -> String {
        let place = self
            .place
            .as_ref()
            .map(|(file, line)| format!(" at {}:{line}", base(file)));
        let function = self
            .function
            .as_ref()
            .map(|name| format!(" in {}", readable(name)));
        let rules: Vec<String> = self
            .rules
            .iter()
            .map(|(rule, cycles)| format!("{rule} {}", sign(*cycles)))
            .collect();
        let rules = match rules[..] {
            [] => String::new(),
            _ => format!(" ({})", rules.join(", ")),
        };
        let text = format!(
            "{}: {}{}{}{rules}",
            sign(self.cycles),
            self.what,
            place.unwrap_or_default(),
            function.unwrap_or_default()
        );
        one_line(&text)
    }
}

/// A number with its sign.
pub(crate) fn sign(number: i64) -> String {
    format!("{number:+}")
}

/// A real number with its sign and at most two decimals, for means.
pub(crate) fn sign_of(number: f64) -> String {
    let plus = if number > 0.0 { "+" } else { "" };
    format!("{plus}{}", short(number))
}

/// A function's name without its crate hash, cut to the last two parts of its path.
pub(crate) fn readable(name: &str) -> &str {
    let name = stable(name);
    if name.contains(['<', ' ']) {
        return name;
    }
    name.rmatch_indices("::")
        .nth(1)
        .map_or(name, |(at, _)| &name[at + 2..])
}

/// A symbol name without its hash, which changes from build to build.
fn stable(name: &str) -> &str {
    let hash = name.rsplit_once("::h").map_or("", |(_, hash)| hash);
    if hash.len() == 16 && hash.bytes().all(|letter| letter.is_ascii_hexdigit()) {
        &name[..name.len() - "::h".len() - hash.len()]
    } else {
        name
    }
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn signed(cycles: u64) -> i64 {
    i64::try_from(cycles).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::timeline::Code;

    const TEXTS: [&str; 6] = [
        "nop",
        "bl 0x8000100",
        "isb sy",
        "ldr r0, [pc, #8]",
        "push {r4, lr}",
        "bne.n 0x8000020",
    ];

    /// An instruction: text, function, inlined function, line, count, cycles, and which one it jumps to.
    type Drawn = (usize, u32, Option<u32>, u32, u64, u64, Option<usize>);

    fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
        let inlined = prop::option::of(0..3_u32);
        let one = (
            0..TEXTS.len(),
            0..3_u32,
            inlined,
            1..5_u32,
            1..4_u64,
            0..9_u64,
            prop::option::of(0..30_usize),
        );
        vec(one, 1..30)
    }

    fn timeline(drawn: &[Drawn], lead: i64, shift: u32) -> Timeline {
        let address = |index: usize| 0x0800_0000 + shift + 2 * index as u32;
        let code = |(index, &(text, function, inlined, line, count, cycles, target)): (usize, &Drawn)| Code {
            pc: Some(address(index)),
            text: TEXTS[text].to_owned(),
            function: Some(function),
            inlined,
            file: Some(3),
            line,
            target: target.map(|target| address(target % drawn.len())),
            count,
            cost: vec![((cycles % 3) as u32, cycles)],
        };
        let code: Vec<Code> = drawn.iter().enumerate().map(code).collect();
        let cycles: u64 = code.iter().map(Code::cycles).sum();
        Timeline {
            began: 1000,
            ended: 1000 + cycles + lead.unsigned_abs(),
            lead,
            names: ["a", "b", "c", "x.c"].map(str::to_owned).to_vec(),
            rules: ["r0", "r1", "r2"].map(str::to_owned).to_vec(),
            code,
            ..Timeline::default()
        }
    }

    proptest! {
        #[test]
        fn reasons_add_up_to_the_difference_whatever_the_programs(
            old in drawn(), new in drawn(), leads in (0..5_i64, 0..5_i64), shift in 0..8_u32,
        ) {
            let classes = [("r0", "refill"), ("r1", "wait-state"), ("r2", "issue")];
            let classes: Classes = classes.map(|(rule, class)| (rule.to_owned(), class.to_owned())).into();
            let (old, new) = (timeline(&old, leads.0, 0), timeline(&new, leads.1, 2 * shift));
            let all = blame(&old, &new, &classes);
            prop_assert_eq!(all.items.iter().map(|item| item.cycles).sum::<i64>(), all.cycles);
            for item in all.items.iter().filter(|item| !item.rules.is_empty()) {
                prop_assert_eq!(item.rules.iter().map(|(_, cycles)| cycles).sum::<i64>(), item.cycles);
            }
            prop_assert_eq!(blame(&old, &old, &classes), Blame::default());
        }
    }
}
