//! Specs: the contents of valid ones, and the messages about invalid ones.

use std::fmt::Write as _;

use insta::assert_snapshot;
use lab::diagnostic::Kind;
use lab::spec::{Edge, ImageName, MAX_PHASES, Measured, Point, When, keys, parse};
use proptest::prelude::*;
use report::{Figure, Unit};

const GOOD: &str = r#"
elf = "app.elf"
board = "stm32f100rb"
limit = 1_000
kernel = "mainspring"
source = "data sheet"

[[span]]
id = "yield/round"
from = "exception:PendSV"
to = "exception:PendSV:exit"
count = 3
published = 57.8
max = 60

[[span]]
id = "yield/self"
value = "ELAPSED"
unit = "bytes"
kernel = "listing"

[[raise]]
irq = 6
at = 0x4d2

[[raise]]
irq = "SysTick"
after = "main+0x10"
delay = 3
"#;

fn exception(name: &str, edge: Edge) -> Point {
    Point::Exception {
        name: name.to_owned(),
        edge,
    }
}

#[test]
fn a_spec_of_one_program() {
    let spec = parse("app.toml", GOOD).unwrap();
    let [program] = &spec.programs[..] else {
        panic!("one program")
    };
    assert!(matches!(&program.image, ImageName::Path(path) if path.value == "app.elf"));
    assert_eq!(program.board.as_ref().unwrap().value, "stm32f100rb");
    assert_eq!(program.limit, Some(1000));

    let [round, own] = &program.spans[..] else {
        panic!("two spans")
    };
    let Measured::Span(ends) = &round.what else {
        panic!("from point to point")
    };
    assert_eq!(ends.from.value, exception("PendSV", Edge::Entry));
    assert_eq!(ends.to.value, exception("PendSV", Edge::Exit));
    assert_eq!(
        (round.count, round.published),
        (Some(3), Some(Figure::Real(57.8)))
    );
    assert_eq!(
        (round.kernel.as_str(), round.origin.as_deref()),
        ("mainspring", Some("data sheet"))
    );
    assert_eq!(round.max.as_ref().unwrap().value, 60);
    assert!(matches!(&own.what, Measured::Value(symbol, None) if symbol.value == "ELAPSED"));
    assert_eq!((own.unit, own.kernel.as_str()), (Unit::Bytes, "listing"));

    let [first, second] = &program.raises[..] else {
        panic!("two interrupts")
    };
    assert_eq!((first.irq.value.as_str(), &first.when), ("IRQ6", &When::At(1234)));
    assert_eq!(second.irq.value, "SysTick");
    assert!(matches!(&second.when, When::After(point, 3) if point.value.to_string() == "main+0x10"));
}

#[test]
fn a_spec_of_many_programs_shares_what_stands_at_the_top() {
    let text = r#"
group = "g"
board = "top"
kernel = "k"
limit = 5

[[program]]
name = "one"
[[program.span]]
id = "g/a"
from = "a"
to = "b"

[[program]]
elf = "two.elf"
board = "own"
limit = 6
[[program.span]]
id = "g/b"
from = "a"
to = "b"
"#;
    let spec = parse("many.toml", text).unwrap();
    let [one, two] = &spec.programs[..] else {
        panic!("two programs")
    };
    assert!(matches!(&one.image, ImageName::Program(name) if name.value == "one"));
    assert!(matches!(&two.image, ImageName::Path(path) if path.value == "two.elf"));
    let board = |program: &lab::spec::Program| program.board.as_ref().unwrap().value.clone();
    assert_eq!((board(one), one.limit), ("top".to_owned(), Some(5)));
    assert_eq!((board(two), two.limit), ("own".to_owned(), Some(6)));
    assert_eq!(two.spans[0].kernel, "k");
}

#[test]
fn a_program_with_several_boards_is_measured_on_each() {
    let text = r#"
group = "g"
boards = ["one", "two"]
section = "Sums"

[[program]]
name = "on-both"
[[program.span]]
id = "g/a"
from = "a"
to = "b"

[[program]]
name = "on-another"
board = "three"
section = "Products"
[[program.span]]
id = "g/a"
from = "a"
to = "b"

[[program]]
name = "on-one"
except = ["one"]
[[program.span]]
id = "g/b"
from = "a"
to = "b"
"#;
    let spec = parse("boards.toml", text).unwrap();
    let of = |program: &lab::spec::Program| {
        (
            program.image.name().unwrap().value.clone(),
            program.board.as_ref().unwrap().value.clone(),
            program.spans[0].section.clone().unwrap(),
        )
    };
    let expected = [
        ("on-both", "one", "Sums"),
        ("on-both", "two", "Sums"),
        ("on-another", "three", "Products"),
        ("on-one", "two", "Sums"),
    ];
    let expected = expected.map(|(name, board, section)| (name.into(), board.into(), section.into()));
    assert_eq!(spec.programs.iter().map(of).collect::<Vec<_>>(), expected);
}

