//! Output for people: a terminal, and a pull request's page.

use std::fmt::Write as _;

use super::{Judged, Judgement};
use crate::markdown::{MOST_PAGE, cell_of};

/// Marks a pull-request comment so that the next run can find and replace it.
const MARKER: &str = "<!-- cyclescope-gate -->";

impl Judgement {
    /// A line for each row that failed or changed, and a summary.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for row in self.of_note() {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(
                text,
                "{:<8} {}: {} {}",
                row.verdict.name(),
                row.name(),
                row.change(),
                row.row.unit
            );
            for reason in &row.reasons {
                let _ = writeln!(text, "         {reason}");
            }
            for reason in row.because() {
                let _ = writeln!(text, "         {reason}");
            }
        }
        for change in &self.changed {
            let _ = writeln!(text, "note     {change}");
        }
        let _ = writeln!(text, "{}", self.summary());
        text
    }

    /// A Markdown page for a pull request or a step summary. Its first line is the marker, so that there is only one such comment.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("{MARKER}\n### Cycles: {}\n", self.summary());
        for change in &self.changed {
            let _ = write!(text, "\nNote: {}\n", cell_of(change));
        }
        let rows: Vec<&Judged> = self.of_note().collect();
        if rows.is_empty() {
            text.push_str("\nNothing is dearer or cheaper than in the baseline, and every limit is kept.\n");
            return text;
        }
        text.push_str("\n| | measurement | board | was → is | why |\n|---|---|---|---|---|\n");
        for (index, row) in rows.iter().enumerate() {
            if text.len() > MOST_PAGE {
                let _ = writeln!(
                    text,
                    "\n… and {} more; the step's log has them all.",
                    rows.len() - index
                );
                break;
            }
            let cells = [
                row.verdict.name().to_owned(),
                row.row.id.clone(),
                row.row.board.clone(),
                format!("{} {}", row.change(), row.row.unit),
            ];
            let why = [&[row.reasons.join("; ")][..], &row.because()].concat();
            let why: Vec<String> = why.iter().map(|line| cell_of(line)).collect();
            let cells = cells
                .map(|cell| cell_of(&cell))
                .into_iter()
                .chain([why.join("<br>")]);
            let cells: Vec<String> = cells.collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }
}
