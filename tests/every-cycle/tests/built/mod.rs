//! Builds the programs, from the kernel as it is or from a copy with a bug planted in it.

#![allow(dead_code)] // Each of the two tests uses its part.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use machine::{Board, Image};
use xtask::cross::Cross;
use xtask::{firmware, root, target_dir};

/// The chip that the price list is made for.
pub(crate) fn board() -> Board {
    Board::find("stm32f100rb").expect("a board of the repository")
}

/// Built programs.
pub(crate) struct Programs(Vec<PathBuf>);

impl Programs {
    /// The program `tasks-mainspring-sweep-<name>`.
    pub(crate) fn image(&self, name: &str) -> Arc<Image> {
        let wanted = format!("tasks-mainspring-sweep-{name}");
        let path = self
            .0
            .iter()
            .find(|path| path.file_name().is_some_and(|name| *name == *wanted));
        Arc::new(Image::load(path.expect("the program is one of the scenarios")).expect("an ELF file"))
    }
}

/// The programs with the kernel as it is.
pub(crate) fn programs() -> Programs {
    build(&root().join(SCENARIO), "as-it-is")
}

const SCENARIO: &str = "firmware/scenarios/tasks/mainspring";

/// The programs with `old` replaced by `new` in one file of the kernel, everywhere that it stands.
pub(crate) fn programs_with_bug(name: &str, file: &str, old: &str, new: &str) -> Programs {
    let copy = target_dir().join("every-cycle").join(name);
    copy_sources(&copy);
    let path = copy.join(file);
    let text = fs::read_to_string(&path).expect("the kernel has this file");
    assert!(
        text.contains(old),
        "{file} no longer contains {old:?}: plant the bug anew"
    );
    fs::write(&path, text.replace(old, new)).expect("the copy can be written");
    build(&copy.join(SCENARIO), name)
}

fn build(scenario: &Path, name: &str) -> Programs {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let target = target_dir().join("every-cycle/build").join(name);
    let cross = Cross::choose().expect("a compiler for the target");
    Programs(firmware::build_workspace(cross, scenario, &target).expect("the programs compile"))
}

/// The kernel and the scenarios, as far apart as they are here.
fn copy_sources(to: &Path) {
    for folder in ["kernel/core", "kernel/mainspring", SCENARIO] {
        copy_folder(&root().join(folder), &to.join(folder));
    }
    for file in [
        "firmware/scenarios/tasks/common.rs",
        "firmware/scenarios/tasks/scenario.x",
        "firmware/.cargo/config.toml",
    ] {
        copy_file(&root().join(file), &to.join(file));
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace has a manifest");
    let (head, tail) = manifest.split_once("members = [").expect("with members");
    let (_, tail) = tail.split_once(']').expect("in brackets");
    let members = "members = [\"kernel/core\", \"kernel/mainspring\"]";
    fs::write(to.join("Cargo.toml"), format!("{head}{members}{tail}")).expect("the copy can be written");
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in from.read_dir().expect("a folder of the repository").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            copy_file(&from, &to);
        }
    }
}

/// A file that is the same already is left alone, so that cargo need not build it again.
fn copy_file(from: &Path, to: &Path) {
    let bytes = fs::read(from).expect("a file of the repository");
    if fs::read(to).is_ok_and(|present| present == bytes) {
        return;
    }
    fs::create_dir_all(to.parent().expect("inside a folder")).expect("the copy can be written");
    fs::write(to, bytes).expect("the copy can be written");
}
