//! What is wrong with a file that is not a program for this machine, in words.

mod common;

use common::{Part, READ_WRITE, elf, flash, image, machine_on};
use machine::{Board, Image, Machine, Options};
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
