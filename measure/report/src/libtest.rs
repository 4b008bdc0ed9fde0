//! Test results in the format of Rust's own test harness, which editors and CI systems can read.

use std::fmt::Write as _;

/// How a test ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It passed.
    Ok,
    /// It failed, with its output and the reason.
    Failed(String),
    /// It was ignored.
    Ignored,
}

/// The test results so far.
#[derive(Clone, Debug)]
pub struct Tests {
    terse: bool,
    timed: bool,
    count: usize,
    done: usize,
    passed: usize,
    ignored: usize,
    failed: Vec<(String, String)>,
    nanoseconds: u64,
}

/// Characters in a line of a terse report.
const WIDTH: usize = 88;

impl Tests {
    /// Starts a report of `count` tests. `terse` prints one character per test; `timed` prints each test's time.
    pub fn new(count: usize, terse: bool, timed: bool) -> Tests {
        Tests {
            terse,
            timed,
            count,
            done: 0,
            passed: 0,
            ignored: 0,
            failed: Vec::new(),
            nanoseconds: 0,
        }
    }

    /// The line before the first test.
    pub fn head(&self) -> String {
        let tests = if self.count == 1 { "test" } else { "tests" };
        format!("\nrunning {} {tests}\n", self.count)
    }

    /// The text printed before a test runs.
    pub fn begin(&self, name: &str) -> String {
        if self.terse {
            String::new()
        } else {
            format!("test {name} ... ")
        }
    }

    /// The text printed after a test, which took `nanoseconds` of simulated time.
    pub fn end(&mut self, name: &str, ended: Ended, nanoseconds: u64) -> String {
        self.done += 1;
        self.nanoseconds += nanoseconds;
        let (word, sign) = match ended {
            Ended::Ok => {
                self.passed += 1;
                ("ok", ".")
            }
            Ended::Failed(text) => {
                self.failed.push((name.to_owned(), text));
                ("FAILED", "F")
            }
            Ended::Ignored => {
                self.ignored += 1;
                ("ignored", "i")
            }
        };
        if self.terse {
            let is_full = self.done.is_multiple_of(WIDTH);
            let place = if is_full {
                format!(" {}/{}\n", self.done, self.count)
            } else {
                String::new()
            };
            return format!("{sign}{place}");
        }
        if self.timed && word != "ignored" {
            return format!("{word} <{}>\n", seconds(nanoseconds, 6));
        }
        format!("{word}\n")
    }

    /// Whether every test that ran passed.
    pub fn is_ok(&self) -> bool {
        self.failed.is_empty()
    }

    /// The failures and the summary, printed after the last test; `filtered` tests were filtered out.
    pub fn tail(mut self, filtered: usize) -> String {
        let mut text = String::new();
        if self.terse && !self.done.is_multiple_of(WIDTH) {
            text.push('\n');
        }
        self.failed.sort();
        // Writing to a string cannot fail.
        if !self.failed.is_empty() {
            text.push_str("\nfailures:\n");
            for (name, printed) in &self.failed {
                let end = if printed.ends_with('\n') { "" } else { "\n" };
                let _ = write!(text, "\n---- {name} stdout ----\n{printed}{end}");
            }
            text.push_str("\n\nfailures:\n");
            for (name, _) in &self.failed {
                let _ = writeln!(text, "    {name}");
            }
        }
        let word = if self.is_ok() { "ok" } else { "FAILED" };
        let _ = write!(
            text,
            "\ntest result: {word}. {} passed; {} failed; {} ignored; 0 measured; {filtered} filtered out; finished in {}\n\n",
            self.passed,
            self.failed.len(),
            self.ignored,
            seconds(self.nanoseconds, 2)
        );
        text
    }
}

/// `0.25s`
fn seconds(nanoseconds: u64, digits: usize) -> String {
    #[allow(clippy::cast_precision_loss)] // for people to read
    let seconds = nanoseconds as f64 / 1e9;
    format!("{seconds:.digits$}s")
}
