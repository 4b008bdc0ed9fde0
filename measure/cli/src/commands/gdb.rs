//! `cyclescope gdb`: a server for GDB.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gdb::{Output, Session, serve};
use lab::asked::{Interruption, inputs};
use lab::backend::Backend;
use lab::batch::without_rules;
use lab::diagnostic::{Diagnostic, Result};
use machine::board::Allow;
use machine::{Console, Debugger, FileAccess, Options};

use super::chip::Chip;
use super::output::Lost;
use super::program::{Files, Ways};
use super::{Ending, common, watch};

/// Wait for GDB, and let it run the program: `target remote :3333`.
///
/// Stops, steps, breakpoints and watchpoints of any number, and all of them backwards. `monitor help` lists what else there is. A stop halts
/// the core as a debug probe does, and the cycle counter at 0xe0001004 stands still meanwhile.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::GDB)]
pub(super) struct Args {
    /// The program: an ELF file, Intel HEX, UF2, or a binary file with `--base`.
    elf: PathBuf,
    /// The board: a name (`cyclescope boards` lists them) or a board file. Without this, a plain one with the core that the program was
    /// built for.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// The port of this computer to listen on; 0 takes a free one, and says which.
    #[arg(long, value_name = "PORT", default_value = "3333")]
    port: u16,
    /// Raise an interrupt from outside, in this cycle since reset: IRQ6@1000.
    #[arg(long, value_name = "IRQ@CYCLE")]
    raise: Vec<Interruption>,
    /// Allow accesses to a range that the board does not describe, such as 0x40021000..0x40021400: reads give zero and
    /// writes are ignored. With `=fault` appended, accesses fault; `=held`, `=toggles` and `=0x12` say what reads give.
    #[arg(long, value_name = "RANGE")]
    allow: Vec<Allow>,
    #[command(flatten)]
    chip: Chip,
    /// Switch a timing rule off (`cyclescope rules` lists them).
    #[arg(long, value_name = "RULE")]
    without_rule: Vec<String>,
    /// Let the program open files in this directory by semihosting. Names and links that lead out of it are refused.
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    #[command(flatten)]
    files_of_program: Files,
    #[command(flatten)]
    ways: Ways,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let written: Vec<_> = self.ways.written().collect();
        let read = std::iter::once(&*self.elf).chain(self.board.as_deref().map(Path::new));
        common::check_written(
            &written,
            &read
                .chain(self.files_of_program.further())
                .chain(self.chip.files())
                .chain(self.ways.sent())
                .collect::<Vec<_>>(),
        )?;
        let image = Arc::new(self.files_of_program.load(&self.elf, self.board.as_deref())?);
        let board = without_rules(
            self.chip.board(self.board.as_deref(), &image)?,
            &self.without_rule,
        )?;
        let raises = inputs("gdb", &image, &board, &self.raise)?;
        let silent = Arc::new(AtomicBool::new(false));
        let (output, error) = (
            Output::new(io::stdout(), &silent),
            Output::new(io::stderr(), &silent),
        );
        let mut console = Console::new(output, error, io::stdin());
        let lost = Lost::default();
        self.ways.connect(&mut console, &board, &silent, &lost)?;
        Ways::decode(&mut console, &image);
        let options = Options {
            debugger: Debugger::Attached,
            allow: self.allow.clone(),
            command_line: self.elf.display().to_string(),
            files: self.files.clone().map_or(FileAccess::None, FileAccess::within),
            console,
            stimuli: self.ways.stimuli()?,
            ..Options::default()
        };
        let mut bench = Backend::Model.bench(&board, &image, options)?;
        for &(cycle, exception) in &raises {
            bench.raise(exception, cycle)?;
        }
        let session = Session::new(bench, silent)?;
        watch::keeps_nothing();
        let connection = self.connection()?;
        let exited = serve(session, connection, |text| {
            // GDB shows the same, so a write error loses nothing.
            let _ = write!(io::stderr(), "{text}");
        })?;
        Ok(Ending {
            messages: lost.message().into_iter().collect(),
            firmware: exited.unwrap_or(0),
        })
    }

    /// Waits for the first connection from GDB.
    fn connection(&self) -> Result<std::net::TcpStream> {
        let wrong = |error: io::Error| {
            let hint =
                (error.kind() == io::ErrorKind::AddrInUse).then(|| "--port takes another one".to_owned());
            Diagnostic::mistake(format!("port {}: {error}", self.port)).maybe_help(hint)
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let _ = writeln!(io::stderr(), "waiting for GDB: target remote {address}");
        let (connection, _) = listener.accept().map_err(wrong)?;
        Ok(connection)
    }
}
