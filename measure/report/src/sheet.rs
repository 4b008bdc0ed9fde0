//! Tables for a terminal of [`WIDTH`] columns.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};

use crate::wrap::WIDTH;

/// A line below the header and no other lines.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// In a table that is too wide, longer names wrap at this many columns.
const NAME: usize = 44;

/// The last column's text wraps beside the others if this many columns are free; otherwise it moves to a table of its own.
const TEXT: usize = 24;

/// Cell padding: the roomy one, and the tight one for wide tables.
const ROOMY: (u16, u16) = (1, 1);
const TIGHT: (u16, u16) = (1, 0);

/// How column widths are chosen.
#[derive(Clone, Copy, Debug)]
enum Fit {
    /// Natural widths.
    Free,
    /// The first column is at most [`NAME`] wide, the last at most the given width.
    Part(Option<usize>),
}

/// A table before layout.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) heads: Vec<String>,
    pub(crate) aligns: Vec<CellAlignment>,
    pub(crate) rows: Vec<Vec<String>>,
    /// Columns that move to the end if not all fit side by side.
    pub(crate) details: Vec<usize>,
}

impl Sheet {
    /// Lays the table out as text. A table that is too wide first loses padding, then is split into parts below each other, each with the
    /// first column. Text never breaks at a no-break space.
    pub(crate) fn text(&self) -> String {
        let all: Vec<usize> = (0..self.heads.len()).collect();
        let squeezed = self.squeezed();
        for (sheet, padding) in [(self, ROOMY), (self, TIGHT), (&squeezed, TIGHT)] {
            let text = sheet.draw(&all, padding, Fit::Free);
            if text.lines().all(|line| line.chars().count() <= WIDTH) {
                return text;
            }
        }
        let parts = squeezed.parts();
        let parts = parts
            .iter()
            .map(|(columns, last)| squeezed.draw(columns, TIGHT, Fit::Part(*last)));
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The table with `10/21/32` instead of `10 / 21 / 32`.
    fn squeezed(&self) -> Sheet {
        let squeeze = |text: &String| text.replace(" / ", "/");
        Sheet {
            heads: self.heads.iter().map(squeeze).collect(),
            rows: self
                .rows
                .iter()
                .map(|row| row.iter().map(squeeze).collect())
                .collect(),
            ..self.clone()
        }
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let all = cells.chain(self.heads.get(column));
        all.map(|text| text.chars().count()).max().unwrap_or(0)
    }

    /// The columns of each part, and the width limit of its last column.
    fn parts(&self) -> Vec<(Vec<usize>, Option<usize>)> {
        // A column has a space on either side.
        let room = WIDTH - 1 - self.width(0).min(NAME);
        let plain = (1..self.heads.len()).filter(|column| !self.details.contains(column));
        let mut parts: Vec<(Vec<usize>, Option<usize>)> = Vec::new();
        let mut left = 0;
        for column in plain.chain(self.details.iter().copied()) {
            let takes = self.width(column) + 2;
            let is_text = column + 1 == self.heads.len() && self.aligns[column] == CellAlignment::Left;
            match parts.last_mut() {
                Some((columns, _)) if takes <= left => {
                    columns.push(column);
                    left -= takes;
                }
                Some((columns, last)) if is_text && left >= TEXT + 2 => {
                    columns.push(column);
                    *last = Some(left - 2);
                    left = 0;
                }
                _ => {
                    let wraps = takes > room;
                    parts.push((vec![0, column], wraps.then(|| room - 2)));
                    left = room.saturating_sub(takes);
                }
            }
        }
        parts
    }

    /// Lays out these columns.
    fn draw(&self, columns: &[usize], padding: (u16, u16), fit: Fit) -> String {
        let mut table = Table::new();
        table
            .load_style(STYLE)
            .set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(columns.iter().map(|&column| &self.heads[column]));
        for row in &self.rows {
            table.add_row(
                columns
                    .iter()
                    .map(|&column| row.get(column).map_or("", String::as_str)),
            );
        }
        for (drawn, &column) in table.column_iter_mut().zip(columns) {
            drawn.set_cell_alignment(self.aligns[column]);
            drawn.set_padding(padding);
            let Fit::Part(last) = fit else { continue };
            if column == 0 {
                drawn.set_constraint(at_most(NAME));
            }
            if let Some(width) = last.filter(|_| columns.last() == Some(&column)) {
                drawn.set_constraint(at_most(width));
            }
        }
        table
            .lines()
            .map(|line| line.replace('\u{a0}', " ").trim_end().to_owned() + "\n")
            .collect()
    }
}

fn at_most(width: usize) -> ColumnConstraint {
    ColumnConstraint::UpperBoundary(Width::Fixed(u16::try_from(width).unwrap_or(u16::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(heads: &[&str], row: &[&str]) -> Sheet {
        Sheet {
            heads: heads.iter().map(|&head| head.to_owned()).collect(),
            aligns: heads
                .iter()
                .enumerate()
                .map(|(column, _)| match column {
                    _ if column == 0 || column + 1 == heads.len() => CellAlignment::Left,
                    _ => CellAlignment::Right,
                })
                .collect(),
            rows: vec![row.iter().map(|&cell| cell.to_owned()).collect()],
            details: Vec::new(),
        }
    }

    /// A table's letters and digits, without its lines.
    fn words(text: &str) -> String {
        text.chars().filter(|letter| letter.is_alphanumeric()).collect()
    }

    #[test]
    fn a_table_is_no_wider_than_a_terminal() {
        let name = "measurement/with-a-name-that-is-longer-than-most-of-them-are-and-goes-on";
        for columns in 2..30 {
            for cell in ["7", "10 / 21 / 32", "12345678901234567890"] {
                let heads: Vec<String> = (0..columns).map(|column| format!("head{column}")).collect();
                let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
                let row: Vec<&str> = std::iter::once(name)
                    .chain(std::iter::repeat_n(cell, columns - 1))
                    .collect();
                let text = sheet(&heads, &row).text();
                assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
                for head in &heads[1..] {
                    assert_eq!(
                        text.matches(&format!("{head} ")).count()
                            + text.matches(&format!("{head}\n")).count(),
                        1,
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_long_text_is_wrapped_and_keeps_its_words() {
        let rules = "flash-contention\u{a0}B\u{a0}7, ".repeat(9);
        let text = sheet(
            &["measurement", "model", "rules"],
            &["app/work", "59", rules.trim_end()],
        )
        .text();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(words(&text).matches("flashcontentionB7").count(), 9, "{text}");
        assert!(!text.contains("flash-contention\n"), "{text}");
    }

    #[test]
    fn details_come_last() {
        let mut sheet = sheet(
            &["measurement", "own", "measured", "unit"],
            &["a", "1", "2", "cycles"],
        );
        for row in &mut sheet.rows {
            row[2] = "2".repeat(60);
        }
        sheet.details = vec![1];
        let text = sheet.text();
        let at = |head: &str| text.find(head).unwrap();
        assert!(at("measured") < at("unit") && at("unit") < at("own"), "{text}");
    }
}
