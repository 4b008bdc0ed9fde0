//! The receiving half of a UART: the outside sender, the frame on the line, and received bytes.
//!
//! There are two kinds of sender. Bytes of a stimulus come when they come: the frame begins in the cycle that was asked for, or when the line is
//! free again, and a byte that finds the receiver off or full is lost. A sender that waits (`--input`, `when-read`) begins a frame when the receiver
//! is on and has room, so that no byte is ever lost, whatever time the program takes. A receiver without a clock has a byte at once.

use std::collections::VecDeque;

use bus::{DeviceError, Incoming, Outside};

use super::not_modelled;

/// One receiver, with its FIFO.
#[derive(Clone, Default, Debug)]
pub(crate) struct Receiver {
    sender: Sender,
    /// Each with whether a byte before it was lost.
    fifo: VecDeque<(u8, bool)>,
    frame: Option<Frame>,
    /// Core cycle in which the last frame ended.
    ended: u64,
    /// See [`Receiver::take_overrun`].
    overrun: bool,
    /// A byte was lost, and none received since.
    missed: bool,
}

/// A frame on the line.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Core cycle in which it is received.
    ends: u64,
    /// Whether its sender ignores the receiver's state.
    timed: bool,
}

/// The current configuration of a receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Whether it is enabled.
    pub(crate) on: bool,
    /// Bytes that it holds.
    pub(crate) room: usize,
    /// Whether a byte without space replaces the last one; otherwise it is lost itself.
    pub(crate) overwrites: bool,
}

impl Line {
    /// A receiver that holds so many bytes, and loses what comes then.
    pub(crate) fn of(on: bool, room: usize) -> Line {
        Line {
            on,
            room,
            overwrites: false,
        }
    }
}

/// The sender outside the chip.
#[derive(Clone, Default, Debug)]
struct Sender {
    /// Each with the core cycle from which it comes, whatever the program does.
    timed: VecDeque<(u8, u64)>,
    /// Bytes that wait for the receiver.
    waiting: VecDeque<u8>,
    /// A frame of those could begin, at some time.
    began: bool,
    /// Bytes that came while the receiver was off.
    unheard: usize,
    /// Bytes that found no room.
    lost: usize,
}

impl Receiver {
    /// Something comes from outside in core cycle `now`; whoever calls this has caught up, and catches up again.
    ///
    /// # Errors
    /// If it is not bytes.
    pub(crate) fn give(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        match input {
            Incoming::Bytes(bytes) => self.sender.timed.extend(bytes.iter().map(|&byte| (byte, now))),
            Incoming::Waiting(bytes) => self.sender.waiting.extend(bytes),
            _ => return not_modelled("it receives only bytes"),
        }
        Ok(())
    }

    /// Receives a byte from its own transmitter.
    pub(crate) fn loop_back(&mut self, byte: u8, now: u64) {
        self.sender.timed.push_back((byte, now));
    }

    /// Bytes still to be sent belong to the sender, and outlive a reset of the receiver.
    pub(crate) fn carry(&mut self, outside: &mut Outside) {
        outside.carry(&mut self.sender);
    }

    /// How many bytes came for nothing, and why.
    pub(crate) fn unreceived(&self) -> Vec<(usize, &'static str)> {
        let sender = &self.sender;
        let never = if sender.began { 0 } else { sender.waiting.len() };
        let all = [
            (never, "its receiver was never on"),
            (sender.unheard, "its receiver was off when they came"),
            (sender.lost, "its receiver was full (overrun)"),
        ];
        all.into_iter().filter(|&(count, _)| count > 0).collect()
    }

    /// Whether a byte can be read.
    pub(crate) fn is_full(&self) -> bool {
        !self.fifo.is_empty()
    }

    /// Bytes that can be read.
    pub(crate) fn len(&self) -> usize {
        self.fifo.len()
    }

    /// Whether more comes.
    pub(crate) fn is_coming(&self) -> bool {
        !self.sender.timed.is_empty() || !self.sender.waiting.is_empty()
    }

    /// The core cycle in which the frame on the line is received; `u64::MAX` if there is none.
    pub(crate) fn due(&self) -> u64 {
        self.frame.map_or(u64::MAX, |frame| frame.ends)
    }

    /// Core cycle in which the last frame ended.
    pub(crate) fn ended(&self) -> u64 {
        self.ended
    }

    /// Whether a byte found no room since this was asked last.
    pub(crate) fn take_overrun(&mut self) -> bool {
        std::mem::take(&mut self.overrun)
    }

    /// Receives what has come by core cycle `now`, on a line that was as it is since this was called last. `ends` gives the end of a frame that
    /// begins in a cycle.
    pub(crate) fn catch_up(&mut self, now: u64, line: Line, mut ends: impl FnMut(u64) -> u64) {
        loop {
            if let Some(frame) = self.frame.take_if(|frame| frame.ends <= now) {
                self.ended = frame.ends;
                let byte = if frame.timed {
                    self.sender.timed.pop_front().map(|(byte, _)| byte)
                } else {
                    self.sender.waiting.pop_front()
                };
                if let Some(byte) = byte {
                    self.receive(byte, line);
                }
            }
            if self.frame.is_some() || !self.begin(now, line, &mut ends) {
                return;
            }
        }
    }

    /// Begins the next frame, if there is one and its sender does not wait. Says whether it did.
    fn begin(&mut self, now: u64, line: Line, ends: &mut impl FnMut(u64) -> u64) -> bool {
        if !line.on {
            self.sender.unheard += std::mem::take(&mut self.sender.timed).len();
            return false;
        }
        let timed = self.sender.timed.front().map(|&(_, at)| at.max(self.ended));
        let waiting = !self.sender.waiting.is_empty() && self.fifo.len() < line.room;
        let Some(begins) = timed.or(waiting.then_some(now)) else {
            return false;
        };
        self.sender.began |= timed.is_none();
        self.frame = Some(Frame {
            ends: ends(begins),
            timed: timed.is_some(),
        });
        true
    }

