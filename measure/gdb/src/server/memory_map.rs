//! The memory map of a board, which GDB reads once.

use std::fmt::Write as _;

use machine::board::MemoryKind;

/// The memory map of a board; GDB may also read the gaps between its memories.
pub(super) fn memory_map(board: &machine::Board) -> String {
    let mut map = String::from("<?xml version=\"1.0\"?><memory-map>");
    let mut roms: Vec<_> = board
        .memories()
        .iter()
        .filter(|memory| memory.kind == MemoryKind::Rom)
        .collect();
    roms.sort_by_key(|memory| memory.base);
    let mut at = 0u64;
    // Writing to a string cannot fail.
    let between = |map: &mut String, from: u64, to: u64| {
        if to > from {
            let _ = write!(
                map,
                "<memory type=\"ram\" start=\"{from:#x}\" length=\"{:#x}\"/>",
                to - from
            );
        }
    };
    for rom in roms {
        between(&mut map, at, u64::from(rom.base));
        let (base, size) = (rom.base, rom.size);
        let property = "<property name=\"blocksize\">0x400</property>";
        let _ = write!(
            map,
            "<memory type=\"flash\" start=\"{base:#x}\" length=\"{size:#x}\">{property}</memory>"
        );
        at = u64::from(base) + u64::from(size);
    }
    between(&mut map, at, 1 << 32);
    map + "</memory-map>"
}
