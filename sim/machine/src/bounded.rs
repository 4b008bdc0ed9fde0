//! Reads files that a user names, which may be a device or a pipe without an end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// All bytes of a file, if it has no more than `most`.
///
/// # Errors
/// As the system says it, or that the file is too large.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it has more than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The same of a file of a kind that has a `mark` at its beginning. Of one that has not, the beginning alone: it is something else.
///
/// # Errors
/// As [`read_at_most`].
pub(crate) fn read_marked(path: &Path, mark: &[u8], most: u64) -> io::Result<Vec<u8>> {
    const BEGINNING: u64 = 512;
    let mut beginning = Vec::new();
    File::open(path)?.take(BEGINNING).read_to_end(&mut beginning)?;
    if beginning.starts_with(mark) {
        read_at_most(path, most)
    } else {
        Ok(beginning)
    }
}

/// The most bytes of a text that a person writes: a spec, a board file.
const LARGEST_TEXT: u64 = 16 << 20;

/// A text file of at most 16 MiB.
///
/// # Errors
/// As [`read_at_most`], or that it is no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_at_most(path, LARGEST_TEXT)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no text (UTF-8)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_as_large_as_is_allowed_and_no_larger() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let size = path.metadata().unwrap().len();
        assert_eq!(read_at_most(&path, size).unwrap().len() as u64, size);
        let error = read_at_most(&path, size - 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
