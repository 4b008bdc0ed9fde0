//! Bit patterns in the notation of the manuals: the building block of encoding tables.
//!
//! A pattern is a string of 16 or 32 positions, most significant bit first; blanks only group them.
//!
//! | written | means |
//! |---|---|
//! | `0`, `1` | this bit selects the encoding |
//! | `(0)`, `(1)` | should be zero or one: anything else is unpredictable |
//! | a letter | a bit of the field with that name; all bits of one letter, in order, are its value |
//! | `-` | a bit that means nothing here |
//!
//! A field may be scattered: `i` in `11110 i 0 … iii dddd iiiiiiii` is Thumb's `i:imm3:imm8`. The table gives each letter its meaning.

/// Most distinct field letters in one pattern.
const MAX_FIELDS: usize = 9;

/// A set of encodings: those that agree with `value` in every bit of `mask`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cube {
    /// The bits that are compared.
    pub mask: u32,
    /// The required value of those bits; zero outside `mask`.
    pub value: u32,
}

impl Cube {
    /// Whether `raw` belongs to the set.
    #[inline]
    pub const fn contains(self, raw: u32) -> bool {
        raw & self.mask == self.value
    }
}

/// A parsed pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// Length of the encoding in bytes: 2 or 4.
    pub size: u8,
    /// The bits that select this encoding.
    pub select: Cube,
    /// Its should-be-zero and should-be-one bits.
    pub should_be: Cube,
    fields: [(u8, u32); MAX_FIELDS],
}

impl Pattern {
    /// Parses `text`.
    ///
    /// # Panics
    ///
    /// If it is malformed. Tables are constants, so that is a compile error.
    pub const fn parse(text: &str) -> Pattern {
        let size = width_of(text.as_bytes()) / 8;
        assert!(size == 2 || size == 4, "a pattern has 16 or 32 positions");
        let none = Cube { mask: 0, value: 0 };
        let mut pattern = Pattern {
            size: size as u8,
            select: none,
            should_be: none,
            fields: [(0, 0); MAX_FIELDS],
        };
        let text = text.as_bytes();
        let mut position = size * 8;
        let mut soft = false;
        let mut at = 0;
        while at < text.len() {
            match text[at] {
                b' ' => {}
                b'(' => soft = true,
                b')' => soft = false,
                symbol => {
                    position -= 1;
                    pattern.place(symbol, 1 << position, soft);
                }
            }
            at += 1;
        }
        pattern
    }

    const fn place(&mut self, symbol: u8, bit: u32, soft: bool) {
        match symbol {
            b'0' | b'1' => {
                let cube = if soft {
                    &mut self.should_be
                } else {
                    &mut self.select
                };
                cube.mask |= bit;
                if symbol == b'1' {
                    cube.value |= bit;
                }
            }
            b'-' => {}
            letter => self.add_to_field(letter, bit),
        }
    }

    const fn add_to_field(&mut self, letter: u8, bit: u32) {
        assert!(letter.is_ascii_alphabetic(), "a field is named by a letter");
        let mut slot = 0;
        while self.fields[slot].0 != letter && self.fields[slot].0 != 0 {
            slot += 1;
        }
        self.fields[slot].0 = letter;
        self.fields[slot].1 |= bit;
    }

    /// The bits of the field `letter`; zero if the pattern has no such field.
    pub const fn field_mask(&self, letter: u8) -> u32 {
        let mut slot = 0;
        while slot < MAX_FIELDS {
            if self.fields[slot].0 == letter {
                return self.fields[slot].1;
            }
            slot += 1;
        }
        0
    }

    /// Whether the pattern has the field `letter`.
    pub const fn has(&self, letter: u8) -> bool {
        self.field_mask(letter) != 0
    }

    /// Extracts the field `letter` from `raw` and joins its bits; zero if the pattern has no such field.
    pub const fn field(&self, letter: u8, raw: u32) -> u32 {
        gather(raw, self.field_mask(letter))
    }

    /// The encodings in which the field `letter` has this value.
    ///
    /// # Panics
    ///
    /// If the field does not exist or is too narrow. Tables are constants, so that is a compile error.
    pub const fn where_field(&self, letter: u8, value: u32) -> Cube {
        let mask = self.field_mask(letter);
        assert!(
            mask != 0 && value >> mask.count_ones() == 0,
            "no such field, or the value does not fit"
        );
        Cube {
            mask,
            value: scatter(value, mask),
        }
    }
}

