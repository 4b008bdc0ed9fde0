//! `rtl-oracle`: runs a program on the Verilog of a core and writes what retires.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use clap::builder::PossibleValuesParser;
use isa_rv32::{Isa, decode};
use rtl_oracle::{Core, Job, Missing, Oracle, Program, Retired};

/// Run a program on the Verilog of an RV32 core: every retired instruction with its cycle.
#[derive(Parser)]
struct Args {
    /// The program, an ELF file.
    elf: PathBuf,
    /// The core.
    #[arg(long, default_value = "vexriscv-full", value_parser = PossibleValuesParser::new(Core::ALL.map(|core| core.name)))]
    core: String,
    /// Cycles until the memory answers; 0 is in the cycle that asks.
    #[arg(long, default_value_t = 0)]
    latency: u32,
    /// The same for each further word of a burst.
    #[arg(long, default_value_t = 0)]
    beat: u32,
    /// Where the memory begins.
    #[arg(long, default_value = "0", value_parser = number)]
    base: u32,
    /// Its size in bytes.
    #[arg(long, default_value = "0x100000", value_parser = number)]
    size: u32,
    /// Give up after so many cycles.
    #[arg(long, default_value_t = 10_000_000)]
    limit: u64,
    /// Where the stream goes; standard output without it.
    #[arg(long, value_name = "FILE")]
    stream: Option<PathBuf>,
    /// Where cores are built.
    #[arg(long, value_name = "DIR", default_value = "target/rtl")]
    cache: PathBuf,
}

fn number(text: &str) -> Result<u32, std::num::ParseIntError> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    if let Some(Missing(tool)) = Missing::any() {
        bail!("{tool} is not installed; Debian's package has the same name");
    }
    let core = Core::named(&args.core).context("the argument parser knows the cores")?;
    let program = Program::load(&args.elf, args.base, args.size)?;
    let oracle = Oracle::of(core, &args.cache)?;
    let outcome = oracle.run(&Job {
        reset_vector: program.entry,
        base: program.base,
        memory: program.memory,
        latency: args.latency,
        beat: args.beat,
        changes: Vec::new(),
        limit: args.limit,
    })?;
    let mut sink: Box<dyn std::io::Write> = match &args.stream {
        Some(file) => Box::new(BufWriter::new(File::create(file)?)),
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    for retired in &outcome.stream {
        write_line(&mut sink, retired)?;
    }
    sink.flush()?;
    std::io::stderr().write_all(&outcome.console)?;
    match outcome.exit {
        Some(code) => eprintln!("cycles: {}\nexit: {code}", outcome.cycles),
        None => bail!("the program did not end within {} cycles", outcome.cycles),
    }
    Ok(())
}

/// Cycle, fetch PC, retire PC, privilege, encoding, instruction, what it wrote.
fn write_line(sink: &mut dyn std::io::Write, retired: &Retired) -> std::io::Result<()> {
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
