//! `cyclescope profile`: shows where the cycles of a whole run went.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use lab::diagnostic::{Diagnostic, Result};
use lab::profile::{Kernels, Profiling, Taken, profile, without_lines};
use machine::{Board, Image};
use report::profile::{Profile, Rows, flame_difference};

use super::choices::{Length, count};
use super::inputs::Inputs;
use super::target::Program;
use super::{Ending, common};

/// The largest source file that is read, in bytes.
const MOST_SOURCE: u64 = 1 << 24;

/// Show where the cycles of a whole run went
///
/// By cause, context, function, line and instruction. /// Shares are of the run's cycles, and all sums are exact. A function's own cycles are those of its instructions; with callees are
/// those of what it called, too, interrupts not among them. Files are written beside the table: `--flamegraph cycles.svg`.
#[derive(clap::Args, Debug)]
pub(super) struct ProfileArgs {
    #[command(flatten)]
    pub(super) program: Program,
    /// Show this many functions, or lines.
    #[arg(long, value_name = "N", default_value = "20", value_parser = count)]
    top: u64,
    /// Show source lines in place of functions.
    #[arg(long, conflicts_with = "annotate")]
    lines: bool,
    /// Show the instructions of a function instead, below their source lines.
    #[arg(long, value_name = "FUNCTION")]
    annotate: Vec<String>,
    /// The same program built differently: the flame graph shows what became slower and what faster.
    #[arg(long, value_name = "ELF", requires = "flamegraph")]
    against: Option<PathBuf>,
    /// Write all sums as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write collapsed stacks: `main;work 41`.
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
    /// Write a flame graph, an SVG picture.
    #[arg(long, value_name = "FILE")]
    flamegraph: Option<PathBuf>,
    /// Divide each function, or line, by what its cycles went to: in the table, in collapsed stacks and in the flame graph.
    #[arg(long)]
    causes: bool,
    /// Write a file for speedscope.
    #[arg(long, value_name = "FILE")]
    speedscope: Option<PathBuf>,
    /// Write a file for `KCachegrind` and `callgrind_annotate`.
    #[arg(long, value_name = "FILE")]
    callgrind: Option<PathBuf>,
    /// Write a file for pprof; compressed if its name ends in `.gz`.
    #[arg(long, value_name = "FILE")]
    pprof: Option<PathBuf>,
    /// Write which lines were executed, as a tracefile of LCOV.
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// The names of a kernel's functions, looked at before the built-in ones: a TOML file, as docs/profile.md shows it.
    #[arg(long, value_name = "FILE")]
    kernels: Option<PathBuf>,
    #[command(flatten)]
    length: Length,
    #[command(flatten)]
    inputs: Inputs,
}

