//! Help, completions, manual pages: and that the examples in them are true.

use std::path::Path;

use crate::Desk;
use crate::firmware::{EXIT, Firmware, NOP};

const SPEC: &str =
    "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"app/work\"\nfunction = \"work\"\n";

/// Calls `work`, and takes IRQ6.
fn app() -> Firmware {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0; bl work
    let main = [0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001, 0xf000, 0xf806];
    Firmware::new(&[&main, EXIT])
        .function("work", &[&[NOP; 39], &[0x4770]])
        .handler(22, "IRQ6", &[&[NOP, 0x4770]])
}

fn desk() -> Desk {
    Desk::new()
        .with("app.elf", app().elf())
        .with("tests.elf", crate::suite::passing().elf())
        .with("benches.elf", crate::bench::benches(4).elf())
        .with("spec.toml", SPEC)
        .with(
            "chip.svd",
            include_str!("../../../../sim/machine/tests/small.svd"),
        )
        .with("limits.toml", "[[limit]]\nrows = \"app/*\"\nmax = 60\n")
}

fn output(desk: &Desk, command: &str) -> String {
    let run = desk.run(command).code(0);
    String::from_utf8_lossy(&run.get_output().stdout).into_owned()
}

#[test]
fn every_example_of_the_help_runs() {
    let desk = desk();
    let commands = output(&desk, "--help");
    let before_options = commands.lines().take_while(|line| *line != "Options:");
    let mut names: Vec<&str> = before_options
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names.len(), 14, "{commands}");
    for hidden in ["prices", "completions", "man"] {
        assert!(!names.contains(&hidden), "{commands}");
        names.push(hidden);
    }
    names.extend(["list boards", "list cores", "list rules", "board new"]);
    desk.run("measure spec.toml --json new.json").code(0);
    for name in names {
        let help = output(&desk, &format!("{name} --help"));
        let wide = help.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{name}");
        let examples: Vec<&str> = help
            .lines()
            .filter_map(|line| line.strip_prefix("  cyclescope "))
            .collect();
        assert!(!examples.is_empty(), "{name} has no example");
        let page = help.lines().find_map(|line| line.strip_prefix("More: "));
        let page = page.unwrap_or_else(|| panic!("{name} leads to no page"));
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let file = &page[page.find("docs/").expect("a page of the docs")..];
        assert!(top.join(file).is_file(), "{name}: {page}");
        for example in examples {
            assert!(example.starts_with(name), "{example}");
            if ["prices", "gdb", "compare"].contains(&name) {
                // They need a board, a debugger, or what is not here: that each word is one of the command's is said without.
                let run = Desk::new().run(example).code(2);
                let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
                assert!(!text.contains("Usage:"), "{example}: {text}");
            } else {
                desk.run(example).code(0);
            }
        }
    }
    assert!(desk.read("man/cyclescope-run.1").starts_with(".ie"));
    assert!(desk.read("man/cyclescope.1").contains("cyclescope"));
    assert!(desk.path("man/cyclescope-list-rules.1").is_file());
}

#[test]
fn shells_are_told_how_to_complete() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(output(&Desk::new(), &format!("completions {shell}")).contains("measure"));
    }
}
