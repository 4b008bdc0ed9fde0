//! Checks that the shell script `x`, which runs before any Rust is installed, matches what it duplicates.

use std::fs;

/// The unquoted word after `key` in the first line of `file` that starts with it.
fn value(file: &str, key: &str) -> String {
    let text = fs::read_to_string(xtask::root().join(file)).unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(key))
        .unwrap_or_else(|| panic!("{key} in {file}"));
    line.trim_matches([' ', '='])
        .split(' ')
        .next()
        .unwrap()
        .trim_matches('"')
        .to_owned()
}

#[test]
fn one_oldest_rust_is_asked_for_everywhere() {
    let wanted = value("Cargo.toml", "rust-version");
    assert_eq!(value("x", "oldest"), wanted);
    assert_eq!(value("firmware/Cargo.toml", "rust-version"), wanted);
    for file in [
        "Containerfile",
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
        "docs/versions.md",
    ] {
        let text = fs::read_to_string(xtask::root().join(file)).unwrap();
        let names =
            ["rust:", "toolchain install ", "build with Rust "].map(|before| format!("{before}{wanted}"));
        assert!(
            names.iter().any(|name| text.contains(name)),
            "{file}: Rust {wanted}"
        );
    }
}

/// `x help` works without Rust and without a network.
#[test]
fn help_needs_nothing() {
    let help = std::process::Command::new("/bin/bash")
        .arg(xtask::root().join("x"))
        .args(["help"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("CARGO_TARGET_DIR", "/nonexistent")
        .output()
        .unwrap();
    let text = fs::read_to_string(xtask::root().join("xtask/help.txt")).unwrap();
    assert_eq!(String::from_utf8_lossy(&help.stdout), text);
}

/// Publishable crates package without anything but each other.
#[test]
fn what_may_be_published_can_be_packaged() {
    let cargo = || {
        let mut command = std::process::Command::new(env!("CARGO"));
        command.current_dir(xtask::root());
        command
    };
    let metadata = cargo()
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let (public, private): (Vec<&str>, Vec<&str>) = packages
        .map(|package| (package["name"].as_str().unwrap(), package["publish"].is_null()))
        .fold(
            (Vec::new(), Vec::new()),
            |(mut public, mut private), (name, is_public)| {
                if is_public {
                    public.push(name);
                } else {
                    private.push(name);
                }
                (public, private)
            },
        );
    assert!(public.contains(&"cyclescope") && public.contains(&"mainspring") && private.contains(&"xtask"));
    for package in metadata["packages"].as_array().unwrap() {
        if package["publish"].is_null() {
            let said = |key: &str| package[key].as_str().is_some_and(|text| !text.is_empty());
            assert!(
                said("description") && said("license") && said("rust_version"),
                "{package}"
            );
            assert!(!package["keywords"].as_array().unwrap().is_empty(), "{package}");
            let name = package["name"].as_str().unwrap();
            assert!(
                name.starts_with("cyclescope") || name.starts_with("mainspring"),
                "{name} is somebody else's"
            );
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let packed = cargo()
        .args([
            "package",
            "--workspace",
            "--no-verify",
            "--offline",
            "--allow-dirty",
            "--quiet",
        ])
        .args(private.iter().flat_map(|name| ["--exclude", name]))
        .env("CARGO_TARGET_DIR", folder.path())
        .output()
        .unwrap();
    assert!(
        packed.status.success(),
        "{}",
        String::from_utf8_lossy(&packed.stderr)
    );
    for name in public {
        assert!(
            folder
                .path()
                .join(format!("package/{name}-0.1.0.crate"))
                .is_file(),
            "{name}"
        );
    }
}
