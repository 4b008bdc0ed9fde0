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

/// Every page of the book, and the one at the top.
fn all_pages() -> Vec<String> {
    let mut all = Vec::new();
    pages(&top().join("docs"), &mut all);
    all.push("../README.md".to_owned());
    all
}

#[test]
fn links_lead_to_pages() {
    for name in all_pages() {
        let here = top().join("docs").join(&name);
        let text = page(&name);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        // A table's cell may have brackets of code in front of round ones.
        for link in links.filter(|link| link.contains(".md") && !link.starts_with("http")) {
            let file = link.split('#').next().unwrap_or(link);
            assert!(
                here.with_file_name("").join(file).exists(),
                "{name} leads to {link}"
            );
        }
    }
}

/// The files that the journeys name; without a folder at the top they are in the core of the Cortex-M.
#[test]
fn the_journeys_lead_through_files() {
    let page = page("../ARCHITECTURE.md");
    let (_, section) = page.split_once("## Three journeys").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    let named = section.split('`').skip(1).step_by(2);
    let files: Vec<&str> = named
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "rs"))
        .collect();
    assert!(files.len() >= 15, "{files:?}");
    for file in files {
        let within = ["", "sim/core-cortex-m/src"].map(|folder| top().join(folder).join(file));
        assert!(within.iter().any(|path| path.exists()), "{file}");
    }
}

#[test]
fn the_page_says_of_each_board_how_exact_it_is() {
    let page = page("evidence.md");
    let (_, section) = page.split_once("## For your chip").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    for file in fs::read_dir(top().join("sim/machine/boards"))
        .expect("the boards")
        .flatten()
    {
        let path = file.path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        assert!(
            section.contains(&format!("`{name}`")),
            "{name} is not in docs/evidence.md"
        );
    }
}

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

/// Calls `work` and `SysTick`, and takes IRQ6.
fn app() -> Firmware {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0; bl work; bl SysTick
    let main = [
        0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001, 0xf000, 0xf808, 0xf000, 0xf82e,
    ];
    Firmware::new(&[&main, EXIT])
        .function("work", &[&[NOP; 39], &[0x4770]])
        .function("SysTick", &[&[NOP, 0x4770]])
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

/// What a page tells one to type, in its blocks of code; a line that ends with a backslash goes on.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in text.split("```").skip(1).step_by(2) {
        let block = block.replace("\\\n", " ");
        for line in block.lines().skip(1) {
            let line = line.trim_start().trim_start_matches("$ ");
            let line = line.split(" # ").next().unwrap_or(line).trim();
            if ["cyclescope ", "cargo cyclescope ", "./x "]
                .iter()
                .any(|begin| line.starts_with(begin))
            {
                found.push(braces(line));
            }
        }
    }
    found
}

/// What a shell makes of `a{b,c}`: `ab ac`.
fn braces(line: &str) -> String {
    let word = |word: &str| {
        let (before, rest) = word.split_once('{')?;
        let (each, behind) = rest.split_once('}')?;
        let all: Vec<_> = each
            .split(',')
            .map(|part| format!("{before}{part}{behind}"))
            .collect();
        (all.len() > 1).then(|| all.join(" "))
    };
    let words: Vec<_> = line
        .split(' ')
        .map(|text| word(text).unwrap_or_else(|| text.to_owned()))
        .collect();
    words.join(" ")
}

#[test]
fn what_the_book_tells_one_to_type_works() {
    let mut tried = [0; 2];
    for name in all_pages() {
        let text = page(&name);
        let all = commands(&text);
        if all.is_empty() {
            continue;
        }
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
        for command in all {
            tried[usize::from(run(&desk, &command, &name))] += 1;
        }
    }
    assert!(tried[0] > 10 && tried[1] >= 20, "{tried:?}");
    let tutorial = page("tutorial.md");
    let built = commands(&tutorial);
    assert!(
        built
            .iter()
            .filter(|line| line.starts_with("cargo cyclescope"))
            .count()
            >= 5
    );
    assert_eq!(files(&tutorial).len(), 3, "manifest, spec, limits");
}

/// The steps of the workflows that the pages show: GitHub's `run:`, and the words of a `script:` of GitLab's.
#[test]
fn the_steps_of_the_workflows_work() {
    let spec =
        "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"app/work\"\nfunction = \"work\"\n";
    let limits = "[[limit]]\nrows = \"app/*\"\nmax = 60\n";
    let mut count = 0;
    for name in ["gate.md", "tutorial.md"] {
        let desk = subcommand::desk(subcommand::BOARD, &["app"])
            .with("app.elf", app().elf())
            .with("spec.toml", spec)
            .with("limits.toml", limits)
            .with(
                "cyclescope.toml",
                "[[span]]\nid = \"app/work\"\nfunction = \"work\"\n",
            )
            .with("cyclescope-limits.toml", limits);
        for line in page(name).lines() {
            let step = line.trim().strip_prefix("- ").unwrap_or_default();
            let step = step.strip_prefix("run: ").unwrap_or(step);
            if step.starts_with("cyclescope ") || step.starts_with("cargo cyclescope ") {
                let step = step.replace("\"$GITHUB_STEP_SUMMARY\"", "summary.md");
                if let Some(step) = step.strip_prefix("cargo ") {
                    subcommand::run(&desk, step).code(0);
                } else {
                    desk.run(step.trim_start_matches("cyclescope ")).code(0);
                }
                count += 1;
            }
        }
    }
    assert_eq!(count, 3);
}

/// The pages whose lines `$ …` are about the program of this test: they work as they stand.
const ABOUT_IT: [&str; 12] = [
    "start.md",
    "tutorial.md",
    "benchmarks.md",
    "ci.md",
    "compare-kernels.md",
    "evidence.md",
    "exit-codes.md",
    "gitlab.md",
    "late-interrupt.md",
    "missing-chip.md",
    "results.md",
    "troubleshooting.md",
];

/// Whether a command was run to its end. One about a program or a tool that is not here still has to be one.
fn run(desk: &Desk, command: &str, name: &str) -> bool {
    println!("{name}: {command}");
    let works = ABOUT_IT.contains(&name) && page(name).contains(&format!("$ {command}"));
    let ran = match command.split_once(' ') {
        Some(("./x", rest)) => {
            let help = fs::read_to_string(top().join("xtask/help.txt")).expect("the help");
            let word = rest.split(' ').next().unwrap_or_default();
            assert!(help.contains(&format!("  ./x {word} ")), "{name}: {command}");
            return false;
        }
        Some(("cyclescope", rest)) => desk.run(rest),
        Some(("cargo", rest)) => subcommand::run(desk, rest),
        _ => panic!("{name}: {command}"),
    };
    let text = String::from_utf8_lossy(&ran.get_output().stderr).into_owned();
    assert!(
        !text.contains("Usage:") && !text.contains("panicked"),
        "{name}: {command}: {text}"
    );
    if works {
        ran.code(0);
    }
    works
}
