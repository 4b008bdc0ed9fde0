//! Counts, with callgrind, the host instructions per simulated instruction, and the factor that a listener to every instruction adds.
//!
//! Counts do not depend on machine load: the same build gives the same figures. The start, measured with a program that ends at once, is
//! subtracted; decoding each instruction the first time is not.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::counted;
use crate::packages::{VALGRIND, ensure};
use crate::pages::replaced;
use crate::shell::say;
use crate::{firmware, prices, root};

/// A board and the target of its programs.
struct Column {
    board: &'static str,
    target: &'static str,
}

const fn column(board: &'static str, target: &'static str) -> Column {
    Column { board, target }
}

const COLUMNS: [Column; 4] = [
    column("mps2-an385", "thumbv7m-none-eabi"),
    column("cortex-m4f", "thumbv7em-none-eabihf"),
    column("stm32f407-168mhz", "thumbv7em-none-eabihf"),
    column("vexriscv-imac", "riscv32imac-unknown-none-elf"),
];

/// The program that only starts and ends.
const START: &str = "bench-start";

/// The programs: name, description, which of [`COLUMNS`] have it, and the upper limit that we aim for.
const ROWS: [(&str, &str, [bool; 4], u32); 11] = [
    ("bench-registers", "a loop in registers", ALL, 60),
    ("bench-sort", "heap sort", ALL, 60),
    ("bench-crc", "CRC-32 by a table", ALL, 60),
    ("bench-aes", "AES-128 byte by byte", ALL, 60),
    ("bench-sha", "SHA-256", ALL, 60),
    ("bench-float", "double precision without hardware", ALL, 60),
    ("bench-huffman", "Huffman's code", ALL, 60),
    ("bench-matrix", "matrices with long multiplications", ALL, 60),
    (
        "bench-interrupts",
        "10,000 interrupts a second at 25 MHz",
        CORTEX_M,
        60,
    ),
    ("bench-uart", "bytes to a UART", DEVICES, 300),
    ("bench-system", "masks and system registers", CORTEX_M, 300),
];
/// The programs' packages, and the [`COLUMNS`] they are built for.
const PACKAGES: [(&str, [bool; 4]); 2] = [("bench-work", ALL), ("bench-chip", CORTEX_M)];
const ALL: [bool; 4] = [true; 4];
const CORTEX_M: [bool; 4] = [true, true, true, false];
/// The boards whose UART the program supports.
const DEVICES: [bool; 4] = [true, false, true, false];

/// Listeners to every instruction: description, arguments, and the upper limit that we aim for, as a factor of a silent run.
const LISTENERS: [(&str, &[&str], u32); 6] = [
    ("a profile", &["profile"], 4),
    ("a trace as text", &trace("text"), 20),
    ("a trace as JSON", &trace("jsonl"), 20),
    ("a trace as a table", &trace("csv"), 20),
    ("a trace of waveforms", &trace("vcd"), 20),
    ("a trace for Perfetto", &trace("perfetto"), 20),
];

/// The arguments for a discarded trace in this format.
const fn trace(format: &str) -> [&str; 5] {
    ["run", "--trace", "/dev/null", "--trace-format", format]
}

/// The programs run with listeners.
const LISTENED: [&str; 2] = ["bench-sort", "bench-sha"];

/// Markers around the tables in the page.
const COUNTED: [&str; 2] = ["<!-- counted -->\n", "<!-- /counted -->\n"];
const HEARD: [&str; 2] = ["<!-- heard -->\n", "<!-- /heard -->\n"];

/// Instruction counts of a run.
#[derive(Clone, Copy)]
struct Count {
    host: f64,
    guest: u32,
}

/// Counts, prints the tables and writes them into `docs/speed.md`.
///
/// # Errors
/// If a build or run fails, or the page has no place for the table.
pub fn count() -> Result<()> {
    ensure(&[VALGRIND])?;
    let simulator = prices::simulator()?;
    build()?;
    let tables = [(COUNTED, table(&simulator)?), (HEARD, heard(&simulator)?)];
    let page = page();
    let mut text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    for (marks, table) in tables {
        println!("{table}");
        text = replaced(&text, marks, &table).context("docs/speed.md has no place for the table")?;
    }
    fs::write(&page, text).with_context(|| page.display().to_string())
}

/// Builds only the programs that are counted.
fn build() -> Result<()> {
    for (package, has) in PACKAGES {
        for (column, _) in COLUMNS.iter().zip(has).filter(|(_, has)| *has) {
            firmware::build_package(package, column.target)?;
        }
    }
    Ok(())
}

