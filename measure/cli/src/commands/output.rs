//! Output on its way to standard output or a file. It records write errors, so that no output is lost silently.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lab::diagnostic::Diagnostic;

use super::{closed, progress};

/// The exit code of a program that wrote to a pipe without a reader (128 + SIGPIPE): the run is incomplete and must not look complete.
pub(super) const BROKEN_PIPE: u8 = 141;

/// The first write error, if any.
#[derive(Clone, Default)]
pub(super) struct Lost {
    first: Arc<Mutex<Option<Failure>>>,
    /// Whether anything was written to standard output.
    wrote: Arc<AtomicBool>,
}

#[derive(Clone)]
struct Failure {
    kind: io::ErrorKind,
    /// The system's error text.
    text: String,
    /// The destination.
    to: To,
}

#[derive(Clone, PartialEq, Eq)]
enum To {
    Output,
    Error,
    File(PathBuf),
}

impl To {
    /// Checks that the stream was open at start.
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

    /// Whether a write failed.
    pub(super) fn is_any(&self) -> bool {
        self.first().is_some()
    }

    /// The message about the error. A reader that closed the pipe, like `head`, is no error.
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

    /// Whether the reader of standard output has gone away after something was written. The next write would fail, and a program that
    /// writes no more would run for nobody.
    pub(super) fn is_unread(&self) -> bool {
        self.wrote.load(Ordering::Relaxed) && !has_reader(&io::stdout())
    }

    /// Wraps standard output.
    pub(super) fn standard(&self) -> Noticing<io::Stdout> {
        self.noticing(io::stdout(), To::Output)
    }

    /// Wraps standard error.
    pub(super) fn error(&self) -> Noticing<io::Stderr> {
        self.noticing(io::stderr(), To::Error)
    }

    /// Wraps a file.
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

/// Whether a stream still has a reader; true if it is not a pipe.
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

/// Terminal input or output; using it turns off the progress line.
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

/// A writer that records the first error.
pub(super) struct Noticing<W> {
    to: W,
    which: To,
    lost: Lost,
}

impl<W> Noticing<W> {
    fn noticed<T>(&self, done: io::Result<T>) -> io::Result<T> {
        // Interrupted writes are retried.
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
        // The program's output replaces the progress line.
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
