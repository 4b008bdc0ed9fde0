//! The ledger: every published figure beside ours, and the explanation of each difference.

use std::fmt::Write as _;

use comfy_table::CellAlignment::{Left, Right};

use crate::figure::short;
use crate::markdown::{align_rule, cells};
use crate::reference::Reference;
use crate::results::{Results, Row};
use crate::table::{percentage, signed};

/// A source whose rows are all equal and more than this many is one line of the first table, without a table of its own.
const MANY: usize = 30;

/// How a row compares with its published figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Equal,
    Explained,
    Open,
    OtherProgram,
}

impl Verdict {
    const ALL: [Verdict; 4] = [
        Verdict::Equal,
        Verdict::Explained,
        Verdict::Open,
        Verdict::OtherProgram,
    ];

    fn of(row: &Row) -> Verdict {
        match (row.difference(), &row.because) {
            (None, _) => Verdict::OtherProgram,
            (Some(0.0), _) => Verdict::Equal,
            (_, Some(_)) => Verdict::Explained,
            (_, None) => Verdict::Open,
        }
    }

    /// The verdict as a table cell.
    fn text(row: &Row) -> String {
        match (Verdict::of(row), row.because.as_deref()) {
            // The explanation is outdated and should be removed from the spec.
            (Verdict::Equal, Some(_)) => "equal, and explained as if it were not".to_owned(),
            (Verdict::Equal, None) => "equal".to_owned(),
            (Verdict::Explained, because) => because.unwrap_or_default().to_owned(),
            (Verdict::Open, _) => "**open**".to_owned(),
            (Verdict::OtherProgram, because) => because.unwrap_or("another program").to_owned(),
        }
    }
}

/// The rows of one source, measured under the same conditions.
struct Entry<'a> {
    source: &'a str,
    conditions: Option<&'a str>,
    is_verilog: bool,
    rows: Vec<&'a Row>,
}

impl Entry<'_> {
    fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| Verdict::of(row) == verdict).count()
    }

    fn is_short(&self) -> bool {
        self.rows.len() > MANY && self.count(Verdict::Equal) == self.rows.len()
    }
}

/// The ledger's page. `made_with` is the command that regenerates it.
pub fn ledger(results: &Results, made_with: &str) -> String {
    let entries = entries(&results.results);
    let mut page = head(made_with);
    let (verilog, others): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.is_verilog);
    page += &totals(&others);
    if !verilog.is_empty() {
        page += "\nNobody else published the next figures: they come from our own runs of the same programs on the cores' Verilog.\n";
        page += &totals(&verilog);
    }
    for entry in entries.iter().filter(|entry| !entry.is_short()) {
        page += &section(entry);
    }
    page
}

fn head(made_with: &str) -> String {
    format!(
        "# Published measurements\n\n\
         <!-- Written by `{made_with}`; a test fails when it is stale. Do not edit. -->\n\n\
         Every figure that others published and that a program here measures again, by source. *Difference* is measured less\n\
         published. A row is *equal*; *explained*, if the last column says why the figures differ; *open*; or of *another\n\
         program*, which has no difference to show. Published figures are compared, and never used.\n"
    )
}

/// Groups rows by source, in the order in which sources first appear.
fn entries(rows: &[Row]) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.published.is_some()) {
        let (source, conditions) = (
            row.source.as_deref().unwrap_or("no source"),
            row.conditions.as_deref(),
        );
        let is_verilog = row.reference == Reference::Verilog;
        let of = (source, conditions, is_verilog);
        let same = |entry: &&mut Entry<'_>| (entry.source, entry.conditions, entry.is_verilog) == of;
        match entries.iter_mut().find(same) {
            Some(entry) => entry.rows.push(row),
            None => entries.push(Entry {
                source,
                conditions,
                is_verilog,
                rows: vec![row],
            }),
        }
    }
    entries
}

