//! What a program puts out, on its way to standard output or to a file: what cannot be written there is not lost in silence.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lab::diagnostic::Diagnostic;

use super::progress;

/// The exit code of a program that wrote to a pipe without a reader (128 + SIGPIPE): the run is not complete and must not look so.
pub(super) const BROKEN_PIPE: u8 = 141;

/// What could not be written first, if anything.
#[derive(Clone, Default)]
pub(super) struct Lost(Arc<Mutex<Option<Failure>>>);

#[derive(Clone)]
struct Failure {
    kind: io::ErrorKind,
    /// As the system says it.
    text: String,
    /// Where to; `None` is standard output.
    file: Option<PathBuf>,
}

impl Lost {
    fn first(&self) -> Option<Failure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether something could not be written.
    pub(super) fn is_any(&self) -> bool {
        self.first().is_some()
    }

    /// What is said of it. A reader that has gone away, as `head` does, is no error.
    pub(super) fn message(&self) -> Option<Diagnostic> {
        let failure = self.first()?;
        let text = &failure.text;
        match failure.file {
            _ if failure.kind == io::ErrorKind::BrokenPipe => None,
            Some(file) => Some(
                Diagnostic::mistake(format!("cannot be written: {text}")).in_file(file.display().to_string()),
            ),
            None => Some(Diagnostic::mistake(format!(
                "standard output cannot be written: {text}"
            ))),
        }
    }

    /// Standard output.
    pub(super) fn standard(&self) -> Noticing<io::Stdout> {
        Noticing {
            to: io::stdout(),
            file: None,
            lost: self.clone(),
        }
    }

    /// A file.
    pub(super) fn file<W: Write>(&self, path: &Path, to: W) -> Noticing<W> {
        Noticing {
            to,
            file: Some(path.to_owned()),
            lost: self.clone(),
        }
    }
}

/// What stands alone on the terminal, or is typed there: no progress is shown from then on.
pub(super) struct Alone<T>(pub(super) T);

impl<T: Write> Write for Alone<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        progress::end();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<T: Read> Read for Alone<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        progress::end();
        self.0.read(bytes)
    }
}

/// Writes, and notices when it cannot.
pub(super) struct Noticing<W> {
    to: W,
    file: Option<PathBuf>,
    lost: Lost,
}

impl<W> Noticing<W> {
    fn noticed<T>(&self, done: io::Result<T>) -> io::Result<T> {
        // What was interrupted is tried again.
        if let Err(error) = &done
            && error.kind() != io::ErrorKind::Interrupted
        {
            let mut first = self.lost.0.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| Failure {
                kind: error.kind(),
                text: error.to_string(),
                file: self.file.clone(),
            });
        }
        done
    }
}

impl<W: Write> Write for Noticing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // What the program says stands alone from then on.
        progress::end();
        let done = self.to.write(bytes);
        self.noticed(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.to.flush();
        self.noticed(done)
    }
}
