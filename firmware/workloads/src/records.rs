//! Records that are copied and linked, strings that are compared, and many small procedures.

use core::hint::black_box;

use crate::{crc_byte, crc_word};

/// The result of [`Office::iteration`] for [`SEED`].
pub const EXPECTED: u16 = 0xcaaa;
/// The seed whose result is known.
pub const SEED: u32 = 7;

/// Rounds of an iteration.
const ROUNDS: u32 = 8;
const RECORDS: usize = 8;
const SIDE: usize = 12;

/// Text of fixed length, as records of old hold it.
type Text = [u8; 30];

const FIRST: Text = *b"THE FIRST STRING OF THE RECORD";
const SECOND: Text = *b"THE SECOND STRING OF A RECORD!";

/// The kind of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    One,
    Two,
    Three,
    Four,
    Five,
}

#[derive(Clone, Copy)]
struct Record {
    next: u8,
    kind: Kind,
    sum: i32,
    text: Text,
}

/// The memory that every iteration works on.
pub struct Office {
    records: [Record; RECORDS],
    row: [i32; SIDE],
    table: [[i32; SIDE]; SIDE],
    flag: bool,
    letter: u8,
}

impl Default for Office {
    fn default() -> Self {
        Self::new()
    }
}

impl Office {
    /// As it is before the first iteration.
    #[must_use]
    pub const fn new() -> Self {
        let record = Record {
            next: 0,
            kind: Kind::One,
            sum: 0,
            text: FIRST,
        };
        Self {
            records: [record; RECORDS],
            row: [0; SIDE],
            table: [[0; SIDE]; SIDE],
            flag: false,
            letter: b'A',
        }
    }

    /// Does all of the work once, from data that `seed` determines, and from the same state each time.
    pub fn iteration(&mut self, seed: u32) -> u16 {
        *self = Self::new();
        let sum = (0..ROUNDS).fold(0, |sum, round| self.round(sum, seed.wrapping_add(round)));
        self.checked(sum)
    }

    fn round(&mut self, sum: i32, number: u32) -> i32 {
        let text = if number.is_multiple_of(3) { FIRST } else { SECOND };
        self.letters(number);
        let (low, high) = (2, (number % 5).cast_signed() + 3);
        let kind = if same(&text, &FIRST) {
            Kind::Two
        } else {
            Kind::Five
        };
        self.flag = !precedes(&text, &FIRST);
        let product = quotient(low * high + sum % 1000, high);
        self.fill(low.unsigned_abs() as usize, high);
        self.copy_record((number % 7) as u8, kind, &text);
        match classify(kind, self.letter) {
            Kind::One => product - low,
            Kind::Two => product + self.row[3],
            Kind::Three => product * 7 - self.table[2][3],
            Kind::Four => product ^ high,
            Kind::Five => product + sum,
        }
    }

    #[inline(never)]
    fn letters(&mut self, number: u32) {
        self.letter = b'A' + (number % 26) as u8;
        if self.letter == b'C' || self.flag {
            self.letter = self.letter.wrapping_add(1);
        }
    }

    #[inline(never)]
    fn fill(&mut self, place: usize, value: i32) {
        self.row[place] = value;
        self.row[place + 1] = self.row[place];
        for (column, cell) in self.table[place].iter_mut().enumerate() {
            *cell += value + self.row[column];
        }
        self.table[place + 1][place] += 1;
    }

    /// The next record becomes a copy of this one, with a few fields of its own.
    #[inline(never)]
    fn copy_record(&mut self, number: u8, kind: Kind, text: &Text) {
        let (place, next) = (usize::from(number), usize::from(number) + 1);
        self.records[place].text = *text;
        self.records[place].sum = 5;
        let mut copy = self.records[place];
        copy.next = self.records[usize::from(copy.next)].next;
        copy.sum += self.records[next].sum;
        if copy.kind == Kind::One {
            copy.kind = kind;
            copy.sum = copy.sum.wrapping_add(6);
        } else {
            copy.kind = classify(copy.kind, copy.text[0]);
        }
        self.records[next] = copy;
        self.records[place].next = number + 1;
    }

    fn checked(&self, sum: i32) -> u16 {
        let crc = crc_word(u16::from(self.letter), sum.cast_unsigned());
        self.records.iter().fold(crc, |crc, record| {
            let crc = crc_byte(crc_byte(crc, record.next), record.kind as u8);
            crc_byte(crc_word(crc, record.sum.cast_unsigned()), record.text[6])
        })
    }
}

#[inline(never)]
fn classify(kind: Kind, letter: u8) -> Kind {
    match kind {
        Kind::One if letter > b'M' => Kind::Four,
        Kind::Two => Kind::Three,
        Kind::One | Kind::Three | Kind::Four => Kind::One,
        Kind::Five if letter == b'A' => Kind::Two,
        Kind::Five => Kind::Five,
    }
}

#[inline(never)]
fn same(left: &Text, right: &Text) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

#[inline(never)]
fn precedes(left: &Text, right: &Text) -> bool {
    let different = left.iter().zip(right).find(|(left, right)| left != right);
    different.is_some_and(|(left, right)| left < right)
}

/// A division whose divisor the compiler does not know.
#[inline(never)]
fn quotient(dividend: i32, divisor: i32) -> i32 {
    dividend / black_box(divisor)
}
