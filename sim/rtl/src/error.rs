//! Errors of this crate: one line each, with the place before the cause.

use std::fmt::{self, Display};

/// Why Verilog could not be fetched, built or run, or a file not be read: `place: cause`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(String);

/// A result of this crate.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with this message.
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Errors of other crates that need no further place.
macro_rules! from {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error(error.to_string())
            }
        }
    )*};
}

from!(
    std::io::Error,
    std::num::ParseIntError,
    std::env::JoinPathsError,
    object::Error,
);

/// Puts a place in front of an error, or makes an error of an absent value.
pub(crate) trait Context<T> {
    /// With this place, or this message.
    fn context(self, place: impl Display) -> Result<T>
    where
        Self: Sized,
    {
        self.with_context(|| place)
    }

    /// As [`Context::context`], but the text is only made if it is needed.
    fn with_context<D: Display>(self, place: impl FnOnce() -> D) -> Result<T>;
}

impl<T, E: Display> Context<T> for std::result::Result<T, E> {
    fn with_context<D: Display>(self, place: impl FnOnce() -> D) -> Result<T> {
        self.map_err(|error| Error(format!("{}: {error}", place())))
    }
}

impl<T> Context<T> for Option<T> {
    fn with_context<D: Display>(self, message: impl FnOnce() -> D) -> Result<T> {
        self.ok_or_else(|| Error(message().to_string()))
    }
}

/// Returns an error with a message.
macro_rules! bail {
    ($($message:tt)*) => {
        return Err($crate::error::Error::new(format!($($message)*)))
    };
}

/// Returns an error with a message unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            $crate::error::bail!($($message)*);
        }
    };
}

pub(crate) use {bail, ensure};
