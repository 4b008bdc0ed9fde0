//! The user's project: which source files belong to it, and how results name files.
//!
//! Results hold no absolute path: a file of the project is named relative to its folder, so that a baseline is the same on each machine
//! and an annotation finds its file. Other files keep the part of their path that does not depend on the machine.

use std::path::{Path, PathBuf};

/// Folders of code that is never the user's, and the number of path components after them that depend on the machine or the version of
/// the toolchain: the standard library as shipped and as built from source, crates from a registry, and crates from git.
const FOREIGN: [(&str, usize); 4] = [
    ("/rustc/", 1),
    ("/rustlib/src/rust/", 0),
    ("/registry/src/", 1),
    ("/git/checkouts/", 0),
];

/// Trailing path components by which other files outside the project are named.
const KEPT: usize = 3;

/// The folder of the user's project.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    /// The folder without a final slash, as it was reached and without symbolic links.
    folders: Vec<String>,
}

impl Project {
    /// The project around the working directory: the nearest folder that holds `.git`, else the nearest one with a `Cargo.lock`, else the
    /// working directory itself.
    pub(crate) fn here() -> Project {
        let Ok(here) = std::env::current_dir() else {
            return Project { folders: Vec::new() };
        };
        let holding = |name: &str| here.ancestors().find(|folder| folder.join(name).exists());
        let folder = holding(".git").or_else(|| holding("Cargo.lock")).unwrap_or(&here);
        Project::at(folder)
    }

    fn at(folder: &Path) -> Project {
        let canonical = folder.canonicalize().ok();
        let folders = [Some(folder.to_owned()), canonical].into_iter().flatten();
        let plain = |folder: PathBuf| normal(&folder.to_string_lossy()).trim_end_matches('/').to_owned();
        Project {
            folders: folders.map(plain).collect(),
        }
    }

    /// The path of one of the project's files, relative to its folder; `None` for a file that is not the user's. A relative path, as some
    /// build systems write into debug information, is one of the project's.
    pub(crate) fn own(&self, file: &str) -> Option<String> {
        let path = normal(file);
        if foreign(&path).is_some() {
            return None;
        }
        if !is_absolute(&path) {
            return (!path.starts_with("../")).then_some(path);
        }
        let below = |folder: &String| path.strip_prefix(folder.as_str())?.strip_prefix('/');
        self.folders.iter().find_map(below).map(str::to_owned)
    }

    /// The name of a source file in results, which is never an absolute path.
    pub(crate) fn name_of(&self, file: &str) -> String {
        if let Some(own) = self.own(file) {
            return own;
        }
        let path = normal(file);
        if let Some(known) = foreign(&path) {
            return known.to_owned();
        }
        let parts: Vec<&str> = path
            .split('/')
            .filter(|part| !["", ".."].contains(part))
            .collect();
        parts[parts.len().saturating_sub(KEPT)..].join("/")
    }

    /// The name of a file that is relative to the working directory, such as one from the command line. A program in memory keeps the name
    /// that it was given.
    pub(crate) fn name_of_argument(&self, file: &str) -> String {
        match std::path::absolute(file) {
            Ok(path) if path.exists() => self.name_of(&path.to_string_lossy()),
            _ => file.to_owned(),
        }
    }
}

/// The part of a path after a folder of others' code.
fn foreign(path: &str) -> Option<&str> {
    let (folder, skipped) = FOREIGN.iter().find(|(folder, _)| path.contains(folder))?;
    let (_, mut rest) = path.split_once(folder)?;
    for _ in 0..*skipped {
        rest = rest.split_once('/').map_or(rest, |(_, rest)| rest);
    }
    Some(rest.strip_prefix("library/").unwrap_or(rest))
}

fn is_absolute(path: &str) -> bool {
    matches!(path.as_bytes(), [b'/', ..] | [_, b':', b'/', ..])
}

/// A path with `/` between its components, and without `.` and `..` as far as that is possible.
fn normal(path: &str) -> String {
    let path = path.replace('\\', "/");
    let root = if path.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if !root.is_empty() => {}
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> Project {
        Project {
            folders: vec!["/home/me/motor".to_owned(), "C:/me/motor".to_owned()],
        }
    }

    #[test]
    fn files_below_the_folder_are_the_users() {
        for (file, own) in [
            ("/home/me/motor/src/main.rs", Some("src/main.rs")),
            ("/home/me/motor/build/../src/./main.c", Some("src/main.c")),
            ("C:\\me\\motor\\src\\main.c", Some("src/main.c")),
            ("src/main.rs", Some("src/main.rs")),
            ("/home/me/motors/src/main.rs", None),
            ("../other/src/lib.rs", None),
            ("/rustc/0123456789/library/core/src/num/mod.rs", None),
            // A cargo home inside the project.
            (
                "/home/me/motor/.cargo/registry/src/index-0/cortex-m-0.7.7/src/asm.rs",
                None,
            ),
        ] {
            assert_eq!(project().own(file).as_deref(), own, "{file}");
        }
    }

    #[test]
    fn no_name_depends_on_the_machine() {
        for (file, name) in [
            ("/home/me/motor/src/main.rs", "src/main.rs"),
            (
                "/rustc/0123456789/library/core/src/num/mod.rs",
                "core/src/num/mod.rs",
            ),
            (
                "/usr/lib/rustlib/src/rust/library/core/src/num/mod.rs",
                "core/src/num/mod.rs",
            ),
            (
                "/home/me/.cargo/registry/src/index-0/cortex-m-0.7.7/src/asm.rs",
                "cortex-m-0.7.7/src/asm.rs",
            ),
            (
                "/home/me/.cargo/git/checkouts/hal-12/34ab/src/lib.rs",
                "hal-12/34ab/src/lib.rs",
            ),
            ("/build/newlib/libc/string/memcpy.c", "libc/string/memcpy.c"),
            ("../other/src/lib.rs", "other/src/lib.rs"),
            ("/memcpy.c", "memcpy.c"),
        ] {
            assert_eq!(project().name_of(file), name, "{file}");
        }
    }
}
