//! Samples of the table, and GNU objdump as the other opinion.

use std::path::Path;
use std::process::Command;

use isa_thumb::table::Row;
use isa_thumb::{Insn, decode};

const OBJDUMP: &str = "arm-none-eabi-objdump";

/// A random valid encoding of `row`, or nothing if many attempts found none.
pub(crate) fn sample(row: &Row, rng: &mut fastrand::Rng) -> Option<Insn> {
    (0..2000).find_map(|_| {
        let fixed = row.pattern.select.mask | row.pattern.should_be.mask;
        let ones = row.pattern.select.value | row.pattern.should_be.value;
        let width = if row.pattern.size == 2 { 0xffff } else { u32::MAX };
        let raw = rng.u32(..) & width & !fixed | ones;
        decode(raw).ok().filter(|insn| row.matches(insn.raw))
    })
}

/// The bytes of an encoding as they stand in memory.
pub(crate) fn bytes(raw: u32, size: u8) -> Vec<u8> {
    let halfwords = if size == 2 { vec![raw as u16] } else { vec![(raw >> 16) as u16, raw as u16] };
    halfwords.into_iter().flat_map(u16::to_le_bytes).collect()
}

/// One line of a listing.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) address: u32,
    pub(crate) raw: u32,
    pub(crate) size: u8,
    /// Mnemonic and operands, normalised.
    pub(crate) text: String,
}

/// Whether the tool is installed; says so when it is not.
pub(crate) fn objdump_is_missing() -> bool {
    let missing = Command::new(OBJDUMP).arg("--version").output().is_err();
    if missing {
        eprintln!("skipped: no {OBJDUMP}");
    }
    missing
}

/// What objdump makes of `file`.
pub(crate) fn objdump(arguments: &[&str], file: &Path) -> Vec<Line> {
    let output = Command::new(OBJDUMP).args(arguments).arg(file).output().expect("objdump runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().filter_map(parse).collect()
}

/// `   c:\tbf08      \tit\teq`; anything else is a headline or data.
fn parse(line: &str) -> Option<Line> {
    let (address, rest) = line.split_once(":\t")?;
    let (encoding, text) = rest.split_once('\t')?;
    let halfwords: Vec<_> = encoding.split_whitespace().collect();
    if halfwords.iter().any(|h| h.len() != 4) || text.starts_with('.') && !text.starts_with(".inst") {
        return None;
    }
    Some(Line {
        address: u32::from_str_radix(address.trim(), 16).ok()?,
        raw: u32::from_str_radix(&halfwords.concat(), 16).ok()?,
        size: 2 * halfwords.len() as u8,
        text: normalise(text),
    })
}

/// Leaves out what is no part of the instruction: comments, symbols, the spelling of addresses.
pub(crate) fn normalise(text: &str) -> String {
    let code = text.split(['@', ';']).next().unwrap_or(text);
    let code = code.split(" <").next().unwrap_or(code);
    code.split_whitespace().map(|word| word.strip_prefix("0x").unwrap_or(word)).collect::<Vec<_>>().join(" ")
}
