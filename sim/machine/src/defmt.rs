//! defmt: the program sends the indices of its format strings with their arguments; the ELF file holds the strings.
//!
//! The wire format is version 4 of the `defmt` book; `defmt-parser` parses the format strings. defmt's own decoder depends on 69 crates,
//! so decoding is done here: [`table`] reads the strings, [`stream`] finds the frames, [`value`] reads the arguments, [`show`] formats
//! them.

mod show;
mod stream;
mod table;
mod value;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::channel::Stamp;
use crate::image::Image;
use stream::Frames;
pub(crate) use table::{Level, Table};

/// Decodes a program's defmt log. A line has its core cycle, the program's own time stamp if there is one, the level, the text and the
/// source position.
pub struct Log {
    table: Arc<Table>,
    image: Arc<Image>,
    frames: Frames,
    told: BTreeSet<String>,
}

impl Log {
    /// The decoder for a program that uses defmt; `None` for others.
    pub fn of(image: &Arc<Image>) -> Option<Log> {
        let table = Arc::clone(image.defmt()?);
        Some(Log {
            frames: Frames::new(table.is_encoded()),
            table,
            image: Arc::clone(image),
            told: BTreeSet::new(),
        })
    }

    /// The lines that these bytes complete.
    pub(crate) fn take(&mut self, at: Stamp, bytes: &[u8]) -> Vec<u8> {
        self.frames.take(bytes);
        let mut lines = Vec::new();
        while let Some(frame) = self.frames.next() {
            let line = match self.line(at, &frame) {
                Some((line, taken)) => {
                    self.frames.took(taken);
                    line
                }
                None if self.frames.waits_for_more() => break,
                None => {
                    let line = format!(
                        "{:>10} (a frame of {} bytes that is not one of defmt's)\n",
                        at.cycle,
                        frame.len()
                    );
                    if !self.told.insert(line.clone()) {
                        continue;
                    }
                    line
                }
            };
            lines.extend(line.into_bytes());
        }
        lines
    }

    fn line(&mut self, at: Stamp, frame: &[u8]) -> Option<(String, usize)> {
        let (entry, time, text, taken) = self.table.message(frame)?;
        let level = match entry.level {
            Level::Println => String::new(),
            level => format!("{:<5} ", level.name()),
        };
        let time = time.map_or(String::new(), |time| format!("{time} "));
        let place = self.image.place_of_log(&entry.symbol);
        let place = place.map_or(String::new(), |place| {
            format!("  ({}:{})", place.file, place.line)
        });
        Some((format!("{:>10} {time}{level}{text}{place}\n", at.cycle), taken))
    }
}

#[cfg(test)]
mod tests;
