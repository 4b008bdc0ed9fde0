//! Detects standard output and error closed by the caller (`>&-`), so that output to them is not lost silently.
//!
//! Rust's runtime opens `/dev/null` for a closed stream before `main`, so the check must run earlier.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

static OUTPUT: AtomicBool = AtomicBool::new(false);
static ERROR: AtomicBool = AtomicBool::new(false);

/// The error of a write to standard output if it was closed at start.
pub(super) fn output() -> io::Result<()> {
    check(&OUTPUT)
}

/// The error of a write to standard error if it was closed at start.
pub(super) fn error() -> io::Result<()> {
    check(&ERROR)
}

fn check(is_closed: &AtomicBool) -> io::Result<()> {
    if is_closed.load(Ordering::Relaxed) {
        return Err(io::Error::other("it is closed"));
    }
    Ok(())
}

#[cfg(target_os = "linux")]
mod at_start {
    use std::io;
    use std::os::fd::AsFd;
    use std::sync::atomic::Ordering;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    /// The C library calls this before `main`.
    #[used]
    #[allow(unsafe_code)]
    // An init section for functions without arguments, like this one, which asks the system and stores two flags.
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        super::OUTPUT.store(is_closed(&io::stdout()), Ordering::Relaxed);
        super::ERROR.store(is_closed(&io::stderr()), Ordering::Relaxed);
    }

    fn is_closed(stream: &impl AsFd) -> bool {
        let mut polled = [PollFd::new(stream.as_fd(), PollFlags::empty())];
        let asked = poll(&mut polled, PollTimeout::ZERO);
        let is_invalid = |flags: PollFlags| flags.contains(PollFlags::POLLNVAL);
        asked.is_ok() && polled[0].revents().is_some_and(is_invalid)
    }
}
