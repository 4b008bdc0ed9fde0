//! How blocks were left.

use std::ops::Index;

/// No exit.
const NONE: u16 = u16::MAX;

/// The ways in which a block was left so far, by the place in it: each leads to a block that need not be looked for again.
#[derive(Clone, Debug)]
pub struct LinkTable<E> {
    /// For each place the exit that was added last.
    last: Vec<u16>,
    /// Each with the one that was added before at the same place.
    all: Vec<(E, u16)>,
}

impl<E> Default for LinkTable<E> {
    fn default() -> Self {
        LinkTable {
            last: Vec::new(),
            all: Vec::new(),
        }
    }
}

impl<E> LinkTable<E> {
    /// The exit at a place that is the one meant, if it was taken before.
    #[inline]
    pub fn find(&self, place: usize, matches: impl Fn(&E) -> bool) -> Option<&E> {
        let mut number = *self.last.get(place)?;
        while let Some((link, before)) = self.all.get(usize::from(number)) {
            if matches(link) {
                return Some(link);
            }
            number = *before;
        }
        None
    }

    /// The number of the exit at a place that is the one meant, which is found out by looking at each closely.
    #[inline]
    pub fn position(&mut self, place: usize, mut matches: impl FnMut(&mut E) -> bool) -> Option<usize> {
        let mut number = *self.last.get(place)?;
        while let Some((link, before)) = self.all.get_mut(usize::from(number)) {
            if matches(link) {
                return Some(number.into());
            }
            number = *before;
        }
        None
    }

    /// Adds one at a place. If there are `most` already, those are forgotten; gives how many.
    pub fn add(&mut self, place: usize, link: E, most: u16) -> usize {
        let forgotten = if self.all.len() >= usize::from(most) {
            self.last.clear();
            self.all.drain(..).count()
        } else {
            0
        };
        if self.last.len() <= place {
            self.last.resize(place + 1, NONE);
        }
        let before = std::mem::replace(&mut self.last[place], self.all.len() as u16);
        self.all.push((link, before));
        forgotten
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Iterates over all exits.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.all.iter().map(|(link, _)| link)
    }
}

impl<E> Index<usize> for LinkTable<E> {
    type Output = E;

    #[inline]
    fn index(&self, number: usize) -> &E {
        &self.all[number].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exits_are_found_by_their_place_until_there_are_too_many() {
        let mut links = LinkTable::default();
        assert_eq!(
            links.add(3, 'a', 3) + links.add(0, 'b', 3) + links.add(3, 'c', 3),
            0
        );
        assert_eq!(links.find(3, |&link| link == 'a'), Some(&'a'));
        assert_eq!(links.find(3, |_| true), Some(&'c'), "the last one first");
        assert_eq!(links.find(0, |&link| link == 'a'), None);
        assert_eq!(links.find(7, |_| true), None);
        assert_eq!(links.position(0, |_| true).map(|number| links[number]), Some('b'));
        assert_eq!(links.add(1, 'd', 3), 3);
        assert_eq!(links.iter().collect::<String>(), "d");
        assert_eq!(links.find(3, |_| true), None);
    }
}
