//! The receiving half of a UART: what its sender outside still has to send, and what was received.
//!
//! The sender begins a frame when the receiver is on and the byte before was read, so that no byte is ever lost, whatever time the
//! program takes. A receiver without a clock has the next byte at once.

use std::collections::VecDeque;

use bus::Outside;

/// One receiver, with room for one byte.
#[derive(Clone, Default, Debug)]
pub(crate) struct Receiver {
    sender: Sender,
    received: Option<u8>,
    /// Core cycle in which the byte under way is received.
    due: Option<u64>,
}

/// Who sends, outside of the chip.
#[derive(Clone, Default, Debug)]
struct Sender {
    coming: VecDeque<u8>,
    /// A frame could begin, at some time.
    began: bool,
}

impl Receiver {
    /// More for the sender to send.
    pub(crate) fn give(&mut self, bytes: &[u8]) {
        self.sender.coming.extend(bytes);
    }

    /// What the sender has still to send is its own.
    pub(crate) fn carry(&mut self, outside: &mut Outside) {
        outside.carry(&mut self.sender);
    }

    /// How many bytes came for nothing, and why: the receiver was never on.
    pub(crate) fn unreceived(&self) -> Option<(usize, &'static str)> {
        let Sender { coming, began } = &self.sender;
        (!began && !coming.is_empty()).then_some((coming.len(), "its receiver was never on"))
    }

    /// Whether a byte can be read.
    pub(crate) fn is_full(&self) -> bool {
        self.received.is_some()
    }

    /// Whether the sender has more to send.
    pub(crate) fn is_coming(&self) -> bool {
        !self.sender.coming.is_empty()
    }

    /// The core cycle in which the byte under way is received; `u64::MAX` if there is none.
    pub(crate) fn due(&self) -> u64 {
        self.due.unwrap_or(u64::MAX)
    }

    /// Receives what has come by core cycle `now`. A frame that could begin now ends in cycle `ends`; `None` while the receiver is off.
    pub(crate) fn catch_up(&mut self, now: u64, ends: impl FnOnce() -> Option<u64>) {
        if self.due() <= now {
            (self.due, self.received) = (None, self.sender.coming.pop_front());
        }
        if self.due.is_none() && self.received.is_none() && self.is_coming() {
            self.due = ends();
            self.sender.began |= self.due.is_some();
            if self.due() <= now {
                (self.due, self.received) = (None, self.sender.coming.pop_front());
            }
        }
    }

    /// Reads the byte.
    pub(crate) fn read(&mut self) -> Option<u8> {
        self.received.take()
    }
}

/// What a UART is still to receive outlives its reset, which makes it anew.
#[cfg(test)]
pub(crate) fn outlives_a_reset(mut uart: impl bus::Device) {
    let bytes = bus::Incoming::Bytes(b"abc".to_vec());
    uart.stimulate(&bytes, 0).unwrap();
    let (mut outside, mut kept) = (Outside::default(), Sender::default());
    uart.carry(&mut outside);
    outside.carry(&mut kept);
    assert_eq!(kept.coming.back(), Some(&b'c'));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_begins_when_the_byte_before_was_read() {
        let mut receiver = Receiver::default();
        receiver.give(b"ab");
        receiver.catch_up(5, || None);
        assert_eq!(receiver.due(), u64::MAX, "off");
        assert_eq!(receiver.unreceived(), Some((2, "its receiver was never on")));
        receiver.catch_up(10, || Some(110));
        receiver.catch_up(109, || Some(209));
        assert!(!receiver.is_full());
        assert_eq!(receiver.unreceived(), None, "a byte is under way");
        receiver.catch_up(110, || panic!("a byte is there"));
        assert_eq!((receiver.read(), receiver.due()), (Some(b'a'), u64::MAX));
        receiver.catch_up(500, || Some(600));
        assert_eq!(receiver.due(), 600);
    }
}