impl ProfileArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let mut read = self.inputs.sent();
        read.extend(self.against.as_deref());
        read.extend(self.kernels.as_deref());
        let (image, board) = self.program.load(&self.files(), &read)?;
        let chosen = self.chosen(&image)?;
        let Taken {
            profile,
            failure,
            missing,
        } = self.take(&image, &board)?;
        if chosen.is_empty() {
            let rows = Rows {
                most: self.top as usize,
                lines: self.lines,
                causes: self.causes,
            };
            common::show(&profile.table(rows), &self.files().map(|(_, path)| path))?;
        }
        for name in chosen {
            let text = annotated(&profile, &name)?;
            common::show(&text, &self.files().map(|(_, path)| path))?;
        }
        let lines = (self.lines || self.lcov.is_some()).then(|| without_lines(&image));
        let mut messages = self.write(&profile, &board);
        messages.extend(failure.into_iter().chain(missing).chain(lines.flatten()));
        Ok(messages.into())
    }

    /// The files to write, with their options.
    fn files(&self) -> [(&'static str, Option<&Path>); 7] {
        [
            ("--json", self.json.as_deref()),
            ("--folded", self.folded.as_deref()),
            ("--flamegraph", self.flamegraph.as_deref()),
            ("--speedscope", self.speedscope.as_deref()),
            ("--callgrind", self.callgrind.as_deref()),
            ("--pprof", self.pprof.as_deref()),
            ("--lcov", self.lcov.as_deref()),
        ]
    }

    fn take(&self, image: &Arc<Image>, board: &Board) -> Result<Taken> {
        let profiling = Profiling {
            horizon: self.length.horizon(),
            interrupts: self.inputs.raise.clone(),
            stimuli: self.inputs.stimuli()?,
            allow: self.program.target.allow.clone(),
            kernels: self.kernels()?,
        };
        profile(image, board, &profiling)
    }

    fn kernels(&self) -> Result<Option<Kernels>> {
        let read = |path: &PathBuf| Kernels::with(&path.display().to_string(), &common::read(path)?);
        self.kernels.as_ref().map(read).transpose()
    }

    /// The full names of the functions to show.
    fn chosen(&self, image: &Image) -> Result<Vec<String>> {
        let whole = |name: &String| match image.symbol(name) {
            Ok(symbol) => Ok(symbol.name.clone()),
            Err(error) => Err(Diagnostic::mistake(error.to_string())
                .in_file(image.file())
                .maybe_help(error.hint())),
        };
        self.annotate.iter().map(whole).collect()
    }

    /// Writes all files; an error in one does not skip the others.
    fn write(&self, profile: &Profile, board: &Board) -> Vec<Diagnostic> {
        let mut lost = common::write_each(&[
            (&self.json, &|| profile.to_json(common::TOOL)),
            (&self.folded, &|| profile.folded(self.causes)),
            (&self.speedscope, &|| profile.speedscope(common::TOOL)),
            (&self.callgrind, &|| profile.callgrind(common::TOOL)),
            (&self.lcov, &|| profile.lcov()),
        ]);
        let pprof = self.pprof.as_ref();
        let pprof = pprof.map(|path| common::write_bytes(path, &packed(path, profile.pprof())));
        lost.extend(pprof.and_then(Result::err));
        let flames = self.flamegraph.as_ref();
        let flames = flames.map(|path| common::write(path, &self.flames(profile, board)?));
        lost.extend(flames.and_then(Result::err));
        lost
    }

    fn flames(&self, profile: &Profile, board: &Board) -> Result<String> {
        if profile.cycles == 0 {
            return Err(Diagnostic::mistake("there is no cycle to draw"));
        }
        let Some(against) = &self.against else {
            return Ok(profile.flame_graph(self.causes));
        };
        let taken = self.take(&self.program.target.image(against)?, board)?;
        match taken.failure {
            Some(failure) => Err(failure),
            None => Ok(flame_difference(&taken.profile, profile)),
        }
    }
}

/// The bytes for a file: compressed, reproducibly, if its name ends in `.gz`.
fn packed(path: &Path, bytes: Vec<u8>) -> Vec<u8> {
    if path.extension().is_none_or(|extension| extension != "gz") {
        return bytes;
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    let written = packed.write_all(&bytes);
    written
        .and_then(|()| packed.finish())
        .expect("memory takes every write")
}

/// A function's instructions, with source lines where readable.
fn annotated(profile: &Profile, name: &str) -> Result<String> {
    let function = profile
        .functions
        .iter()
        .position(|function| function.name == name);
    let function = function.ok_or_else(|| Diagnostic::mistake(format!("`{name}` was not executed")))?;
    let source = |file: &str, line: u32| {
        // The program names its source files, and may name anything.
        let is_source = fs::metadata(file).is_ok_and(|known| known.is_file() && known.len() < MOST_SOURCE);
        let text = is_source.then(|| fs::read_to_string(file).ok())??;
        text.lines().nth(line as usize - 1).map(str::to_owned)
    };
    Ok(profile.annotated(function, &source))
}
