//! `docs/cost.md`: what it shows of commands is what they print.

use std::fs;

use crate::Desk;
use crate::bench::{text, top};

/// The compiler that made the page's program; what another one makes of the same source takes other cycles.
const COMPILER: &str = "rustc version 1.95.";

/// The commands that the page shows with their output, or its beginning.
fn shown(page: &str) -> Vec<(&str, &str)> {
    let blocks = page.split("```").skip(1).step_by(2);
    blocks
        .filter_map(|block| block.strip_prefix("\n$ cyclescope ")?.split_once('\n'))
        .collect()
}

#[test]
fn the_page_shows_what_its_commands_print() {
    let page = fs::read_to_string(top().join("docs/cost.md")).expect("the page");
    let program = "target/firmware/thumbv7em-none-eabihf/cores-coremark-like.elf";
    assert!(page.contains(program), "it says where the program is");
    let Ok(elf) = fs::read(top().join(program)) else {
        return skipped::skip(&format!("the commands of docs/cost.md: no {program}"));
    };
    if !elf
        .windows(COMPILER.len())
        .any(|bytes| bytes == COMPILER.as_bytes())
    {
        return skipped::opt_in(&format!(
            "the figures of docs/cost.md, which are of a program that {COMPILER}* made"
        ));
    }
    let desk = Desk::new().with("cores-coremark-like.elf", elf);
    let shown = shown(&page);
    assert_eq!(shown.len(), 2, "{shown:?}");
    for (words, output) in shown {
        let run = desk.run(words).code(0);
        let printed = text(&run.get_output().stdout);
        assert!(
            printed.starts_with(output),
            "`cyclescope {words}` is in docs/cost.md as\n{output}and prints\n{printed}"
        );
    }
}
