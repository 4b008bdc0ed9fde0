//! `cyclescope run`: runs firmware, also as a cargo runner.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::Parser as _;
use events::{Event, Flow, Interest, Sink, Step};
use lab::asked::{Arrivals, inputs, never_came};
use lab::backend::Bench;
use lab::batch::announces_fetch;
use lab::diagnostic::{Diagnostic, Kind, Result};
use lab::fit;
use lab::horizon::{Horizon, Stretch};
use lab::trace::{Format, Trace, Tracing, between};
use lab::{evidence, failure, in_words, unusual};
use machine::{Board, Console, Debugger, Exception, Image, Options, Outcome};
use report::{Row, Unit};
use spans::{Parts, Stats};

use super::choices::{Choice, Length, View};
use super::inputs::{Channels, Semihosting};
use super::output::{Alone, BROKEN_PIPE, Lost};
use super::target::Program;
use super::test::{Chosen, Setup};
use super::{Ending, common, progress};

/// Run firmware until it exits, and pass on its exit code
///
/// As a cargo runner: `runner = "cyclescope run --board BOARD"`.
#[derive(clap::Args, Debug)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) program: Program,
    /// What semihosting tells the program as its command line.
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
    #[command(flatten)]
    length: Length,
    /// Write every event to a file, in the format that its name says: .txt, .jsonl, .csv, .vcd (waveforms), .perfetto.
    ///
    /// A line of text begins with the cycle and the event. An event that takes cycles has a window, from that cycle to `end`. There are
    /// no gaps between windows, and `causes` names the rules that took their cycles (`cyclescope list rules ID` explains a rule). `issued` is
    /// when an instruction started to execute, and `sp` the stack pointer after it.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// The format of the trace, whatever its name is.
    #[arg(long, value_name = "FORMAT", requires = "trace",
        value_parser = clap::builder::PossibleValuesParser::new(Format::ALL.map(|(_, name, _)| name)))]
    trace_format: Option<String>,
    /// Trace from this point on, written as in specs: `symbol`, `file.rs:12`, `exception:IRQ6`, `write:symbol`.
    #[arg(long, value_name = "POINT", requires = "trace")]
    trace_from: Option<String>,
    /// Trace up to this point: the first time it is met after the one the trace starts from.
    #[arg(long, value_name = "POINT", requires = "trace")]
    trace_to: Option<String>,
    /// End the trace before it exceeds this size: 100M, 20K. The run goes on.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    trace_size: u64,
    /// What else the trace shows: `fetch` adds every address that the core fetches from (RV32 cores only).
    #[arg(long, value_name = "VIEW", default_value = "retire")]
    view: View,
    /// Write the cycles of the run as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// At the end, print how many instructions and cycles the run took, and the time at the clock that the program set.
    #[arg(long)]
    stats: bool,
    /// The date at reset, as semihosting reports it: seconds since 1970, or `now`. From then on, simulated time passes.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = date)]
    date: u64,
    #[command(flatten)]
    semihosting: Semihosting,
    #[command(flatten)]
    channels: Channels,
    #[command(flatten)]
    backend: Choice,
}

