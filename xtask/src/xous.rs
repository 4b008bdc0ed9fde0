//! Measures the real Xous: its kernel and two of its servers, fetched unchanged, with a client and a server of our own that repeat the
//! study of its messages (`firmware/xous`).

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::packages::{DEBIAN_RUST, ensure};
use crate::shell::{cargo, output, output_logged, run, say};
use crate::{prices, root};

/// The target of all programs.
const TARGET: &str = "riscv32imac-unknown-xous-elf";

/// A program: package, name, link address, and how it selects the chip.
struct Program {
    package: &'static str,
    name: &'static str,
    /// `None` for the kernel, which sets its own.
    base: Option<&'static str>,
    features: &'static str,
    /// The part of the standard library that it needs.
    library: &'static str,
}

/// The programs in the order of their process numbers, as in the study: the server is 4, the client 5. Each has addresses of its own, so
/// that an address identifies its program.
const PROGRAMS: [Program; 5] = [
    Program {
        library: "core,compiler_builtins",
        ..others("xous-kernel", None, "precursor,utralib/precursor-pvt")
    },
    others("xous-log", Some("0x10000"), "precursor,utralib/precursor-pvt"),
    others("xous-names", Some("0x400000"), "precursor,utralib/precursor-pvt"),
    ours("xous-server", "0x800000"),
    ours("xous-client", "0xc00000"),
];

const fn others(package: &'static str, base: Option<&'static str>, features: &'static str) -> Program {
    Program {
        package,
        name: package,
        base,
        features,
        library: "std,panic_abort",
    }
}

const fn ours(name: &'static str, base: &'static str) -> Program {
    Program {
        package: "xous-messages",
        name,
        base: Some(base),
        features: "",
        library: "std,panic_abort",
    }
}

/// The build folder.
fn folder() -> PathBuf {
    root().join("target/xous")
}

/// Builds Xous and measures its messages. Reports the measurement as skipped if it cannot be built here.
///
/// # Errors
/// If a build or run fails.
pub fn measure() -> Result<()> {
    let rust = match Rust::find() {
        Ok(rust) => rust,
        Err(error) => {
            say(&format!("xous: skipped: {error:#}"));
            return Ok(());
        }
    };
    say(&format!(
        "xous: {}; what the compiler says goes to target/xous/*.log",
        rust.describe()
    ));
    let image = image(rust)?;
    run(Command::new(prices::simulator()?)
        .current_dir(root())
        .args(["measure", "firmware/xous/messages.toml", "--elf"])
        .arg(image)
        .arg("--json")
        .arg(folder().join("messages.json")))
}

/// Builds all programs and packs them into one image.
fn image(rust: Rust) -> Result<PathBuf> {
    let workspace = lay_out()?;
    let mut built = Vec::new();
    for program in &PROGRAMS {
        built.push(build(rust, &workspace, program)?);
    }
    let image = folder().join("messages.elf");
    let mut pack = cargo();
    pack.args(["run", "--quiet", "--locked", "-p", "xous-loader", "--"]);
    pack.args(built).arg("--output").arg(&image);
    run(pack.args(["--board", "precursor"]))?;
    Ok(image)
}

/// A Rust toolchain that builds its standard library from source.
#[derive(Clone, Copy, Debug)]
enum Rust {
    /// rustup's nightly, with the component `rust-src`.
    Nightly,
    /// Debian's Rust.
    Debian,
}

impl Rust {
    fn find() -> Result<Rust> {
        let sysroot = output(
            Command::new("rustc")
                .args(["+nightly", "--print", "sysroot"])
                .stderr(std::process::Stdio::null()),
        );
        let sources = |sysroot: String| {
            Path::new(sysroot.trim())
                .join("lib/rustlib/src/rust/library")
                .exists()
        };
        if sysroot.is_ok_and(sources) {
            return Ok(Rust::Nightly);
        }
        ensure(DEBIAN_RUST)
            .context("neither rustup's nightly Rust with `rust-src` nor Debian's Rust is here")?;
        Ok(Rust::Debian)
    }

