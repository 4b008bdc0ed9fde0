//! Profiles a whole run: follows every window and builds a [`Profile`].

mod functions;
mod jumps;
mod kernels;
mod latency;
mod recorder;
mod stack;
mod taken;
mod tree;

use std::sync::Arc;

use events::{Event, Flow, Interest, Sink, Step};
use machine::{
    Allow, Board, Console, Debugger, Exception, ExceptionNames, Image, Options, Outcome, Stimulus,
};
use report::profile::Profile;

use crate::asked::{Arrivals, Interruption, Noting, inputs, never_came};
use crate::backend::{Backend, Bench};
use crate::cut;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::ended::{failure, in_words};
use crate::fit::overclocked;
use crate::horizon::Horizon;

pub use kernels::Kernels;
use recorder::Recorder;

/// The options of a profile.
#[derive(Clone, Default, Debug)]
pub struct Profiling {
    /// How far to run.
    pub horizon: Horizon,
    /// External interrupts.
    pub interrupts: Vec<Interruption>,
    /// External input to the program's devices.
    pub stimuli: Vec<Stimulus>,
    /// Addresses to answer although the board does not describe them.
    pub allow: Vec<Allow>,
    /// The marks by which kernels are recognised; `None` uses [`Kernels::known`].
    pub kernels: Option<Kernels>,
}

/// Advice for a program that does not end.
const TO_END: &str =
    "`--cycles 2M` profiles that many cycles, `--for 2s` that much of the chip's time, and ends";

/// A profile, and what went wrong in its run.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The profile, up to where the run ended.
    pub profile: Profile,
    /// Why the run ended early.
    pub failure: Option<Diagnostic>,
    /// Warnings about external input that did not arrive, and about missing information.
    pub missing: Vec<Diagnostic>,
}

/// Follows contexts and calls during a run, for live displays.
pub(crate) struct Follower<'a>(Recorder<'a>);

impl<'a> Follower<'a> {
    pub(crate) fn new(image: &'a Image) -> Follower<'a> {
        Follower(Recorder::new(image, Kernels::known().switch_by_call(image)))
    }

    /// The running context and its call path, outermost first, starting with the context itself.
    pub(crate) fn path(&self) -> (usize, Vec<u32>) {
        self.0.path()
    }

    /// The running context and the innermost call.
    pub(crate) fn here(&self) -> (usize, u32) {
        self.0.here()
    }

    /// The running context.
    pub(crate) fn context(&self) -> usize {
        self.0.context()
    }

    /// Whether the context or call may have changed since the last query.
    pub(crate) fn moved(&mut self) -> bool {
        self.0.moved()
    }

    /// Stack depth in bytes at this stack pointer.
    pub(crate) fn depth(&self, sp: u32) -> u32 {
        self.0.depth(sp)
    }

    pub(crate) fn context_name(&self, context: usize, called: &ExceptionNames) -> String {
        taken::context_name(&self.0.contexts[context], called)
    }

    pub(crate) fn name(&self, node: u32, image: &Image, called: &ExceptionNames) -> String {
        taken::node_name(&self.0, node, image, called)
    }
}

impl Sink for Follower<'_> {
    fn interest(&self) -> Interest {
        self.0.interest()
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.0.event(event)
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        self.0.step(step)
    }
}

/// Profiles a program from reset.
///
/// # Errors
///
/// If it cannot start, or cannot be interrupted as requested.
pub fn profile(image: &Arc<Image>, board: &Board, profiling: &Profiling) -> Result<Taken> {
    let raises = inputs("profile", image, board, &profiling.interrupts)?;
    let mut bench = bench(image, board, profiling, &raises)?;
    let mut arrivals = Arrivals::new(&raises);
    let kernels = profiling.kernels.clone().unwrap_or_else(Kernels::known);
    let mut recorder = Recorder::new(image, kernels.switch_by_call(image));
    let (horizon, limit) = (profiling.horizon, profiling.horizon.cycles());
    crate::progress::until(limit);
    let outcome = if raises.is_empty() {
        horizon.run(&mut bench, u64::MAX, &mut recorder)?
    } else {
        let mut noting = Noting {
            arrivals: &mut arrivals,
            sink: &mut recorder,
        };
        horizon.run(&mut bench, u64::MAX, &mut noting)?
    };
    let failure = match outcome {
        Outcome::Limit { .. } if horizon.is_end() => None,
        // Most firmware never ends.
        Outcome::Limit { .. } if horizon == Horizon::Usual && cut::asked().is_none() => {
            let title = format!("the program does not end: it was profiled for {limit} cycles");
            let warning = Diagnostic::new(Kind::Skipped, title);
            Some(warning.help(TO_END))
        }
        // A program that loops forever at its end has finished its work.
        Outcome::Stuck(_) => None,
        _ => failure(&outcome, limit, image, bench.waits(&outcome)).map(|message| match outcome {
            Outcome::Limit { .. } if cut::asked().is_none() => message.help(TO_END),
            _ => message,
        }),
    };
    let mut profile = taken::taken(recorder, image, board, &bench, in_words(&outcome));
    kernels.tell(image, &mut profile);
    let mut missing = arrivals.missing(bench.cycle(), &board.exception_names());
    missing.extend(never_came(&bench));
    missing.extend(overclocked(board, &bench));
    missing.extend(bench.stack_overrun());
    missing.extend(bench.notes());
    missing.extend(without_names(image));
    Ok(Taken {
        profile,
        failure,
        missing,
    })
}

/// The warning for a program without symbols.
fn without_names(image: &Image) -> Option<Diagnostic> {
    let title = "the program has no symbols: its functions and its kernel are not known";
    let help = "contexts are told apart all the same; profile the file as it was before `strip`";
    let is_stripped = image.symbols().next().is_none();
    is_stripped.then(|| Diagnostic::new(Kind::Skipped, title).help(help))
}

/// The warning for a program without line information, for output that needs it.
#[must_use]
pub fn without_lines(image: &Image) -> Option<Diagnostic> {
    let title = "the program has no debug information: its source lines are not known";
    let help = "compile with `-g`, in Rust with `debug = true` in the profile, and do not strip it";
    let has_none = image.code_lines().next().is_none();
    has_none.then(|| Diagnostic::new(Kind::Skipped, title).help(help))
}

fn bench(
    image: &Arc<Image>,
    board: &Board,
    profiling: &Profiling,
    raises: &[(u64, Exception)],
) -> Result<Bench> {
    let options = Options {
        debugger: Debugger::Attached,
        allow: profiling.allow.clone(),
        stimuli: profiling.stimuli.clone(),
        console: Console::none(),
        ..Options::default()
    };
    let mut bench = Backend::Model.bench(board, image, options)?;
    for &(cycle, exception) in raises {
        bench.raise(exception, cycle)?;
    }
    Ok(bench)
}
