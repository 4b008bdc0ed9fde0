//! The page of matching words.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::recording::Recording;
use crate::tally::Tally;

/// The kind of data in a memory section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Intervals of the cycle counter.
    Cycles,
    /// Intervals of an event counter of the trace unit.
    Counters,
    /// Registers, flags and memory.
    Values,
}

impl Kind {
    /// Every kind, in the order of the page.
    pub const ALL: [Kind; 3] = [Kind::Cycles, Kind::Counters, Kind::Values];

    /// The kind of a section with this name in the authors' programs.
    pub fn of(name: &str) -> Kind {
        match name {
            "times" | "cyccnt" | "csrs" | "cvrs" => Kind::Cycles,
            _ if name.ends_with("_times") => Kind::Cycles,
            _ if name.ends_with("cnts") || name.ends_with("cnt") => Kind::Counters,
            _ => Kind::Values,
        }
    }
}

/// An archive of recordings.
#[derive(Debug)]
pub struct Row {
    /// The board of its chip.
    pub board: &'static str,
    /// Its path in the authors' repository.
    pub path: String,
    hash: String,
    tallies: [Tally; 3],
    failed: u32,
}

impl Row {
    /// A row with empty tallies.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn new(board: &'static str, path: String, file: &Path) -> Result<Row> {
        let bytes = std::fs::read(file).with_context(|| format!("cannot read {path}"))?;
        let digest = Sha256::digest(&bytes);
        let hash = digest.iter().take(6).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Ok(Row {
            board,
            path,
            hash,
            tallies: [Tally::default(); 3],
            failed: 0,
        })
    }

    /// The tally of a kind.
    pub fn tally(&mut self, kind: Kind) -> &mut Tally {
        &mut self.tallies[kind as usize]
    }

    /// Counts a recording that did not reach its end: none of its words match.
    pub fn fail(&mut self, recording: &Recording) {
        self.failed += 1;
        for dump in &recording.left {
            self.tally(Kind::of(&dump.name)).miss(dump);
        }
    }
}

/// Writes the page for these archives.
pub fn page(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    text += "\n| board | intervals of the cycle counter | of event counters | values |\n|---|---|---|---|\n";
    let mut boards: Vec<&str> = rows.iter().map(|row| row.board).collect();
    boards.dedup();
    for board in &boards {
        let of_board = rows.iter().filter(|row| row.board == *board);
        let total = of_board.fold([Tally::default(); 3], |mut total, row| {
            total
                .iter_mut()
                .zip(&row.tallies)
                .for_each(|(sum, one)| sum.add(*one));
            total
        });
        let _ = writeln!(
            text,
            "| `{board}` | {} | {} | {} |",
            share(total[0]),
            share(total[1]),
            share(total[2])
        );
    }
    for board in boards {
        let _ = write!(
            text,
            "\n## `{board}`\n\n| archive | SHA-256 | cycles | counters | values |\n|---|---|---|---|---|\n"
        );
        for row in rows.iter().filter(|row| row.board == board) {
            let path = row
                .path
                .trim_start_matches("cmemu-tests/tests/")
                .trim_end_matches(".tzst");
            let [cycles, counters, values] = row.tallies.map(counted);
            let failed = if row.failed == 0 {
                String::new()
            } else {
                format!(" ({} did not end)", row.failed)
            };
            let _ = writeln!(
                text,
                "| {path}{failed} | `{}` | {cycles} | {counters} | {values} |",
                row.hash
            );
        }
    }
    text
}

const HEAD: &str = "# Recordings of silicon, by archive

<!-- Written by `./x others silicon PATH`. Do not edit. -->

How many words are equal, of how many. [What differs, and why](../../docs/evidence.md#recordings-of-silicon).
";

fn counted(tally: Tally) -> String {
    match tally.words {
        0 => String::new(),
        words if words == tally.same => format!("all {words}"),
        words => format!("{} of {words}", tally.same),
    }
}

fn share(tally: Tally) -> String {
    if tally.words == 0 {
        return String::new();
    }
    // Rounded down, so that 100 % means all.
    let hundredths = tally.same * 10_000 / tally.words;
    format!(
        "{} of {}: {}.{:02} %",
        tally.same,
        tally.words,
        hundredths / 100,
        hundredths % 100
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_whole_only_if_every_word_is_the_same() {
        let of = |same, words| share(Tally { words, same });
        assert_eq!(of(99_999, 100_000), "99999 of 100000: 99.99 %");
        assert_eq!(of(7, 7), "7 of 7: 100.00 %");
        assert_eq!(of(0, 0), "");
    }

    #[test]
    fn a_name_tells_what_a_part_of_memory_holds() {
        let kinds = ["times", "push_times", "lsucnts", "cyccnt", "results"].map(Kind::of);
        assert_eq!(
            kinds,
            [
                Kind::Cycles,
                Kind::Cycles,
                Kind::Counters,
                Kind::Cycles,
                Kind::Values
            ]
        );
    }
}
