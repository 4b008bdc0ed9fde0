//! `cargo cyclescope`: builds programs with cargo, and passes each to a command.
//!
//! A command has the same options as without cargo, and those of cargo in place of the program. `cargo-cyclescope` starts this program with
//! `cargo` as its first word.

mod built;
mod options;
mod settings;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};
use lab::diagnostic::{Diagnostic, Result};

use super::measure::MeasureArgs;
use super::run::RunArgs;
use super::{Cli, Command, Ending, help, progress, watch};
use built::{Executable, build};
use settings::Settings;

/// The commands that take what cargo built, each with an example.
const COMMANDS: [(&str, &str); 10] = [
    ("run", "run --release"),
    ("test", "test passes --exact"),
    ("cost", "cost sort --board stm32f407"),
    ("bench", "bench insertion"),
    ("measure", "measure cyclescope.toml --json new.json"),
    ("why", "why sort --bin app"),
    ("profile", "profile --flamegraph cycles.svg"),
    ("disasm", "disasm sort"),
    ("gdb", "gdb --port 3333"),
    ("gate", "gate --annotate"),
];

const ABOUT: &str = "Build a program with cargo, and run or measure it on the model of its chip";

const LONG_ABOUT: &str = "\
Build a program with cargo, and run or measure it on the model of its chip

You measure what you ship: all but `run` and `test` build with --release unless --profile says otherwise, and `bench` with the profile of that \
name.";

const MANIFEST: &str = "\
In Cargo.toml:
  [package.metadata.cyclescope]
  board = \"stm32f407\"                  # or a board file, beside Cargo.toml
  spec = \"cyclescope.toml\"             # these three are where they are looked for anyway
  limits = \"cyclescope-limits.toml\"
  baseline = \"cyclescope-baseline.json\"";

/// The option that names the program in place of what cargo builds.
const PROGRAM: &str = "elf";

/// The defaults of a program and of a spec, as the help shows them.
const BUILT: &str = "what cargo builds";
const OF_MANIFEST: &str = "that of the manifest";

/// The command line of `cargo cyclescope`.
pub(super) fn command() -> clap::Command {
    let program = Cli::command();
    let commands = COMMANDS.iter().map(|&(name, example)| {
        let of = if name == "bench" { "measure" } else { name };
        let command = program.find_subcommand(of).expect("a command").clone();
        let command = without_program(name, command).args(options::all());
        let examples = format!(
            "Examples:\n  cargo cyclescope {example}\n\nMore: {}",
            help::link("cargo.md")
        );
        command.after_help(examples)
    });
    clap::Command::new("cargo-cyclescope")
        .bin_name("cargo cyclescope")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .max_term_width(help::width())
        .arg_required_else_help(true)
        .subcommand_required(true)
        .args(program.get_arguments().cloned())
        .subcommands(commands)
        .after_help(format!("{MANIFEST}\n\nMore: {}", help::link("cargo.md")))
}

/// A command whose program is an option, since cargo builds it, and whose spec is that of the manifest unless one is named.
fn without_program(name: &str, command: clap::Command) -> clap::Command {
    let option = |arg: clap::Arg| {
        let arg = arg
            .long(PROGRAM)
            .value_name("FILE")
            .help("The program")
            .long_help(None);
        arg.required(false).default_value(BUILT)
    };
    let spec = |arg: clap::Arg| {
        let arg = arg.value_name("SPEC").help("The spec (TOML)").long_help(None);
        arg.required(false).default_value(OF_MANIFEST)
    };
    match name {
        "bench" => command
            .name("bench")
            .about("Build the benchmarks, measure them, and show what changed since the last time")
            .mut_arg(PROGRAM, |arg| arg.long("program-of-spec").hide(true))
            .mut_arg("from", option),
        // Each mutation puts the argument behind the others.
        "measure" => command
            .mut_arg("from", spec)
            .mut_arg("filters", |filters| filters.hide(true)),
        "gate" => command.mut_arg("from", |from| from.required(false).value_name("SPEC|RESULTS")),
        // A misspelt option is none of the program's words, which follow `--`.
        "run" => command
            .mut_arg(PROGRAM, option)
            .mut_arg("words", |words| words.allow_hyphen_values(false)),
        _ => command.mut_arg(PROGRAM, option),
    }
}

/// Executes a command line, which names what to build.
pub(super) fn execute(matches: &ArgMatches) -> Result<Ending> {
    let (name, own) = matches.subcommand().expect("required");
    let mut job = Job {
        command: match name {
            "bench" => MeasureArgs::from_arg_matches(own).map(Command::Measure),
            _ => Command::from_arg_matches(matches),
        }
        .unwrap_or_else(|error| error.exit()),
        settings: Settings::read(own)?,
    };
    let id = if name == "bench" { "from" } else { PROGRAM };
    let given = own.value_source(id) == Some(ValueSource::CommandLine);
    let given = given.then(|| own.get_one::<PathBuf>(id)).flatten();
    let programs = match given {
        Some(path) => vec![Executable::at(path)],
        None => build(name, own)?,
    };
    // Building takes none of the time.
    watch::limit(matches.get_one("timeout").copied());
    match name {
        "test" => job.each("     Running", &programs, Job::test),
        "bench" => job.benchmarks(&programs),
        _ => {
            job.take(&only(&programs)?.path)?;
            job.command.run(None)
        }
    }
}

