//! The book: that it has every page, and that what it tells one to type works.

use std::fs;
use std::path::{Path, PathBuf};

use crate::firmware::{EXIT, Firmware, NOP};
use crate::{Desk, subcommand};

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(top().join("docs").join(name)).expect(name)
}

/// All pages below a folder, by their paths from the top of the book.
fn pages(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            let inside = path.strip_prefix(top().join("docs")).expect("inside");
            found.push(inside.display().to_string());
        }
    }
}

#[test]
fn every_page_is_in_the_book() {
    let summary = page("SUMMARY.md");
    let mut all = Vec::new();
    pages(&top().join("docs"), &mut all);
    for name in all.iter().filter(|name| *name != "SUMMARY.md") {
        assert!(
            summary.contains(&format!("]({name})")),
            "{name} is not in SUMMARY.md"
        );
    }
    for link in summary
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
    {
        assert!(all.iter().any(|name| name == link), "SUMMARY.md leads to {link}");
    }
}

/// The links of the pages that were written for the book lead somewhere.
#[test]
fn links_lead_to_pages() {
    for name in WRITTEN {
        for link in page(name)
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = link.split('#').next().unwrap_or(link);
            let there = file.starts_with("http") || top().join("docs").join(file).exists();
            assert!(there, "{name} leads to {link}");
        }
    }
}

const WRITTEN: [&str; 12] = [
    "start.md",
    "install.md",
    "tutorial.md",
    "cargo.md",
    "benchmarks.md",
    "ci.md",
    "results.md",
    "exit-codes.md",
    "spans.md",
    "semihosting.md",
    "troubleshooting.md",
    "reliability.md",
];

#[test]
fn every_field_of_results_is_told() {
    let source = fs::read_to_string(top().join("measure/report/src/results.rs")).expect("the source");
    let row = source.split("pub struct Row {").nth(1).expect("rows");
    let row = row.split("\n}").next().expect("its end");
    let fields = row
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub ")?.split(':').next());
    let told = page("results.md");
    let fields: Vec<&str> = fields.collect();
    assert!(fields.len() > 15);
    for field in fields {
        assert!(
            told.contains(&format!("`{field}`")),
            "{field} is not in docs/results.md"
        );
    }
}

/// Calls `work`, and takes IRQ6.
fn app() -> Firmware {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0; bl work
    let main = [0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001, 0xf000, 0xf806];
    Firmware::new(&[&main, EXIT])
        .function("work", &[&[NOP; 39], &[0x4770]])
        .handler(22, "IRQ6", &[&[NOP, 0x4770]])
}

/// The files that a page shows with their names, as `# NAME` in their first lines.
fn files(text: &str) -> Vec<(String, String)> {
    let blocks = text
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let named = blocks.filter_map(|block| {
        let name = block.lines().next()?.strip_prefix("# ")?;
        let is_name = Path::new(name).extension().is_some_and(|end| end == "toml") && !name.contains(' ');
        is_name.then(|| (name.to_owned(), block.to_owned()))
    });
    named.collect()
}

#[test]
fn what_the_book_tells_one_to_type_works() {
    for name in WRITTEN {
        let text = page(name);
        let mut desk = subcommand::desk(subcommand::BOARD, &["app"])
            .with("app.elf", app().elf())
            .with("benches.elf", crate::bench::benches(4).elf())
            .with(
                "spec.toml",
                "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"app/work\"\nfunction = \"work\"\n",
            )
            .with("limits.toml", "[[limit]]\nrows = \"app/*\"\nmax = 60\n");
        for (file, content) in files(&text) {
            desk = desk.with(&file, content);
        }
        let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
        for command in commands {
            run(&desk, command, name);
        }
    }
    let tutorial = page("tutorial.md");
    assert!(
        tutorial
            .lines()
            .filter(|line| line.starts_with("$ cargo cyclescope"))
            .count()
            >= 5
    );
    assert_eq!(files(&tutorial).len(), 3, "manifest, spec, limits");
}

fn run(desk: &Desk, command: &str, page: &str) {
    println!("{page}: {command}");
    match command.split_once(' ') {
        Some(("cyclescope", rest)) => drop(desk.run(rest).code(0)),
        Some(("cargo", rest)) => drop(subcommand::run(desk, rest).code(0)),
        _ => assert!(command.starts_with("./x "), "{page}: {command}"),
    }
}