impl RunArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let own = [
            ("--trace", self.trace.as_deref()),
            ("--json", self.json.as_deref()),
        ];
        let written: Vec<_> = own.into_iter().chain(self.channels.written()).collect();
        let (image, board) = self.program.load(&written, &self.channels.inputs.sent())?;
        if self.view == View::Fetch {
            announces_fetch(&board)?;
        }
        if let Some(tests) = lab::suite::tests(&image)? {
            return self.test(&tests, &image, &board);
        }
        self.refuse_unknown_options();
        let raises = inputs("run", &image, &board, &self.channels.inputs.raise)?;
        let lost = Lost::default();
        let mut console = Console::new(lost.standard(), lost.error(), Alone(io::stdin()));
        self.channels
            .connect(&mut console, &board, &Arc::default(), &lost)?;
        Channels::decode(&mut console, &image);
        let mut machine = self.machine(&image, &board, console)?;
        for &(cycle, exception) in &raises {
            machine.raise(exception, cycle)?;
        }
        let mut listener = self.listener(&board, &image, &raises)?;
        let horizon = self.horizon();
        let outcome = run(&mut machine, horizon, &mut listener, &lost)?;
        progress::end();
        let trace = listener.trace.and_then(|trace| self.ended(trace).err());
        let mut messages: Vec<Diagnostic> = trace.into_iter().chain(lost.message()).collect();
        let row = || self.whole_run(&machine, (&image, &board), &raises, outcome.as_ref());
        let written = self
            .json
            .as_deref()
            .map(|json| common::write_json(Some(json), &[row()]));
        let unwritten = written.and_then(Result::err);
        let Some(outcome) = outcome else {
            messages.extend(unwritten);
            return Ok(Ending {
                messages,
                firmware: BROKEN_PIPE,
            });
        };
        messages.extend(
            listener
                .arrivals
                .missing(machine.cycle(), &board.exception_names()),
        );
        messages.extend(never_came(&machine));
        messages.extend(fit::overclocked(&board, &machine));
        messages.extend(machine.stack_overrun());
        if self.stats {
            let _ = writeln!(
                std::io::stderr(),
                "instructions: {}\ncycles: {}\nclock: {} Hz\ntime: {} ns",
                machine.instructions(),
                machine.cycle(),
                machine.clock_hz(),
                machine.nanoseconds()
            );
        }
        messages.extend(unwritten);
        match outcome {
            Outcome::Exit { code } => {
                messages.extend(own_code(code));
                Ok(Ending {
                    messages,
                    firmware: exit_code(code),
                })
            }
            Outcome::Limit { .. } if horizon.is_end() => Ok(messages.into()),
            other => {
                messages.extend(failure(&other, horizon.cycles(), &image, machine.waits(&other)));
                Ok(messages.into())
            }
        }
    }

    /// Runs a test program as `cyclescope test` does; its words are those of Rust's own harness.
    fn test(&self, tests: &[lab::suite::Test], image: &Arc<Image>, board: &Board) -> Result<Ending> {
        progress::end();
        let chosen = Chosen::try_parse_from(&self.words).map_err(|error| {
            let text = error.to_string();
            let title = text
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            Diagnostic::mistake(format!("it has tests, with options of their own: {title}"))
                .in_file(image.file())
        })?;
        let setup = Setup {
            image,
            board,
            length: self.length,
            allow: &self.program.target.allow,
            semihosting: &self.semihosting,
        };
        chosen.execute(tests, &setup)
    }

    /// Refuses options among the program's words. For tests, cargo passes the harness's options unchanged; other programs take theirs
    /// after `--`. So the command line's own parser reports a misspelt option.
    fn refuse_unknown_options(&self) {
        if !self.words.first().is_some_and(|word| word.starts_with('-')) {
            return;
        }
        let strict =
            |command: clap::Command| command.mut_arg("words", |words| words.allow_hyphen_values(false));
        let command = super::command().mut_subcommand("run", strict);
        if let Err(error) = command.try_get_matches() {
            progress::end();
            error.exit();
        }
    }

    /// The run limit: none by default, except in CI.
    fn horizon(&self) -> Horizon {
        match self.length.horizon() {
            Horizon::Usual if in_ci() => Horizon::Limit(LIMIT_IN_CI),
            Horizon::Usual => Horizon::Limit(u64::MAX),
            other => other,
        }
    }

    fn machine(&self, image: &Arc<Image>, board: &Board, console: Console) -> Result<Bench> {
        let words = std::iter::once(self.program.elf.display().to_string()).chain(self.words.iter().cloned());
        let options = Options {
            debugger: Debugger::None,
            allow: self.program.target.allow.clone(),
            command_line: words.collect::<Vec<_>>().join(" "),
            date: self.date,
            files: self.semihosting.access()?,
            console,
            stimuli: self.channels.inputs.stimuli()?,
            ..Options::default()
        };
        self.backend.backend().bench(board, image, options)
    }

    fn listener<'a>(
        &self,
        board: &Board,
        image: &'a Arc<Image>,
        raises: &[(u64, Exception)],
    ) -> Result<Listener<'a>> {
        let create = |path: &PathBuf| {
            let trace = Trace::create(path, image, board, self.tracing(path, image, board)?);
            trace.map_err(|error| unwritable(path, &error))
        };
        let trace = self.trace.as_ref().map(create).transpose()?;
        Ok(Listener {
            trace,
            arrivals: Arrivals::new(raises),
        })
    }

    fn tracing(&self, path: &Path, image: &Arc<Image>, board: &Board) -> Result<Tracing> {
        let named = |name: &String| Format::ALL.iter().find(|(_, known, _)| known == name);
        let format = self.trace_format.as_ref().and_then(named);
        let format = format.map_or_else(|| Format::of(path), |(format, ..)| Ok(*format))?;
        let mut whole = Tracing::whole(format);
        (whole.most, whole.fetch) = (Some(self.trace_size), self.view == View::Fetch);
        let ends = [self.trace_from.as_deref(), self.trace_to.as_deref()];
        between(image, board, ends, &whole)
    }

    fn ended(&self, trace: Trace<'_>) -> Result<()> {
        let path = self.trace.as_deref().unwrap_or(Path::new(""));
        match trace.finish().map_err(|error| unwritable(path, &error))? {
            Some(why) => Err(Diagnostic::new(Kind::Skipped, why).in_file(path.display().to_string())),
            None => Ok(()),
        }
    }

    /// The results row of a run that ended this way, or whose output has no reader.
    fn whole_run(
        &self,
        machine: &Bench,
        (image, board): (&Image, &Board),
        raises: &[(u64, Exception)],
        outcome: Option<&Outcome>,
    ) -> Row {
        let ended = match outcome {
            None => Some(UNREAD.to_owned()),
            Some(Outcome::Limit { .. }) if self.horizon().is_end() => Some("time".to_owned()),
            Some(outcome) => unusual(outcome),
        };
        let words = outcome.map_or_else(|| UNREAD.to_owned(), in_words);
        Row {
            ended,
            // Identifying the program hashes the whole file.
            obtained: obtained(image, board, machine, raises, words),
            ..self.row(machine, board, image)
        }
    }

    /// The whole run as a row of results.
    fn row(&self, machine: &Bench, board: &Board, image: &Image) -> Row {
        let rules = machine.relied().0;
        let doubts = fit::doubts(board, image, machine);
        let name = self.program.elf.file_stem().unwrap_or_default().to_string_lossy();
        let cycles = machine.cycle() as i64;
        Row {
            id: format!("run/{name}"),
            board: board.name().to_owned(),
            core: board.core().name().to_owned(),
            kernel: "none".to_owned(),
            about: None,
            section: None,
            series: None,
            use_of: None,
            unit: Unit::Cycles,
            count: 1,
            min: cycles,
            mean: Stats::of(Parts::all_own(cycles), rules, (0, 0)).mean(),
            max: cycles,
            own: cycles,
            preempted: 0,
            blocked: 0,
            published: None,
            reference: report::Reference::default(),
            source: None,
            conditions: None,
            because: None,
            evidence: evidence(board, Unit::Cycles, rules, &doubts),
            clock_hz: Some(machine.clock_hz()),
            time_us: None,
            stack: None,
            unfinished: 0,
            ended: None,
            obtained: report::Obtained::default(),
        }
    }
}

