//! Measures all programs of a spec: finds the ELF and the board of each.

use std::collections::HashSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use machine::board::{Allow, Core, Described};
use machine::host::Files;
use machine::{Board, Image, ProgramFile};

use crate::backend::Backend;
use crate::cut;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::difference::take_off;
use crate::fit::board_for;
use crate::horizon::Horizon;
use crate::measure::{COUNT_IN_SPEC, LeftOut, Outcome, Setup, measure};
use crate::nearest::did_you_mean;
use crate::progress::Stage;
use crate::reference::compare;
use crate::setup::{described_in, find_board_in, load_files_in};
use crate::spec::{ImageName, Located, Program, SpanSpec, Spec};
use crate::watch::View;

pub use crate::setup::{announces_fetch, without_rules};
#[cfg(feature = "host")]
pub use crate::setup::{described, find_board, load, load_files};
pub use machine::DEFAULT_BOARD;

/// Command-line options, which override the spec.
#[derive(Clone, Debug)]
pub struct Options {
    /// The ELF file to measure.
    pub elf: Option<PathBuf>,
    /// The load address, if the program's file has none.
    pub base: Option<u32>,
    /// More files of each program, such as a bootloader.
    pub further: Vec<ProgramFile>,
    /// The board to measure on.
    pub board: Option<String>,
    /// The folder of the built programs that a spec refers to by name.
    pub firmware: PathBuf,
    /// Where programs, boards and references are read from.
    pub files: Arc<dyn Files>,
    /// Addresses to answer although the board does not describe them.
    pub allow: Vec<Allow>,
    /// The chip's registers from an SVD file.
    pub described: Described,
    /// Timing rules to switch off.
    pub without_rules: Vec<String>,
    /// The backend that runs the programs.
    pub backend: Backend,
    /// When points in code are reached.
    pub view: View,
    /// The limit of each run.
    pub horizon: Horizon,
    /// Whether to record timelines of each row's worst and best sample.
    pub timelines: bool,
}

impl Options {
    /// Options that override nothing, with the programs built in the folder `firmware` of this computer.
    #[cfg(feature = "host")]
    pub fn built_in(firmware: PathBuf) -> Self {
        Options::with_files(firmware, Arc::new(machine::host::System))
    }

    /// Options that override nothing, with the programs built in the folder `firmware` of `files`.
    pub fn with_files(firmware: PathBuf, files: Arc<dyn Files>) -> Self {
        Options {
            elf: None,
            base: None,
            further: Vec::new(),
            board: None,
            firmware,
            files,
            allow: Vec::new(),
            described: Described::default(),
            without_rules: Vec::new(),
            backend: Backend::Model,
            view: View::Retire,
            horizon: Horizon::Usual,
            timelines: false,
        }
    }
}

/// Measures every program of a spec. A failure of one does not affect the others. `done` is called after each.
pub fn measure_spec(spec: &Spec, options: &Options, mut done: impl FnMut()) -> Outcome {
    let mut all = Outcome::default();
    if let Some(message) = several_for_one_elf(spec, options) {
        all.messages.push(message);
        return all;
    }
    let not_built = not_built(spec, options);
    all.messages
        .extend(not_built_message(spec, &not_built, &options.firmware));
    let ahead = Ahead::new(spec, options, &not_built);
    thread::scope(|scope| {
        // Failing to start a thread is harmless: the consumer makes missing outcomes itself.
        let helper = || thread::Builder::new().stack_size(crate::STACK);
        (1..ahead.threads).for_each(|_| drop(helper().spawn_scoped(scope, || ahead.work())));
        take_each(spec, options, &not_built, &ahead, &mut all, &mut done);
    });
    if options.backend.is_model() {
        all.messages
            .extend(compare(spec, &*options.files, &mut all.rows).err());
        all.rows.iter_mut().for_each(report::Row::weigh);
    } else {
        options.backend.name_source(&mut all.rows);
    }
    all
}

