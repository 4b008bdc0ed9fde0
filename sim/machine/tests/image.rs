//! Messages about files that are not programs for this machine.

mod common;

use std::sync::Arc;

use common::{Part, READ_WRITE, elf, flash, image, machine_on};
use events::Silent;
use machine::{Architecture, Board, Image, Machine, Options, Outcome, ProgramFile};
use proptest::prelude::*;

fn sound() -> Vec<u8> {
    elf(&[flash(0, &[0xe7fe]), Part::ram(0x2000_0000, vec![0; 4])])
}

fn message(file: &[u8]) -> String {
    Image::parse("fw.elf", file).unwrap_err().to_string()
}

/// The sound file with some bytes replaced.
fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = sound();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

#[test]
fn says_what_a_file_is_that_is_not_elf() {
    assert_eq!(message(b""), "fw.elf: not an ELF file: the file is empty");
    assert_eq!(
        message(b"int main() {}\n"),
        "fw.elf: not an ELF file: it is a text file"
    );
    assert_eq!(
        message(b":020000040800F2\n"),
        "fw.elf: not an ELF file: it looks like Intel HEX"
    );
    assert_eq!(
        message(b"!<arch>\nfoo"),
        "fw.elf: not an ELF file: it is a static library"
    );
    let raw = "fw.elf: not an ELF file: the first four bytes are not \\x7fELF (a raw binary?)";
    assert_eq!(message(&[0, 0x20, 0, 0x20, 1, 0, 0, 8]), raw);
}

#[test]
fn says_which_part_of_a_truncated_file_is_missing() {
    let file = sound();
    assert_eq!(
        message(&file[..20]),
        "fw.elf: truncated: the ELF header ends at byte 52, the file has only 20"
    );
    let table = "fw.elf: truncated: the program header table ends at byte 116, the file has only 60";
    assert_eq!(message(&file[..60]), table);
    let segment =
        "fw.elf: truncated: segment 0, for address 0x00000000, ends at byte 4216, the file has only 200";
    assert_eq!(message(&file[..200]), segment);
}

#[test]
fn names_the_machine_that_a_file_was_built_for() {
    assert_eq!(
        message(&with(18, &[8, 0])),
        "fw.elf: built for MIPS, not for Arm or RISC-V"
    );
    assert_eq!(
        message(&with(18, &[0xff, 0x7f])),
        "fw.elf: built for ELF machine number 32767, not for Arm or RISC-V"
    );
    let mut wide = with(4, &[2]);
    wide[18] = 62;
    assert_eq!(
        message(&wide),
        "fw.elf: a 64-bit ELF file for x86-64; the boards here run 32-bit programs"
    );
    assert_eq!(
        message(&with(5, &[2])),
        "fw.elf: a big-endian ELF file; the boards here are little-endian"
    );
    assert_eq!(
        message(&with(16, &[1])),
        "fw.elf: an object file, not a linked program"
    );
}

#[test]
fn needs_something_to_load() {
    let nothing = "fw.elf: no loadable segment: nothing in it goes into the chip's memory";
    assert_eq!(message(&elf(&[])), nothing);
    let bss = Part {
        memory_size: 64,
        ..Part::ram(0x2000_0000, Vec::new())
    };
    assert_eq!(message(&elf(&[bss])), nothing);
}

#[test]
fn a_segment_stays_in_the_address_space() {
    let file = elf(&[Part::code(0xffff_fff0, vec![0; 32])]);
    assert!(message(&file).contains("goes beyond the address space"));
}

#[test]
fn data_is_stored_where_it_is_programmed_and_not_where_it_runs() {
    let data = Part {
        stored_at: 0x2000,
        runs_at: 0x2000_0000,
        bytes: vec![1, 2, 3, 4],
        memory_size: 8,
        flags: READ_WRITE,
    };
    let image = image(&elf(&[flash(0, &[0xe7fe]), data]));
    assert_eq!(image.stored_word(0x2000), Some(0x0403_0201));
    assert_eq!(image.stored_word(0x2000_0000), None);
    let (machine, _) = machine_on("cortex-m3", &image);
    assert_eq!(machine.peek_word(0x2000), Some(0x0403_0201));
    assert_eq!(
        machine.peek_word(0x2000_0000),
        Some(0),
        "the start-up code copies it"
    );
}

