//! The image as an ELF file: programs at their physical addresses, with their own as virtual ones, and their symbols.
//!
//! The layout is that of the ELF gABI (chapters 4 and 5) for 32 bits.

use crate::PAGE;
use crate::pages::Run;
use crate::ram::{self, Ram};
use machine::image::{Image, SymbolKind};

/// Some pages of the image.
#[derive(Debug)]
pub(super) struct Part {
    /// The program that they are of.
    pub(super) program: String,
    /// Whether its symbols are in the image.
    pub(super) symbols: bool,
    /// Where the program has them.
    at: u32,
    /// Where they are in RAM.
    physical: u32,
    flags: u32,
    bytes: Vec<u8>,
}

impl Part {
    pub(super) fn new(run: Run, physical: u32) -> Part {
        let flag = |right, flag| if run.rights & right == 0 { 0 } else { flag };
        Part {
            program: String::new(),
            symbols: true,
            at: run.at,
            physical,
            flags: PF_R | flag(ram::WRITE, PF_W) | flag(ram::EXECUTE, PF_X),
            bytes: run.bytes,
        }
    }

    /// Whether they have a virtual address in common.
    pub(super) fn overlaps(&self, other: &Part) -> bool {
        let inside = |part: &Part, at: u32| at.wrapping_sub(part.at) < part.bytes.len() as u32;
        inside(self, other.at) || inside(other, self.at)
    }

    fn holds(&self, address: u32) -> bool {
        address.wrapping_sub(self.at) < self.bytes.len() as u32
    }
}

/// The name of a file without its folder and `.elf`.
pub(super) fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".elf").unwrap_or(name)
}

const PF_X: u32 = 1;
const PF_W: u32 = 2;
const PF_R: u32 = 4;
const PT_LOAD: u32 = 1;
const SHT_PROGBITS: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const SHF_WRITE: u32 = 1;
const SHF_ALLOC: u32 = 2;
const SHF_EXECINSTR: u32 = 4;
const STT_FILE: u32 = 4;
const SHN_ABS: u32 = 0xfff1;

const HEADER: u32 = 52;
const PROGRAM_HEADER: u32 = 32;
const SECTION_HEADER: u32 = 40;
const SYMBOL: u32 = 16;

/// The file, whose first instruction is at `entry`.
pub(super) fn elf(entry: u32, ram: &Ram, parts: &[Part], images: &[&Image]) -> Vec<u8> {
    let loose = loose(ram);
    let all: Vec<&Part> = parts.iter().chain(&loose).collect();
    let names: Vec<String> = all
        .iter()
        .map(|part| format!("{}{}", part.program, suffix(part.flags)))
        .collect();
    let (symbols, strings) = symbols(parts, images);
    let mut out = vec![0; (HEADER + PROGRAM_HEADER * all.len() as u32) as usize];
    let mut places = Vec::new();
    for part in &all {
        places.push(append(&mut out, &part.bytes));
    }
    let tables = [append(&mut out, &symbols), append(&mut out, &strings)];
    let mut section_names = vec![0];
    let mut name = |name: &str| {
        let at = section_names.len() as u32;
        section_names.extend(name.bytes().chain([0]));
        at
    };
    let mut sections: Vec<[u32; 10]> = vec![[0; 10]];
    for ((part, place), called) in all.iter().zip(&places).zip(&names) {
        let flag = |right, flag| if part.flags & right == 0 { 0 } else { flag };
        let flags = SHF_ALLOC | flag(PF_W, SHF_WRITE) | flag(PF_X, SHF_EXECINSTR);
        let size = part.bytes.len() as u32;
        sections.push([
            name(called),
            SHT_PROGBITS,
            flags,
            part.at,
            *place,
            size,
            0,
            0,
            PAGE,
            0,
        ]);
    }
    let first = sections.len() as u32;
    let locals = symbols.len() as u32 / SYMBOL;
    let (size, link) = (symbols.len() as u32, first + 1);
    sections.push([
        name(".symtab"),
        SHT_SYMTAB,
        0,
        0,
        tables[0],
        size,
        link,
        locals,
        4,
        SYMBOL,
    ]);
    let size = strings.len() as u32;
    sections.push([name(".strtab"), SHT_STRTAB, 0, 0, tables[1], size, 0, 0, 1, 0]);
    let called = name(".shstrtab");
    let place = append(&mut out, &section_names);
    sections.push([
        called,
        SHT_STRTAB,
        0,
        0,
        place,
        section_names.len() as u32,
        0,
        0,
        1,
        0,
    ]);
    let table = append(&mut out, &words(sections.as_flattened()));
    let programs: Vec<u32> = all
        .iter()
        .zip(&places)
        .flat_map(|(part, place)| load(part, *place))
        .collect();
    let counts = [all.len() as u32, sections.len() as u32];
    let head = header(entry, table, counts);
    out[..head.len()].copy_from_slice(&head);
    let programs = words(&programs);
    out[HEADER as usize..][..programs.len()].copy_from_slice(&programs);
    out
}

