//! A queue of a fixed number of items, in the order of their instants.
//!
//! The instants are a list in places of their own, so nothing moves. Adding goes along the list, to `N` places at the most;
//! taking the first, asking for it and taking a known one back look at no more than that.

/// No place.
const END: u8 = u8::MAX;

/// Up to `N` instants, each with an item; at the most 254.
pub struct Queue<T, const N: usize> {
    places: [Place<T>; N],
    /// The earliest.
    first: u8,
    /// The first place that was given back.
    free: u8,
    /// Places that were ever used.
    used: u8,
}

struct Place<T> {
    at: u64,
    item: Option<T>,
    next: u8,
    /// How often the place was emptied: a ticket of before is none.
    emptied: u32,
}

/// Identifies an item while it waits. A ticket kept while its place is emptied 2^32 times names another item: its holder may
/// cancel or move that, and gets nothing else by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    place: u8,
    emptied: u32,
}

impl<T, const N: usize> Queue<T, N> {
    const PLACES: u8 = {
        assert!(N < END as usize, "a queue has at the most 254 places");
        N as u8
    };

    /// Nothing to happen.
    #[must_use]
    pub const fn new() -> Self {
        Queue {
            places: [const {
                Place {
                    at: 0,
                    item: None,
                    next: END,
                    emptied: 0,
                }
            }; N],
            first: END,
            free: END,
            used: 0,
        }
    }

    /// Adds an item, after those of the same instant.
    ///
    /// # Errors
    ///
    /// The item, if there is no place.
    pub fn insert(&mut self, at: u64, item: T) -> Result<Ticket, T> {
        let Some(place) = self.take_place() else {
            return Err(item);
        };
        let new = &mut self.places[usize::from(place)];
        (new.at, new.item) = (at, Some(item));
        let emptied = new.emptied;
        self.link(place);
        Ok(Ticket { place, emptied })
    }

