//! The price list as a book: one page per group, and an index page.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::markdown::cell_of;
use crate::reference::Compared;
use crate::results::{Results, Row};

/// The folder of the group pages, next to the index page.
pub const CHAPTERS: &str = "prices";

/// The heading that starts a section of the whole page.
const PART: &str = "\n## ";

/// Splits the page that [`markdown`](crate::markdown) writes into one page per group, by name, and replaces it with an index of them.
pub fn chapters(page: &str, results: &Results) -> (String, Vec<(String, String)>) {
    let mut parts = page.split(PART);
    let mut index = parts.next().unwrap_or_default().to_owned();
    let mut chapters: Vec<(String, String)> = Vec::new();
    for part in parts {
        let (heading, text) = part.split_once('\n').unwrap_or((part, ""));
        let group = heading.split([':', ',']).next().unwrap_or(heading);
        let at = chapters.iter().position(|(name, _)| name == group);
        let at = at.unwrap_or_else(|| {
            let head = format!(
                "# {group}\n\n[What each row is](../rows.md) explains the rows, and [the price list](../PRICES.md) the words and letters.\n"
            );
            chapters.push((group.to_owned(), head));
            chapters.len() - 1
        });
        let text = from_below(text);
        let (_, chapter) = &mut chapters[at];
        if heading == group {
            // The group page brings its own heading.
            let _ = write!(chapter, "{text}");
        } else {
            let _ = write!(chapter, "{PART}{heading}\n{text}");
        }
    }
    index.push_str(
        "\n| group | figures | published by others | met exactly | of another program | run on Verilog | met exactly | boards |\n\
         | --- | --: | --: | --: | --: | --: | --: | --- |\n",
    );
    for (group, _) in &chapters {
        index.push_str(&entry(group, results));
    }
    index.push_str(&line("all", &Compared::of(&results.results), ""));
    let chapters = chapters.into_iter().map(|(group, text)| (chapter(&group), text));
    (index, chapters.collect())
}

/// A text moved one folder down, with its relative links adjusted.
fn from_below(text: &str) -> String {
    let mut pieces = text.split("](");
    let mut made = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let is_here = piece.starts_with('#') || piece.starts_with("http");
        made.push_str(if is_here { "](" } else { "](../" });
        made.push_str(piece);
    }
    made
}

/// The file name of a group's page.
pub fn chapter(group: &str) -> String {
    let plain = |letter: char| {
        if letter.is_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    format!("{}.md", group.chars().map(plain).collect::<String>())
}

/// A group's line in the index.
fn entry(group: &str, results: &Results) -> String {
    const MOST: usize = 6;
    let rows: Vec<&Row> = results
        .results
        .iter()
        .filter(|row| row.group() == group)
        .collect();
    let link = format!("[{}]({CHAPTERS}/{})", cell_of(group), chapter(group));
    if rows.is_empty() {
        return format!("| {link} | | | | | | | |\n");
    }
    let boards: BTreeSet<&str> = rows.iter().map(|row| row.board.as_str()).collect();
    let mut shown: Vec<String> = boards
        .iter()
        .take(MOST)
        .map(|board| format!("`{board}`"))
        .collect();
    if boards.len() > MOST {
        shown.push(format!("{} more", boards.len() - MOST));
    }
    line(&link, &Compared::of(rows.iter().copied()), &shown.join(", "))
}

/// The cells that count rows; published figures and our own runs of the Verilog have separate columns.
fn line(first: &str, all: &Compared, last: &str) -> String {
    let Compared {
        rows,
        others,
        others_met,
        other_programs,
        verilog,
        verilog_met,
    } = all;
    format!(
        "| {first} | {rows} | {others} | {others_met} | {other_programs} | {verilog} | {verilog_met} | {last} |\n"
    )
}

#[cfg(test)]
mod tests {
    use super::from_below;

    #[test]
    fn links_lead_where_they_led() {
        let text = "![a](img/a.svg) [b](studies/b.md) [c](#c) [d](https://d)";
        let below = "![a](../img/a.svg) [b](../studies/b.md) [c](#c) [d](https://d)";
        assert_eq!(from_below(text), below);
    }
}
