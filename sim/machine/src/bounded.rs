//! Reads files that a user names, which may be a device or a pipe without an end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// So long a FIFO is waited for that nobody has opened to write to.
const PATIENCE: Duration = Duration::from_secs(2);

/// All bytes of a file, if it has no more than `most`.
///
/// # Errors
/// As the system says it, that the file is too large, or that it is a FIFO that nobody writes to.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_on(open(path, PATIENCE)?, &mut bytes, most)?;
    Ok(bytes)
}

/// The same of a file of a kind that has a `mark` at its beginning. Of one that has not, the beginning alone: it is something else.
///
/// # Errors
/// As [`read_at_most`].
pub(crate) fn read_marked(path: &Path, mark: &[u8], most: u64) -> io::Result<Vec<u8>> {
    const BEGINNING: u64 = 512;
    let mut file = open(path, PATIENCE)?;
    let mut bytes = Vec::new();
    file.by_ref().take(BEGINNING).read_to_end(&mut bytes)?;
    if bytes.starts_with(mark) {
        read_on(file, &mut bytes, most)?;
    }
    Ok(bytes)
}

/// Reads a file to its end, behind what was read of it, up to `most` bytes in all.
fn read_on(file: File, bytes: &mut Vec<u8>, most: u64) -> io::Result<()> {
    file.take((most + 1).saturating_sub(bytes.len() as u64))
        .read_to_end(bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it has more than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(())
}

/// Opens a file to read it. To open a FIFO waits until somebody opens it to write: here only so long.
fn open(path: &Path, patience: Duration) -> io::Result<File> {
    if !is_fifo(path) {
        return File::open(path);
    }
    let (opened, waiting) = mpsc::channel();
    let place = path.to_owned();
    thread::spawn(move || opened.send(File::open(place)));
    waiting.recv_timeout(patience).unwrap_or_else(|_| {
        let message = "it is a FIFO, and nobody writes to it";
        Err(io::Error::new(io::ErrorKind::TimedOut, message))
    })
}

#[cfg(unix)]
fn is_fifo(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    path.metadata().is_ok_and(|known| known.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_fifo(_: &Path) -> bool {
    false
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

    #[cfg(unix)]
    #[test]
    fn a_fifo_is_read_once_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let [silent, fifo] = ["silent", "fifo"].map(|name| folder.path().join(name));
        let made = std::process::Command::new("mkfifo")
            .args([&silent, &fifo])
            .status();
        assert!(made.unwrap().success());
        let error = open(&silent, Duration::from_millis(20)).unwrap_err();
        assert_eq!(error.to_string(), "it is a FIFO, and nobody writes to it");
        let text = "mark".repeat(1000);
        let writer = thread::spawn({
            let (fifo, text) = (fifo.clone(), text.clone());
            move || std::fs::write(fifo, text)
        });
        assert_eq!(read_marked(&fifo, b"mark", 1 << 20).unwrap(), text.as_bytes());
        writer.join().unwrap().unwrap();
    }
}