/// The number of equal, explained and open rows of each source.
fn totals(entries: &[&Entry<'_>]) -> String {
    let mut text = String::from("\n");
    text += &cells(
        ["source", "rows", "equal", "explained", "open", "another program"]
            .map(str::to_owned)
            .into_iter(),
    );
    text += &cells(
        [Left, Right, Right, Right, Right, Right]
            .map(align_rule)
            .into_iter(),
    );
    let line = |first: &str, rows: usize, count: &dyn Fn(Verdict) -> usize| {
        let counts = Verdict::ALL.map(|verdict| count(verdict).to_string());
        cells([first.to_owned(), rows.to_string()].into_iter().chain(counts))
    };
    for entry in entries {
        text += &line(entry.source, entry.rows.len(), &|verdict| entry.count(verdict));
    }
    let rows = entries.iter().map(|entry| entry.rows.len()).sum();
    text += &line("all", rows, &|verdict| {
        entries.iter().map(|entry| entry.count(verdict)).sum()
    });
    text
}

fn section(entry: &Entry<'_>) -> String {
    let mut text = format!("\n## {}\n\n", one_line(entry.source));
    if let Some(conditions) = entry.conditions {
        let _ = write!(text, "Published of: {}.\n\n", one_line(conditions));
    }
    let heads = [
        ("measurement", Left),
        ("measured on", Left),
        ("published", Right),
        ("here", Right),
        ("difference", Right),
        ("%", Right),
        ("evidence", Left),
        ("why", Left),
    ];
    text += &cells(heads.iter().map(|(head, _)| (*head).to_owned()));
    text += &cells(heads.iter().map(|(_, align)| align_rule(*align)));
    for row in &entry.rows {
        text += &cells(line(row).into_iter());
    }
    text
}

/// Joins a spec's text into one line, for a heading.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line(row: &Row) -> [String; 8] {
    let name = row.id.clone();
    let name = match row.kernel.as_str() {
        "none" => name,
        kernel => format!("{name} ({kernel})"),
    };
    [
        name,
        row.board.clone(),
        row.published.map_or(String::new(), |figure| figure.to_string()),
        short(row.mean),
        row.difference().map_or(String::new(), signed),
        percentage(row),
        row.evidence.to_string(),
        Verdict::text(row),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figure;

    /// A row with these fields only.
    fn row(id: &str, published: i64, measured: i64, because: Option<&str>) -> Row {
        let text = format!(
            r#"{{"id":"{id}","board":"b","core":"c","kernel":"none","unit":"cycles","count":1,"min":{measured},
               "mean":{measured}.0,"max":{measured},"own":{measured},"preempted":0,"blocked":0,"evidence":"A"}}"#
        );
        Row {
            published: Some(Figure::Whole(published)),
            source: Some("somebody | else".to_owned()),
            conditions: Some("a chip".to_owned()),
            because: because.map(str::to_owned),
            ..serde_json::from_str(&text).unwrap()
        }
    }

    #[test]
    fn a_row_is_equal_explained_or_open() {
        let rows = vec![
            row("g/a", 5, 5, None),
            row("g/b", 4, 5, Some("another chip")),
            row("g/c", 6, 5, None),
            row("g/d", 5, 5, Some("another chip")),
        ];
        let page = ledger(&Results::new("tool", rows), "./x");
        assert!(
            page.contains("| somebody \\| else | 4 | 2 | 1 | 1 | 0 |"),
            "{page}"
        );
        assert!(page.contains("Published of: a chip."), "{page}");
        assert!(page.contains("| g/a | b | 5 | 5 | 0 | 0 | A | equal |"), "{page}");
        assert!(
            page.contains("| g/b | b | 4 | 5 | +1 | +25 | A | another chip |"),
            "{page}"
        );
        assert!(page.contains("| A | **open** |"), "{page}");
        assert!(page.contains("equal, and explained as if it were not"), "{page}");
    }

    #[test]
    fn many_rows_that_are_all_equal_are_a_line_and_one_that_is_not_shows_them_all() {
        let mut rows: Vec<Row> = (0..=MANY).map(|n| row(&format!("g/{n}"), 5, 5, None)).collect();
        let page = |rows: &[Row]| ledger(&Results::new("tool", rows.to_vec()), "./x");
        assert!(!page(&rows).contains("g/0"));
        rows[3].mean = 6.0;
        assert!(page(&rows).contains("g/0"));
    }

    #[test]
    fn texts_of_several_lines_break_neither_heading_nor_table() {
        let mut one = row("g/a", 2, 1, Some("one\nand two"));
        one.source = Some("a\n# b".to_owned());
        let page = ledger(&Results::new("tool", vec![one]), "./x");
        assert!(page.contains("\n## a # b\n"), "{page}");
        assert!(page.contains("| one and two |\n"), "{page}");
    }

    #[test]
    fn rows_without_a_published_figure_are_left_out() {
        let mut one = row("g/a", 1, 1, None);
        one.published = None;
        assert!(!ledger(&Results::new("tool", vec![one]), "./x").contains("g/a"));
    }
}
