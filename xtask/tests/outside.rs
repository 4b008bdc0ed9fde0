//! What models and measures reaches outside itself only through a trait that the caller implements (`machine::host`). This test looks for
//! files, clocks, processes and sockets of this computer elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates that open no file and read no clock by themselves.
const CRATES: &[&str] = &[
    "measure/lab",
    "measure/report",
    "measure/spans",
    "sim/bus",
    "sim/core-cortex-m",
    "sim/core-rv32",
    "sim/events",
    "sim/exec",
    "sim/isa-pattern",
    "sim/isa-rv32",
    "sim/isa-thumb",
    "sim/machine",
];

/// The outside, as code names it.
const OUTSIDE: &[&str] = &[
    "cap_std",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::time",
    ".canonicalize()",
    ".exists()",
    ".is_dir()",
    ".is_file()",
    ".metadata()",
    ".read_dir()",
];

/// Files that may name it, each with the reason.
const REVIEWED: &[(&str, &str)] = &[
    ("sim/machine/src/bounded.rs", "the feature `host`"),
    ("sim/machine/src/host/system.rs", "the feature `host`"),
    ("sim/machine/src/campaign.rs", "of tests"),
    ("measure/lab/src/backend/attached.rs", "the feature `probe-rs`"),
    ("measure/lab/src/backend/remote.rs", "a GDB server at an address"),
    (
        "measure/lab/src/batch.rs",
        "names of programs in a folder, for a hint",
    ),
    (
        "measure/lab/src/diagnostic.rs",
        "the name of a similar file, for a hint",
    ),
    (
        "measure/lab/src/project.rs",
        "the project around the working directory, by which results name files; nowhere without a host",
    ),
];

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            into.push(path);
        }
    }
}

/// The lines, with their numbers, before the file's tests, without comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    let code = lines.take_while(|(_, line)| *line != "mod tests {");
    code.map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn nothing_outside_is_reached_but_through_the_host() {
    let mut found = Vec::new();
    let mut used = Vec::new();
    for folder in CRATES {
        let mut files = Vec::new();
        sources(&xtask::root().join(folder).join("src"), &mut files);
        for path in files {
            let name = path.strip_prefix(xtask::root()).unwrap().display().to_string();
            let text = fs::read_to_string(&path).unwrap();
            for (number, line) in
                code(&text).filter(|(_, line)| OUTSIDE.iter().any(|word| line.contains(word)))
            {
                match REVIEWED.iter().find(|(reviewed, _)| *reviewed == name) {
                    Some((reviewed, _)) => used.push(*reviewed),
                    None => found.push(format!("{name}:{number}: {}", line.trim())),
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "give it through `machine::host`:\n{}",
        found.join("\n")
    );
    for (reviewed, _) in REVIEWED {
        assert!(used.contains(reviewed), "{reviewed} no longer needs to be listed");
    }
}