/// What is of no program: where it is and where it is used are the same.
fn loose(ram: &Ram) -> Vec<Part> {
    let mut loose: Vec<Part> = Vec::new();
    for (at, bytes) in ram.written() {
        match loose.last_mut() {
            Some(part) if at - part.at == part.bytes.len() as u32 => part.bytes.extend_from_slice(bytes),
            _ => loose.push(Part {
                program: "loader".into(),
                symbols: false,
                at,
                physical: at,
                // The instructions that enter the kernel are in one of these pages.
                flags: PF_R | PF_W | PF_X,
                bytes: bytes.to_vec(),
            }),
        }
    }
    loose
}

fn suffix(flags: u32) -> &'static str {
    match (flags & PF_X != 0, flags & PF_W != 0) {
        (true, _) => ".text",
        (_, true) => ".data",
        _ => ".rodata",
    }
}

/// Behind the name of its program as a file, each program's symbols; so `program:symbol` tells them apart.
fn symbols(parts: &[Part], images: &[&Image]) -> (Vec<u8>, Vec<u8>) {
    let (mut table, mut strings) = (vec![0; SYMBOL as usize], vec![0]);
    let mut add = |name: &str, address: u32, size: u32, kind: u32, section: u32| {
        let at = strings.len() as u32;
        strings.extend(name.bytes().chain([0]));
        table.extend(words(&[at, address, size, kind | section << 16]));
    };
    for image in images {
        let program = stem(image.file());
        let own: Vec<(u32, &Part)> = (1..)
            .zip(parts)
            .filter(|(_, part)| part.program == program && part.symbols)
            .collect();
        if own.is_empty() {
            continue;
        }
        add(program, 0, 0, STT_FILE, SHN_ABS);
        for symbol in image.symbols() {
            let kind = match symbol.kind {
                SymbolKind::Label => 0,
                SymbolKind::Object => 1,
                SymbolKind::Function => 2,
            };
            if let Some((section, _)) = own.iter().find(|(_, part)| part.holds(symbol.address)) {
                add(&symbol.mangled, symbol.address, symbol.size, kind, *section);
            }
        }
    }
    (table, strings)
}

fn load(part: &Part, place: u32) -> [u32; 8] {
    let size = part.bytes.len() as u32;
    [
        PT_LOAD,
        place,
        part.at,
        part.physical,
        size,
        size,
        part.flags,
        PAGE,
    ]
}

fn header(entry: u32, section_table: u32, [programs, sections]: [u32; 2]) -> Vec<u8> {
    let mut head = b"\x7fELF\x01\x01\x01".to_vec();
    head.resize(16, 0);
    // An executable file for RISC-V; compressed instructions; then sizes and counts in pairs of halfwords.
    head.extend(words(&[2 | 243 << 16, 1, entry, HEADER, section_table, 1]));
    head.extend(words(&[
        HEADER | PROGRAM_HEADER << 16,
        programs | SECTION_HEADER << 16,
        sections | (sections - 1) << 16,
    ]));
    head
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Appends at a multiple of four; gives the place.
fn append(out: &mut Vec<u8>, bytes: &[u8]) -> u32 {
    out.resize(out.len().next_multiple_of(4), 0);
    let place = out.len() as u32;
    out.extend_from_slice(bytes);
    place
}
