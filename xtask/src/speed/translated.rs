//! The cost of address translation: the same work in supervisor mode with Sv32, and in machine mode without, on the same board.
//!
//! Both with and without an L2 before the memory. Runs alternate, and the minimum counts.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::counted;
use crate::firmware;
use crate::shell::{run, say};

/// Boards with Sv32, and the work on each, without and with translation.
const BOARDS: [(&str, [&str; 2]); 2] = [
    ("vexriscv-linux", ["speed-rv32", "speed-rv32-paged"]),
    ("precursor", ["speed-rv32-sram", "speed-rv32-paged-sram"]),
];
const TARGET: &str = "riscv32im-unknown-none-elf";
/// Timed runs of each program.
const REPEATS: usize = 3;
/// Minimum speed relative to the untranslated run.
const FLOOR: f64 = 0.5;

/// Million cycles per second on a board, without and with translation.
pub(super) struct Speeds {
    board: &'static str,
    rates: [f64; 2],
}

impl Speeds {
    fn ratio(&self) -> f64 {
        self.rates[1] / self.rates[0]
    }
}

/// Times both programs on each board.
pub(super) fn speeds(simulator: &Path) -> Result<Vec<Speeds>> {
    say(&format!(
        "speed: behind tables of pages, the best of {REPEATS} runs each"
    ));
    let on_board = |(board, programs): (&'static str, [&str; 2])| {
        let command = |program: usize| -> Result<Command> {
            let mut command = Command::new(simulator);
            command.args(["run", "--board", board]);
            command.arg(firmware::program_for(programs[program], TARGET)?);
            Ok(command)
        };
        let mut least = [Duration::MAX; 2];
        for _ in 0..REPEATS {
            for (program, least) in least.iter_mut().enumerate() {
                let mut command = command(program)?;
                let start = Instant::now();
                run(command.stdin(Stdio::null()))?;
                *least = start.elapsed().min(*least);
            }
        }
        let mut rates = [0.0; 2];
        for (program, rate) in rates.iter_mut().enumerate() {
            let [cycles] = counted(command(program)?, ["cycles"])?;
            *rate = f64::from(cycles) / 1e6 / least[program].as_secs_f64();
        }
        Ok(Speeds { board, rates })
    };
    BOARDS.into_iter().map(on_board).collect()
}

pub(super) fn summary(speeds: &[Speeds]) -> String {
    let head = format!("{:<18} {:>8} {:>11} {:>6}", "Sv32", "MHz", "without it", "ratio");
    let lines = speeds.iter().map(|speed| {
        let [without, with] = speed.rates;
        format!(
            "{:<18} {with:>8.1} {without:>11.1} {:>6.2}",
            speed.board,
            speed.ratio()
        )
    });
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

/// Checks each ratio against its limit.
pub(super) fn verdict(speeds: &[Speeds]) -> Result<()> {
    for speed in speeds {
        let ratio = speed.ratio();
        if ratio < FLOOR {
            bail!(
                "{}: {ratio:.2} of its speed behind Sv32, less than {FLOOR}",
                speed.board
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_half_as_fast_passes_and_what_is_slower_does_not() {
        let speeds = |with| {
            [Speeds {
                board: "board",
                rates: [200.0, with],
            }]
        };
        verdict(&speeds(100.0)).expect("half as fast");
        let error = verdict(&speeds(99.0)).expect_err("slower");
        assert_eq!(
            error.to_string(),
            "board: 0.49 of its speed behind Sv32, less than 0.5"
        );
    }

    #[test]
    fn the_table_has_a_line_for_each_board() {
        let speeds = [Speeds {
            board: "board",
            rates: [200.0, 180.0],
        }];
        let lines = summary(&speeds);
        assert_eq!(lines.lines().count(), 2);
        assert!(
            lines.ends_with("board                 180.0       200.0   0.90"),
            "{lines}"
        );
    }
}
