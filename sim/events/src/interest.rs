//! The events that a sink subscribes to.

use std::sync::Arc;

/// The instructions whose [`crate::Retire`] a sink wants.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Pcs {
    /// No instruction.
    #[default]
    None,
    /// The instructions at these addresses, ascending. In between, the core stays on its fast path.
    At(Arc<[u32]>),
    /// Every instruction.
    All,
}

impl Pcs {
    /// The instructions at these addresses, given in any order.
    pub fn at(addresses: impl IntoIterator<Item = u32>) -> Pcs {
        let mut addresses: Vec<u32> = addresses.into_iter().collect();
        addresses.sort_unstable();
        addresses.dedup();
        if addresses.is_empty() {
            Pcs::None
        } else {
            Pcs::At(addresses.into())
        }
    }

    /// Whether the set contains the instruction at this address.
    pub fn contains(&self, pc: u32) -> bool {
        match self {
            Pcs::None => false,
            Pcs::At(addresses) => addresses.binary_search(&pc).is_ok(),
            Pcs::All => true,
        }
    }

    /// The addresses; empty for [`Pcs::None`] and [`Pcs::All`].
    pub fn addresses(&self) -> &[u32] {
        match self {
            Pcs::At(addresses) => addresses,
            Pcs::None | Pcs::All => &[],
        }
    }

    fn union(self, other: Pcs) -> Pcs {
        match (self, other) {
            (Pcs::All, _) | (_, Pcs::All) => Pcs::All,
            (Pcs::None, pcs) | (pcs, Pcs::None) => pcs,
            (Pcs::At(a), Pcs::At(b)) => Pcs::at(a.iter().chain(b.iter()).copied()),
        }
    }
}

/// Address ranges as (first, last), both included.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    /// No addresses.
    pub const NONE: Ranges = Ranges(Vec::new());

    /// All addresses.
    pub fn all() -> Ranges {
        Ranges(vec![(0, u32::MAX)])
    }

    /// The given (first, last) ranges, both included.
    pub fn of(ranges: impl IntoIterator<Item = (u32, u32)>) -> Ranges {
        Ranges(ranges.into_iter().collect())
    }

    /// Whether there is no range.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any of `size` bytes from `address` is in a range.
    pub fn touches(&self, address: u32, size: u32) -> bool {
        let last = address.saturating_add(size - 1);
        self.0.iter().any(|&(from, to)| address <= to && from <= last)
    }

    /// The lowest and the highest address of all ranges.
    pub fn hull(&self) -> Option<(u32, u32)> {
        let first = self.0.iter().map(|range| range.0).min()?;
        let last = self.0.iter().map(|range| range.1).max()?;
        Some((first, last))
    }
}

/// The events that a sink subscribes to. Events that no sink wants cost nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a question of its own, answered by yes or no
pub struct Interest {
    /// Instructions to report.
    pub pcs: Pcs,
    /// Allows [`crate::Sink::step`] instead of [`crate::Event::Retire`], where that is cheaper for the core.
    pub steps: bool,
    /// Every event but instructions, accesses, fetches and text: exceptions, masks, inputs, sleep, breakpoints, semihosting requests.
    pub control: bool,
    /// The program's output.
    pub text: bool,
    /// Stores to report, by address.
    pub writes: Ranges,
    /// Loads to report, by address.
    pub reads: Ranges,
    /// Fetches, if the core reports them.
    pub fetch: bool,
    /// Pauses the run before these instructions, but continues from an address at which it last paused.
    pub stops: Pcs,
}

impl Interest {
    /// No events.
    pub fn none() -> Interest {
        Interest::default()
    }

    /// Every event.
    pub fn everything() -> Interest {
        Interest {
            pcs: Pcs::All,
            steps: false,
            control: true,
            text: true,
            writes: Ranges::all(),
            reads: Ranges::all(),
            fetch: true,
            stops: Pcs::None,
        }
    }

    /// The events that tile the run, so that each cycle is accounted for, and no others.
    pub fn windows() -> Interest {
        Interest {
            pcs: Pcs::All,
            control: true,
            ..Interest::default()
        }
    }

    /// The events that either one wants.
    #[must_use]
    pub fn union(mut self, mut other: Interest) -> Interest {
        self.writes.0.append(&mut other.writes.0);
        self.reads.0.append(&mut other.reads.0);
        let content = |interest: &Interest| interest.steps || interest.pcs == Pcs::None;
        let steps = content(&self) && content(&other) && (self.steps || other.steps);
        Interest {
            steps,
            pcs: self.pcs.union(other.pcs),
            stops: self.stops.union(other.stops),
            control: self.control || other.control,
            text: self.text || other.text,
            fetch: self.fetch || other.fetch,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_interests_are_one() {
        let one = Interest {
            pcs: Pcs::at([8, 4, 8]),
            writes: Ranges::of([(0x100, 0x103)]),
            ..Interest::none()
        };
        let other = Interest {
            pcs: Pcs::at([6]),
            control: true,
            text: true,
            ..Interest::none()
        };
        let both = one.union(other);
        assert_eq!(both.pcs.addresses(), [4, 6, 8]);
        assert!(both.control && both.text && both.writes.touches(0x100, 4) && !both.fetch);
        assert_eq!(both.union(Interest::everything()).pcs, Pcs::All);
    }

    #[test]
    fn instructions_are_told_by_steps_if_nobody_wants_more_of_them() {
        let steps = || Interest {
            steps: true,
            ..Interest::windows()
        };
        let control = || Interest {
            control: true,
            ..Interest::none()
        };
        assert!(steps().union(control()).steps && control().union(steps()).steps);
        assert!(steps().union(steps()).steps);
        assert!(!steps().union(Interest::windows()).steps && !Interest::windows().union(steps()).steps);
        assert!(!control().union(control()).steps);
    }

    #[test]
    fn a_range_is_touched_at_either_end() {
        let ranges = Ranges::of([(0x100, 0x103), (0x200, 0x200)]);
        let touched = [0xfd, 0xfe, 0x103, 0x104, 0x1ff].map(|address| ranges.touches(address, 2));
        assert_eq!(touched, [false, false, true, false, true]);
        assert!(ranges.touches(0xfd, 4));
        let bytes =
            [0xff, 0x100, 0x103, 0x104, 0x1ff, 0x200, 0x201].map(|address| ranges.touches(address, 1));
        assert_eq!(bytes, [false, true, true, false, false, true, false]);
        assert_eq!(ranges.hull(), Some((0x100, 0x200)));
        assert!(Ranges::all().touches(u32::MAX, 4));
    }
}
