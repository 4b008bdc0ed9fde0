//! The library's choices as options of the command line.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use lab::backend::Backend;
use lab::horizon::Horizon;

use super::verilog::VerilogBackend;

/// The heading of these options in the help.
const ENGINE: &str = "Engine";

/// What runs the programs, and where it is kept.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Choice {
    /// What runs the programs: `model`; `rtl`, the Verilog of an RV32 core, with Verilator; `gdb:HOST:PORT`, what serves GDB there,
    /// such as `OpenOCD` with a board; or `probe`, a board behind a debug probe, by probe-rs. A board has the program in its flash.
    #[arg(long, value_name = "BACKEND", default_value = "model", help_heading = ENGINE)]
    backend: Name,
    /// Where the Verilog is downloaded and built.
    #[arg(long, value_name = "DIR", default_value = "target/rtl", help_heading = ENGINE)]
    rtl_cache: PathBuf,
}

/// How far to run what does not end by itself.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct Length {
    /// Cycles by which the program should have ended, as 2000000 or 2M; it is a failure if it has not. Without one of these three, `run` goes
    /// on to the program's end (in CI to 10G cycles), a test to its own timeout, and all else to 100M cycles.
    #[arg(long, value_name = "CYCLES", value_parser = cycles, conflicts_with_all = ["time", "cycles"])]
    limit: Option<u64>,
    /// Run for this much of the chip's time, and end: 2s, 500ms, 20us.
    #[arg(long = "for", id = "time", value_name = "TIME", value_parser = duration, conflicts_with = "cycles")]
    time: Option<Duration>,
    /// Run for this many cycles, and end: 20000, 2M.
    #[arg(long, value_name = "CYCLES", value_parser = cycles)]
    cycles: Option<u64>,
}

impl Length {
    /// The requested length of the run.
    pub(super) fn horizon(self) -> Horizon {
        match (self.time, self.cycles) {
            (Some(time), _) => Horizon::Time(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
            (None, Some(cycles)) => Horizon::Cycles(cycles),
            (None, None) => Horizon::of(self.limit),
        }
    }
}

/// A number of things, at least 1.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let number = text.replace('_', "").parse().ok();
    number
        .filter(|number| *number > 0)
        .ok_or_else(|| "a number from 1 on, such as 100".to_owned())
}

/// A number of cycles, at least 1: `20000`, `20_000`, `20k`.
pub(super) fn cycles(text: &str) -> Result<u64, String> {
    const UNITS: [(char, u64); 3] = [('k', 1_000), ('M', 1_000_000), ('G', 1_000_000_000)];
    let unit = UNITS.iter().find(|(unit, _)| text.ends_with(*unit));
    let (digits, times) = unit.map_or((text, 1), |&(_, times)| (&text[..text.len() - 1], times));
    let number = digits.replace('_', "").parse().ok();
    number
        .and_then(|number: u64| number.checked_mul(times))
        .filter(|cycles| *cycles > 0)
        .ok_or_else(|| "a number of cycles from 1 on, such as 20000, 20k or 5M".to_owned())
}

/// A number followed by a unit of time.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 6] = [
        ("ns", 1e-9),
        ("us", 1e-6),
        ("ms", 1e-3),
        ("min", 60.0),
        ("h", 3600.0),
        ("s", 1.0),
    ];
    let wrong = || "a time, such as 2s, 500ms, 20us or 5min".to_owned();
    let unit = UNITS.iter().find(|(unit, _)| text.ends_with(unit));
    let (unit, seconds) = unit.ok_or_else(wrong)?;
    let number: f64 = text[..text.len() - unit.len()]
        .trim()
        .parse()
        .map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())?;
    if time.is_zero() { Err(wrong()) } else { Ok(time) }
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Name {
    Model,
    Rtl,
    Gdb(String),
    Probe(Option<String>),
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        match text.split_once(':') {
            None if text == "model" => Ok(Name::Model),
            None if text == "rtl" => Ok(Name::Rtl),
            None if text == "probe" => Ok(Name::Probe(None)),
            Some(("probe", selector)) if selector.contains(':') => Ok(Name::Probe(Some(selector.to_owned()))),
            Some(("gdb", address)) if address.contains(':') => Ok(Name::Gdb(address.to_owned())),
            _ => Err("the backends are `model`, `rtl`, `gdb:HOST:PORT`, `probe` and `probe:VENDOR:PRODUCT[:SERIAL]`".into()),
        }
    }
}

impl Choice {
    /// The chosen backend.
    pub(super) fn backend(&self) -> Backend {
        match &self.backend {
            Name::Model => Backend::Model,
            Name::Rtl => Backend::Other(Arc::new(VerilogBackend::new(&self.rtl_cache))),
            Name::Gdb(address) => Backend::Gdb(address.clone()),
            Name::Probe(selector) => Backend::Probe(selector.clone()),
        }
    }
}

/// When a point in code is met.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    /// When its instruction is executed.
    Retire,
    /// When the core begins to fetch from its address, even if the instruction is never executed. This is what a counter
    /// sees that watches the fetch address register, or, on Ibex, the bus.
    Fetch,
}

impl From<View> for lab::watch::View {
    fn from(view: View) -> Self {
        match view {
            View::Retire => lab::watch::View::Retire,
            View::Fetch => lab::watch::View::Fetch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_may_be_written_short() {
        assert_eq!(cycles("20_000"), Ok(20_000));
        assert_eq!(cycles("10k"), Ok(10_000));
        assert_eq!(cycles("18446744073709551615"), Ok(u64::MAX));
        for wrong in ["", "0", "k", "0k", "-1", "1.5M", "10K", "99999999999G", "2s", "µ"] {
            assert!(cycles(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_count_is_a_number_from_one_on() {
        assert_eq!(count("1_000"), Ok(1000));
        assert!(count("ten").is_err() && count("0").is_err());
    }

    #[test]
    fn times_have_units() {
        let micros = |text: &str| duration(text).map(|time| time.as_micros());
        assert_eq!(micros("2s"), Ok(2_000_000));
        assert_eq!(micros("1.5ms"), Ok(1500));
        assert_eq!(micros("20us"), Ok(20));
        assert_eq!(micros("2min"), Ok(120_000_000));
        for wrong in ["2", "s", "-1s", "0s", "infs", "1e300h", "NaNs"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