/// Takes each program's outcome in order, making those that no thread has made.
fn take_each(
    spec: &Spec,
    options: &Options,
    not_built: &[&Located<String>],
    ahead: &Ahead<'_>,
    all: &mut Outcome,
    done: &mut impl FnMut(),
) {
    let boards = spec
        .programs
        .iter()
        .map(|program| program.board.as_ref().map(|board| &board.value));
    let several_boards = boards.collect::<HashSet<_>>().len() > 1;
    let stage = (spec.programs.len() > 1).then(|| Stage::new("programs", spec.programs.len() as u64));
    let mut done = || {
        stage.iter().for_each(Stage::step);
        done();
    };
    let mut previous: Option<&Program> = None;
    for (index, program) in spec.programs.iter().enumerate() {
        // The first program's outcome already reports the cut.
        let of_all = spec.programs.len();
        let left = || format!("{} of {of_all} programs were not run", of_all - index);
        if let Some(message) = cut::leaves_out(left) {
            all.messages.push(message.in_file(&spec.source.path));
            ahead.next.store(usize::MAX, Ordering::Relaxed);
            return;
        }
        let again = previous.is_some_and(|previous| differs_in_board(previous, program));
        previous = Some(program);
        let missing = program.image.name().is_some_and(|name| not_built.contains(&name));
        if missing
            && !again
            && let Some((message, program)) = skipped(spec, program)
        {
            all.messages.push(message);
            all.left_out.push(program);
        }
        // A board on the command line replaces all boards of the spec.
        if missing || again && options.board.is_some() {
            done();
            continue;
        }
        let mut outcome = ahead.take(index);
        take_off(spec, program, &all.rows, &mut outcome);
        if let (Some(board), None, true) = (&program.board, &options.board, several_boards) {
            let on = |message: Diagnostic| message.note(format!("on board `{}`", board.value));
            outcome.messages = outcome.messages.into_iter().map(on).collect();
        }
        all.append(outcome);
        done();
    }
}

/// Outcomes that threads make ahead of their turn, since programs are independent.
struct Ahead<'a> {
    spec: &'a Spec,
    options: &'a Options,
    threads: usize,
    /// Index of the next program that no thread has started.
    next: AtomicUsize,
    outcomes: Vec<Slot>,
}

/// The maker of an outcome holds the lock while making it.
type Slot = Mutex<Option<Outcome>>;

impl<'a> Ahead<'a> {
    fn new(spec: &'a Spec, options: &'a Options, not_built: &[&Located<String>]) -> Ahead<'a> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        // A backend may prepare itself on demand, and a given board replaces all of a program's boards: make those outcomes in order.
        let alone = !options.backend.is_model() || options.board.is_some();
        let slot = |program: &Program| {
            let missing = program.image.name().is_some_and(|name| not_built.contains(&name));
            Mutex::new(missing.then(Outcome::default))
        };
        Ahead {
            spec,
            options,
            threads: if alone { 1 } else { cores.min(spec.programs.len()) },
            next: AtomicUsize::new(0),
            outcomes: spec.programs.iter().map(slot).collect(),
        }
    }

    /// Makes outcomes until none is left.
    fn work(&self) {
        while self.next.load(Ordering::Relaxed) < self.outcomes.len() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = self.outcomes.get(index) else {
                return;
            };
            // If the slot is locked, another thread is making it.
            if let Ok(mut outcome) = slot.try_lock()
                && outcome.is_none()
            {
                *outcome = Some(self.make(index));
            }
        }
    }

    fn make(&self, index: usize) -> Outcome {
        of_builds(self.spec, &self.spec.programs[index], self.options)
    }

    /// Takes a program's outcome, making it if needed.
    fn take(&self, index: usize) -> Outcome {
        self.next.fetch_max(index + 1, Ordering::Relaxed);
        let mut outcome = self.outcomes[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        outcome.take().unwrap_or_else(|| self.make(index))
    }
}

/// The message for a missing program that the spec allows to be missing.
fn skipped(spec: &Spec, program: &Program) -> Option<(Diagnostic, LeftOut)> {
    let (name, needs) = (program.image.name()?, program.needs.as_ref()?);
    let title = format!(
        "`{}` is skipped: it was not built, which needs {needs}",
        name.value
    );
    let group = |span: &SpanSpec| span.id.value.split('/').next().unwrap_or_default().to_owned();
    let left_out = LeftOut {
        program: name.value.clone(),
        groups: program.spans.iter().map(group).collect(),
        is_published: spec.rtl.is_some() || program.spans.iter().any(|span| span.published.is_some()),
        is_drawn: program.spans.iter().any(|span| span.series.is_some()),
    };
    let message = Diagnostic::new(Kind::Skipped, title).at(&spec.source, name.range.clone(), "");
    Some((message, left_out))
}

