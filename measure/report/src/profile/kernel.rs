//! What a profile tells of a kernel, of interrupts and of masks.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Profile;
use super::summary::{fitting, percent, rule_off};

/// Columns of a function's name.
const NAME: usize = 40;

/// A kernel that the program has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The symbol by which it was found.
    pub found_by: String,
    /// Cycles in which it had nothing to do, as far as that is known: its idle thread, what is called there included.
    pub idle: Option<u64>,
    /// What it did.
    pub uses: Vec<KernelUse>,
}

/// A function of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelUse {
    /// What it is for: `switch`, `lock`.
    pub what: &'static str,
    /// An index into [`Profile::functions`].
    pub function: usize,
    /// Calls.
    pub calls: u64,
    /// Cycles of all calls, with what they called.
    pub cycles: u64,
}

/// From the edge of an interrupt's input or line to the first instruction of its handler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latency {
    /// Its name.
    pub interrupt: String,
    /// How often its handler was entered behind an edge.
    pub count: u64,
    /// The least, in cycles.
    pub min: u64,
    /// All together.
    pub sum: u64,
    /// The greatest.
    pub max: u64,
}

impl Profile {
    pub(super) fn kernels_to(&self, text: &mut String) {
        for kernel in &self.kernels {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "kernel: {} (there is {})", kernel.name, kernel.found_by);
            let switches: u64 = self.threads().map(|context| context.runs).sum();
            let idle = kernel.idle.map_or(String::new(), |idle| {
                format!("; idle {} of the cycles", percent(idle, self.cycles))
            });
            let _ = writeln!(
                text,
                "{} threads, {} switches{idle}",
                self.threads().count(),
                switches.saturating_sub(1)
            );
            if !kernel.uses.is_empty() {
                let _ = writeln!(text, "\n{:>10} {:>10} {:>8}  function", "calls", "cycles", "mean");
                rule_off(text);
            }
            let mut what = "";
            for used in &kernel.uses {
                if used.what != what {
                    what = used.what;
                    let _ = writeln!(text, "{:>32}{what}:", "");
                }
                let name = fitting(&self.functions[used.function].name, NAME);
                let _ = writeln!(
                    text,
                    "{:>10} {:>10} {:>8}    {name}",
                    used.calls,
                    used.cycles,
                    used.cycles
                        .checked_div(used.calls)
                        .map_or("–".to_owned(), |mean| mean.to_string())
                );
            }
            text.push('\n');
        }
    }

    fn threads(&self) -> impl Iterator<Item = &super::Context> {
        self.contexts.iter().filter(|context| context.is_thread)
    }

    pub(super) fn latencies_to(&self, text: &mut String) {
        for latency in &self.latencies {
            let _ = writeln!(
                text,
                "latency of {}: {} / {} / {} cycles from the edge to the handler, {} times",
                latency.interrupt,
                latency.min,
                latency.sum / latency.count.max(1),
                latency.max,
                latency.count
            );
        }
    }

    pub(super) fn masks_to(&self, text: &mut String) {
        let masked = &self.masked;
        if masked.count == 0 {
            return;
        }
        let _ = writeln!(
            text,
            "interrupts masked: {} cycles in {} stretches; the longest of each place:",
            masked.cycles, masked.count
        );
        for place in &masked.longest {
            let often = if place.count == 1 {
                "once".to_owned()
            } else {
                format!("{} times", place.count)
            };
            let stretch = format!(
                "from\u{a0}{} to\u{a0}{}, {often}",
                self.at(place.from),
                self.at(place.to)
            );
            let length = format!("{:>10}  ", place.longest);
            let _ = writeln!(text, "{}", crate::beside(&length, &stretch, 0, ""));
        }
    }

    /// `step at main.rs:12`, or the address.
    fn at(&self, pc: u32) -> String {
        let Some(code) = self.code.get(&pc) else {
            return format!("{pc:#010x}");
        };
        let name = fitting(&self.functions[code.function].name, NAME / 2);
        match self.line_of(pc) {
            Some((file, line)) => format!("{name} ({}:{line})", super::summary::file_name(&file)),
            None => format!("{name} ({pc:#010x})"),
        }
    }

    pub(super) fn kernels_json(&self) -> Value {
        let used = |used: &KernelUse| json!({ "what": used.what, "function": self.functions[used.function].name, "calls": used.calls, "cycles": used.cycles });
        let kernel = |kernel: &Kernel| {
            json!({
                "name": kernel.name, "found_by": kernel.found_by, "idle": kernel.idle,
                "uses": kernel.uses.iter().map(used).collect::<Vec<_>>(),
            })
        };
        self.kernels.iter().map(kernel).collect()
    }

    pub(super) fn latencies_json(&self) -> Value {
        let latency = |latency: &Latency| json!({ "interrupt": latency.interrupt, "count": latency.count, "min": latency.min, "sum": latency.sum, "max": latency.max });
        self.latencies.iter().map(latency).collect()
    }
}
