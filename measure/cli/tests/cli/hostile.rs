//! Names that nobody means well with, in every format: each file is still one of its format, and says the same.

use serde_json::Value;

use crate::Desk;
use crate::firmware::{EXIT, Firmware, NOP};

/// What ends a script, a cell, a line, a string, or begins a formula, a command, a number, an escape sequence.
const NAMES: [&str; 9] = [
    "</script><script>alert(1)</script>",
    "=cmd|' /C calc'!A0,\"q\"",
    "@SUM(1,2)",
    "a;b c 99",
    "(1) x",
    "new\nline\r\ttab\u{1b}[31m",
    "`code` | <b>&amp; ${x} %2C ::error::",
    "]]>&<!--\u{7f}",
    "fn=work\n0x08000070 0 1000000",
];

/// `main` calls a function of this name.
fn app(name: &'static str) -> Vec<u8> {
    let call: &[u16] = &[0xf000, 0xf806];
    Firmware::new(&[call, EXIT])
        .function(name, &[&[NOP; 39], &[0x4770]])
        .elf()
}

fn desk(name: &'static str) -> Desk {
    // An id is one line.
    let id = Value::from(format!("g/{}", name.replace(char::is_control, "?")));
    let kernel = Value::from(name);
    let spec = format!(
        "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = {id}\nkernel = {kernel}\nfrom = \"main\"\nto = \"main+0x4\"\n"
    );
    let spec = spec.replace('\u{7f}', "\\u007f");
    Desk::new()
        .with("app.elf", app(name))
        .with("spec.toml", spec)
        .with("limits.toml", "[[limit]]\nrows = \"*\"\nmax = 1\n")
}

#[test]
fn traces_have_a_line_for_an_event() {
    for name in NAMES {
        let desk = desk(name);
        for end in ["txt", "jsonl", "csv", "vcd", "perfetto"] {
            desk.run(&format!("run app.elf --board stm32f100rb --trace t.{end}"))
                .code(0);
        }
        let events: Vec<Value> = desk
            .read("t.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let mut table = csv::Reader::from_path(desk.path("t.csv")).unwrap();
        let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
        assert_eq!(
            (desk.read("t.txt").lines().count(), rows.len()),
            (events.len(), events.len()),
            "{name:?}"
        );
        for cell in rows.iter().flatten() {
            assert!(
                !cell.starts_with(['=', '+', '-', '@']) && !cell.contains(char::is_control),
                "{cell:?}"
            );
        }
    }
}

#[test]
fn profiles_are_of_their_formats() {
    for name in NAMES {
        let desk = desk(name);
        let files = "--json p.json --folded p.folded --flamegraph p.svg --causes --speedscope p.ss --callgrind p.cg --pprof p.pb --lcov p.lcov";
        let run = desk
            .run(&format!("profile app.elf --board stm32f100rb {files}"))
            .code(0);
        let table = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        let json: Value = serde_json::from_str(&desk.read("p.json")).unwrap();
        let cycles = json["cycles"].as_u64().unwrap();
        // A function has a line.
        let functions = json["functions"].as_array().unwrap().len();
        let shown = table.split("calls  function\n").nth(1).unwrap();
        assert_eq!(
            shown
                .lines()
                .skip(1)
                .take_while(|line| !line.is_empty())
                .filter(|line| !line.starts_with(&" ".repeat(40)))
                .count(),
            functions,
            "{table}"
        );
        let folded = desk.read("p.folded");
        let sum = folded
            .lines()
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap());
        assert_eq!(sum.sum::<u64>(), cycles, "{folded}");
        let svg = desk.read("p.svg");
        assert!(svg.contains(&format!("all ({cycles} cycles, 100%)")), "{name:?}");
        assert!(
            !svg.contains("<script>alert")
                && !svg.contains(|letter: char| letter.is_control() && letter != '\n' && letter != '\t')
        );
        serde_json::from_str::<Value>(&desk.read("p.ss")).unwrap();
        for line in desk.read("p.cg").lines() {
            let known = [
                "#",
                "version:",
                "creator:",
                "cmd:",
                "desc:",
                "positions:",
                "events:",
                "summary:",
                "f",
                "c",
                "0x",
            ];
            assert!(
                line.is_empty() || known.iter().any(|begin| line.starts_with(begin)),
                "{line}"
            );
            let number =
                |rest: &str| rest.starts_with('(') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
            assert!(
                !line.split_once("fn=").is_some_and(|(_, name)| number(name)),
                "{line}"
            );
        }
        let told = |line: &&str| line.starts_with("summary: ");
        let summary = desk.read("p.cg").lines().find(told).map(str::to_owned).unwrap();
        assert!(summary.starts_with(&format!("summary: {cycles} ")), "{summary}");
    }
}

