//! `rtl-compare run`: every retired instruction with its cycle.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};
use isa_rv32::{Isa, decode};
use rtl::Retired;

use super::Set;

/// Run a program on the Verilog of a core: every retired instruction with its cycle.
#[derive(clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    set: Set,
    /// Where the stream goes; standard output without it.
    #[arg(long, value_name = "FILE")]
    stream: Option<PathBuf>,
    /// Keep no stream: only run, up to the limit if the program does not end before.
    #[arg(long, conflicts_with = "stream")]
    unwatched: bool,
}

impl Run {
    pub(crate) fn execute(&self) -> Result<()> {
        let (oracle, job) = (self.set.cache.oracle(self.set.core()?)?, self.set.job()?);
        if self.unwatched {
            let outcome = oracle.run_unwatched(&job)?;
            io::stderr().write_all(&outcome.console)?;
            eprintln!("cycles: {}", outcome.cycles);
            return Ok(());
        }
        let outcome = oracle.run(&job)?;
        let mut sink: Box<dyn Write> = match &self.stream {
            Some(file) => Box::new(BufWriter::new(File::create(file)?)),
            None => Box::new(BufWriter::new(io::stdout().lock())),
        };
        for retired in &outcome.stream {
            write_line(&mut sink, retired)?;
        }
        sink.flush()?;
        io::stderr().write_all(&outcome.console)?;
        match outcome.exit {
            Some(code) => eprintln!("cycles: {}\nexit: {code}", outcome.cycles),
            None => bail!("the program did not end within {} cycles", outcome.cycles),
        }
        Ok(())
    }
}

/// Cycle, fetch PC, retire PC, privilege, encoding, instruction, what it wrote.
fn write_line(sink: &mut dyn Write, retired: &Retired) -> io::Result<()> {
    let Retired {
        cycle,
        fetch_pc,
        pc,
        insn,
        privilege,
        ..
    } = retired;
    let text = decode(*insn, Isa::ALL).map_or_else(
        |error| error.to_string(),
        |insn| insn.disassemble(*pc).to_string(),
    );
    write!(
        sink,
        "{cycle:>8} {fetch_pc:08x} {pc:08x} {privilege} {insn:08x} {text}"
    )?;
    match retired.written {
        Some((rd, value)) => writeln!(sink, "  # x{rd} = {value:#x}"),
        None => writeln!(sink),
    }
}
