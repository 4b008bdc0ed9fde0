//! Page tables of Sv32.
//!
//! Every address is its own translation. A first table has the program's code in pieces of 4 MiB, and leads to a table of pages, which
//! has the memories of all processes, 4 MiB at the most: of each process its own, its frame, and what is lent to it. Granting a page is
//! writing a word there.
//!
//! The first table is the same for all, and every switch writes where it leads to: tables of one's own would be at the same places of a
//! small cache. A process with a device has one, and a table for the device.
//!
//! Only the kernel reaches a table, and every switch makes the core forget what it knows of them.

use mainspring_core::processes::Region;

use super::{Chip, Processes, Protection};
use crate::process::table::{Row, Stored};

/// Bytes of a page.
pub(super) const PAGE: usize = 4096;
/// Bytes of what an entry of the first table stands for.
const PIECE: usize = 4 << 20;

/// Bits of an entry: valid, of user mode, accessed; and what may be done.
const VALID: usize = 1;
const USER: usize = VALID | 1 << 4 | 1 << 6;
pub(super) const READ: usize = USER | 1 << 1;
pub(super) const READ_WRITE: usize = READ | 1 << 2 | 1 << 7;
const READ_EXECUTE: usize = READ | 1 << 3;

/// The mode of `satp`.
const TRANSLATES: usize = 1 << 31;

/// A table: as many entries as fit into a page.
#[repr(C, align(4096))]
pub struct Table([usize; PAGE / 4]);

/// The first table of processes without a device.
static FIRST: Stored<Table> = Stored::new();

/// The pages of a process alone.
#[repr(C)]
pub struct DeviceTables {
    first: Table,
    devices: Table,
}

/// The entry of an address, in a first table and in a table of pages.
const fn in_first(address: usize) -> usize {
    address / PIECE
}

const fn in_second(address: usize) -> usize {
    address / PAGE % (PIECE / PAGE)
}

/// The table of pages of a process.
fn second<S: Processes>(index: usize) -> *mut Table {
    S::tables().wrapping_add(index)
}

/// Builds the tables of a process. Returns its `satp` and what leads to its table of pages; where that is to be, and the table.
pub(super) fn build<S: Processes>(index: usize) -> (Region, [usize; 2]) {
    const {
        let (code, size) = S::Chip::CODE;
        assert!(
            !S::Chip::PROTECTION.is_paged() || (code | size) % PIECE == 0,
            "with Sv32, CODE is a multiple of 4 MiB, and nothing that is written to is in it"
        );
        assert!(
            !S::Chip::PROTECTION.is_paged() || !somebody_calls_itself(S::ROWS),
            "with Sv32, a process does not call itself: what it lent would be out of its own reach with the answer"
        );
    }
    let row = &S::ROWS[index];
    let memory = (row.memory)() as usize;
    let second = cleared(second::<S>(index));
    fill(second, memory, row.size, READ_WRITE);
    let leads = second.as_ptr() as usize >> 2 | VALID;
    let first = if let Some((device, size)) = row.device {
        // A place of the tables of those that have a device.
        let tables = S::device_tables().wrapping_add(index);
        // SAFETY: the address of a field of a static.
        let (first, devices) = unsafe { (&raw mut (*tables).first, &raw mut (*tables).devices) };
        let first = with_code::<S>(first);
        let devices = cleared(devices);
        assert!(
            (device | size) % PAGE == 0
                && first[in_first(device)] == 0
                && in_first(device) != in_first(memory)
                && in_first(device) == in_first(device + size - 1),
            "with Sv32, a device is pages of 4 KiB in one piece of 4 MiB, in which there is nothing else"
        );
        first[in_first(device)] = devices.as_ptr() as usize >> 2 | VALID;
        fill(devices, device, size, READ_WRITE);
        first
    } else {
        with_code::<S>(FIRST.get())
    };
    let place = &raw mut first[in_first(memory)];
    assert!(
        S::ROWS.iter().all(|other| together(memory, other)) && first[in_first(memory)] == 0,
        "with Sv32, the memory of all processes is in one piece of 4 MiB, and the code in others"
    );
    let satp = TRANSLATES | (first.as_ptr() as usize / PAGE);
    // The table as if it began with the entry of address 0: the memories are all in one piece.
    let entries = (second.as_ptr() as usize).wrapping_sub(in_first(memory) * (PIECE / PAGE) * 4);
    ([satp, leads], [place as usize, entries])
}

/// Whether a process may send to one of its own threads.
const fn somebody_calls_itself(rows: &[Row]) -> bool {
    let mut at = 0;
    while at < rows.len() {
        let mut place = 0;
        while place < rows[at].calls.len() {
            if rows[at].calls[place] == rows[at].process {
                return true;
            }
            place += 1;
        }
        at += 1;
    }
    false
}

/// A first table with the program's code.
fn with_code<S: Processes>(table: *mut Table) -> &'static mut [usize; PAGE / 4] {
    let first = cleared(table);
    let (code, size) = S::Chip::CODE;
    for piece in (code..code + size).step_by(PIECE) {
        first[in_first(piece)] = piece >> 2 | READ_EXECUTE;
    }
    first
}

/// A table without entries.
fn cleared(table: *mut Table) -> &'static mut [usize; PAGE / 4] {
    // SAFETY: a table of this program's, before the processes run, and nobody keeps what this returns; it is words, whatever is in them.
    unsafe {
        table.write_bytes(0, 1);
        &mut (*table).0
    }
}

/// Whether all that a row has is in the piece that `memory` is in.
fn together(memory: usize, row: &Row) -> bool {
    let inside = |address: usize, size: usize| {
        in_first(address) == in_first(memory) && in_first(address + size - 1) == in_first(memory)
    };
    inside((row.memory)() as usize, row.size)
        && row
            .frame
            .is_none_or(|(frame, size)| inside(frame() as usize, size))
}

/// Page-table entries for a number of bytes from an address on.
fn fill(table: &mut [usize; PAGE / 4], address: usize, size: usize, rights: usize) {
    for page in (address..address + size).step_by(PAGE) {
        table[in_second(page)] = page >> 2 | rights;
    }
}

/// Shows pages to a process, or hides them, if there are no rights.
pub(super) fn show<S: Processes>(index: usize, [address, size]: Region, rights: usize) {
    for page in (address..address + size).step_by(PAGE) {
        let entry = if rights == 0 { 0 } else { page >> 2 | rights };
        // SAFETY: an entry of this process's table, which is the kernel's.
        unsafe { (*second::<S>(index)).0[in_second(page)] = entry };
    }
}

/// Whether what the core remembers of tables outlives a write of `satp`.
pub(super) const fn remembers<S: Processes>() -> bool {
    matches!(
        S::Chip::PROTECTION,
        Protection::Sv32 | Protection::FencedVexRiscvSv32
    )
}
