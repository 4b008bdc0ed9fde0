//! The extension for Visual Studio Code: its tests, and its package.

use std::process::Command;

use anyhow::Result;

use crate::root;
use crate::shell::{run, say};

/// `./x package vscode`: tests the extension and packs it, by `vsce` from npm, into `editor/vscode`. Without Node.js it is skipped.
///
/// # Errors
/// If a test fails, or the extension cannot be packed.
pub fn make() -> Result<()> {
    let folder = root().join("editor/vscode");
    if Command::new("node").arg("--version").output().is_err() {
        say("skipped: the extension for Visual Studio Code, which needs Node.js");
        return Ok(());
    }
    run(Command::new("node")
        .current_dir(&folder)
        .args(["--test", "test/"]))?;
    run(Command::new("npm").current_dir(&folder).args(["run", "package"]))
}
