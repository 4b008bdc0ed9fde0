//! Splits a stream of bytes into defmt frames.

use std::collections::VecDeque;

/// The longest frame, in bytes.
const LONGEST: usize = 1 << 20;

/// Received bytes not yet decoded.
pub(super) struct Frames {
    /// Whether frames are encoded (rzCOBS) and end with a zero.
    encoded: bool,
    bytes: VecDeque<u8>,
}

impl Frames {
    pub(super) fn new(encoded: bool) -> Frames {
        Frames {
            encoded,
            bytes: VecDeque::new(),
        }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        if self.bytes.len() > LONGEST {
            self.bytes.clear();
        }
    }

    /// The next frame; without encoding, all received bytes, which begin with a frame.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        if !self.encoded {
            return (!self.bytes.is_empty()).then(|| self.bytes.iter().copied().collect());
        }
        loop {
            let end = self.bytes.iter().position(|&byte| byte == 0)?;
            let frame: Vec<u8> = self.bytes.drain(..=end).take(end).collect();
            if !frame.is_empty() {
                return Some(decoded(&frame).unwrap_or_default());
            }
        }
    }

    /// Removes a frame of `bytes` bytes.
    pub(super) fn took(&mut self, bytes: usize) {
        if !self.encoded {
            self.bytes.drain(..bytes.min(self.bytes.len()));
        }
    }

    /// Whether unreadable bytes may be an incomplete frame.
    pub(super) fn waits_for_more(&self) -> bool {
        !self.encoded
    }
}

/// Reverse zero-compressing COBS: read from its end, a byte says how many literal bytes follow and where zeros were.
fn decoded(frame: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = frame.iter().rev().copied();
    let mut reversed = Vec::new();
    while let Some(code) = bytes.next() {
        match code {
            0 => return None,
            1..=0x7f => {
                for place in (0..7).rev() {
                    let literal = code >> place & 1 == 0;
                    reversed.push(if literal { bytes.next()? } else { 0 });
                }
            }
            0x80..=0xff => {
                let zero = code != 0xff;
                reversed.extend(zero.then_some(0));
                let count = if zero { usize::from(code & 0x7f) + 7 } else { 134 };
                for _ in 0..count {
                    reversed.push(bytes.next()?);
                }
            }
        }
    }
    reversed.reverse();
    Some(reversed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_frame_ends_with_a_zero() {
        let mut frames = Frames::new(true);
        // Three literal bytes and four zeros: bits for the zeros, from the end on.
        frames.take(&[0, 1, 2, 3, 0b111_1000]);
        assert_eq!(frames.next(), None);
        frames.take(&[0, 0]);
        assert_eq!(frames.next(), Some(vec![1, 2, 3, 0, 0, 0, 0]));
        assert_eq!(frames.next(), None);
    }

    #[test]
    fn long_runs_have_their_own_codes() {
        let literal: Vec<u8> = (1..=8).collect();
        let frame = [&literal[..], &[0x81]].concat();
        assert_eq!(decoded(&frame), Some([&literal[..], &[0]].concat()));
        assert_eq!(decoded(&[1, 0x81]), None, "too short");
    }
}
