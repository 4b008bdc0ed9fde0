//! How long a transfer takes: what an RV32 core asks of the bus when one begins.

use crate::WaitStates;

/// Words of the longest burst that a core asks for: a line of its caches.
pub const BURST: usize = 8;

/// Wait states of each word of a transfer: cycles until it is acknowledged, from the cycle that asks for it, or from the one behind
/// the word before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Latency([u16; BURST]);

impl Latency {
    /// So many for the first word, and for each further one.
    pub fn flat(first: u16, beat: u16) -> Latency {
        let mut waits = [beat; BURST];
        waits[0] = first;
        Latency(waits)
    }

    pub(crate) fn of_each(waits: [u16; BURST]) -> Latency {
        Latency(waits)
    }

    /// The same with so many more for each word.
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

/// What is asked of a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Instructions.
    Fetch,
    /// Data are read.
    Read,
    /// Data are written.
    Write,
}

/// A transfer that begins.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// The port of the core that asks for it.
    pub port: u8,
    /// What it is.
    pub access: Access,
    /// Its first address; the following words lie behind it.
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
