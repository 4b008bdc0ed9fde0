//! What GDB reads once, and what it programs: the description of the target, the map of its memory, and its flash.

use std::fmt::Write as _;

use gdbstub::target::ext::flash::Flash;
use gdbstub::target::ext::memory_map::MemoryMap;
use gdbstub::target::ext::target_description_xml_override::TargetDescriptionXmlOverride;
use gdbstub::target::{TargetError, TargetResult};
use machine::board::MemoryKind;

use super::Served;

/// The most bytes of flash that are erased at once.
const MOST_FLASH: u32 = 64 << 20;

/// The memories of a board; everything between them may be looked at, too.
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

/// The part of a text that was asked for.
pub(super) fn part(text: &str, offset: u64, length: usize, into: &mut [u8]) -> usize {
    let rest = text.as_bytes().get(offset as usize..).unwrap_or_default();
    let length = rest.len().min(length).min(into.len());
    into[..length].copy_from_slice(&rest[..length]);
    length
}

impl TargetDescriptionXmlOverride for Served {
    fn target_description_xml(
        &self,
        _: &[u8],
        offset: u64,
        length: usize,
        into: &mut [u8],
    ) -> TargetResult<usize, Self> {
        Ok(part(&self.xml, offset, length, into))
    }
}

impl MemoryMap for Served {
    fn memory_map_xml(&self, offset: u64, length: usize, into: &mut [u8]) -> TargetResult<usize, Self> {
        Ok(part(&self.map, offset, length, into))
    }
}

impl Flash for Served {
    fn flash_erase(&mut self, start: u32, length: u32) -> TargetResult<(), Self> {
        // More than any of these chips has would only take memory.
        if length > MOST_FLASH {
            return Err(TargetError::NonFatal);
        }
        self.program(start, &vec![0xff; length as usize])
    }

    fn flash_write(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        self.program(start, data)
    }

    fn flash_done(&mut self) -> TargetResult<(), Self> {
        Ok(())
    }
}

impl Served {
    fn program(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        let mut memory = self.session.target().memory().map_err(TargetError::Fatal)?;
        if memory.program(start, data) {
            Ok(())
        } else {
            Err(TargetError::NonFatal)
        }
    }
}
