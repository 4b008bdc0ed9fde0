//! The manifest's settings: `[package.metadata.cyclescope]`, or `[workspace.metadata.cyclescope]` for all packages.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::built::cargo;
use super::words::Words;
use super::{Result, is_toml};

const KEYS: [&str; 4] = ["board", "spec", "limits", "baseline"];

/// The settings of a package.
#[derive(Debug)]
pub(super) struct Settings {
    /// The board, in the syntax of `--board`.
    pub(super) board: Option<String>,
    pub(super) spec: PathBuf,
    pub(super) limits: PathBuf,
    /// The baseline, if the manifest names one.
    pub(super) baseline: Option<PathBuf>,
    /// The usual baseline.
    pub(super) usual_baseline: PathBuf,
    /// Cargo's target directory.
    pub(super) target: PathBuf,
}

impl Settings {
    /// Reads the settings from `cargo metadata`.
    pub(super) fn read(words: &Words) -> Result<Settings> {
        let mut command = cargo();
        command.args(["metadata", "--no-deps", "--format-version=1"]);
        if let Some(path) = words.value(&["--manifest-path"]) {
            command.args(["--manifest-path", path]);
        }
        let output = command.stderr(std::process::Stdio::inherit()).output();
        let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
        if !output.status.success() {
            return Err("cargo knows of no package here".into());
        }
        let metadata: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        Settings::of(&metadata, words, &here)
    }

    fn of(metadata: &Value, words: &Words, here: &Path) -> Result<Settings> {
        let package = package(metadata, words, here)?;
        let root = metadata["workspace_root"].as_str().unwrap_or(".");
        let own = &package["metadata"]["cyclescope"];
        let common = &metadata["metadata"]["cyclescope"];
        for table in [own, common] {
            check(table)?;
        }
        let folder = package["manifest_path"]
            .as_str()
            .map(Path::new)
            .and_then(Path::parent);
        let folder = folder.unwrap_or(Path::new(root));
        let value = |key: &str| {
            let own = own[key].as_str().map(|value| (value, folder));
            own.or_else(|| common[key].as_str().map(|value| (value, Path::new(root))))
        };
        let file = |key: &str, otherwise: &str| match value(key) {
            Some((value, folder)) => folder.join(value),
            None => folder.join(otherwise),
        };
        let board = value("board").map(|(board, folder)| {
            let is_file = board.contains(['/', '\\']) || is_toml(board);
            if is_file {
                folder.join(board).display().to_string()
            } else {
                board.to_owned()
            }
        });
        Ok(Settings {
            board,
            spec: file("spec", "cyclescope.toml"),
            limits: file("limits", "cyclescope-limits.toml"),
            baseline: value("baseline").map(|(path, folder)| folder.join(path)),
            usual_baseline: folder.join("cyclescope-baseline.json"),
            target: metadata["target_directory"].as_str().unwrap_or("target").into(),
        })
    }
}

/// The selected package: the one named on the command line, the one in this folder, or the only one.
fn package<'a>(metadata: &'a Value, words: &Words, here: &Path) -> Result<&'a Value> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    if let Some(name) = words.value(&["-p", "--package"]) {
        let found = packages.iter().find(|package| package["name"] == name);
        return found.ok_or_else(|| format!("no package `{name}` in the workspace"));
    }
    let given = words.value(&["--manifest-path"]).map(|path| here.join(path));
    let manifest = given.unwrap_or_else(|| here.join("Cargo.toml"));
    let is_here = |package: &&Value| {
        package["manifest_path"]
            .as_str()
            .is_some_and(|path| Path::new(path) == manifest)
    };
    match (packages.iter().find(is_here), packages) {
        (Some(package), _) => Ok(package),
        (None, [only]) => Ok(only),
        // Use the workspace's settings then.
        (None, _) => Ok(&Value::Null),
    }
}

fn check(table: &Value) -> Result<()> {
    for (key, value) in table.as_object().into_iter().flatten() {
        if !KEYS.contains(&key.as_str()) {
            return Err(format!(
                "[package.metadata.cyclescope] has no key `{key}`; its keys are {}",
                KEYS.join(", ")
            ));
        }
        if !value.is_string() {
            return Err(format!("[package.metadata.cyclescope]: `{key}` is a text"));
        }
    }
    Ok(())
}
