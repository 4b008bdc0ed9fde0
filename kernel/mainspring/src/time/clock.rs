//! What a clock is.

/// A counter that always runs, and an interrupt that comes after so many counts.
pub trait Clock: 'static {
    /// A point in time: [`fugit::Instant`] of 64 bits, or the plain number.
    type Instant: Ticks;
    /// A length of time.
    type Duration: Ticks;
    /// The most that [`wake_after`](Clock::wake_after) can be asked for, in counts; less than 2^31, so that every turn of the counter
    /// is seen.
    const LONGEST: u32;

    /// Starts it. The interrupt need not come before it is asked for.
    fn start(&mut self) {}

    /// The counter, its low 32 bits. May be called from anywhere.
    fn count() -> u32;

    /// Has the interrupt come in `counts` counts, at the most a few later, and not sooner than asked for before; 0 is as soon as possible.
    /// An earlier request no longer counts.
    fn wake_after(&mut self, counts: u32);
}

/// A number of counts, with its unit or without.
pub trait Ticks: Copy {
    /// The number.
    fn ticks(self) -> u64;
    /// So many.
    fn from_ticks(ticks: u64) -> Self;
}

impl Ticks for u64 {
    fn ticks(self) -> u64 {
        self
    }

    fn from_ticks(ticks: u64) -> Self {
        ticks
    }
}

impl<const NOM: u32, const DENOM: u32> Ticks for fugit::Instant<u64, NOM, DENOM> {
    fn ticks(self) -> u64 {
        fugit::Instant::<u64, NOM, DENOM>::ticks(&self)
    }

    fn from_ticks(ticks: u64) -> Self {
        fugit::Instant::<u64, NOM, DENOM>::from_ticks(ticks)
    }
}

impl<const NOM: u32, const DENOM: u32> Ticks for fugit::Duration<u64, NOM, DENOM> {
    fn ticks(self) -> u64 {
        fugit::Duration::<u64, NOM, DENOM>::ticks(&self)
    }

    fn from_ticks(ticks: u64) -> Self {
        fugit::Duration::<u64, NOM, DENOM>::from_ticks(ticks)
    }
}
