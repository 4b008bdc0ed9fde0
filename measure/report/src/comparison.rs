//! Kernels measured with the same ids, side by side.

use std::fmt::Write as _;

use crate::matrix::{distinct, figure};
use crate::results::{Row, Unit};

/// One table for each group and board on which more than one kernel was measured.
pub(crate) fn comparisons(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut done: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        let place = (row.group(), row.board.as_str());
        if !done.contains(&place) {
            done.push(place);
            let there: Vec<&Row> = rows
                .iter()
                .filter(|row| (row.group(), row.board.as_str()) == place)
                .collect();
            text.push_str(&comparison(&there));
        }
    }
    text
}

fn comparison(rows: &[&Row]) -> String {
    let kernels = distinct(rows.iter().map(|row| row.kernel.as_str()));
    let [first, _, ..] = &kernels[..] else {
        return String::new();
    };
    let Some(row) = rows.first() else {
        return String::new();
    };
    let choice = Choice::of(&kernels);
    let each = choice.as_ref().map_or(String::new(), Choice::told);
    let mut text = format!(
        "\n## {}, kernel by kernel\n\nBoard `{}`; the best in bold{each}. The letter is the evidence, and ≈ an estimate.\n\n",
        row.group(),
        row.board
    );
    text.push_str(&abouts(rows, &kernels));
    let _ = writeln!(text, "| | {} | unit |", kernels.join(" | "));
    let _ = writeln!(text, "|---{}|---|", "|--:".repeat(kernels.len()));
    for id in distinct(rows.iter().map(|row| row.id.as_str())) {
        let of_id: Vec<Option<&Row>> = kernels.iter().map(|kernel| find(rows, id, kernel)).collect();
        // A measurement that only one kernel has is in that kernel's own table.
        if of_id.iter().flatten().count() > 1 {
            let both = choice.as_ref().filter(|choice| choice.is_in(&of_id));
            let terms: Vec<Option<bool>> = kernels
                .iter()
                .map(|kernel| both?.of_kernel(kernel, &kernels))
                .collect();
            text.push_str(&line(id, &of_id, &terms));
        }
    }
    let _ = writeln!(
        text,
        "\nWhat follows has the same figures, with their evidence, for `{first}` and each other kernel."
    );
    text
}

fn abouts(rows: &[&Row], kernels: &[&str]) -> String {
    let mut text = String::new();
    for kernel in kernels {
        let about = rows
            .iter()
            .filter(|row| row.kernel == *kernel)
            .find_map(|row| row.about.as_deref());
        if let Some(about) = about {
            let _ = writeln!(text, "- `{kernel}`: {about}");
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

const WITHOUT: &str = "-without-";

/// What several kernels are measured with and without, as their names tell: `a` beside `a-without-x`, and `b-x` beside `b`. Figures with
/// it and without it are not alike.
struct Choice<'a> {
    name: &'a str,
    with: String,
    without: String,
}

impl<'a> Choice<'a> {
    fn of(kernels: &[&'a str]) -> Option<Choice<'a>> {
        let names = kernels
            .iter()
            .filter_map(|kernel| kernel.rsplit_once(WITHOUT).map(|(_, name)| name));
        let names: Vec<&'a str> = names.collect();
        let several = |name: &&'a str| names.iter().filter(|other| *other == name).count() > 1;
        let name = names.iter().copied().find(several)?;
        Some(Choice {
            name,
            with: format!("-{name}"),
            without: format!("{WITHOUT}{name}"),
        })
    }

    /// What the best in bold is, where there is a choice.
    fn told(&self) -> String {
        format!("; of a row with and without `{}`, the best of each", self.name)
    }

    /// Whether a row has figures of both.
    fn is_in(&self, rows: &[Option<&Row>]) -> bool {
        rows.iter().flatten().any(|row| row.kernel.ends_with(&self.with))
    }

    /// Whether a kernel of these is measured with it; `None` if no name tells.
    fn of_kernel(&self, kernel: &str, kernels: &[&str]) -> Option<bool> {
        let beside = |end: &str| kernels.contains(&format!("{kernel}{end}").as_str());
        if kernel.ends_with(&self.without) || beside(&self.with) {
            Some(false)
        } else if kernel.ends_with(&self.with) || beside(&self.without) {
            Some(true)
        } else {
            None
        }
    }
}

/// A row of the table. `terms`: which figures are alike.
fn line(id: &str, rows: &[Option<&Row>], terms: &[Option<bool>]) -> String {
    let worst = |row: &Row| row.cost().map(|(worst, _)| worst);
    let all = || rows.iter().copied().zip(terms.iter().copied());
    let best = |term: Option<bool>| {
        let alike = all().filter(|(_, other)| *other == term);
        alike.filter_map(|(row, _)| worst(row?)).min()
    };
    let cell = |(row, term): (Option<&Row>, Option<bool>)| match row {
        None => "–".to_owned(),
        Some(row) => {
            let best = best(term);
            let figure = if best.is_some() && worst(row) == best {
                format!("**{}**", figure(row))
            } else {
                figure(row)
            };
            format!("{}{figure} {}", row.evidence.sign(), row.evidence)
        }
    };
    let cells: Vec<String> = all().map(cell).collect();
    let unit = rows.iter().flatten().next().map_or(Unit::Cycles, |row| row.unit);
    let name = id.split_once('/').map_or(id, |(_, name)| name);
    format!("| {name} | {} | {unit} |\n", cells.join(" | "))
}

fn find<'a>(rows: &[&'a Row], id: &str, kernel: &str) -> Option<&'a Row> {
    rows.iter()
        .copied()
        .find(|row| row.id == id && row.kernel == kernel)
}