/// A valid span, plus a line that may be wrong.
fn with_span(line: &str) -> String {
    format!("[[span]]\nid = \"a/b\"\nfrom = \"x\"\nto = \"y\"\n{line}\n")
}

fn with_raise(line: &str) -> String {
    with_span(&format!("\n[[raise]]\n{line}"))
}

const PERCENT_OF_CALLS: &str = "[[span]]\nid = \"a/b\"\nfunction = \"f\"\nunit = \"percent\"\n";

#[test]
fn what_is_said_of_bad_specs() {
    let cases = [
        ("syntax", "[[span]]\nid = \n".to_owned()),
        ("unknown key at the top", "bord = \"stm32f100rb\"\n".to_owned()),
        ("unknown key that is like none", with_span("zzz = 1")),
        ("misspelt key", with_span("publishd = 3")),
        ("misspelt table", with_span("[[rise]]\nirq = 1")),
        ("no span", "board = \"b\"\n".to_owned()),
        ("span is no array", "[span]\nid = \"a/b\"\n".to_owned()),
        ("text where a number belongs", with_span("count = \"three\"")),
        ("number where a text belongs", "elf = 3\n".to_owned()),
        ("out of range", with_span("count = 0")),
        ("too great", with_span("max = 99999999999999999999")),
        ("published is no number", with_span("published = \"7\"")),
        ("published is not finite", with_span("published = inf")),
        ("unit", with_span("unit = \"cycle\"")),
        (
            "id without a group",
            "[[span]]\nid = \"nop\"\nfrom = \"x\"\nto = \"y\"\n".to_owned(),
        ),
        ("id of another group", format!("group = \"g\"\n{}", with_span(""))),
        ("id twice", with_span(&with_span(""))),
        ("difference from nothing", with_span("minus = \"a/base\"")),
        ("use of nothing", with_span("use_of = \"a/base\"")),
        ("series is no table", with_span("series = \"plain\"")),
        ("point of no line", with_span("series = { at = 1 }")),
        (
            "point without a place",
            with_span("series = { name = \"plain\" }"),
        ),
        (
            "point out of range",
            with_span("series = { name = \"plain\", at = 4294967296 }"),
        ),
        ("no end", "[[span]]\nid = \"a/b\"\nfrom = \"x\"\n".to_owned()),
        ("nothing to measure", "[[span]]\nid = \"a/b\"\n".to_owned()),
        (
            "bad point",
            "[[span]]\nid = \"a/b\"\nfrom = \"bkpt:one\"\nto = \"y\"\n".to_owned(),
        ),
        (
            "bad exception",
            "[[span]]\nid = \"a/b\"\nfrom = \"exception:SysTick:end\"\nto = \"y\"\n".to_owned(),
        ),
        ("interrupt without a number", with_raise("at = 1")),
        ("interrupt that is no number", with_raise("irq = true\nat = 1")),
        ("interrupt without a time", with_raise("irq = 1")),
        (
            "interrupt with two times",
            with_raise("irq = 1\nat = 1\nafter = \"x\""),
        ),
        ("delay of nothing", with_raise("irq = 1\nat = 1\ndelay = 3")),
        ("no phase at all", with_raise("irq = 1\nat = 1\nphases = 0")),
        (
            "too many phases",
            with_raise("irq = 1\nat = 1\nphases = 1_000_001"),
        ),
        (
            "phases of two interrupts",
            with_raise("irq = 1\nat = 1\nphases = 9\n[[raise]]\nirq = 2\nat = 1\n"),
        ),
        (
            "phases of a figure",
            "[[span]]\nid = \"a/b\"\nvalue = \"v\"\n[[raise]]\nirq = 1\nat = 1\nphases = 9\n".to_owned(),
        ),
        ("function and points", with_span("function = \"f\"")),
        ("percent of calls", PERCENT_OF_CALLS.to_owned()),
        ("no board", "boards = []\n".to_owned()),
        ("boards that are no list", "boards = \"b\"\n".to_owned()),
        ("a board that is no text", "boards = [\"b\", 3]\n".to_owned()),
        (
            "no board to leave out",
            "boards = [\"b\"]\n[[program]]\nname = \"p\"\nexcept = [\"c\"]\n".to_owned(),
        ),
        ("board and boards", "board = \"a\"\nboards = [\"b\"]\n".to_owned()),
        (
            "one board twice",
            format!("boards = [\"b\", \"b\"]\n{}", with_span("")),
        ),
        ("span beside programs", with_span("[[program]]\nname = \"p\"")),
        (
            "program without a name",
            "[[program]]\nboard = \"b\"\n".to_owned(),
        ),
        (
            "program with two names",
            "[[program]]\nname = \"b\"\nelf = \"c\"\n".to_owned(),
        ),
        (
            "program that measures nothing",
            "[[program]]\nname = \"b\"\n".to_owned(),
        ),
    ];
    let mut messages = String::new();
    for (name, text) in cases {
        let error = parse("specs/bad.toml", &text).expect_err(name);
        assert_eq!(error.kind(), Kind::Mistake);
        let _ = writeln!(messages, "## {name}\n{}", error.render(false));
    }
    assert_snapshot!(messages);
}

