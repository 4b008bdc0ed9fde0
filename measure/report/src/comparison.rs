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
    let mut text = format!(
        "\n## {}, kernel by kernel\n\nBoard `{}`; the best in bold. The letter is the evidence, and ≈ an estimate.\n\n",
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
            text.push_str(&line(id, &of_id));
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

fn line(id: &str, rows: &[Option<&Row>]) -> String {
    let worst = |row: &Row| row.cost().map(|(worst, _)| worst);
    let best = rows.iter().flatten().filter_map(|row| worst(row)).min();
    let cell = |row: Option<&Row>| match row {
        None => "–".to_owned(),
        Some(row) => {
            let figure = if best.is_some() && worst(row) == best {
                format!("**{}**", figure(row))
            } else {
                figure(row)
            };
            format!("{}{figure} {}", row.evidence.sign(), row.evidence)
        }
    };
    let cells: Vec<String> = rows.iter().copied().map(cell).collect();
    let unit = rows.iter().flatten().next().map_or(Unit::Cycles, |row| row.unit);
    let name = id.split_once('/').map_or(id, |(_, name)| name);
    format!("| {name} | {} | {unit} |\n", cells.join(" | "))
}

fn find<'a>(rows: &[&'a Row], id: &str, kernel: &str) -> Option<&'a Row> {
    rows.iter()
        .copied()
        .find(|row| row.id == id && row.kernel == kernel)
}
