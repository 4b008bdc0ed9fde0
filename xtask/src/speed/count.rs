//! How many instructions of the host an instruction of the program costs, counted by callgrind.
//!
//! Counting knows no busy machine: the same build gives the same figures. The start, which a program that ends at once has
//! too, is taken off; that a program's code is decoded when it is first met is not.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::counted;
use crate::packages::{VALGRIND, ensure};
use crate::shell::say;
use crate::{firmware, prices, root};

/// A board, and the target of its programs.
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

/// What only starts and ends.
const START: &str = "bench-start";

/// The programs: name, what it is, which of [`COLUMNS`] have it, and the figure that is wanted at the most.
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
const ALL: [bool; 4] = [true; 4];
const CORTEX_M: [bool; 4] = [true, true, true, false];
/// The boards whose UART the program knows.
const DEVICES: [bool; 4] = [true, false, true, false];

/// Where the table stands in the page.
const MARKS: [&str; 2] = ["<!-- counted -->\n", "<!-- /counted -->\n"];

/// What a run costs.
#[derive(Clone, Copy)]
struct Count {
    host: f64,
    guest: u32,
}

/// Counts, shows the table and writes it into `docs/speed.md`.
///
/// # Errors
/// When something does not build or run, or the page has no place for the table.
pub fn count() -> Result<()> {
    ensure(&[VALGRIND])?;
    let simulator = prices::simulator()?;
    firmware::build()?;
    let table = table(&simulator)?;
    print!("{table}");
    let page = page();
    let text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    let text = replaced(&text, &table).context("docs/speed.md has no place for the table")?;
    fs::write(&page, text).with_context(|| page.display().to_string())
}

fn page() -> PathBuf {
    root().join("docs/speed.md")
}

fn table(simulator: &Path) -> Result<String> {
    let starts = COLUMNS.iter().map(|column| one(simulator, START, column));
    let starts = starts.collect::<Result<Vec<_>>>()?;
    let boards = COLUMNS.map(|column| format!("`{}`", column.board)).join(" | ");
    let mut table = format!("| program | {boards} | wanted |\n|---|---|---|---|---|---|\n");
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

/// Instructions of the host for each of the program.
fn cell(work: Count, start: Count) -> String {
    let guest = f64::from(work.guest.saturating_sub(start.guest).max(1));
    format!("{:.0}", (work.host - start.host) / guest)
}

fn one(simulator: &Path, program: &str, column: &Column) -> Result<Count> {
    let file = firmware::program_for(program, column.target)?;
    let words = ["run", "--board", column.board];
    let mut plain = Command::new(simulator);
    plain.args(words).arg(&file).stdout(Stdio::null());
    let [guest] = counted(plain, ["instructions"])?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = command.arg(simulator).args(words).arg(&file).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let host = collected(&said).with_context(|| format!("no count from callgrind: {said}"))?;
    Ok(Count { host, guest })
}

/// The number that callgrind ends with: `==123== Collected : 456`.
fn collected(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// The page with another table between the marks.
fn replaced(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(MARKS[0])?;
    let (_, after) = rest.split_once(MARKS[1])?;
    Some(format!("{before}{}\n{table}\n{}{after}", MARKS[0], MARKS[1]))
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
    fn only_the_table_is_written() {
        let page = format!("a\n{}old\n{}b\n", MARKS[0], MARKS[1]);
        let page = replaced(&page, "new\n").unwrap();
        assert_eq!(page, format!("a\n{}\nnew\n\n{}b\n", MARKS[0], MARKS[1]));
        assert!(replaced(&page, "new\n").is_some_and(|again| again == page));
        assert!(replaced("a", "new").is_none());
        let text = fs::read_to_string(self::page()).unwrap();
        assert!(replaced(&text, "").is_some(), "docs/speed.md has a place for it");
    }
}
