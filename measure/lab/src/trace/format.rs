//! The formats of traces, and what each of them does with an event.

use std::path::Path;

use events::{Event, Step};

use crate::diagnostic::{Diagnostic, Result};
use crate::nearest::did_you_mean;

/// A trace format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Readable text, one line per event.
    Text,
    /// A JSON object per line and event.
    JsonLines,
    /// A table with comma-separated values.
    Csv,
    /// Waveforms: program counter, stack pointer, context, priority, masks, interrupt lines, pins.
    Vcd,
    /// Perfetto packets: contexts with their calls, interrupts, masks, stack, clock.
    Perfetto,
}

impl Format {
    /// Every format with its name and its file extensions.
    pub const ALL: [(Format, &'static str, &'static [&'static str]); 5] = [
        (Format::Text, "text", &["txt", "trace", "log"]),
        (Format::JsonLines, "jsonl", &["jsonl", "ndjson"]),
        (Format::Csv, "csv", &["csv"]),
        (Format::Vcd, "vcd", &["vcd"]),
        (
            Format::Perfetto,
            "perfetto",
            &["perfetto", "pftrace", "perfetto-trace"],
        ),
    ];

    /// The format for a file extension in any case; text if there is no extension.
    ///
    /// # Errors
    ///
    /// If no format has this extension.
    pub fn of(path: &Path) -> Result<Format> {
        let Some(end) = path.extension() else {
            return Ok(Format::Text);
        };
        let end = end.to_string_lossy().to_lowercase();
        let known = Format::ALL.iter().find(|(_, _, ends)| ends.contains(&&*end));
        known.map(|(format, ..)| *format).ok_or_else(|| {
            let ends = || Format::ALL.iter().flat_map(|(_, _, ends)| ends.iter().copied());
            let listed: Vec<String> = ends().map(|end| format!(".{end}")).collect();
            let near = did_you_mean(&end, ends()).map_or(String::new(), |near| format!("{near} "));
            let help = format!(
                "{near}the names of traces end in {}; `--trace-format` chooses a format whatever the name",
                listed.join(", ")
            );
            Diagnostic::mistake(format!("`.{end}` is no format of a trace"))
                .in_file(path.display().to_string())
                .help(help)
        })
    }
}

/// Writes events in one format.
pub(super) trait Writer {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>);

    /// Writes an instruction, for formats that need only a [`Step`].
    fn step(&mut self, _step: &Step<'_>, _out: &mut Vec<u8>) {}

    /// Ends the file; the last event was in this cycle.
    fn end(&mut self, cycle: u64, out: &mut Vec<u8>);
}
