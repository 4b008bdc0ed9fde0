//! The shift register of an SPI master: frames that wait for it, the one in it, and those that came back.

use std::collections::VecDeque;

use super::Ticks;
use super::answers::Answers;

/// How frames are exchanged now.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    pub(crate) bits: u32,
    /// Ticks that a bit takes.
    pub(crate) ticks: u64,
    /// Received frames that there is room for.
    pub(crate) room: usize,
    /// What is sent comes back.
    pub(crate) loopback: bool,
    /// Frames that wait are sent.
    pub(crate) on: bool,
}

impl Format {
    /// The bits of a frame of this width.
    pub(crate) fn cut(&self, frame: u16) -> u16 {
        frame & u16::MAX >> (16 - self.bits)
    }
}

/// The register and what waits on either side.
#[derive(Clone, Default)]
pub(crate) struct ShiftRegister {
    pub(crate) waiting: VecDeque<u16>,
    pub(crate) received: VecDeque<u16>,
    /// The frame in it, and the core cycle in which it is through.
    shifting: Option<(u16, u64)>,
    /// A frame came when there was no room.
    pub(crate) overrun: bool,
}

impl ShiftRegister {
    /// Begins with the next frame in core cycle `now`, if one waits.
    pub(crate) fn begin(&mut self, format: Format, ticks: &mut Ticks, now: u64) {
        if self.shifting.is_none()
            && format.on
            && let Some(frame) = self.waiting.pop_front()
        {
            ticks.restart(now);
            let end = ticks.cycle_of(u64::from(format.bits) * format.ticks);
            self.shifting = Some((frame, end));
        }
    }

    /// Exchanges the frame that is through by core cycle `now`; the cycle in which it was.
    pub(crate) fn exchange(&mut self, format: Format, answers: &mut Answers, now: u64) -> Option<u64> {
        let (frame, end) = self.shifting.filter(|&(_, end)| end <= now)?;
        self.shifting = None;
        answers.log(frame, format.bits);
        let answer = if format.loopback {
            frame
        } else {
            answers.exchange(frame, format.bits, end)
        };
        if self.received.len() < format.room {
            self.received.push_back(format.cut(answer));
        } else {
            self.overrun = true;
        }
        Some(end)
    }

    /// The core cycle in which the frame in it is through; `u64::MAX` if there is none.
    pub(crate) fn due(&self) -> u64 {
        self.shifting.map_or(u64::MAX, |(_, end)| end)
    }

    pub(crate) fn is_busy(&self, format: Format) -> bool {
        self.shifting.is_some() || !self.waiting.is_empty() && format.on
    }
}
