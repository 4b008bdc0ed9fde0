//! The part of a profile about kernels, interrupts and masking.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Profile;
use super::summary::{fitting, percent, rule_off};

/// Width of the column of function names.
const NAME: usize = 40;

/// A kernel found in the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The symbol by which it was recognised.
    pub found_by: String,
    /// Idle cycles, if known: those of its idle thread and of everything called there.
    pub idle: Option<u64>,
    /// The kernel functions that ran.
    pub uses: Vec<KernelUse>,
}

/// A function of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelUse {
    /// Its purpose: `switch`, `lock`.
    pub what: &'static str,
    /// An index into [`Profile::functions`].
    pub function: usize,
    /// Calls.
    pub calls: u64,
    /// Cycles of all calls, callees included.
    pub cycles: u64,
}

/// Cycles from the edge of an interrupt's input or line to the first instruction of its handler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latency {
    /// The interrupt's name.
    pub interrupt: String,
    /// Number of handler entries that followed an edge.
    pub count: u64,
    /// Minimum, in cycles.
    pub min: u64,
    /// Sum, in cycles.
    pub sum: u64,
    /// Maximum, in cycles.
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

    /// An instruction's place, `step at main.rs:12`, or its address.
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
