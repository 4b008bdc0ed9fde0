//! The line that tells the board of a program: which, its core and clock, and why that one.

use crate::firmware::calling;
use crate::Desk;

fn first_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    text.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn each_command_that_runs_a_program_begins_with_its_board() {
    let desk = Desk::new()
        .with("app.elf", calling().elf())
        .with("tests.elf", crate::suite::passing().elf())
        .with("benches.elf", crate::bench::benches(4).elf())
        .with(
            "mine.toml",
            "name = \"mine\"\nlike = \"stm32f100rb\"\nclock_hz = 32768\n",
        );
    let commands = [
        "run app.elf",
        "test tests.elf",
        "cost app.elf work",
        "why app.elf work",
        "profile app.elf",
        "measure benches.elf",
    ];
    for command in commands {
        let default = "board cortex-m3: cortex-m3 at 8 MHz, the default; `--board NAME` chooses another, `cyclescope list boards` lists them";
        for (board, told) in [
            ("", default),
            (
                " --board stm32f100rb",
                "board stm32f100rb: cortex-m3 at 8 MHz, named by --board",
            ),
            (
                " --board ./mine.toml",
                "board mine: cortex-m3 at 32768 Hz, named by --board",
            ),
        ] {
            let run = desk.run_whole(&format!("{command}{board}")).code(0);
            assert_eq!(first_line(&run.get_output().stderr), told, "{command}");
        }
    }
}
