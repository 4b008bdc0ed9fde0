//! Commands and options by their old names.

use crate::Desk;
use crate::firmware::calling;

/// Old command lines, and what they are now.
const RENAMED: [(&str, &str); 6] = [
    ("boards", "list boards"),
    ("cores --json -", "list cores --json -"),
    ("rules branch-taken", "list rules branch-taken"),
    ("rules branch-takn", "list rules branch-takn"),
    (
        "bench benches.elf sort --stack",
        "measure benches.elf sort --stack",
    ),
    (
        "profile app.elf --base old.elf --flamegraph -",
        "profile app.elf --against old.elf --flamegraph -",
    ),
];

#[test]
fn an_old_name_does_the_same_and_one_line_tells_the_new_one() {
    let desk = Desk::new()
        .with("app.elf", calling().elf())
        .with("old.elf", calling().elf())
        .with("benches.elf", crate::bench::benches(4).elf());
    for (old, new) in RENAMED {
        let (old, new) = (format!("--timeout 5min {old}"), format!("--timeout 5min {new}"));
        let (was, is) = (desk.run(&old), desk.run(&new));
        let (was, is) = (was.get_output(), is.get_output());
        assert_eq!(was.status.code(), is.status.code(), "{old}");
        assert!(was.stdout == is.stdout, "{old}");
        let told = String::from_utf8_lossy(&was.stderr);
        let (notice, rest) = told.split_once('\n').expect("a line");
        assert!(
            notice.starts_with("note: `") && notice.ends_with("the old name works until 0.2"),
            "{told}"
        );
        assert_eq!(rest, String::from_utf8_lossy(&is.stderr), "{old}");
    }
}

/// What is for a spec, and what is for a program with benchmarks, is told when it meets the other.
#[test]
fn measure_says_what_an_option_is_for() {
    let desk = Desk::new()
        .with(
            "spec.toml",
            "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"a/b\"\nfunction = \"work\"\n",
        )
        .with("app.elf", calling().elf())
        .with("benches.elf", crate::bench::benches(4).elf());
    for (command, told) in [
        (
            "measure spec.toml sort",
            "FILTER is for a program with benchmarks, and this is a spec",
        ),
        (
            "measure spec.toml --list",
            "--list is for a program with benchmarks, and this is a spec",
        ),
        (
            "measure benches.elf --elf app.elf",
            "--elf is for a spec, and this is a program",
        ),
        (
            "measure benches.elf --view fetch",
            "--view fetch is for a spec, and this is a program",
        ),
    ] {
        let run = desk.run(command).code(2);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(text.contains(told), "{command}: {text}");
    }
}
