//! Published figures, or figures measured in another way, to show next to the rows.

use report::Figure;

use super::reader::Reader;
use crate::diagnostic::Result;

pub(super) const ELSEWHERE: &[&str] = &["id", "kernel", "figure", "unit", "on", "source"];
pub(super) const NAME: &str = "[[elsewhere]]";

/// A figure from elsewhere. It is shown, and used for nothing else.
#[derive(Clone, PartialEq, Debug)]
pub struct Elsewhere {
    /// The id of the row that it corresponds to.
    pub id: String,
    /// The kernel that it belongs to.
    pub kernel: String,
    /// The figure.
    pub figure: Figure,
    /// Its unit; cycles, unless the spec says otherwise.
    pub unit: String,
    /// The machine on which it was measured.
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
