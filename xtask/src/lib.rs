//! The project's development commands, run through `./x`.
//!
//! A command finds or installs what it needs and reports its choice in one line. A check that cannot run on this machine is reported as
//! skipped, with the reason.
//!
//! The library part serves the tests of other crates: [`firmware::program`] gives them a built program.

pub mod aquila;
pub mod archive;
pub mod campaign;
pub mod checks;
pub mod compatibility;
pub mod cross;
pub mod firmware;
pub mod formats;
pub mod fuzz;
pub mod models;
pub mod packages;
mod pages;
pub mod prices;
pub mod published;
pub mod random;
pub mod rtl;
pub mod shape;
pub mod shell;
pub mod silicon;
pub mod site;
pub mod soak;
pub mod speed;
pub mod streams;
pub mod timing;
pub mod webassembly;
pub mod wheel;
pub mod xous;

use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("/"))
}

/// The host's build directory, as cargo would choose it.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
