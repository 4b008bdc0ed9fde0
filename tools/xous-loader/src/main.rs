//! Writes what the loader of Xous would leave in RAM as an ELF file.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use lab::batch::{find_board, load};
use lab::diagnostic::{Diagnostic, Result};
use machine::image::Image;
use xous_loader::{Process, xous};

/// Put a kernel of Xous and its programs into one ELF file, as Xous's loader leaves them in RAM.
///
/// The file then runs, is measured and is profiled on that board as any other program is. Each program that has addresses of its own keeps
/// its symbols; where several have one of the same name, a point is written `program:symbol`.
#[derive(Parser, Debug)]
#[command(
    version,
    after_help = "Example:\n  xous-loader kernel.elf server.elf -o image.elf"
)]
struct Args {
    /// The kernel.
    kernel: PathBuf,
    /// The programs: the processes 2, 3 and so on.
    #[arg(required = true)]
    programs: Vec<PathBuf>,
    /// The board: a name (`cyclescope list boards` lists them) or a board file.
    #[arg(long, value_name = "BOARD", default_value = "precursor")]
    board: String,
    /// A word of memory to set, beside what the loader does: 0xf001c00c=1. On a board whose registers are memory, as in the harness of
    /// a core's Verilog.
    #[arg(long, value_name = "ADDRESS=WORD", value_parser = word)]
    set: Vec<(u32, u32)>,
    /// The file to write.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

fn main() -> ExitCode {
    match Args::parse().execute() {
        Ok(list) => {
            print!("{list}");
            ExitCode::SUCCESS
        }
        Err(diagnostic) => {
            eprint!("{}", diagnostic.render(false));
            ExitCode::from(2)
        }
    }
}

impl Args {
    /// Writes the image, and returns a list of its processes.
    fn execute(&self) -> Result<String> {
        let board = find_board(&self.board)?;
        let kernel = load(&self.kernel)?;
        let programs: Vec<Image> = self
            .programs
            .iter()
            .map(|path| load(path))
            .collect::<Result<_>>()?;
        let image = xous(&board, &kernel, &programs, &self.set)
            .map_err(|error| Diagnostic::mistake(error.to_string()).maybe_help(error.hint()))?;
        let place = self.output.display().to_string();
        if self
            .programs
            .iter()
            .chain([&self.kernel])
            .any(|read| *read == self.output)
        {
            return Err(Diagnostic::mistake("is read, so it cannot be written").in_file(place));
        }
        fs::write(&self.output, &image.elf)
            .map_err(|error| Diagnostic::mistake(format!("cannot be written: {error}")).in_file(place))?;
        Ok(list(&image.processes))
    }
}

fn word(text: &str) -> std::result::Result<(u32, u32), String> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let parts = text
        .split_once('=')
        .and_then(|(at, value)| Some((number(at)?, number(value)?)));
    match parts {
        Some((at, value)) if at % 4 == 0 => Ok((at, value)),
        Some(_) => Err("the address of a word is a multiple of 4".into()),
        None => Err("expected ADDRESS=WORD, such as 0xf001c00c=1".into()),
    }
}

fn list(processes: &[Process]) -> String {
    let mut text = String::new();
    for (process, pid) in processes.iter().zip(1..) {
        let Process {
            name,
            begins,
            size,
            hidden_by,
        } = process;
        let hidden = hidden_by.as_ref().map_or(String::new(), |other| {
            format!("  without symbols: `{other}` is linked to the same addresses")
        });
        let _ = writeln!(
            text,
            "{pid:>2}  {begins:#010x}  {:>5} KiB  {name}{hidden}",
            size.div_ceil(1024)
        );
    }
    text
}
