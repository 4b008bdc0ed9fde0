//! Results of tests as Rust's own test harness prints them: what editors and CI systems know how to read.

use std::fmt::Write as _;

/// How a test ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// As it should.
    Ok,
    /// As it should not; what it printed, and why.
    Failed(String),
    /// It was not run.
    Ignored,
}

/// The results so far.
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

/// Signs in a line of a terse report.
const WIDTH: usize = 88;

impl Tests {
    /// Of so many tests; `terse` has a sign for each, `timed` the time beside each.
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

    /// What stands in front of the first.
    pub fn head(&self) -> String {
        let tests = if self.count == 1 { "test" } else { "tests" };
        format!("\nrunning {} {tests}\n", self.count)
    }

    /// What is printed before a test is run.
    pub fn begin(&self, name: &str) -> String {
        if self.terse {
            String::new()
        } else {
            format!("test {name} ... ")
        }
    }

    /// How a test ended, after so much of the chip's time.
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

    /// Whether all passed that were run.
    pub fn is_ok(&self) -> bool {
        self.failed.is_empty()
    }

    /// What stands behind the last one; so many tests were left out by filters.
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
