//! Turns aligned pairs into reasons.

use std::collections::{BTreeMap, BTreeSet};

use super::aligned::Pair;
use super::lines::{Part, by_line};
use super::{Classes, Item, readable, signed, stable};
use crate::timeline::{Code, Timeline};

/// Most instruction texts that one reason shows.
const MOST_TEXTS: usize = 3;
/// Most lines with the same reason that get an item each; more of them are merged.
const MOST_LINES: usize = 2;
/// Alignments in bytes that an instruction may lose when code before it grows by a halfword.
const ALIGNMENTS: [u32; 3] = [16, 8, 4];

/// Bytes that the flash of most chips reads at once.
const LINE: u32 = 16;

/// A place: function, file, line. Without a file, it is no line of the user's project.
pub(super) type Where = (String, String, u32);

/// The key by which pairs are grouped into one reason.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    /// A function that is newly inlined, or no longer inlined.
    Inlining {
        function: String,
        caller: String,
        now: bool,
    },
    /// The instructions on this line changed.
    Code(Where),
    /// The instructions that set up or remove the frame of the function changed.
    Frame(Where),
    /// The same instructions cost more or fewer cycles by this rule.
    Cost { rule: String, why: String, at: Where },
    /// The same instructions ran more or less often.
    Count(Where),
}

/// The cycles and instructions gathered under one key.
#[derive(Default)]
struct Sum {
    cycles: i64,
    rules: BTreeMap<String, i64>,
    new: Vec<String>,
    gone: Vec<String>,
    counts: (u64, u64),
    /// The line of the call, which tells a reader more than the callee's line.
    call: Option<Where>,
    instructions: usize,
    /// The code below the user's own in which this is, such as a function of a library that was inlined.
    within: BTreeSet<String>,
}

pub(super) fn items(pairs: Vec<Pair<'_>>, old: &Timeline, new: &Timeline, classes: &Classes) -> Vec<Item> {
    let inlining = Inlining::of(old, new);
    let is_same = |pair: &Pair<'_>| matches!(pair, Pair::Both(before, now) if before.count == now.count && before.pc == now.pc);
    let is_same_code = pairs.iter().all(is_same);
    let mut sums: BTreeMap<Kind, Sum> = BTreeMap::new();
    for pair in pairs {
        match pair {
            Pair::New(code) => one_side(code, new, 1, &inlining, &mut sums),
            Pair::Gone(code) => one_side(code, old, -1, &inlining, &mut sums),
            Pair::Both(before, now) => both((before, old), (now, new), (classes, is_same_code), &mut sums),
        }
    }
    let parts = spread(sums).into_iter().filter(|(.., sum)| sum.cycles != 0);
    by_line(parts.map(|(kind, is_of_many, sum)| part(kind, is_of_many, sum)))
}

/// Functions that run out of line on one side and only inlined on the other, with their callers.
struct Inlining {
    /// Out of line in the new build.
    out: BTreeMap<String, String>,
    /// Inlined in the new build.
    into: BTreeMap<String, String>,
}

impl Inlining {
    fn of(old: &Timeline, new: &Timeline) -> Inlining {
        let own = |timeline: &Timeline| -> BTreeSet<String> {
            let names = timeline
                .code
                .iter()
                .filter_map(|code| timeline.name(code.function));
            names.map(|name| last(name).to_owned()).collect()
        };
        let inlined = |timeline: &Timeline| -> BTreeMap<String, String> {
            let both = timeline.code.iter().filter_map(|code| {
                let names = (timeline.name(code.inlined)?, timeline.name(code.function)?);
                Some((last(names.0).to_owned(), last(names.1).to_owned()))
            });
            both.collect()
        };
        let (own_before, own_now) = (own(old), own(new));
        let only = |inlined: BTreeMap<String, String>, here: &BTreeSet<String>, there: &BTreeSet<String>| {
            let moved = |name: &String| there.contains(name) && !here.contains(name);
            inlined.into_iter().filter(|(name, _)| moved(name)).collect()
        };
        Inlining {
            out: only(inlined(old), &own_before, &own_now),
            into: only(inlined(new), &own_now, &own_before),
        }
    }

