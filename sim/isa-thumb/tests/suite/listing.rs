//! GNU objdump's listings, as the reference to compare with.

use std::path::Path;
use std::process::Command;

pub(crate) const OBJDUMP: &str = "arm-none-eabi-objdump";

/// One line of a listing.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) address: u32,
    pub(crate) raw: u32,
    pub(crate) size: u8,
    /// Mnemonic and operands, normalised.
    pub(crate) text: String,
    /// Whether objdump calls it undefined.
    pub(crate) undefined: bool,
}

/// objdump's listing of `file`.
pub(crate) fn objdump(arguments: &[&str], file: &Path) -> Vec<Line> {
    let output = Command::new(OBJDUMP)
        .args(arguments)
        .arg(file)
        .output()
        .expect("objdump runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(parse)
        .collect()
}

/// Parses `   c:\tbf08    \tit\teq`; `None` for headlines and data.
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
        undefined: ["UNDEFINED", "undefined", "??", ".inst"]
            .iter()
            .any(|mark| text.contains(mark)),
    })
}

/// Removes comments and symbols, and unifies the spelling of addresses.
pub(crate) fn normalise(text: &str) -> String {
    let code = text.split(['@', ';']).next().unwrap_or(text);
    let code = code.split(" <").next().unwrap_or(code);
    code.split_whitespace()
        .map(|word| word.strip_prefix("0x").unwrap_or(word))
        .collect::<Vec<_>>()
        .join(" ")
}
