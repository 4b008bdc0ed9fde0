//! Profiles a whole run: follows every window and builds a [`Profile`].

mod functions;
mod jumps;
mod kernels;
mod latency;
mod recorder;
mod stack;
mod taken;
mod thread_names;
mod tree;

use std::sync::Arc;

use events::{Event, Flow, Interest, Sink, Step};
use machine::{
    Allow, Board, Console, Debugger, Exception, ExceptionNames, Image, Options, Outcome, Stimulus,
};
use report::profile::Profile;

use crate::arrivals::{Arrivals, Noting};
use crate::asked::{Interruption, inputs, never_came};
use crate::backend::{Backend, Bench};
use crate::cut;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::ended::{failure, in_words};
use crate::fit::overclocked;
use crate::horizon::Horizon;

pub use kernels::Kernels;
use recorder::Recorder;
pub(crate) use thread_names::ThreadNames;

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
pub(crate) struct Follower<'a> {
    recorder: Recorder<'a>,
    kernels: Kernels,
    names: ThreadNames<'a>,
    /// Contexts whose names are looked for already.
    known: usize,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(image: &'a Image) -> Follower<'a> {
        let kernels = Kernels::known();
        Follower {
            recorder: Recorder::new(image, kernels.switch_by_call(image)),
            kernels,
            names: ThreadNames::new(image),
            known: 1,
        }
    }

    /// Whether the running context is a thread whose name may still be found.
    pub(crate) fn is_nameless(&self) -> bool {
        self.thread().is_some_and(|thread| self.names.is_pending(thread))
    }

    /// Stops looking for the name of a context.
    pub(crate) fn give_up(&mut self, context: usize) {
        let known = &self.recorder.contexts[context];
        self.names.give_up(known.thread);
    }

    /// Whether a context is a thread.
    pub(crate) fn is_thread(&self, context: usize) -> bool {
        self.recorder.contexts[context].exception.is_none()
    }

    /// The first address of a node's function.
    pub(crate) fn address(&self, node: u32) -> u32 {
        self.recorder.tree.nodes[node as usize].piece.start
    }

    /// Whether a thread that leaves the core by itself inside this function waits for something.
    pub(crate) fn waits(&self, function: &str) -> bool {
        self.kernels.waits(function)
    }

    /// Whether this function may let another thread go on that waits.
    pub(crate) fn gives(&self, function: &str) -> bool {
        self.kernels.gives(function)
    }

    /// The running thread; `None` in an interrupt.
    fn thread(&self) -> Option<u32> {
        let context = &self.recorder.contexts[self.recorder.context()];
        context.exception.is_none().then_some(context.thread)
    }

    /// Begins to look for the names of threads that appeared.
    fn look_for_names(&mut self) {
        for context in &self.recorder.contexts[self.known..] {
            if context.exception.is_none() {
                self.names.begin(context.thread);
            }
        }
        self.known = self.recorder.contexts.len();
    }

    fn looked(&mut self, pc: u32) {
        if let Some(thread) = self.thread() {
            self.names.executed(thread, pc);
        }
    }

    /// The running context and its call path, outermost first, starting with the context itself.
    pub(crate) fn path(&self) -> (usize, Vec<u32>) {
        self.recorder.path()
    }

    /// The running context and the innermost call.
    pub(crate) fn here(&self) -> (usize, u32) {
        self.recorder.here()
    }

    /// The running context.
    pub(crate) fn context(&self) -> usize {
        self.recorder.context()
    }

    /// Whether the context or call may have changed since the last query.
    pub(crate) fn moved(&mut self) -> bool {
        self.recorder.moved()
    }

    /// Stack depth in bytes at this stack pointer.
    pub(crate) fn depth(&self, sp: u32) -> u32 {
        self.recorder.depth(sp)
    }

    pub(crate) fn context_name(&self, context: usize, called: &ExceptionNames) -> String {
        let known = &self.recorder.contexts[context];
        match known.exception {
            Some(_) => taken::context_name(known, called),
            None => self.names.name(known.thread),
        }
    }

    pub(crate) fn name(&self, node: u32, image: &Image, called: &ExceptionNames) -> String {
        match self.recorder.context_of(node) {
            Some(context) => self.context_name(context, called),
            None => taken::node_name(&self.recorder, node, image, called),
        }
    }
}

impl Sink for Follower<'_> {
    fn interest(&self) -> Interest {
        self.recorder.interest()
    }

    fn event(&mut self, event: &Event) -> Flow {
        let flow = self.recorder.event(event);
        self.look_for_names();
        if let Event::Retire(retire) = event {
            self.looked(retire.pc);
        }
        flow
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        let flow = self.recorder.step(step);
        if self.known < self.recorder.contexts.len() {
            self.look_for_names();
        }
        self.looked(step.pc);
        flow
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
