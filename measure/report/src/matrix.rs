//! One group measured on several boards: a table per section, with a column per board.
//!
//! A row and the row that names it in [`use_of`](Row::use_of) share a line, as `1 → 2`: the cost of an instruction, and its cost when the
//! next one uses its result.

use comfy_table::CellAlignment;

use crate::figure::short;
use crate::results::{Row, Unit};

/// A group and its boards.
pub(crate) struct Matrix<'a> {
    /// Name of the group.
    pub(crate) group: &'a str,
    /// Boards and their cores, in the order of their first appearance.
    pub(crate) boards: Vec<(&'a str, &'a str)>,
    /// Sections, in their order of appearance.
    pub(crate) sections: Vec<Section<'a>>,
    rows: Vec<&'a Row>,
}

/// A section of a group.
pub(crate) struct Section<'a> {
    /// Its heading; empty for rows without a section.
    pub(crate) title: &'a str,
    /// The boards on which it was measured.
    pub(crate) boards: Vec<&'a str>,
    /// Its measurements, each with a cell per board.
    pub(crate) lines: Vec<Line<'a>>,
    /// Its rows that have a published figure.
    pub(crate) published: Vec<&'a Row>,
    /// Whether any line has a latency to use.
    pub(crate) has_uses: bool,
}

/// One measurement on each board.
pub(crate) struct Line<'a> {
    pub(crate) name: &'a str,
    pub(crate) cells: Vec<String>,
}

/// Splits off the groups that have one kernel and several boards. The second part holds the remaining rows.
pub(crate) fn matrices(rows: &[Row]) -> (Vec<Matrix<'_>>, Vec<Row>) {
    let mut matrices = Vec::new();
    let mut rest = Vec::new();
    for group in distinct(rows.iter().map(Row::group)) {
        let of_group: Vec<&Row> = rows.iter().filter(|row| row.group() == group).collect();
        let boards = distinct(of_group.iter().map(|row| row.board.as_str()));
        let kernels = distinct(of_group.iter().map(|row| row.kernel.as_str()));
        if boards.len() > 1 && kernels.len() == 1 {
            matrices.push(Matrix::new(group, &of_group));
        } else {
            // Keeps a board's rows of a kernel together, in whatever order its programs ran.
            for (board, kernel) in boards
                .iter()
                .flat_map(|board| kernels.iter().map(move |kernel| (board, kernel)))
            {
                let both = |row: &&&Row| row.board == *board && row.kernel == *kernel;
                rest.extend(of_group.iter().filter(both).map(|row| (*row).clone()));
            }
        }
    }
    (matrices, rest)
}

impl<'a> Matrix<'a> {
    fn new(group: &'a str, rows: &[&'a Row]) -> Self {
        let boards = distinct(rows.iter().map(|row| (row.board.as_str(), row.core.as_str())));
        let titles = distinct(rows.iter().map(|row| title(row)));
        let section = |title_of: &&'a str| {
            let of_section: Vec<&Row> = rows
                .iter()
                .copied()
                .filter(|row| title(row) == *title_of)
                .collect();
            Section::new(title_of, &of_section)
        };
        let sections = titles.iter().map(section).collect();
        Matrix {
            group,
            boards,
            sections,
            rows: rows.to_vec(),
        }
    }

    /// All rows of the group.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().copied()
    }
}

fn title(row: &Row) -> &str {
    row.section.as_deref().unwrap_or("")
}

impl<'a> Section<'a> {
    fn new(title: &'a str, rows: &[&'a Row]) -> Self {
        let (published, plain): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.published.is_some());
        let boards = distinct(plain.iter().map(|row| row.board.as_str()));
        let ids = distinct(plain.iter().map(|row| row.id.as_str()));
        // A latency to use gets its own line if its instruction is in another section.
        let (uses, alone): (Vec<&Row>, Vec<&Row>) = plain.into_iter().partition(|row| {
            let base = row.use_of.as_deref();
            base.is_some_and(|base| ids.contains(&base))
        });
        let on = |board: &str, row: &&&Row| row.board == board;
        let line = |id: &str, name: &'a str| Line {
            name,
            cells: boards
                .iter()
                .map(|board| {
                    let mut here = alone.iter().filter(|row| on(board, row));
                    let mut used = uses.iter().filter(|row| on(board, row));
                    cell(
                        here.find(|row| row.id == id).copied(),
                        used.find(|row| row.use_of.as_deref() == Some(id)).copied(),
                    )
                })
                .collect(),
        };
        let lines = distinct(alone.iter().map(|row| (row.id.as_str(), row.name())));
        Section {
            title,
            boards: boards.clone(),
            lines: lines.into_iter().map(|(id, name)| line(id, name)).collect(),
            published,
            has_uses: !uses.is_empty(),
        }
    }

    /// Column heads with their alignment.
    pub(crate) fn heads(&self) -> Vec<(String, CellAlignment)> {
        let names = self
            .boards
            .iter()
            .map(|board| ((*board).to_owned(), CellAlignment::Right));
        let first = ("measurement".to_owned(), CellAlignment::Left);
        std::iter::once(first).chain(names).collect()
    }
}

/// A figure and its mark: `11 A`, `12 / 12.6 / 14 A`, `1 → 2 B`, `32 bytes B`.
fn cell(row: Option<&Row>, with_use: Option<&Row>) -> String {
    let Some(row) = row else {
        return "–".to_owned();
    };
    let unit = match row.unit {
        Unit::Cycles | Unit::Count => "",
        Unit::Bytes => " bytes",
        Unit::Percent => " %",
    };
    let (then, evidence) = match with_use {
        None => (String::new(), row.evidence),
        Some(used) => (format!(" → {}", figure(used)), row.evidence.max(used.evidence)),
    };
    format!("{}{}{then}{unit} {evidence}", evidence.sign(), figure(row))
}

pub(crate) fn figure(row: &Row) -> String {
    if row.min == row.max {
        row.max.to_string()
    } else {
        format!("{} / {} / {}", row.min, short(row.mean), row.max)
    }
}

/// Removes duplicates and keeps the order of first appearance.
pub(crate) fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}
