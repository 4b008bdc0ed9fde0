//! Opens and reads files that a user names, any of which may be a device or an endless pipe.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::host::{self, System};

/// How long to wait for a writer to open a FIFO.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// The system's error, that the file is too large, or that nobody writes to the FIFO.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_on(open(path, PATIENCE, File::open)?, &mut bytes, most)?;
    Ok(bytes)
}

/// Reads a file whose format begins with `mark`. Of any other file it reads only the beginning.
///
/// # Errors
/// The errors of [`read_at_most`].
pub(crate) fn read_marked(path: &Path, mark: &[u8], most: u64) -> io::Result<Vec<u8>> {
    const BEGINNING: u64 = 512;
    let mut file = open(path, PATIENCE, File::open)?;
    let mut bytes = Vec::new();
    file.by_ref().take(BEGINNING).read_to_end(&mut bytes)?;
    if bytes.starts_with(mark) {
        read_on(file, &mut bytes, most)?;
    }
    Ok(bytes)
}

/// Reads the rest of a file, up to `most` bytes in all.
fn read_on(file: File, bytes: &mut Vec<u8>, most: u64) -> io::Result<()> {
    file.take((most + 1).saturating_sub(bytes.len() as u64))
        .read_to_end(bytes)?;
    if bytes.len() as u64 > most {
        return Err(host::too_large(most));
    }
    Ok(())
}

/// Creates or truncates a file for writing.
///
/// # Errors
/// The system's error, or that nobody reads the FIFO.
pub fn create(path: &Path) -> io::Result<File> {
    open(path, PATIENCE, File::create)
}

/// A function that opens a file.
type Way = fn(PathBuf) -> io::Result<File>;

/// Opens a file. Opening a FIFO blocks until its other end is open; `patience` bounds that.
fn open(path: &Path, patience: Duration, way: Way) -> io::Result<File> {
    if !is_fifo(path) {
        return way(path.to_owned());
    }
    let (opened, waiting) = mpsc::channel();
    let place = path.to_owned();
    thread::spawn(move || opened.send(way(place)));
    waiting.recv_timeout(patience).unwrap_or_else(|_| {
        let message = "it is a FIFO, and nobody is at its other end";
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

/// Reads a text file of at most 4 MiB.
///
/// # Errors
/// The errors of [`read_at_most`], or that it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    host::read_text(&System, path)
}

/// Reads a text file that a program has written, of at most 32 MiB.
///
/// # Errors
/// The errors of [`read_at_most`], or that it is not UTF-8.
pub fn read_made(path: &Path) -> io::Result<String> {
    host::read_made(&System, path)
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
        let [silent, deaf, fifo] = ["silent", "deaf", "fifo"].map(|name| folder.path().join(name));
        let made = std::process::Command::new("mkfifo")
            .args([&silent, &deaf, &fifo])
            .status();
        assert!(made.unwrap().success());
        let ways: [(&Path, Way); 2] = [(&silent, File::open), (&deaf, File::create)];
        for (path, way) in ways {
            let error = open(path, Duration::from_millis(20), way).unwrap_err();
            assert_eq!(error.to_string(), "it is a FIFO, and nobody is at its other end");
        }
        let text = "mark".repeat(1000);
        let writer = thread::spawn({
            let (fifo, text) = (fifo.clone(), text.clone());
            move || std::fs::write(fifo, text)
        });
        assert_eq!(read_marked(&fifo, b"mark", 1 << 20).unwrap(), text.as_bytes());
        writer.join().unwrap().unwrap();
    }
}
