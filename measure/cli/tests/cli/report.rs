//! `cyclescope report`: the page says what the results say, and works in a browser.

use std::collections::BTreeMap;
use std::process::Command;

use report::{Results, Row};
use serde_json::Value;

use crate::Desk;
use crate::firmware::{EXIT, Firmware, NOP};

/// Two stretches, a loop of a load that is measured five times, and one that takes sixty thousand instructions.
fn app() -> Vec<u8> {
    let main: &[u16] = &[
        0xbe01, NOP, NOP, 0xbe02, // the first stretch
        0x2405, // movs r4, #5
        0xbe03, 0x4668, 0x3804, 0x6801, 0x1e64,
        0xbe04, // mov r0, sp; subs r0, #4; ldr r1, [r0]; subs r4, #1
        0xd1f8, // bne
        0xbe05, 0xf3bf, 0x8f6f, 0xbe06, // isb
        0xf644, 0x6420, // movw r4, #20000
        0xbe07, 0x6801, 0x1e64, 0xd1fc, 0xbe08, // ldr r1, [r0]; subs r4, #1; bne
    ];
    Firmware::new(&[main, EXIT]).elf()
}

const SPEC: &str = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n\
    [[span]]\nid = \"app/nops\"\nfrom = \"bkpt:#1\"\nto = \"bkpt:#2\"\nkernel = \"one\"\nmax = 9\npublished = 2\n\
    [[span]]\nid = \"app/nops\"\nfrom = \"bkpt:#5\"\nto = \"bkpt:#6\"\nkernel = \"two\"\n\
    [[span]]\nid = \"app/loop\"\nfrom = \"bkpt:#3\"\nto = \"bkpt:#3\"\nkernel = \"one\"\n\
    [[span]]\nid = \"app/more\"\nfrom = \"bkpt:#2\"\nto = \"bkpt:#4\"\nkernel = \"one\"\n\
    [[span]]\nid = \"app/deep\"\nfrom = \"bkpt:#7\"\nto = \"bkpt:#8\"\nkernel = \"one\"\n";

fn desk() -> Desk {
    let desk = Desk::new().with("app.elf", app()).with("spec.toml", SPEC);
    desk.run("measure spec.toml --json new.json --timeline").code(0);
    desk.run("report new.json -o page.html")
        .code(0)
        .stdout_eq("page.html: 5 measurements\n");
    desk
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn timelines_add_up_and_results_say_what_was_run() {
    let desk = desk();
    let rows = Results::from_json(&desk.read("new.json")).unwrap().results;
    assert_eq!(rows.len(), 5);
    for row in &rows {
        let obtained = &row.obtained;
        let program = obtained.program.as_ref().unwrap();
        assert_eq!(
            (program.sha256.len(), program.outcome.as_str()),
            (64, "exit code 0")
        );
        for (timeline, value) in [(&obtained.worst, row.max), (&obtained.best, row.min)] {
            let Some(timeline) = timeline else {
                assert_eq!(row.min, row.max);
                continue;
            };
            let of_code: u64 = timeline.code.iter().map(report::timeline::Code::cycles).sum();
            let windows = timeline.unfolded();
            let of_windows: u64 = windows.iter().map(|window| window.2).sum();
            assert_eq!((of_code, timeline.omitted), (of_windows, 0));
            let executed: u64 = timeline.code.iter().map(|code| code.count).sum();
            assert_eq!(executed, windows.len() as u64);
            let edges = timeline.lead + timeline.tail;
            assert_eq!(i64::try_from(of_code).unwrap() + edges, value, "{}", row.id);
        }
    }
    assert_eq!(
        (rows[0].obtained.limit, rows[0].obtained.how.as_str()),
        (Some(9), "from bkpt:#1 to bkpt:#2")
    );
    let count = |row: &Row| {
        row.obtained
            .histogram
            .as_ref()
            .map(|h| h.bins.iter().map(|bin| bin.1).sum())
    };
    assert_eq!(count(&rows[0]), None);
    // A loop takes no more room than its body.
    let deep = rows[4].obtained.worst.as_ref().unwrap();
    assert!(deep.unfolded().len() >= 60_000 && deep.rest.parts.len() < 10);
    let spread = rows.iter().find(|row| row.min < row.max);
    assert!(spread.is_none_or(|row| count(row) == Some(row.count)));
}

#[test]
fn the_page_has_the_figures_of_the_results_and_needs_no_network() {
    let desk = desk();
    let page = desk.read("page.html");
    let data = data(&page);
    let rows = Results::from_json(&desk.read("new.json")).unwrap().results;
    for (row, shown) in rows.iter().zip(data["rows"].as_array().unwrap()) {
        assert_eq!(
            (shown["id"].as_str(), shown["max"].as_i64()),
            (Some(row.id.as_str()), Some(row.max))
        );
        assert_eq!(
            (shown["min"].as_i64(), shown["mean"].as_f64()),
            (Some(row.min), Some(row.mean))
        );
    }
    for outside in ["http://", "https://", "src=", "url("] {
        let code = page.split_once("id=\"data\"").unwrap().0;
        assert!(!code.contains(outside), "{outside}");
    }
    // The same results, the same page; a spec is measured first.
    desk.run("report spec.toml -o again.html").code(0);
    assert_eq!(page, desk.read("again.html"));
    desk.run("report new.json --without-timelines -o small.html")
        .code(0);
    assert!(desk.read("small.html").len() < page.len());
    desk.run("report new.json -o new.json").code(2);
    desk.run("report new.json new.json").code(2);
}

#[test]
fn a_timeline_that_refers_to_nothing_is_refused() {
    let desk = desk();
    let broken = desk
        .read("new.json")
        .replacen("\"turns\":[[0,0]]", "\"turns\":[[9,0]]", 1);
    let desk = desk.with("broken.json", broken);
    let run = desk.run("report broken.json").code(2);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        text.contains("app/nops") && text.contains("broken.json"),
        "{text}"
    );
}

