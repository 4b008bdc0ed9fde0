//! `cyclescope gate`.

mod foreign;

use std::collections::BTreeMap;

use report::{Results, Row};
use serde_json::Value;

use crate::firmware::{EXIT, Firmware, NOP};
use crate::{Desk, golden};

/// Two measured stretches, the second of which has so many NOPs.
fn app(nops: usize) -> Vec<u8> {
    let marks: Vec<u16> = [
        &[0xbe01, NOP, NOP, 0xbe02, 0xbe03][..],
        &vec![NOP; nops],
        &[0xbe04],
    ]
    .concat();
    Firmware::new(&[&marks, EXIT]).elf()
}

const SPEC: &str = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"app/first\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n\
                    [[span]]\nid = \"app/second\"\nfrom = \"bkpt:3\"\nto = \"bkpt:4\"\n";

/// A desk with results of a build, and a baseline of another one.
fn desk(old: usize, new: usize, limits: &str) -> Desk {
    let desk = Desk::new().with("app.elf", app(old)).with("spec.toml", SPEC);
    desk.run("measure spec.toml --json old.json").code(0);
    desk.run("gate old.json --save --baseline base.json").code(0);
    let desk = desk.with("app.elf", app(new)).with("limits.toml", limits);
    desk.run("measure spec.toml --json new.json").code(0);
    desk
}

const LIMITS: &str = "baseline = \"base.json\"\n\n[[limit]]\nrows = \"app/*\"\nmax = 20\nsoft = 9\ngrow = \"50 %\"\nsoft_grow = 0\n";

