//! Decodes packets of GDB's remote protocol, `$data#checksum` (GDB manual, appendix E.1), from a stream of bytes.

/// The longest accepted packet, in bytes: larger than the announced size, for clients that do not ask for it.
const LONGEST: usize = 1 << 17;

/// One item decoded from the stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Received {
    /// A packet's data as sent, with binary data still escaped.
    Packet(Vec<u8>),
    /// A packet whose checksum is wrong or malformed.
    Damaged,
    /// A packet longer than [`LONGEST`] bytes.
    TooLong,
    /// `-`: the client could not read the last packet.
    Nack,
    /// Ctrl-C.
    Interrupt,
}

#[derive(Clone, Copy, Default)]
enum State {
    /// Outside a packet, before a `$`.
    #[default]
    Between,
    /// In a packet's data, before the `#`.
    Within,
    /// In the checksum: before its first digit, or after this one.
    Sum(Option<u8>),
}

/// Finds packets in a stream of bytes. It skips noise between packets. A `$` always begins a packet and discards an unfinished one.
#[derive(Default)]
pub(super) struct Decoder {
    state: State,
    data: Vec<u8>,
    is_too_long: bool,
}

impl Decoder {
    /// Takes the next byte; returns the item that it completes.
    pub(super) fn push(&mut self, byte: u8) -> Option<Received> {
        match (self.state, byte) {
            (_, b'$') => {
                *self = Decoder {
                    state: State::Within,
                    ..Decoder::default()
                };
            }
            (State::Between, b'-') => return Some(Received::Nack),
            (State::Between, 3) => return Some(Received::Interrupt),
            (State::Between, _) => {}
            (State::Within, b'#') => self.state = State::Sum(None),
            (State::Within, _) if self.data.len() == LONGEST => self.is_too_long = true,
            (State::Within, _) => self.data.push(byte),
            (State::Sum(high), _) => return self.sum(high, byte),
        }
        None
    }

    /// Takes a digit of the checksum.
    fn sum(&mut self, high: Option<u8>, byte: u8) -> Option<Received> {
        let digit = digit(byte);
        if let (None, Some(high)) = (high, digit) {
            self.state = State::Sum(Some(high));
            return None;
        }
        let Decoder {
            data, is_too_long, ..
        } = std::mem::take(self);
        let sum = high.zip(digit).map(|(high, low)| high << 4 | low);
        Some(match sum {
            _ if is_too_long => Received::TooLong,
            Some(sum) if sum == checksum(&data) => Received::Packet(data),
            _ => Received::Damaged,
        })
    }
}

/// The value of a hexadecimal digit.
pub(super) fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

fn checksum(data: &[u8]) -> u8 {
    data.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

/// Frames data as a packet; the data must need no escaping.
pub(super) fn framed(data: &[u8]) -> Vec<u8> {
    let sum = format!("#{:02x}", checksum(data));
    [b"$", data, sum.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(bytes: &[u8]) -> Vec<Received> {
        let mut decoder = Decoder::default();
        bytes.iter().filter_map(|byte| decoder.push(*byte)).collect()
    }

    #[test]
    fn packets_are_found_among_anything() {
        let g = || Received::Packet(b"g".to_vec());
        for (bytes, expected) in [
            (&b"$g#67"[..], vec![g()]),
            (b"$g#67$g#67", vec![g(), g()]),
            (b"+noise#00$g#67", vec![g()]),
            (b"$m0,4$g#67", vec![g()]),
            (b"$g#$g#67", vec![g()]),
            (b"$g#6$g#67", vec![g()]),
            (b"$g#68$g#67", vec![Received::Damaged, g()]),
            (b"$g#zz$g#67", vec![Received::Damaged, g()]),
            (b"$g#6z$g#67", vec![Received::Damaged, g()]),
            (
                b"-\x03$#00",
                vec![Received::Nack, Received::Interrupt, Received::Packet(Vec::new())],
            ),
            // Within a packet these are data.
            (b"$-\x03#30", vec![Received::Packet(b"-\x03".to_vec())]),
            (b"$G#4", vec![]),
        ] {
            assert_eq!(received(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_packet_without_an_end_takes_no_more_room() {
        let long = [b"$".as_slice(), &vec![b'0'; LONGEST + 9], b"#00$g#67"].concat();
        assert_eq!(
            received(&long),
            [Received::TooLong, Received::Packet(b"g".to_vec())]
        );
        let longest = framed(&vec![b'0'; LONGEST]);
        assert_eq!(received(&longest), [Received::Packet(vec![b'0'; LONGEST])]);
    }
}