/// Encodings inside a pattern that another row defines, or that are reserved: at most `N` sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exceptions<const N: usize>([Option<Cube>; N]);

impl<const N: usize> Exceptions<N> {
    /// No exceptions.
    pub const NONE: Self = Exceptions([None; N]);

    /// Adds the encodings of `pattern` in which all these fields have these values.
    ///
    /// # Panics
    ///
    /// As [`Pattern::where_field`], and if more than `N` sets are added. Tables are constants, so that is a compile error.
    #[must_use]
    pub const fn and(mut self, pattern: &Pattern, fields: &[(char, u32)]) -> Self {
        let mut cube = Cube { mask: 0, value: 0 };
        let mut at = 0;
        while at < fields.len() {
            let one = pattern.where_field(fields[at].0 as u8, fields[at].1);
            cube = Cube {
                mask: cube.mask | one.mask,
                value: cube.value | one.value,
            };
            at += 1;
        }
        let mut slot = 0;
        while self.0[slot].is_some() {
            slot += 1;
        }
        self.0[slot] = Some(cube);
        self
    }

    /// The sets.
    pub fn iter(&self) -> impl Iterator<Item = Cube> {
        self.0.iter().flatten().copied()
    }
}

/// Checks that every `%` of a template is followed by one of `codes`.
///
/// # Panics
///
/// If one is not. Tables are constants, so that is a compile error.
pub const fn check_template(text: &str, codes: &[u8]) {
    let text = text.as_bytes();
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'%' {
            let (mut code, mut known) = (0, false);
            while code < codes.len() {
                known |= codes[code] == text[at + 1];
                code += 1;
            }
            assert!(known, "an unknown code in a template");
        }
        at += 1;
    }
}

/// Number of rows in all parts of a table.
pub const fn count<T>(parts: &[&[T]]) -> usize {
    let (mut count, mut part) = (0, 0);
    while part < parts.len() {
        count += parts[part].len();
        part += 1;
    }
    count
}

/// Concatenates the parts of a table. The first part is not empty, and `N` is the [`count`] of all.
///
/// # Panics
///
/// If either does not hold. Tables are constants, so that is a compile error.
pub const fn join<T: Copy, const N: usize>(parts: &[&[T]]) -> [T; N] {
    let mut rows = [parts[0][0]; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut inside = 0;
        while inside < parts[part].len() {
            rows[at] = parts[part][inside];
            at += 1;
            inside += 1;
        }
        part += 1;
    }
    assert!(at == N, "a table has as many rows as its parts");
    rows
}

/// Number of positions in a pattern.
const fn width_of(text: &[u8]) -> u32 {
    let (mut width, mut at) = (0, 0);
    while at < text.len() {
        if !matches!(text[at], b' ' | b'(' | b')') {
            width += 1;
        }
        at += 1;
    }
    width
}

/// Extracts the bits of `raw` under `mask` and joins them.
const fn gather(raw: u32, mut mask: u32) -> u32 {
    let (mut value, mut position) = (0, 0);
    while mask != 0 {
        value |= (raw >> mask.trailing_zeros() & 1) << position;
        position += 1;
        mask &= mask - 1;
    }
    value
}

/// The inverse of [`gather`].
const fn scatter(value: u32, mut mask: u32) -> u32 {
    let (mut raw, mut position) = (0, 0);
    while mask != 0 {
        raw |= (value >> position & 1) << mask.trailing_zeros();
        position += 1;
        mask &= mask - 1;
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scattered_field_is_read_in_order() {
        let pattern = Pattern::parse("11110 i 00010 S 1111 0 iii dddd iiiiiiii");
        assert_eq!(pattern.field(b'i', 0xf44f_7380), 0b1111_1000_0000);
        assert_eq!(pattern.field(b'd', 0xf44f_7380), 3);
        assert_eq!(
            pattern.select,
            Cube {
                mask: 0xfbef_8000,
                value: 0xf04f_0000
            }
        );
    }

    #[test]
    fn should_be_bits_do_not_select() {
        let pattern = Pattern::parse("010001110 mmmm (0)(0)(0)");
        assert!(pattern.select.contains(0x4777));
        assert_eq!(pattern.should_be, Cube { mask: 7, value: 0 });
    }

    #[test]
    fn gather_undoes_scatter() {
        assert_eq!(gather(scatter(0b1011, 0x8421_0000), 0x8421_0000), 0b1011);
    }
}
