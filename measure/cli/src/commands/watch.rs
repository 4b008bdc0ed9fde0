//! What ends runs from outside: signals, and `--timeout`.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lab::cut::{self, Cut};

use super::beside;

/// How long a run may take to notice that it is to end: one that waits for input, or what is no run, does not.
const GRACE: Duration = Duration::from_secs(5);

/// What is said where nothing is kept.
const OVER: &str = "and the session is over";

/// The exit code of a run that took too long.
const TOO_LONG: i32 = 3;

/// Whether there is nothing that a command could keep.
static KEEPS_NOTHING: AtomicBool = AtomicBool::new(false);

/// A debugger has the program from here on: a signal ends the process at once.
pub(super) fn keeps_nothing() {
    KEEPS_NOTHING.store(true, Ordering::Relaxed);
    // One that came before has been waiting.
    if let Some(cut) = cut::asked() {
        finish(cut, OVER, cut.exit_code().map_or(TOO_LONG, i32::from));
    }
}

/// Begins to watch.
pub(super) fn begin(timeout: Option<Duration>) {
    // Without the handler the signals do what they do.
    let _ = signals();
    if let Some(timeout) = timeout {
        thread::spawn(move || {
            thread::sleep(timeout);
            end(Cut::Time, TOO_LONG);
        });
    }
}

/// A first signal ends the runs; a second one the process.
#[cfg(unix)]
fn signals() -> io::Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    // One that came while a handler is installed, and not yet known to do anything, would be lost: it waits.
    let held: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    held.thread_block()?;
    let signals = Signals::new([SIGINT, SIGTERM, SIGXFSZ]);
    held.thread_unblock()?;
    let mut signals = signals?;
    thread::spawn(move || {
        for signal in signals.forever() {
            // A file that may grow no further (`ulimit -f`): who writes it is told, as on a full disk.
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
fn signals() -> io::Result<()> {
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
