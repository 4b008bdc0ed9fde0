//! The project's site: the book with the page of all figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::checks::tool;
use crate::shell::{run, say};
use crate::{prices, root};

/// File name of the page of all figures; the book has another `report.html`.
const FIGURES: &str = "figures.html";

/// The book's document whose text links to that page.
const PAGE: &str = "report.html";

/// `./x package site`: writes `target/book`.
///
/// # Errors
/// If mdBook is missing and cannot be installed, or a build or run fails.
pub fn make() -> Result<()> {
    let folder = book()?;
    prices::report()?;
    fs::copy(root().join("target/report.html"), folder.join(FIGURES)).context("the page of all figures")?;
    say(&format!("the site is {}", folder.join("index.html").display()));
    Ok(())
}

/// Builds the book without the figures.
fn book() -> Result<PathBuf> {
    // Without the development server, and without search, whose index is larger than the text.
    let mdbook = tool("mdbook", &["--no-default-features"]).context("mdBook could not be installed")?;
    run(Command::new(mdbook).current_dir(root()).arg("build"))?;
    let folder = root().join("target/book");
    let page = folder.join(PAGE);
    let text = fs::read_to_string(&page).with_context(|| format!("{} is not there", page.display()))?;
    fs::write(&page, linked(&text))?;
    for page in pages(&folder)? {
        let text = fs::read_to_string(&page)?;
        let within = page.parent().unwrap_or(&folder);
        fs::write(&page, without_links_out(&text, |to| within.join(to).exists()))?;
    }
    Ok(folder)
}

/// Every page below a folder.
fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(pages(&path)?);
        } else if path.extension().is_some_and(|kind| kind == "html") {
            all.push(path);
        }
    }
    Ok(all)
}

/// Replaces links to checkout files that the site does not have by their text.
fn without_links_out(text: &str, is_there: impl Fn(&str) -> bool) -> String {
    const LINK: &str = "<a href=\"";
    let mut pieces = text.split(LINK);
    let mut made = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (to, words) = piece.split_once("\">").unwrap_or((piece, ""));
        let file = to.split(['#', '?']).next().unwrap_or_default();
        let is_elsewhere = file.is_empty() || file.contains([':', '"']);
        match words.split_once("</a>") {
            Some((words, rest)) if !is_elsewhere && !is_there(file) => {
                made.push_str(words);
                made.push_str(rest);
            }
            _ => {
                made.push_str(LINK);
                made.push_str(piece);
            }
        }
    }
    made
}

/// Makes the page's name a link; in the book's source alone the link would be broken.
fn linked(text: &str) -> String {
    text.replace(
        &format!("<code>{FIGURES}</code>"),
        &format!("<a href=\"{FIGURES}\"><code>{FIGURES}</code></a>"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_leads_to_the_figures() {
        let source = fs::read_to_string(root().join("docs/report.md")).expect("it is there");
        assert!(source.contains(&format!("`{FIGURES}`")));
        let page = linked(&format!("<p>with <code>{FIGURES}</code></p>"));
        assert!(page.contains("href=\"figures.html\""), "{page}");
    }

    #[test]
    fn a_link_leads_to_what_is_there() {
        let page = "<a href=\"a.html#x\">a</a> <a href=\"../src/lib.rs\">the <em>b</em></a>, <a href=\"https://c\">c</a> <a href=\"#d\">d</a>";
        let made = without_links_out(page, |to| to == "a.html");
        let expected =
            "<a href=\"a.html#x\">a</a> the <em>b</em>, <a href=\"https://c\">c</a> <a href=\"#d\">d</a>";
        assert_eq!(made, expected);
    }
}
