//! The composite action's script, run as GitHub's runner runs it, with a `cargo` and a `gh` that note what they are asked.

use std::path::Path;
use std::process::Command;

use crate::Desk;
use crate::subcommand::executable;

/// Writes the page that it is told to, and ends as a gate does that is not kept.
const CARGO: &str = "#!/bin/sh\necho \"cargo $*\" >> asked.txt\nprintf '<!-- cyclescope-gate -->\\n%s\\n' \"$RUN\" > \"$5\"\nexit 1\n";

/// Keeps one comment, and answers a search for it.
const GH: &str = "#!/bin/sh\necho \"gh $*\" >> asked.txt\nfor word; do last=$word; done\ncase \"$*\" in\n\
    *--paginate*) if [ -f comment.md ]; then echo 7; echo 8; fi;;\n\
    *) cp \"${last#body=@}\" comment.md;;\nesac\n";

/// The script of the last step.
fn script() -> String {
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
    let action = std::fs::read_to_string(action).unwrap();
    let (_, script) = action.rsplit_once("run: |\n").unwrap();
    script
        .lines()
        .map(|line| line.trim_start_matches("        ").to_owned() + "\n")
        .collect()
}

fn run(desk: &Desk, name: &str, comment: &str) -> Option<i32> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-eo", "pipefail", "script.sh"])
        .current_dir(desk.path("."));
    bash.env("PATH", format!("{}:{path}", desk.path(".").display()))
        .env("RUN", name)
        .env("COMMAND", "gate")
        .env("ARGUMENTS", "--bin app")
        .env("SUMMARY", "true")
        .env("COMMENT", comment)
        .env("PULL_REQUEST", "12")
        .env("GITHUB_REPOSITORY", "some/one")
        .env("GITHUB_STEP_SUMMARY", "summary.md")
        .env("RUNNER_TEMP", ".");
    bash.status().unwrap().code()
}

#[test]
fn one_comment_is_made_and_then_renewed() {
    if !skipped::installed("bash") {
        return;
    }
    let desk = Desk::new()
        .with("script.sh", script())
        .with("cargo", CARGO)
        .with("gh", GH);
    executable(&desk.path("cargo"));
    executable(&desk.path("gh"));
    assert_eq!(run(&desk, "none", "false"), Some(1), "the gate's exit code");
    assert!(!desk.path("comment.md").exists());
    assert_eq!(run(&desk, "first", "true"), Some(1));
    assert_eq!(run(&desk, "second", "true"), Some(1));
    assert_eq!(desk.read("comment.md"), "<!-- cyclescope-gate -->\nsecond\n");
    for name in ["none", "first", "second"] {
        assert!(desk.read("summary.md").contains(name), "{name}");
    }
    let asked = desk.read("asked.txt");
    assert!(
        asked.contains("cargo cyclescope gate --annotate --markdown ./cyclescope.md --bin app\n"),
        "{asked}"
    );
    let written: Vec<&str> = asked.lines().filter(|line| line.contains("--method")).collect();
    assert_eq!(
        written,
        [
            "gh api --silent --method POST repos/some/one/issues/12/comments --field body=@./cyclescope.md",
            "gh api --silent --method PATCH repos/some/one/issues/comments/7 --field body=@./cyclescope.md",
        ]
    );
}
