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
