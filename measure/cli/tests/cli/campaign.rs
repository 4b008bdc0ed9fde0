//! Campaigns: many inputs that nobody meant, counted. Each must give a result or a message: no panic, no hang.
//!
//! `./x campaign inputs INPUTS SEED` runs them all and keeps the tally in `docs/reliability.md`; a test run has a few of each.

mod inputs;
mod processes;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lab::batch::{Options as Batch, measure_spec};
use lab::horizon::Horizon;
use lab::{failure, unusual};
use machine::{Board, FileAccess, Image, Machine, Options};

use crate::Desk;
use crate::firmware::{EXIT, Firmware, calling};
use inputs::{Random, beside, random_arm, random_rv32};

/// Cycles that a program gets.
const CYCLES: u64 = 20_000;

/// The longest that one input may take, on a machine that others use too.
const LONGEST: Duration = Duration::from_secs(20);

/// Inputs of each campaign in a run of all tests.
const FEW: u64 = 150;

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Gives `one` each input, by its own random numbers, and counts what it says came of it.
fn campaign(name: &str, inputs: u64, mut one: impl FnMut(&mut Random) -> String) {
    let seed = number("CAMPAIGN_SEED", 1);
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut slowest = Duration::ZERO;
    for index in 0..inputs {
        let began = Instant::now();
        let mut random = Random::new(seed, index);
        let outcome = catch_unwind(AssertUnwindSafe(|| one(&mut random)));
        let outcome =
            outcome.unwrap_or_else(|_| panic!("{name}: input {index} of seed {seed} ended in a panic"));
        slowest = slowest.max(began.elapsed());
        assert!(
            slowest < LONGEST,
            "{name}: input {index} of seed {seed} took {slowest:?}"
        );
        *outcomes.entry(outcome).or_default() += 1;
    }
    assert!(
        outcomes.len() > 1,
        "{name}: all inputs came to the same: {outcomes:?}"
    );
    tell(name, inputs, &outcomes, slowest);
}

/// A row of the table, for `./x campaign inputs`.
fn tell(name: &str, inputs: u64, outcomes: &BTreeMap<String, u64>, slowest: Duration) {
    let Some(folder) = std::env::var_os("CAMPAIGN_FOLDER") else {
        return;
    };
    let seed = number("CAMPAIGN_SEED", 1);
    let mut row = format!("| {name} | {inputs} | {seed} | 0 | ");
    for (index, (outcome, count)) in outcomes.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let _ = write!(row, "{comma}{outcome} {count}");
    }
    let _ = writeln!(row, " | {} ms |", slowest.as_millis());
    std::fs::write(Path::new(&folder).join(format!("{name}.txt")), row).expect("the folder is there");
}

/// How many inputs: few, or as many as were asked for.
fn inputs() -> u64 {
    number("CAMPAIGN_INPUTS", FEW)
}

/// Starts a program, runs it, and renders whatever there is to say of it.
fn run(board: &Board, image: Image, options: Options) -> String {
    let image = Arc::new(image);
    let mut machine = match Machine::new(board, &image, options) {
        Ok(machine) => machine,
        Err(error) => {
            let _ = (error.to_string(), error.hint());
            return "not started".to_owned();
        }
    };
    let outcome = machine.run(CYCLES, &mut events::Silent);
    let message = failure(&outcome, CYCLES, &image, machine.waits(&outcome));
    let _ = message.map(|message| message.render(true));
    let told = unusual(&outcome).unwrap_or_else(|| "exit".to_owned());
    if told.starts_with("exit") {
        "exit".to_owned()
    } else {
        told
    }
}

fn boards(core: &str) -> Vec<Board> {
    let all = Board::names().filter_map(|name| Board::find(name).ok());
    all.filter(|board| board.core().architecture().name() == core)
        .collect()
}

#[test]
fn elf_files() {
    let mut bases = vec![calling().elf()];
    let seeds = std::fs::read_dir(beside("fuzz/seeds/elf")).expect("the seeds");
    bases.extend(
        seeds
            .flatten()
            .map(|seed| std::fs::read(seed.path()).expect("a seed")),
    );
    let boards: Vec<Board> = Board::names()
        .map(|name| Board::find(name).expect("built in"))
        .collect();
    campaign("elf", inputs(), |random| {
        let bytes = random.mutated(&bases);
        let image = match Image::parse("app.elf", &bytes) {
            Ok(image) => image,
            Err(error) => {
                let _ = (error.problem.to_string(), error.hint());
                return "refused".to_owned();
            }
        };
        for symbol in image.symbols().take(20) {
            let _ = (image.frames_at(symbol.address), image.describe(symbol.address));
        }
        run(random.one_of(&boards), image, Options::default())
    });
}

