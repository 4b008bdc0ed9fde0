//! Tiny ELF files, written byte by byte, and programs in machine code.

// Every test file uses its own part of this.
#![allow(dead_code)]

use std::sync::Arc;

use events::Silent;
use machine::{Board, Captured, Console, Image, Machine, Options, Outcome};

/// A loadable segment.
pub(crate) struct Part {
    pub(crate) stored_at: u32,
    pub(crate) runs_at: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) memory_size: u32,
    pub(crate) flags: u32,
}

pub(crate) const READ_EXECUTE: u32 = 5;
pub(crate) const READ_WRITE: u32 = 6;

impl Part {
    pub(crate) fn code(at: u32, bytes: Vec<u8>) -> Part {
        Part {
            stored_at: at,
            runs_at: at,
            memory_size: bytes.len() as u32,
            bytes,
            flags: READ_EXECUTE,
        }
    }

    pub(crate) fn ram(at: u32, bytes: Vec<u8>) -> Part {
        Part {
            stored_at: at,
            runs_at: at,
            memory_size: bytes.len() as u32,
            bytes,
            flags: READ_WRITE,
        }
    }
}

/// An executable for Arm with these segments and no sections.
pub(crate) fn elf(parts: &[Part]) -> Vec<u8> {
    let headers = 52 + 32 * parts.len() as u32;
    let mut file = Vec::new();
    file.extend_from_slice(b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0");
    // e_type ET_EXEC, e_machine EM_ARM.
    half(&mut file, &[2, 40]);
    // e_version, e_entry, e_phoff, e_shoff, e_flags.
    word(&mut file, &[1, 0, 52, 0, 0x0500_0000]);
    // e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx.
    half(&mut file, &[52, 32, parts.len() as u16, 40, 0, 0]);
    let mut offset = headers;
    for part in parts {
        let size = part.bytes.len() as u32;
        word(
            &mut file,
            &[
                1,
                offset,
                part.runs_at,
                part.stored_at,
                size,
                part.memory_size,
                part.flags,
                4,
            ],
        );
        offset += size;
    }
    for part in parts {
        file.extend_from_slice(&part.bytes);
    }
    file
}

fn half(file: &mut Vec<u8>, values: &[u16]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

fn word(file: &mut Vec<u8>, values: &[u32]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}

pub(crate) const STACK: u32 = 0x2000_1000;
/// Where the code of [`program`] begins.
pub(crate) const CODE: u32 = 0x40;
/// Where its HardFault handler is: a branch to itself.
pub(crate) const HANDLER: u32 = 0x1000;
pub(crate) const DATA: u32 = 0x2000_0000;

/// A vector table at `base`, the code behind it, and a handler for every fault.
pub(crate) fn flash(base: u32, code: &[u16]) -> Part {
    let mut bytes = Vec::new();
    word(&mut bytes, &[STACK, base + CODE + 1]);
    word(&mut bytes, &[base + HANDLER + 1; 14]);
    half(&mut bytes, code);
    bytes.resize(HANDLER as usize, 0);
    half(&mut bytes, &[0xe7fe, 0xe7fe]);
    Part::code(base, bytes)
}

/// Code at 0x40 with its vector table at 0, and RAM with some words in it.
pub(crate) fn program(code: &[u16], data: &[u32]) -> Arc<Image> {
    let mut bytes = Vec::new();
    word(&mut bytes, data);
    bytes.resize(bytes.len().max(4), 0);
    image(&elf(&[flash(0, code), Part::ram(DATA, bytes)]))
}

/// Code for RV32, whose first instruction is the entry point.
pub(crate) fn rv32(base: u32, code: Vec<u8>) -> Image {
    let mut file = elf(&[Part {
        flags: 7,
        ..Part::code(base, code)
    }]);
    // e_machine EM_RISCV, e_entry, e_flags.
    file[18..20].copy_from_slice(&243u16.to_le_bytes());
    file[24..28].copy_from_slice(&base.to_le_bytes());
    file[36..40].copy_from_slice(&[0; 4]);
    Image::parse("test.elf", &file).unwrap()
}

pub(crate) fn image(file: &[u8]) -> Arc<Image> {
    Arc::new(Image::parse("test.elf", file).unwrap())
}

/// A machine on a built-in board, and what it prints.
pub(crate) fn machine_on(board: &str, image: &Arc<Image>) -> (Machine, Captured) {
    let (console, captured) = Console::captured();
    let board = Board::find(board).unwrap();
    let machine = Machine::new(
        &board,
        image,
        Options {
            console,
            ..Options::default()
        },
    );
    (machine.unwrap(), captured)
}

pub(crate) const LIMIT: u64 = 1_000_000;

/// Runs on the plain board.
pub(crate) fn run(image: &Arc<Image>) -> (Machine, Outcome, String) {
    let (mut machine, captured) = machine_on("cortex-m3", image);
    let outcome = machine.run(LIMIT, &mut Silent);
    (machine, outcome, captured.text())
}

/// `ldr rN, =value` at `at`, whose literals begin at 0x60.
pub(crate) fn load(register: u16, at: u32, literal: u32) -> u16 {
    let offset = (0x60 + 4 * literal - ((at + 4) & !3)) / 4;
    0x4800 | register << 8 | offset as u16
}

/// Code padded to 0x60, and literals there.
pub(crate) fn with_literals(code: &[u16], literals: &[u32]) -> Vec<u16> {
    let mut code = code.to_vec();
    code.resize(0x10, 0xbf00);
    code.extend(
        literals
            .iter()
            .flat_map(|word| [*word as u16, (*word >> 16) as u16]),
    );
    code
}
