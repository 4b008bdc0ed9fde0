//! Where the cycles of one sample went: its windows one after the other, and the sums of each instruction.

mod rest;

use serde::{Deserialize, Serialize};

pub use rest::{Folder, MOST_WINDOWS, Rest, Window};

/// No run has so many cycles: nine million seconds at a gigahertz.
const MOST_CYCLES: u64 = 1 << 53;

/// One sample of a measurement.
///
/// Names stand in tables, and everything else refers to them by their index: a page holds thousands of timelines.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Timeline {
    /// The cycle in which it began, since reset.
    pub began: u64,
    /// The cycle in which it ended.
    pub ended: u64,
    /// Its cycles in front of the first window: what ran before was still under way. Less than 0 where the first window began
    /// before the sample.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lead: i64,
    /// Its cycles behind the last window, or, less than 0, those of the last window behind the sample.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tail: i64,
    /// Which sample it is, from 1.
    pub number: u64,
    /// The core's clock in Hz, when the sample began.
    pub clock_hz: u32,
    /// Threads and exceptions that ran.
    pub contexts: Vec<String>,
    /// Rules.
    pub rules: Vec<String>,
    /// Names of functions and files.
    pub names: Vec<String>,
    /// What was executed, each instruction once, in the order in which they were first met.
    pub code: Vec<Code>,
    /// What windows cost: (rule, cycles), in the order in which they were met.
    pub costs: Vec<Vec<(u32, u64)>>,
    /// The first windows one after the other: (context, code, cycles, costs).
    pub windows: Vec<Window>,
    /// The windows behind those, folded.
    #[serde(default, skip_serializing_if = "Rest::is_empty")]
    pub rest: Rest,
    /// Windows behind all of those, which are left out; `code` has their sums.
    #[serde(default, skip_serializing_if = "is_none")]
    pub omitted: u64,
    /// Which context ran from which cycle on, counted from the first window: (context, cycle). Of the whole sample.
    pub turns: Vec<(u32, u64)>,
    /// Turns behind those, which are left out.
    #[serde(default, skip_serializing_if = "is_none")]
    pub omitted_turns: u64,
}

/// An instruction, or what else takes cycles: an entry into an exception, a return, sleep.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Code {
    /// Its address; `None` of what is no instruction.
    pub pc: Option<u32>,
    /// The instruction, or what happened.
    pub text: String,
    /// The function that has a symbol, among the names.
    pub function: Option<u32>,
    /// The function that is inlined there.
    pub inlined: Option<u32>,
    /// The file.
    pub file: Option<u32>,
    /// The line; 0 where it is not known.
    pub line: u32,
    /// Where it jumped to last.
    pub target: Option<u32>,
    /// How often it was executed.
    pub count: u64,
    /// The cycles of all that: (rule, cycles).
    pub cost: Vec<(u32, u64)>,
}

/// As it is written: without names for the fields.
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
);

impl From<Written> for Code {
    fn from(written: Written) -> Code {
        let Written(pc, text, function, inlined, file, line, target, count, cost) = written;
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
        } = code;
        Written(pc, text, function, inlined, file, line, target, count, cost)
    }
}

impl Code {
    /// Its cycles.
    pub fn cycles(&self) -> u64 {
        self.cost.iter().map(|(_, cycles)| cycles).sum()
    }
}

impl Timeline {
    /// The cycles from its beginning to its end: those of all its instructions, with `lead` and `tail`.
    pub fn cycles(&self) -> u64 {
        self.ended - self.began
    }

    /// All windows that are kept, one after the other.
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

    /// `lock.rs:212`, as far as it is known.
    pub fn place(&self, code: &Code) -> Option<String> {
        let file = self.name(code.file)?;
        Some(format!("{file}:{}", code.line))
    }

    /// Whether every index is one of its table, and no number is absurd: a file may say anything.
    pub fn is_sound(&self) -> bool {
        let within = |index: u32, length: usize| (index as usize) < length;
        let named = |index: Option<u32>| index.is_none_or(|index| within(index, self.names.len()));
        let cost = |costs: &Vec<(u32, u64)>| costs.iter().all(|(rule, _)| within(*rule, self.rules.len()));
        let code =
            |code: &Code| named(code.function) && named(code.inlined) && named(code.file) && cost(&code.cost);
        let window = |&(context, code, _, costs): &Window| {
            within(context, self.contexts.len())
                && within(code, self.code.len())
                && within(costs, self.costs.len())
        };
        // No sum of them can overflow then.
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