#[test]
fn the_price_list_s_own_specs_are_right() {
    let prices = concat!(env!("CARGO_MANIFEST_DIR"), "/../../firmware/prices");
    let mut read = 0;
    for entry in std::fs::read_dir(prices).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        parse(&path.to_string_lossy(), &text).unwrap_or_else(|error| panic!("{error}"));
        read += 1;
    }
    assert!(read > 0, "no specs in {prices}");
}

proptest! {
    /// Any text is parsed or rejected, and every rejection can be shown.
    #[test]
    fn damaged_specs_are_refused(cut in 0..GOOD.len(), length in 0..20usize, insert in "[a-z\\[\\]\"=.0-9é\n ]{0,6}") {
        let from = GOOD.floor_char_boundary(cut);
        let to = GOOD.floor_char_boundary((from + length).min(GOOD.len()));
        let text = format!("{}{insert}{}", &GOOD[..from], &GOOD[to..]);
        if let Err(error) = parse("damaged.toml", &text) {
            prop_assert!(error.render(false).starts_with("error: "));
        }
    }
}

/// Chart data comes from fields of its own, whatever the row is called.
#[test]
fn a_row_says_what_pictures_show_it() {
    let text = "[[span]]\nid = \"a/add\"\nfrom = \"x\"\nto = \"y\"\nseries = { name = \"plain\", at = 5 }\n\
                [[span]]\nid = \"a/used\"\nfrom = \"x\"\nto = \"y\"\nuse_of = \"a/add\"\n";
    let spec = parse("prices.toml", text).expect("nothing is wrong with it");
    let [add, used] = spec.programs[0].spans.as_slice() else {
        panic!("two spans")
    };
    let series = add.series.as_ref().expect("it has one");
    assert_eq!((series.name.as_str(), series.at), ("plain", 5));
    assert_eq!(used.use_of.as_ref().expect("it has one").value, "a/add");
}

#[test]
fn what_others_measured_stands_beside_the_programs() {
    let span = "[[span]]\nid = \"a/b\"\nfrom = \"x\"\nto = \"y\"\n";
    let other = "[[elsewhere]]\nid = \"a/b\"\nkernel = \"k\"\nfigure = 400\non = \"m\"\nsource = \"s\"\n";
    let spec = parse("prices.toml", &format!("{span}{other}")).expect("nothing is wrong with it");
    assert_eq!(spec.elsewhere.len(), 1);
    assert_eq!(
        (spec.elsewhere[0].figure.to_string(), &*spec.elsewhere[0].unit),
        ("400".to_owned(), "cycles")
    );
    let error = parse(
        "prices.toml",
        &format!("{span}{}", other.replace("figure = 400\n", "")),
    )
    .expect_err("no figure");
    assert!(
        error.to_string().contains("[[elsewhere]] has no `figure`"),
        "{error}"
    );
}

#[test]
fn every_key_stands_on_the_page_about_specs() {
    let page = include_str!("../../../docs/spec.md");
    for (table, keys) in keys() {
        for key in keys {
            assert!(page.contains(&format!("`{key}`")), "`{key}` of {table}");
        }
    }
    assert!(page.contains("1,000,000"), "the most phases, {MAX_PHASES}");
}

#[test]
fn other_builds_are_those_of_a_program_with_a_name() {
    let text = |image: &str| {
        let span = "[[program.span]]\nid = \"g/a\"\nfrom = \"a\"\nto = \"b\"\n";
        format!("group = \"g\"\n[[program]]\n{image}\nbuilds = [\"small\", \"fast\"]\n{span}")
    };
    let spec = parse("g.toml", &text("name = \"usual\"")).unwrap();
    let builds = spec.programs[0].builds.iter().map(|build| &*build.value);
    assert_eq!(builds.collect::<Vec<_>>(), ["small", "fast"]);
    let refused = parse("g.toml", &text("elf = \"usual.elf\"")).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("`builds` are those of a program with a `name`")
    );
}
