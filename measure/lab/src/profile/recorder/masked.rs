//! Measures intervals with masked interrupts, by the instructions that began and ended them.
//!
//! A mask counts only if it has an effect: BASEPRI at the priority of the running handler masks nothing that the handler itself does not.
//! So each handler has an interval of its own, and that of the interrupted code continues afterwards.

use std::collections::BTreeMap;

use events::{Exception, Mask};
use report::profile::MaskedPlace;

/// Number of intervals to report.
const SHOWN: usize = 5;

/// Priority of thread code: every exception is more urgent.
const THREAD: i16 = 256;

/// The start of an interval: cycle and instruction.
type Began = Option<(u64, u32)>;

/// Intervals with masked interrupts.
#[derive(Clone, Default, Debug)]
pub(in super::super) struct MaskedTime {
    /// The open interval.
    open: Began,
    /// Active handlers with their priority and the interrupted code's open interval, outermost first.
    handlers: Vec<(Exception, i16, Began)>,
    pub(in super::super) cycles: u64,
    pub(in super::super) count: u64,
    /// Intervals by the addresses of their first and last instruction.
    places: BTreeMap<(u32, u32), MaskedPlace>,
}

impl MaskedTime {
    /// Processes a handler's entry.
    pub(super) fn enter(&mut self, exception: Exception, priority: Option<i16>) {
        let interrupted = self.open.take();
        self.handlers
            .push((exception, priority.unwrap_or(THREAD), interrupted));
    }

    /// Ends a handler and all nested ones. Its mask stays in effect.
    pub(super) fn exit(&mut self, exception: Exception) {
        let Some(depth) = self.handlers.iter().rposition(|(known, ..)| *known == exception) else {
            return;
        };
        let interrupted = self.handlers[depth].2;
        self.handlers.truncate(depth);
        self.open = interrupted.or(self.open);
    }

    pub(super) fn change(&mut self, cycle: u64, pc: u32, mask: Mask, new: u8, lifts: i16) {
        let here = self.handlers.last().map_or(THREAD, |(_, priority, _)| *priority);
        let masks = match mask {
            Mask::Mie => new != 0,
            Mask::Primask | Mask::Faultmask | Mask::Basepri => lifts < here,
        };
        match (self.open, masks) {
            (None, true) => self.open = Some((cycle, pc)),
            (Some(began), false) => {
                self.open = None;
                self.ends(began, cycle, pc);
            }
            _ => {}
        }
    }

    /// Ends the run: open intervals count up to here.
    pub(in super::super) fn finish(&mut self, cycle: u64) {
        let interrupted = self.handlers.iter().find_map(|(.., began)| *began);
        if let Some(began) = interrupted.or(self.open) {
            self.ends(began, cycle, began.1);
        }
    }

    /// Processes a chip reset, which unmasks everything.
    pub(super) fn restart(&mut self, cycle: u64) {
        self.finish(cycle);
        self.open = None;
        self.handlers.clear();
    }

    /// The places with the longest intervals, the longest first.
    pub(in super::super) fn longest(&self) -> Vec<MaskedPlace> {
        let mut places: Vec<MaskedPlace> = self.places.values().cloned().collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.longest));
        places.truncate(SHOWN);
        places
    }

    fn ends(&mut self, (since, from): (u64, u32), cycle: u64, to: u32) {
        let length = cycle.saturating_sub(since);
        self.cycles += length;
        self.count += 1;
        let place = self.places.entry((from, to)).or_insert(MaskedPlace {
            from,
            to,
            count: 0,
            cycles: 0,
            longest: 0,
        });
        place.count += 1;
        place.cycles += length;
        place.longest = place.longest.max(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(masked: &MaskedTime) -> Vec<(u64, u64)> {
        masked
            .longest()
            .iter()
            .map(|place| (place.longest, place.count))
            .collect()
    }

    #[test]
    fn each_place_is_shown_once_with_its_longest_stretch() {
        let mut masked = MaskedTime::default();
        for (begins, ends) in [(0, 10), (20, 50), (60, 65)] {
            masked.change(begins, 0x10, Mask::Primask, 1, 0);
            masked.change(ends, 0x20, Mask::Primask, 0, 256);
        }
        masked.change(100, 0x30, Mask::Basepri, 0x40, 0x40);
        masked.change(107, 0x40, Mask::Basepri, 0, 256);
        assert_eq!(lengths(&masked), [(30, 3), (7, 1)]);
        assert_eq!((masked.cycles, masked.count), (52, 4));
    }

    const IRQ6: Exception = Exception::External(6);

    #[test]
    fn a_lock_that_holds_nothing_back_is_none() {
        let mut masked = MaskedTime::default();
        masked.enter(IRQ6, Some(0x40));
        masked.change(10, 0x10, Mask::Basepri, 0x40, 0x40);
        masked.change(20, 0x20, Mask::Basepri, 0, 256);
        masked.change(30, 0x10, Mask::Basepri, 0x80, 0x80);
        masked.exit(IRQ6);
        assert_eq!(lengths(&masked), []);
    }

    #[test]
    fn what_was_masked_stays_so_while_a_more_urgent_handler_runs() {
        let mut masked = MaskedTime::default();
        masked.change(10, 0x10, Mask::Basepri, 0x80, 0x80);
        masked.enter(IRQ6, Some(0x40));
        masked.change(20, 0x30, Mask::Primask, 1, 0);
        masked.change(24, 0x40, Mask::Primask, 0, 0x80);
        masked.exit(IRQ6);
        masked.change(50, 0x20, Mask::Basepri, 0, 256);
        assert_eq!(lengths(&masked), [(40, 1), (4, 1)]);
    }
}
