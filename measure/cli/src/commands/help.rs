//! What the help says of each command beside its options: its group, its page of the docs, and examples, which a test runs.

use std::fmt::Write as _;

use clap::Command;
use report::beside;

/// The groups of commands, in the order of the help; all others are hidden.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Run and test", &["run", "test"]),
    ("Measure", &["cost", "measure", "compare"]),
    ("Look into", &["why", "profile", "report", "disasm", "gdb"]),
    ("Gate", &["diff", "gate"]),
    ("Boards, cores and rules", &["list", "board"]),
];

/// Each command with its page and its examples.
const COMMANDS: [(&str, &str, &[&str]); 21] = [
    (
        "run",
        "running.md",
        &[
            "run app.elf --board stm32f100rb",
            "run app.elf --board stm32f100rb --for 10ms --stats",
            "run app.elf --board stm32f100rb --trace trace.vcd --trace-from main",
        ],
    ),
    (
        "test",
        "cargo.md",
        &[
            "test tests.elf --board stm32f100rb",
            "test tests.elf --board stm32f100rb passes --exact --nocapture",
        ],
    ),
    (
        "cost",
        "start.md",
        &[
            "cost app.elf work --board stm32f100rb",
            "cost app.elf work --board stm32f100rb --count 100 --stack --json -",
        ],
    ),
    (
        "measure",
        "spec.md",
        &[
            "measure spec.toml --json new.json",
            "measure spec.toml --board stm32f407 --timeout 5min",
            "measure benches.elf sort --board stm32f100rb",
        ],
    ),
    (
        "compare",
        "debugging.md",
        &["compare spec.toml --backend gdb:localhost:3333 --within 2"],
    ),
    (
        "why",
        "start.md",
        &[
            "why app.elf work --board stm32f100rb",
            "why app.elf exception:IRQ6 --raise IRQ6@20 --board stm32f100rb",
        ],
    ),
    (
        "profile",
        "profile.md",
        &[
            "profile app.elf --board stm32f100rb",
            "profile app.elf --board stm32f100rb --flamegraph cycles.svg",
        ],
    ),
    ("report", "report.md", &["report new.json -o page.html"]),
    ("disasm", "start.md", &["disasm app.elf", "disasm app.elf work"]),
    (
        "gdb",
        "debugging.md",
        &["gdb app.elf --board stm32f100rb --port 3333"],
    ),
    ("diff", "diff.md", &["diff new.json new.json"]),
    (
        "gate",
        "gate.md",
        &[
            "gate spec.toml --limits limits.toml",
            "gate spec.toml --limits limits.toml --save",
            "gate new.json --limits limits.toml --junit cycles.xml --annotate",
        ],
    ),
    ("list", "boards.md", &["list boards", "list rules branch-taken"]),
    ("list boards", "boards.md", &["list boards"]),
    ("list cores", "boards.md", &["list cores --json -"]),
    (
        "list rules",
        "timing/cortex-m3.md",
        &["list rules --core cortex-m4", "list rules branch-taken"],
    ),
    ("board", "boards.md", &["board new --svd chip.svd"]),
    (
        "board new",
        "boards.md",
        &[
            "board new --svd chip.svd",
            "board new --svd chip.svd --rom 0x08000000:512K --ram 0x20000000:64K -o mine.toml",
        ],
    ),
    ("prices", "PRICES.md", &["prices", "prices --json prices.json"]),
    ("completions", "start.md", &["completions bash"]),
    ("man", "start.md", &["man --dir man"]),
];

/// Adds groups, examples and links to the program's help.
pub(super) fn complete(program: Command) -> Command {
    let names: Vec<String> = program
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let program = names.into_iter().fold(program, |program, name| {
        program.mut_subcommand(&name, |command| with_examples(command, &name))
    });
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\nOptions:\n{{options}}\n\n`cyclescope COMMAND --help` has the options of a \
         command, examples and its page.",
        groups(&program)
    );
    program.help_template(template)
}

fn with_examples(command: Command, path: &str) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|inner| inner.get_name().to_owned())
        .collect();
    let command = names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(&name, |inner| with_examples(inner, &format!("{path} {name}")))
    });
    let Some((_, page, examples)) = COMMANDS.iter().find(|(known, ..)| *known == path) else {
        return command;
    };
    let examples: Vec<String> = examples
        .iter()
        .map(|line| format!("  cyclescope {line}"))
        .collect();
    command.after_help(format!(
        "Examples:\n{}\n\nMore: {}",
        examples.join("\n"),
        link(page)
    ))
}

/// Where a page of the docs is: on the web if the package names its repository, otherwise in a checkout.
pub(super) fn link(page: &str) -> String {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => format!("docs/{page}"),
        repository => format!("{repository}/blob/v{}/docs/{page}", env!("CARGO_PKG_VERSION")),
    }
}

/// The list of commands, by groups.
fn groups(program: &Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        // Writing to a string cannot fail; here and below.
        let _ = writeln!(text, "\n{heading}:");
        for name in names {
            let command = program.find_subcommand(name);
            let about = command.and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(
                text,
                "{}",
                beside(&format!("  {name:<9}"), &about.unwrap_or_default(), 0, "")
            );
        }
    }
    text
}
