//! Interrupt lines that rise and fall, in words: `timer@300..340`.

use std::fmt;
use std::str::FromStr;

use crate::error::{Context as _, Error, Result, ensure};

use crate::{Change, Line};

/// A line that is high from a cycle until before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pulse {
    /// The interrupt line.
    pub line: Line,
    /// The cycle in which it rises; the first after reset is 0.
    pub from: u64,
    /// The cycle in which it falls.
    pub until: u64,
}

impl Pulse {
    /// The level changes of all lines, by cycle.
    pub fn changes(pulses: &[Pulse]) -> Vec<Change> {
        let edges = |pulse: &Pulse| [(pulse.from, true), (pulse.until, false)].map(|edge| (pulse.line, edge));
        let changes = pulses.iter().flat_map(edges);
        let mut changes: Vec<_> = changes
            .map(|(line, (cycle, level))| Change { cycle, line, level })
            .collect();
        changes.sort_by_key(|change| change.cycle);
        changes
    }
}

impl fmt::Display for Pulse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Line::Timer => f.write_str("timer")?,
            Line::Software => f.write_str("software")?,
            Line::External(number) => write!(f, "external{number}")?,
        }
        write!(f, "@{}..{}", self.from, self.until)
    }
}

impl FromStr for Pulse {
    type Err = Error;

    fn from_str(text: &str) -> Result<Pulse> {
        let parts = || {
            let (line, cycles) = text.split_once('@')?;
            let (from, until) = cycles.split_once("..")?;
            Some((named(line)?, from.parse().ok()?, until.parse().ok()?))
        };
        let (line, from, until) = parts().with_context(|| {
            format!("{text:?} is no pulse of an interrupt line; timer@300..340, software@0..9 and external31@5..6 are")
        })?;
        ensure!(from < until, "{text:?} ends before it begins");
        Ok(Pulse { line, from, until })
    }
}

fn named(line: &str) -> Option<Line> {
    match line {
        "timer" => Some(Line::Timer),
        "software" => Some(Line::Software),
        _ => {
            let number = line.strip_prefix("external")?.parse().ok()?;
            (number < 32).then_some(Line::External(number))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in ["timer@300..340", "software@0..9", "external31@5..6"] {
            assert_eq!(text.parse::<Pulse>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_pulse_is_refused() {
        for text in [
            "timer",
            "timer@3",
            "clock@3..4",
            "external32@3..4",
            "timer@4..4",
            "timer@4..x",
        ] {
            assert!(text.parse::<Pulse>().is_err(), "{text}");
        }
    }

    #[test]
    fn changes_come_in_order() {
        let pulses = ["timer@300..340", "software@310..320"].map(|text| text.parse().unwrap());
        let changes = Pulse::changes(&pulses);
        let cycles: Vec<_> = changes
            .iter()
            .map(|change| (change.cycle, change.level))
            .collect();
        assert_eq!(cycles, [(300, true), (310, true), (320, false), (340, false)]);
    }
}