/// The provenance of the row: the program, the board and the inputs.
fn obtained(
    image: &Image,
    board: &Board,
    machine: &Bench,
    raises: &[(u64, Exception)],
    outcome: String,
) -> report::Obtained {
    let called = board.exception_names();
    let input = |(cycle, exception): &(u64, Exception)| (called.name(*exception), *cycle);
    report::Obtained {
        tool: common::TOOL.to_owned(),
        rules: lab::fingerprints(board, machine.relied().0),
        how: "the whole run".to_owned(),
        program: Some(Box::new(report::Program {
            elf: image.file().to_owned(),
            sha256: image.sha256().to_owned(),
            toolchain: image.toolchain().to_vec(),
            outcome,
            inputs: raises.iter().map(input).collect(),
            runs: 1,
            clock_hz: machine.clock_hz(),
        })),
        ..report::Obtained::default()
    }
}

/// The ending of a run whose output has no reader, as under `| head`.
const UNREAD: &str = "output closed";

/// Cycles between checks for a reader of the program's output.
const SLICE: u64 = 1 << 22;
/// Cycles between these checks while a trace writes a line per instruction; they take as long.
const SLICE_OF_TRACE: u64 = 1 << 16;

/// Runs to the end or the limit; `None` if the program's output or its trace cannot be written or has no reader.
fn run(
    machine: &mut Bench,
    horizon: Horizon,
    listener: &mut Listener<'_>,
    lost: &Lost,
) -> Result<Option<Outcome>> {
    let slice = if listener.trace.is_some() {
        SLICE_OF_TRACE
    } else {
        SLICE
    };
    lab::progress::until(horizon.cycles());
    let mut stretches = horizon.stretches();
    loop {
        let stretch = stretches.run(machine, slice, listener)?;
        if lost.is_any() || lost.is_unread() || listener.trace.as_ref().is_some_and(Trace::is_left) {
            return Ok(None);
        }
        match stretch {
            Stretch::Over(outcome) => return Ok(Some(outcome)),
            // A trace that begins or ends pauses the run, to change the sink's interest.
            Stretch::Paused { pc } if !listener.goes_on() => return Ok(Some(Outcome::Paused { pc })),
            Stretch::Paused { .. } | Stretch::Open => {}
        }
    }
}

