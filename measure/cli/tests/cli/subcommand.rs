//! `cargo cyclescope`, with a cargo that says what it was asked to do and has built everything already.

use std::path::Path;

use snapbox::cmd::{Command, OutputAssert};

use crate::Desk;

/// A cargo that answers from files, and notes its words.
const CARGO: &str = "#!/bin/sh\necho \"$*\" >> asked.txt\ncase $1 in metadata) cat metadata.json;; *) cat built.json;; esac\n";

pub(crate) fn desk(metadata: &str, programs: &[&str]) -> Desk {
    let desk = Desk::new();
    let top = desk.path(".").canonicalize().expect("it is there");
    let (top, manifest) = (top.display(), top.join("Cargo.toml"));
    let metadata = format!(
        "{{\"packages\": [{{\"name\": \"app\", \"manifest_path\": \"{}\", \"metadata\": {{\"cyclescope\": {metadata}}}}}], \
         \"workspace_root\": \"{top}\", \"target_directory\": \"{top}/target\", \"metadata\": null}}",
        manifest.display()
    );
    let built = |name: &&str| {
        let kind = if name.starts_with("bench") { "bench" } else { "bin" };
        format!(
            "{{\"reason\":\"compiler-artifact\",\"target\":{{\"kind\":[\"{kind}\"],\"name\":\"{name}\"}},\"executable\":\"{top}/app.elf\"}}\n\
             {{\"reason\":\"compiler-artifact\",\"target\":{{\"name\":\"lib\"}},\"executable\":null}}\n"
        )
    };
    let built: String = programs.iter().map(built).collect();
    let spec = "[[span]]\nid = \"app/work\"\nfunction = \"work\"\n";
    let desk = desk
        .with("cargo", CARGO)
        .with("metadata.json", metadata)
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
        told.contains("is called `cargo cyclescope gate --save` now"),
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
    assert!(told(&several, "cyclescope run").contains("one, two; choose one with --bin NAME"));
    assert!(told(&desk(BOARD, &[]), "cyclescope run").contains("cargo built no program"));
    assert!(told(&several, "cyclescope mesure").contains("there is no command `mesure`"));
    let wrong = desk("{\"bord\": \"stm32f100rb\"}", &["app"]);
    assert!(told(&wrong, "cyclescope run").contains("no key `bord`"));
    run(&several, "cyclescope help").code(0);
}
