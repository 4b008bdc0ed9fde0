//! Chooses the Rust toolchain that builds the firmware.
//!
//! With rustup, a target's standard library is one download. Otherwise Debian's own Rust carries the sources of `core` and builds them
//! for the target (`-Zbuild-std`). The environment variable `X_CROSS` (`rustup` or `debian`) forces one of the two.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};

use crate::packages::{DEBIAN_RUST, ensure};
use crate::shell::{cargo, find, output, say, succeeds};

/// The default target of firmware packages.
pub const TARGET: &str = "thumbv7m-none-eabi";
/// All firmware targets: ARMv7-M; ARMv6-M; ARMv7E-M with a floating-point unit; RV32I with and without M, C and A.
pub const TARGETS: [&str; 7] = [
    TARGET,
    "thumbv6m-none-eabi",
    "thumbv7em-none-eabihf",
    "riscv32i-unknown-none-elf",
    "riscv32im-unknown-none-elf",
    "riscv32imc-unknown-none-elf",
    "riscv32imac-unknown-none-elf",
];

/// Uses Debian's linker, since rustup's linker is missing.
const DEBIAN_RUSTFLAGS: &str = "-Clinker=/usr/bin/ld.lld-19 -Clinker-flavor=ld.lld";

/// Time limit of a rustup download, in seconds.
pub(crate) const DOWNLOAD_LIMIT: &str = "180";

/// A toolchain for cross compiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cross {
    /// The host's Rust, with the targets' standard libraries installed.
    Installed,
    /// Debian's Rust, which builds `core` from source.
    Debian,
}

impl Cross {
    /// Finds a toolchain, installs what it lacks, and reports the choice. Runs once per process, since a failing rustup may take minutes.
    ///
    /// # Errors
    /// If there is none, or not the one that `X_CROSS` names.
    pub fn choose() -> Result<Self> {
        static CHOSEN: OnceLock<std::result::Result<Cross, String>> = OnceLock::new();
        let chosen = CHOSEN.get_or_init(|| Self::look().map_err(|error| format!("{error:#}")));
        chosen.clone().map_err(|error| anyhow!(error))
    }

    fn look() -> Result<Self> {
        let forced = env::var("X_CROSS").ok();
        let way = match forced.as_deref() {
            None | Some("") => Self::find()?,
            Some("rustup") if has_targets() || add_targets() => Self::Installed,
            Some("rustup") => bail!("X_CROSS=rustup, but rustup cannot provide {}", TARGETS.join(", ")),
            Some("debian") => ensure(DEBIAN_RUST)
                .map(|()| Self::Debian)
                .context("X_CROSS=debian")?,
            Some(other) => bail!("X_CROSS={other}: expected `rustup` or `debian`"),
        };
        say(&format!("firmware: {}", way.describe()));
        Ok(way)
    }

    fn find() -> Result<Self> {
        if has_targets() || add_targets() {
            return Ok(Self::Installed);
        }
        ensure(DEBIAN_RUST).context("no way to compile firmware: rustup has no target, Debian no Rust")?;
        Ok(Self::Debian)
    }

    /// A cargo command that builds for the target.
    pub fn cargo_build(self) -> Command {
        match self {
            Self::Installed => {
                let mut command = cargo();
                command.arg("build");
                command
            }
            Self::Debian => debian_cargo_build(),
        }
    }

    /// The environment variables that make another caller's cargo build as [`cargo_build`](Self::cargo_build) does.
    pub fn environment(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Installed => Vec::new(),
            Self::Debian => vec![
                ("CARGO", "/usr/bin/cargo"),
                ("CARGO_UNSTABLE_BUILD_STD", "core,alloc"),
                ("PATH", "/usr/bin:/bin"),
                ("RUSTC", "/usr/bin/rustc"),
                ("RUSTC_BOOTSTRAP", "1"),
                ("RUSTFLAGS", DEBIAN_RUSTFLAGS),
            ],
        }
    }

    /// The compiler and its version, as in `rustc 1.95.0`.
    pub fn compiler(self) -> String {
        match self {
            Self::Installed => version(rustc()),
            Self::Debian => version("/usr/bin/rustc"),
        }
    }

    fn describe(self) -> String {
        let compiler = self.compiler();
        match self {
            Self::Installed => format!("{compiler}, with its own core for {}", TARGETS.join(", ")),
            Self::Debian => format!("Debian's {compiler}, building core for {}", TARGETS.join(", ")),
        }
    }
}

/// Debian's cargo, isolated from any rustup on the path: neither its compiler nor its linker is used.
fn debian_cargo_build() -> Command {
    let mut command = Command::new("/usr/bin/cargo");
    command.args(["build", "-Zbuild-std=core,alloc"]);
    command
        .env("PATH", "/usr/bin:/bin")
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTC_BOOTSTRAP", "1");
    command.env("RUSTFLAGS", DEBIAN_RUSTFLAGS);
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    command
}

fn rustc() -> &'static str {
    "rustc"
}

fn version(rustc: &str) -> String {
    let line = output(Command::new(rustc).arg("--version")).unwrap_or_default();
    line.split('(').next().unwrap_or_default().trim().to_owned()
}

/// Whether the current compiler has the standard library of every firmware target.
pub fn has_targets() -> bool {
    TARGETS.iter().all(|target| has_target(target))
}

/// Whether the current compiler has the standard library of a target, after asking rustup for it if it has not.
pub(crate) fn provides(target: &str) -> bool {
    has_target(target) || add(&[target])
}

fn has_target(target: &str) -> bool {
    let folder = output(Command::new(rustc()).args(["--print", "target-libdir", "--target", target]));
    let entries = folder
        .ok()
        .and_then(|folder| Path::new(folder.trim()).read_dir().ok());
    entries.is_some_and(|entries| {
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
    })
}

fn add_targets() -> bool {
    say(&format!("firmware: asking rustup for {}", TARGETS.join(", ")));
    add(&TARGETS)
}

/// Asks rustup for targets, if there is a rustup; returns whether the compiler has them all then.
fn add(targets: &[&str]) -> bool {
    if find("rustup").is_none() {
        return false;
    }
    let added = succeeds(
        Command::new("timeout")
            .args([DOWNLOAD_LIMIT, "rustup", "target", "add"])
            .args(targets),
    );
    // The path may have another rustc before rustup's.
    added && targets.iter().all(|target| has_target(target))
}
