//! GNU objdump's listings, as the reference to compare with.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const ASSEMBLER: &str = "riscv64-unknown-elf-as";
const OBJDUMP: &str = "riscv64-unknown-elf-objdump";
const MARCH: &str = "-march=rv32imac_zicsr_zifencei_zba_zbb_zbs";

/// One line of a listing.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) address: u32,
    pub(crate) raw: u32,
    /// Mnemonic and operands; `None` if objdump does not know it.
    pub(crate) text: Option<String>,
}

/// Whether objdump is installed; otherwise reports that the test is skipped.
pub(crate) fn installed() -> bool {
    skipped::installed(OBJDUMP)
}

/// objdump's listing of these encodings, each given with its size.
pub(crate) fn list(encodings: &[(u32, u8)]) -> Vec<Line> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, object) = (folder.path().join("a.s"), folder.path().join("a.o"));
    let mut text = String::new();
    for (raw, size) in encodings {
        writeln!(text, ".insn {size}, {raw:#x}").expect("a string takes everything");
    }
    std::fs::write(&source, text).expect("it is writable");
    output(ASSEMBLER, &[MARCH, "-mabi=ilp32", "-o"], &[&object, &source]);
    let listing = output(OBJDUMP, &["-d", "-M", "no-aliases"], &[&object]);
    let lines: Vec<_> = listing.lines().filter_map(parse).collect();
    assert_eq!(lines.len(), encodings.len(), "objdump lists every instruction");
    lines
}

fn output(tool: &str, arguments: &[&str], files: &[&Path]) -> String {
    let output = Command::new(tool)
        .args(arguments)
        .args(files)
        .output()
        .expect("it runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Parses `  10:\t0330000f      \tfence\trw,rw`; `None` for headlines.
fn parse(line: &str) -> Option<Line> {
    let mut parts = line.splitn(3, '\t');
    let address = parts.next()?.trim().strip_suffix(':')?;
    let raw = parts.next()?.trim();
    let text = parts.next()?;
    let known = !text.starts_with('.') && !text.contains("unimp");
    Some(Line {
        address: u32::from_str_radix(address, 16).ok()?,
        raw: u32::from_str_radix(raw, 16).ok()?,
        text: known.then(|| normalise(text)),
    })
}

/// Removes comments and symbols, and unifies the spelling of addresses.
pub(crate) fn normalise(text: &str) -> String {
    let code = text.split(" #").next().unwrap_or(text);
    let code = code.split(" <").next().unwrap_or(code);
    code.replace("0x", "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
