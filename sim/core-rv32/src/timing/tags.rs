//! Which lines a cache of one way holds.

use std::hash::{Hash, Hasher};

/// The line, by address over 32, that each place holds. Whoever compares the registers of two pipelines does not compare
/// these: they are looked at anew.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tags {
    lines: Box<[Option<u32>]>,
    /// How often one of them made room for another.
    changes: u64,
}

impl Tags {
    /// So many places, a power of two, and nothing in them.
    pub(crate) fn new(count: u8) -> Tags {
        Tags {
            lines: vec![None; usize::from(count)].into_boxed_slice(),
            changes: 0,
        }
    }

    #[inline]
    fn place(&self, line: u32) -> usize {
        line as usize & (self.lines.len() - 1)
    }

    /// What is where this line would be.
    #[inline]
    pub(crate) fn at(&self, line: u32) -> Option<u32> {
        self.lines[self.place(line)]
    }

    pub(crate) fn hold(&mut self, line: u32) {
        let place = self.place(line);
        if self.lines[place] != Some(line) {
            self.lines[place] = Some(line);
            self.changes += 1;
        }
    }

    pub(crate) fn empty(&mut self, place: u8) {
        self.lines[usize::from(place)] = None;
        self.changes += 1;
    }

    /// How often they changed.
    #[inline]
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }
}

impl PartialEq for Tags {
    fn eq(&self, _: &Tags) -> bool {
        true
    }
}

impl Eq for Tags {}

impl Hash for Tags {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
