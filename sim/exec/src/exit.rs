//! How blocks were left.

use std::ops::Index;

/// No exit.
const NONE: u16 = u16::MAX;

/// The ways in which a block was left so far, by the place in it: each leads to a block that need not be looked for again.
#[derive(Clone, Debug)]
pub struct Exits<E> {
    /// For each place the exit that was added last.
    last: Vec<u16>,
    /// Each with the one that was added before at the same place.
    all: Vec<(E, u16)>,
}

impl<E> Default for Exits<E> {
    fn default() -> Self {
        Exits {
            last: Vec::new(),
            all: Vec::new(),
        }
    }
}

impl<E> Exits<E> {
    /// The exit at a place that is the one meant, if it was taken before.
    #[inline]
    pub fn find(&self, place: usize, is_meant: impl Fn(&E) -> bool) -> Option<&E> {
        let mut number = *self.last.get(place)?;
        while let Some((exit, before)) = self.all.get(usize::from(number)) {
            if is_meant(exit) {
                return Some(exit);
            }
            number = *before;
        }
        None
    }

    /// The number of the exit at a place that is the one meant, which is found out by looking at each closely.
    #[inline]
    pub fn position(&mut self, place: usize, mut is_meant: impl FnMut(&mut E) -> bool) -> Option<usize> {
        let mut number = *self.last.get(place)?;
        while let Some((exit, before)) = self.all.get_mut(usize::from(number)) {
            if is_meant(exit) {
                return Some(number.into());
            }
            number = *before;
        }
        None
    }

    /// Adds one at a place. If there are `most` already, those are forgotten; gives how many.
    pub fn add(&mut self, place: usize, exit: E, most: u16) -> usize {
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
        self.all.push((exit, before));
        forgotten
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Iterates over all exits.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.all.iter().map(|(exit, _)| exit)
    }
}

impl<E> Index<usize> for Exits<E> {
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
        let mut exits = Exits::default();
        assert_eq!(
            exits.add(3, 'a', 3) + exits.add(0, 'b', 3) + exits.add(3, 'c', 3),
            0
        );
        assert_eq!(exits.find(3, |&exit| exit == 'a'), Some(&'a'));
        assert_eq!(exits.find(3, |_| true), Some(&'c'), "the last one first");
        assert_eq!(exits.find(0, |&exit| exit == 'a'), None);
        assert_eq!(exits.find(7, |_| true), None);
        assert_eq!(exits.position(0, |_| true).map(|number| exits[number]), Some('b'));
        assert_eq!(exits.add(1, 'd', 3), 3);
        assert_eq!(exits.iter().collect::<String>(), "d");
        assert_eq!(exits.find(3, |_| true), None);
    }
}
