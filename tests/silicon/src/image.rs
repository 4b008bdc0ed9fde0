//! Builds an ELF file of a recorded program.
//!
//! A debugger started the recorded program at an address of its own. Here the reset vector leads to a few instructions after the program,
//! which enable the trace unit and its counters as the debugger did, and jump to that address.

/// Sets DEMCR.TRCENA, enables the counters, and jumps: `ldr r0, [pc, #16]; mov.w r1, #1 << 24; str r1, [r0]; ldr r0, [pc, #12]; ldr r1,
/// [pc, #16]; str r1, [r0]; nop; ldr.w pc, [pc, #12]`. The words that follow are the address of DEMCR, the address and value of
/// `DWT_CTRL`, and the program's start.
const START: [u16; 10] = [
    0x4804, 0xf04f, 0x7180, 0x6001, 0x4803, 0x4904, 0x6001, 0xbf00, 0xf8df, 0xf00c,
];
const DEMCR: u32 = 0xe000_edfc;
const DWT_CTRL: u32 = 0xe000_1000;
/// CYCCNTENA, and CPIEVTENA to FOLDEVTENA.
const COUNTERS: u32 = 0x003e_0001;
/// Bytes of these instructions and words.
const ROOM: usize = 36;
/// Length in bytes from which an erased range is taken as unused.
const ERASED: usize = 1024;
/// The value of an erased flash byte.
const BLANK: u8 = 0xff;

const HEADER: u32 = 52;
const PROGRAM_HEADER: u32 = 32;

/// An ELF file with this flash content at address `base` that starts at `start`; `None` if the flash is too short for vectors.
pub(crate) fn elf(flash: &[u8], base: u32, start: u32) -> Option<Vec<u8>> {
    let mut flash = flash.to_vec();
    let at = room(&mut flash);
    let code = START.iter().flat_map(|half| half.to_le_bytes());
    let literals = [DEMCR, DWT_CTRL, COUNTERS, start | 1]
        .into_iter()
        .flat_map(u32::to_le_bytes);
    let bytes: Vec<u8> = code.chain(literals).collect();
    flash[at..at + bytes.len()].copy_from_slice(&bytes);
    let vector = (base + at as u32) | 1;
    flash.get_mut(4..8)?.copy_from_slice(&vector.to_le_bytes());
    Some(with_headers(&flash, base))
}

/// The offset for the start code: the longest erased range, or after the end. Shorter ranges that look erased may be data.
fn room(flash: &mut Vec<u8>) -> usize {
    let mut erased = (0, 0);
    let mut from = 0;
    for piece in flash.split(|&byte| byte != BLANK) {
        erased = erased.max((piece.len(), from));
        from += piece.len() + 1;
    }
    let (length, first) = erased;
    if length >= ERASED {
        return (first + length - ROOM) & !3;
    }
    let end = flash.len().next_multiple_of(4);
    flash.resize(end + ROOM, BLANK);
    end
}

fn with_headers(flash: &[u8], base: u32) -> Vec<u8> {
    let half = |value: u16| value.to_le_bytes();
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    // An executable for Arm.
    file.extend([half(2), half(40)].concat());
    let words = [1, base, HEADER, 0, 0x0500_0000];
    file.extend(words.into_iter().flat_map(u32::to_le_bytes));
    let sizes = [HEADER as u16, PROGRAM_HEADER as u16, 1, 40, 0, 0];
    file.extend(sizes.into_iter().flat_map(half));
    let length = flash.len() as u32;
    // One segment to load, readable and executable.
    let segment = [1, HEADER + PROGRAM_HEADER, base, base, length, length, 5, 4];
    file.extend(segment.into_iter().flat_map(u32::to_le_bytes));
    file.extend(flash);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_looks_erased_is_not_overwritten() {
        let mut flash = vec![BLANK; 200];
        flash.extend([0; 8]);
        assert_eq!(room(&mut flash), 208);
    }

    #[test]
    fn the_erased_end_of_a_flash_has_room() {
        let mut flash = vec![0; 100];
        flash.resize(1 << 12, BLANK);
        assert_eq!(room(&mut flash), (1 << 12) - ROOM);
    }
}
