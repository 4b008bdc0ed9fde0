//! What the kernel finds at `0xffc0_0000`: its arguments, the table of processes, and who owns which page.

use crate::ram::{READ, Ram, Space, WRITE};
use crate::{PAGE, STRUCTURES, Start};
use machine::board::Board;

/// Words of an entry of the table of processes: `satp`, entry point, stack pointer.
const START_WORDS: u32 = 3;

/// Pages that there is room for: behind them the kernel maps devices of its own.
const MOST: u32 = 0xd0;

/// Where the structures are.
#[derive(Debug)]
pub(super) struct Places {
    /// The first page of them.
    base: u32,
    pages: u32,
    /// Bytes behind `base`: of the table of processes, and of the owners.
    processes: u32,
    owners: u32,
}

/// The addresses that the kernel is given in `a0`, `a1` and `a2`.
#[derive(Debug)]
pub(super) struct Registers(pub(super) [u32; 3]);

/// Everything on the board beside the RAM that begins at `ram`, in whole pages: first address and bytes. The kernel maps nothing else.
pub(super) fn regions(board: &Board, ram: u32) -> Vec<(u32, u32)> {
    let page = u64::from(PAGE);
    let memories = board.memories().iter().filter(|memory| memory.base != ram);
    let memories = memories.map(|memory| (memory.base, memory.size));
    let mut ranges: Vec<(u64, u64)> = board
        .device_ranges()
        .chain(memories)
        .map(|(base, size)| {
            let end = u64::from(base) + u64::from(size);
            (u64::from(base) / page * page, end.next_multiple_of(page))
        })
        .collect();
    ranges.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (from, to) in ranges {
        match merged.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            _ => merged.push((from, to)),
        }
    }
    // The last page of the address space is left out: its end is no address.
    let whole = merged
        .into_iter()
        .map(|(from, to)| (from as u32, (to.min(0xffff_f000) - from) as u32));
    whole.filter(|&(_, size)| size > 0).collect()
}

/// Takes the pages. `None` if the RAM is full, or there are more devices than pages can have owners.
pub(super) fn take(ram: &mut Ram, programs: usize, regions: &[(u32, u32)]) -> Option<Places> {
    let arguments = arguments(0, 0, programs, regions).len() as u32;
    let processes = arguments * 4;
    let owners = processes + (programs as u32 + 1) * START_WORDS * 4;
    let pages = (owners + ram.owners().len() as u32).div_ceil(PAGE);
    if pages > MOST {
        return None;
    }
    Some(Places {
        base: ram.take(pages, 1)?,
        pages,
        processes,
        owners,
    })
}

/// Shows the structures to the kernel, and the kernel to every process: they share the 4 MiB that it lies in.
pub(super) fn share_kernel(ram: &mut Ram, places: &Places, starts: &[Start]) -> Option<()> {
    let kernel = Space::of(starts[0].root(), 1);
    for page in 0..places.pages {
        kernel.map(
            ram,
            places.base + page * PAGE,
            STRUCTURES + page * PAGE,
            READ | WRITE,
        )?;
    }
    let shared = kernel.pointer(ram, STRUCTURES);
    for (start, pid) in starts.iter().zip(1..).skip(1) {
        Space::of(start.root(), pid).set_pointer(ram, STRUCTURES, shared);
    }
    Some(())
}

/// Writes them, when all pages have their owners.
pub(super) fn write(ram: &mut Ram, places: &Places, starts: &[Start], regions: &[(u32, u32)]) -> Registers {
    let devices = regions.iter().map(|&(_, size)| size / PAGE).sum();
    let (base, size) = ram.extent(devices);
    write_words(
        ram,
        places.base,
        &arguments(base, size, starts.len() - 1, regions),
    );
    let table: Vec<u32> = starts
        .iter()
        .flat_map(|start| [start.satp, start.entry, start.stack])
        .collect();
    write_words(ram, places.base + places.processes, &table);
    let owners = ram.owners().to_vec();
    ram.write(places.base + places.owners, &owners);
    Registers([0, places.processes, places.owners].map(|behind| STRUCTURES + behind))
}

fn write_words(ram: &mut Ram, at: u32, words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    ram.write(at, &bytes);
}

/// The kernel's arguments: where RAM is, where devices are, and how many programs there are. Each has a name, its length in words
/// above a checksum that the kernel does not look at, and its words.
fn arguments(ram: u32, size: u32, programs: usize, regions: &[(u32, u32)]) -> Vec<u32> {
    let mut words = Vec::new();
    let mut add = |name: &[u8; 4], data: &[u32]| {
        words.extend([u32::from_le_bytes(*name), (data.len() as u32) << 16]);
        words.extend(data);
    };
    // The first word will be the length of all arguments; behind it, the version of this form.
    add(b"XArg", &[0, 1, ram, size, u32::from_le_bytes(*b"SRAM")]);
    let extra = |&(base, size): &(u32, u32)| [base, size, u32::from_le_bytes(*b"CSR "), 0];
    let extra: Vec<u32> = regions.iter().flat_map(extra).collect();
    add(b"MREx", &extra);
    for _ in 0..programs {
        // Where the loader would find it; the kernel only counts these. No word here looks like a section with frames to unwind.
        add(b"IniE", &[0, 0]);
    }
    words[2] = words.len() as u32;
    words
}
