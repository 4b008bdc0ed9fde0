//! Measures the calls of functions, from the first instruction to the return address.
//!
//! [`cost`] needs no spec; a spec says `function = "name"`. The crate `spans` defines what a call is; the [`Follower`] extracts the
//! records that it needs from the events.

mod follower;
pub(crate) mod inlining;
pub(crate) mod millicode;

use std::sync::Arc;

use machine::image::{Symbol, SymbolError};
use machine::{Allow, Board, Image, Stimulus};
use report::Unit;

use crate::asked::{Asked, Interruption};
use crate::backend::Backend;
use crate::diagnostic::Result;
use crate::horizon::Horizon;
use crate::measure::{Outcome, Setup, measure};
use crate::spec::{ImageName, Located, Measured, Program, SpanSpec};
use crate::watch::View;

pub(crate) use follower::Follower;

/// The benchmark command.
const BENCH: &str = "bench";

/// Prefix of the symbol of a benchmark's call (`measure/bench`); the rest is the id of its row.
const BENCHMARK: &str = "cyclescope.bench:";

/// The benchmarks of a program as (symbol, id), sorted by id.
pub fn benchmarks(image: &Image) -> Vec<(String, String)> {
    let benchmark = |symbol: &Symbol| {
        let id = symbol.mangled.strip_prefix(BENCHMARK)?;
        Some((symbol.mangled.clone(), id.to_owned()))
    };
    let mut all: Vec<_> = image.symbols().filter_map(benchmark).collect();
    all.sort_by(|(_, a), (_, b)| a.cmp(b));
    all
}

/// The functions to measure, and how.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The command's name for messages.
    pub command: &'static str,
    /// The functions' names, as in points.
    pub functions: Vec<String>,
    /// Number of calls of each function to measure.
    pub count: Option<u64>,
    /// The limit of the run.
    pub horizon: Horizon,
    /// Whether to measure stack use too.
    pub stack: bool,
    /// Whether to record timelines of each function's worst and best call.
    pub timelines: bool,
    /// External interrupts.
    pub interrupts: Vec<Interruption>,
    /// External input to the program's devices.
    pub stimuli: Vec<Stimulus>,
    /// Addresses to answer although the board does not describe them.
    pub allow: Vec<Allow>,
    /// The backend that runs the program.
    pub backend: Backend,
}

/// Measures calls: a row for each function, or for each symbol if a name is ambiguous.
pub fn cost(image: &Arc<Image>, board: &Board, cost: &Cost) -> Outcome {
    run(image, board, cost).unwrap_or_else(|message| Outcome {
        messages: vec![message],
        ..Outcome::default()
    })
}

fn run(image: &Arc<Image>, board: &Board, cost: &Cost) -> Result<Outcome> {
    let mut asked = Asked::new(cost.command, image);
    let functions: Vec<Located<String>> = cost.functions.iter().map(|name| asked.word(name)).collect();
    let raises = asked.raises(&cost.interrupts);
    let spec = asked.spec();
    let mut spans: Vec<SpanSpec> = Vec::new();
    for function in functions.iter().flat_map(|name| symbols(image, name)) {
        let mut span = span(&function, cost.count);
        let same = spans
            .iter()
            .filter(|other| base(&other.id.value) == span.id.value)
            .count();
        if same > 0 {
            let asked = |other: &SpanSpec| matches!(&other.what, Measured::Calls(name) if name.value == function.0.value);
            if spans.iter().any(asked) {
                continue;
            }
            span.id.value = format!("{}#{}", span.id.value, same + 1);
        }
        spans.push(span);
    }
    let program = Program {
        image: ImageName::None,
        board: None,
        limit: None,
        spans,
        raises,
        stimuli: cost.stimuli.clone(),
        needs: None,
        builds: Vec::new(),
    };
    let mut outcome = measure(Setup {
        spec: &spec,
        program: &program,
        image,
        board,
        backend: &cost.backend,
        allow: &cost.allow,
        view: View::Retire,
        stack: cost.stack,
        horizon: cost.horizon,
        timelines: cost.timelines,
        until: match cost.count {
            None if cost.command == BENCH => {
                "the program should end by itself: `cyclescope_bench::end` does that"
            }
            _ => "`--count N` ends the run after N calls of each function",
        },
    })?;
    cost.backend.name_source(&mut outcome.rows);
    Ok(outcome)
}

/// The id without the number that distinguishes functions of one name.
fn base(id: &str) -> &str {
    id.rsplit_once('#').map_or(id, |(base, _)| base)
}

/// The symbols that a name stands for: an unambiguous name, and a label, for each.
fn symbols(image: &Image, name: &Located<String>) -> Vec<(Located<String>, String)> {
    let alone = |symbol: &str| Located {
        value: symbol.to_owned(),
        range: name.range.clone(),
    };
    match image.symbol(&name.value) {
        Err(SymbolError::Ambiguous { candidates, .. }) => {
            let readable = |mangled: &String| (alone(mangled), machine::image::demangle(mangled));
            candidates.iter().map(readable).collect()
        }
        _ => vec![(name.clone(), name.value.clone())],
    }
}

fn span((function, name): &(Located<String>, String), count: Option<u64>) -> SpanSpec {
    SpanSpec {
        id: Located {
            value: match name.strip_prefix(BENCHMARK) {
                Some(id) => id.to_owned(),
                None => format!("cost/{name}"),
            },
            range: function.range.clone(),
        },
        what: Measured::Calls(function.clone()),
        unit: Unit::Cycles,
        kernel: "none".to_owned(),
        about: None,
        section: None,
        series: None,
        use_of: None,
        skip: 0,
        count,
        published: None,
        reference: report::Reference::default(),
        origin: None,
        conditions: None,
        because: None,
        max: None,
        minus: None,
    }
}
