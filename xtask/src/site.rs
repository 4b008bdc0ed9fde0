//! The project's pages: the book, and in it the page of all figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::checks::tool;
use crate::shell::{run, say};
use crate::{prices, root};

/// What the page of all figures is called there; the book has a `report.html` of its own.
const FIGURES: &str = "figures.html";

/// The document of the book whose text leads to that page.
const PAGE: &str = "report.html";

/// `./x package site`: into `target/book`.
///
/// # Errors
/// When there is no mdBook and it cannot be installed, or something does not build or run.
pub fn make() -> Result<()> {
    let folder = book()?;
    prices::report()?;
    fs::copy(root().join("target/report.html"), folder.join(FIGURES)).context("the page of all figures")?;
    say(&format!("the site is {}", folder.join("index.html").display()));
    Ok(())
}

/// The documents, without the figures.
fn book() -> Result<PathBuf> {
    // Without what only serves a book while it is written, and without a search, which takes more than all of the text.
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

/// Links to files of the checkout, which the site has not, become the words that they stand on.
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

/// The name of the page becomes a link to it, which it could not be where there is only the book's source.
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
