//! A progress line for commands that take longer than a second, if standard error is a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::progress::{self, Progress};

/// Shorter commands show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const PERIOD: Duration = Duration::from_millis(200);

static BAR: Mutex<State> = Mutex::new(State::Waiting);

enum State {
    /// Nothing shown yet.
    Waiting,
    Shown(ProgressBar),
    /// Other output replaced the line; it does not come back.
    Over,
}

/// Starts the progress line.
pub(super) fn begin() {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if io::stderr().is_terminal() && !is_dumb {
        thread::spawn(show);
    }
}

/// Removes the progress line for good, before other output.
pub(super) fn end() {
    let Ok(mut state) = BAR.lock() else { return };
    if let State::Shown(bar) = std::mem::replace(&mut *state, State::Over) {
        bar.finish_and_clear();
    }
}

/// Shows a line of text above the progress line.
pub(super) fn line(text: &str) {
    // A write error must not keep the command from running.
    let write = || drop(writeln!(io::stderr(), "{text}"));
    match BAR.lock().as_deref() {
        Ok(State::Shown(bar)) => bar.suspend(write),
        _ => write(),
    }
}

fn show() {
    let begun = Instant::now();
    thread::sleep(PATIENCE);
    let mut stage = None;
    let mut since = begun;
    loop {
        let now = progress::now();
        if now.what != stage {
            stage.clone_from(&now.what);
            since = Instant::now();
        }
        let Ok(mut state) = BAR.lock() else { return };
        match &*state {
            State::Over => return,
            State::Waiting => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                *state = State::Shown(bar);
            }
            State::Shown(bar) => draw(bar, &now, begun.elapsed(), since.elapsed()),
        }
        drop(state);
        thread::sleep(PERIOD);
    }
}

fn draw(bar: &ProgressBar, now: &Progress, elapsed: Duration, stage: Duration) {
    let template = if now.steps.is_some() {
        "{bar:24} {wide_msg}"
    } else {
        "{spinner} {wide_msg}"
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    if let Some((done, steps)) = now.steps {
        bar.set_length(steps);
        bar.set_position(done);
    }
    bar.set_message(words(now, elapsed, stage));
    bar.tick();
}

/// The line's text: `phases: 12 of 64, about 30 s more`, `cycle 12,000,000 after 3 s`.
fn words(now: &Progress, elapsed: Duration, stage: Duration) -> String {
    let what = now
        .what
        .as_ref()
        .map(|what| format!("{what}: "))
        .unwrap_or_default();
    match now.steps {
        Some((done, steps)) => {
            let rest =
                rest(done, steps, stage).map(|rest| format!(", about {} s more", rest.as_secs().max(1)));
            format!("{what}{done} of {steps}{}", rest.unwrap_or_default())
        }
        None if now.what.is_some() => format!("{what}{} s", stage.as_secs()),
        None => {
            let most = now.most.map_or(String::new(), |most| {
                let rest = rest(now.cycle, most, elapsed).map_or(0, |rest| rest.as_secs());
                format!(
                    " of {} at most, which takes {} s more",
                    grouped(most),
                    rest.max(1)
                )
            });
            format!("cycle {} after {} s{most}", grouped(now.cycle), elapsed.as_secs())
        }
    }
}

/// The estimated remaining time, at the same speed.
fn rest(done: u64, steps: u64, elapsed: Duration) -> Option<Duration> {
    let nanoseconds = elapsed.as_nanos() * u128::from(steps.saturating_sub(done));
    let nanoseconds = nanoseconds.checked_div(done.into())?;
    u64::try_from(nanoseconds).ok().map(Duration::from_nanos)
}

/// A number with grouped digits: `12,000,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let (first, rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    let groups = rest.as_bytes().chunks(3).map(String::from_utf8_lossy);
    groups.fold(first.to_owned(), |all, group| all + "," + &group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_has_an_estimate_where_there_are_steps() {
        let mut now = Progress {
            what: Some("phases".to_owned()),
            steps: Some((16, 64)),
            cycle: 12_345_678,
            most: None,
        };
        let (ten, two) = (Duration::from_secs(10), Duration::from_secs(2));
        assert_eq!(words(&now, ten, two), "phases: 16 of 64, about 6 s more");
        now.steps = Some((0, 64));
        assert_eq!(words(&now, ten, two), "phases: 0 of 64");
        now.steps = None;
        assert_eq!(words(&now, ten, two), "phases: 2 s");
        now.what = None;
        assert_eq!(words(&now, ten, two), "cycle 12,345,678 after 10 s");
        now.most = Some(30_000_000_000);
        let told = "cycle 12,345,678 after 10 s of 30,000,000,000 at most, which takes 24290 s more";
        assert_eq!(words(&now, ten, two), told);
        assert_eq!(["7", "70", "700", "7,000"], [7, 70, 700, 7000].map(grouped)[..]);
    }
}
