//! ST's DMA controllers: channels (F1, L4 and G4: RM0041 chapter 9, RM0394 11, RM0440 12) and streams (F4: RM0090 chapter 10).
//!
//! An item is transferred in the cycle in which it is requested, and takes none of the core's cycles ([`bus::Request`]): arbitration,
//! priorities and bursts change nothing (mark D).

mod channel;
mod channels;
mod mux;
mod streams;

pub(crate) use channels::DmaSettings;
pub(crate) use mux::MuxSettings;
pub(crate) use streams::StreamsSettings;

use crate::devices::requests::Requests;

/// The item under way: whose it is, and the requests that begin one.
#[derive(Clone, Default)]
struct Items {
    requests: Requests,
    busy: Option<usize>,
}

impl Items {
    /// When the next transfer is made: an item under way is made to its end, whatever becomes of its request.
    fn due(&self, next: impl FnOnce() -> Option<usize>) -> u64 {
        let goes_on = self.busy.is_some() || next().is_some();
        if goes_on { 0 } else { u64::MAX }
    }

    /// Cycles between two transfers: to compute an address and, after an item, to choose the next one. With the two transfers themselves an item
    /// from memory to memory takes five (AN2548, 4.1).
    fn pace(&self) -> u32 {
        if self.busy.is_some() { 1 } else { 2 }
    }
}

/// The one that wants to transfer an item: by priority, then number.
fn first(wanting: impl Iterator<Item = (usize, u32)>) -> Option<usize> {
    let best = wanting.max_by_key(|&(index, priority)| (priority, usize::MAX - index));
    best.map(|(index, _)| index)
}
