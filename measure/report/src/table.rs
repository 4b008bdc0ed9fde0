//! Results on a terminal.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::figure::short;
use crate::results::Row;

/// A rule below the header and no other line.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// One table for each group, with a line above that says where the figures were measured.
///
/// Pre-empted and blocked cycles have columns where a row of the group has any; elsewhere all is the context's own.
pub fn table(rows: &[Row]) -> String {
    let tables: Vec<String> = groups(rows)
        .map(|group| format!("{}\n{}", place(group), draw(group)))
        .collect();
    tables.join("\n")
}

/// Rows that follow each other and share group, board, core and kernel.
pub(crate) fn groups(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|a, b| {
        a.group() == b.group() && a.board == b.board && a.core == b.core && a.kernel == b.kernel
    })
}

/// `rtfm · stm32f100rb · cortex-m3 · listing`
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
    let columns = columns(group);
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| column.title));
    for row in group {
        table.add_row(columns.iter().map(|column| (column.cell)(row)));
    }
    for (drawn, column) in table.column_iter_mut().zip(&columns) {
        drawn.set_cell_alignment(column.align);
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

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
    let mut columns = vec![column("measurement", Left, |row| row.name().to_owned())];
    if spread {
        columns.push(column("count", Right, |row| row.count.to_string()));
    }
    columns.push(column(
        if spread { "min / mean / max" } else { "measured" },
        Right,
        measured,
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
    columns.push(column("evidence", Center, |row| row.evidence.to_string()));
    columns.push(column("unit", Left, |row| row.unit.to_string()));
    columns
}

fn measured(row: &Row) -> String {
    if row.min == row.max {
        row.max.to_string()
    } else {
        format!("{} / {} / {}", row.min, short(row.mean), row.max)
    }
}

/// With its sign, except for nothing.
fn signed(difference: f64) -> String {
    let text = short(difference);
    if text == "0" || text.starts_with('-') {
        text
    } else {
        format!("+{text}")
    }
}
