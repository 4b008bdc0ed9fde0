//! Why a sample takes other cycles than one of an earlier build: aligned instruction by instruction, with no cycle left over.
//!
//! Each side is what was executed, function by function, in the order of the addresses. Functions are matched by their names, and their
//! instructions by the longest common subsequence of their texts, without the addresses in them. What is on one side only is new or
//! gone with all its cycles; what is on both may take others, and the rules say by what.

mod aligned;
mod items;

use std::collections::BTreeMap;

use crate::figure::short;
use crate::timeline::Timeline;

/// What a difference comes from. The cycles of the items add up to it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Blame {
    /// The new sample's cycles less the old one's.
    pub cycles: i64,
    /// What most of it comes from, first.
    pub items: Vec<Item>,
}

/// One reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// By how many cycles the new one takes more.
    pub cycles: i64,
    /// What happened: `isb sy` is new.
    pub what: String,
    /// The function.
    pub function: Option<String>,
    /// The file, as the compiler recorded it, and the line, in the new program, or in the old one of what is gone.
    pub place: Option<(String, u32)>,
    /// Which rules have more cycles or fewer.
    pub rules: Vec<(String, i64)>,
}

/// The class of each rule by its name, as far as it is known: what kind of thing its cycles are spent on.
pub type Classes = BTreeMap<String, String>;

/// What makes the new sample dearer or cheaper than the old one.
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
        format!(
            "{}: {}{}{}{rules}",
            sign(self.cycles),
            self.what,
            place.unwrap_or_default(),
            function.unwrap_or_default()
        )
    }
}

/// A number with its sign.
pub(crate) fn sign(number: i64) -> String {
    format!("{number:+}")
}

/// The same of a mean.
pub(crate) fn sign_of(number: f64) -> String {
    let plus = if number > 0.0 { "+" } else { "" };
    format!("{plus}{}", short(number))
}

/// A function's name without the hash of its crate, and without the path before its last two parts.
pub(crate) fn readable(name: &str) -> &str {
    let name = stable(name);
    if name.contains(['<', ' ']) {
        return name;
    }
    name.rmatch_indices("::")
        .nth(1)
        .map_or(name, |(at, _)| &name[at + 2..])
}

/// Without the hash, which differs from build to build.
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