fn start(board: &str, file: &[u8]) -> (String, String) {
    let image = image(file);
    let error = Machine::new(&Board::find(board).unwrap(), &image, Options::default())
        .err()
        .unwrap();
    (error.to_string(), error.hint().unwrap())
}

#[test]
fn a_program_needs_a_vector_table_where_the_board_starts() {
    let (message, hint) = start("stm32f100rb", &sound());
    insta::assert_snapshot!(format!("{message}\n{hint}"));
    let (message, hint) = start("cortex-m3", &elf(&[Part::code(0, vec![0; 64])]));
    insta::assert_snapshot!(format!("{message}\n{hint}"));
    let mut even = sound();
    even[116 + 4] &= !1;
    let (message, _) = start("lm3s6965evb", &even);
    insta::assert_snapshot!(message);
}

#[test]
fn a_stack_must_lie_in_ram() {
    let mut file = elf(&[flash(0x0800_0000, &[0xe7fe])]);
    file[84..88].copy_from_slice(&0x2001_0000u32.to_le_bytes());
    let (message, hint) = start("stm32f100rb", &file);
    insta::assert_snapshot!(format!("{message}\n{hint}"));
}

#[test]
fn the_core_ignores_the_lowest_bits_of_an_initial_stack_pointer() {
    let mut file = elf(&[flash(0x0800_0000, &[0xe7fe])]);
    for low in 1..4 {
        file[84..88].copy_from_slice(&(common::STACK | low).to_le_bytes());
        let (machine, _) = common::machine_on("stm32f100rb", &image(&file));
        assert_eq!(machine.stack_pointer(), common::STACK);
    }
}

#[test]
fn a_segment_must_lie_in_memory() {
    let file = elf(&[flash(0x0800_0000, &[0xe7fe]), Part::code(0x0802_0000, vec![0; 8])]);
    let (message, _) = start("stm32f100rb", &file);
    insta::assert_snapshot!(message);
}

#[test]
fn memory_has_an_end() {
    let mut bss = Part::ram(common::DATA, vec![0; 4]);
    bss.memory_size = 0xdfff_0000;
    let (message, hint) = start("cortex-m3", &elf(&[flash(0, &[0xe7fe]), bss]));
    insta::assert_snapshot!(format!("{message}\n{hint}"));
}

proptest! {
    #[test]
    fn no_damage_to_a_file_makes_it_panic(damage in prop::collection::vec((0usize..180, any::<u8>()), 1..8), cut in 0usize..4300) {
        let mut file = sound();
        for (at, byte) in damage {
            file[at] = byte;
        }
        file.truncate(cut.min(file.len()));
        let _ = Image::parse("fw.elf", &file);
    }
}

/// A file of Intel HEX with these bytes from an address on.
fn hex(address: u32, bytes: &[u8]) -> String {
    let record = |kind: u8, offset: u16, data: &[u8]| {
        let head = [data.len() as u8, (offset >> 8) as u8, offset as u8, kind];
        let all: Vec<u8> = head.iter().chain(data).copied().collect();
        let sum = all.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte));
        let digits = all
            .iter()
            .chain([&sum])
            .fold(String::new(), |text, byte| text + &format!("{byte:02X}"));
        format!(":{digits}\n")
    };
    let mut text = record(4, 0, &((address >> 16) as u16).to_be_bytes());
    for (at, chunk) in (0u16..).step_by(16).zip(bytes.chunks(16)) {
        text += &record(0, address as u16 + at, chunk);
    }
    text + &record(1, 0, &[])
}

/// `movs r0, #0x18; ldr r1, =0x20026; bkpt 0xab`
fn exits() -> Part {
    flash(
        0,
        &common::with_literals(&[0x2018, common::load(1, 0x42, 0), 0xbeab], &[0x20026]),
    )
}