    /// The kind of change that an instruction of one side belongs to.
    fn kind(&self, code: &Code, timeline: &Timeline, is_new: bool) -> Option<Kind> {
        let own = timeline.name(code.function).map(last);
        let inner = timeline.name(code.inlined).map(last);
        let callee = code.target.and_then(|target| {
            let at = timeline.code.iter().find(|other| other.pc == Some(target))?;
            timeline.name(at.function).map(last)
        });
        let calls = callee.filter(|callee| Some(*callee) != own);
        let find = |changed: &BTreeMap<String, String>, now: bool, names: [Option<&str>; 2]| {
            let (function, caller) = names
                .into_iter()
                .flatten()
                .find_map(|name| changed.get_key_value(name))?;
            Some(Kind::Inlining {
                function: function.clone(),
                caller: caller.clone(),
                now,
            })
        };
        let (alone, within) = ([own, calls], [inner, None]);
        if is_new {
            find(&self.out, false, alone).or_else(|| find(&self.into, true, within))
        } else {
            find(&self.out, false, within).or_else(|| find(&self.into, true, alone))
        }
    }
}

fn one_side(
    code: &Code,
    timeline: &Timeline,
    sign: i64,
    inlining: &Inlining,
    sums: &mut BTreeMap<Kind, Sum>,
) {
    let inlined = inlining.kind(code, timeline, sign > 0);
    let at = place(code, timeline);
    let calls = inlined.is_some() && code.target.is_some() && sign > 0;
    let kind = inlined.unwrap_or_else(|| {
        if is_frame(&code.text) {
            Kind::Frame(at.clone())
        } else {
            Kind::Code(at.clone())
        }
    });
    let sum = sums.entry(kind).or_default();
    sum.within.extend(within(code, timeline));
    if calls && is_call(code) {
        sum.call.get_or_insert(at);
    }
    for &(rule, cycles) in &code.cost {
        sum.add(timeline.rule(rule), sign * signed(cycles));
    }
    let texts = if sign > 0 { &mut sum.new } else { &mut sum.gone };
    texts.push(code.text.clone());
}

fn both(
    (before, old): (&Code, &Timeline),
    (now, new): (&Code, &Timeline),
    (classes, is_same_code): (&Classes, bool),
    sums: &mut BTreeMap<Kind, Sum>,
) {
    let mut rules: BTreeMap<&str, i64> = BTreeMap::new();
    for &(rule, cycles) in &now.cost {
        *rules.entry(new.rule(rule)).or_default() += signed(cycles);
    }
    for &(rule, cycles) in &before.cost {
        *rules.entry(old.rule(rule)).or_default() -= signed(cycles);
    }
    if rules.values().sum::<i64>() == 0 {
        return;
    }
    let at = place(now, new);
    for (rule, cycles) in rules.into_iter().filter(|(_, cycles)| *cycles != 0) {
        let kind = if before.count == now.count {
            let class = classes.get(rule).map_or("", String::as_str);
            Kind::Cost {
                rule: rule.to_owned(),
                why: why(class, before, now, is_same_code),
                at: at.clone(),
            }
        } else {
            Kind::Count(at.clone())
        };
        let sum = sums.entry(kind).or_default();
        sum.add(rule, cycles);
        sum.instructions += 1;
        sum.within.extend(within(now, new));
        sum.counts = (before.count, now.count);
        if !sum.new.contains(&now.text) {
            sum.new.push(now.text.clone());
        }
    }
}

