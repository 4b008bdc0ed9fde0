//! The RAM that is given out, from its end downwards, with an owner for each page; and the Sv32 tables of a process in it.

use std::collections::BTreeMap;

use crate::PAGE;

/// Bits of an entry of a page table (privileged ISA, 4.3.1).
const VALID: u32 = 1 << 0;
pub(super) const READ: u32 = 1 << 1;
pub(super) const WRITE: u32 = 1 << 2;
pub(super) const EXECUTE: u32 = 1 << 3;
pub(super) const USER: u32 = 1 << 4;
/// Accessed and dirty: the loader sets both, so that no core has to.
const TOUCHED: u32 = 1 << 6 | 1 << 7;

/// Where a process finds its tables: the root, and behind each other from here on those that the root points to.
const ROOT: u32 = 0xff80_0000;
const TABLES: u32 = 0xff40_0000;

/// Translation is on.
const SV32: u32 = 1 << 31;

/// Pages of RAM.
#[derive(Debug)]
pub(super) struct Ram {
    base: u32,
    /// The lowest page that is taken.
    lowest: u32,
    /// What is in a page, where that is not zero.
    pages: BTreeMap<u32, Vec<u8>>,
    /// The process that has each page: first those of RAM, then those of the regions of devices.
    owners: Vec<u8>,
}

impl Ram {
    /// `size` bytes from `base` on, and the pages of the regions of devices.
    pub(super) fn new(base: u32, size: u32, regions: &[(u32, u32)]) -> Ram {
        let devices: u32 = regions.iter().map(|&(_, size)| size / PAGE).sum();
        // Whole pages, whose end is an address.
        let end = base.saturating_add(size) / PAGE;
        let first = base.div_ceil(PAGE).min(end);
        Ram {
            base: first * PAGE,
            lowest: end * PAGE,
            pages: BTreeMap::new(),
            owners: vec![0; (end - first + devices) as usize],
        }
    }

    /// So many pages, one behind the other, for a process; the address of the first.
    pub(super) fn take(&mut self, pages: u32, pid: u8) -> Option<u32> {
        let free = (self.lowest - self.base) / PAGE;
        if pages > free {
            return None;
        }
        self.lowest -= pages * PAGE;
        let first = ((self.lowest - self.base) / PAGE) as usize;
        self.owners[first..first + pages as usize].fill(pid);
        Some(self.lowest)
    }

    /// Its first address, and how many bytes there are.
    pub(super) fn extent(&self, devices: u32) -> (u32, u32) {
        (self.base, (self.owners.len() as u32 - devices) * PAGE)
    }

    pub(super) fn owners(&self) -> &[u8] {
        &self.owners
    }

    /// The pages that something was written to, ascending.
    pub(super) fn written(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.pages.iter().map(|(&at, bytes)| (at, &**bytes))
    }

    pub(super) fn write(&mut self, at: u32, bytes: &[u8]) {
        for (&byte, at) in bytes.iter().zip(at..) {
            self.page(at)[(at % PAGE) as usize] = byte;
        }
    }

    pub(super) fn word(&mut self, at: u32) -> u32 {
        let place = (at % PAGE) as usize;
        let bytes = self.page(at)[place..].first_chunk().copied();
        u32::from_le_bytes(bytes.unwrap_or_default())
    }

    pub(super) fn set_word(&mut self, at: u32, value: u32) {
        self.write(at, &value.to_le_bytes());
    }

    fn page(&mut self, at: u32) -> &mut Vec<u8> {
        let page = at / PAGE * PAGE;
        self.pages.entry(page).or_insert_with(|| vec![0; PAGE as usize])
    }
}

/// The address space of a process.
#[derive(Debug)]
pub(super) struct Space {
    root: u32,
    pid: u8,
}

impl Space {
    /// One in which nothing is but its own tables.
    pub(super) fn new(ram: &mut Ram, pid: u8) -> Option<Space> {
        let root = ram.take(1, pid)?;
        let space = Space { root, pid };
        space.map(ram, root, ROOT, READ | WRITE)?;
        Some(space)
    }

    /// That of a process that is there already.
    pub(super) fn of(root: u32, pid: u8) -> Space {
        Space { root, pid }
    }

    /// The value of `satp` with which the process runs.
    pub(super) fn satp(&self) -> u32 {
        SV32 | u32::from(self.pid) << 22 | self.root >> 12
    }

    /// Shows the page of RAM at `physical` at `address`.
    pub(super) fn map(&self, ram: &mut Ram, physical: u32, address: u32, rights: u32) -> Option<()> {
        self.enter(ram, address, physical >> 2 | rights | VALID)
    }

    /// Keeps `address` for a page that the kernel gives when it is touched.
    pub(super) fn reserve(&self, ram: &mut Ram, address: u32, rights: u32) -> Option<()> {
        self.enter(ram, address, rights)
    }

    fn enter(&self, ram: &mut Ram, address: u32, entry: u32) -> Option<()> {
        let pointer = self.root + (address >> 22) * 4;
        if ram.word(pointer) & VALID == 0 {
            let table = ram.take(1, self.pid)?;
            ram.set_word(pointer, table >> 2 | VALID);
            // The process sees its tables, this one among them.
            self.map(ram, table, TABLES + (address >> 22) * PAGE, READ | WRITE)?;
        }
        let table = (ram.word(pointer) >> 10) * PAGE;
        ram.set_word(table + (address >> 12 & 0x3ff) * 4, entry | TOUCHED);
        Some(())
    }

    /// The entry of the root for `address`.
    pub(super) fn pointer(&self, ram: &mut Ram, address: u32) -> u32 {
        ram.word(self.root + (address >> 22) * 4)
    }

    /// Gives that entry to another process.
    pub(super) fn set_pointer(&self, ram: &mut Ram, address: u32, entry: u32) {
        ram.set_word(self.root + (address >> 22) * 4, entry);
    }
}
