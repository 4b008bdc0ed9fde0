//! What each program under `firmware/hal` puts out, and the clock and wait states that it leaves its chip with.

use std::io::{Cursor, Write, sink};
use std::sync::{Arc, Mutex};

use machine::{Board, Console, Image, Machine, Options, Outcome};
use xtask::firmware;

const TARGET: &str = "thumbv7em-none-eabihf";

/// The end of a program's run.
struct Ran {
    machine: Machine,
    output: String,
}

/// Runs the program of this chip on the board of the same name, until it ends itself.
fn run(chip: &str) -> Ran {
    let program = firmware::program_for(&format!("hal-{chip}"), TARGET).expect("built");
    let image = Arc::new(Image::load(&program).expect("an ELF file"));
    let captured = Captured::default();
    let options = Options {
        console: Console::new(captured.clone(), sink(), Cursor::new([])),
        ..Options::default()
    };
    let board = Board::find(chip).expect("a board of the repository");
    let mut machine = Machine::new(&board, &image, options).expect("starts");
    let outcome = machine.run(100_000_000, &mut events::Silent);
    assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:#?}");
    let output = captured.text();
    Ran { machine, output }
}

impl Ran {
    fn has(&self, clock_hz: u32, wait_states: u8) {
        assert_eq!(self.machine.clock_hz(), clock_hz);
        assert_eq!(self.machine.flash_settings().latency, wait_states);
    }

    /// The first line, and the number at the start of the second.
    fn said(&self) -> (&str, u32) {
        let (clocks, rest) = self.output.split_once('\n').expect("two lines");
        let (toggles, _) = rest.split_once(' ').expect("a number");
        (clocks, toggles.parse().expect("a number"))
    }
}

/// Ten toggles are waited for; meanwhile the timer goes on while the line is sent, ten bits a byte at 115200 baud.
fn toggles_while_sending(bytes: usize) -> u32 {
    10 + (bytes as u32 * 10 * 10_000).div_ceil(115_200)
}

#[test]
fn stm32f4xx_hal_runs_an_stm32f411_at_100_mhz() {
    let ran = run("stm32f411");
    ran.has(100_000_000, 3);
    let settings = ran.machine.flash_settings();
    assert!(settings.prefetch && settings.instruction_cache && settings.data_cache);
    let (clocks, toggles) = ran.said();
    assert_eq!(clocks, "hclk 100000000 Hz pclk1 50000000 Hz pclk2 100000000 Hz");
    let expected = toggles_while_sending(clocks.len());
    assert!(
        toggles.abs_diff(expected) <= 2,
        "{toggles}, expected about {expected}"
    );
}

#[test]
fn stm32f4xx_hal_runs_an_stm32f407_at_168_mhz() {
    let ran = run("stm32f407");
    ran.has(168_000_000, 5);
    let (clocks, toggles) = ran.said();
    assert_eq!(clocks, "hclk 168000000 Hz pclk1 42000000 Hz pclk2 84000000 Hz");
    let expected = toggles_while_sending(clocks.len());
    assert!(
        toggles.abs_diff(expected) <= 2,
        "{toggles}, expected about {expected}"
    );
}

#[test]
fn embassy_runs_an_stm32g491_at_170_mhz() {
    let ran = run("stm32g491");
    ran.has(170_000_000, 4);
    embassy_waited(&ran, "hclk 170000000 pclk1 170000000 pclk2 170000000");
}

#[test]
fn embassy_runs_an_stm32l432_at_80_mhz() {
    let ran = run("stm32l432");
    ran.has(80_000_000, 4);
    assert!(ran.machine.flash_settings().prefetch);
    embassy_waited(&ran, "hclk 80000000 pclk1 80000000 pclk2 80000000");
}

/// Ten times a millisecond are 330 ticks of 32768 Hz, each wait rounded up; the whole run is longer by booting and by what it sends.
fn embassy_waited(ran: &Ran, clocks: &str) {
    assert_eq!(ran.output, format!("{clocks}\n10 toggles in 330 ticks\n"));
    let sending = ran.output.len() as u64 * 10 * 1_000_000_000 / 115_200;
    let waiting = 330 * 1_000_000_000 / 32_768;
    let booting = ran.machine.nanoseconds().checked_sub(waiting + sending);
    let booting = booting.expect("the time of the waits and of the UART has passed");
    assert!(booting < 1_000_000, "{booting} ns besides");
}

/// What was put out.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no writer panics").clone()).expect("text")
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no writer panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
