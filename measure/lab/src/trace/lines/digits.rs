//! Formats numbers.

/// A fixed buffer for the start of a line.
pub(super) struct Room {
    bytes: [u8; Room::MOST],
    len: usize,
}

impl Room {
    const MOST: usize = 320;

    pub(super) const fn new() -> Room {
        Room {
            bytes: [0; Room::MOST],
            len: 0,
        }
    }

    /// Appends `len` characters of a text. Copying all of it is faster than a variable length.
    #[inline(always)]
    pub(super) fn put<const SIZE: usize>(&mut self, text: &[u8; SIZE], len: usize) {
        self.bytes[self.len..][..SIZE].copy_from_slice(text);
        self.len += len;
    }

    /// Appends a whole text.
    #[inline(always)]
    pub(super) fn all<const SIZE: usize>(&mut self, text: &[u8; SIZE]) {
        self.put(text, SIZE);
    }

    /// The buffered text.
    #[inline(always)]
    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Clears the buffer for the next line.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

/// Formats cycles, most of which share all but the last four digits with the one before.
pub(super) struct Decimals {
    /// The number without its last four digits, and their text.
    upper: u64,
    digits: [u8; 20],
    len: usize,
}

/// The value range of four digits.
const LAST: u64 = 10_000;

/// The text of every four-digit number.
static DIGITS: [[u8; 4]; LAST as usize] = {
    let mut all = [[b'0'; 4]; LAST as usize];
    let mut number = 0;
    while number < all.len() {
        let (upper, lower) = (number / 100, number % 100);
        all[number] = [
            b'0' + (upper / 10) as u8,
            b'0' + (upper % 10) as u8,
            b'0' + (lower / 10) as u8,
            b'0' + (lower % 10) as u8,
        ];
        number += 1;
    }
    all
};

impl Decimals {
    pub(super) const fn new() -> Decimals {
        Decimals {
            upper: 0,
            digits: [0; 20],
            len: 0,
        }
    }

    /// Appends a number, right-aligned to `width`.
    #[inline(always)]
    pub(super) fn put(&mut self, number: u64, width: usize, room: &mut Room) {
        let (upper, last) = (number / LAST, number % LAST);
        if upper == 0 {
            return small(number, width, room);
        }
        if upper != self.upper {
            self.renew(upper);
        }
        if width > 0 {
            room.put(&[b' '; 16], width.saturating_sub(self.len + 4));
        }
        room.put(&self.digits, self.len);
        room.all(&DIGITS[last as usize]);
    }

    #[cold]
    fn renew(&mut self, upper: u64) {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(upper).as_bytes();
        self.digits[..text.len()].copy_from_slice(text);
        (self.upper, self.len) = (upper, text.len());
    }
}

/// Appends a number below [`LAST`].
#[cold]
fn small(number: u64, width: usize, room: &mut Room) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(number).as_bytes();
    room.put(&[b' '; 16], width.saturating_sub(text.len()));
    for digit in text {
        room.all(&[*digit]);
    }
}

/// Every byte as two hexadecimal digits.
static HEXADECIMAL: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut all = [[0; 2]; 256];
    let mut byte = 0;
    while byte < all.len() {
        all[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    all
};

/// An address as `0x` and eight digits.
#[inline(always)]
pub(super) fn address(address: u32) -> [u8; 10] {
    let [a, b, c, d] = address.to_be_bytes().map(|byte| HEXADECIMAL[usize::from(byte)]);
    [b'0', b'x', a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
}