/// Parses a date, in seconds since 1970.
fn date(text: &str) -> std::result::Result<u64, String> {
    if text == "now" {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        return now
            .map(|since| since.as_secs())
            .map_err(|_| "this computer's clock is before 1970".to_owned());
    }
    text.parse()
        .map_err(|_| "neither `now` nor a number of seconds".to_owned())
}

/// Parses a number of bytes, with an optional suffix K, M or G.
fn size(text: &str) -> std::result::Result<u64, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (&text[..at], 10),
        Some((at, 'M' | 'm')) => (&text[..at], 20),
        Some((at, 'G' | 'g')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let bytes = digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "a number of bytes, such as 500000, 20K or 100M".to_owned())
}

/// The default limit in CI, in cycles: some minutes.
const LIMIT_IN_CI: u64 = 10_000_000_000;

/// Whether this is a CI job.
fn in_ci() -> bool {
    let value = std::env::var("CI").unwrap_or_default();
    !matches!(value.as_str(), "" | "0" | "false")
}

/// A note that an exit code that looks like one of ours is the firmware's own.
fn own_code(code: u32) -> Option<Diagnostic> {
    const OURS: [u32; 7] = [1, 2, 3, 101, 130, 141, 143];
    let title = format!("exit code {code} is the firmware's own");
    OURS.contains(&code)
        .then(|| Diagnostic::new(Kind::Skipped, title))
}

/// A process's exit code has eight bits; a larger code must not look like success.
fn exit_code(code: u32) -> u8 {
    u8::try_from(code).unwrap_or(u8::MAX)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::mistake(format!("the trace cannot be written: {error}")).in_file(path.display().to_string())
}

/// The sink of the run; it needs no events unless an option asks for them.
struct Listener<'a> {
    trace: Option<Trace<'a>>,
    arrivals: Arrivals,
}

impl Listener<'_> {
    fn goes_on(&self) -> bool {
        self.trace.as_ref().is_some_and(Trace::is_sound)
    }
}

impl Sink for Listener<'_> {
    fn interest(&self) -> Interest {
        let control = Interest {
            control: !self.arrivals.is_empty(),
            ..Interest::none()
        };
        self.trace
            .as_ref()
            .map_or(Interest::none(), Trace::interest)
            .union(control)
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.arrivals.event(event);
        self.trace.as_mut().map_or(Flow::On, |trace| trace.event(event))
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        self.trace.as_mut().map_or(Flow::On, |trace| trace.step(step))
    }
}
