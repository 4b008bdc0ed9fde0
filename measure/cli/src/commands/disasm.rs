//! `cyclescope disasm`: an image's code as instructions.

use std::fmt::Write as _;
use std::path::PathBuf;

use lab::batch;
use lab::diagnostic::{Diagnostic, Result};
use machine::image::{Symbol, SymbolKind};
use machine::{Architecture, Image, Listing};

use super::{Ending, common};

/// Disassemble an ELF file, or one function of it.
#[derive(clap::Args, Debug)]
pub(super) struct DisasmArgs {
    /// The program.
    elf: PathBuf,
    /// A function; by default, all of them.
    symbol: Option<String>,
}

impl DisasmArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let image = batch::load(&self.elf)?;
        let mut text = String::new();
        for symbol in self.symbols(&image)? {
            list(&mut text, &image, symbol);
        }
        common::print(&text)?;
        Ok(Ending::default())
    }

    fn symbols<'a>(&self, image: &'a Image) -> Result<Vec<&'a Symbol>> {
        match &self.symbol {
            None => Ok(image
                .symbols()
                .filter(|symbol| symbol.kind == SymbolKind::Function)
                .collect()),
            Some(name) => match image.symbol(name) {
                Ok(symbol) => Ok(vec![symbol]),
                Err(error) => {
                    let place = Diagnostic::mistake(error.to_string()).in_file(image.file());
                    Err(place.maybe_help(error.hint()))
                }
            },
        }
    }
}

fn list(text: &mut String, image: &Image, symbol: &Symbol) {
    let start = symbol.address;
    let end = start.saturating_add(symbol.size.max(2));
    let _ = writeln!(text, "{start:08x} <{}>:", symbol.name);
    let (mut pc, mut listing) = (start, Listing::new(image.architecture()));
    while pc < end {
        let Some(first) = halfword(image, pc) else { break };
        if image.is_data(pc) {
            pc += data(text, image, pc, first);
            listing.jump();
            continue;
        }
        let second = halfword(image, pc.wrapping_add(2)).filter(|_| listing.length(first) == 4);
        let insn = listing.line_at(pc, first, second);
        let insn = insn.unwrap_or_else(|error| format!("; {error}"));
        let raw = raw(image.architecture(), first, second);
        let _ = writeln!(text, "{pc:8x}:\t{raw:<9}\t{insn}");
        pc += if second.is_some() { 4 } else { 2 };
    }
    text.push('\n');
}

/// Shows a word of a literal pool, or a halfword if no whole word is left; returns its size in bytes.
fn data(text: &mut String, image: &Image, pc: u32, first: u16) -> u32 {
    let next = pc.wrapping_add(2);
    let second = halfword(image, next).filter(|_| pc.is_multiple_of(4) && image.is_data(next));
    let (raw, line, size) = match second {
        Some(second) => {
            let word = u32::from(first) | u32::from(second) << 16;
            (format!("{word:08x}"), format!(".word {word:#010x}"), 4)
        }
        None => (format!("{first:04x}"), format!(".short {first:#06x}"), 2),
    };
    let _ = writeln!(text, "{pc:8x}:\t{raw:<9}\t{line}");
    size
}

/// An encoding in the notation of its architecture's manuals.
fn raw(architecture: Architecture, first: u16, second: Option<u16>) -> String {
    match (architecture, second) {
        (_, None) => format!("{first:04x}"),
        (Architecture::Arm, Some(second)) => format!("{first:04x} {second:04x}"),
        (Architecture::RiscV, Some(second)) => format!("{second:04x}{first:04x}"),
    }
}

fn halfword(image: &Image, address: u32) -> Option<u16> {
    image.segments().iter().find_map(|segment| {
        let at = address.checked_sub(segment.address)? as usize;
        segment
            .bytes
            .get(at..)?
            .first_chunk()
            .copied()
            .map(u16::from_le_bytes)
    })
}
