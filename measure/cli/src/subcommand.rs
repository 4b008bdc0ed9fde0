//! The commands of `cargo cyclescope`.

mod built;
mod settings;
mod words;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use built::{Executable, build};
use settings::Settings;
use words::Words;

/// Errors are messages.
type Result<T> = std::result::Result<T, String>;

const HELP: &str = "\
Build a program with cargo, and run or measure it on the model of its chip

Usage: cargo cyclescope COMMAND [OPTIONS]

Commands:
  run [-- ARGS]      build and run it
  test               build the tests, and run each of their programs
  cost FUNCTION...   what calls of functions take
  why POINT          the instructions around a point, and the rule behind each of their cycles
  profile            where the cycles of the whole run went
  bench [FILTER...]  build the benchmarks, measure them, and say what changed since the last time
  measure [SPEC]     what a spec names
  gate [SPEC]        measure, and check the results against the limits and the baseline; --save renews the baseline
  disasm [SYMBOL]    disassemble it

Cargo's options -p, --bin, --example, --test, --bench, --release, --profile, --target, --features, --all-features, --no-default-features,
--manifest-path, --target-dir, --locked, --offline and --frozen go to cargo. All but `run` and `test` build with --release unless --profile
says otherwise, and `bench` with the profile of that name. All other options go to the command of `cyclescope`: see `cyclescope COMMAND --help`.

In Cargo.toml:
  [package.metadata.cyclescope]
  board = \"stm32f407\"                  # or a board file, beside Cargo.toml
  spec = \"cyclescope.toml\"             # these three are where they are looked for anyway
  limits = \"cyclescope-limits.toml\"
  baseline = \"cyclescope-baseline.json\"

Examples:
  cargo cyclescope run --release
  cargo cyclescope cost sort --board stm32f407
  cargo cyclescope bench insertion
  cargo cyclescope gate --annotate
";

/// Executes a command line; returns the exit code of the program that it ran.
pub(super) fn execute(words: &[String]) -> Result<u8> {
    let Some((command, rest)) = words.split_first() else {
        return Err(format!("which command?\n\n{HELP}"));
    };
    match command.as_str() {
        "help" | "--help" | "-h" => {
            let _ = write!(io::stdout(), "{HELP}");
            Ok(0)
        }
        "--version" | "-V" => {
            let _ = writeln!(io::stdout(), "cargo-cyclescope {}", env!("CARGO_PKG_VERSION"));
            Ok(0)
        }
        "run" | "test" | "bench" | "cost" | "why" | "profile" | "measure" | "gate" | "baseline"
        | "disasm" => {
            let mut own = rest.iter().take_while(|word| *word != "--");
            if own.any(|word| word == "--help" || word == "-h") {
                return cyclescope(&[command.clone(), "--help".to_owned()]);
            }
            Job::new(command, rest)?.run()
        }
        other => Err(format!("there is no command `{other}`\n\n{HELP}")),
    }
}

/// A command, its words and the package's settings.
struct Job {
    command: String,
    words: Words,
    settings: Settings,
}

impl Job {
    fn new(command: &str, rest: &[String]) -> Result<Job> {
        let mut words = Words::sort(rest);
        if command != "run" && command != "test" && command != "bench" {
            words.release_unless_said();
        }
        let settings = Settings::read(&words)?;
        Ok(Job {
            command: command.to_owned(),
            words,
            settings,
        })
    }

    fn run(&self) -> Result<u8> {
        match self.command.as_str() {
            "test" => return self.tests(),
            "bench" => return self.benches(),
            _ => {}
        }
        let mut built = build("build", &self.words)?;
        let elf =
            match (built.pop(), built.len()) {
                (Some(one), 0) => one.path,
                (None, _) => return Err(
                    "cargo built no program: is this a library? `--example NAME` chooses one of its examples"
                        .into(),
                ),
                (Some(last), _) => {
                    let names: Vec<&str> = built.iter().chain([&last]).map(|one| one.name.as_str()).collect();
                    return Err(format!(
                        "there are several programs: {}; choose one with --bin NAME",
                        names.join(", ")
                    ));
                }
            };
        match self.command.as_str() {
            "measure" => self.measure(&elf),
            "gate" => self.gate(&elf, &[]),
            "baseline" => {
                say("`cargo cyclescope baseline` is called `cargo cyclescope gate --save` now");
                self.gate(&elf, &["--save"])
            }
            _ => self.on(&elf),
        }
    }

    /// Runs the command on a program, which is its first word.
    fn on(&self, elf: &Path) -> Result<u8> {
        let mut words = vec![self.command.clone(), text(elf)?];
        // `disasm` takes no board.
        if self.command != "disasm" {
            words.extend(self.board());
        }
        words.extend(self.words.others.iter().cloned());
        cyclescope(&words)
    }

    fn measure(&self, elf: &Path) -> Result<u8> {
        let (mut words, others) = self.of_spec("measure", elf)?;
        words.extend(others);
        cyclescope(&words)
    }

