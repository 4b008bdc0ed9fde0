//! Inputs of the fuzz campaigns.

use std::path::PathBuf;

use machine::Board;

use crate::rv32::programs::Program;

/// Random numbers that are the same for the same seed and input (splitmix64).
pub(super) struct Random(u64);

/// Numbers at which something ends.
const EDGES: [u32; 12] = [
    0,
    1,
    2,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x2000_0000,
    0xe000_e000,
];

impl Random {
    pub(super) fn new(seed: u64, input: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ input.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    pub(super) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    /// Some number: an edge, near one, or any.
    fn word(&mut self) -> u32 {
        match self.below(3) {
            0 => *self.one_of(&EDGES),
            1 => self.one_of(&EDGES).wrapping_add(self.below(64) as u32),
            _ => self.next() as u32,
        }
    }

    /// One of the files with a few changes; most of those in an ELF file's first and last kibibytes, where its tables are.
    pub(super) fn mutated(&mut self, bases: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.one_of(bases).clone();
        for _ in 0..=self.below(6) {
            let length = bytes.len() as u64;
            let at = match self.below(3) {
                0 => self.below(length.min(512)),
                1 => length.saturating_sub(1 + self.below(2048)),
                _ => self.below(length),
            } as usize;
            match self.below(8) {
                0 => bytes[at] ^= 1 << self.below(8),
                1 => bytes[at] = self.next() as u8,
                2 => bytes.truncate(at.max(1)),
                3..=5 => {
                    let word = self.word().to_le_bytes();
                    let at = at & !3;
                    let end = (at + 4).min(bytes.len());
                    bytes[at..end].copy_from_slice(&word[..end - at]);
                }
                6 => {
                    let half = (self.word() as u16).to_le_bytes();
                    let at = at & !1;
                    let end = (at + 2).min(bytes.len());
                    bytes[at..end].copy_from_slice(&half[..end - at]);
                }
                _ => {
                    let from = self.below(length) as usize;
                    let count = (self.below(64) as usize).min(bytes.len() - from.max(at));
                    bytes.copy_within(from..from + count, at);
                }
            }
        }
        bytes
    }

    /// A text with lines and words that are left out, doubled, exchanged or replaced.
    pub(super) fn mutated_text(&mut self, bases: &[Vec<u8>]) -> String {
        let text = String::from_utf8_lossy(self.one_of::<Vec<u8>>(bases)).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..=self.below(4) {
            let at = self.below(lines.len() as u64) as usize;
            let other = self.below(lines.len() as u64) as usize;
            match self.below(8) {
                0 if lines.len() > 1 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[other].clone()),
                2 => lines.swap(at, other),
                3 => {
                    let value = self.value();
                    if let Some((key, _)) = lines[at].clone().split_once('=') {
                        lines[at] = format!("{key}= {value}");
                    }
                }
                4 => {
                    if let (Some((key, _)), Some((_, value))) = (
                        lines[at].clone().split_once('='),
                        lines[other].clone().split_once('='),
                    ) {
                        lines[at] = format!("{key}={value}");
                    }
                }
                5 => {
                    let mut characters: Vec<char> = lines[at].chars().collect();
                    if !characters.is_empty() {
                        let place = self.below(characters.len() as u64) as usize;
                        characters[place] =
                            *self.one_of(&['"', '[', ']', '=', '0', '-', '\u{1b}', 'é', '#', '.']);
                    }
                    lines[at] = characters.into_iter().collect();
                }
                _ => {
                    let number = self.word();
                    lines[at] = replace_number(&lines[at], &number.to_string());
                }
            }
        }
        lines.join("\n")
    }

    /// A value of any type.
    fn value(&mut self) -> String {
        match self.below(7) {
            0 => format!("{:#x}", self.word()),
            1 => "-1".to_owned(),
            2 => "\"\"".to_owned(),
            3 => format!("\"{}K\"", self.word()),
            4 => "[]".to_owned(),
            5 => "true".to_owned(),
            _ => format!("{}", self.next() as i64),
        }
    }
}

fn replace_number(line: &str, number: &str) -> String {
    let is_digit = |c: char| c.is_ascii_hexdigit() || c == '_' || c == 'x';
    let Some(from) = line.find(|c: char| c.is_ascii_digit()) else {
        return line.to_owned();
    };
    let rest = &line[from..];
    let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
    format!("{}{number}{}", &line[..from], &rest[end..])
}

