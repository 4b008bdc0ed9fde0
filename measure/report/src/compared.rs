//! The error ledger: the model's rows beside the same rows of a board, with the rules that the model's cycles come from.

use std::fmt::Write as _;

use comfy_table::CellAlignment::{Left, Right};

use crate::figure::short;
use crate::results::Row;
use crate::table::{drawn, percentage, signed};

/// Most rules that are named for a row.
const NAMED: usize = 4;

/// How well a rule is known: its rank, the least known last, and its mark.
pub type Known<'a> = dyn Fn(&Row, &str) -> Option<(u8, &'static str)> + 'a;

/// A table of rows whose published figure was measured on a board. Where the two differ, it names the rules behind the model's greatest
/// sample, the least certain first, with their cycles: one of them is wrong.
pub fn compared(rows: &[Row], known: &Known<'_>) -> String {
    let lines = rows.iter().map(|row| {
        let board = row
            .published
            .map_or("not measured".to_owned(), |figure| figure.to_string());
        let difference = row.difference().map_or(String::new(), signed);
        let differs = row.difference().is_some_and(|difference| difference != 0.0);
        let rules = if differs {
            blamed(row, known)
        } else {
            String::new()
        };
        vec![
            row.id.clone(),
            short(row.mean),
            board,
            difference,
            percentage(row),
            rules,
        ]
    });
    let heads = [
        "measurement",
        "model",
        "board",
        "difference",
        "%",
        "rules, the least known first",
    ];
    let aligns = [Left, Right, Right, Right, Right, Left];
    let mut text = drawn(&heads, &aligns, lines);
    let differences: Vec<f64> = rows.iter().filter_map(Row::difference).collect();
    let equal = differences
        .iter()
        .filter(|difference| **difference == 0.0)
        .count();
    let greatest = differences
        .iter()
        .map(|difference| difference.abs())
        .fold(0.0, f64::max);
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\n{equal} of {} are the same; the greatest difference is {} cycles\n",
        differences.len(),
        short(greatest)
    );
    text
}

/// `load-pipelined C 4, branch-taken A 3`
fn blamed(row: &Row, known: &Known<'_>) -> String {
    let Some(sample) = &row.obtained.worst else {
        return row.obtained.weakest.join(", ");
    };
    let mut sums: Vec<(u8, &str, u64, &str)> = Vec::new();
    for &(rule, cycles) in sample.code.iter().flat_map(|code| &code.cost) {
        let Some(name) = sample.rules.get(rule as usize) else {
            continue;
        };
        if let Some(sum) = sums.iter_mut().find(|sum| sum.3 == name) {
            sum.2 += cycles;
        } else {
            let (rank, mark) = known(row, name).unwrap_or((0, "?"));
            sums.push((rank, mark, cycles, name));
        }
    }
    sums.sort_by(|a, b| (b.0, b.2, a.3).cmp(&(a.0, a.2, b.3)));
    let words = sums.iter().take(NAMED);
    let words: Vec<String> = words
        .map(|(_, mark, cycles, name)| format!("{name}\u{a0}{mark}\u{a0}{cycles}"))
        .collect();
    let more = if sums.len() > NAMED { ", …" } else { "" };
    words.join(", ") + more
}
