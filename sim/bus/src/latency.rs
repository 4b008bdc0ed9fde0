//! Duration of a transfer: an RV32 core asks the bus for it when the transfer begins.

use crate::WaitStates;

/// Words of the longest burst that a core asks for: a line of its caches.
pub const BURST: usize = 8;

/// Wait states of each word of a transfer: cycles until its acknowledgement, from the cycle of its request, or from the cycle after the
/// previous word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Latency([u16; BURST]);

impl Latency {
    /// `first` for the first word, and `beat` for each further one.
    pub fn flat(first: u16, beat: u16) -> Latency {
        let mut waits = [beat; BURST];
        waits[0] = first;
        Latency(waits)
    }

    pub(crate) fn of_each(waits: [u16; BURST]) -> Latency {
        Latency(waits)
    }

    /// Adds wait states to each word.
    pub(crate) fn longer(self, by: impl Fn(usize) -> u16) -> Latency {
        let mut place = 0..;
        Latency(self.0.map(|wait| wait + place.next().map_or(0, &by)))
    }

    /// Of a word, by its place in the transfer: 0 to 7.
    #[inline]
    pub fn word(self, place: u8) -> u32 {
        self.0[usize::from(place) % BURST].into()
    }
}

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// An instruction fetch.
    Fetch,
    /// A data read.
    Read,
    /// A data write.
    Write,
}

/// A transfer that begins.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// The port of the core that asks for it.
    pub port: u8,
    /// Its kind.
    pub access: Access,
    /// Its first address; the following words are contiguous.
    pub address: u32,
    /// 1 to 8 words.
    pub words: u8,
    /// The first cycle in which it is asked for.
    pub start: u64,
}

impl WaitStates {
    /// Of a transfer that nothing else holds up.
    pub(crate) fn latency(self, access: Access) -> Latency {
        let (first, beat) = match access {
            Access::Fetch => (self.fetch, self.beat),
            Access::Read => (self.read, self.beat),
            Access::Write => (self.write, self.write_beat),
        };
        Latency::flat(first.into(), beat.into())
    }
}
