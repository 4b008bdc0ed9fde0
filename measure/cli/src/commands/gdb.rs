//! `cyclescope gdb`: a server for GDB.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gdb::{Output, Session, serve};
use lab::asked;
use lab::backend::Backend;
use lab::diagnostic::{Diagnostic, Result};
use machine::{Console, Debugger, Options};

use super::inputs::{Channels, Semihosting};
use super::output::Lost;
use super::target::Program;
use super::{Ending, watch};

/// Wait for GDB, and let it run the program
///
/// In GDB, `target remote :3333` connects. Stops, steps, breakpoints and watchpoints of any number, and all of them backwards. `monitor help` lists what else there is. A stop halts
/// the core as a debug probe does, and the cycle counter at 0xe0001004 stands still meanwhile.
#[derive(clap::Args, Debug)]
pub(super) struct GdbArgs {
    #[command(flatten)]
    pub(super) program: Program,
    /// The port of this computer to listen on; 0 takes a free one, and says which.
    #[arg(long, value_name = "PORT", default_value = "3333")]
    port: u16,
    #[command(flatten)]
    surroundings: Surroundings,
}

/// What surrounds a program under a debugger.
#[derive(clap::Args, Debug)]
pub(super) struct Surroundings {
    #[command(flatten)]
    semihosting: Semihosting,
    #[command(flatten)]
    channels: Channels,
}

impl Surroundings {
    /// The program under a debugger, with its output and input, and what becomes of the output to files.
    pub(super) fn session(
        &self,
        program: &Program,
        output: impl Write + Send + 'static,
        error: impl Write + Send + 'static,
        input: impl Read + Send + 'static,
    ) -> Result<(Session, Lost)> {
        let inputs = &self.channels.inputs;
        let written: Vec<_> = self.channels.written().collect();
        let (image, board) = program.load(&written, &inputs.sent())?;
        let raises = asked::inputs("gdb", &image, &board, &inputs.raise)?;
        let silent = Arc::new(AtomicBool::new(false));
        let (output, error) = (Output::new(output, &silent), Output::new(error, &silent));
        let mut console = Console::new(output, error, input);
        let lost = Lost::default();
        self.channels.connect(&mut console, &board, &silent, &lost)?;
        Channels::decode(&mut console, &image);
        let options = Options {
            debugger: Debugger::Attached,
            allow: program.target.allow.clone(),
            command_line: program.elf.display().to_string(),
            files: self.semihosting.access()?,
            console,
            stimuli: inputs.stimuli()?,
            ..Options::default()
        };
        let mut bench = Backend::Model.bench(&board, &image, options)?;
        for &(cycle, exception) in &raises {
            bench.raise(exception, cycle)?;
        }
        Ok((Session::new(bench, silent)?, lost))
    }
}

impl GdbArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let (output, error) = (io::stdout(), io::stderr());
        let (session, lost) = self
            .surroundings
            .session(&self.program, output, error, io::stdin())?;
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
