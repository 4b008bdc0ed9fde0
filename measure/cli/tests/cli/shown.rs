//! Pages that show commands about this repository's programs: what they show is what the commands print.

use std::fs;

use crate::Desk;
use crate::bench::{text, top};

/// A page, the program of its commands below `target/firmware`, and the compilers that made it: what others make of the same source
/// takes other cycles.
type Page = (&'static str, &'static str, &'static [&'static str]);

const RUSTC: &str = "rustc version 1.95.";

const PAGES: [Page; 3] = [
    (
        "cost.md",
        "thumbv7em-none-eabihf/cores-coremark-like.elf",
        &[RUSTC],
    ),
    ("profile.md", FREERTOS, &[RUSTC, GCC]),
    ("late-interrupt.md", FREERTOS, &[RUSTC, GCC]),
];

const FREERTOS: &str = "threads-freertos-apart.elf";
const GCC: &str = "GCC: (15:12.2.rel1-1) 12.2.1 ";

/// The commands about `file` that the page shows, with the parts of their output that it shows.
fn shown<'a>(page: &'a str, file: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let blocks = page.split("```").skip(1).step_by(2);
    let commands = blocks.filter_map(|block| {
        let (_, block) = block.split_once('\n')?;
        let block = block.trim_start_matches("$ ");
        block.strip_prefix("cyclescope ")?.split_once('\n')
    });
    commands
        .filter(|(words, output)| words.contains(file) && !output.is_empty())
        .map(|(words, output)| (words, output.split("  ...\n").collect()))
        .collect()
}

#[test]
fn pages_show_what_their_commands_print() {
    let mut count = 0;
    for (name, program, compilers) in PAGES {
        let page = fs::read_to_string(top().join("docs").join(name)).expect("the page");
        let Ok(elf) = fs::read(top().join("target/firmware").join(program)) else {
            return skipped::skip(&format!("the commands of docs/{name}: no {program}"));
        };
        let is_by = |compiler: &&str| {
            elf.windows(compiler.len())
                .any(|bytes| bytes == compiler.as_bytes())
        };
        if !compilers.iter().all(is_by) {
            return skipped::opt_in(&format!(
                "the figures of docs/{name}, which are of a program by {compilers:?}"
            ));
        }
        let file = program.rsplit('/').next().expect("a name");
        let desk = Desk::new().with(file, elf);
        for (words, parts) in shown(&page, file) {
            let run = desk.run(words).code(0);
            let printed = text(&run.get_output().stdout);
            let mut rest = &*printed;
            for part in parts {
                let place = rest.find(part);
                let place = place.unwrap_or_else(|| {
                    panic!("`cyclescope {words}` has in docs/{name}\n{part}and prints\n{printed}")
                });
                rest = &rest[place + part.len()..];
            }
            count += 1;
        }
    }
    assert_eq!(count, 4);
}