#[test]
fn pages_and_verdicts_hold_them_as_text() {
    for name in NAMES {
        let desk = desk(name);
        desk.run("measure spec.toml --timeline --json new.json").code(0);
        desk.run("report new.json -o page.html").code(0);
        let page = desk.read("page.html");
        assert_eq!(
            (page.matches("<script").count(), page.matches("</script").count()),
            (2, 2),
            "{name:?}"
        );
        let files = "--junit out.xml --markdown out.md --sarif out.sarif --bencher out.json --annotate";
        let run = desk
            .run(&format!("gate new.json --limits limits.toml {files}"))
            .code(1);
        let said = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        let commands = said.lines().filter(|line| line.starts_with("::"));
        assert_eq!(
            commands
                .filter(|line| line.starts_with("::error file=limits.toml::g/"))
                .count(),
            1,
            "{said}"
        );
        assert_eq!(said.lines().count(), 4, "{said}");
        let junit = quick_junit::Report::deserialize_from_str(&desk.read("out.xml")).unwrap();
        assert_eq!((junit.tests, junit.failures), (1, 1));
        for file in ["out.sarif", "out.json"] {
            serde_json::from_str::<Value>(&desk.read(file)).unwrap();
        }
        let markdown = desk.read("out.md");
        let row = markdown.lines().last().unwrap();
        // Five cells; what is not code has no tag.
        assert_eq!(row.replace("\\|", "").matches('|').count(), 6, "{row}");
        let plain: String = row.split('`').step_by(2).collect();
        assert!(!plain.replace("<br>", "").contains('<'), "{row}");
    }
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"g/a\\nb\"\nfrom = \"main\"\nto = \"main+0x4\"\n";
    let run = desk("work")
        .with("spec.toml", spec)
        .run("measure spec.toml")
        .code(2);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("an id is one line of letters"), "{said}");
}

/// Results of so many rows, which nothing was run for.
fn many(rows: usize) -> String {
    let row = |number: usize| {
        format!(
            "{{\"id\":\"g{}/row-{number}\",\"board\":\"b{}\",\"core\":\"cortex-m3\",\"kernel\":\"k\",\"unit\":\"cycles\",\"count\":1,\"min\":{number},\
             \"mean\":{number},\"max\":{number},\"own\":{number},\"preempted\":0,\"blocked\":0,\"evidence\":\"A\"}}",
            number % 7,
            number % 3
        )
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!(
        "{{\"format\":\"cyclescope-results/1\",\"tool\":\"t\",\"results\":[{}]}}",
        rows.join(",")
    )
}

#[test]
fn no_rows_and_thousands_of_them() {
    let limits = "[[limit]]\nrows = \"g*\"\nmax = 0\n";
    let desk = Desk::new()
        .with("none.json", many(0))
        .with("many.json", many(5000))
        .with("limits.toml", limits);
    desk.run("report none.json -o none.html")
        .code(0)
        .stdout_eq("none.html: 0 measurements\n");
    desk.run("report many.json -o many.html")
        .code(0)
        .stdout_eq("many.html: 5000 measurements\n");
    desk.run("diff none.json none.json").code(0);
    let run = desk.run("diff none.json many.json --markdown diff.md").code(0);
    assert!(
        String::from_utf8_lossy(&run.get_output().stdout)
            .ends_with("0 dearer, 0 cheaper, 5000 new, 0 gone, 0 the same\n")
    );
    desk.run("gate many.json --limits limits.toml --markdown gate.md")
        .code(1);
    // A comment on GitHub has 65,536 characters at most.
    for file in ["gate.md", "diff.md"] {
        let page = desk.read(file);
        assert!(
            page.len() < 65_536 && page.contains(" more"),
            "{file}: {}",
            page.len()
        );
    }
    desk.run("gate none.json --limits limits.toml").code(2);
}
