//! Which lines a cache holds.

use std::hash::{Hash, Hasher};

/// The line, by address over 32, that each place holds. Whoever compares the registers of two pipelines does not compare
/// these: they are looked at anew.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tags {
    lines: Box<[Option<u32>]>,
    ways: usize,
    /// The way that the next line goes to. Each line moves it on; in `VexRiscv` each cycle does in which none is loaded, which is
    /// not modelled: no core of several ways is compared with its Verilog.
    next: usize,
    /// How often one of them made room for another.
    changes: u64,
}

impl Tags {
    /// So many places in each of so many ways, both powers of two, and nothing in them.
    pub(crate) fn new(count: u8, ways: u8) -> Tags {
        let ways = usize::from(ways);
        Tags {
            lines: vec![None; usize::from(count) * ways].into_boxed_slice(),
            ways,
            next: 0,
            changes: 0,
        }
    }

    /// Whether it has more than one way.
    #[inline]
    pub(crate) fn has_ways(&self) -> bool {
        self.ways > 1
    }

    /// The first way of the place where this line would be.
    #[inline]
    fn place(&self, line: u32) -> usize {
        (line as usize * self.ways) & (self.lines.len() - 1)
    }

    /// This line, if it is there; else what is in its place, in one of the ways.
    #[inline]
    pub(crate) fn at(&self, line: u32) -> Option<u32> {
        let place = self.place(line);
        if self.has_ways() && self.lines[place..place + self.ways].contains(&Some(line)) {
            return Some(line);
        }
        self.lines[place]
    }

    pub(crate) fn hold(&mut self, line: u32) {
        if self.at(line) != Some(line) {
            let way = self.next & (self.ways - 1);
            self.lines[self.place(line) + way] = Some(line);
            self.next = way + 1;
            self.changes += 1;
        }
    }

    /// All ways of a place.
    pub(crate) fn empty(&mut self, place: u8) {
        let place = usize::from(place) * self.ways;
        self.lines[place..place + self.ways].fill(None);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_lines_of_a_place_are_there_as_there_are_ways() {
        let mut tags = Tags::new(128, 4);
        let line = |number: u32| 5 + 128 * number;
        for number in 0..4 {
            tags.hold(line(number));
        }
        assert!((0..4).all(|number| tags.at(line(number)) == Some(line(number))));
        let changes = tags.changes();
        tags.hold(line(2));
        assert_eq!(tags.changes(), changes, "it was there");
        tags.hold(line(4));
        assert_ne!(tags.at(line(0)), Some(line(0)), "it made room");
        assert!((1..5).all(|number| tags.at(line(number)) == Some(line(number))));
        tags.empty(5);
        assert!((0..5).all(|number| tags.at(line(number)).is_none()));
    }

    #[test]
    fn places_do_not_disturb_each_other() {
        let mut tags = Tags::new(128, 2);
        (0..128).for_each(|line| tags.hold(line));
        assert!((0..128).all(|line| tags.at(line) == Some(line)));
        (128..200).for_each(|line| tags.hold(line));
        assert!((72..200).all(|line| tags.at(line) == Some(line)));
    }
}
