//! Checks the kernel with loom, which explores every interleaving of threads, and with Miri, which checks every memory access.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::checks::Outcome;
use crate::cross::DOWNLOAD_LIMIT;
use crate::shell::{cargo, find, run, say, succeeds};
use crate::{root, target_dir};

/// Runs loom, and Miri if rustup's nightly Rust can be had.
///
/// # Errors
/// If one of them finds something.
pub fn check() -> Result<Outcome> {
    run(cargo()
        .args(["test", "--locked", "-p", "mainspring-core", "--features", "loom"])
        .args(["--test", "ring", "--test", "pool_threads"]))?;
    if !has_miri() && !add_miri() {
        let what = "Miri, a part of rustup's nightly Rust: `rustup component add miri --toolchain nightly`";
        say(&format!("models: loom found nothing; not run: {what}"));
        return Ok(Outcome::opt_in(what));
    }
    for tests in MIRI {
        let mut miri = nightly();
        miri.args(["miri", "test", "--locked"]).args(*tests);
        miri.env("MIRIFLAGS", MIRI_FLAGS).env("PROPTEST_CASES", "4");
        // Its own target directory, since sysroot and artifacts come from another compiler.
        run(miri.env("CARGO_TARGET_DIR", target_dir().join("miri")))?;
    }
    Ok(Outcome::default())
}

/// The tests that Miri runs: all host tests of the kernel, except those that start compilers (`must_not_compile`), those that explore
/// every state of a small world (`pool_explored`, covered by `pool`), and `threads` and `processes`, which have no `unsafe`.
const MIRI: &[&[&str]] = &[
    &[
        "-p=mainspring",
        "--lib",
        "--test=future",
        "--test=host",
        "--test=pool",
        "--test=shared",
        "--test=sound",
        "--test=time",
    ],
    &["-p=mainspring", "--doc"],
    &[
        "-p=mainspring-core",
        "--lib",
        "--test=plan",
        "--test=pool",
        "--test=pool_threads",
        "--test=problems",
        "--test=ring",
        "--test=time",
    ],
];

/// proptest asks for the current directory, and the `plan` tests leak their plans, which are `'static`.
const MIRI_FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-ignore-leaks";

fn has_miri() -> bool {
    let mut probe = nightly();
    probe.args(["miri", "--version"]);
    let found = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Adds Miri to an installed nightly Rust through rustup.
fn add_miri() -> bool {
    if find("rustup").is_none() {
        return false;
    }
    say("models: asking rustup for Miri, and the sources that its standard library is built from");
    let added = succeeds(
        Command::new("timeout")
            .args([
                DOWNLOAD_LIMIT,
                "rustup",
                "component",
                "add",
                "--toolchain",
                "nightly",
            ])
            .args(["miri", "rust-src"]),
    );
    added && has_miri()
}

/// Nightly cargo, which includes Miri.
fn nightly() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).current_dir(root());
    command.env_remove("CARGO").env_remove("RUSTC");
    command
}
