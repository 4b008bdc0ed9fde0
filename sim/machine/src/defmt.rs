//! defmt: a program sends the numbers of its format strings and their arguments, and the host has the strings from the ELF file.
//!
//! The wire format is version 4 of the `defmt` book; its format strings are parsed by `defmt-parser`. The decoder of its own takes 69
//! crates with it, so what it does with bytes is done here: [`table`] reads the strings, [`stream`] finds the frames, [`value`] reads
//! the arguments, [`show`] writes them.

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

/// Shows what a program logs with defmt: the core cycle in which each line came, the program's own time stamp if it has one, level, text, and
/// where in the source it stands.
pub struct Log {
    table: Arc<Table>,
    image: Arc<Image>,
    frames: Frames,
    told: BTreeSet<String>,
}

impl Log {
    /// For a program that logs so; `None` for others.
    pub fn of(image: &Arc<Image>) -> Option<Log> {
        let table = Arc::clone(image.defmt()?);
        Some(Log {
            frames: Frames::new(table.is_encoded()),
            table,
            image: Arc::clone(image),
            told: BTreeSet::new(),
        })
    }

    /// The lines that these bytes end.
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