fn differs_in_board(a: &Program, b: &Program) -> bool {
    a.image == b.image && a.spans == b.spans
}

fn several_for_one_elf(spec: &Spec, options: &Options) -> Option<Diagnostic> {
    let (_, first) = (options.elf.as_ref()?, spec.programs.first()?);
    let second = spec
        .programs
        .iter()
        .find(|program| program.image != first.image)?;
    let range = second.image.range().unwrap_or(0..0);
    let title = "--elf gives one program, the spec has several";
    Some(spec.mistake(title, &range, "the second one"))
}

/// Measures a program and its other builds, unless the command line names the ELF, and keeps the best build of each row.
fn of_builds(spec: &Spec, program: &Program, options: &Options) -> Outcome {
    let measured = |program: &Program| {
        one(spec, program, options).unwrap_or_else(|message| Outcome {
            messages: vec![message],
            ..Outcome::default()
        })
    };
    let mut best = measured(program);
    let builds = program.builds.iter().filter(|_| options.elf.is_none());
    for build in builds {
        let built = Program {
            image: ImageName::Program(build.clone()),
            ..program.clone()
        };
        let other = measured(&built);
        best.messages.extend(other.messages);
        best.left_out.extend(other.left_out);
        for row in other.rows {
            match best.rows.iter_mut().find(|kept| kept.is_of(&row)) {
                Some(kept) if row.is_better_than(kept) => *kept = row,
                Some(_) => (),
                None => best.rows.push(row),
            }
        }
    }
    best
}

fn one(spec: &Spec, program: &Program, options: &Options) -> Result<Outcome> {
    let named = board(spec, program, options)?;
    let image = Arc::new(image(spec, program, options, named.as_ref())?);
    let (board, told) = board_for(named, &image)?;
    let board = without_rules(
        described_in(&*options.files, board, &options.described)?,
        &options.without_rules,
    )?;
    let mut outcome = measure_program(Setup {
        spec,
        program,
        image: &image,
        board: &board,
        backend: &options.backend,
        allow: &options.allow,
        view: options.view,
        horizon: match options.horizon {
            Horizon::Usual => Horizon::of(program.limit),
            other => other,
        },
        stack: false,
        timelines: options.timelines,
        until: COUNT_IN_SPEC,
    })?;
    outcome.messages.splice(0..0, told);
    Ok(outcome)
}

/// Measures one program, if its board supports the view.
pub(crate) fn measure_program(setup: Setup<'_>) -> Result<Outcome> {
    if setup.view == View::Fetch {
        announces_fetch(setup.board)?;
    }
    measure(setup)
}

fn image(spec: &Spec, program: &Program, options: &Options, board: Option<&Board>) -> Result<Image> {
    let load = |path: &Path| {
        let first = ProgramFile {
            path: path.to_owned(),
            base: options.base,
        };
        let files: Vec<_> = std::iter::once(first)
            .chain(options.further.iter().cloned())
            .collect();
        load_files_in(&*options.files, &files, board)
    };
    match (&options.elf, &program.image) {
        (Some(path), _) => load(path),
        (None, ImageName::Path(name)) => {
            let path = Path::new(&spec.source.path).with_file_name(&name.value);
            if options.files.exists(&path) {
                return load(&path);
            }
            let title = format!("there is no file `{}`", path.display());
            Err(spec
                .mistake(title, &name.range, "")
                .help("the path is relative to the spec"))
        }
        (None, ImageName::Program(name)) => {
            let core = match board {
                Some(board) => board.core(),
                None => find_board_in(&*options.files, DEFAULT_BOARD)?.core(),
            };
            load(&built(&name.value, options, core))
        }
        (None, ImageName::None) => {
            let title = "neither the spec nor the command line names an ELF";
            let help = "write `elf = \"app.elf\"` at the top of the spec, or give --elf";
            Err(Diagnostic::mistake(title).in_file(&spec.source.path).help(help))
        }
    }
}

