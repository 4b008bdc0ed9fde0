//! Checks the rule pages of the RV32 cores: the table in each is generated from the cores' rules and the price list.
//!
//! A rule's cost depends on the code around it. So each rule is listed with the rows of the price list that show it, which were measured
//! on the model and on the Verilog.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use events::Rule;
use machine::Board;
use machine::board::Core;

/// The pages, each named by the prefix of its cores' names.
const PAGES: [&str; 3] = ["vexriscv", "ibex", "picorv32"];

/// The price list rows that show each rule.
const SHOWN_BY: &[(&str, &[&str])] = &[
    ("issue", &["nop", "alu"]),
    (
        "operand",
        &[
            "alu-use",
            "load-use",
            "multiply-use",
            "divide-use",
            "shift-by-31-use",
            "csr-read-use",
        ],
    ),
    (
        "branch",
        &["branch-not-taken", "branch-forward", "branch-backward"],
    ),
    ("jump", &["jump", "jump-register"]),
    ("shift", &["shift-by-1", "shift-by-31"]),
    ("multiply", &["multiply", "multiply-high"]),
    ("divide", &["divide", "divide-by-zero"]),
    ("csr", &["csr-read", "csr-write", "pmpaddr-write", "pmpcfg-write"]),
    ("exception", &["ecall-entry", "illegal-entry"]),
    ("return", &["ecall-return"]),
    ("interrupt", &["latency-nops", "latency-loads"]),
    ("fetch", &["first-fetch"]),
    ("fence-i", &["fence-i"]),
    (
        "access",
        &[
            "load",
            "store",
            "load-miss",
            "load-load",
            "store-store",
            "store-load",
            "amo",
        ],
    ),
    ("split", &["load-split"]),
    ("port", &["load", "store"]),
    (
        "translation",
        &["tlb-miss", "tlb-miss-store", "sfence-vma", "satp-write"],
    ),
];

/// Markers around a page's generated part.
const MARKS: [&str; 2] = ["<!-- rules -->\n", "<!-- end of rules -->\n"];

const HEAD: &str = "\
The names are those that `cyclescope list rules` lists, `cyclescope why` gives a lost cycle to, and a trace tells for each instruction that
waits (`causes=…`). None can be switched off: the pipeline is clocked. The cycles are rows of [the price list](../prices/rv32.md): what each
takes with the memories of its board. This table is made from `sim/core-rv32/src/timing/rules` and the price list;
`UPDATE_DOCS=1 cargo test -p xtask --test rules_rv32` renews it.

| rule | what it says | cycles, in the price list | signals | cores |
|---|---|---|---|---|
";

fn cores(page: &str) -> impl Iterator<Item = Core> {
    let measured = |core: &Core| core.has_verilog() && Board::find(core.name()).is_ok();
    Core::all().filter(move |core| measured(core) && core.name().starts_with(page))
}

/// The measured figures, by row and board.
fn prices() -> BTreeMap<(String, String), String> {
    let group = std::fs::read_to_string(xtask::root().join("docs/prices/rv32.md")).unwrap();
    let rows = group.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let key = (cells.next()?.to_owned(), cells.next()?.to_owned());
        Some((key, cells.next()?.to_owned()))
    });
    rows.collect()
}

/// The rows that show a rule on a core: `load-use` 3, …
fn shown(rule: &Rule, core: Core, prices: &BTreeMap<(String, String), String>) -> String {
    let rows = SHOWN_BY.iter().find(|(id, _)| *id == rule.id);
    let price = |row: &&str| {
        let key = ((*row).to_owned(), core.name().to_owned());
        prices.get(&key).map(|cycles| format!("`{row}` {cycles}"))
    };
    let all: Vec<String> = rows
        .map_or(&[][..], |(_, rows)| rows)
        .iter()
        .filter_map(price)
        .collect();
    all.join(", ")
}

/// A row of the table; rules that are equal on several cores share one.
struct Line {
    rule: Rule,
    shown: String,
    cores: Vec<&'static str>,
}

fn lines(page: &str) -> Vec<Line> {
    let prices = prices();
    let mut lines: Vec<Line> = Vec::new();
    for core in cores(page) {
        for rule in core.rule_book().rules() {
            let shown = shown(rule, core, &prices);
            let same = |line: &&mut Line| {
                (line.rule.id, line.rule.text, &line.shown) == (rule.id, rule.text, &shown)
            };
            match lines.iter_mut().find(same) {
                Some(line) => line.cores.push(core.name()),
                None => lines.push(Line {
                    rule: *rule,
                    shown,
                    cores: vec![core.name()],
                }),
            }
        }
    }
    // Groups the rows by rule, in the order in which the rules first appear.
    let order: Vec<&str> = lines.iter().map(|line| line.rule.id).collect();
    lines.sort_by_key(|line| order.iter().position(|id| *id == line.rule.id));
    lines
}

/// The cores' names; `all` if the page has several and the row covers them.
fn names(line: &Line, page: &str) -> String {
    if line.cores.len() == cores(page).count() && line.cores.len() > 1 {
        return "all".to_owned();
    }
    let short = line.cores.iter().map(|core| {
        let name = core.strip_prefix(page).unwrap_or(core);
        if name.is_empty() {
            page
        } else {
            name.trim_start_matches('-')
        }
    });
    short.collect::<Vec<_>>().join(", ")
}

/// A source as the page shows it, with signal names as code.
fn signals(source: &str) -> String {
    let shown = source.split(", ").map(|part| {
        if part.contains(' ') {
            part.to_owned()
        } else {
            format!("`{part}`")
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_pages_of_rules_are_current() {
    for page in PAGES {
        let mut table = HEAD.to_owned();
        let mut before = "";
        for line in lines(page) {
            let Rule { id, text, source, .. } = line.rule;
            let (shown, names) = (&line.shown, names(&line, page));
            let says = if text == before { "the same" } else { text };
            let signals = signals(source);
            writeln!(table, "| `{id}` | {says} | {shown} | {signals} | {names} |").unwrap();
            before = text;
        }
        let path = xtask::root().join(format!("docs/timing/{page}.md"));
        let written = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = written.split_once(MARKS[0]).expect("where the table begins");
        let (_, behind) = rest.split_once(MARKS[1]).expect("where it ends");
        let made = format!("{before}{}{table}{}{behind}", MARKS[0], MARKS[1]);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &made).unwrap();
            continue;
        }
        let path = path.display();
        assert!(written == made, "{path} is stale: run with UPDATE_DOCS=1");
    }
}

/// A reader who looks up a cycle count must find the number next to the rule.
#[test]
fn every_rule_has_its_number() {
    // Their length is decided from outside.
    let without = ["sleep"];
    for page in PAGES {
        for line in lines(page) {
            let Rule { id, text, .. } = line.rule;
            let has = format!("{text}{}", line.shown).contains(|c: char| c.is_ascii_digit());
            assert!(
                has || without.contains(&id),
                "{page}: {id} says no number: {text}"
            );
        }
    }
}

#[test]
fn what_shows_a_rule_is_in_the_price_list() {
    let prices = prices();
    for (id, rows) in SHOWN_BY {
        let mut books = PAGES.iter().flat_map(|page| cores(page)).map(Core::rule_book);
        assert!(books.any(|book| book.named(id).is_some()), "no rule `{id}`");
        for row in *rows {
            assert!(prices.keys().any(|(name, _)| name == row), "no row `{row}`");
        }
    }
}
