//! What a program puts out, on its way to standard output or to a file: what cannot be written there is not lost in silence.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lab::diagnostic::Diagnostic;

use super::{closed, progress};

/// The exit code of a program that wrote to a pipe without a reader (128 + SIGPIPE): the run is not complete and must not look so.
pub(super) const BROKEN_PIPE: u8 = 141;

/// What could not be written first, if anything.
#[derive(Clone, Default)]
pub(super) struct Lost {
    first: Arc<Mutex<Option<Failure>>>,
    /// Something was written to standard output.
    wrote: Arc<AtomicBool>,
}

#[derive(Clone)]
struct Failure {
    kind: io::ErrorKind,
    /// As the system says it.
    text: String,
    /// Where to.
    to: To,
}

#[derive(Clone, PartialEq, Eq)]
enum To {
    Output,
    Error,
    File(PathBuf),
}

impl To {
    /// Whether there is something to write to.
    fn check(&self) -> io::Result<()> {
        match self {
            To::Output => closed::output(),
            To::Error => closed::error(),
            To::File(_) => Ok(()),
        }
    }
}

impl Lost {
    fn first(&self) -> Option<Failure> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether something could not be written.
    pub(super) fn is_any(&self) -> bool {
        self.first().is_some()
    }

    /// What is said of it. A reader that has gone away, as `head` does, is no error.
    pub(super) fn message(&self) -> Option<Diagnostic> {
        let Failure { kind, text, to } = self.first()?;
        if kind == io::ErrorKind::BrokenPipe {
            return None;
        }
        let stream = |name: &str| Diagnostic::mistake(format!("standard {name} cannot be written: {text}"));
        Some(match to {
            To::Output => stream("output"),
            To::Error => stream("error"),
            To::File(file) => {
                Diagnostic::mistake(format!("cannot be written: {text}")).in_file(file.display().to_string())
            }
        })
    }

    /// Whether something was written to standard output, a pipe whose reader has gone away since: the next write would fail, and a
    /// program that writes no more would run for nobody.
    pub(super) fn is_unread(&self) -> bool {
        self.wrote.load(Ordering::Relaxed) && !has_reader(&io::stdout())
    }

    /// Standard output.
    pub(super) fn standard(&self) -> Noticing<io::Stdout> {
        self.noticing(io::stdout(), To::Output)
    }

    /// Standard error.
    pub(super) fn error(&self) -> Noticing<io::Stderr> {
        self.noticing(io::stderr(), To::Error)
    }

    /// A file.
    pub(super) fn file<W: Write>(&self, path: &Path, to: W) -> Noticing<W> {
        self.noticing(to, To::File(path.to_owned()))
    }

    fn noticing<W>(&self, to: W, which: To) -> Noticing<W> {
        Noticing {
            to,
            which,
            lost: self.clone(),
        }
    }
}

/// Whether a stream is still read; one that is no pipe counts as read.
#[cfg(unix)]
fn has_reader(stream: &impl std::os::fd::AsFd) -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let mut polled = [PollFd::new(stream.as_fd(), PollFlags::empty())];
    let asked = poll(&mut polled, PollTimeout::ZERO);
    let is_broken = |flags: PollFlags| flags.contains(PollFlags::POLLERR);
    !(asked.is_ok() && polled[0].revents().is_some_and(is_broken))
}

#[cfg(not(unix))]
fn has_reader<T>(_: &T) -> bool {
    true
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
    which: To,
    lost: Lost,
}

impl<W> Noticing<W> {
    fn noticed<T>(&self, done: io::Result<T>) -> io::Result<T> {
        // What was interrupted is tried again.
        if let Err(error) = &done
            && error.kind() != io::ErrorKind::Interrupted
        {
            let mut first = self.lost.first.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| Failure {
                kind: error.kind(),
                text: error.to_string(),
                to: self.which.clone(),
            });
        }
        done
    }
}

impl<W: Write> Write for Noticing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // What the program says stands alone from then on.
        progress::end();
        let done = self.which.check().and_then(|()| self.to.write(bytes));
        if self.which == To::Output {
            self.lost.wrote.store(true, Ordering::Relaxed);
        }
        self.noticed(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.to.flush();
        self.noticed(done)
    }
}