/// The one program that was built.
fn only(programs: &[Executable]) -> Result<&Executable> {
    match programs {
        [one] => Ok(one),
        [] => Err(Diagnostic::mistake("cargo built no program: is this a library?")
            .help("`--example NAME` chooses one of its examples")),
        several => {
            let names: Vec<&str> = several.iter().map(|one| one.name.as_str()).collect();
            let title = format!("there are several programs: {}", names.join(", "));
            Err(Diagnostic::mistake(title).help("choose one with `--bin NAME`"))
        }
    }
}

/// A command and the package's settings.
struct Job {
    command: Command,
    settings: Settings,
}

impl Job {
    /// Gives the command its program, and what the manifest says where the command line says nothing.
    fn take(&mut self, elf: &Path) -> Result<()> {
        let settings = &self.settings;
        let program = match &mut self.command {
            Command::Run(run) => {
                run.are_words_checked = true;
                &mut run.program
            }
            Command::Test(test) => &mut test.program,
            Command::Cost(cost) => &mut cost.program,
            Command::Why(why) => &mut why.program,
            Command::Profile(profile) => &mut profile.program,
            Command::Gdb(gdb) => &mut gdb.program,
            Command::Disasm(disasm) => {
                elf.clone_into(&mut disasm.elf);
                return Ok(());
            }
            Command::Measure(measure) => {
                if measure.from == Path::new(OF_MANIFEST) {
                    measure.from.clone_from(&settings.spec);
                }
                measure.how.elf.get_or_insert_with(|| elf.to_owned());
                settings.choose_board(&mut measure.how.target);
                return Ok(());
            }
            Command::Gate(gate) => {
                if gate.from.is_empty() {
                    gate.from.push(settings.spec.clone());
                }
                gate.how.elf.get_or_insert_with(|| elf.to_owned());
                settings.choose_board(&mut gate.how.target);
                let results = settings.kept("results.json")?;
                gate.json.get_or_insert(results);
                // Limits may name a baseline, or have it beside them.
                let is_usual = gate.limits.is_none() && !settings.limits.is_file();
                if gate.limits.is_none() && !is_usual {
                    gate.limits = Some(settings.limits.clone());
                }
                if gate.baseline.is_none() {
                    let usual = Some(&settings.usual_baseline).filter(|_| is_usual);
                    let baseline = settings.baseline.as_ref().or(usual);
                    gate.baseline = baseline.filter(|path| gate.save || path.is_file()).cloned();
                }
                return Ok(());
            }
            other => unreachable!("{other:?} takes no program"),
        };
        elf.clone_into(&mut program.elf);
        settings.choose_board(&mut program.target);
        Ok(())
    }

    /// Runs or measures each program; the exit code is the worst.
    fn each(
        &mut self,
        doing: &str,
        programs: &[Executable],
        one: impl Fn(&mut Job, &Executable) -> Result<Ending>,
    ) -> Result<Ending> {
        if programs.is_empty() {
            let title = "cargo built nothing to run";
            let help = "tests are in `tests/` or in the package's targets, benchmarks are files in `benches/`, with `harness = false` in Cargo.toml";
            return Err(Diagnostic::mistake(title).help(help));
        }
        let mut worst = Ending::default();
        for program in programs {
            // Nothing is lost without the line.
            let _ = writeln!(
                io::stderr(),
                "{doing} {} ({})",
                program.name,
                program.path.display()
            );
            let ending = one(self, program).unwrap_or_else(Ending::from);
            progress::end();
            ending.tell();
            worst.firmware = worst.firmware.max(ending.code());
        }
        Ok(worst)
    }

    /// Runs a program of tests, or another program that cargo built as one.
    fn test(&mut self, program: &Executable) -> Result<Ending> {
        self.take(&program.path)?;
        let Command::Test(test) = &self.command else {
            unreachable!("it is `test`")
        };
        match test.tests()? {
            Some(ending) => Ok(ending),
            None => Command::Run(RunArgs::plain(test)).run(None),
        }
    }

    /// Measures all benchmark programs, and compares each with its last results.
    fn benchmarks(&mut self, programs: &[Executable]) -> Result<Ending> {
        let Command::Measure(measure) = &self.command else {
            unreachable!("it is `bench`")
        };
        if measure.recording.json.is_some() && programs.len() > 1 {
            let names: Vec<&str> = programs.iter().map(|one| one.name.as_str()).collect();
            let title = format!("{} would write the same file", names.join(" and "));
            return Err(Diagnostic::mistake(title).help("choose one with `--bench NAME`"));
        }
        let keeps = measure.benchmarks.keep.is_some();
        self.each("   Measuring", programs, |job, program| {
            let kept = job.settings.kept(&format!("bench-{}.json", program.name))?;
            let Command::Measure(measure) = &mut job.command else {
                unreachable!("it is `bench`")
            };
            measure.from.clone_from(&program.path);
            job.settings.choose_board(&mut measure.how.target);
            if !keeps {
                measure.benchmarks.keep = Some(kept);
            }
            job.command.run(None)
        })
    }
}
