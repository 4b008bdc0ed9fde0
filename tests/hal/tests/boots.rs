//! Checks the output of each program under `firmware/hal`, and the clock and wait states that it sets.

use std::io::{Cursor, Write, sink};
use std::sync::{Arc, Mutex};

use machine::{Board, Console, Image, Machine, Options, Outcome};
use xtask::firmware;

const TARGET: &str = "thumbv7em-none-eabihf";

/// A program that has ended.
struct Ran {
    machine: Machine,
    output: String,
}

/// Runs the chip's program on the board of the same name until it exits.
fn run(chip: &str) -> Ran {
    run_on(chip, chip)
}

/// Runs a program on a board given by name or file.
fn run_on(program: &str, board: &str) -> Ran {
    let program = firmware::program_for(&format!("hal-{program}"), TARGET).expect("built");
    let image = Arc::new(Image::load(&program).expect("an ELF file"));
    let captured = Captured::default();
    let options = Options {
        console: Console::new(captured.clone(), sink(), Cursor::new([])),
        ..Options::default()
    };
    let board = Board::find(board).expect("a board");
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

    /// The first line, and the number at the start of the second line.
    fn said(&self) -> (&str, u32) {
        let (clocks, rest) = self.output.split_once('\n').expect("two lines");
        let (toggles, _) = rest.split_once(' ').expect("a number");
        (clocks, toggles.parse().expect("a number"))
    }
}

/// Expected toggles: ten that the program waits for, and those while the line is sent at ten bits per byte and 115200 baud.
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

/// Ten waits of a millisecond are 330 ticks at 32768 Hz, each rounded up. Booting and sending make the whole run longer.
fn embassy_waited(ran: &Ran, clocks: &str) {
    assert_eq!(ran.output, format!("{clocks}\n10 toggles in 330 ticks\n"));
    let sending = ran.output.len() as u64 * 10 * 1_000_000_000 / 115_200;
    let waiting = 330 * 1_000_000_000 / 32_768;
    let booting = ran.machine.nanoseconds().checked_sub(waiting + sending);
    let booting = booting.expect("the time of the waits and of the UART has passed");
    assert!(booting < 1_000_000, "{booting} ns besides");
}

/// A folder with the sensor and its I2C board from `docs/boards.md`, and the files of `boards/`.
fn wired() -> tempfile::TempDir {
    let page = include_str!("../../../docs/boards.md");
    let section = page.split("### A target on a bus").nth(1).expect("there is one");
    let block = |kind: &str| {
        let (_, rest) = section.split_once(&format!("```{kind}\n"))?;
        rest.split_once("```").map(|(block, _)| block)
    };
    let folder = tempfile::tempdir().expect("room");
    let files = [
        ("sensor.rhai", block("rhai").expect("a script")),
        ("stm32f407.toml", block("text").expect("a board")),
        ("nrf52840.toml", include_str!("../boards/nrf52840-wired.toml")),
        ("wire.rhai", include_str!("../boards/wire.rhai")),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("room");
    }
    folder
}

/// The program's output on that board.
fn said_on(program: &str, board: &str) -> String {
    let folder = wired();
    let board = folder.path().join(format!("{board}.toml"));
    run_on(program, board.to_str().expect("a path")).output
}

/// Four bytes and a start condition at 100 kHz, plus 50 microseconds for which the sensor stretches SCL.
#[test]
fn stm32f4xx_hal_waits_for_a_target_and_hears_that_it_refuses_a_byte() {
    let output = said_on("stm32f407-i2c", "stm32f407");
    let (read, rest) = output.split_once('\n').expect("lines");
    let taken = read.strip_prefix("sensor Ok(()) 21 in ").expect(read);
    let taken: u32 = taken
        .strip_suffix(" us")
        .and_then(|us| us.parse().ok())
        .expect(read);
    assert!((420..450).contains(&taken), "{taken}");
    assert_eq!(
        rest,
        "limits [Ok(()), Err(NoAcknowledge(Data))]\nlimit 100 nobody Err(NoAcknowledge(Address))\n"
    );
}

/// 0.9 V of 3 V in 14 bits, by eight conversions of 22 microseconds; a quarter of 62.5 microseconds; four bytes at 400 kHz, and 50
/// microseconds.
#[test]
fn nrf52840_hal_converts_puts_out_and_asks() {
    let output = said_on("nrf52840", "nrf52840");
    let numbers = |line: &str| -> Vec<u32> {
        let words = line.split(|letter: char| !letter.is_ascii_digit());
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let lines: Vec<&str> = output.lines().collect();
    let [converted, wave, sensor, rest @ ..] = lines.as_slice() else {
        panic!("{output}");
    };
    assert!(
        matches!(numbers(converted)[..], [0, 4915, 176..180]),
        "{converted}"
    );
    assert!(matches!(numbers(wave)[..], [60..65, 248..253]), "{wave}");
    assert!(sensor.starts_with("sensor Ok(()) 21 in "), "{sensor}");
    assert!(matches!(numbers(sensor)[..], [21, 140..155]), "{sensor}");
    assert_eq!(
        rest,
        [
            "limits [Ok(()), Err(DataNack)]",
            "limit 100 nobody Err(AddressNack)"
        ]
    );
}

/// 0.9 V, and 0.3 V against 0.6 V, at a gain of a sixth of 0.6 V in 12 bits; 15 samples at 1 kHz and 10 at 10 kHz.
#[test]
fn embassy_nrf_samples_by_timers_and_plays_a_sequence() {
    let output = said_on("nrf52840-embassy", "nrf52840");
    let (sampled, pulses) = output.split_once("pulses ").expect("pulses");
    assert_eq!(
        sampled,
        "both [1024, -171]\nby a timer 15360 in 15 ms\nby its own 1024 in 1 ms\n"
    );
    // The program measures the first pulse only after it has begun.
    let (_, others) = pulses.split_once(", ").expect("several");
    assert_eq!(others, "500, 750, 250, 500, 750, 750]\n");
}

/// The captured output.
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
