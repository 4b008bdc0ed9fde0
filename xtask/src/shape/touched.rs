//! How far one thing of each kind reaches: its own files, and the lines elsewhere that name it. Whoever adds another one writes as many.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::root;

/// An example of something that is added again and again.
struct Example {
    kind: &'static str,
    /// As the table shows it.
    name: &'static str,
    /// The spellings by which sources name it.
    spellings: &'static [&'static str],
    /// Parts of paths: a file whose path has one of them is its own.
    own: &'static [&'static str],
}

const EXAMPLES: &[Example] = &[
    Example {
        kind: "Cortex-M core",
        name: "cortex-m0plus",
        spellings: &["m0plus", "M0Plus", "M0PLUS", "M0plus"],
        own: &[
            "timing/m0plus",
            "boards/cortex-m0plus.toml",
            "firmware/timing/m0plus",
        ],
    },
    Example {
        kind: "RV32 core",
        name: "picorv32",
        spellings: &["picorv32", "PicoRv32", "PICORV32", "Picorv32"],
        own: &["picorv32"],
    },
    Example {
        kind: "peripheral",
        name: "iwdg",
        spellings: &["iwdg", "Iwdg"],
        own: &["iwdg.rs", "boards/"],
    },
    Example {
        kind: "board",
        name: "samd20",
        spellings: &["samd20"],
        own: &["samd20.toml"],
    },
    Example {
        kind: "command",
        name: "disasm",
        spellings: &["disasm", "Disasm"],
        own: &["commands/disasm.rs"],
    },
    Example {
        kind: "profile format",
        name: "speedscope",
        spellings: &["speedscope", "Speedscope"],
        own: &["speedscope"],
    },
    Example {
        kind: "kernel to compare",
        name: "lilos",
        spellings: &["lilos"],
        own: &["scenarios/tasks/lilos", "firmware/prices/"],
    },
];

/// Folders whose sources count.
const FOLDERS: [&str; 5] = ["firmware", "kernel", "measure", "sim", "xtask"];

/// What naming something amounts to: files, and lines in them.
#[derive(Default)]
struct Reach {
    files: usize,
    lines: usize,
}

impl Reach {
    fn add(&mut self, lines: usize) {
        self.files += usize::from(lines > 0);
        self.lines += lines;
    }
}

/// The table, in Markdown.
///
/// # Errors
/// If a source cannot be read.
pub(super) fn table() -> Result<String> {
    let mut sources = Vec::new();
    for folder in FOLDERS {
        find(&root().join(folder), &mut sources)?;
    }
    let mut text =
        "| kind | example | files of its own | lines in them | other files that name it | lines that do |\n\
                    |---|---|--:|--:|--:|--:|\n"
            .to_owned();
    for example in EXAMPLES {
        let (own, others) = reach(example, &sources);
        let Example { kind, name, .. } = example;
        let _ = writeln!(
            text,
            "| {kind} | `{name}` | {} | {} | {} | {} |",
            own.files, own.lines, others.files, others.lines
        );
    }
    Ok(text)
}

/// The files of an example with all their lines of code, and the other files with the lines that name it.
fn reach(example: &Example, sources: &[(PathBuf, String)]) -> (Reach, Reach) {
    let (mut own, mut others) = (Reach::default(), Reach::default());
    for (path, text) in sources {
        let named = |line: &&str| example.spellings.iter().any(|spelling| line.contains(spelling));
        let path = path.to_string_lossy();
        if example.own.iter().any(|part| path.contains(part)) {
            // A file that holds several of its kind counts by the lines that name this one.
            let shared = example
                .own
                .iter()
                .any(|part| part.ends_with('/') && path.contains(part));
            let lines = code(text).filter(|line| !shared || named(line)).count();
            own.add(lines);
        } else {
            others.add(code(text).filter(named).count());
        }
    }
    (own, others)
}

/// The lines of a source that are neither empty nor a comment.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let comments = ["//", "#!", "# "];
    text.lines()
        .map(str::trim)
        .filter(move |line| !line.is_empty() && !comments.iter().any(|sign| line.starts_with(sign)))
}

/// The Rust and TOML sources of a folder, with their text; not tests, and not what cargo writes.
fn find(folder: &Path, sources: &mut Vec<(PathBuf, String)>) -> Result<()> {
    for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (is_test, is_output) = (
            name.starts_with("tests"),
            name == "target" || name == "Cargo.lock",
        );
        if is_test || is_output {
            continue;
        }
        if path.is_dir() {
            find(&path, sources)?;
        } else if path.extension().is_some_and(|end| end == "rs" || end == "toml") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            sources.push((path.strip_prefix(root())?.to_owned(), text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_count_whole_and_others_by_the_lines_that_name_it() {
        let example = Example {
            kind: "command",
            name: "look",
            spellings: &["look", "Look"],
            own: &["commands/look.rs", "lists/"],
        };
        let source = |path: &str, text: &str| (PathBuf::from(path), text.to_owned());
        let sources = [
            source("cli/commands/look.rs", "// look\nfn a() {}\n\nfn b() {}\n"),
            source("cli/lists/all.toml", "look = 1\nother = 2\n"),
            source("cli/commands.rs", "mod look;\nmod other;\nLook,\n"),
            source("cli/other.rs", "// look\n"),
        ];
        let (own, others) = reach(&example, &sources);
        assert_eq!((own.files, own.lines), (2, 3));
        assert_eq!((others.files, others.lines), (1, 2));
    }
}