    fn cargo(self) -> Command {
        match self {
            Rust::Nightly => {
                let mut command = Command::new("cargo");
                command
                    .arg("+nightly")
                    .env_remove("CARGO")
                    .env_remove("RUSTUP_TOOLCHAIN");
                command.env("RUSTFLAGS", FLAGS);
                command
            }
            Rust::Debian => {
                let mut command = Command::new("/usr/bin/cargo");
                command
                    .env("PATH", "/usr/bin:/bin")
                    .env("RUSTC", "/usr/bin/rustc");
                command.env("RUSTC_BOOTSTRAP", "1");
                command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
                let linker = "-Clinker=/usr/bin/ld.lld-19 -Clinker-flavor=ld.lld";
                command.env("RUSTFLAGS", format!("{FLAGS} {linker}"));
                command
            }
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Rust::Nightly => "rustup's nightly Rust builds its standard library",
            Rust::Debian => "Debian's Rust builds its standard library",
        }
    }
}

/// The crossbeam version of that time does not list Xous among the targets without 64-bit atomics.
const FLAGS: &str = "--cfg crossbeam_no_atomic_64";

/// Copies the packages from the registry into a workspace, since they write into their own folders, and adds our own package.
fn lay_out() -> Result<PathBuf> {
    let pinned = root().join("firmware/xous");
    let mut fetch = cargo();
    fetch.args(["fetch", "--locked", "--quiet"]).current_dir(&pinned);
    output_logged(&mut fetch, &folder().join("fetch.log"))?;
    let sources = registry(&pinned)?;
    let workspace = folder().join("workspace");
    if workspace.exists() {
        fs::remove_dir_all(&workspace).context("target/xous/workspace")?;
    }
    copy(&pinned.join("messages"), &workspace.join("xous-messages"))?;
    let lock = fs::read_to_string(pinned.join("Cargo.lock"))?;
    for package in ["xous-kernel", "xous-log", "xous-names", "utralib"] {
        let version = version(&lock, package)?;
        let from = sources.join(format!("{package}-{version}"));
        copy(&from, &workspace.join(package)).with_context(|| format!("{package} {version}"))?;
    }
    fs::write(workspace.join("Cargo.lock"), lock)?;
    fs::write(workspace.join("Cargo.toml"), WORKSPACE)?;
    Ok(workspace)
}

const WORKSPACE: &str = r#"[workspace]
resolver = "2"
members = ["xous-kernel", "xous-log", "xous-names", "xous-messages"]

[patch.crates-io]
utralib = { path = "utralib" }

[profile.release]
codegen-units = 1
panic = "abort"
strip = false
"#;

/// The folder of cargo's package sources.
fn registry(pinned: &Path) -> Result<PathBuf> {
    let mut metadata = cargo();
    metadata
        .args(["metadata", "--locked", "--format-version=1"])
        .current_dir(pinned);
    let metadata = output_logged(&mut metadata, &folder().join("metadata.log"))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let manifest = packages.iter().find(|package| package["name"] == "utralib");
    let manifest = manifest.and_then(|package| package["manifest_path"].as_str());
    let manifest = Path::new(manifest.context("cargo does not know utralib")?);
    let sources = manifest.ancestors().nth(2).context("utralib is nowhere")?;
    Ok(sources.to_owned())
}

/// A package's version in a lock file.
fn version(lock: &str, package: &str) -> Result<String> {
    let name = format!("name = \"{package}\"");
    let mut behind = lock.lines().skip_while(|line| *line != name);
    let version = behind.nth(1).and_then(|line| line.strip_prefix("version = "));
    let version = version.with_context(|| format!("no {package} in firmware/xous/Cargo.lock"))?;
    Ok(version.trim_matches('"').to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir().with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let hidden = [OsStr::new("target"), OsStr::new("Cargo.lock")].contains(&&*name);
        if kind.is_dir() && !hidden {
            copy(&entry.path(), &to.join(name))?;
        } else if kind.is_file() && !hidden {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

fn build(rust: Rust, workspace: &Path, program: &Program) -> Result<PathBuf> {
    let Program {
        package,
        name,
        base,
        features,
        library,
    } = *program;
    let mut command = rust.cargo();
    command.current_dir(workspace);
    command.args([
        "rustc",
        "--release",
        "--target",
        TARGET,
        "-p",
        package,
        "--bin",
        name,
    ]);
    command.arg(format!("-Zbuild-std={library}"));
    if !features.is_empty() {
        command.args(["--features", features]);
    }
    command.arg("--target-dir").arg(folder().join("build"));
    if let Some(base) = base {
        command.args(["--", &format!("-Clink-arg=--image-base={base}")]);
    }
    output_logged(&mut command, &folder().join(format!("{name}.log")))?;
    let built = folder().join("build").join(TARGET).join("release").join(name);
    if !built.exists() {
        bail!("cargo left no {}", built.display());
    }
    Ok(built)
}