    /// The first instant.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.places.get(usize::from(self.first)).map(|first| first.at)
    }

    /// Whether that item waits, and none before it.
    #[must_use]
    pub fn is_first(&self, ticket: Ticket) -> bool {
        self.first == ticket.place && self.is_waiting(ticket)
    }

    /// An item, if it still waits.
    #[must_use]
    pub fn get(&self, ticket: Ticket) -> Option<&T> {
        self.is_waiting(ticket).then_some(())?;
        self.places[usize::from(ticket.place)].item.as_ref()
    }

    /// Takes the first item, if its instant is not after `now`.
    pub fn pop(&mut self, now: u64) -> Option<(u64, T)> {
        let at = self.next().filter(|&at| at <= now)?;
        let place = self.first;
        self.first = self.places[usize::from(place)].next;
        self.empty(place).map(|item| (at, item))
    }

    /// Takes an item back, if it still waits.
    pub fn cancel(&mut self, ticket: Ticket) -> Option<T> {
        self.is_waiting(ticket).then(|| self.unlink(ticket.place))?;
        self.empty(ticket.place)
    }

    /// Moves an item to another instant, and says whether it still waited. The ticket stays good.
    pub fn reschedule(&mut self, ticket: Ticket, at: u64) -> bool {
        let waits = self.is_waiting(ticket);
        if waits {
            self.unlink(ticket.place);
            self.places[usize::from(ticket.place)].at = at;
            self.link(ticket.place);
        }
        waits
    }

    /// Moves the first item, if its instant is not after `now`, to the instant that `f` returns; its ticket stays good. If `f` returns
    /// none, the item is taken. Returns the other part of the result of `f`.
    pub fn pass<O>(&mut self, now: u64, f: impl FnOnce(u64, &mut T) -> (Option<u64>, O)) -> Option<O> {
        let at = self.next().filter(|&at| at <= now)?;
        let place = self.first;
        let first = &mut self.places[usize::from(place)];
        let (again, out) = f(at, first.item.as_mut()?);
        self.first = first.next;
        match again {
            Some(again) => {
                first.at = again;
                self.link(place);
            }
            None => drop(self.empty(place)),
        }
        Some(out)
    }

    /// The first item that `f` finds, by its instant and its ticket.
    pub fn find(&self, mut f: impl FnMut(&T) -> bool) -> Option<(u64, Ticket)> {
        let mut next = self.first;
        while let Some(place) = self.places.get(usize::from(next)) {
            if place.item.as_ref().is_some_and(&mut f) {
                let emptied = place.emptied;
                return Some((place.at, Ticket { place: next, emptied }));
            }
            next = place.next;
        }
        None
    }

    fn is_waiting(&self, ticket: Ticket) -> bool {
        let place = self.places.get(usize::from(ticket.place));
        place.is_some_and(|place| place.emptied == ticket.emptied && place.item.is_some())
    }

    fn take_place(&mut self) -> Option<u8> {
        if self.free != END {
            let place = self.free;
            self.free = self.places[usize::from(place)].next;
            return Some(place);
        }
        let place = self.used;
        (place < Self::PLACES).then(|| self.used += 1)?;
        Some(place)
    }

    fn empty(&mut self, place: u8) -> Option<T> {
        let emptied = &mut self.places[usize::from(place)];
        emptied.next = self.free;
        emptied.emptied = emptied.emptied.wrapping_add(1);
        self.free = place;
        emptied.item.take()
    }

    /// Puts a place into the list, after all that are not later.
    fn link(&mut self, place: u8) {
        let at = self.places[usize::from(place)].at;
        let (mut before, mut next) = (END, self.first);
        while let Some(other) = self.places.get(usize::from(next)).filter(|other| other.at <= at) {
            (before, next) = (next, other.next);
        }
        self.places[usize::from(place)].next = next;
        self.lead(before, place);
    }

    /// Takes a place that is in the list out of it.
    fn unlink(&mut self, place: u8) {
        let (mut before, mut next) = (END, self.first);
        while next != place {
            (before, next) = (next, self.places[usize::from(next)].next);
        }
        self.lead(before, self.places[usize::from(place)].next);
    }

    /// Has the place `before`, or the list's begin, lead to `to`.
    fn lead(&mut self, before: u8, to: u8) {
        match self.places.get_mut(usize::from(before)) {
            Some(before) => before.next = to,
            None => self.first = to,
        }
    }
}

impl<T, const N: usize> Default for Queue<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The first instant after `now` that is `at` plus a multiple of `period`, and how many such instants have passed. A period does not
/// drift, however late this is called, and missed instants are not made up for.
#[must_use]
pub fn following(at: u64, period: u64, now: u64) -> (u64, u64) {
    let period = if period == 0 { 1 } else { period };
    let next = at.saturating_add(period);
    if next > now {
        return (next, 0);
    }
    let missed = (now - at) / period;
    (at.saturating_add(period.saturating_mul(missed + 1)), missed)
}

/// The instant with the low half `low` that is at `last`, or less than 2^32 after it.
#[must_use]
pub const fn extended(last: u64, low: u32) -> u64 {
    last + low.wrapping_sub(last as u32) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A count of how often a place was emptied comes round: the list stays whole, and only a ticket of exactly then names another item.
    #[test]
    fn the_count_of_a_place_comes_round() {
        let mut queue: Queue<u8, 2> = Queue::new();
        let first = queue.insert(5, 1).unwrap();
        queue.places[0].emptied = u32::MAX;
        assert!(queue.get(first).is_none());
        assert_eq!(queue.cancel(first), None);
        assert_eq!(queue.pop(5), Some((5, 1)));
        let second = queue.insert(7, 2).unwrap();
        let other = queue.insert(6, 3).unwrap();
        assert_eq!(second, first, "2^32 later");
        assert!(queue.reschedule(first, 4) && queue.is_first(second));
        assert_eq!([queue.cancel(first), queue.cancel(second)], [Some(2), None]);
        assert_eq!(queue.get(other), Some(&3));
        assert_eq!([queue.pop(9), queue.pop(9)], [Some((6, 3)), None]);
    }
}
