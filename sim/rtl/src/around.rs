//! The memories of a job beside the one that its program begins in, and what stands in front of them.

use bus::{L2Shape, Replacement, WaitStates, WritePolicy};

use crate::Job;

/// Memories and caches. By default the job's memory is alone, and all accesses to it take its `latency` and `beat`.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Around {
    /// Wait states of the job's own memory, in place of `latency` and `beat`, which then apply only outside of memories.
    pub wait: Option<WaitStates>,
    /// Additional memories.
    pub memories: Vec<Ram>,
    /// Caches that the core's ports share.
    pub caches: Vec<Shared>,
}

/// An additional memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ram {
    /// Its address, a multiple of 4.
    pub base: u32,
    /// Its size in bytes, a multiple of 4.
    pub size: u32,
    /// Initial contents; zeros follow.
    pub bytes: Vec<u8>,
    /// Wait states of an access.
    pub wait: WaitStates,
}

/// A cache in front of memories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shared {
    /// Geometry and timing.
    pub shape: L2Shape,
    /// Addresses of the memories that it caches.
    pub bases: Vec<u32>,
}

/// A memory as the harness has it.
pub(crate) struct Place<'a> {
    pub(crate) base: u32,
    pub(crate) size: u32,
    pub(crate) bytes: &'a [u8],
    pub(crate) wait: WaitStates,
}

impl Job {
    /// Wait states of its own memory, or of addresses outside of memories (`None` of [`Around::wait`]); at most 255 cycles.
    pub(crate) fn flat(&self) -> WaitStates {
        let cycles = |cycles: u32| u8::try_from(cycles).unwrap_or(u8::MAX);
        let latency = cycles(self.latency);
        WaitStates {
            fetch: latency,
            read: latency,
            write: latency,
            grant: 0,
            beat: cycles(self.beat),
            write_beat: 0,
        }
    }

    /// All memories, the job's own first.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place<'_>> {
        let own = Place {
            base: self.base,
            size: self.memory.len() as u32,
            bytes: &self.memory,
            wait: self.around.wait.unwrap_or(self.flat()),
        };
        let further = self.around.memories.iter().map(|ram| Place {
            base: ram.base,
            size: ram.size,
            bytes: &ram.bytes,
            wait: ram.wait,
        });
        std::iter::once(own).chain(further)
    }

    /// The caches and then the memories, as `harness/memories.hpp` has them.
    pub(crate) fn encode_memories(&self, bytes: &mut Vec<u8>) {
        let mut put = |words: &[u32], content: &[u8]| {
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            bytes.extend(content);
        };
        let caches = &self.around.caches;
        for cache in caches {
            put(&encoded(&cache.shape), &[]);
        }
        for place in self.places() {
            let cache = caches.iter().position(|cache| cache.bases.contains(&place.base));
            let number = cache.map_or(0, |cache| cache as u32 + 1);
            let used = place.bytes.iter().rposition(|&byte| byte != 0);
            let content = &place.bytes[..used.map_or(0, |last| last + 1)];
            let WaitStates {
                fetch,
                read,
                write,
                beat,
                write_beat,
                ..
            } = place.wait;
            let speed = [fetch, read, write, beat, write_beat].map(u32::from);
            put(&[place.base, place.size, content.len() as u32, number], &[]);
            put(&speed, content);
        }
    }
}

fn encoded(shape: &L2Shape) -> [u32; 11] {
    let wait = shape.wait;
    [
        shape.size,
        shape.ways,
        shape.line,
        shape.width,
        (shape.replacement == Replacement::Fifo).into(),
        (shape.write == WritePolicy::Through).into(),
        shape.allocates.into(),
        wait.hit.into(),
        wait.beat.into(),
        wait.miss.into(),
        wait.switch.into(),
    ]
}
