//! How a flash mostly serves a read, in one number.

use super::{FlashResponse, Source};

/// A [`FlashResponse`] in one number, of those that are usual; or none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ExpectedLatency(u16);

/// Bits of a representable wait in cycles.
const BITS: u32 = 6;
const CYCLES: u16 = 1 << BITS;
/// Of any of them, so that it is not the number of none.
const SOME: u16 = 1 << 15;

impl ExpectedLatency {
    /// No prediction.
    pub const NONE: ExpectedLatency = ExpectedLatency(0);

    /// From a cache, at once.
    pub const CACHED: ExpectedLatency = ExpectedLatency(SOME | (Source::Cache as u16) << (2 * BITS));

    /// The number of this one; none if it takes longer than usual.
    #[inline]
    pub fn of(served: FlashResponse) -> ExpectedLatency {
        let few = i64::from(CYCLES);
        if !(0..few).contains(&served.wait) || !(0..few).contains(&served.queued) {
            return ExpectedLatency::NONE;
        }
        let cycles = (served.wait as u16) << BITS | served.queued as u16;
        ExpectedLatency(SOME | (served.by as u16) << (2 * BITS) | cycles)
    }

    /// Whether the array serves so.
    pub fn is_of_array(self) -> bool {
        self.served().is_some_and(|served| served.by == Source::Array)
    }

    /// Whether it is one.
    #[inline]
    pub fn is_some(self) -> bool {
        self != ExpectedLatency::NONE
    }

    /// The one with this number.
    pub fn served(self) -> Option<FlashResponse> {
        let by = match self.0 >> (2 * BITS) & 7 {
            _ if !self.is_some() => return None,
            0 => Source::Elsewhere,
            1 => Source::Line,
            2 => Source::Cache,
            3 => Source::Prefetch,
            _ => Source::Array,
        };
        Some(FlashResponse {
            by,
            wait: (self.0 >> BITS & (CYCLES - 1)).into(),
            queued: (self.0 & (CYCLES - 1)).into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_number() {
        let sources = [
            Source::Elsewhere,
            Source::Line,
            Source::Cache,
            Source::Prefetch,
            Source::Array,
        ];
        for by in sources {
            for (wait, queued) in [(0, 0), (5, 0), (9, 4), (63, 63)] {
                let served = FlashResponse { by, wait, queued };
                assert_eq!(ExpectedLatency::of(served).served(), Some(served));
            }
        }
    }

    #[test]
    fn what_the_cache_has_is_served_at_once() {
        let at_once = FlashResponse {
            by: Source::Cache,
            wait: 0,
            queued: 0,
        };
        assert_eq!(ExpectedLatency::CACHED.served(), Some(at_once));
    }

    #[test]
    fn what_takes_long_has_none() {
        let by = Source::Array;
        for (wait, queued) in [(64, 0), (0, 64), (-1, 0)] {
            assert_eq!(
                ExpectedLatency::of(FlashResponse { by, wait, queued }),
                ExpectedLatency::NONE
            );
        }
        assert_eq!(ExpectedLatency::NONE.served(), None);
    }
}
