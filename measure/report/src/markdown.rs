//! The price list as a Markdown page in the repository.

use std::fmt::Write as _;

use comfy_table::CellAlignment;

use crate::chart::wait_states;
use crate::comparison::comparisons;
use crate::matrix::{Matrix, Section, matrices};
use crate::results::{Evidence, Results, Row, Unit};
use crate::table::{Column, columns, groups, published_columns};

/// The picture's path, relative to the page.
pub const PICTURE: &str = "img/wait-states.svg";

/// Byte limit of a page for a pull request: GitHub accepts comments of up to 65,536 characters.
pub(crate) const MOST_PAGE: usize = 60_000;

/// Longest bar, in characters.
const BAR: i64 = 24;

/// A page with one table per group, or per section where a group was measured on several boards. `made_with` is the command that
/// regenerates it.
pub fn markdown(results: &Results, made_with: &str) -> String {
    let mut page = head(made_with);
    let (matrices, rest) = matrices(&results.results);
    for matrix in &matrices {
        page.push_str(&across_boards(matrix));
    }
    page.push_str(&comparisons(&rest));
    let all: Vec<&[Row]> = groups(&rest).collect();
    for group in &all {
        let same = all.iter().filter(|other| name(other) == name(group)).count();
        let _ = write!(page, "\n## {}\n\n{}", heading(group, same > 1), section(group));
    }
    page
}

fn head(made_with: &str) -> String {
    let mut text = format!(
        "# Price list\n\n\
         <!-- Written by `{made_with}`; a test fails when it is stale. Do not edit. -->\n\n\
         Each figure is the cost of one primitive: of a program (`firmware/`) between two points that its spec names\n\
         (`firmware/prices/`), on the simulated board, without instrumentation. [What each row is](rows.md) explains the\n\
         rows. Every run gives the same figures on any machine; `{made_with}` writes this page.\n\n\
         *Published* is a figure of others, or, for RV32 cores with Verilog, of our own run of that Verilog.\n\
         *Difference* is measured less published; between two different programs there is none. *Evidence* is the mark\n\
         of the weakest timing rule that the figure relied on. It is D if the same program on the same chip, or on the\n\
         core's Verilog, was measured with another figure:\n\n"
    );
    for mark in Evidence::ALL {
        let _ = writeln!(text, "- **{mark}**: {}", mark.meaning());
    }
    text
}

/// A group with a column for each board.
fn across_boards(matrix: &Matrix<'_>) -> String {
    let boards = matrix
        .boards
        .iter()
        .map(|(board, core)| format!("`{board}` ({core})"));
    let mut text = format!(
        "\n## {}\n\nBoards and cores: {}. Cycles, if nothing else is said; the letter is the evidence, and ≈ an estimate.\n",
        matrix.group,
        boards.collect::<Vec<_>>().join(", ")
    );
    if wait_states(matrix.rows()).is_some() {
        let _ = write!(
            text,
            "\n![Cycles against wait states, for each board]({PICTURE})\n"
        );
    }
    for section in &matrix.sections {
        if !section.title.is_empty() {
            let _ = write!(text, "\n### {}\n", section.title);
        }
        text.push_str(&section_text(section));
    }
    text
}

fn section_text(section: &Section<'_>) -> String {
    let mut text = String::new();
    if section.has_uses {
        text.push_str(
            "\nOne instruction in front of one that does not need its result → in front of one that does.\n",
        );
    }
    if !section.lines.is_empty() {
        let heads = section.heads();
        text.push('\n');
        text.push_str(&cells(heads.iter().map(|(head, _)| head.clone())));
        text.push_str(&cells(heads.iter().map(|(_, align)| align_rule(*align))));
        for line in &section.lines {
            let first = std::iter::once(line.name.to_owned());
            text.push_str(&cells(first.chain(line.cells.iter().cloned())));
        }
    }
    text.push_str(&published(&section.published));
    text
}