fn page() -> PathBuf {
    root().join("docs/speed.md")
}

/// The header lines of a table.
fn head(first: &str) -> String {
    let boards = COLUMNS.map(|column| format!("`{}`", column.board)).join(" | ");
    format!("| {first} | {boards} | wanted |\n|---|---|---|---|---|---|\n")
}

fn table(simulator: &Path) -> Result<String> {
    let starts = COLUMNS.iter().map(|column| one(simulator, START, column));
    let starts = starts.collect::<Result<Vec<_>>>()?;
    let mut table = head("program");
    let millions = starts.iter().map(|start| format!("{:.1} M", start.host / 1e6));
    let _ = writeln!(
        table,
        "| start, in all | {} | |",
        millions.collect::<Vec<_>>().join(" | ")
    );
    for (name, about, has, wanted) in ROWS {
        say(&format!("speed: counting {name}"));
        let _ = write!(table, "| {about} |");
        for ((column, start), has) in COLUMNS.iter().zip(&starts).zip(has) {
            let cell = if has {
                cell(one(simulator, name, column)?, *start)
            } else {
                "–".to_owned()
            };
            let _ = write!(table, " {cell} |");
        }
        let _ = writeln!(table, " {wanted} |");
    }
    Ok(table)
}

/// The factor in host instructions that each listener adds to a silent run.
fn heard(simulator: &Path) -> Result<String> {
    let silent = COLUMNS.iter().map(|column| work(simulator, &["run"], column));
    let silent = silent.collect::<Result<Vec<_>>>()?;
    let mut table = head("who listens");
    for (who, words, wanted) in LISTENERS {
        say(&format!("speed: counting {who}"));
        let _ = write!(table, "| {who} |");
        for (column, silent) in COLUMNS.iter().zip(&silent) {
            let _ = write!(table, " {:.1} |", work(simulator, words, column)? / silent);
        }
        let _ = writeln!(table, " {wanted} |");
    }
    Ok(table)
}

/// Host instructions of all [`LISTENED`] programs, without the starts.
fn work(simulator: &Path, words: &[&str], column: &Column) -> Result<f64> {
    let start = host(simulator, words, START, column)?;
    let programs = LISTENED
        .iter()
        .map(|program| host(simulator, words, program, column));
    let all = programs.sum::<Result<f64>>()?;
    Ok(all - start * f64::from(LISTENED.len() as u32))
}

/// Host instructions per simulated instruction, as a table cell.
fn cell(work: Count, start: Count) -> String {
    let guest = f64::from(work.guest.saturating_sub(start.guest).max(1));
    format!("{:.0}", (work.host - start.host) / guest)
}

fn one(simulator: &Path, program: &str, column: &Column) -> Result<Count> {
    let file = firmware::place(program, column.target);
    let mut plain = Command::new(simulator);
    plain.args(["run", "--board", column.board]).arg(&file);
    plain.stdout(Stdio::null());
    let [guest] = counted(plain, ["instructions"])?;
    let host = host(simulator, &["run"], program, column)?;
    Ok(Count { host, guest })
}

/// Host instructions of this command.
fn host(simulator: &Path, words: &[&str], program: &str, column: &Column) -> Result<f64> {
    let file = firmware::place(program, column.target);
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command
        .arg(simulator)
        .args(words)
        .args(["--board", column.board])
        .arg(&file);
    let said = command.output()?.stderr;
    let said = String::from_utf8_lossy(&said);
    collected(&said).with_context(|| format!("no count from callgrind: {said}"))
}

/// Parses callgrind's final count: `==123== Collected : 456`.
fn collected(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_callgrind_says_is_read() {
        let said = "==1== Events    : Ir\n==1== Collected : 37162288\n==1==\n";
        assert_eq!(collected(said), Some(37_162_288.0));
        assert_eq!(collected("==1== error"), None);
    }

    #[test]
    fn the_start_is_taken_off() {
        let count = |host, guest| Count { host, guest };
        assert_eq!(cell(count(7000.0, 120), count(1000.0, 20)), "60");
    }

    #[test]
    fn the_page_has_a_place_for_each_table() {
        let text = fs::read_to_string(self::page()).unwrap();
        for marks in [COUNTED, HEARD] {
            assert!(
                replaced(&text, marks, "").is_some(),
                "docs/speed.md has a place for it"
            );
        }
    }
}