/// A path of the checkout.
pub(super) fn beside(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The TOML files of a folder, in the order of their names.
pub(super) fn texts(folder: &str) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(beside(folder)).expect(folder).flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).expect("a text"))
        .collect()
}

/// Registers with addresses of all kinds, and then any halfwords at all.
pub(super) fn random_arm(random: &mut Random) -> Vec<u16> {
    let mut code = Vec::new();
    for register in 0..4 {
        code.extend(load(register, random));
    }
    for _ in 0..8 + random.below(120) {
        code.push(random.next() as u16);
    }
    code
}

/// movs rN, #a; lsls rN, rN, #24; movs r7, #b; orrs rN, r7: every core has these.
fn load(register: u16, random: &mut Random) -> Vec<u16> {
    let top = *random.one_of(&[0x20, 0x40, 0xe0, 0x08, 0x00, 0x22, 0x42]);
    let low = random.next() as u16 & 0xff;
    vec![
        0x2000 | register << 8 | top,
        0x0600 | register << 3 | register,
        0x2700 | low,
        0x4300 | 7 << 3 | register,
    ]
}

/// An RV32 program, linked for the board's first memory.
pub(super) fn random_rv32(random: &mut Random, board: &Board) -> Vec<u8> {
    let mut code: Vec<u32> = Vec::new();
    for register in 5..12 {
        // lui
        let top = *random.one_of(&[0x40000, 0x80000, 0xf0001, 0x10000, 0x20000, 0xe0000, 0x02000]);
        code.push(top << 12 | register << 7 | 0x37);
    }
    for _ in 0..8 + random.below(60) {
        let any = random.next() as u32;
        // Mostly whole instructions, of the opcodes that there are.
        let opcode = *random.one_of(&[
            0x03, 0x13, 0x23, 0x33, 0x63, 0x67, 0x6f, 0x73, 0x37, 0x17, 0x2f, 0x0f,
        ]);
        code.push(if random.below(4) == 0 {
            any
        } else {
            any & !0x7f | opcode
        });
    }
    let base = board.memories().first().map_or(0, |memory| memory.base);
    let reset =
        board.reset_address(&machine::Image::parse("a", &Program::new(&code).at(base).elf()).expect("one"));
    Program::new(&code).at(reset).elf()
}

/// Semihosting requests one after the other: any operation, with parameters that lead somewhere or nowhere.
pub(super) fn system_calls(random: &mut Random) -> Vec<u16> {
    let mut code = Vec::new();
    for _ in 0..6 {
        let operation = match random.below(8) {
            0 => random.next() as u16 & 0xff,
            _ => random.below(0x14) as u16,
        };
        // movw r0, #operation; movw r1, #low; movt r1, #high; bkpt 0xab
        let (low, high) = match random.below(4) {
            0 => (random.next() as u16, random.next() as u16),
            1 => (random.next() as u16 & 0x1ffc, 0x2000),
            _ => (0x0060 + (random.below(64) as u16) * 4, 0x0800),
        };
        code.extend(wide(0xf240, 0, operation));
        code.extend(wide(0xf240, 1, low));
        code.extend(wide(0xf2c0, 1, high));
        code.push(0xbeab);
    }
    code
}

/// MOVW or MOVT.
fn wide(first: u16, register: u16, value: u16) -> [u16; 2] {
    [
        first | (value >> 11 & 1) << 10 | value >> 12,
        (value >> 8 & 7) << 12 | register << 8 | value & 0xff,
    ]
}

/// Blocks and names for requests that look for some.
pub(super) fn names() -> Vec<u16> {
    let words: [u32; 18] = [
        0x0800_0110,
        0,
        4,
        0x0800_0114,
        4,
        4,
        3,
        0x0800_0110,
        16,
        0x0800_0118,
        8,
        12,
        0x656d_6f73,
        0x6b6e_696c,
        0x2f2e_2e2e,
        0x7374_756f,
        0x2065_6469,
        0,
    ];
    words
        .iter()
        .flat_map(|word| [*word as u16, (*word >> 16) as u16])
        .collect()
}
