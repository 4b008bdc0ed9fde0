//! Finds out why a program does not progress: it sleeps, or polls a register in a loop.

mod polled;

use crate::exception::ExceptionNames;
use crate::machine::{Machine, Outcome};
use crate::processor::Processor;

/// Why a program does not progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Sentences: the first says what the program does, the others why that does not end.
    pub lines: Vec<String>,
    /// The suggested remedy.
    pub help: Option<String>,
}

/// The most pending exceptions listed for a sleeping core.
pub(crate) const MOST_PENDING: usize = 4;

impl Machine {
    /// Why the program does not progress after `outcome`, if that can be told; `None` if the run is over. It experiments on the machine
    /// and restores it.
    pub fn waits(&mut self, outcome: &Outcome) -> Option<Waiting> {
        if !matches!(outcome, Outcome::Limit { .. } | Outcome::Paused { .. }) {
            return None;
        }
        let Some(mut lines) = self.processor().asleep(&self.board().exception_names()) else {
            return self.polled().map(|polled| polled.describe());
        };
        let now = self.cycle();
        let next = next_event(self.processor(), &self.board().exception_names());
        let help = next.as_ref().map(|(cycle, what)| {
            let time = self
                .bus()
                .nanoseconds(*cycle)
                .saturating_sub(self.bus().nanoseconds(now));
            lines.push(format!(
                "next event: {what} in {}, in cycle {cycle}",
                in_words(time)
            ));
            format!("the run has to go beyond cycle {cycle}: `--limit` or `--for` says how far")
        });
        if next.is_none() {
            lines.push("nothing is due to happen".to_owned());
        }
        Some(Waiting { lines, help })
    }
}

/// The next event, whether or not it wakes the core, and its cycle.
fn next_event(processor: &dyn Processor, names: &ExceptionNames) -> Option<(u64, String)> {
    let device = processor.bus().next_change();
    let device = device.map(|(cycle, name)| (cycle, name.to_owned()));
    let all = device.into_iter().chain(processor.coming(names));
    all.min_by_key(|(cycle, _)| *cycle)
}

/// A duration with about three digits: `4295 s`, `1.25 ms`.
fn in_words(nanoseconds: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs")];
    let unit = UNITS.iter().find(|(size, _)| nanoseconds >= *size);
    let Some(&(size, unit)) = unit else {
        return format!("{nanoseconds} ns");
    };
    let hundredths = u128::from(nanoseconds) * 100 / u128::from(size);
    match hundredths {
        0..1000 => format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100),
        1000..10_000 => format!("{}.{} {unit}", hundredths / 100, hundredths / 10 % 10),
        _ => format!("{} {unit}", hundredths / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn times_have_three_digits() {
        let times = [0, 999, 1000, 42_490, 1_250_000, 999_999_999, 4_294_967_296_000].map(in_words);
        let words = [
            "0 ns", "999 ns", "1.00 µs", "42.4 µs", "1.25 ms", "999 ms", "4294 s",
        ];
        assert_eq!(times, words);
    }
}
