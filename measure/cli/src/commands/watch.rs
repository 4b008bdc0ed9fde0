//! Ends runs from outside: by signals and by `--timeout`.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lab::cut::{self, Cut};

use super::beside;

/// How long a run may take to notice the request. A run that waits for input, or a command that runs nothing, does not notice.
const GRACE: Duration = Duration::from_secs(5);

/// The end of the message where nothing can be saved.
const OVER: &str = "and the session is over";

/// The exit code after a timeout.
const TOO_LONG: i32 = 3;

/// Whether the command has no results to save.
static KEEPS_NOTHING: AtomicBool = AtomicBool::new(false);

/// Lets a signal end the process at once from here on, since a debugger controls the program.
pub(super) fn keeps_nothing() {
    KEEPS_NOTHING.store(true, Ordering::Relaxed);
    // A request may already be pending.
    if let Some(cut) = cut::asked() {
        finish(cut, OVER, cut.exit_code().map_or(TOO_LONG, i32::from));
    }
}

/// Lets signals end the runs. Without the handler, they keep their default action.
pub(super) fn signals() {
    let _ = handle_signals();
}

/// Lets the runs end after this much time.
pub(super) fn limit(timeout: Option<Duration>) {
    if let Some(timeout) = timeout {
        thread::spawn(move || {
            thread::sleep(timeout);
            end(Cut::Time, TOO_LONG);
        });
    }
}

/// The first signal ends the runs; a second one ends the process.
#[cfg(unix)]
fn handle_signals() -> io::Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    // Block the signals: one that comes while a handler is installed, before it does anything, would be lost.
    let held: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    held.thread_block()?;
    let signals = Signals::new([SIGINT, SIGTERM, SIGXFSZ]);
    held.thread_unblock()?;
    let mut signals = signals?;
    thread::spawn(move || {
        for signal in signals.forever() {
            // The file size limit (`ulimit -f`): the write fails, as on a full disk.
            if signal == SIGXFSZ {
                continue;
            }
            let code = 128 + signal;
            if cut::asked().is_some() {
                beside::exit(code);
            }
            thread::spawn(move || end(Cut::Signal(signal as u8), code));
        }
    });
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)] // as where there are signals
fn handle_signals() -> io::Result<()> {
    Ok(())
}

/// Asks the runs to end, and ends the process if none does.
fn end(cut: Cut, code: i32) {
    cut::ask(cut);
    if KEEPS_NOTHING.load(Ordering::Relaxed) {
        finish(cut, OVER, code);
    }
    thread::sleep(GRACE);
    if !cut::is_noticed() {
        finish(cut, "with nothing to keep", code);
    }
}

fn finish(cut: Cut, what: &str, code: i32) -> ! {
    let _ = writeln!(io::stderr(), "error: cut by {}, {what}", cut.name());
    beside::exit(code)
}
