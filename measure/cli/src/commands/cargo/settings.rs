//! The manifest's settings: `[package.metadata.cyclescope]`, or `[workspace.metadata.cyclescope]` for all packages.

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};
use clap::ArgMatches;
use lab::diagnostic::{Diagnostic, Result};
use serde_json::Value;

use crate::commands::common;
use crate::commands::target::Target;

const KEYS: [&str; 4] = ["board", "spec", "limits", "baseline"];

/// The settings of a package.
#[derive(Debug)]
pub(super) struct Settings {
    /// The board, in the syntax of `--board`.
    board: Option<String>,
    pub(super) spec: PathBuf,
    pub(super) limits: PathBuf,
    /// The baseline, if the manifest names one.
    pub(super) baseline: Option<PathBuf>,
    /// The usual baseline.
    pub(super) usual_baseline: PathBuf,
    /// Cargo's target directory.
    target: PathBuf,
}

impl Settings {
    /// Reads the settings of the package that a command line chooses.
    pub(super) fn read(matches: &ArgMatches) -> Result<Settings> {
        let mut command = MetadataCommand::new();
        command.no_deps();
        // The name that `clap-cargo` gives it.
        let manifest = matches.get_one::<PathBuf>("PATH");
        if let Some(manifest) = manifest {
            command.manifest_path(manifest);
        }
        let metadata = command
            .exec()
            .map_err(|error| Diagnostic::mistake(error.to_string()))?;
        let here = std::env::current_dir().map_err(|error| Diagnostic::mistake(error.to_string()))?;
        let manifest = here.join(manifest.map_or(Path::new("Cargo.toml"), PathBuf::as_path));
        let name = matches
            .get_many::<String>("package")
            .and_then(|mut names| names.next());
        Settings::of(&metadata, package(&metadata, name, &manifest)?)
    }

    fn of(metadata: &Metadata, package: Option<&Package>) -> Result<Settings> {
        let root = metadata.workspace_root.as_std_path();
        let nothing = Value::Null;
        let own = package.map_or(&nothing, |package| &package.metadata["cyclescope"]);
        let common = &metadata.workspace_metadata["cyclescope"];
        for table in [own, common] {
            check(table)?;
        }
        let folder = package.and_then(|package| package.manifest_path.as_std_path().parent());
        let folder = folder.unwrap_or(root);
        let value = |key: &str| {
            let own = own[key].as_str().map(|value| (value, folder));
            own.or_else(|| common[key].as_str().map(|value| (value, root)))
        };
        let file = |key: &str, otherwise: &str| match value(key) {
            Some((value, folder)) => folder.join(value),
            None => folder.join(otherwise),
        };
        let board = value("board").map(|(board, folder)| {
            let is_file =
                board.contains(['/', '\\']) || Path::new(board).extension().is_some_and(|end| end == "toml");
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
            target: metadata.target_directory.clone().into(),
        })
    }

    /// Sets the board, unless the command line did.
    pub(super) fn choose_board(&self, target: &mut Target) {
        if target.board.is_none() {
            target.board.clone_from(&self.board);
            target.board_from = Some("Cargo.toml");
        }
    }

    /// The path of a saved file; creates its folder.
    pub(super) fn kept(&self, name: &str) -> Result<PathBuf> {
        let folder = self.target.join("cyclescope");
        common::create_folder(&folder)?;
        Ok(folder.join(name))
    }
}

/// The selected package: the one named on the command line, the one of this manifest, or the only one; otherwise the workspace's settings hold.
fn package<'a>(
    metadata: &'a Metadata,
    name: Option<&String>,
    manifest: &Path,
) -> Result<Option<&'a Package>> {
    let packages = &metadata.packages;
    if let Some(name) = name {
        let found = packages.iter().find(|package| package.name.as_str() == name);
        let missing = || Diagnostic::mistake(format!("no package `{name}` in the workspace"));
        return found.ok_or_else(missing).map(Some);
    }
    let here = packages.iter().find(|package| package.manifest_path == manifest);
    Ok(here.or(match &packages[..] {
        [only] => Some(only),
        _ => None,
    }))
}

fn check(table: &Value) -> Result<()> {
    for (key, value) in table.as_object().into_iter().flatten() {
        if !KEYS.contains(&key.as_str()) {
            let title = format!("[package.metadata.cyclescope] has no key `{key}`");
            return Err(Diagnostic::mistake(title).help(format!("its keys are {}", KEYS.join(", "))));
        }
        if !value.is_string() {
            let title = format!("[package.metadata.cyclescope]: `{key}` is a text");
            return Err(Diagnostic::mistake(title));
        }
    }
    Ok(())
}
