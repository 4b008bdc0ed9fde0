//! A growing string of bounded length.

use core::fmt;
use core::ops::Deref;

use super::{Array, TooLong};

/// Up to `N` bytes of text; `write!` writes into it.
#[derive(Default)]
pub struct Text<const N: usize>(Array<u8, N>);

impl<const N: usize> Text<N> {
    /// The empty text.
    #[must_use]
    pub const fn new() -> Self {
        Text(Array::new())
    }

    /// Adds all of `text`, or nothing.
    ///
    /// # Errors
    ///
    /// [`TooLong`] if there is no room for all of it.
    pub fn push_str(&mut self, text: &str) -> Result<(), TooLong> {
        self.0.extend_from_slice(text.as_bytes())
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<const N: usize> fmt::Write for Text<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text).map_err(|TooLong| fmt::Error)
    }
}

impl<const N: usize> Deref for Text<N> {
    type Target = str;

    fn deref(&self) -> &str {
        core::str::from_utf8(&self.0).expect("only whole strings were added")
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
