//! Files outside the machine, as traits that the caller implements: this crate opens no file by itself.
//!
//! With the feature `host`, [`System`] implements them by this computer's files, and [`Board::find`](crate::Board::find),
//! [`Image::load`](crate::Image::load) and their like read from there. Without it, as in a browser, a caller gives files
//! [in memory](InMemory), or [none](NoFiles).

#[cfg(feature = "host")]
mod system;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, ErrorKind, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "host")]
pub use system::System;

/// The most bytes of a text that a person writes, such as a spec or a board file. Parsing takes up to 80 times as much memory.
const LARGEST_TEXT: u64 = 4 << 20;

/// The most bytes of a text that a program writes, such as results with timelines. Parsing takes up to 40 times as much memory.
const LARGEST_MADE: u64 = 32 << 20;

/// Files by their paths: programs, board files, SVD files, scripts.
pub trait Files: Debug + Send + Sync {
    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// The system's error, or that the file is too large.
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>>;

    /// Reads a file whose format begins with `mark`. Of any other file it may read only the beginning.
    ///
    /// # Errors
    /// The errors of [`Files::read`].
    fn read_marked(&self, path: &Path, mark: &[u8], most: u64) -> io::Result<Vec<u8>>;

    /// Whether there is a file or folder with this path.
    fn exists(&self, path: &Path) -> bool;
}

/// The text of a file that a person writes, of at most 4 MiB.
///
/// # Errors
/// The errors of [`Files::read`], or that it is not UTF-8.
pub fn read_text(files: &dyn Files, path: &Path) -> io::Result<String> {
    text(files.read(path, LARGEST_TEXT)?)
}

/// The text of a file that a program has written, of at most 32 MiB.
///
/// # Errors
/// The errors of [`Files::read`], or that it is not UTF-8.
pub fn read_made(files: &dyn Files, path: &Path) -> io::Result<String> {
    text(files.read(path, LARGEST_MADE)?)
}

/// The text that these bytes are.
pub(crate) fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// The error for a file of more than `most` bytes.
pub(crate) fn too_large(most: u64) -> io::Error {
    let message = format!("it has more than {} MiB", most >> 20);
    io::Error::new(ErrorKind::FileTooLarge, message)
}

/// No files: reading any fails.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
        Err(io::Error::new(
            ErrorKind::Unsupported,
            "no files can be read here",
        ))
    }

    fn read_marked(&self, path: &Path, _: &[u8], most: u64) -> io::Result<Vec<u8>> {
        self.read(path, most)
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

/// Files held in memory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct InMemory(BTreeMap<PathBuf, Vec<u8>>);

impl InMemory {
    /// Adds a file, or replaces the one with this path.
    pub fn add(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), bytes.into());
    }
}

impl Files for InMemory {
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let bytes = self.0.get(path);
        let bytes = bytes.ok_or_else(|| io::Error::new(ErrorKind::NotFound, "there is no such file"))?;
        if bytes.len() as u64 > most {
            return Err(too_large(most));
        }
        Ok(bytes.clone())
    }

    fn read_marked(&self, path: &Path, _: &[u8], most: u64) -> io::Result<Vec<u8>> {
        self.read(path, most)
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.keys().any(|known| known.starts_with(path))
    }
}

/// The host files that a program may open.
#[derive(Clone, Default, Debug)]
pub enum FileAccess {
    /// None: opening a file fails with `EACCES`.
    #[default]
    None,
    /// Regular files in and below this folder.
    Within(Arc<dyn Folder>),
}

/// A folder whose files a program may open. A name that leads out of it, by `..` or a link, is refused with
/// [`ErrorKind::PermissionDenied`].
pub trait Folder: Debug + Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn open(&self, name: &str, access: Access) -> Result<Arc<dyn HostFile>, OpenError>;
}

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent, as in fopen")]
pub struct Access {
    /// It may be read.
    pub read: bool,
    /// It may be written, at any position.
    pub write: bool,
    /// Each write goes to its end.
    pub append: bool,
    /// It is created if it is not there.
    pub create: bool,
    /// Its contents are dropped.
    pub truncate: bool,
}

/// Why a file was not opened.
#[derive(Debug)]
pub enum OpenError {
    /// An error that a program can expect.
    Io(io::Error),
    /// An error that stops the run with this message: no program expects it.
    Unfit(String),
}

/// An open file. All handles to it share its position.
pub trait HostFile: Debug + Send + Sync {
    /// Moves the position; returns it, in bytes from the start.
    ///
    /// # Errors
    /// The system's error.
    fn seek(&self, to: SeekFrom) -> io::Result<u64>;

    /// Reads from the position on, up to `length` bytes, fewer only at the end.
    ///
    /// # Errors
    /// The system's error.
    fn read(&self, length: u64) -> io::Result<Vec<u8>>;

    /// Writes at the position; returns how many bytes were written.
    ///
    /// # Errors
    /// The system's error.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Its length in bytes.
    ///
    /// # Errors
    /// The system's error.
    fn length(&self) -> io::Result<u64>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_are_found_read_and_bounded() {
        let mut files = InMemory::default();
        files.add("boards/mine.toml", "name = 1");
        let path = Path::new("boards/mine.toml");
        assert!(files.exists(path) && files.exists(Path::new("boards")));
        assert_eq!(read_text(&files, path).unwrap(), "name = 1");
        assert_eq!(files.read(path, 7).unwrap_err().kind(), ErrorKind::FileTooLarge);
        let missing = files.read(Path::new("boards/yours.toml"), 7).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        files.add("bad", [0xff]);
        assert_eq!(
            read_text(&files, Path::new("bad")).unwrap_err().to_string(),
            "it is not UTF-8 text"
        );
        assert!(!NoFiles.exists(path) && NoFiles.read(path, 7).is_err());
    }
}
