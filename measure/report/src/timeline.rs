//! Where the cycles of one sample went: its windows in order, and the sum for each instruction.

mod rest;

use serde::{Deserialize, Serialize};

pub use rest::{Folder, MOST_WINDOWS, Rest, Window};

/// Upper bound on cycles when reading a file: nine million seconds at a gigahertz.
const MOST_CYCLES: u64 = 1 << 53;

/// One sample of a measurement.
///
/// Names are stored in tables and referred to by index, since a page holds thousands of timelines.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Timeline {
    /// The cycle since reset in which it began.
    pub began: u64,
    /// The cycle since reset in which it ended.
    pub ended: u64,
    /// Cycles of the sample before the first window, while earlier work was still under way. Negative if the first window began before
    /// the sample.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lead: i64,
    /// Cycles of the sample after the last window. Negative if the last window ends after the sample.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tail: i64,
    /// The sample's number, from 1.
    pub number: u64,
    /// The core's clock when the sample began, in Hz.
    pub clock_hz: u32,
    /// Threads and exceptions that ran.
    pub contexts: Vec<String>,
    /// Rule names.
    pub rules: Vec<String>,
    /// Names of functions and files.
    pub names: Vec<String>,
    /// The executed instructions, each once, in the order of first execution.
    pub code: Vec<Code>,
    /// Lines of the user's project: (function, file, line), where function and file are indices into `names`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<Site>,
    /// The distinct costs of windows as (rule, cycles), in the order of first appearance.
    pub costs: Vec<Vec<(u32, u64)>>,
    /// The first windows in order: (context, code, cycles, costs).
    pub windows: Vec<Window>,
    /// The windows after those, compressed.
    #[serde(default, skip_serializing_if = "Rest::is_empty")]
    pub rest: Rest,
    /// Number of windows after both, which are not kept; `code` has their sums.
    #[serde(default, skip_serializing_if = "is_none")]
    pub omitted: u64,
    /// Context switches of the whole sample: (context, cycle from which it ran), counted from the first window.
    pub turns: Vec<(u32, u64)>,
    /// Number of switches after those, which are not kept.
    #[serde(default, skip_serializing_if = "is_none")]
    pub omitted_turns: u64,
}

/// A line of the user's project: function, if known, and file as indices into [`Timeline::names`], and the line.
pub type Site = (Option<u32>, u32, u32);

/// An instruction, or another way to spend cycles: exception entry, return, sleep.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Code {
    /// Address; `None` if it is not an instruction.
    pub pc: Option<u32>,
    /// Disassembly, or what happened.
    pub text: String,
    /// The function with a symbol: an index into `names`.
    pub function: Option<u32>,
    /// The function inlined there: an index into `names`.
    pub inlined: Option<u32>,
    /// The file: an index into `names`.
    pub file: Option<u32>,
    /// The line; 0 if unknown.
    pub line: u32,
    /// The target of its last jump.
    pub target: Option<u32>,
    /// Number of executions.
    pub count: u64,
    /// Total cycles as (rule, cycles).
    pub cost: Vec<(u32, u64)>,
    /// The line of the user's project that it belongs to, an index into `sites`: that of the innermost inlined function of the project, or
    /// that of the call which led to it.
    pub site: Option<u32>,
}

