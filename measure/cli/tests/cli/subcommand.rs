//! `cargo cyclescope`, with a cargo that says what it was asked to do and has built everything already.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use snapbox::cmd::{Command, OutputAssert};

use crate::Desk;

/// A cargo that answers from files, and notes its words.
const CARGO: &str = "#!/bin/sh\necho \"$*\" >> asked.txt\ncase $1 in metadata) cat metadata.json;; *) cat built.json;; esac\n";

pub(crate) fn desk(metadata: &str, programs: &[&str]) -> Desk {
    let desk = Desk::new();
    let top = desk.path(".").canonicalize().expect("it is there");
    let manifest = top.join("Cargo.toml");
    let metadata: Value = serde_json::from_str(metadata).expect("an object");
    let metadata = json!({
        "packages": [{
            "name": "app", "version": "0.1.0", "id": "app", "source": null, "dependencies": [], "targets": [], "features": {},
            "manifest_path": manifest, "metadata": { "cyclescope": metadata },
        }],
        "workspace_members": ["app"], "workspace_root": top, "target_directory": top.join("target"), "metadata": null, "version": 1,
    });
    let artifact = |name: &str, kind: &str, executable: Option<PathBuf>| {
        let artifact = json!({
            "reason": "compiler-artifact", "package_id": "app", "manifest_path": manifest,
            "target": { "name": name, "kind": [kind], "src_path": top.join("src/main.rs") },
            "profile": { "opt_level": "3", "debug_assertions": false, "overflow_checks": false, "test": false },
            "features": [], "filenames": [], "executable": executable, "fresh": true,
        });
        format!("{artifact}\n")
    };
    let built = |name: &&str| {
        let kind = if name.starts_with("bench") { "bench" } else { "bin" };
        artifact(name, kind, Some(top.join("app.elf"))) + &artifact("library", "lib", None)
    };
    let built: String = programs.iter().map(built).collect();
    let spec = "[[span]]\nid = \"app/work\"\nfunction = \"work\"\n";
    let desk = desk
        .with("cargo", CARGO)
        .with("metadata.json", metadata.to_string())
        .with("built.json", built)
        .with("app.elf", crate::firmware::calling().elf())
        .with("cyclescope.toml", spec)
        .with(
            "cyclescope-limits.toml",
            "[[limit]]\nrows = \"app/*\"\nmax = 60\n",
        );
    executable(&desk.path("cargo"));
    desk
}

pub(crate) fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("ours");
}

pub(crate) fn run(desk: &Desk, command: &str) -> OutputAssert {
    Command::new(snapbox::cmd::cargo_bin!("cargo-cyclescope"))
        .current_dir(desk.path(".").canonicalize().expect("it is there"))
        .env("CARGO", "./cargo")
        .args(command.split_whitespace())
        .assert()
}

