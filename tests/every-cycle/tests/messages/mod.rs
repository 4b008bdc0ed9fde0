//! Checks processes and their messages: isolation, robustness against interrupts, and the length of a round trip.

use std::collections::BTreeMap;
use std::env;
use std::sync::Arc;

use events::{Event, Flow, Interest, Sink};
use every_cycle::{Line, sweep_by, sweep_lines_from};
use lab::backend::{Backend, Bench};
use lab::batch::{Options as Measuring, measure_spec};
use lab::spec::parse;
use machine::target::Registers;
use machine::{Image, Options, Outcome};
use xtask::{firmware, root};

use crate::built::{
    MESSAGES, MESSAGES_FENCED, MESSAGES_MANUAL, MESSAGES_MANUAL_PAGES, MESSAGES_PAGES, MESSAGES_V7,
    MESSAGES_V7_FLOAT, Set,
};

/// PMP and Sv32, both as on `VexRiscv` and as in the manual, and an MPU without and with a floating-point unit.
const SETS: [Set; 6] = [
    MESSAGES,
    MESSAGES_PAGES,
    MESSAGES_MANUAL,
    MESSAGES_MANUAL_PAGES,
    MESSAGES_V7,
    MESSAGES_V7_FLOAT,
];

fn bench_on(set: Set, image: &Arc<Image>) -> Bench {
    let bench = Backend::Model.bench(&set.board(), image, Options::default());
    bench.expect("the board runs it")
}

/// Accesses and jumps to all foreign addresses, an undefined instruction, and a lost stack: each kills its process and no other.
#[test]
fn a_fault_stops_its_process_alone() {
    for set in SETS {
        ends_well(set, "faults");
    }
}

/// The client waiting for its answer gets an error. The two queued ones are served after the restart, with the memory that they lend.
#[test]
fn who_queues_for_a_server_that_dies_is_served_by_the_next() {
    for set in SETS {
        ends_well(set, "queued");
    }
}

fn ends_well(set: Set, program: &str) {
    let image = set.programs().image(program);
    let outcome = bench_on(set, &image).run(10_000_000, &mut events::Silent);
    assert!(
        matches!(outcome, Ok(Outcome::Exit { code: 0 })),
        "{program}: {outcome:?}"
    );
}

/// One thread waits while the other serves and can end the wait; both end together. No thread less urgent than the waiting one runs
/// before the serving one.
#[test]
fn threads_of_a_process_serve_and_end_together() {
    for set in SETS {
        ends_well(set, "team");
    }
}

/// A core that caches the last process's table across a switch: without the fence the program would fault forever.
#[test]
fn messages_go_where_a_write_of_satp_forgets_nothing() {
    ends_well(MESSAGES_FENCED, "precursor");
}

/// Each process fills all registers of the unit and finds its own values whenever it checks, or zeros at its start.
#[test]
fn floating_point_registers_are_a_processs_own() {
    ends_well(MESSAGES_V7_FLOAT, "floats");
}

/// Timeouts by SysTick and by the machine timer: for a busy server, for one that answers too late, and for one that keeps lent memory.
#[test]
fn who_waits_for_so_long_is_told() {
    for set in [MESSAGES_V7, MESSAGES_MANUAL, MESSAGES_MANUAL_PAGES] {
        ends_well(set, "timeouts");
    }
}

/// As on RV32, at every fifth cycle after reset, or at every cycle if `MESSAGES_EVERY_CYCLE` is set.
#[test]
fn no_message_is_lost_behind_an_mpu() {
    let image = MESSAGES_V7.programs().image("sweep");
    crate::nothing_broken(
        "messages",
        sweep_by(&MESSAGES_V7.board(), &image, &[1, 2], stepping(5)),
    );
}

/// Sweeps interrupts whose processes are less and more urgent than those that exchange messages.
fn nothing_comes_between(set: Set, step: usize) {
    nothing_breaks(set, "sweep", &[8, 9], step);
}

