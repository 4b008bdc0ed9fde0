//! Files of results as no run of ours writes them: of other units, with a row twice, with nothing, or with line breaks in names.

use report::{Results, Row};

use crate::Desk;

fn row(unit: &str, value: i64) -> Row {
    let text = format!(
        r#"{{"id":"app/a","board":"b","core":"cortex-m3","kernel":"none","unit":"{unit}","count":1,"min":{value},"mean":{value}.0,
        "max":{value},"own":{value},"preempted":0,"blocked":0,"evidence":"A"}}"#
    );
    serde_json::from_str(&text).expect("a row")
}

fn desk(old: Vec<Row>, new: Vec<Row>) -> Desk {
    let limits = "baseline = \"old.json\"\n[[limit]]\nrows = \"app/*\"\nmax = 20\n";
    Desk::new()
        .with("old.json", Results::new("t 1", old).to_json())
        .with("new.json", Results::new("t 1", new).to_json())
        .with("limits.toml", limits)
}

/// The exit code, and what went to either stream.
fn told(desk: &Desk, words: &str) -> (i32, String) {
    let run = desk.run(words);
    let output = run.get_output();
    let text = [&output.stdout[..], &output.stderr].concat();
    (
        output.status.code().expect("it ends"),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

const GATE: &str = "gate new.json --limits limits.toml --annotate";

#[test]
fn other_units_are_not_compared() {
    let desk = desk(vec![row("cycles", 10)], vec![row("bytes", 9)]);
    let (code, text) = told(&desk, GATE);
    assert!(
        code == 1 && text.contains("its unit is bytes, and cycles in the baseline"),
        "{text}"
    );
    assert!(
        text.contains("1 failed, 0 warned, 0 ok; 0 dearer, 0 cheaper"),
        "{text}"
    );
    let (code, text) = told(&desk, "diff old.json new.json");
    assert!(
        code == 0
            && text.contains("10 cycles → 9 bytes, another unit")
            && text.contains("0 dearer, 0 cheaper"),
        "{text}"
    );
}

#[test]
fn a_row_occurs_once_in_a_file() {
    let desk = desk(
        vec![row("cycles", 10), row("cycles", 99)],
        vec![row("cycles", 50)],
    );
    for words in [
        GATE,
        "gate new.json --save --baseline old.json",
        "diff old.json new.json",
        "report old.json",
    ] {
        let (code, text) = told(&desk, words);
        assert!(
            code == 2 && text.contains("`app/a` on `b` occurs twice") && text.contains("old.json"),
            "{words}: {text}"
        );
    }
    assert!(desk.read("old.json").contains("99"), "it is as it was");
}

#[test]
fn results_without_rows_do_not_pass() {
    let gone = told(&desk(vec![row("cycles", 10)], vec![]), GATE);
    assert!(
        gone.0 == 1 && gone.1.contains("no longer in the results"),
        "{}",
        gone.1
    );
    let nothing = told(&desk(vec![], vec![]), GATE);
    assert!(
        nothing.0 == 2 && nothing.1.contains("matches no row"),
        "{}",
        nothing.1
    );
}

/// A line that begins with two colons is a command to GitHub's runner.
#[test]
fn names_begin_no_line_of_their_own() {
    const FORGED: &str = "x\n::error::forged";
    let mut named = row("cycles", 90);
    named.id = format!("app/{FORGED}");
    let desk = desk(vec![row("cycles", 10)], vec![row("cycles", 10), named]).with(
        "old.json",
        Results::new(FORGED, vec![row("cycles", 10)]).to_json(),
    );
    for words in [GATE, "diff old.json new.json"] {
        let (_, text) = told(&desk, words);
        assert!(text.contains("forged"), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("::error::")), "{text}");
    }
}
