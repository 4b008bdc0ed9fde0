//! Mistakes that newcomers make, and that the message leads to the cure.

use crate::Desk;
use crate::firmware::{Firmware, NOP, calling};

fn desk() -> Desk {
    // `main` ends in a branch to itself.
    let endless = Firmware::new(&[&[NOP, 0xf240, 0x1000, 0xe7fe]]);
    Desk::new()
        .with("motor.elf", calling().elf())
        .with("endless.elf", endless.elf())
        .with("text.txt", "hello\n")
        .with("new.json", "{}")
        .with("limits.toml", "[[limit]]\nrows = \"app/*\"\nmax = 60\n")
}

/// What a command line tells on standard error, which is the user's mistake.
fn told(desk: &Desk, command: &str) -> String {
    let run = desk.run(command).code(2);
    // The output of the terminal may be wrapped.
    let text = String::from_utf8_lossy(&run.get_output().stderr);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Command lines, and a piece of what each is told.
const MISTAKES: [(&str, &str); 22] = [
    // A chip that is no board: the nearest by family and by core.
    (
        "run motor.elf --board stm32f103",
        "did you mean `stm32f100rb`? stm32f103 has a Cortex-M3",
    ),
    (
        "run motor.elf --board cortex-m33",
        "did you mean `cortex-m4f`? a Cortex-M33 is not modelled",
    ),
    (
        "run motor.elf --board h743",
        "stm32h743 has a Cortex-M7, which is not modelled (cortex-m4f comes nearest)",
    ),
    ("run motor.elf --board pico", "did you mean `rp2040`?"),
    (
        "run motor.elf --board stm32f103",
        "`--board ./stm32f103.toml`, with the lines `name = \"stm32f103\"`, `like = \"stm32f100rb\"` and what is different",
    ),
    (
        "run motor.elf --board ./nothing.toml",
        "cannot be read: No such file",
    ),
    // Files that are not there, or not what they should be.
    ("cost motr.elf work", "did you mean `motor.elf`?"),
    ("disasm motr.elf", "did you mean `motor.elf`?"),
    ("gate new.json --limits limit.toml", "did you mean `limits.toml`?"),
    ("report new.jsn", "did you mean `new.json`?"),
    (
        "measure motor.elf",
        "it is a program: `cyclescope cost motor.elf FUNCTION`",
    ),
    (
        "report text.txt",
        "`--json FILE` of `measure` or `cost` writes a file of results; the name of a spec ends in `.toml`",
    ),
    (
        "report motor.elf",
        "measure it first: `cyclescope cost motor.elf FUNCTION --json results.json`",
    ),
    ("diff text.txt text.txt", "writes a file of results"),
    (
        "run motor.elf --trace x.vdc",
        "did you mean `vcd`? the names of traces end in .txt",
    ),
    // Functions and points.
    ("cost motor.elf wrok", "did you mean `work`?"),
    (
        "why motor.elf work+1",
        "the nearest instructions are at `work+0x0` and `work+0x2`",
    ),
    ("why motor.elf work+0x1000", "`work` has only"),
    // Numbers.
    (
        "cost motor.elf work --count ten",
        "a number from 1 on, such as 100",
    ),
    (
        "run motor.elf --limit ten",
        "a number of cycles from 1 on, such as 20000, 20k or 5M",
    ),
    ("run motor.elf --for 5", "a time, such as 2s, 500ms, 20us or 5min"),
    ("profile motor.elf --top ten", "a number from 1 on, such as 100"),
];

#[test]
fn each_mistake_leads_to_its_cure() {
    let desk = desk();
    for (command, cure) in MISTAKES {
        let told = told(&desk, command);
        assert!(told.contains(cure), "{command}\n{told}\n{cure}");
    }
}

#[test]
fn a_function_that_never_returns_has_no_cost() {
    let text = told(&desk(), "cost endless.elf main --limit 1000");
    assert!(
        text.contains("`main` never returns: it was called once"),
        "{text}"
    );
    assert!(text.contains("name a function that it calls"), "{text}");
}

/// The two lines that the message says are a board.
#[test]
fn the_board_file_of_the_message_is_one() {
    let desk = desk().with("stm32f103.toml", "name = \"stm32f103\"\nlike = \"stm32f100rb\"\n");
    desk.run("run motor.elf --board ./stm32f103.toml").code(0);
}

#[test]
fn a_program_for_another_core_says_for_which() {
    let desk = desk();
    for (cpu, built, on_its_own) in [("cortex-m7", "ARMv7E-M", 3), ("cortex-m33", "ARMv8-M", 2)] {
        let elf = desk.path(&format!("{cpu}.elf"));
        if !compiled(cpu, &elf) {
            return;
        }
        let run = desk.run(&format!("run {cpu}.elf --board stm32f100rb --cycles 100"));
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(
            text.contains(&format!(
                "built for {built}, but the core of board `stm32f100rb` is a cortex-m3"
            )),
            "{text}"
        );
        let run = desk.run(&format!("run {cpu}.elf --cycles 100")).code(on_its_own);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(text.contains(&format!("built for {built}")), "{text}");
    }
}

/// Compiles a loop without an end for a core; false if the compiler is not there.
fn compiled(cpu: &str, elf: &std::path::Path) -> bool {
    const SOURCE: &str = "void run(void); __attribute__((section(\".vectors\"))) void *vectors[2] = {(void *)0x20001000, (void *)run};\n\
                          void run(void) { for (;;) ; }\n";
    if !skipped::installed("arm-none-eabi-gcc") {
        return false;
    }
    let source = elf.with_extension("c");
    std::fs::write(&source, SOURCE).expect("a file");
    let mut compiler = std::process::Command::new("arm-none-eabi-gcc");
    compiler
        .args([
            &format!("-mcpu={cpu}"),
            "-mthumb",
            "-nostdlib",
            "-Wl,-Ttext=0x08000100",
            "-Wl,-erun",
        ])
        .arg("-Wl,--section-start=.vectors=0x08000000")
        .arg(&source)
        .arg("-o")
        .arg(elf);
    assert!(compiler.status().expect("it starts").success());
    true
}