#[test]
fn a_program_is_the_same_in_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let bytes = exits().bytes;
    let ram = Part::ram(0x2000_0000, vec![0; 4]);
    std::fs::write(path("fw.elf"), elf(&[exits(), ram])).unwrap();
    std::fs::write(path("fw.hex"), hex(0, &bytes)).unwrap();
    std::fs::write(path("fw.bin"), &bytes).unwrap();
    let file = |name: &str, base| ProgramFile {
        path: path(name),
        base,
    };
    // The plain board takes its memory from ELF files.
    let board = Board::find("mps2-an385").unwrap();
    let cycles = [
        file("fw.elf", None),
        file("fw.hex", None),
        file("fw.bin", Some(0)),
    ]
    .map(|file| {
        let image = Image::load_all(&[file], Some(Architecture::Arm)).unwrap();
        let (mut machine, _) = machine_on(board.name(), &Arc::new(image));
        let outcome = machine.run(common::LIMIT, &mut Silent);
        assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
        machine.cycle()
    });
    assert_eq!((cycles[0], cycles[0]), (cycles[1], cycles[2]));
    let message = |files: &[ProgramFile]| {
        Image::load_all(files, Some(Architecture::Arm))
            .unwrap_err()
            .to_string()
    };
    assert!(message(&[file("fw.bin", None)]).contains("not an ELF file"));
    assert!(message(&[file("fw.hex", Some(0))]).contains("Intel HEX, which has its own addresses"));
    let twice = message(&[file("fw.elf", None), file("fw.bin", Some(0x800))]);
    assert!(
        twice.contains("it has bytes for 0x00000800, and so has"),
        "{twice}"
    );
    let other = Image::load_all(
        &[file("fw.elf", None), file("fw.bin", Some(0x8000))],
        Some(Architecture::RiscV),
    );
    assert!(
        other
            .unwrap_err()
            .to_string()
            .contains("built for RISC-V, but the program's first file for Arm")
    );
}

#[test]
fn a_bootloader_and_an_application_are_one_program() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    // `ldr r0, =0x2041; bx r0`
    let boot = flash(
        0,
        &common::with_literals(&[common::load(0, 0x40, 0), 0x4700], &[0x2041]),
    );
    std::fs::write(path("boot.elf"), elf(&[boot, Part::ram(0x2000_0000, vec![0; 4])])).unwrap();
    std::fs::write(path("app.hex"), hex(0x2000, &exits().bytes)).unwrap();
    let files = ["boot.elf", "app.hex"].map(|name| ProgramFile::new(path(name)));
    let image = Arc::new(Image::load_all(&files, None).unwrap());
    assert!(image.has_code(0x2040) && image.has_code(0x40) && !image.has_code(0x2000_0000));
    let (mut machine, _) = machine_on("cortex-m3", &image);
    let outcome = machine.run(common::LIMIT, &mut Silent);
    assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
}

/// Linkers write any offset where a segment has nothing in the file.
#[test]
fn a_segment_without_bytes_may_say_that_they_are_anywhere() {
    let bss = Part {
        memory_size: 0x100,
        ..Part::ram(0x2000_0000, Vec::new())
    };
    let mut file = elf(&[flash(0, &[0xe7fe]), bss]);
    let offset = 52 + 32 + 4;
    file[offset..offset + 4].copy_from_slice(&0x00ff_ff00u32.to_le_bytes());
    let image = Image::parse("fw.elf", &file).unwrap();
    assert_eq!(image.segments()[1].runs_size, 0x100);
}

/// Adds a section table. Each section has a type, flags, an address, an offset in the file, and a size. The last one, which has the
/// sections' names, is one empty string.
fn with_sections(mut file: Vec<u8>, sections: &[[u32; 5]]) -> Vec<u8> {
    let table = file.len() as u32;
    file.extend([0; 40]);
    let names = [[STRTAB, 0, 0, table, 1]];
    for &[kind, flags, address, offset, size] in sections.iter().chain(&names) {
        let words = [0, kind, flags, address, offset, size, 0, 0, 1, 0];
        file.extend(words.map(u32::to_le_bytes).concat());
    }
    file[32..36].copy_from_slice(&table.to_le_bytes());
    let last = 1 + sections.len() as u16;
    file[48..50].copy_from_slice(&(last + 1).to_le_bytes());
    file[50..52].copy_from_slice(&last.to_le_bytes());
    file
}

