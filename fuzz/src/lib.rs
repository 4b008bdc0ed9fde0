//! What the fuzz targets share: the program that specs and boards are tried on, and programs from any halfwords.

use std::sync::{Arc, LazyLock};

use machine::{Board, Image};

/// A small program with symbols and lines, also a seed of the target `elf`.
const PROGRAM: &[u8] = include_bytes!("../seeds/elf/dwarf5.elf");

/// That program, read once.
pub static IMAGE: LazyLock<Arc<Image>> =
    LazyLock::new(|| Arc::new(Image::parse("program.elf", PROGRAM).expect("a sound program")));

/// Two built-in boards whose memory is small enough to be made anew for every input: one has it from the program.
pub static BOARDS: LazyLock<[Board; 2]> =
    LazyLock::new(|| ["cortex-m3", "stm32f100rb"].map(|name| Board::find(name).expect("built in")));

/// Where the RAM of [`program`] begins.
pub const RAM: u32 = 0x2000_0000;
/// Bytes of it.
pub const RAM_SIZE: u32 = 0x1000;
/// System exceptions and sixteen interrupts.
const VECTORS: usize = 16 + 16;
/// The handler of every exception but reset: `bx lr`.
const HANDLER: u32 = 4 * VECTORS as u32;
/// Code that points R0 to R7 into RAM, and the program behind it.
const START: u32 = HANDLER + 4;

/// An ELF file whose reset handler is this code, in flash at 0. R0 to R7 point into RAM first, so that its loads and
/// stores mostly find memory.
pub fn program(code: &[u16]) -> Vec<u8> {
    let mut flash: Vec<u8> = Vec::new();
    let stack = RAM + RAM_SIZE;
    for vector in 0..VECTORS {
        let word = [stack, START | 1].get(vector).copied().unwrap_or(HANDLER | 1);
        flash.extend(word.to_le_bytes());
    }
    let handler = [0x4770, 0xbf00];
    let start = (0..8).flat_map(point_to_ram);
    let halfwords = handler.into_iter().chain(start).chain(code.iter().copied());
    flash.extend(halfwords.chain([BRANCH_TO_ITSELF]).flat_map(u16::to_le_bytes));
    elf(&flash)
}

const BRANCH_TO_ITSELF: u16 = 0xe7fe;

/// `movw rN, #0x200 * N; movt rN, #0x2000`
fn point_to_ram(register: u16) -> [u16; 4] {
    let imm3 = register << 1 & 7;
    let i = register >> 2 << 10;
    let low = 0xf240 | i;
    [low, imm3 << 12 | register << 8, 0xf2c2, register << 8]
}

/// An executable with flash at 0 and RAM, without sections.
fn elf(flash: &[u8]) -> Vec<u8> {
    const HEADERS: u32 = 52 + 2 * 32;
    let size = flash.len() as u32;
    let words: [u32; 5] = [1, 0, 52, 0, 0x0500_0000];
    // p_type, p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_flags, p_align.
    let code: [u32; 8] = [1, HEADERS, 0, 0, size, size, 5, 4];
    let data: [u32; 8] = [1, HEADERS + size, RAM, RAM, 0, RAM_SIZE, 6, 4];
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0".to_vec();
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    file.extend(
        [52u16, 32, 2, 40, 0, 0]
            .iter()
            .flat_map(|half| half.to_le_bytes()),
    );
    file.extend(code.iter().chain(&data).flat_map(|word| word.to_le_bytes()));
    file.extend(flash);
    file
}
