//! Explains why a sample takes more or fewer cycles than in an earlier build. Every cycle of the difference is attributed.
//!
//! Each side lists the executed code by function, in address order. Functions are matched by name, and their instructions by the longest
//! common subsequence of their texts without addresses. An instruction on one side only is new or gone, with all its cycles. A matched
//! one may still cost a different amount; its rules then say which part changed.

mod aligned;
mod items;
mod lines;
mod stack;

use std::collections::BTreeMap;

use crate::figure::short;
use crate::results::one_line;
use crate::timeline::Timeline;

pub use stack::blame_stack;

/// Why two samples differ. The items add up to the difference.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Blame {
    /// The new sample's cycles, or bytes of stack, less the old one's.
    pub by: i64,
    /// The reasons: changes of the code before what follows from them, growth first if it grew, and the largest first.
    pub items: Vec<Item>,
}

/// One reason for a difference: what changed on a line of the user's project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Cycles, or bytes of stack, that the new sample takes more; negative if it takes fewer.
    pub by: i64,
    /// The change in words: `isb sy` is new.
    pub what: String,
    /// The function.
    pub function: Option<String>,
    /// File, relative to the project's folder, and line: in the new program, or in the old one for code that is gone.
    pub place: Option<(String, u32)>,
    /// The rules whose cycles changed, with the change of each.
    pub rules: Vec<(String, i64)>,
    /// Whether it only follows from a change elsewhere: the same instructions cost other cycles, or a function saves other registers.
    pub is_effect: bool,
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
            by: edges,
            what: "instructions under way where the sample begins and ends".to_owned(),
            function: None,
            place: None,
            rules: Vec::new(),
            is_effect: true,
        });
    }
    sort(&mut items, cycles);
    Blame { by: cycles, items }
}

/// Puts causes before effects, what agrees with the difference before what makes up for it, and the largest first.
fn sort(items: &mut [Item], by: i64) {
    items.sort_by_cached_key(|item| {
        let makes_up = item.by.signum() != by.signum();
        let largest = std::cmp::Reverse(item.by.abs());
        (
            item.is_effect,
            makes_up,
            largest,
            item.place.clone(),
            item.what.clone(),
        )
    });
}

impl Item {
    /// `+14 at src/lock.rs:212 in lock: isb sy is new [instruction-barrier +14]`
    pub fn text(&self) -> String {
        let place = self
            .place
            .as_ref()
            .map(|(file, line)| format!(" at {file}:{line}"));
        let function = self
            .function
            .as_ref()
            .map(|name| format!(" in {}", readable(name)));
        let text = format!(
            "{}{}{}: {}{}",
            sign(self.by),
            place.unwrap_or_default(),
            function.unwrap_or_default(),
            self.what,
            self.rules()
        );
        one_line(&text)
    }

    /// The rules with the greatest changes, in brackets.
    fn rules(&self) -> String {
        let mut rules: Vec<&(String, i64)> = self.rules.iter().collect();
        rules.sort_by_key(|(_, by)| std::cmp::Reverse(by.abs()));
        let shown = rules.iter().take(MOST_RULES);
        let shown = shown.map(|(rule, by)| format!("{rule} {}", sign(*by)));
        let more = rules.len().saturating_sub(MOST_RULES);
        let more = (more > 0).then(|| format!("{more} more"));
        match shown.chain(more).collect::<Vec<_>>() {
            none if none.is_empty() => String::new(),
            all => format!(" [{}]", all.join(", ")),
        }
    }
}

/// Most rules that the text of an item names.
const MOST_RULES: usize = 4;

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
            site: (line > 1).then(|| line - 2),
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
            sites: vec![(None, 3, 1), (Some(0), 3, 2), (Some(1), 3, 3)],
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
            prop_assert_eq!(all.items.iter().map(|item| item.by).sum::<i64>(), all.by);
            for item in all.items.iter().filter(|item| !item.rules.is_empty()) {
                prop_assert_eq!(item.rules.iter().map(|(_, cycles)| cycles).sum::<i64>(), item.by);
            }
            let places: Vec<_> = all.items.iter().filter(|item| !item.is_effect).filter_map(|item| item.place.as_ref()).collect();
            let distinct: std::collections::BTreeSet<_> = places.iter().collect();
            prop_assert_eq!(places.len(), distinct.len(), "a line is one cause");
            prop_assert_eq!(blame(&old, &old, &classes), Blame::default());
        }
    }
}
