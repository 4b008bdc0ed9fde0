//! Benchmarks: `cyclescope measure` and `cargo cyclescope bench`: by programs made by hand, and by what cargo makes of an example and of the template.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use report::{Results, Row};
use xtask::cross::Cross;

use crate::firmware::{EXIT, Firmware, NOP};
use crate::{Desk, subcommand};

const BX_LR: u16 = 0x4770;

/// A program with two benchmarks, the first of which has so many NOPs.
pub(crate) fn benches(nops: usize) -> Firmware {
    // Two calls, the way out, and then the two functions, each of which begins at a word.
    let first = (nops + 1).next_multiple_of(2) as u16;
    let main = [0xf000, 0xf808, 0xf000, 0xf800 | (6 + first)];
    Firmware::new(&[&main, EXIT])
        .function("cyclescope.bench:sort/nops/8", &[&vec![NOP; nops], &[BX_LR]])
        .function("cyclescope.bench:sort/least", &[&[BX_LR]])
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn rows(desk: &Desk, name: &str) -> BTreeMap<String, Row> {
    let rows = Results::from_json(&desk.read(name)).expect("results").results;
    rows.into_iter().map(|row| (row.id.clone(), row)).collect()
}

const BENCH: &str = "measure app.elf --board stm32f100rb";

#[test]
fn each_benchmark_of_a_program_is_a_row() {
    let desk = Desk::new().with("app.elf", benches(10).elf());
    desk.run(&format!("{BENCH} --list"))
        .code(0)
        .stdout_eq("sort/least\nsort/nops/8\n");
    desk.run(&format!("{BENCH} --json all.json")).code(0);
    let all = rows(&desk, "all.json");
    // `rtfm/call-return` of the price list has the two cycles of the return.
    assert_eq!((all["sort/least"].max, all["sort/nops/8"].max), (2, 12));
    desk.run(&format!("{BENCH} least --json some.json")).code(0);
    assert_eq!(rows(&desk, "some.json").len(), 1);
    let told = desk.run(&format!("{BENCH} most")).code(2);
    let told = text(&told.get_output().stderr);
    assert!(told.contains("there are sort/least, sort/nops/8"), "{told}");
    let none = Desk::new().with("app.elf", crate::firmware::calling().elf());
    let told = text(&none.run(BENCH).code(2).get_output().stderr);
    assert!(told.contains("there is no benchmark in it"), "{told}");
    assert!(told.contains("`cyclescope cost app.elf FUNCTION`"), "{told}");
}

#[test]
fn a_benchmark_that_panics_is_a_failure() {
    // As the way out, with the reason of a run-time error.
    let fails = [0x2018, 0xf240, 0x0123, 0xf2c0, 0x0102, 0xbeab];
    let app = Firmware::new(&[&[0xf000, 0xf806], &fails]).function("cyclescope.bench:a/b", &[&[BX_LR]]);
    let desk = Desk::new().with("app.elf", app.elf());
    let told = text(&desk.run(BENCH).code(3).get_output().stderr);
    assert!(
        told.contains("the benchmarks did not run to their end: exit code 1"),
        "{told}"
    );
}

#[test]
fn what_changed_since_the_last_time_is_told_with_its_reason() {
    let desk = Desk::new().with("app.elf", benches(10).elf());
    let keep = format!("{BENCH} --keep kept.json");
    let first = text(&desk.run(&keep).code(0).get_output().stdout);
    assert!(!first.contains("since"), "{first}");
    let desk = desk.with("app.elf", benches(13).elf());
    let told = text(&desk.run(&keep).code(0).get_output().stdout);
    assert!(told.contains("since the last time:\nsort/nops/8"), "{told}");
    assert!(
        told.contains("12 → 15 (+3, +25 %)") && told.contains("nop"),
        "{told}"
    );
    // Only what is measured is renewed.
    let desk = desk.with("app.elf", benches(14).elf());
    desk.run(&format!("{keep} least")).code(0);
    let kept = rows(&desk, "kept.json");
    assert_eq!((kept.len(), kept["sort/nops/8"].max), (2, 15));
    desk.with("kept.json", "{}").run(&keep).code(2);
}

#[test]
fn cargo_builds_the_benchmarks_alone() {
    let desk = subcommand::desk(subcommand::BOARD, &["bench-one", "program", "bench-two"])
        .with("app.elf", benches(4).elf());
    let run = subcommand::run(&desk, "cyclescope bench least").code(0);
    let told = text(&run.get_output().stderr);
    assert!(
        told.contains("Measuring bench-two") && !told.contains("Measuring program"),
        "{told}"
    );
    assert!(!text(&run.get_output().stdout).contains("nops"));
    let asked = desk.read("asked.txt");
    let build = "bench --message-format=json-render-diagnostics --no-run --bench *";
    assert_eq!(asked.lines().last(), Some(build));
    assert_eq!(rows(&desk, "target/cyclescope/bench-bench-one.json").len(), 1);
    let several = subcommand::run(&desk, "cyclescope bench --json new.json").code(2);
    assert!(text(&several.get_output().stderr).contains("bench-one and bench-two would write the same file"));
    subcommand::run(&desk, "cyclescope bench --bench one --list").code(0);
    assert!(desk.read("asked.txt").ends_with(" --bench one --no-run\n"));
}

pub(crate) fn top() -> PathBuf {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    top.canonicalize().expect("it is there")
}

/// `cargo cyclescope`, with a cargo that builds as `./x firmware` does.
pub(crate) fn cargo_cyclescope(cross: Cross, folder: &Path, words: &str) -> Output {
    let mut command = Command::new(snapbox::cmd::cargo_bin!("cargo-cyclescope"));
    command
        .current_dir(folder)
        .arg("cyclescope")
        .args(words.split_whitespace())
        .arg("--target-dir")
        .arg(top().join("target/firmware/build"))
        .env("RUSTC_WRAPPER", top().join("xtask/steady-rustc"))
        .envs(cross.environment());
    let output = command.output().expect("it starts");
    println!("{words}\n{}{}", text(&output.stdout), text(&output.stderr));
    output
}

#[test]
fn the_example_runs_on_both_architectures() {
    let Ok(cross) = Cross::choose() else {
        return skipped::skip("benchmarks of an example: no compiler for firmware");
    };
    let desk = Desk::new();
    let example = top().join("firmware/examples/sorting");
    for (target, board) in [
        ("thumbv7m-none-eabi", "stm32f100rb"),
        ("riscv32i-unknown-none-elf", "vexriscv-lite"),
    ] {
        let file = desk.path(target);
        let words = format!(
            "bench --locked --target {target} --board {board} --json {}",
            file.display()
        );
        assert!(cargo_cyclescope(cross, &example, &words).status.success());
        let rows = rows(&desk, target);
        let ids: Vec<&str> = rows.keys().map(String::as_str).collect();
        assert_eq!(
            ids,
            [
                "check/is_sorted/long",
                "check/is_sorted/short",
                "sort/bits-of-a-word",
                "sort/insertion-falling",
                "sort/insertion/64",
                "sort/insertion/8",
                "sort/nothing",
                "sort/shell/64",
                "sort/shell/8",
            ]
        );
        let cycles = |id: &str| rows[id].max;
        assert!(
            rows.values().all(|row| row.board == board
                && row.count == u64::from(row.id != "sort/insertion-falling") * 2 + 1)
        );
        // What is known without a model: what sorts more takes longer, and shell sort is the better one for much.
        assert!(cycles("sort/insertion/8") < cycles("sort/insertion/64"));
        assert!(cycles("sort/shell/64") < cycles("sort/insertion/64"));
        assert!(cycles("check/is_sorted/short") < cycles("check/is_sorted/long"));
        // Sixteen in falling order are 120 exchanges.
        assert!(cycles("sort/insertion-falling") > 120 * 5);
        assert!(cycles("sort/nothing") < cycles("sort/bits-of-a-word"));
        if target.starts_with("thumb") {
            // push {r7, lr}: 1 + 2; mov r7, sp: 1; pop {r7, pc}: 1 + 2, and 3 to fill the pipeline again (Cortex-M3 TRM, 3.3).
            assert_eq!(cycles("sort/nothing"), 10);
        }
    }
}

/// What the placeholders of the template are in the test.
fn filled(text: &str) -> String {
    let bench = format!("path = \"{}\"", top().join("measure/bench").display());
    text.replace("{{project-name}}", "motor-control")
        .replace("{{crate_name}}", "motor_control")
        .replace("{{cyclescope}}", &bench)
        .replace("{{repository}}", "some/cyclescope")
}

fn instantiate(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in from.read_dir().expect("the template").flatten() {
        let (path, place) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            instantiate(&path, &place);
        } else {
            let text = filled(&fs::read_to_string(&path).expect("text"));
            assert!(!text.contains("{{"), "{}: {text}", path.display());
            fs::write(place, text).expect("ours");
        }
    }
}

#[test]
fn a_project_that_is_made_of_the_template_works() {
    let Ok(cross) = Cross::choose() else {
        return skipped::skip("the template: no compiler for firmware");
    };
    let desk = Desk::new();
    let project = desk.path("motor-control");
    instantiate(&top().join("template"), &project);
    // The versions that are at hand.
    fs::copy(top().join("firmware/Cargo.lock"), project.join("Cargo.lock")).expect("it is there");
    let told = cargo_cyclescope(cross, &project, "gate --offline");
    assert!(told.status.success() && text(&told.stdout).contains("0 failed, 0 warned, 1 ok"));
    if cross.compiler().starts_with("rustc 1.95.") {
        let told = cargo_cyclescope(cross, &project, "cost control_step --offline");
        let page = fs::read_to_string(top().join("README.md")).expect("the page");
        let table = text(&told.stdout);
        let table = table.trim();
        assert!(
            page.contains(table) && !table.is_empty(),
            "not in README.md:\n{table}"
        );
    }
    let told = cargo_cyclescope(cross, &project, "bench --offline");
    let table = text(&told.stdout);
    assert!(
        told.status.success() && table.contains("of_eight") && table.contains("of_sixty_four"),
        "{table}"
    );
}
