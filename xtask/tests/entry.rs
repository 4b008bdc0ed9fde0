//! `x` is a shell script that works before there is any Rust; what it repeats must stay in step.

use std::fs;

/// The word behind `key` in the first line of `file` that starts with it, without quotes.
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
fn x_asks_for_the_rust_that_the_workspaces_ask_for() {
    let wanted = value("Cargo.toml", "rust-version");
    assert_eq!(value("x", "oldest"), wanted);
    assert_eq!(value("firmware/Cargo.toml", "rust-version"), wanted);
}

/// Where there is neither a Rust nor a network.
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