/// Why an unchanged instruction may cost a different number of cycles; `is_same_code` says that no other instruction changed either.
fn why(class: &str, before: &Code, now: &Code, is_same_code: bool) -> String {
    let fetches = ["refill", "miss", "conflict"].contains(&class);
    if !fetches && class != "wait-state" {
        return String::new();
    }
    let moved = |was: Option<u32>, is: Option<u32>| -> Option<(u32, bool)> {
        let (was, is) = (was?, is?);
        let differs = |to: &&u32| (was % **to == 0) != (is % **to == 0);
        let to = *ALIGNMENTS.iter().rev().find(differs)?;
        Some((to, is % to == 0))
    };
    let in_line = |address: Option<u32>| address.map(|address| address % LINE);
    let elsewhere = in_line(before.pc) != in_line(now.pc) || in_line(before.target) != in_line(now.target);
    match (moved(before.target, now.target), moved(before.pc, now.pc)) {
        (Some((to, false)), _) => format!("its target is no longer aligned to {to} bytes"),
        (Some((to, true)), _) => format!("its target is aligned to {to} bytes now"),
        (None, Some((to, false))) => format!("it is no longer aligned to {to} bytes"),
        (None, Some((to, true))) => format!("it is aligned to {to} bytes now"),
        (None, None) if elsewhere => format!("it lies elsewhere in its {LINE} bytes"),
        (None, None) if fetches => String::new(),
        (None, None) if is_same_code => "the memory has other wait states".to_owned(),
        (None, None) => "it waits for the memory differently behind changed code".to_owned(),
    }
}

/// Merges lines that changed for the same reason into one, shown at the line with the most cycles. Also returns whether there are several.
fn spread(sums: BTreeMap<Kind, Sum>) -> Vec<(Kind, bool, Sum)> {
    let mut lines: BTreeMap<(String, String), BTreeMap<Where, Sum>> = BTreeMap::new();
    let mut all = Vec::new();
    for (kind, sum) in sums {
        match kind {
            Kind::Cost { rule, why, at } => {
                // A reason in words may show in several rules, such as those of a flash.
                let rule = if why.is_empty() { rule } else { String::new() };
                let lines = lines.entry((rule, why)).or_default();
                lines.entry(at).or_default().append(sum);
            }
            _ => all.push((kind, false, sum)),
        }
    }
    for ((rule, why), of) in lines {
        let kind = |why: String, at: Where| Kind::Cost {
            rule: rule.clone(),
            why,
            at,
        };
        if of.len() <= MOST_LINES {
            all.extend(
                of.into_iter()
                    .map(|(at, sum)| (kind(why.clone(), at), false, sum)),
            );
            continue;
        }
        let count = of.len();
        let mut of: Vec<(Where, Sum)> = of.into_iter().collect();
        of.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.cycles.abs()));
        let (at, most) = (of[0].0.clone(), of[0].1.cycles);
        let mut together = Sum::default();
        for (_, sum) in of {
            together.append(sum);
        }
        together.new.clear();
        let mut told = format!("{} instructions on {count} lines", together.instructions);
        if !why.is_empty() {
            told = format!("{told}: {why}");
        }
        let kind = kind(format!("{told}, most of it ({most:+}) here"), at);
        all.push((kind, true, together));
    }
    all
}

fn part(kind: Kind, is_of_many: bool, sum: Sum) -> Part {
    let quoted = |texts: &[String]| {
        let shown: Vec<String> = texts
            .iter()
            .take(MOST_TEXTS)
            .map(|text| format!("`{text}`"))
            .collect();
        let more = texts.len().saturating_sub(MOST_TEXTS);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}{more}", shown.join(", "))
    };
    let is_effect = matches!(kind, Kind::Cost { .. } | Kind::Frame(_));
    let are = |texts: &[String]| if texts.len() == 1 { "is" } else { "are" };
    let (what, at) = match kind {
        Kind::Inlining {
            function,
            caller,
            now,
        } => {
            let still = if now {
                "is inlined into"
            } else {
                "is no longer inlined into"
            };
            let at = sum.call.clone().unwrap_or((caller.clone(), String::new(), 0));
            (
                format!("`{}` {still} `{}`", readable(&function), readable(&caller)),
                at,
            )
        }
        Kind::Code(at) | Kind::Frame(at) => {
            let what = match (&sum.new[..], &sum.gone[..]) {
                (new, []) => format!("{} {} new", quoted(new), are(new)),
                ([], gone) => format!("{} {} gone", quoted(gone), are(gone)),
                (new, gone) => format!("{} in place of {}", quoted(new), quoted(gone)),
            };
            (what, at)
        }
        Kind::Cost { why, at, .. } if sum.new.is_empty() => (why, at),
        Kind::Cost { why, at, .. } if why.is_empty() => {
            (format!("{} takes other cycles", quoted(&sum.new)), at)
        }
        Kind::Cost { why, at, .. } => (format!("{}: {why}", quoted(&sum.new)), at),
        Kind::Count(at) => {
            let (before, now) = sum.counts;
            (
                format!("{}: executed {now} times instead of {before}", quoted(&sum.new)),
                at,
            )
        }
    };
    let within: Vec<&str> = sum.within.iter().map(String::as_str).collect();
    let what = match within[..] {
        [] => what,
        [one] => format!("{what}, in {one}"),
        [one, ..] => format!("{what}, in {one} and {} more", within.len() - 1),
    };
    Part {
        is_effect,
        is_of_many,
        what,
        at,
        cycles: sum.cycles,
        rules: sum.rules,
    }
}