fn output(run: &OutputAssert) -> (String, String) {
    let output = run.get_output();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

pub(crate) const BOARD: &str = "{\"board\": \"stm32f100rb\"}";

#[test]
fn it_builds_and_measures_in_one_go() {
    let desk = desk(BOARD, &["app"]);
    let (table, _) = output(&run(&desk, "cyclescope cost work --bin app --count 1").code(0));
    assert!(
        table.contains("stm32f100rb") && table.contains(" work "),
        "{table}"
    );
    let asked = desk.read("asked.txt");
    let build = "build --message-format=json-render-diagnostics --bin app --release";
    assert_eq!(asked.lines().last(), Some(build));
    run(&desk, "cyclescope run").code(0);
    assert!(
        desk.read("asked.txt")
            .ends_with("\nbuild --message-format=json-render-diagnostics\n")
    );
    // Its start is in the flash of the one, and not of the other.
    run(&desk, "cyclescope run --board lm3s6965evb").code(2);
    let (table, _) = output(&run(&desk, "cyclescope measure").code(0));
    assert!(
        table.contains("stm32f100rb") && table.contains(" work "),
        "{table}"
    );
    run(&desk, "cyclescope disasm work").code(0);
}

#[test]
fn it_holds_what_it_measures_against_limits() {
    let desk = desk(BOARD, &["app"]);
    run(&desk, "cyclescope gate").code(0);
    run(&desk, "cyclescope gate --save").code(0);
    assert!(desk.read("cyclescope-baseline.json").contains("app/work"));
    let desk = desk.with("cyclescope-limits.toml", "[[limit]]\nrows = \"app/*\"\nmax = 6\n");
    let (table, _) = output(&run(&desk, "cyclescope gate --annotate").code(1));
    assert!(table.contains("::error"), "{table}");
}

/// One command measures and judges, so it takes the options of both.
#[test]
fn gate_takes_the_options_of_measure() {
    let desk = desk("{}", &["app"]);
    run(&desk, "cyclescope gate --save --board stm32f100rb").code(0);
    assert!(desk.read("cyclescope-baseline.json").contains("\"worst\""));
    let (table, _) = output(
        &run(
            &desk,
            "cyclescope gate --timeline --board=stm32f100rb --annotate --limit 5k",
        )
        .code(0),
    );
    assert!(table.contains("0 failed, 0 warned, 1 ok"), "{table}");
    let results = desk.read("target/cyclescope/results.json");
    assert!(results.contains("\"worst\"") && results.contains("stm32f100rb"));
    run(&desk, "cyclescope gate --board stm32f100rb --json mine.json").code(0);
    assert!(desk.read("mine.json").contains("app/work"));
    let (_, told) = output(&run(&desk, "cyclescope baseline --board stm32f100rb").code(0));
    assert!(
        told.contains("`baseline` is now `gate --save`; the old name works until 0.2"),
        "{told}"
    );
    let desk = self::desk(BOARD, &["app"]);
    let (help, _) = output(&run(&desk, "cyclescope gate --help").code(0));
    assert!(help.contains("--sarif") && help.contains("--save"), "{help}");
    assert!(!desk.path("asked.txt").exists(), "nothing is built for the help");
}

/// The manifest's baseline comes first, then that of the limits, then the usual one.
#[test]
fn a_baseline_is_where_the_manifest_or_the_limits_say() {
    let desk = desk(
        "{\"board\": \"stm32f100rb\", \"baseline\": \"mine.json\"}",
        &["app"],
    );
    run(&desk, "cyclescope gate").code(0);
    run(&desk, "cyclescope gate --save").code(0);
    assert!(desk.path("mine.json").exists() && !desk.path("cyclescope-baseline.json").exists());
    let limits = "baseline = \"theirs.json\"\n[[limit]]\nrows = \"app/*\"\nmax = 60\n";
    let desk = self::desk(BOARD, &["app"]).with("cyclescope-limits.toml", limits);
    run(&desk, "cyclescope gate --save").code(0);
    assert!(desk.path("theirs.json").exists() && !desk.path("cyclescope-baseline.json").exists());
    let desk = self::desk(BOARD, &["app"]);
    std::fs::remove_file(desk.path("cyclescope-limits.toml")).expect("it is there");
    run(&desk, "cyclescope gate").code(2);
    run(&desk, "cyclescope gate --save").code(0);
    run(&desk, "cyclescope gate").code(0);
}

/// The options that a help text has.
fn options(help: &str) -> BTreeSet<&str> {
    let lines = help
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'));
    let words = lines.flat_map(|line| line.split([' ', ',']).filter(|word| word.starts_with("--")));
    words.collect()
}

const COMMANDS: [&str; 10] = [
    "run", "test", "cost", "bench", "measure", "why", "profile", "disasm", "gdb", "gate",
];

/// The commands have all of their own options and those of cargo, and their help builds nothing, even where the manifest is wrong.
#[test]
fn every_option_of_a_command_works_behind_cargo() {
    let desk = desk("{\"bord\": \"stm32f100rb\"}", &["app"]).with("cyclescope.toml", "what = [");
    for name in COMMANDS {
        let (help, _) = output(&run(&desk, &format!("cyclescope {name} --help")).code(0));
        let of = if name == "bench" { "measure" } else { name };
        let (own, _) = output(&desk.run(&format!("{of} --help")).code(0));
        for option in options(&own) {
            assert!(options(&help).contains(option), "{name} {option}: {help}");
        }
        for option in [
            "--package",
            "--bin",
            "--release",
            "--profile",
            "--features",
            "--target-dir",
            "--manifest-path",
        ] {
            assert!(options(&help).contains(option), "{name} {option}: {help}");
        }
        let example = help
            .lines()
            .find_map(|line| line.strip_prefix("  cargo cyclescope "));
        assert!(example.is_some_and(|example| example.starts_with(name)), "{help}");
        let wide = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{name}");
    }
    for words in [
        "cyclescope --help",
        "cyclescope help cost",
        "cyclescope measure wrong.toml -h",
        "--version",
    ] {
        run(&desk, words).code(0);
    }
    assert!(!desk.path("asked.txt").exists());
}

/// A mistake is told before anything is built.
#[test]
fn a_misspelt_option_builds_nothing() {
    let desk = desk(BOARD, &["app"]);
    for words in [
        "cost work --cuont 3",
        "run --stat",
        "cost",
        "profile --top ten",
        "measure --board",
    ] {
        let (_, told) = output(&run(&desk, &format!("cyclescope {words}")).code(2));
        assert!(told.contains("--help"), "{told}");
    }
    assert!(!desk.path("asked.txt").exists());
}

#[test]
fn words_of_cargo_stand_anywhere_and_others_stay_in_order() {
    let desk = desk("{}", &["app"]);
    let words = "cyclescope --timeout 5min cost --features=a,b work --board stm32f100rb --bin app -F c --count 1 --locked";
    run(&desk, words).code(0);
    let asked = desk.read("asked.txt");
    let built = asked.lines().last().expect("a line");
    let (start, words) = built.split_once("render-diagnostics ").expect("words");
    assert_eq!(start, "build --message-format=json-");
    let mut words: Vec<&str> = words.split(' ').collect();
    words.sort_unstable();
    assert_eq!(
        words.join(" "),
        "--bin --features --features --locked --release a,b app c"
    );
    run(&desk, "cyclescope run --board stm32f100rb -- --release x").code(0);
    assert!(
        desk.read("asked.txt")
            .ends_with("build --message-format=json-render-diagnostics\n")
    );
}

/// A program that is named is not built.
#[test]
fn a_program_may_be_named() {
    let desk = desk(BOARD, &["one", "two"]);
    for words in [
        "cost work --elf app.elf",
        "measure --elf app.elf",
        "disasm --elf app.elf work",
    ] {
        run(&desk, &format!("cyclescope {words}")).code(0);
    }
    assert!(!desk.read("asked.txt").contains("build"));
}

#[test]
fn it_runs_the_programs_of_tests() {
    let desk = desk(BOARD, &["one", "two"]);
    let (_, told) = output(&run(&desk, "cyclescope test").code(0));
    assert!(
        told.contains("Running one") && told.contains("Running two"),
        "{told}"
    );
    assert!(
        desk.read("asked.txt")
            .contains("test --message-format=json-render-diagnostics --no-run")
    );
}

#[test]
fn what_it_cannot_do_it_says() {
    let several = desk(BOARD, &["one", "two"]);
    let told = |desk: &Desk, command: &str| output(&run(desk, command).code(2)).1;
    assert!(told(&several, "cyclescope run").contains("one, two"));
    assert!(told(&desk(BOARD, &[]), "cyclescope run").contains("cargo built no program"));
    assert!(told(&several, "cyclescope mesure").contains("a similar subcommand exists: 'measure'"));
    let wrong = desk("{\"bord\": \"stm32f100rb\"}", &["app"]);
    assert!(told(&wrong, "cyclescope run").contains("no key `bord`"));
    run(&several, "cyclescope help").code(0);
}