/// The serialised form: a tuple without field names.
#[derive(Serialize, Deserialize)]
struct Written(
    Option<u32>,
    String,
    Option<u32>,
    Option<u32>,
    Option<u32>,
    u32,
    Option<u32>,
    u64,
    Vec<(u32, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<u32>,
);

impl From<Written> for Code {
    fn from(written: Written) -> Code {
        let Written(pc, text, function, inlined, file, line, target, count, cost, site) = written;
        Code {
            pc,
            text,
            function,
            inlined,
            file,
            line,
            target,
            count,
            cost,
            site,
        }
    }
}

impl From<Code> for Written {
    fn from(code: Code) -> Written {
        let Code {
            pc,
            text,
            function,
            inlined,
            file,
            line,
            target,
            count,
            cost,
            site,
        } = code;
        Written(pc, text, function, inlined, file, line, target, count, cost, site)
    }
}

impl Code {
    /// Total cycles over all rules.
    pub fn cycles(&self) -> u64 {
        self.cost.iter().map(|(_, cycles)| cycles).sum()
    }
}

impl Timeline {
    /// Cycles from begin to end: those of all its code, plus `lead` and `tail`.
    pub fn cycles(&self) -> u64 {
        self.ended - self.began
    }

    /// All kept windows in order, decompressed.
    pub fn unfolded(&self) -> Vec<Window> {
        let mut windows = self.windows.clone();
        self.rest.unfold(&mut windows);
        windows
    }

    /// The name with this index.
    pub fn name(&self, index: Option<u32>) -> Option<&str> {
        self.names.get(index? as usize).map(String::as_str)
    }

    /// The rule with this index.
    pub fn rule(&self, index: u32) -> &str {
        self.rules.get(index as usize).map_or("?", String::as_str)
    }

    /// The function, file and line of the user's project that a piece of code belongs to.
    pub fn site(&self, code: &Code) -> Option<(Option<&str>, &str, u32)> {
        let &(function, file, line) = self.sites.get(code.site? as usize)?;
        Some((self.name(function), self.name(Some(file))?, line))
    }

    /// The same sample without its single windows: the sums by instruction, which tell why another build takes other cycles.
    #[must_use]
    pub fn sums(&self) -> Timeline {
        Timeline {
            contexts: Vec::new(),
            costs: Vec::new(),
            windows: Vec::new(),
            rest: Rest::default(),
            omitted: 0,
            turns: Vec::new(),
            omitted_turns: 0,
            ..self.clone()
        }
    }

    /// The source place, `lock.rs:212`, if known.
    pub fn place(&self, code: &Code) -> Option<String> {
        let file = self.name(code.file)?;
        Some(format!("{file}:{}", code.line))
    }

    /// Validates a timeline read from a file: every index is inside its table, and no number is absurd.
    pub fn is_sound(&self) -> bool {
        let within = |index: u32, length: usize| (index as usize) < length;
        let named = |index: Option<u32>| index.is_none_or(|index| within(index, self.names.len()));
        let cost = |costs: &Vec<(u32, u64)>| costs.iter().all(|(rule, _)| within(*rule, self.rules.len()));
        let sited = |site: Option<u32>| site.is_none_or(|site| within(site, self.sites.len()));
        let site = |&(function, file, _): &Site| named(function) && named(Some(file));
        let code = |code: &Code| {
            let names = [code.function, code.inlined, code.file];
            names.into_iter().all(named) && sited(code.site) && cost(&code.cost)
        };
        let window = |&(context, code, _, costs): &Window| {
            within(context, self.contexts.len())
                && within(code, self.code.len())
                && within(costs, self.costs.len())
        };
        // Below this bound no sum can overflow.
        let length = |cycles: u64| cycles < MOST_CYCLES;
        let edge = |cycles: i64| length(cycles.unsigned_abs());
        let mut all = self.code.iter().flat_map(|code| &code.cost);
        let spent = all.try_fold(0_u64, |sum, (_, cycles)| sum.checked_add(*cycles));
        let small = |costs: &Vec<(u32, u64)>| costs.iter().all(|(_, cycles)| length(*cycles));
        self.began <= self.ended
            && length(self.ended)
            && edge(self.lead)
            && edge(self.tail)
            && spent.is_some_and(length)
            && self.costs.iter().all(small)
            && self.code.iter().all(code)
            && self.sites.iter().all(site)
            && self.costs.iter().all(cost)
            && self.windows.iter().chain(&self.rest.steps).all(window)
            && self.rest.is_sound(self.windows.len())
            && self
                .turns
                .iter()
                .all(|(context, _)| within(*context, self.contexts.len()))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_none(number: &u64) -> bool {
    *number == 0
}
