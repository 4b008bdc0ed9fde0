//! Actions scheduled for known cycles.

/// Things that are to happen, in the order of their cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule<T> {
    /// The latest first, so that the next one is popped from the end.
    waiting: Vec<(u64, T)>,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Schedule { waiting: Vec::new() }
    }
}

impl<T> Schedule<T> {
    /// Adds one; of equal cycles, the one added first comes first.
    pub fn add(&mut self, cycle: u64, what: T) {
        let place = self.waiting.partition_point(|&(later, _)| later > cycle);
        self.waiting.insert(place, (cycle, what));
    }

    /// The cycle of the next one; [`u64::MAX`] if there is none.
    #[inline]
    pub fn deadline(&self) -> u64 {
        self.waiting.last().map_or(u64::MAX, |&(cycle, _)| cycle)
    }

    /// Takes the next one if it is due in cycle `now`, and gives the cycle that it was due in.
    #[inline]
    pub fn pop(&mut self, now: u64) -> Option<(u64, T)> {
        self.waiting.pop_if(|&mut (cycle, _)| cycle <= now)
    }

    /// Whether nothing is to come.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Iterates over the pending actions in order.
    pub fn iter(&self) -> impl Iterator<Item = &(u64, T)> {
        self.waiting.iter().rev()
    }

    /// Iterates mutably over the pending actions in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut T)> {
        self.waiting.iter_mut().rev().map(|(cycle, what)| (*cycle, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_comes_in_order() {
        let mut schedule = Schedule::default();
        assert_eq!(schedule.deadline(), u64::MAX);
        for (cycle, what) in [(7, 'a'), (3, 'b'), (7, 'c'), (5, 'd')] {
            schedule.add(cycle, what);
        }
        assert_eq!(schedule.deadline(), 3);
        assert_eq!(schedule.pop(2), None);
        let due = std::iter::from_fn(|| schedule.pop(6));
        assert_eq!(due.collect::<Vec<_>>(), [(3, 'b'), (5, 'd')]);
        assert_eq!(schedule.iter().map(|&(_, what)| what).collect::<String>(), "ac");
    }
}