const PROGBITS: u32 = 1;
const STRTAB: u32 = 3;
const ALLOC: u32 = 2;

/// A tool's addition to a linked program, such as a checksum, has only a program header.
#[test]
fn bytes_without_a_section_are_loaded() {
    let parts = [flash(0, &[0xe7fe]), Part::code(0x8000, vec![1, 2, 3, 4])];
    let headers = 52 + 64;
    let code = parts[0].bytes.len() as u32;
    let file = with_sections(elf(&parts), &[[PROGBITS, ALLOC, 0, headers, code]]);
    let image = Image::parse("fw.elf", &file).unwrap();
    assert_eq!(image.segments().len(), 2);
    assert_eq!(image.stored_word(0x8000), Some(0x0403_0201));
    // In the same segment, in front of the first section.
    let file = with_sections(
        elf(&parts),
        &[[PROGBITS, ALLOC, 0x40, headers + 0x40, code - 0x40]],
    );
    let image = Image::parse("fw.elf", &file).unwrap();
    assert_eq!(image.stored_word(0), Some(common::STACK));
}

/// GNU ld's segment of the file's own headers is no part of the program.
#[test]
fn the_headers_of_the_file_are_not_loaded() {
    let parts = [flash(0, &[0xe7fe]), Part::code(0x8000, vec![1, 2, 3, 4])];
    let code = parts[0].bytes.len() as u32;
    let mut file = elf(&parts);
    // p_offset of the second segment.
    file[52 + 32 + 4..52 + 32 + 8].copy_from_slice(&0u32.to_le_bytes());
    let file = with_sections(file, &[[PROGBITS, ALLOC, 0, 52 + 64, code]]);
    assert_eq!(Image::parse("fw.elf", &file).unwrap().segments().len(), 1);
}

/// A program with build attributes: an architecture (`Tag_CPU_arch`), and a profile.
fn built_for(architecture: u8, profile: u8) -> Image {
    let mut values = vec![6, architecture];
    if profile != 0 {
        values.extend([7, profile]);
    }
    let of_file = [&[1][..], &(5 + values.len() as u32).to_le_bytes(), &values].concat();
    let vendor = [
        &(4 + 6 + of_file.len() as u32).to_le_bytes()[..],
        b"aeabi\0",
        &of_file,
    ]
    .concat();
    let attributes = [b"A", &vendor[..]].concat();
    let mut file = sound();
    let (offset, size) = (file.len() as u32, attributes.len() as u32);
    file.extend(attributes);
    let code = 0x1004;
    let sections = [
        [PROGBITS, ALLOC, 0, 52 + 64, code],
        [PROGBITS, ALLOC, 0x2000_0000, 52 + 64 + code, 4],
        [0x7000_0003, 0, 0, offset, size],
    ];
    Image::parse("fw.elf", &with_sections(file, &sections)).unwrap()
}

#[test]
fn what_is_for_no_cortex_m_gets_no_board_by_itself() {
    for (architecture, profile, name) in [
        (2, 0, "ARMv4T"),
        (4, 0, "ARMv5TE"),
        (9, 0, "ARMv6K"),
        (10, b'A', "ARMv7-A"),
        (10, b'R', "ARMv7-R"),
        (14, b'A', "ARMv8-A"),
    ] {
        let image = built_for(architecture, profile);
        let refused = image.plain_board().unwrap_err().to_string();
        assert_eq!(refused, format!("built for {name}, a core that is not modelled"));
        let core = Board::find("cortex-m3").unwrap().core();
        assert_eq!(image.beyond(core).as_deref(), Some(name), "with a board, too");
    }
    for (architecture, profile, board) in [
        (10, 0, "cortex-m3"),
        (10, b'M', "cortex-m3"),
        (13, b'M', "cortex-m4"),
    ] {
        assert_eq!(
            built_for(architecture, profile).plain_board().unwrap().name,
            board
        );
    }
}
