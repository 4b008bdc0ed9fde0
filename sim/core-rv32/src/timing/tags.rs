//! Which lines a cache of one way holds.

use std::hash::{Hash, Hasher};

/// The line, by address over 32, that each place holds. Whoever compares the registers of two pipelines does not compare
/// these: they are looked at anew.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tags(Box<[Option<u32>]>);

impl Tags {
    /// So many places, a power of two, and nothing in them.
    pub(crate) fn new(count: u8) -> Tags {
        Tags(vec![None; usize::from(count)].into_boxed_slice())
    }

    #[inline]
    fn place(&self, line: u32) -> usize {
        line as usize & (self.0.len() - 1)
    }

    /// What is where this line would be.
    #[inline]
    pub(crate) fn at(&self, line: u32) -> Option<u32> {
        self.0[self.place(line)]
    }

    pub(crate) fn hold(&mut self, line: u32) {
        let place = self.place(line);
        self.0[place] = Some(line);
    }

    pub(crate) fn empty(&mut self, place: u8) {
        self.0[usize::from(place)] = None;
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
