//! Which lines a cache holds.

use std::hash::{Hash, Hasher};

/// The line, by address over 32, that each place holds. Whoever compares the registers of two pipelines does not compare
/// these: they are looked at anew.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tags {
    lines: Box<[Option<u32>]>,
    ways: usize,
    /// Cycles in which no line was loaded. Each moves on the way that the next one goes to.
    turns: u64,
    /// How often one of them made room for another.
    changes: u64,
}

impl Tags {
    /// Empty tags: `count` places in each of `ways` ways, both powers of two.
    pub(crate) fn new(count: u8, ways: u8) -> Tags {
        let ways = usize::from(ways);
        Tags {
            lines: vec![None; usize::from(count) * ways].into_boxed_slice(),
            ways,
            turns: 0,
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

    /// This line, if present; otherwise the line in its place, in one of the ways.
    #[inline]
    pub(crate) fn at(&self, line: u32) -> Option<u32> {
        let place = self.place(line);
        if self.has_ways() && self.lines[place..place + self.ways].contains(&Some(line)) {
            return Some(line);
        }
        self.lines[place]
    }

    /// A cycle in which no line is loaded.
    #[inline]
    pub(crate) fn turn(&mut self) {
        self.turns += 1;
    }

    /// Advances the turn counter by `cycles`.
    #[inline]
    pub(crate) fn turn_by(&mut self, cycles: u32) {
        self.turns += u64::from(cycles);
    }

    /// How many there were.
    #[inline]
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// Cycles after turn count `turns` at which a line arrived, as far as its way shows.
    pub(crate) fn way_from(&self, line: u32, turns: u64) -> u8 {
        let place = self.place(line);
        let ways = &self.lines[place..place + self.ways];
        let way = ways
            .iter()
            .position(|&held| held == Some(line))
            .unwrap_or_default();
        ((way as u64).wrapping_sub(turns) & (self.ways as u64 - 1)) as u8
    }

    /// Whether two lines have the same place.
    pub(crate) fn share_place(&self, one: u32, other: u32) -> bool {
        self.place(one) == self.place(other)
    }

    /// Has this line from now on, in the way whose turn it is.
    #[inline]
    pub(crate) fn hold(&mut self, line: u32) {
        self.hold_at(line, 0);
    }

    /// Inserts the line as of `later` turns after this cycle.
    pub(crate) fn hold_at(&mut self, line: u32, later: u8) {
        if self.at(line) != Some(line) {
            let way = (self.turns + u64::from(later)) & (self.ways as u64 - 1);
            self.lines[self.place(line) + way as usize] = Some(line);
            self.changes += 1;
        }
    }

    /// Invalidates all ways of a place.
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
            tags.turn();
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
    fn a_line_comes_again_to_the_way_that_it_came_to() {
        let (line, others) = (5, [5 + 128, 5 + 256, 5 + 384]);
        for before in 0..4 {
            for later in 0..4 {
                let mut tags = Tags::new(128, 4);
                tags.turn_by(before);
                let start = tags.turns();
                let mut again = tags.clone();
                tags.turn_by(later);
                tags.hold(line);
                again.hold_at(line, tags.way_from(line, start));
                again.turn_by(later);
                for other in others {
                    for tags in [&mut tags, &mut again] {
                        tags.turn();
                        tags.hold(other);
                    }
                    assert_eq!(tags.lines, again.lines);
                }
                assert!(tags.share_place(line, others[0]) && !tags.share_place(line, 6));
            }
        }
    }

    #[test]
    fn places_do_not_disturb_each_other() {
        let mut tags = Tags::new(128, 2);
        (0..128).for_each(|line| tags.hold(line));
        tags.turn();
        assert!((0..128).all(|line| tags.at(line) == Some(line)));
        (128..200).for_each(|line| tags.hold(line));
        assert!((72..200).all(|line| tags.at(line) == Some(line)));
    }
}
