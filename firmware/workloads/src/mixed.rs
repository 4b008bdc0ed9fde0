//! Lists, matrices, a state machine and a checksum over what they come to.

mod list;
mod matrix;
mod numbers;

use list::List;
use matrix::Matrices;

use crate::crc_word;

/// The result of [`Work::iteration`] for [`SEED`].
pub const EXPECTED: u16 = 0x9cda;
/// The seed whose result is known.
pub const SEED: u16 = 0x3415;

/// Marks that the text is damaged with.
const DAMAGE: u8 = b',';

/// The memory that every iteration works on.
pub struct Work {
    list: List,
    matrices: Matrices,
    text: [u8; numbers::LENGTH],
}

impl Default for Work {
    fn default() -> Self {
        Self::new()
    }
}

impl Work {
    /// As every iteration finds it.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            list: List::new(),
            matrices: Matrices::new(),
            text: *numbers::TEXT,
        }
    }

    /// Does each piece of work once, from data that `seed` determines.
    pub fn iteration(&mut self, seed: u16) -> u16 {
        let crc = lists(&mut self.list, seed);
        let crc = crc_word(crc, self.matrices.work(seed));
        self.scan(crc, seed)
    }

    /// Reads the text as it is, damaged, and as it was.
    fn scan(&mut self, crc: u16, seed: u16) -> u16 {
        let step = usize::from(seed & 7) + 5;
        let crc = tally(crc, &self.text);
        exchange(&mut self.text, step);
        let crc = tally(crc, &self.text);
        exchange(&mut self.text, step);
        tally(crc, &self.text)
    }
}

#[inline(never)]
fn lists(list: &mut List, seed: u16) -> u16 {
    list.fill(seed);
    let found = (0..16).fold(0, |crc, key| {
        let place = list.find(key * 3);
        crc_word(crc, place.unwrap_or(u32::MAX))
    });
    list.reverse();
    list.sort(|left, right| left.key <= right.key);
    let by_key = list
        .iter()
        .fold(found, |crc, node| crc_word(crc, u32::from(node.key)));
    list.sort(|left, right| left.tag <= right.tag);
    list.iter()
        .fold(by_key, |crc, node| crc_word(crc, u32::from(node.tag)))
}

fn tally(crc: u16, text: &[u8]) -> u16 {
    numbers::count(text).into_iter().fold(crc, crc_word)
}

/// Damages every `step`-th byte; a second time undoes it.
fn exchange(text: &mut [u8], step: usize) {
    for byte in text.iter_mut().step_by(step) {
        *byte ^= DAMAGE;
    }
}