#[test]
fn a_timeline_with_absurd_numbers_is_refused() {
    let desk = desk();
    let results = desk.read("new.json");
    for (from, to) in [
        (r#""number":1"#, r#""lead":-9223372036854775808,"number":1"#),
        (r#""costs":[[]"#, r#""costs":[[[0,18446744073709551615]]"#),
        (r#""parts":[["#, r#""parts":[[1,4294967295],["#),
    ] {
        assert!(results.contains(from), "{from}");
        let desk = Desk::new().with("absurd.json", results.replacen(from, to, 1));
        desk.run("report absurd.json").code(2);
        desk.run("diff absurd.json absurd.json").code(2);
    }
    // A timeline is recorded into a file.
    desk.run("measure spec.toml --timeline").code(2);
}

/// Opens the page in frames of two widths, does what a person does, and writes down what there is to see.
const WRAPPER: &str = include_str!("report.html");

/// The version of the accessibility checker from npm.
const AXE: &str = "axe-core@4.14.1";

/// The accessibility checker's script, if npm can fetch it.
fn axe(desk: &Desk) -> Option<String> {
    let folder = desk.path("axe");
    let mut npm = Command::new("npm");
    npm.args([
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
    ]);
    let fetched = npm.arg(&folder).arg(AXE).output();
    let script = std::fs::read_to_string(folder.join("node_modules/axe-core/axe.min.js"));
    if fetched.is_err() || script.is_err() {
        skipped::opt_in(&format!(
            "accessibility of the report's page, by {AXE}, where npm can fetch it"
        ));
    }
    // The script's own text must not end the element that holds it.
    script.ok().map(|script| script.replace("</script", "<\\/script"))
}

#[test]
fn the_page_works_in_a_browser() {
    if !skipped::installed("chromium") {
        return;
    }
    let desk = desk();
    // What goes wrong is kept from the first line of the page on.
    let watch = "<head><script>window.wrong=[];addEventListener('error',e=>wrong.push(e.message));\
                 addEventListener('securitypolicyviolation',e=>wrong.push(e.violatedDirective))</script>";
    let axe = axe(&desk);
    let script = format!("{watch}<script>{}</script>", axe.as_deref().unwrap_or_default());
    let page = desk.read("page.html").replacen("<head>", &script, 1);
    let desk = desk.with("watched.html", page).with("frames.html", WRAPPER);
    let run = Command::new("chromium")
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .args([
            "--allow-file-access-from-files",
            "--virtual-time-budget=60000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", desk.path("profile").display()))
        .arg(format!("file://{}", desk.path("frames.html").display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&run.stdout);
    let result = dom
        .split_once("<pre id=\"result\">")
        .and_then(|(_, rest)| rest.split_once("</pre>"));
    let (result, _) = result.unwrap_or_else(|| panic!("{dom}\n{}", String::from_utf8_lossy(&run.stderr)));
    let result = result
        .replace("&gt;", ">")
        .replace("&lt;", "<")
        .replace("&amp;", "&");
    let seen: BTreeMap<String, Value> = serde_json::from_str(&result).unwrap_or_else(|_| panic!("{result}"));
    let rows = Results::from_json(&desk.read("new.json")).unwrap().results;
    let isb = rows.iter().find(|row| row.kernel == "two").unwrap();
    for (what, expected) in [
        ("errors", "[]".to_owned()),
        ("accessibility", "[]".to_owned()),
        ("axe runs", if axe.is_some() { "9" } else { "null" }.to_owned()),
        ("title", "\"app.elf\"".to_owned()),
        ("names what was measured", "[]".to_owned()),
        ("filters", "\"kernel,evidence\"".to_owned()),
        ("differs filter", "1".to_owned()),
        ("figure's time", "true".to_owned()),
        ("hint", "true".to_owned()),
        ("focus in the measurement", "\"H1\"".to_owned()),
        ("focus back on the figure", "true".to_owned()),
        ("focus stays in the list", "\"code\"".to_owned()),
        ("empty columns", "0".to_owned()),
        ("cells", "5".to_owned()),
        ("cells filtered", "1".to_owned()),
        ("figure", format!("\"{}\"", isb.max)),
        ("zoomed in", "true".to_owned()),
        ("zoomed out", "true".to_owned()),
        ("linked instruction", "\"isb sy\"".to_owned()),
        ("its rule is explained", "true".to_owned()),
        ("arrow key", "true".to_owned()),
        ("click tells", "true".to_owned()),
        ("deep instruction", "\"50000\"".to_owned()),
        ("its cycle", "true".to_owned()),
        ("lines", "400".to_owned()),
        ("lines before", "\"49400\"".to_owned()),
        ("too wide", "[]".to_owned()),
    ] {
        assert_eq!(
            seen.get(what).unwrap_or(&Value::Null).to_string(),
            expected,
            "{what}: {result}"
        );
    }
}

/// Each step of a figure over commits, with the commit and its reason.
#[test]
fn a_trend_shows_which_commit_made_it_dearer_and_where() {
    let app = |nops: usize| Firmware::new(&[&[0xbe01], &vec![NOP; nops], &[0xbe02], EXIT]).elf();
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"app/a\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n";
    let mut desk = Desk::new()
        .with("spec.toml", spec)
        .with("kept/notes.txt", "not results");
    for (name, nops) in [
        ("20261101T100000-aaa1111", 4),
        ("20261102T100000-bbb2222", 4),
        ("20261103T100000-ccc3333", 6),
    ] {
        desk = desk.with("app.elf", app(nops));
        desk.run(&format!(
            "gate spec.toml --save --only --baseline kept/{name}.json"
        ))
        .code(0);
    }
    let run = desk.run("report --trend kept -o trend.html").code(0);
    run.stdout_eq("trend.html: 3 results\n");
    let page = desk.read("trend.html");
    for says in [
        "the results of 3 commits, from aaa1111 (2026-11-01) to ccc3333 (2026-11-03)",
        "<h2>app/a on stm32f100rb</h2>",
        "<li><b>ccc3333 (2026-11-03)</b>: 4 → 6 (+2) cycles<br><code>+2",
        "`nop`, `nop` are new",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert_eq!(page.matches("<li>").count(), 1);
    desk.run("report --trend kept -o again.html").code(0);
    assert_eq!(page, desk.read("again.html"));
    let desk = desk.with("none/notes.txt", "");
    for (words, says) in [
        ("report --trend none", "there are no results in it"),
        ("report --trend nowhere", "cannot be read"),
        (
            "report --trend kept -o kept/20261101T100000-aaa1111.json",
            "are the same file",
        ),
    ] {
        let run = desk.run(words).code(2);
        let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(told.contains(says), "{words}: {told}");
    }
}