#[test]
fn specs() {
    let mut bases: Vec<Vec<u8>> = inputs::texts("fuzz/seeds/spec");
    bases.extend(
        inputs::texts("firmware/prices")
            .into_iter()
            .filter(|text| text.len() < 8000),
    );
    bases.push(b"elf = \"app.elf\"\n[[span]]\nid = \"a/b\"\nfrom = \"main\"\nto = \"work\"\n".to_vec());
    bases.push(
        b"[[span]]\nid = \"a/b\"\nfunction = \"work\"\ncount = 1\n[[raise]]\nirq = 6\nat = 9\nphases = 4\n"
            .to_vec(),
    );
    let desk = Desk::new().with("app.elf", calling().elf());
    let options = Batch {
        elf: Some(desk.path("app.elf")),
        horizon: Horizon::Limit(CYCLES),
        ..Batch::built_in(desk.path("none"))
    };
    campaign("spec", inputs(), |random| {
        let text = random.mutated_text(&bases);
        let spec = match lab::spec::parse("spec.toml", &text) {
            Ok(spec) => spec,
            Err(message) => {
                let _ = message.render(true);
                return "refused".to_owned();
            }
        };
        let phases = spec
            .programs
            .iter()
            .flat_map(|program| &program.raises)
            .map(|raise| raise.phases)
            .max();
        if spec.programs.len() > 3 || phases.unwrap_or(0) > 100 {
            return "read".to_owned();
        }
        let outcome = measure_spec(&spec, &options, || {});
        outcome
            .messages
            .iter()
            .for_each(|message| drop(message.render(true)));
        if outcome.rows.is_empty() {
            "nothing measured"
        } else {
            "measured"
        }
        .to_owned()
    });
}

#[test]
fn board_files() {
    let mut bases = inputs::texts("sim/machine/boards");
    bases.extend(inputs::texts("fuzz/seeds/board"));
    let elf = calling().elf();
    campaign("board", inputs(), |random| {
        let text = random.mutated_text(&bases);
        match Board::parse("mine.toml", &text) {
            Ok(board) => run(
                &board,
                Image::parse("app.elf", &elf).expect("it is one"),
                Options::default(),
            ),
            Err(error) => {
                let _ = (error.to_string(), error.hint());
                "refused".to_owned()
            }
        }
    });
}

#[test]
fn arm_firmware() {
    let boards = boards("Arm");
    campaign("firmware-arm", inputs(), |random| {
        let board = random.one_of(&boards);
        let code = random_arm(random);
        let base = board
            .memories()
            .first()
            .map_or(crate::firmware::FLASH, |memory| memory.base);
        let ram = board
            .memories()
            .iter()
            .find(|memory| matches!(memory.kind, machine::board::MemoryKind::Ram));
        let stack = ram.map_or(crate::firmware::STACK, |ram| ram.base + ram.size.min(0x2000));
        let app = Firmware::at(base, &[&code, EXIT])
            .stack(stack)
            .handler(3, "HardFault", &[&[0xe7fe]]);
        run(
            board,
            Image::parse("app.elf", &app.elf()).expect("it is one"),
            Options::default(),
        )
    });
}

#[test]
fn rv32_firmware() {
    let boards = boards("RISC-V");
    campaign("firmware-rv32", inputs(), |random| {
        let board = random.one_of(&boards);
        let elf = random_rv32(random, board);
        run(
            board,
            Image::parse("app.elf", &elf).expect("it is one"),
            Options::default(),
        )
    });
}

#[test]
fn system_calls() {
    let desk = Desk::new().with("files/some", "text").with("outside", "secret");
    let _ = std::os::unix::fs::symlink("../outside", desk.path("files/link"));
    let board = Board::find("stm32f100rb").expect("built in");
    campaign("system-calls", inputs(), |random| {
        let calls = inputs::system_calls(random);
        let app = Firmware::new(&[&calls, EXIT]).function("data", &[&inputs::names()]);
        let options = Options {
            files: FileAccess::within(desk.path("files")),
            ..Options::default()
        };
        run(
            &board,
            Image::parse("app.elf", &app.elf()).expect("it is one"),
            options,
        )
    });
    assert_eq!(desk.read("outside"), "secret");
}