    fn receive(&mut self, byte: u8, line: Line) {
        if self.fifo.len() >= line.room {
            self.overrun = true;
            self.missed = true;
            self.sender.lost += 1;
            if !line.overwrites {
                return;
            }
            self.fifo.pop_back();
        }
        self.fifo.push_back((byte, std::mem::take(&mut self.missed)));
    }

    /// Reads a byte.
    pub(crate) fn read(&mut self) -> Option<u8> {
        self.fifo.pop_front().map(|(byte, _)| byte)
    }

    /// The byte that is read next.
    pub(crate) fn front(&self) -> Option<u8> {
        self.front_marked().map(|(byte, _)| byte)
    }

    /// The first byte, and whether bytes were lost before it.
    pub(crate) fn front_marked(&self) -> Option<(u8, bool)> {
        self.fifo.front().copied()
    }

    /// Drops received bytes, as when a FIFO is turned on or off.
    pub(crate) fn clear(&mut self) {
        self.fifo.clear();
    }
}

/// Checks that pending input of a UART outlives a reset, which recreates the UART.
#[cfg(test)]
pub(crate) fn outlives_a_reset(mut uart: impl bus::Device) {
    let bytes = bus::Incoming::Waiting(b"abc".to_vec());
    uart.stimulate(&bytes, 0).unwrap();
    let (mut outside, mut kept) = (Outside::default(), Sender::default());
    uart.carry(&mut outside);
    outside.carry(&mut kept);
    assert_eq!(kept.waiting.back(), Some(&b'c'));
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON: Line = Line {
        on: true,
        room: 2,
        overwrites: false,
    };
    const OFF: Line = Line { on: false, ..ON };

    fn frame(begins: u64) -> u64 {
        begins + 100
    }

    fn given(input: fn(Vec<u8>) -> Incoming, bytes: &[u8], now: u64) -> Receiver {
        let mut receiver = Receiver::default();
        receiver.give(&input(bytes.to_vec()), now).unwrap();
        receiver
    }

    #[test]
    fn a_sender_that_waits_begins_a_frame_when_there_is_room() {
        let mut receiver = given(Incoming::Waiting, b"abc", 0);
        receiver.catch_up(5, OFF, frame);
        assert_eq!(receiver.due(), u64::MAX);
        assert_eq!(receiver.unreceived(), [(3, "its receiver was never on")]);
        receiver.catch_up(10, ON, frame);
        receiver.catch_up(109, ON, frame);
        assert!(!receiver.is_full());
        assert_eq!(receiver.unreceived(), [], "a byte is under way");
        receiver.catch_up(110, ON, frame);
        receiver.catch_up(210, ON, |_| panic!("it is full"));
        assert_eq!((receiver.read(), receiver.due()), (Some(b'a'), u64::MAX));
        receiver.catch_up(500, ON, frame);
        assert_eq!((receiver.due(), receiver.take_overrun()), (600, false));
    }

    #[test]
    fn a_stimulus_comes_whatever_the_program_does() {
        let mut receiver = given(Incoming::Bytes, b"abc", 1000);
        receiver.catch_up(1000, ON, frame);
        assert_eq!(receiver.due(), 1100, "the first frame begins at once");
        receiver.catch_up(1299, ON, frame);
        assert_eq!((receiver.len(), receiver.take_overrun()), (2, false));
        receiver.catch_up(5000, ON, frame);
        assert_eq!((receiver.ended(), receiver.take_overrun()), (1300, true));
        assert!(!receiver.take_overrun());
        assert_eq!(
            (receiver.read(), receiver.read(), receiver.read()),
            (Some(b'a'), Some(b'b'), None)
        );
        assert_eq!(receiver.unreceived(), [(1, "its receiver was full (overrun)")]);
        receiver.give(&Incoming::Bytes(b"d".to_vec()), 5000).unwrap();
        receiver.catch_up(5100, ON, frame);
        assert_eq!(
            receiver.front_marked(),
            Some((b'd', true)),
            "one was lost before it"
        );
    }

    #[test]
    fn what_finds_no_room_may_take_the_place_of_the_last_byte() {
        let mut receiver = given(Incoming::Bytes, b"abc", 0);
        receiver.catch_up(
            300,
            Line {
                overwrites: true,
                ..ON
            },
            frame,
        );
        assert_eq!(
            (receiver.read(), receiver.read(), receiver.read()),
            (Some(b'a'), Some(b'c'), None)
        );
    }

    #[test]
    fn a_stimulus_for_a_receiver_that_is_off_is_lost() {
        let mut receiver = given(Incoming::Bytes, b"ab", 0);
        receiver.catch_up(0, OFF, frame);
        receiver.catch_up(1000, ON, frame);
        assert_eq!((receiver.is_coming(), receiver.due()), (false, u64::MAX));
        assert_eq!(
            receiver.unreceived(),
            [(2, "its receiver was off when they came")]
        );
        receiver.give(&Incoming::Waiting(b"c".to_vec()), 1000).unwrap();
        receiver.give(&Incoming::Bytes(b"d".to_vec()), 1000).unwrap();
        receiver.catch_up(1200, ON, frame);
        assert_eq!(
            (receiver.read(), receiver.due()),
            (Some(b'd'), 1300),
            "who waits comes later"
        );
    }
}
