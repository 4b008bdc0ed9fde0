//! Runs the tests of a program built with `embedded-test`, as `probe-rs` does: each in a run of its own from reset, which receives the
//! test's name as its semihosting command line and ends with the test's exit code.

use std::sync::Arc;

use events::Silent;
use machine::{Board, Image, OnReset, Options, Outcome};
use serde::Deserialize;

use crate::backend::Backend;
use crate::cut;
use crate::diagnostic::{Diagnostic, Result};
use crate::ended::failure;
use crate::fit::overclocked;
use crate::horizon::{Horizon, Stretch};

/// The supported version of the list of tests.
const VERSION: u32 = 1;
/// Default timeout of a test in seconds of simulated time, as in embedded-test.
const TIMEOUT: u32 = 60;
/// Cycles between checks whether a timed run is over.
const SLICE: u64 = 1 << 20;

/// A test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// Its name with the modules of its crate.
    pub name: String,
    /// Whether it runs only on request.
    pub ignored: bool,
    /// Whether it passes by ending with a non-zero exit code.
    pub should_panic: bool,
    /// Timeout in seconds of simulated time.
    pub timeout: u32,
    function: u32,
}

/// The JSON description in its symbol.
#[derive(Deserialize)]
struct Symbol {
    name: String,
    #[serde(default)]
    ignored: bool,
    #[serde(default)]
    should_panic: bool,
    timeout: Option<u32>,
}

/// The result of a test.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The reason for a failure; `None` if it passed.
    pub failed: Option<String>,
    /// Notes about its run ([`machine::Machine::notes`]).
    pub notes: Vec<String>,
    /// A warning if the core ran above its chip's rated clock.
    pub overclocked: Option<Diagnostic>,
    /// Simulated time in nanoseconds.
    pub nanoseconds: u64,
}

/// The tests of a program; `None` if it has none.
///
/// # Errors
///
/// If the list has an unknown version or is invalid.
pub fn tests(image: &Image) -> Result<Option<Vec<Test>>> {
    let Some(suite) = image.suite() else {
        return Ok(None);
    };
    let wrong = |title: String| Diagnostic::mistake(title).in_file(image.file());
    if suite.version != VERSION {
        let title = format!(
            "its tests are listed in version {} of embedded-test's rules",
            suite.version
        );
        return Err(wrong(title).help(format!(
            "Cyclescope knows version {VERSION}, that of embedded-test 0.7"
        )));
    }
    let test = |listed: &machine::image::Listed| {
        let symbol: Symbol = serde_json::from_str(&listed.json)
            .map_err(|error| wrong(format!("the symbol `{}` is not a test: {error}", listed.json)))?;
        // Without the crate's name, as in libtest.
        let module = listed.module.split_once("::").map_or("", |(_, module)| module);
        let name = if module.is_empty() {
            symbol.name
        } else {
            format!("{module}::{}", symbol.name)
        };
        Ok(Test {
            name,
            ignored: symbol.ignored,
            should_panic: symbol.should_panic,
            timeout: symbol.timeout.unwrap_or(TIMEOUT),
            function: listed.function,
        })
    };
    suite.tests.iter().map(test).collect::<Result<_>>().map(Some)
}

/// Runs a test; `horizon` overrides the test's own timeout.
///
/// # Errors
///
/// If the program cannot start.
pub fn run(
    test: &Test,
    image: &Arc<Image>,
    board: &Board,
    horizon: Horizon,
    options: Options,
) -> Result<Ran> {
    let options = Options {
        command_line: format!("run_addr {}", test.function),
        ..options
    };
    let horizon = match horizon {
        Horizon::Usual => Horizon::Time(u64::from(test.timeout) * 1_000_000_000),
        other => other,
    };
    // A reset ends the test.
    let board = board.clone().with_resets(OnReset::Stop);
    let mut bench = Backend::Model.bench(&board, image, options)?;
    let mut stretches = horizon.stretches();
    let outcome = loop {
        if let Stretch::Over(outcome) = stretches.run(&mut bench, SLICE, &mut Silent)? {
            break outcome;
        }
    };
    let failed = match (&outcome, test.should_panic) {
        (Outcome::Exit { code: 0 }, false) | (Outcome::Exit { code: 1.. }, true) => None,
        (Outcome::Exit { code: 0 }, true) => Some("it did not panic as it should".to_owned()),
        (Outcome::Limit { .. }, _) if cut::asked().is_none() => {
            let time = match horizon {
                Horizon::Time(end) => format!("{} ms of the chip's time", end / 1_000_000),
                _ => format!("{} cycles", horizon.cycles()),
            };
            let calls = bench.calls().unwrap_or_default();
            let mut lines = vec![format!("it did not end within {time}")];
            lines.extend(bench.waits(&outcome).into_iter().flat_map(|waits| waits.lines));
            lines.push(calls);
            Some(lines.join("\n"))
        }
        _ => failure(&outcome, horizon.cycles(), image, bench.waits(&outcome)).map(|message| {
            let message = match &outcome {
                // A panic or a reported error; crash messages already contain the calls.
                Outcome::Exit { .. } => message.body(bench.calls().unwrap_or_default()),
                _ => message,
            };
            message.render(false)
        }),
    };
    Ok(Ran {
        failed,
        overclocked: overclocked(&board, &bench),
        notes: bench.target().notes().to_vec(),
        nanoseconds: bench.nanoseconds(),
    })
}