fn gate(desk: &Desk, options: &str) -> (i32, String) {
    let run = desk.run(&format!("gate new.json --limits limits.toml {options}"));
    let output = run.get_output();
    (
        output.status.code().unwrap(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[test]
fn each_limit_is_kept_or_says_so() {
    for (new, code, says) in [
        (8, 0, "0 failed, 0 warned, 2 ok; 0 dearer, 0 cheaper"),
        (7, 0, "0 failed, 0 warned, 2 ok; 0 dearer, 1 cheaper"),
        (
            9,
            0,
            "9 is 1 above the baseline of 8; no growth is allowed (soft limit)",
        ),
        (10, 0, "10 is above the soft limit of 9"),
        (13, 1, "13 is 5 above the baseline of 8; at most 50 % is allowed"),
        (21, 1, "21 is above the limit of 20"),
    ] {
        let (ended, text) = gate(&desk(8, new, LIMITS), "");
        assert_eq!(ended, code, "{new}: {text}");
        assert!(text.contains(says), "{new}: {text}");
    }
}

/// A baseline that is what it was cannot be to blame.
#[test]
fn only_what_differs_from_its_baseline_is_renewed() {
    for (old, new, help) in [
        (21, 21, "no baseline decides this"),
        (8, 21, "the same command with `--save`"),
    ] {
        let desk = desk(
            old,
            new,
            "baseline = \"base.json\"\n[[limit]]\nrows = \"app/*\"\nmax = 20\n",
        );
        let run = desk.run("gate new.json --limits limits.toml").code(1);
        let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(told.contains(help), "{told}");
    }
}

/// What is done in a given time may not become less.
#[test]
fn limits_from_below_are_kept_or_say_so() {
    let limits = LIMITS.replace("app/*", "app/second").replace(
        "max = 20\nsoft = 9\ngrow = \"50 %\"\nsoft_grow = 0",
        "min = 6\nfall = \"20 %\"",
    );
    for (new, code, says) in [
        (9, 0, "0 failed, 0 warned, 2 ok; 1 dearer, 0 cheaper"),
        (7, 0, "0 failed, 0 warned, 2 ok; 0 dearer, 1 cheaper"),
        (6, 1, "6 is 2 below the baseline of 8; at most 20 % is allowed"),
        (5, 1, "5 is below the limit of 6"),
    ] {
        let (ended, text) = gate(&desk(8, new, &limits), "");
        assert_eq!(ended, code, "{new}: {text}");
        assert!(text.contains(says), "{new}: {text}");
    }
}

/// The figure at the limit and the one beyond it: each limit by itself.
#[test]
fn a_figure_at_its_limit_keeps_it() {
    const OK: &str = "0 failed, 0 warned";
    for (keys, new, code, says) in [
        ("max = 20\nsoft = 9", 9, 0, OK),
        ("max = 20\nsoft = 9", 20, 0, "20 is above the soft limit of 9"),
        ("max = 20\nsoft = 9", 21, 1, "21 is above the limit of 20"),
        ("min = 6", 6, 0, OK),
        ("min = 6", 5, 1, "5 is below the limit of 6"),
    ] {
        let limits = format!("[[limit]]\nrows = \"app/second\"\n{keys}\n");
        let (ended, text) = gate(&desk(8, new, &limits), "");
        assert!(
            (ended, text.contains(says)) == (code, true),
            "{keys}, {new}: {text}"
        );
    }
    for (keys, new, code, says) in [
        ("grow = 2", 10, 0, OK),
        (
            "grow = 2",
            11,
            1,
            "11 is 3 above the baseline of 8; at most 2 is allowed",
        ),
        ("grow = \"25 %\"", 10, 0, OK),
        (
            "grow = \"25 %\"",
            11,
            1,
            "11 is 3 above the baseline of 8; at most 25 % is allowed",
        ),
        ("soft_grow = 2", 10, 0, OK),
        (
            "soft_grow = 2",
            11,
            0,
            "11 is 3 above the baseline of 8; at most 2 is allowed (soft limit)",
        ),
        ("fall = 2", 6, 0, OK),
        (
            "fall = 2",
            5,
            1,
            "5 is 3 below the baseline of 8; at most 2 is allowed",
        ),
        ("fall = \"25 %\"", 6, 0, OK),
        (
            "fall = \"25 %\"",
            5,
            1,
            "5 is 3 below the baseline of 8; at most 25 % is allowed",
        ),
    ] {
        let limits = format!("baseline = \"base.json\"\n[[limit]]\nrows = \"app/second\"\n{keys}\n");
        let (ended, text) = gate(&desk(8, new, &limits), "");
        assert!(
            (ended, text.contains(says)) == (code, true),
            "{keys}, {new}: {text}"
        );
    }
}

/// With a baseline, growth fails unless a tolerance is written down. What is limited from below only may grow.
#[test]
fn growth_is_not_accepted_in_silence() {
    for (keys, new, code, says) in [
        ("max = 20", 8, 0, "0 failed, 0 warned"),
        (
            "max = 20",
            9,
            1,
            "9 is 1 above the baseline of 8; no growth is allowed",
        ),
        (
            "max = 20\nmin = 1",
            9,
            1,
            "9 is 1 above the baseline of 8; no growth is allowed",
        ),
        (
            "soft = 20",
            9,
            1,
            "9 is 1 above the baseline of 8; no growth is allowed",
        ),
        (
            "figure = \"mean\"",
            9,
            1,
            "9 is 1 above the baseline of 8; no growth is allowed",
        ),
        ("max = 20\ngrow = 1", 9, 0, "0 failed, 0 warned"),
        (
            "max = 20\nsoft_grow = 0",
            9,
            0,
            "9 is 1 above the baseline of 8; no growth is allowed (soft limit)",
        ),
        ("min = 1", 9, 0, "0 failed, 0 warned"),
        ("fall = 1", 9, 0, "0 failed, 0 warned"),
    ] {
        let limits = format!("[[limit]]\nrows = \"app/second\"\n{keys}\n");
        let (ended, text) = gate(&desk(8, new, &limits), "--baseline base.json");
        assert!(
            (ended, text.contains(says)) == (code, true),
            "{keys}, {new}: {text}"
        );
    }
}

/// A test page shows no failure where the gate has none.
#[test]
fn a_soft_limit_is_no_failure_anywhere() {
    let desk = desk(8, 10, LIMITS);
    let (code, text) = gate(&desk, "--junit out.xml --sarif out.sarif --annotate");
    assert!(
        code == 0 && text.contains("::warning") && !text.contains("::error"),
        "{text}"
    );
    let xml = desk.read("out.xml");
    let junit = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((junit.tests, junit.failures, junit.errors), (2, 0, 0), "{xml}");
    assert!(
        xml.contains("10 is above the soft limit of 9") && !xml.contains("<failure"),
        "{xml}"
    );
    let sarif: Value = serde_json::from_str(&desk.read("out.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(
        !results.is_empty() && results.iter().all(|result| result["level"] == "warning"),
        "{results:?}"
    );
}

/// Of another version of the tool, or of a timing rule that has changed.
#[test]
fn a_baseline_that_was_made_otherwise_is_told() {
    let desk = desk(8, 8, LIMITS);
    let same = gate(&desk, "--annotate --markdown out.md");
    assert!(
        !same.1.contains("note") && !desk.read("out.md").contains("Note"),
        "{}",
        same.1
    );
    let tool = format!("cyclescope {}", env!("CARGO_PKG_VERSION"));
    let base = desk.read("base.json");
    let mut results = Results::from_json(&base).unwrap();
    let [_, row] = &mut results.results[..] else {
        panic!("two rows")
    };
    let (rule, print) = row.obtained.rules.iter_mut().next().expect("it relied on some");
    let rule = rule.clone();
    "00000000".clone_into(print);
    let other = results.to_json().replace(&tool, "cyclescope 0.0.9");
    let desk = desk.with("base.json", other);
    let versions = format!("2 rows: baseline from cyclescope 0.0.9, results from {tool}");
    let rules = format!("timing rule of cortex-m3 changed since the baseline: `{rule}`");
    let (code, text) = gate(&desk, "--annotate --markdown out.md");
    assert_eq!(code, 0, "{text}");
    for says in [&versions, &rules] {
        assert!(text.contains(&format!("note     {says}\n")), "{text}");
        assert!(text.contains(&format!("::notice::{says}\n")), "{text}");
        assert!(desk.read("out.md").contains(&format!("\nNote: {says}\n")));
    }
    let differs = desk.run("diff base.json new.json").code(0);
    let told = String::from_utf8_lossy(&differs.get_output().stderr).into_owned();
    assert!(told.contains(&versions) && told.contains(&rules), "{told}");
    // What is renewed is of this version, what stays is of the other one.
    let mut new = Results::from_json(&desk.read("new.json")).unwrap();
    new.results.remove(0);
    let desk = desk.with("one.json", new.to_json());
    desk.run("gate one.json --save --baseline base.json").code(0);
    let (_, text) = gate(&desk, "");
    assert!(
        text.contains("1 row: baseline from cyclescope 0.0.9, results from") && !text.contains(&rules),
        "{text}"
    );
}

#[test]
fn every_form_says_the_same() {
    let desk = desk(8, 13, LIMITS);
    let files = "--junit out.xml --markdown out.md --sarif out.sarif --bencher out.json --annotate";
    let run = desk.run(&format!("gate new.json --limits limits.toml {files}"));
    run.code(1)
        .stdout_eq(golden("gate.out"))
        .stderr_eq(golden("gate.txt"));
    snapbox::assert_data_eq!(desk.read("out.md"), golden("gate.md"));
    let junit = quick_junit::Report::deserialize_from_str(&desk.read("out.xml")).unwrap();
    assert_eq!((junit.tests, junit.failures, junit.errors), (2, 1, 0));
    let sarif: Value = serde_json::from_str(&desk.read("out.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(
        results.iter().all(|result| result["ruleId"] == "app/second"),
        "{results:?}"
    );
    assert!(results.iter().any(|result| result["level"] == "error"));
    is_as_sarif_has_it(&sarif);
    let bencher: Value = serde_json::from_str(&desk.read("out.json")).unwrap();
    for metric in bencher
        .as_object()
        .unwrap()
        .values()
        .flat_map(|row| row.as_object().unwrap().values())
    {
        // The format's schema asks for the first; it knows no others than these.
        let number = |key: &str| metric[key].as_f64().unwrap();
        assert!(number("lower_value") <= number("value") && number("value") <= number("upper_value"));
        assert_eq!(metric.as_object().unwrap().len(), 3);
    }
    assert_eq!(bencher["app/second on stm32f100rb"]["cycles"]["upper_value"], 13);
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gate.md");
    let page = std::fs::read_to_string(page).unwrap();
    for text in [golden("gate.out").to_string(), LIMITS.to_owned()] {
        assert!(page.contains(&text), "not in docs/gate.md:\n{text}");
    }
}

/// What the schema of SARIF 2.1.0 says of the objects that are used here: which properties there are, and which there must be.
fn is_as_sarif_has_it(log: &Value) {
    const OBJECTS: [(&str, &[&str], &[&str]); 10] = [
        ("log", &["version", "runs"], &["$schema"]),
        ("runs", &["tool"], &["results"]),
        ("tool", &["driver"], &[]),
        ("driver", &["name"], &["version", "rules"]),
        ("rules", &["id"], &["shortDescription"]),
        (
            "results",
            &["message"],
            &[
                "ruleId",
                "level",
                "locations",
                "relatedLocations",
                "partialFingerprints",
            ],
        ),
        ("message", &["text"], &[]),
        ("shortDescription", &["text"], &[]),
        ("locations", &[], &["physicalLocation", "message"]),
        ("physicalLocation", &["artifactLocation"], &["region"]),
    ];
    fn look(name: &str, value: &Value) {
        if let Some(items) = value.as_array() {
            return items.iter().for_each(|item| look(name, item));
        }
        let Some(fields) = value.as_object() else { return };
        let name = if name == "relatedLocations" {
            "locations"
        } else {
            name
        };
        if let Some((_, needed, known)) = OBJECTS.iter().find(|(object, ..)| *object == name) {
            assert!(
                needed.iter().all(|field| fields.contains_key(*field)),
                "{name}: {value}"
            );
            let is_known = |field: &String| needed.contains(&&**field) || known.contains(&&**field);
            assert!(fields.keys().all(is_known), "{name}: {value}");
        }
        fields.iter().for_each(|(name, value)| look(name, value));
    }
    look("log", log);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let level = result["level"].as_str().unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level));
        let is_its = |rule: &Value| rule["id"] == result["ruleId"];
        assert_eq!(
            run["tool"]["driver"]["rules"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|rule| is_its(rule))
                .count(),
            1
        );
        let location = &result["locations"][0]["physicalLocation"];
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        assert!(!uri.is_empty() && !uri.contains([' ', '\\', ':']));
        assert!(location["region"].is_null() || location["region"]["startLine"].as_u64() > Some(0));
    }
}

#[test]
fn what_is_gone_or_not_limited_is_no_secret() {
    let desk = desk(8, 8, LIMITS);
    let mut results = Results::from_json(&desk.read("new.json")).unwrap();
    results.results.remove(0);
    let desk = desk.with("new.json", results.to_json());
    let (code, text) = gate(&desk, "");
    assert_eq!(code, 1);
    assert!(
        text.contains("app/first on stm32f100rb") && text.contains("no longer in the results"),
        "{text}"
    );
}

#[test]
fn mistakes_in_limits_are_told_with_their_place() {
    for (limits, says) in [
        ("[[limit]]\nrows = \"app/*\"\nmox = 1\n", "unknown field `mox`"),
        (
            "[[limit]]\nrows = \"app/*\"\ngrow = \"much\"\n",
            "a growth is a number",
        ),
        ("[[limit]]\nrows = \"app/*\"\ngrow = -1\n", "a growth is a number"),
        (
            "[[limit]]\nrows = \"ap/*\"\nmax = 1\n",
            "matches no row of the results",
        ),
        ("[[limit]]\nrows = \"app/*\"\ngrow = 1\n", "needs a baseline"),
        ("[[limit]]\nrows = \"app/*\"\nmax = nan\n", "a limit is a number"),
        (
            "[[limit]]\nrows = \"app/*\"\nfigure = \"min\"\n",
            "or name a `baseline`: then any growth fails",
        ),
        ("", "there is no limit in it"),
    ] {
        let desk = desk(2, 2, limits);
        let run = desk.run("gate new.json --limits limits.toml").code(2);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(text.contains(says) && text.contains("limits.toml:"), "{text}");
    }
}

#[test]
fn a_baseline_is_renewed_row_by_row() {
    let desk = desk(8, 9, LIMITS);
    let rows = |desk: &Desk| -> BTreeMap<String, i64> {
        let rows = Results::from_json(&desk.read("base.json")).unwrap().results;
        rows.into_iter().map(|row: Row| (row.id, row.max)).collect()
    };
    assert_eq!(rows(&desk)["app/second"], 8);
    let run = desk.run("gate new.json --save --baseline base.json").code(0);
    let told = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(
        told.contains("ok       app/second on stm32f100rb: 8 → 9 (+1, +12.5 %) cycles\n")
            && told.ends_with("base.json: 2 rows, 0 new, 1 renewed\n"),
        "{told}"
    );
    assert_eq!(rows(&desk)["app/second"], 9);
    let before = desk.read("base.json");
    desk.run("gate new.json --save --baseline base.json --only")
        .code(0);
    assert_eq!(before, desk.read("base.json"));
    desk.run("gate new.json new.json --save --baseline base.json")
        .code(2);
    // The old name of the command.
    let run = desk.run("baseline --baseline base.json new.json").code(0);
    let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(told.contains("`baseline` is now `gate --save`"), "{told}");
    assert_eq!(before, desk.read("base.json"));
}

/// One command measures, judges and saves; what fails says where without being asked for timelines.
#[test]
fn a_spec_is_measured_and_judged_in_one_command() {
    let desk = Desk::new().with("app.elf", app(8)).with("spec.toml", SPEC);
    let none = desk.run("gate spec.toml").code(2);
    let told = String::from_utf8_lossy(&none.get_output().stderr).into_owned();
    assert!(
        told.contains("no limits (cyclescope-limits.toml) and no baseline") && told.contains("--save"),
        "{told}"
    );
    desk.run("gate spec.toml --save").code(0);
    let saved = desk.read("cyclescope-baseline.json");
    desk.run("gate spec.toml").code(0);
    let desk = desk.with("app.elf", app(9));
    let run = desk.run("gate spec.toml --json new.json").code(1);
    let told = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    for says in [
        "failed   app/second on stm32f100rb: 8 → 9 (+1, +12.5 %) cycles",
        "9 is 1 above the baseline of 8; no growth is allowed",
        "`nop` is new",
    ] {
        assert!(told.contains(says), "{told}");
    }
    assert!(desk.read("new.json").contains("\"windows\":[["));
    // The baseline has the sums alone.
    assert!(saved.contains("\"worst\"") && saved.contains("\"windows\":[]"));
    assert_eq!(
        desk.read("cyclescope-baseline.json"),
        saved,
        "only `--save` writes it"
    );
    // A limit of other rows lets these grow no more than before.
    let desk = desk.with(
        "cyclescope-limits.toml",
        "[[limit]]\nrows = \"app/first\"\nmax = 10\n",
    );
    desk.run("gate spec.toml").code(1);
    // What is accepted is still held to limits that no baseline moves.
    let desk = desk.with(
        "cyclescope-limits.toml",
        "[[limit]]\nrows = \"app/second\"\nmax = 8\n",
    );
    desk.run("gate spec.toml --save").code(1);
    assert!(desk.read("cyclescope-baseline.json") != saved);
    let refused = desk.run("gate new.json --elf app.elf").code(2);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.contains("--elf chooses what to measure"), "{told}");
}

/// A baseline does not depend on the order of specs, on what it held before, or on the folder.
#[test]
fn the_same_results_make_the_same_baseline() {
    let other = SPEC.replace("app/first", "app/a").replace("app/second", "app/z");
    let desk = Desk::new()
        .with("app.elf", app(8))
        .with("spec.toml", SPEC)
        .with("other.toml", &other);
    desk.run("gate spec.toml other.toml --save --baseline one.json")
        .code(0);
    desk.run("gate other.toml --save --baseline two.json").code(0);
    desk.run("gate spec.toml --save --baseline two.json").code(0);
    assert_eq!(desk.read("one.json"), desk.read("two.json"));
    let elsewhere = Desk::new()
        .with("app.elf", app(8))
        .with("spec.toml", SPEC)
        .with("other.toml", other);
    let absolute = elsewhere.path("app.elf").canonicalize().expect("it is there");
    elsewhere
        .run(&format!(
            "gate other.toml spec.toml --elf {} --save --baseline one.json",
            absolute.display()
        ))
        .code(0);
    assert_eq!(desk.read("one.json"), elsewhere.read("one.json"));
}

/// Samples of which the greatest stays as it is, while another becomes dearer.
#[test]
fn a_mean_that_grows_fails_unless_the_limit_names_a_figure() {
    let desk = desk(8, 8, LIMITS);
    let mut results = Results::from_json(&desk.read("new.json")).unwrap();
    results.results[0].mean += 0.5;
    let mut desk = desk.with("new.json", results.to_json());
    for (limit, code, says) in [
        (
            "",
            1,
            "the mean of 2.5 is 0.5 above the baseline of 2; no growth is allowed",
        ),
        ("grow = 1", 0, "0 failed, 0 warned"),
        ("figure = \"max\"", 0, "0 failed, 0 warned"),
        ("soft_grow = 0", 0, "no growth is allowed (soft limit)"),
    ] {
        desk = desk.with(
            "limits.toml",
            format!("baseline = \"base.json\"\n[[limit]]\nrows = \"*\"\n{limit}\n"),
        );
        let (ended, text) = gate(&desk, "");
        assert!(ended == code && text.contains(says), "{limit}: {text}");
    }
}

/// Growth without a line says why there is none.
#[test]
fn a_missing_reason_is_told() {
    let desk = desk(8, 9, LIMITS);
    let limits = "baseline = \"base.json\"\n";
    let desk = desk.with("limits.toml", limits);
    let (_, text) = gate(&desk, "");
    assert!(
        text.contains("no line is known: the baseline was saved without timelines"),
        "{text}"
    );
    let desk = Desk::new()
        .with("app.elf", app(8))
        .with("spec.toml", SPEC)
        .with("limits.toml", limits);
    desk.run("gate spec.toml --save --limits limits.toml").code(0);
    desk.run("measure spec.toml --json new.json").code(0);
    let mut results = Results::from_json(&desk.read("new.json")).unwrap();
    results.results[0].max += 1;
    let desk = desk.with("new.json", results.to_json());
    let (_, text) = gate(&desk, "");
    assert!(
        text.contains("no line is known: the results were measured without timelines"),
        "{text}"
    );
}
