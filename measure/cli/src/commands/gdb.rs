//! `cyclescope gdb`: a server for GDB.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gdb::{Output, Session, serve};
use lab::asked::inputs;
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
    semihosting: Semihosting,
    #[command(flatten)]
    channels: Channels,
}

impl GdbArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let input = &self.channels.inputs;
        let written: Vec<_> = self.channels.written().collect();
        let (image, board) = self.program.load(&written, &input.sent())?;
        let raises = inputs("gdb", &image, &board, &input.raise)?;
        let silent = Arc::new(AtomicBool::new(false));
        let (output, error) = (
            Output::new(io::stdout(), &silent),
            Output::new(io::stderr(), &silent),
        );
        let mut console = Console::new(output, error, io::stdin());
        let lost = Lost::default();
        self.channels.connect(&mut console, &board, &silent, &lost)?;
        Channels::decode(&mut console, &image);
        let options = Options {
            debugger: Debugger::Attached,
            allow: self.program.target.allow.clone(),
            command_line: self.program.elf.display().to_string(),
            files: self.semihosting.access()?,
            console,
            stimuli: input.stimuli()?,
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
