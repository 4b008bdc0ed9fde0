//! Pages of which commands write a part, between two comments; most of these parts are in `docs/evidence.md`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::root;

/// The page of what was checked, below `docs`.
pub(crate) const EVIDENCE: &str = "evidence.md";

/// The comments around a part of the page.
pub(crate) type Marks = [&'static str; 2];

/// Every published figure that a program here measures again.
pub(crate) const MEASUREMENTS: Marks = [
    "<!-- measurements: written by `./x others checks`; a test fails when they are stale -->\n",
    "<!-- end of the measurements -->\n",
];

/// Code of others that is published with its cycles.
pub(crate) const CODE: Marks = [
    "<!-- code: written by `./x others published DIR` -->\n",
    "<!-- end of the code -->\n",
];

/// The totals of others' recordings of silicon.
pub(crate) const RECORDINGS: Marks = [
    "<!-- recordings: written by `./x others silicon` -->\n",
    "<!-- end of the recordings -->\n",
];

fn place() -> PathBuf {
    root().join("docs").join(EVIDENCE)
}

/// The page of what was checked with this part of it: `written` from its first table on, with headings a level lower.
///
/// # Errors
/// If there is no table, or the page has no place for it.
pub(crate) fn evidence_with(marks: Marks, written: &str) -> Result<String> {
    let page = fs::read_to_string(place()).context("docs/evidence.md")?;
    let table = written.find("\n| ").context("no table was written")?;
    let part = written[table..].trim_start().replace("\n## ", "\n### ");
    replaced(&page, marks, &part).context("docs/evidence.md has no place for the table")
}

/// Writes this part of the page of what was checked.
///
/// # Errors
/// As [`evidence_with`], and if the page cannot be written.
pub(crate) fn write_evidence(marks: Marks, written: &str) -> Result<()> {
    fs::write(place(), evidence_with(marks, written)?).context("docs/evidence.md")
}

/// The page with `part` between its comments.
pub(crate) fn replaced(page: &str, [begin, end]: Marks, part: &str) -> Option<String> {
    let (before, rest) = page.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{part}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_is_written() {
        let [begin, end] = CODE;
        let page = format!("a\n{begin}old\n{end}b\n");
        let page = replaced(&page, CODE, "new\n").unwrap();
        assert_eq!(page, format!("a\n{begin}\nnew\n\n{end}b\n"));
        assert!(replaced(&page, CODE, "new\n").is_some_and(|again| again == page));
        assert!(replaced("a", CODE, "new").is_none());
    }

    #[test]
    fn a_page_becomes_a_part_from_its_first_table_on() {
        for marks in [MEASUREMENTS, CODE, RECORDINGS] {
            let page =
                evidence_with(marks, "# Title\n\ntext\n\n| a |\n|---|\n\n## Source\n\n| b |\n").unwrap();
            let (_, part) = page.split_once(marks[0]).unwrap();
            let (part, _) = part.split_once(marks[1]).unwrap();
            assert_eq!(part, "\n| a |\n|---|\n\n### Source\n\n| b |\n\n");
        }
        assert!(evidence_with(CODE, "no table").is_err());
    }
}