/// The files that measuring a spec reads, including the spec, as far as its text names them.
pub fn files_of(spec: &Spec, options: &Options) -> Vec<PathBuf> {
    let beside = |name: &str| Path::new(&spec.source.path).with_file_name(name);
    let images = spec.programs.iter().filter_map(|program| match &program.image {
        ImageName::Path(name) => Some(beside(&name.value)),
        ImageName::None | ImageName::Program(_) => None,
    });
    let boards = spec.programs.iter().filter_map(|program| program.board.as_ref());
    let boards = boards.map(|name| named(spec, &*options.files, &name.value));
    let boards = boards.chain(options.board.clone());
    let mut files = vec![PathBuf::from(&spec.source.path)];
    files.extend(options.elf.clone());
    files.extend(options.further.iter().map(|file| file.path.clone()));
    files.extend(images);
    files.extend(boards.map(PathBuf::from));
    files.extend(spec.rtl.iter().map(|name| beside(&name.value)));
    files.extend(options.described.svd.clone());
    files.extend(options.described.scripts.iter().cloned());
    files
}

/// The target whose programs are in the folder itself; other targets have subfolders.
const UNNAMED: &str = "thumbv7m-none-eabi";

fn place(name: &str, firmware: &Path, target: &str) -> PathBuf {
    let folder = if target == UNNAMED { "" } else { target };
    firmware.join(folder).join(format!("{name}.elf"))
}

/// A program built for one of the core's targets. Otherwise a build for another target is used: small assembly programs also run on cores
/// that they were not built for.
fn built(name: &str, options: &Options, core: Core) -> PathBuf {
    let firmware = &options.firmware;
    let mut places = core.targets().iter().map(|target| place(name, firmware, target));
    places
        .find(|path| options.files.exists(path))
        .unwrap_or_else(|| place(name, firmware, UNNAMED))
}

/// Whether the program was built for any target.
fn is_built(name: &str, options: &Options) -> bool {
    let mut targets = Core::all().flat_map(Core::targets);
    targets.any(|target| options.files.exists(&place(name, &options.firmware, target)))
}

/// The names of the missing programs, without duplicates.
fn not_built<'a>(spec: &'a Spec, options: &Options) -> Vec<&'a Located<String>> {
    let names = spec.programs.iter().filter_map(|program| program.image.name());
    let mut missing: Vec<_> = names.filter(|name| !is_built(&name.value, options)).collect();
    missing.dedup();
    if options.elf.is_some() {
        missing.clear();
    }
    missing
}

/// One message for all missing programs that should be there, since they usually share a cause.
fn not_built_message(spec: &Spec, missing: &[&Located<String>], firmware: &Path) -> Option<Diagnostic> {
    let may_lack = |name: &Located<String>| {
        let mut programs = spec.programs.iter();
        programs.any(|program| program.image.name() == Some(name) && program.needs.is_some())
    };
    let missing: Vec<_> = missing.iter().filter(|name| !may_lack(name)).collect();
    let (first, others) = missing.split_first()?;
    let place = firmware.display();
    let title = match missing.len() {
        1 => format!("no program `{}` in {place}", first.value),
        many => format!(
            "{many} of the spec's programs are not in {place}, `{}` first",
            first.value
        ),
    };
    let hint = did_you_mean(&first.value, built_programs(firmware).iter().map(String::as_str));
    let hint = hint.filter(|_| others.is_empty());
    let build = "`./x firmware` builds the repository's own programs";
    Some(
        spec.mistake(title, &first.range, "")
            .help(hint.unwrap_or_else(|| build.to_owned())),
    )
}

fn built_programs(firmware: &Path) -> Vec<String> {
    let files = firmware
        .read_dir()
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path());
    let elfs = files.filter(|path| path.extension().is_some_and(|extension| extension == "elf"));
    let mut names: Vec<String> = elfs
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

/// Resolves a spec's board: a file next to the spec, then one in the working directory.
fn named(spec: &Spec, files: &dyn Files, board: &str) -> String {
    let beside = Path::new(&spec.source.path).with_file_name(board);
    match beside.to_str() {
        Some(file) if beside.extension().is_some_and(|end| end == "toml") && files.exists(&beside) => {
            file.to_owned()
        }
        _ => board.to_owned(),
    }
}

/// The board named by the command line or the spec.
fn board(spec: &Spec, program: &Program, options: &Options) -> Result<Option<Board>> {
    let files = &*options.files;
    let board = match (&options.board, &program.board) {
        (Some(name), _) => find_board_in(files, name),
        (None, None) => return Ok(None),
        (None, Some(name)) => Board::find_in(files, &named(spec, files, &name.value)).map_err(|error| {
            spec.mistake(error.to_string(), &name.range, "")
                .maybe_help(error.hint())
        }),
    };
    board.map(Some)
}
