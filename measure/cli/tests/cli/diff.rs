//! `cyclescope diff`, and what `gate` says by it: planted regressions are caught, with their lines and causes.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{Desk, golden};

const COMPILER: &str = "arm-none-eabi-gcc";

/// What is planted in `firmware/examples/regressions`, with the line that is to blame and what the blame says.
const PLANTED: [(&str, &str, &str, &str); 4] = [
    (
        "ISB",
        "isb\" ::: \"memory\"",
        "`isb sy` is new",
        "instruction-barrier",
    ),
    (
        "CALL",
        "sum += gain(",
        "`gain` is no longer inlined into `step`",
        "branch-",
    ),
    (
        "ALIGNMENT",
        "sum += gain(",
        "is no longer aligned to 4 bytes",
        "flash-",
    ),
    (
        "WAIT_STATE",
        "sum += gain(",
        "the memory has other wait states",
        "flash-",
    ),
];

fn source() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/examples/regressions");
    std::fs::read_to_string(folder.join("control.c")).unwrap()
}

/// The example, as it is and with each regression; `None` where nothing can compile it.
fn desk() -> Option<Desk> {
    if !skipped::installed(COMPILER) {
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/examples/regressions");
    let mut desk = Desk::new();
    for name in ["control.c", "link.ld", "spec.toml", "limits.toml"] {
        desk = desk.with(name, std::fs::read(folder.join(name)).unwrap());
    }
    let plants = PLANTED.map(|(name, ..)| name);
    for name in ["NOTHING"].iter().chain(&plants) {
        let words = "-mcpu=cortex-m4 -mthumb -Os -g -ffreestanding -nostdlib -T link.ld control.c";
        let built = Command::new(COMPILER)
            .current_dir(desk.path("."))
            .args(words.split(' '))
            .args([&format!("-DPLANT_{name}"), "-o", &format!("{name}.elf")])
            .status();
        assert!(built.unwrap().success(), "{name}");
        let measured = desk.run(&format!(
            "measure spec.toml --elf {name}.elf --timeline --json {name}.json"
        ));
        measured.code(0);
    }
    desk.run("gate NOTHING.json --save --baseline base.json").code(0);
    Some(desk)
}

/// The number of the line with this text.
fn line_of(source: &str, text: &str) -> u64 {
    let at = source.find(text).unwrap();
    source[..at].lines().count() as u64 + u64::from(source[..at].ends_with('\n'))
}

fn json(desk: &Desk, name: &str) -> Value {
    serde_json::from_str(&desk.read(name)).unwrap()
}

#[test]
fn planted_regressions_are_caught_with_their_lines_and_causes() {
    let Some(desk) = desk() else { return };
    let source = source();
    for (name, line, what, rule) in PLANTED {
        let files = "--sarif out.sarif --junit out.xml --markdown out.md --annotate";
        let gate = desk
            .run(&format!("gate {name}.json --limits limits.toml {files}"))
            .code(1);
        let said = String::from_utf8_lossy(&gate.get_output().stdout).into_owned();
        assert!(said.contains(what), "{name}: {said}");
        let diff = desk.run(&format!(
            "diff NOTHING.elf {name}.elf --spec spec.toml --json diff.json"
        ));
        let text = String::from_utf8_lossy(&diff.code(0).get_output().stdout).into_owned();
        let change = &json(&desk, "diff.json")["changes"][0];
        let reasons = change["why"].as_array().unwrap();
        let sum: i64 = reasons
            .iter()
            .map(|reason| reason["cycles"].as_i64().unwrap())
            .sum();
        let by = change["new"]["max"].as_i64().unwrap() - change["old"]["max"].as_i64().unwrap();
        assert_eq!((sum, change["cycles"].as_i64()), (by, Some(by)), "{name}: {text}");
        let reason = reasons
            .iter()
            .find(|reason| reason["what"].as_str().unwrap().contains(what));
        let reason = reason.unwrap_or_else(|| panic!("{name}: {text}"));
        let rules = reason["rules"].as_array().unwrap();
        assert!(
            rules
                .iter()
                .any(|cost| cost["rule"].as_str().unwrap().starts_with(rule)),
            "{name}: {reason}"
        );
        assert_eq!(
            reason["line"].as_u64(),
            Some(line_of(&source, line)),
            "{name}: {text}"
        );
        // The gate points at the line that costs most.
        let sarif = json(&desk, "out.sarif");
        let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "control.c", "{name}");
        assert_eq!(place["region"]["startLine"], reasons[0]["line"], "{name}");
        let annotation = format!("::error file=control.c,line={}::", reasons[0]["line"]);
        assert!(said.contains(&annotation), "{name}: {said}");
        let junit = quick_junit::Report::deserialize_from_str(&desk.read("out.xml")).unwrap();
        assert_eq!((junit.tests, junit.failures), (1, 1));
        assert!(desk.read("out.md").contains(&what.replace('|', "\\|")), "{name}");
    }
}

#[test]
fn a_hundred_runs_say_the_same() {
    let Some(desk) = desk() else { return };
    let first = desk.read("ISB.json");
    desk.run("diff NOTHING.json ISB.json --json first.json").code(0);
    let differs = desk.read("first.json");
    for _ in 0..100 {
        desk.run("measure spec.toml --elf ISB.elf --timeline --json again.json")
            .code(0);
        assert_eq!(first, desk.read("again.json"));
    }
    desk.run("diff NOTHING.json again.json --json again-diff.json")
        .code(0);
    assert_eq!(differs, desk.read("again-diff.json"));
    desk.run("diff ISB.json again.json")
        .code(0)
        .stdout_eq("0 dearer, 0 cheaper, 0 new, 0 gone, 1 the same\n");
}

#[test]
fn an_example_shows_what_is_said() {
    let Some(desk) = desk() else { return };
    let run = desk
        .run("diff NOTHING.elf CALL.elf --spec spec.toml --markdown out.md")
        .code(0);
    let version = Command::new(COMPILER)
        .arg("-dumpversion")
        .output()
        .unwrap()
        .stdout;
    if version.starts_with(b"12.2") {
        run.stdout_eq(golden("diff.out"));
        let gate = desk.run("gate ISB.json --limits limits.toml").code(1);
        let said = String::from_utf8_lossy(&gate.get_output().stdout).into_owned();
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains(said.trim()), "not in README.md:\n{said}");
    } else {
        skipped::skip("another compiler makes other examples of docs/diff.md and README.md");
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diff.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&golden("diff.out").to_string()), "docs/diff.md");
    assert!(
        desk.read("out.md")
            .contains("`gain` is no longer inlined into `step`")
    );
    // An ELF file needs a spec.
    let run = desk.run("diff NOTHING.elf ISB.json").code(2);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(text.contains("--spec"), "{text}");
}