    /// A command that measures the spec, with its program and board, and the other words of the command line.
    fn of_spec(&self, command: &str, elf: &Path) -> Result<(Vec<String>, Vec<String>)> {
        let mut others = self.words.others.clone();
        let spec = match others.first() {
            Some(spec) if is_toml(spec) => others.remove(0),
            _ => text(&self.settings.spec)?,
        };
        let mut words = vec![command.to_owned(), spec, "--elf".to_owned(), text(elf)?];
        words.extend(self.board());
        Ok((words, others))
    }

    /// Measures, and checks the results against the limits and the baseline.
    fn gate(&self, elf: &Path, more: &[&str]) -> Result<u8> {
        let (mut words, others) = self.of_spec("gate", elf)?;
        words.extend(more.iter().map(|word| (*word).to_owned()));
        let says = |option: &str| others.iter().any(|word| word.split('=').next() == Some(option));
        if !says("--json") {
            words.extend(["--json".to_owned(), text(&self.kept("results.json")?)?]);
        }
        let limits = Some(&self.settings.limits).filter(|path| path.is_file() && !says("--limits"));
        if let Some(limits) = limits {
            words.extend(["--limits".to_owned(), text(limits)?]);
        }
        // Limits may name a baseline, or have it beside them.
        let is_saved = !more.is_empty() || says("--save");
        let usual = Some(&self.settings.usual_baseline).filter(|_| limits.is_none() && !says("--limits"));
        let baseline = self
            .settings
            .baseline
            .as_ref()
            .or(usual)
            .filter(|_| !says("--baseline"));
        if let Some(baseline) = baseline.filter(|path| is_saved || path.is_file()) {
            words.extend(["--baseline".to_owned(), text(baseline)?]);
        }
        words.extend(others);
        cyclescope(&words)
    }

    /// Runs all test programs; returns the worst exit code.
    fn tests(&self) -> Result<u8> {
        let built = build("test", &self.words)?;
        if built.is_empty() {
            return Err("cargo built no tests".into());
        }
        let mut worst = 0;
        for Executable { name, path } in &built {
            say(&format!("     Running {name} ({})", path.display()));
            let mut words = vec!["run".to_owned(), text(path)?];
            words.extend(self.board());
            words.extend(self.words.others.iter().cloned());
            worst = worst.max(cyclescope(&words)?);
        }
        Ok(worst)
    }

    /// Measures all benchmark programs; returns the worst exit code.
    fn benches(&self) -> Result<u8> {
        let built = build("bench", &self.words)?;
        if built.is_empty() {
            return Err("cargo built no benchmarks: they are files in `benches/`, with `harness = false` in Cargo.toml".into());
        }
        let writes = |word: &String| word == "--json" || word.starts_with("--json=");
        if built.len() > 1 && self.words.others.iter().any(writes) {
            let names: Vec<&str> = built.iter().map(|one| one.name.as_str()).collect();
            return Err(format!(
                "{} would write the same file; choose one with --bench NAME",
                names.join(" and ")
            ));
        }
        let mut worst = 0;
        for one in &built {
            say(&format!("   Measuring {} ({})", one.name, one.path.display()));
            worst = worst.max(self.bench(one)?);
        }
        Ok(worst)
    }

    /// Measures a benchmark program, saves the results and compares them with the last ones.
    fn bench(&self, program: &Executable) -> Result<u8> {
        let mut words = vec!["measure".to_owned(), text(&program.path)?];
        words.extend(self.board());
        let kept = self.kept(&format!("bench-{}.json", program.name))?;
        words.extend(["--keep".to_owned(), text(&kept)?]);
        words.extend(self.words.others.iter().cloned());
        cyclescope(&words)
    }

    /// The path of a saved file; creates its folder.
    fn kept(&self, name: &str) -> Result<PathBuf> {
        let folder = self.settings.target.join("cyclescope");
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder.join(name))
    }

    /// `--board`, if the manifest sets it and the command line does not.
    fn board(&self) -> Vec<String> {
        let said = self
            .words
            .others
            .iter()
            .any(|word| word == "--board" || word.starts_with("--board="));
        match &self.settings.board {
            Some(board) if !said => vec!["--board".to_owned(), board.clone()],
            _ => Vec::new(),
        }
    }
}

/// Runs `cyclescope`: the one next to this program, or the one in `PATH`.
fn cyclescope(words: &[String]) -> Result<u8> {
    let own = std::env::current_exe().unwrap_or_default();
    let beside = own.with_file_name(format!("cyclescope{}", std::env::consts::EXE_SUFFIX));
    let program = if beside.is_file() {
        beside
    } else {
        PathBuf::from("cyclescope")
    };
    let status = Command::new(&program).args(words).status();
    let status = status.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX))
}

/// Whether a word is a TOML file's name rather than an option.
fn is_toml(word: &str) -> bool {
    !word.starts_with('-') && Path::new(word).extension().is_some_and(|end| end == "toml")
}

fn text(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| format!("{}: the path is not UTF-8 text", path.display()))
}

/// Shows a progress line; ignores write errors.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