impl Sum {
    fn add(&mut self, rule: &str, cycles: i64) {
        self.cycles += cycles;
        *self.rules.entry(rule.to_owned()).or_default() += cycles;
    }

    /// Adds the same instructions' cycles by another rule, or those of another line.
    fn append(&mut self, other: Sum) {
        self.cycles += other.cycles;
        for (rule, cycles) in other.rules {
            *self.rules.entry(rule).or_default() += cycles;
        }
        for text in other.new {
            if !self.new.contains(&text) {
                self.new.push(text);
            }
        }
        self.instructions += other.instructions;
        self.within.extend(other.within);
    }
}

/// The line of the user's project that a piece of code belongs to, with the function there.
fn place(code: &Code, timeline: &Timeline) -> Where {
    match timeline.site(code) {
        Some((function, file, line)) => (stable(function.unwrap_or("")).to_owned(), file.to_owned(), line),
        None => (innermost(code, timeline).to_owned(), String::new(), 0),
    }
}

/// The function that was inlined innermost, or the one with a symbol.
fn innermost<'a>(code: &Code, timeline: &'a Timeline) -> &'a str {
    let inner = timeline.name(code.inlined).or(timeline.name(code.function));
    stable(inner.unwrap_or(""))
}

/// The function and line of a piece of code below the user's own: `wrapping_add` (core/src/num/mod.rs:1234).
fn within(code: &Code, timeline: &Timeline) -> Option<String> {
    let place = timeline.place(code)?;
    let (_, file, line) = timeline.site(code)?;
    let function = last(innermost(code, timeline));
    (place != format!("{file}:{line}")).then(|| format!("`{function}` ({place})"))
}

/// Whether an instruction saves or restores registers, or makes room on the stack: how a function begins and ends.
fn is_frame(text: &str) -> bool {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let mnemonic = mnemonic.split('.').next().unwrap_or("");
    let moves = ["sub", "subw", "add", "addw", "mov", "addi", "stmdb", "ldmia"].contains(&mnemonic);
    let of_stack =
        operands.starts_with("sp,") || operands.starts_with("sp!") || operands.starts_with("r7, sp");
    ["push", "pop", "vpush", "vpop"].contains(&mnemonic) || moves && of_stack
}

/// Whether a jumping instruction also sets the link register.
fn is_call(code: &Code) -> bool {
    let mnemonic = code.text.split([' ', '.']).next().unwrap_or("");
    ["bl", "blx", "jal", "jalr", "c"].contains(&mnemonic)
}

/// A function's own name without its path, for reasons about inlining.
fn last(name: &str) -> &str {
    let name = stable(name);
    let end = name.rsplit_once("::").map_or(name, |(_, end)| end);
    if end.ends_with('>') {
        return name;
    }
    // GCC names copies of a function that it changed: `gain.isra.0`.
    end.split('.').next().unwrap_or(end)
}
