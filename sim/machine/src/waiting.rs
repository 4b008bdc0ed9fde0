//! What a program waits for where it stands: it sleeps, or it goes round a loop that reads a register.

mod polled;

use core_cortex_m::HeldBack;

use crate::exception::{Exception, ExceptionNames};
use crate::machine::{Machine, Outcome};
use crate::processor::Processor;

/// What a program waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// In sentences: the first says what it does, the others why that does not end.
    pub lines: Vec<String>,
    /// What may let it go on.
    pub help: Option<String>,
}

/// Pending exceptions that are named.
const MOST_PENDING: usize = 4;

impl Machine {
    /// What the program waits for where a run came to `outcome`, as far as that can be told; `None` if the run is over. It is found out by
    /// trying: the machine is as before.
    pub fn waits(&mut self, outcome: &Outcome) -> Option<Waiting> {
        if !matches!(outcome, Outcome::Limit { .. } | Outcome::Paused { .. }) {
            return None;
        }
        let Some(mut lines) = asleep(self.processor(), &self.board().exception_names()) else {
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

/// Since when the core sleeps, and what is pending and does not wake it; `None` if it is awake.
pub(crate) fn asleep(processor: &Processor, names: &ExceptionNames) -> Option<Vec<String>> {
    match processor {
        Processor::CortexM(core) => {
            let asleep = core.asleep()?;
            let what = if asleep.for_event { "WFE" } else { "WFI" };
            let pending = asleep.pending.iter().take(MOST_PENDING);
            let pending = pending.map(|&(number, why)| held_back(number, why, names));
            let first = format!("asleep since cycle {} ({what})", asleep.since);
            Some(std::iter::once(first).chain(pending).collect())
        }
        Processor::Rv32(hart) => {
            let since = hart.asleep_since()?;
            let pending = hart.core().csrs.pending();
            let disabled = (0..16).filter(|code| pending >> code & 1 != 0).take(MOST_PENDING);
            let disabled = disabled.map(|code| {
                let name = names.name(Exception::Interrupt(code));
                format!("{name} is pending, and not enabled in mie")
            });
            let first = format!("asleep since cycle {since} (WFI)");
            Some(std::iter::once(first).chain(disabled).collect())
        }
    }
}

fn held_back(number: u16, why: HeldBack, names: &ExceptionNames) -> String {
    let why = match why {
        HeldBack::Disabled => "not enabled in the NVIC".to_owned(),
        HeldBack::Faultmask => "masked by FAULTMASK".to_owned(),
        HeldBack::Basepri(mask, own) => format!("masked by BASEPRI {mask:#04x}: its priority is {own:#04x}"),
        HeldBack::Handler(other) => format!(
            "no more urgent than the handler of {}, which runs",
            names.of(other)
        ),
    };
    format!("{} is pending, {why}", names.of(number))
}

/// What happens next, whether or not it wakes the core, and in which cycle.
fn next_event(processor: &Processor, names: &ExceptionNames) -> Option<(u64, String)> {
    let device = processor.bus().next_change();
    let device = device.map(|(cycle, name)| (cycle, name.to_owned()));
    let inputs = match processor {
        Processor::CortexM(core) => {
            let systick = core.sys.next_event();
            let systick = (systick != u64::MAX).then(|| (systick, "SysTick".to_owned()));
            let input = core.next_input().map(|(cycle, number)| (cycle, names.of(number)));
            [systick, input]
        }
        Processor::Rv32(hart) => {
            let input = hart.next_input();
            [
                input.map(|cycle| (cycle, "an input from outside".to_owned())),
                None,
            ]
        }
    };
    let all = device.into_iter().chain(inputs.into_iter().flatten());
    all.min_by_key(|(cycle, _)| *cycle)
}

/// A time with three digits or so: `4295 s`, `1.25 ms`.
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
