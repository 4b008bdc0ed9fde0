//! `cargo test` of a project whose tests are those of the crate embedded-test, with the runner that docs/cargo.md gives.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use xtask::cross::Cross;

use crate::Desk;
use crate::bench::{text, top};

/// The example, with the configuration of cargo that the page shows.
fn project(desk: &Desk) -> PathBuf {
    let (example, project) = (top().join("firmware/examples/tested"), desk.path("tested"));
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "build.rs",
        "memory.x",
        "src/lib.rs",
        "tests/chip.rs",
    ] {
        let place = project.join(file);
        fs::create_dir_all(place.parent().expect("in the project")).expect("a folder");
        fs::copy(example.join(file), place).expect(file);
    }
    let page = fs::read_to_string(top().join("docs/cargo.md")).expect("the page");
    let shown = blocks(&page).find(|block| block.contains("runner = "));
    fs::create_dir_all(project.join(".cargo")).expect("a folder");
    fs::write(project.join(".cargo/config.toml"), shown.expect("a runner")).expect("ours");
    project
}

/// The fenced texts of a page.
fn blocks(page: &str) -> impl Iterator<Item = &str> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    fenced.filter_map(|block| block.split_once('\n').map(|(_, text)| text))
}

/// `cargo test`, where `cyclescope` is on the path.
fn cargo_test(cross: Cross, project: &Path, words: &str) -> Output {
    let mut command = Command::new("cargo");
    command.envs(cross.environment());
    let given = command.get_envs().find(|(name, _)| *name == "PATH");
    let path = given.and_then(|(_, path)| path.map(Into::into));
    let path = path.or_else(|| env::var_os("PATH")).unwrap_or_default();
    let program = snapbox::cmd::cargo_bin!("cyclescope").to_path_buf();
    let ours = program.parent().expect("a folder").to_owned();
    let folders = std::iter::once(ours).chain(env::split_paths(&path));
    let output = command
        .env("PATH", env::join_paths(folders).expect("folders"))
        .env("RUSTC_WRAPPER", top().join("xtask/steady-rustc"))
        // Whoever tests without debug information still sees where a test failed: that is the firmware's own choice.
        .env_remove("CARGO_PROFILE_DEV_DEBUG")
        .current_dir(project)
        .args(["test", "--locked", "--target-dir"])
        .arg(top().join("target/firmware/build"))
        .args(words.split_whitespace())
        .output()
        .expect("cargo");
    println!("{words}\n{}{}", text(&output.stdout), text(&output.stderr));
    output
}

#[test]
fn cargo_test_of_a_firmware_project_runs_on_the_model() {
    let Ok(cross) = Cross::choose() else {
        return skipped::skip("tests of embedded-test: no compiler for firmware");
    };
    let desk = Desk::new();
    let project = project(&desk);
    let run = cargo_test(cross, &project, "");
    let told = text(&run.stdout);
    assert!(run.status.success());
    for part in [
        "running 2 tests\ntest tests::a_bounce_changes_nothing ... ok\ntest tests::what_stays_is_so ... ok\n",
        "running 6 tests\ntest tests::a_switch_is_on_after_four_readings ... ok\n",
        "test tests::time_does_not_stand_still - should panic ... ok\n",
        "test tests::what_never_ends_is_told ... ignored\n",
        "test result: ok. 3 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.0",
    ] {
        assert!(told.contains(part), "no {part:?}");
    }
    let run = cargo_test(cross, &project, "--test chip -- --list --format terse");
    assert!(text(&run.stdout).contains("tests::a_switch_is_on_after_four_readings: test\n"));

    // Those that fail are told with their places.
    let run = cargo_test(cross, &project, "--test chip -- --ignored");
    let told = text(&run.stdout);
    // Cargo gives the code of the one program on.
    assert_eq!(run.status.code(), Some(1));
    let place = |test: &str, words: &str| {
        let report = told.split(&format!("---- tests::{test} stdout ----\n")).nth(1);
        let report = report.and_then(|rest| rest.split("\n\n").next()).expect(test);
        assert!(report.starts_with(words), "{report}");
        let frame = format!("chip::tests::{test}+0x");
        assert!(
            report.contains(&frame) && report.contains("tests/chip.rs:"),
            "{report}"
        );
    };
    place(
        "it_is_told_what_failed",
        "error: the firmware ended with exit code 134\n",
    );
    place(
        "an_access_to_nothing_is_told",
        "error: not modelled: a read of 4 bytes at 0x48000000",
    );
    place(
        "what_never_ends_is_told",
        "it did not end within 1000 ms of the chip's time\n",
    );
}

#[test]
fn the_page_shows_the_example() {
    let page = fs::read_to_string(top().join("docs/cargo.md")).expect("the page");
    for (file, part) in [("Cargo.toml", "[dev-dependencies]"), ("build.rs", "fn main")] {
        let shown = blocks(&page).find(|block| block.contains(part)).expect(part);
        let file = fs::read_to_string(top().join("firmware/examples/tested").join(file)).expect(file);
        assert!(file.contains(shown), "{shown}\n is not in\n{file}");
    }
}
