//! Which Rust builds the firmware.
//!
//! With rustup, the target's standard library is one download. Where that cannot be had, Debian's own Rust carries
//! the sources of `core` and builds them for the target (`-Zbuild-std`). The environment variable `X_CROSS`
//! (`rustup` or `debian`) forces one of the two.

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::packages::{DEBIAN_RUST, ensure};
use crate::shell::{cargo, find, output, say, succeeds};

/// What the firmware is compiled for.
pub const TARGET: &str = "thumbv7m-none-eabi";

/// Longest that a download of the target may take, in seconds.
const DOWNLOAD_LIMIT: &str = "180";

/// A way to compile for the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cross {
    /// The Rust that builds the host's part, with the target's standard library installed.
    Installed,
    /// Debian's Rust, which builds `core` from its sources.
    Debian,
}

impl Cross {
    /// Finds a way, installs what it lacks, and says which.
    ///
    /// # Errors
    /// When there is none, or not the one that `X_CROSS` names.
    pub fn choose() -> Result<Self> {
        let forced = env::var("X_CROSS").ok();
        let way = match forced.as_deref() {
            None | Some("") => Self::find()?,
            Some("rustup") if has_target() || add_target() => Self::Installed,
            Some("rustup") => bail!("X_CROSS=rustup, but rustup cannot provide {TARGET}"),
            Some("debian") => ensure(DEBIAN_RUST)
                .map(|()| Self::Debian)
                .context("X_CROSS=debian")?,
            Some(other) => bail!("X_CROSS={other}: expected `rustup` or `debian`"),
        };
        say(&format!("firmware: {}", way.describe()));
        Ok(way)
    }

    fn find() -> Result<Self> {
        if has_target() || add_target() {
            return Ok(Self::Installed);
        }
        ensure(DEBIAN_RUST).context("no way to compile firmware: rustup has no target, Debian no Rust")?;
        Ok(Self::Debian)
    }

    /// The cargo that builds for the target, ready for further arguments.
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
            Self::Installed => format!("{compiler}, with its own {TARGET}"),
            Self::Debian => format!("Debian's {compiler}, building core for {TARGET}"),
        }
    }
}

/// Debian's cargo shares nothing with a rustup that may be on the path: not its compiler, not its linker.
fn debian_cargo_build() -> Command {
    let mut command = Command::new("/usr/bin/cargo");
    command.args(["build", "-Zbuild-std=core"]);
    command
        .env("PATH", "/usr/bin:/bin")
        .env("RUSTC", "/usr/bin/rustc")
        .env("RUSTC_BOOTSTRAP", "1");
    command.env("RUSTFLAGS", "-Clinker=/usr/bin/ld.lld-19 -Clinker-flavor=ld.lld");
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

/// Whether the compiler in use has the target's standard library.
pub fn has_target() -> bool {
    let folder = output(Command::new(rustc()).args(["--print", "target-libdir", "--target", TARGET]));
    let entries = folder
        .ok()
        .and_then(|folder| Path::new(folder.trim()).read_dir().ok());
    entries.is_some_and(|entries| {
        entries
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
    })
}

fn add_target() -> bool {
    if find("rustup").is_none() {
        return false;
    }
    say(&format!("firmware: asking rustup for {TARGET}"));
    succeeds(Command::new("timeout").args([DOWNLOAD_LIMIT, "rustup", "target", "add", TARGET]))
}