/// Sweeps a program with these lines of the board at every `step`-th cycle, or at every cycle if `MESSAGES_EVERY_CYCLE` is set.
fn nothing_breaks(set: Set, program: &str, numbers: &[u32], step: usize) {
    let board = set.board();
    let line = |&number: &u32| Line {
        input: board.exception(&format!("IRQ{number}")).expect("an input"),
        number,
    };
    let lines: Vec<_> = numbers.iter().map(line).collect();
    let image = set.programs().image(program);
    let findings = sweep_lines_from(&board, &image, &lines, "mark_1", stepping(step));
    crate::nothing_broken("messages", findings);
}

fn stepping(step: usize) -> usize {
    if env::var_os("MESSAGES_EVERY_CYCLE").is_some() {
        1
    } else {
        step
    }
}

/// An interrupt cancels one call, a tick times out another, with a two-threaded server in between. Every answer must belong to its
/// question, and memory must be as it was lent.
#[test]
fn what_is_given_up_at_any_time_is_given_up_whole() {
    nothing_breaks(MESSAGES, "sweep-threads", &[8, 9, 10], 97);
    nothing_breaks(MESSAGES_PAGES, "sweep-threads", &[8, 9, 10], 151);
    let image = MESSAGES_V7.programs().image("sweep-threads");
    let findings = sweep_by(&MESSAGES_V7.board(), &image, &[1, 2, 3], stepping(199));
    crate::nothing_broken("messages", findings);
}

#[test]
fn no_message_is_lost_whatever_comes_between() {
    nothing_comes_between(MESSAGES, 1);
}

#[test]
fn no_message_is_lost_behind_pages() {
    nothing_comes_between(MESSAGES_PAGES, 7);
}

/// Tags that must not appear in a register unless the process received them in a message.
const TAGS: [u32; 3] = [0xaaaa, 0xbbbb, 0xcccc];

/// The registers of the message, and those in which an operation keeps its own process's values.
const OWN: [&str; 12] = [
    "a0", "a1", "a2", "a3", "a4", "a5", "ra", "sp", "s0", "s1", "fp", "pc",
];

/// The processes fill registers and memory with their own tags. Whenever one resumes, no register that is not its own may hold a tag. The
/// program itself checks memory by reading all of it.
#[test]
fn nothing_of_a_process_is_seen_by_another() {
    for set in [MESSAGES, MESSAGES_PAGES] {
        let mut ways = BTreeMap::new();
        at_each_return(set, |registers| {
            for name in registers.names() {
                if OWN.contains(&name) || !is_general(name) {
                    continue;
                }
                let value = registers.get(name).expect("it is one of the names");
                assert!(!TAGS.contains(&(value >> 16)), "{name} is {value:#x}");
                *ways.entry(name.to_owned()).or_insert(0_u32) += 1;
            }
        });
        assert_eq!(ways.len(), 21, "{ways:?}");
        assert!(ways.values().all(|&looks| looks > 500), "{ways:?}");
    }
}

/// Here every register but the message's is in the process's own frame, so each tag may appear with one stack only.
#[test]
fn nothing_of_a_process_is_seen_behind_an_mpu() {
    for set in [MESSAGES_V7, MESSAGES_V7_FLOAT] {
        nothing_is_seen(set);
    }
}

fn nothing_is_seen(set: Set) {
    let mut seen = BTreeMap::new();
    let mut looks = 0;
    at_each_return(set, |registers| {
        let stack = registers.get("sp").expect("a stack pointer") & !0x1ff;
        for name in ["r0", "r1", "r2", "r3", "r12", "lr"] {
            let tag = registers.get(name).expect("a register") >> 16;
            if TAGS.contains(&tag) {
                let first = *seen.entry(tag).or_insert(stack);
                assert_eq!(first, stack, "{name} has the tag {tag:x} of another process");
                looks += 1;
            }
        }
    });
    assert_eq!(seen.len(), 3, "{seen:x?}");
    assert!(looks > 500, "{looks}");
}

