//! Results as text for a terminal.

use comfy_table::CellAlignment;

use crate::figure::short;
use crate::matrix::{Matrix, Section, figure, matrices};
use crate::results::Row;
use crate::sheet::Sheet;

/// One table per group, under a line that says where it was measured. Groups that were measured on several boards come first and have a
/// column per board.
///
/// Pre-empted and blocked cycles have columns only if a row of the group has any; otherwise all cycles are the context's own.
pub fn table(rows: &[Row]) -> String {
    let (matrices, rest) = matrices(rows);
    let across = matrices.iter().flat_map(across_boards);
    let tables: Vec<String> = across
        .chain(groups(&rest).map(|group| format!("{}\n{}", place(group), draw(group))))
        .collect();
    tables.join("\n")
}

/// The tables of a group that was measured on several boards.
fn across_boards(matrix: &Matrix<'_>) -> Vec<String> {
    let mut tables = Vec::new();
    for section in &matrix.sections {
        let place = match section.title {
            "" => matrix.group.to_owned(),
            title => format!("{} · {title}", matrix.group),
        };
        if !section.lines.is_empty() {
            tables.push(format!("{place}\n{}", draw_section(section)));
        }
        if !section.published.is_empty() {
            let rows: Vec<Row> = section.published.iter().copied().cloned().collect();
            tables.push(format!(
                "{place}, published\n{}",
                draw_columns(&rows, &published_columns())
            ));
        }
    }
    tables
}

fn draw_section(section: &Section<'_>) -> String {
    let (heads, aligns) = section.heads().into_iter().unzip();
    let line = |line: &crate::matrix::Line<'_>| {
        let name = std::iter::once(line.name.to_owned());
        name.chain(line.cells.iter().cloned()).collect()
    };
    let rows = section.lines.iter().map(line).collect();
    let details = Vec::new();
    Sheet {
        heads,
        aligns,
        rows,
        details,
    }
    .text()
}

/// The columns of rows from several boards that have a published figure.
pub(crate) fn published_columns() -> Vec<Column> {
    use CellAlignment::{Center, Left, Right};
    let column = |title, align, cell| Column { title, align, cell };
    vec![
        column("measurement", Left, |row| row.name().to_owned()),
        column("board", Left, |row| row.board.clone()),
        column("measured", Right, figure),
        column("published", Right, |row| {
            row.published.map_or(String::new(), |figure| figure.to_string())
        }),
        column("difference", Right, |row| {
            row.difference().map_or(String::new(), signed)
        }),
        column("%", Right, percentage),
        column("evidence", Center, |row| row.evidence.label().to_owned()),
        column("unit", Left, |row| row.unit.to_string()),
    ]
}

/// The difference in percent of the published figure.
pub(crate) fn percentage(row: &Row) -> String {
    match (row.difference(), row.published) {
        (Some(difference), Some(published)) if published.value() != 0.0 => {
            signed(100.0 * difference / published.value())
        }
        _ => String::new(),
    }
}

/// Splits rows into runs that share group, board, core and kernel.
pub(crate) fn groups(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|a, b| {
        a.group() == b.group() && a.board == b.board && a.core == b.core && a.kernel == b.kernel
    })
}

/// Where a group was measured: `rtfm · stm32f100rb · cortex-m3 · listing`
fn place(group: &[Row]) -> String {
    let Some(row) = group.first() else {
        return String::new();
    };
    let mut parts = vec![row.group(), row.board.as_str(), row.core.as_str()];
    if row.kernel != "none" {
        parts.push(&row.kernel);
    }
    parts.join(" · ")
}

fn draw(group: &[Row]) -> String {
    draw_columns(group, &columns(group))
}

fn draw_columns(group: &[Row], columns: &[Column]) -> String {
    let cells = |row| columns.iter().map(|column| (column.cell)(row)).collect();
    let details = columns.iter().enumerate();
    Sheet {
        heads: columns.iter().map(|column| column.title.to_owned()).collect(),
        aligns: columns.iter().map(|column| column.align).collect(),
        rows: group.iter().map(cells).collect(),
        details: details
            .filter(|(_, column)| DETAILS.contains(&column.title))
            .map(|(index, _)| index)
            .collect(),
    }
    .text()
}

/// Lays out these rows as a table.
pub(crate) fn drawn(
    heads: &[&str],
    aligns: &[CellAlignment],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    Sheet {
        heads: heads.iter().map(|&head| head.to_owned()).collect(),
        aligns: aligns.to_vec(),
        rows: rows.collect(),
        details: Vec::new(),
    }
    .text()
}

/// The columns that split a figure, or give more than the cycles of a call.
const DETAILS: [&str; 5] = ["own", "pre-empted", "blocked", "µs", "stack"];

/// A column of a table of results.
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) align: CellAlignment,
    pub(crate) cell: fn(&Row) -> String,
}

/// The columns that this group needs.
pub(crate) fn columns(group: &[Row]) -> Vec<Column> {
    use CellAlignment::{Center, Left, Right};
    let column = |title, align, cell| Column { title, align, cell };
    let spread = group.iter().any(|row| row.min != row.max);
    let shared = group.iter().any(|row| row.preempted != 0 || row.blocked != 0);
    let published = group.iter().any(|row| row.published.is_some());
    let timed = group.iter().any(|row| row.time_us.is_some());
    let stack = group.iter().any(|row| row.stack.is_some());
    let mut columns = vec![column("measurement", Left, |row| row.name().to_owned())];
    if spread || timed {
        columns.push(column(if timed { "calls" } else { "count" }, Right, |row| {
            row.count.to_string()
        }));
    }
    columns.push(column(
        if spread { "min / mean / max" } else { "measured" },
        Right,
        figure,
    ));
    if shared {
        columns.push(column("own", Right, |row| row.own.to_string()));
        columns.push(column("pre-empted", Right, |row| row.preempted.to_string()));
        columns.push(column("blocked", Right, |row| row.blocked.to_string()));
    }
    if published {
        columns.push(column("published", Right, |row| {
            row.published.map_or(String::new(), |p| p.to_string())
        }));
        columns.push(column("difference", Right, |row| {
            row.difference().map_or(String::new(), signed)
        }));
    }
    if timed {
        columns.push(column("µs", Right, time));
    }
    if stack {
        columns.push(column("stack", Right, |row| {
            row.stack.map_or(String::new(), |bytes| bytes.to_string())
        }));
    }
    columns.push(column("evidence", Center, |row| row.evidence.label().to_owned()));
    columns.push(column("unit", Left, |row| row.unit.to_string()));
    columns
}

/// How long calls took in microseconds, to the nanosecond.
fn time(row: &Row) -> String {
    let shown = |time: f64| {
        let text = format!("{time:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let Some(time) = row.time_us else {
        return String::new();
    };
    let [min, mean, max] = [time.min, time.mean, time.max].map(shown);
    if min == max {
        max
    } else {
        format!("{min} / {mean} / {max}")
    }
}

/// A number with its sign; zero has none.
pub(crate) fn signed(difference: f64) -> String {
    let text = short(difference);
    if text == "0" || text.starts_with('-') {
        text
    } else {
        format!("+{text}")
    }
}
