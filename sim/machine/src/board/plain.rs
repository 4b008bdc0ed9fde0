//! Derives the memory that an image needs, by the rule in [`crate::board`].

use std::ops::Range;

use super::{Memory, MemoryKind};
use crate::image::{Image, Segment};

const ROM_ROUNDING: u64 = 1 << 10;
const RAM_ROUNDING: u64 = 1 << 16;
const LARGEST_GAP: u64 = 16 << 20;

/// The memories that `image` needs with this initial stack pointer.
pub(super) fn memories(image: &Image, stack_pointer: u32) -> Vec<Memory> {
    let ram = ram_ranges(image, stack_pointer);
    let rom = rom_ranges(image, &written_ranges(image));
    let roms = rom.iter().map(|range| memory("rom", range, MemoryKind::Rom, 0));
    roms.chain(ram.iter().map(|range| memory("ram", range, MemoryKind::Ram, 1)))
        .collect()
}

fn memory(name: &str, range: &Range<u64>, kind: MemoryKind, slave: u8) -> Memory {
    let size = (range.end - range.start) as u32;
    Memory {
        name: name.into(),
        base: range.start as u32,
        size,
        kind,
        wait: bus::WaitStates::default(),
        slave,
        evidence: bus::Evidence::Unstated,
        alias_of: None,
        contents: &[],
        programmable: false,
    }
}

fn span(start: u32, size: usize) -> Range<u64> {
    u64::from(start)..u64::from(start) + size as u64
}

/// The ranges that the program writes, by its segments.
fn written_ranges(image: &Image) -> Vec<Range<u64>> {
    let segments = image
        .segments()
        .iter()
        .filter(|segment| segment.writable && segment.runs_size > 0);
    segments
        .map(|segment| span(segment.runs_at, segment.runs_size as usize))
        .collect()
}

fn ram_ranges(image: &Image, stack_pointer: u32) -> Vec<Range<u64>> {
    let stack = u64::from(stack_pointer).saturating_sub(4)..u64::from(stack_pointer);
    let ranges = written_ranges(image).into_iter().chain([stack]);
    merge(
        ranges.map(|range| round(&range, RAM_ROUNDING)).collect(),
        LARGEST_GAP,
    )
}

fn rom_ranges(image: &Image, written: &[Range<u64>]) -> Vec<Range<u64>> {
    let runs_where_stored = |segment: &Segment| segment.writable && segment.runs_at == segment.address;
    let stored = image
        .segments()
        .iter()
        .filter(|segment| !segment.bytes.is_empty() && !runs_where_stored(segment));
    let rounded = |range: Range<u64>| {
        let outward = round(&range, ROM_ROUNDING);
        let meets = |other: &Range<u64>| outward.start < other.end && other.start < outward.end;
        if written.iter().any(meets) { range } else { outward }
    };
    merge(
        stored
            .map(|segment| rounded(span(segment.address, segment.bytes.len())))
            .collect(),
        1,
    )
}

fn round(range: &Range<u64>, to: u64) -> Range<u64> {
    range.start / to * to..range.end.next_multiple_of(to).min(1 << 32)
}

/// Joins ranges that overlap or are less than `gap` apart.
fn merge(mut ranges: Vec<Range<u64>>, gap: u64) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end + gap => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_ranges_become_one_with_their_gap() {
        let ranges = vec![
            0x2003_0000..0x2004_0000,
            0x2000_0000..0x2001_0000,
            0x1000_0000..0x1001_0000,
        ];
        assert_eq!(
            merge(ranges, LARGEST_GAP),
            [0x1000_0000..0x1001_0000, 0x2000_0000..0x2004_0000]
        );
    }

    #[test]
    fn rounding_is_outward_and_stays_in_the_address_space() {
        assert_eq!(
            round(&(0x2000_1ffc..0x2000_2000), RAM_ROUNDING),
            0x2000_0000..0x2001_0000
        );
        assert_eq!(
            round(&(0xffff_fffc..0x1_0000_0000), RAM_ROUNDING),
            0xffff_0000..0x1_0000_0000
        );
    }
}
