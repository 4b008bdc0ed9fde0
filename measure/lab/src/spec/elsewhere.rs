//! What others published, or what was measured in another way, to stand beside the rows.

use report::Figure;

use super::reader::Reader;
use crate::diagnostic::Result;

pub(super) const ELSEWHERE: &[&str] = &["id", "kernel", "figure", "unit", "on", "source"];
pub(super) const NAME: &str = "[[elsewhere]]";

/// A figure that no program here gives. It is shown, and never used.
#[derive(Clone, PartialEq, Debug)]
pub struct Elsewhere {
    /// The name of the row that it would be.
    pub id: String,
    /// Whose it is.
    pub kernel: String,
    /// The figure.
    pub figure: Figure,
    /// What it counts: cycles, unless the spec says otherwise.
    pub unit: String,
    /// On which machine.
    pub on: String,
    /// Where it was published, or how it was measured.
    pub source: String,
}

pub(super) fn elsewhere(top: &Reader<'_>) -> Result<Vec<Elsewhere>> {
    let read = |reader: &Reader<'_>| {
        let text = |key| reader.required_text(key).map(|text| text.value);
        let Some(figure) = reader.figure("figure")? else {
            return Err(reader.mistake_here(format!("{NAME} has no `figure`")));
        };
        Ok(Elsewhere {
            id: text("id")?,
            kernel: text("kernel")?,
            figure,
            unit: reader
                .text("unit")?
                .map_or_else(|| "cycles".to_owned(), |unit| unit.value),
            on: text("on")?,
            source: text("source")?,
        })
    };
    let tables = top.tables("elsewhere", NAME, ELSEWHERE)?;
    tables.iter().map(read).collect()
}