/// Rows of several boards with their published figures and sources.
fn published(rows: &[&Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let columns = published_columns();
    let mut text = String::from("\n");
    let titles = columns.iter().map(|column| column.title.to_owned());
    text.push_str(&cells(titles.chain(["published in".to_owned()])));
    text.push_str(&cells(columns.iter().map(rule).chain(["---".to_owned()])));
    for row in rows {
        let source = row.source.clone().unwrap_or_default();
        text.push_str(&cells(
            columns.iter().map(|column| (column.cell)(row)).chain([source]),
        ));
    }
    text
}

fn name(group: &[Row]) -> &str {
    group.first().map_or("", Row::group)
}

/// The group's name, with the kernel's name where several kernels are compared.
fn heading(group: &[Row], with_kernel: bool) -> String {
    match group.first() {
        Some(row) if with_kernel => format!("{}: {}", row.group(), row.kernel),
        _ => name(group).to_owned(),
    }
}

fn section(group: &[Row]) -> String {
    let Some(first) = group.first() else {
        return String::new();
    };
    let columns = columns(group);
    let mut text = format!("Board `{}`, core `{}`", first.board, first.core);
    if first.kernel != "none" {
        let _ = write!(text, ", kernel `{}`", first.kernel);
    }
    if let Some(source) = common_source(group) {
        let _ = write!(text, "; published figures from {source}");
    }
    text.push_str(".\n\n");
    text.push_str(&line(columns.iter().map(|column| column.title.to_owned()), ""));
    text.push_str(&line(columns.iter().map(rule), "---"));
    for row in group {
        text.push_str(&line(
            columns.iter().map(|column| (column.cell)(row)),
            &bar(row, group),
        ));
    }
    text
}

/// The source, if all rows that name one name the same one.
fn common_source(group: &[Row]) -> Option<&str> {
    let mut sources = group.iter().filter_map(|row| row.source.as_deref());
    let first = sources.next()?;
    sources.all(|source| source == first).then_some(first)
}

fn rule(column: &Column) -> String {
    align_rule(column.align)
}

pub(crate) fn align_rule(align: CellAlignment) -> String {
    match align {
        CellAlignment::Left => "---",
        CellAlignment::Center => ":-:",
        CellAlignment::Right => "--:",
    }
    .to_owned()
}

fn line(all: impl Iterator<Item = String>, last: &str) -> String {
    cells(all.chain([last.to_owned()]))
}

pub(crate) fn cells(cells: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for cell in cells {
        let cell = cell_of(&cell);
        let _ = if cell.is_empty() {
            write!(text, "| ")
        } else {
            write!(text, "| {cell} ")
        };
    }
    text + "|\n"
}

/// A bar scaled to the row's maximum, relative to the rows of the same unit in its group.
fn bar(row: &Row, group: &[Row]) -> String {
    if row.unit != Unit::Cycles {
        return String::new();
    }
    let of_unit = group.iter().filter(|other| other.unit == row.unit);
    let longest = of_unit.map(|other| other.max).max().unwrap_or(0).max(1);
    // Rounded up, so that a non-zero cost is visible.
    let length = (row.max.max(0) * BAR + longest - 1) / longest;
    "█".repeat(length as usize)
}

/// A text as a table cell: on one line, with HTML escaped, except that code in backticks stays unchanged.
pub(crate) fn cell_of(text: &str) -> String {
    let text = text.replace('|', "\\|").replace(['\n', '\r'], " ");
    let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let parts: Vec<&str> = text.split('`').collect();
    // An unmatched backtick does not open a code span.
    if parts.len().is_multiple_of(2) {
        return plain(&text).replace('`', "\\`");
    }
    let parts = parts.iter().enumerate();
    let parts = parts.map(|(index, part)| {
        if index % 2 == 0 {
            plain(part)
        } else {
            (*part).to_owned()
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::cell_of;

    #[test]
    fn a_cell_holds_any_text() {
        for (text, cell) in [
            ("app/<b>x</b> & y|z", "app/&lt;b>x&lt;/b> &amp; y\\|z"),
            ("`Option<T>::map` <i>", "`Option<T>::map` &lt;i>"),
            ("one ` <b>\nline", "one \\` &lt;b> line"),
        ] {
            assert_eq!(cell_of(text), cell);
        }
    }
}