/// Runs the isolation program to its end and passes the registers to `look` whenever a process resumes.
fn at_each_return(set: Set, mut look: impl FnMut(&dyn Registers)) {
    let image = set.programs().image("leaks");
    let mut bench = bench_on(set, &image);
    loop {
        let outcome = bench.run(100_000_000, &mut Returns).expect("it runs");
        match outcome {
            Outcome::Paused { .. } => {}
            Outcome::Exit { code: 0 } => break,
            other => panic!("{other:?}"),
        }
        look(&*bench.target().registers().expect("it has registers"));
    }
}

fn is_general(name: &str) -> bool {
    let numbered = matches!(name.split_at(1), ("a" | "t" | "s", number) if number.parse::<u8>().is_ok());
    numbered || name == "gp" || name == "tp"
}

/// Pauses whenever a process resumes.
struct Returns;

impl Sink for Returns {
    fn interest(&self) -> Interest {
        Interest {
            control: true,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match event {
            Event::Exit(_) => Flow::Pause,
            _ => Flow::On,
        }
    }
}

/// Random operations with random arguments, and random accesses and jumps. `MESSAGES_CALLS` sets the number of operations.
#[test]
fn no_operation_does_harm_to_others() {
    let calls =
        env::var("MESSAGES_CALLS").map_or(2_000, |calls| calls.parse().expect("a number of operations"));
    let seed = env::var("MESSAGES_SEED").map_or(20_261_122_u32, |seed| seed.parse().expect("a number"));
    for set in SETS {
        let image = with_words(&set.programs().image("fuzz"), &[("CALLS", calls), ("SEED", seed)]);
        let mut bench = bench_on(set, &image);
        let outcome = bench.run(u64::MAX, &mut events::Silent).expect("it runs");
        let (cycles, instructions) = (bench.cycle(), bench.instructions());
        println!("{calls} operations in {cycles} cycles, {instructions} instructions");
        assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
    }
}

/// The program with other values of constants, which are in code because no target stores to them.
fn with_words(image: &Image, words: &[(&str, u32)]) -> Arc<Image> {
    let mut file = std::fs::read(image.file()).expect("the program is a file");
    let half = |file: &[u8], at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
    let word = |file: &[u8], at: usize| half(file, at) | half(file, at + 2) << 16;
    for &(name, value) in words {
        let address = image.symbol(name).expect("the program has it").address as usize;
        let (headers, size, count) = (word(&file, 0x1c), half(&file, 0x2a), half(&file, 0x2c));
        let mut segments = (0..count).map(|number| headers + number * size);
        // Searches the segments by file offset, address and size in the file.
        let place = segments.find_map(|at| {
            let offset = address.checked_sub(word(&file, at + 8))?;
            (offset < word(&file, at + 16)).then(|| word(&file, at + 4) + offset)
        });
        let place = place.expect("it is in a segment");
        file[place..place + 4].copy_from_slice(&value.to_le_bytes());
    }
    Arc::new(Image::parse(image.file(), &file).expect("an ELF file"))
}

/// Checks the round trip against the price list's limits for this group.
#[test]
fn a_round_trip_is_as_short_as_it_was_meant_to_be() {
    let path = root().join("firmware/prices/messages.toml");
    let text = std::fs::read_to_string(&path).expect("the spec of the group");
    let text = text.replace("\"firmware/", &format!("\"{}/firmware/", root().display()));
    let spec = parse("messages.toml", &text).expect("a good spec");
    firmware::build().expect("the programs compile");
    let measured = measure_spec(&spec, &Measuring::built_in(firmware::folder()), || ());
    assert!(measured.messages.is_empty(), "{:#?}", measured.messages);
    assert!(measured.rows.len() >= 6);
}
