//! A short text put together in a constant, for the messages of the compiler.

/// Bytes that a text can hold; more is cut off.
const CAPACITY: usize = 320;

/// A text.
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl Text {
    /// Starts with `text`.
    #[must_use]
    pub const fn of(text: &str) -> Self {
        Text {
            bytes: [0; CAPACITY],
            len: 0,
        }
        .and(text)
    }

    /// Adds `text`; what does not fit is cut off.
    #[must_use]
    pub const fn and(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && self.len < CAPACITY {
            self.bytes[self.len] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// Adds a name between back-quotes.
    #[must_use]
    pub const fn name(self, name: &str) -> Self {
        self.and("`").and(name).and("`")
    }

    /// Adds a number.
    #[must_use]
    pub const fn number(self, number: u16) -> Self {
        let rest = if number >= 10 {
            self.number(number / 10)
        } else {
            self
        };
        let digit = [b'0' + (number % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => rest.and(digit),
            Err(_) => rest,
        }
    }

    /// The text.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "(a message that was cut off)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_join() {
        let text = Text::of("task ")
            .name("Blink")
            .and(" has priority ")
            .number(0)
            .and(" of ")
            .number(256);
        assert_eq!(text.as_str(), "task `Blink` has priority 0 of 256");
    }

    #[test]
    fn what_does_not_fit_is_cut_off() {
        let mut text = Text::of("");
        for _ in 0..100 {
            text = text.and("12345");
        }
        assert_eq!(text.as_str().len(), CAPACITY);
    }
}
