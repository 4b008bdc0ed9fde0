//! `cyclescope profile`: sums are exact, and each file is what its format says.

mod kernels;
mod random;
mod switches;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use events::Event;
use lab::asked::Interruption;
use lab::horizon::Horizon;
use lab::profile::{Profiling, profile};
use machine::target::{Drive, Until};
use machine::{Board, Console, Debugger, Exception, Image, Machine, Options, Target};
use proptest::prelude::*;
use report::profile::{Profile, Tally};
use serde_json::Value;

use crate::firmware::{EXIT, FLASH, Firmware, NOP};
use crate::{Desk, golden};

/// Every event of the same run.
fn events(image: &Arc<Image>, board: &Board, raises: &[(u16, u64)], until: u64) -> Vec<Event> {
    let options = Options {
        debugger: Debugger::Attached,
        console: Console::none(),
        ..Options::default()
    };
    let mut machine = Machine::new(board, image, options).unwrap();
    for &(number, cycle) in raises {
        machine
            .drive(Exception::of_number(number), cycle, Drive::Pulse)
            .unwrap();
    }
    let mut events: Vec<Event> = Vec::new();
    Target::run(&mut machine, Until::Cycle(until), &mut events).unwrap();
    events
}

/// A profile that agrees with every event of its run, and whose sums are the run's cycles.
fn checked(elf: &[u8], board: &str, cycles: u64, raises: &[u64]) -> Profile {
    let image = Arc::new(Image::parse("app.elf", elf).unwrap());
    let board = Board::find(board).unwrap();
    let profiling = Profiling {
        horizon: Horizon::Cycles(cycles),
        interrupts: raises
            .iter()
            .map(|&cycle| Interruption {
                name: "IRQ6".to_owned(),
                cycle,
            })
            .collect(),
        ..Profiling::default()
    };
    let taken = profile(&image, &board, &profiling).unwrap();
    assert!(taken.failure.is_none(), "{:?}", taken.failure);
    let profile = taken.profile;
    let raises: Vec<(u16, u64)> = raises.iter().map(|&cycle| (22, cycle)).collect();
    agrees(&profile, &events(&image, &board, &raises, cycles), &board);
    sums_are_exact(&profile);
    profile
}

fn agrees(profile: &Profile, events: &[Event], board: &Board) {
    let book = board.core().rule_book();
    let windows = || events.iter().filter_map(Event::window);
    let (first, last) = (windows().next().unwrap().0, windows().next_back().unwrap().0);
    assert_eq!(profile.cycles, last.to - first.from);
    let mut rules: BTreeMap<&str, u64> = BTreeMap::new();
    for cost in windows().flat_map(|(_, costs)| costs.iter()) {
        *rules.entry(book.get(cost.rule).unwrap().id).or_default() += u64::from(cost.cycles);
    }
    let total = profile.total();
    let told: BTreeMap<&str, u64> = total
        .cycles
        .iter()
        .map(|&(cause, cycles)| (profile.causes[cause].rule.as_str(), cycles))
        .collect();
    assert_eq!(told, rules);
    let mut counts: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for event in events {
        let (pc, at) = match *event {
            Event::Retire(retire) => (retire.pc, retire.at),
            Event::Semihosting { pc, at, .. } => (pc, at),
            _ => continue,
        };
        let (count, cycles) = counts.entry(pc).or_default();
        (*count, *cycles) = (*count + 1, *cycles + at.length());
    }
    let told: BTreeMap<u32, (u64, u64)> = profile
        .by_instruction()
        .into_iter()
        .map(|(pc, tally)| (pc, (tally.count, tally.total())))
        .collect();
    assert_eq!(told, counts);
}

/// Whatever the cycles are divided by, they are all of them.
fn sums_are_exact(profile: &Profile) {
    let all = profile.cycles;
    assert_eq!(profile.by_class(&profile.total()).iter().sum::<u64>(), all);
    assert_eq!(profile.by_context().iter().map(Tally::total).sum::<u64>(), all);
    let functions = profile.by_function();
    assert_eq!(
        functions.iter().map(|sum| sum.exclusive.total()).sum::<u64>(),
        all
    );
    assert!(functions.iter().all(|sum| sum.inclusive >= sum.exclusive.total()));
    for sum in &functions {
        assert_eq!(sum.inclusive_causes.total(), sum.inclusive);
    }
    inclusive_sums_are_exact(profile);
    let of_code: u64 = profile.by_instruction().values().map(Tally::total).sum();
    let of_lines: u64 = profile.by_line().values().map(|line| line.tally.total()).sum();
    assert_eq!(of_code, of_lines);
    let no_code: u64 = profile.nodes.iter().map(|node| node.own.total()).sum();
    assert_eq!(of_code + no_code, all);
    for causes in [false, true] {
        let folded = profile.folded(causes);
        let sum = folded
            .lines()
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap());
        assert_eq!(sum.sum::<u64>(), all);
    }
    let roots = profile
        .nodes
        .iter()
        .zip(profile.inclusive())
        .filter(|(node, _)| node.parent.is_none());
    assert_eq!(roots.map(|(_, cycles)| cycles).sum::<u64>(), all);
    speedscope_adds_up(profile);
    callgrind_adds_up(profile);
}

/// What is called from somewhere is in what that took: looked for in the tree, from each place upwards.
fn inclusive_sums_are_exact(profile: &Profile) {
    let line = |pc: u32| {
        profile.code[&pc]
            .frames
            .first()
            .and_then(|frame| frame.place.clone())
    };
    let (mut by_pc, mut by_line) = (BTreeMap::<u32, u64>::new(), BTreeMap::new());
    for (index, node) in profile.nodes.iter().enumerate() {
        let above = std::iter::successors(Some(index), |&node| profile.nodes[node].parent);
        let sites: Vec<u32> = above.filter_map(|node| profile.nodes[node].call_site).collect();
        let own = node.own.total();
        let places = node.code.iter().map(|(pc, tally)| (Some(*pc), tally.total()));
        for (pc, cycles) in places.chain([(None, own)]) {
            let pcs: BTreeSet<u32> = sites.iter().copied().chain(pc).collect();
            let lines: BTreeSet<_> = pcs.iter().map(|pc| line(*pc)).collect();
            for pc in pcs {
                *by_pc.entry(pc).or_default() += cycles;
            }
            for line in lines {
                *by_line.entry(line).or_default() += cycles;
            }
        }
    }
    let totals = |all: BTreeMap<u32, Tally>| -> BTreeMap<u32, u64> {
        all.iter().map(|(pc, tally)| (*pc, tally.total())).collect()
    };
    assert_eq!(totals(profile.by_instruction_inclusive()), by_pc);
    let lines: BTreeMap<_, u64> = profile
        .by_line()
        .into_iter()
        .map(|(line, sums)| (line, sums.inclusive.total()))
        .collect();
    assert_eq!(lines, by_line);
}

fn speedscope_adds_up(profile: &Profile) {
    let file: Value = serde_json::from_str(&profile.speedscope("test")).unwrap();
    let frames = file["shared"]["frames"].as_array().unwrap().len() as u64;
    let mut sum = 0;
    for profile in file["profiles"].as_array().unwrap() {
        let weights = profile["weights"].as_array().unwrap();
        let samples = profile["samples"].as_array().unwrap();
        assert_eq!(weights.len(), samples.len());
        let of_one: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
        assert_eq!(profile["endValue"], of_one);
        assert!(
            samples
                .iter()
                .flat_map(|stack| stack.as_array().unwrap())
                .all(|frame| frame.as_u64().unwrap() < frames)
        );
        sum += of_one;
    }
    assert_eq!(sum, profile.cycles);
}

/// What stands before a call is what was spent in all; a line behind `calls=` is not a function's own.
fn callgrind_adds_up(profile: &Profile) {
    let file = profile.callgrind("test");
    let events = file
        .lines()
        .find_map(|line| line.strip_prefix("events: "))
        .unwrap()
        .split(' ')
        .count();
    let mut sums = vec![0; events];
    let mut of_call = false;
    for line in file.lines() {
        if line.starts_with("0x") && !std::mem::take(&mut of_call) {
            let figures = line
                .split(' ')
                .skip(2)
                .map(|figure| figure.parse::<u64>().unwrap());
            for (sum, figure) in sums.iter_mut().zip(figures) {
                *sum += figure;
            }
        }
        of_call |= line.starts_with("calls=");
    }
    assert_eq!(sums[0], profile.cycles);
    assert_eq!(sums[1..].iter().sum::<u64>(), profile.cycles);
    let summary = file
        .lines()
        .find_map(|line| line.strip_prefix("summary: "))
        .unwrap();
    let sums: Vec<String> = sums.iter().map(u64::to_string).collect();
    assert_eq!(summary, sums.join(" "));
}

/// Boards of every Cortex-M, with where their programs begin.
const CORTEX_M: [(&str, u32); 9] = [
    ("cortex-m0", 0),
    ("microbit", 0),
    ("cortex-m0plus", 0),
    ("samd20", 0),
    ("stm32f100rb", FLASH),
    ("cortex-m4", 0),
    ("cortex-m4f", 0),
    ("stm32f407-168mhz", FLASH),
    ("nrf52840", 0),
];

/// Boards of every RV32 core, with where their programs begin and what their stack begins with (`lui sp, 0x10008`).
const RV32: [(&str, u32, u32); 13] = [
    ("vexriscv-min", 0, 0x1000_8137),
    ("vexriscv-lite", 0, 0x1000_8137),
    ("vexriscv-standard", 0, 0x1000_8137),
    ("vexriscv-full", 0, 0x1000_8137),
    ("vexriscv-imac", 0, 0x1000_8137),
    ("vexriscv-linux", 0, 0x1000_8137),
    ("vexriscv-secure", 0, 0x1000_8137),
    ("precursor", 0x4000_0000, 0x4000_8137),
    // Ibex starts behind its vectors.
    ("ibex", 0x80, 0x1000_8137),
    ("ibex-wb", 0x80, 0x1000_8137),
    ("virt", 0x8000_0000, 0x8000_8137),
    ("sifive_e", 0x2000_0000, 0x8000_2137),
    ("picorv32", 0, 0x1000_8137),
];

#[test]
fn every_core_is_profiled_in_these_tests() {
    let names = CORTEX_M.iter().map(|(board, _)| board);
    let names = names.chain(RV32.iter().map(|(board, ..)| board));
    let of: Vec<_> = names
        .map(|board| Board::find(board).unwrap().core().name())
        .collect();
    for core in machine::board::Core::all() {
        assert!(of.contains(&core.name()), "{}", core.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn all_sums_are_the_run_s_cycles_on_each_cortex_m(
        program in random::thumb(),
        cycles in 200_u64..6000,
        mut raises in prop::collection::vec(40_u64..3000, 0..6),
    ) {
        raises.sort_unstable();
        for (board, base) in CORTEX_M {
            checked(&program.firmware(base).elf(), board, cycles, &raises);
        }
    }

    #[test]
    fn all_sums_are_the_run_s_cycles_on_each_rv32(program in random::rv32(), cycles in 200_u64..4000) {
        for (board, base, stack) in RV32 {
            checked(&program.clone().at(base).starting_with(stack).elf(), board, cycles, &[]);
        }
    }
}

/// What became of each function: calls, own cycles, and with those that it called.
fn functions(profile: &Profile) -> BTreeMap<String, [u64; 3]> {
    let all = profile.by_function().into_iter();
    let all = all.map(|sum| {
        let name = profile.functions[sum.function].name.clone();
        (name, [sum.calls, sum.exclusive.total(), sum.inclusive])
    });
    all.collect()
}

#[test]
fn calls_of_every_shape_are_followed() {
    for (board, base) in [("samd20", 0), ("stm32f100rb", FLASH)] {
        let profile = checked(&crate::cost::shapes(base).elf(), board, 2000, &[]);
        let all = functions(&profile);
        let calls = ["main", "recurse", "returns", "tail"].map(|name| all[name][0]);
        // `tail` goes on as `returns`, which returns to the caller of `tail`.
        assert_eq!(calls, [1, 3, 3, 1], "{board}");
        assert_eq!(all["main"][2], profile.cycles);
        // A function that calls itself is counted once.
        assert_eq!(all["recurse"][1], all["recurse"][2]);
        assert!(all["tail"][2] > all["tail"][1]);
    }
}

/// `main` enables IRQ6, sleeps, calls `work` and exits; IRQ6 pushes four words.
fn sleepy() -> Firmware {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]; wfi; bl work
    let main: &[u16] = &[
        0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001, 0xbf30, 0xf000, 0xf809,
    ];
    // push {r4, r5, r6, lr}; muls r1, r0; pop {r4, r5, r6, pc}
    Firmware::new(&[main, &[NOP; 3], EXIT])
        .function("work", &[&[0xb570, 0x4341, 0xbd70]])
        .handler(22, "IRQ6", &[&[0xb570, NOP, NOP, 0xbd70]])
}

#[test]
fn interrupts_and_sleep_are_contexts_of_their_own() {
    let profile = checked(&sleepy().elf(), "stm32f100rb", 100_000, &[900, 940]);
    let names: Vec<_> = profile
        .contexts
        .iter()
        .map(|context| (context.name.as_str(), context.runs))
        .collect();
    assert_eq!(names, [("thread 0", 1), ("EXTI0", 2)]);
    let all = functions(&profile);
    assert!(all["[asleep]"][1] > 850, "{all:?}");
    assert_eq!(all["[EXTI0]"][0], 2);
    // 16 bytes of `work`, 32 of the exception's frame and 16 of the handler.
    let [stack] = &profile.stacks[..] else {
        panic!("one stack: {:?}", profile.stacks)
    };
    assert_eq!(stack.top - stack.lowest, 64);
    let path: Vec<_> = stack
        .path
        .iter()
        .map(|&node| profile.functions[profile.nodes[node].function].name.as_str())
        .collect();
    assert_eq!(path, ["[thread 0]", "main", "work", "[EXTI0]", "IRQ6"]);
}

/// The stacks of a profile: whose, how many bytes, and from where.
fn stacks(profile: &Profile) -> Vec<(&str, u32, u32)> {
    let stacks = profile.stacks.iter();
    let stacks = stacks.map(|stack| {
        let name = profile.contexts[stack.context].name.as_str();
        (name, stack.top - stack.lowest, stack.top)
    });
    stacks.collect()
}

/// A stack is another one however near it is, and the first one goes on where it was.
#[test]
fn a_stack_that_is_set_is_another_one() {
    // movw r1, #0x1000; movt r1, #0x2000; mov r4, sp; mov sp, r1; push {r0-r3}; add sp, #16; mov sp, r4; push {r0, r1}; add sp, #8
    let twice: &[u16] = &[
        0xf241, 0x0100, 0xf2c2, 0x0100, 0x466c, 0x468d, 0xb40f, 0xb004, 0x46a5, 0xb403, 0xb002,
    ];
    // mov sp, r1; push {r0, r1, r2}; mov sp, r4
    let again: &[u16] = &[0x468d, 0xb407, 0x46a5];
    let program = Firmware::new(&[twice, again, EXIT]);
    let profile = checked(&program.elf(), "stm32f100rb", 2000, &[]);
    assert_eq!(
        stacks(&profile),
        [("thread 0", 8, 0x2000_2000), ("thread 0", 16, 0x2000_1000)]
    );
}

#[test]
fn each_thread_has_a_stack() {
    let Some(elf) = repository_program("threads-freertos-apart.elf") else {
        return;
    };
    let image = Arc::new(Image::parse("app.elf", &elf).unwrap());
    let profiling = Profiling::default();
    let profile = profile(&image, &Board::find("stm32f100rb").unwrap(), &profiling)
        .unwrap()
        .profile;
    let stacks = stacks(&profile);
    let mut of: Vec<&str> = stacks.iter().map(|stack| stack.0).collect();
    of.dedup();
    // Its threads have 128 words each, and the idle thread too; handlers use the stack of `main`.
    assert_eq!(of.len(), stacks.len(), "{stacks:?}");
    assert_eq!(stacks.len(), 7, "{stacks:?}");
    assert!(
        stacks[1..].iter().all(|stack| (32..=512).contains(&stack.1)),
        "{stacks:?}"
    );
}

#[test]
fn the_table_shows_where_the_cycles_went() {
    let desk = Desk::new().with("app.elf", sleepy().elf());
    let command = "profile app.elf --board stm32f100rb --raise IRQ6@900 --raise IRQ6@940";
    desk.run(command)
        .code(0)
        .stderr_eq("")
        .stdout_eq(golden("profile.out"));
    desk.run(&format!(
        "{command} --annotate work --folded out.folded --lcov out.info --callgrind out.cg"
    ))
    .code(0)
    .stdout_eq(golden("profile-annotated.out"));
    snapbox::assert_data_eq!(desk.read("out.folded"), golden("profile.folded"));
    snapbox::assert_data_eq!(desk.read("out.cg"), golden("profile.callgrind"));
    assert_eq!(desk.read("out.info"), "");
    // The page shows these very files.
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/profile.md");
    let page = std::fs::read_to_string(page).unwrap();
    for name in ["profile.out", "profile-annotated.out", "profile.folded"] {
        let text = golden(name).to_string();
        assert!(page.contains(&text), "{name} is not in docs/profile.md:\n{text}");
    }
    for class in events::Class::ALL {
        let line = format!("| {} | {} |", class.name(), class.meaning());
        assert!(page.contains(&line), "{line}");
    }
}

#[test]
fn files_are_the_same_each_time_and_what_their_formats_say() {
    let desk = Desk::new().with("app.elf", sleepy().elf());
    let command = "profile app.elf --board stm32f100rb --raise IRQ6@900";
    let write = |n: u32| {
        desk.run(&format!(
            "{command} --json {n}.json --flamegraph {n}.svg --causes --speedscope {n}.ss --pprof {n}.pb"
        ))
        .code(0)
        .stderr_eq("");
        ["json", "svg", "ss", "pb"].map(|kind| std::fs::read(desk.path(&format!("{n}.{kind}"))).unwrap())
    };
    let files = write(1);
    assert_eq!(files, write(2));
    let json: Value = serde_json::from_slice(&files[0]).unwrap();
    let cycles = json["cycles"].as_u64().unwrap();
    assert_eq!(json["format"], "cyclescope-profile/1");
    let causes = json["causes"].as_object().unwrap().values();
    assert_eq!(causes.map(|cycles| cycles.as_u64().unwrap()).sum::<u64>(), cycles);
    let svg = String::from_utf8_lossy(&files[1]);
    assert!(
        svg.starts_with("<?xml") && svg.contains("[stacking]") && svg.contains(&format!("{cycles} cycles"))
    );
    desk.run(&format!("{command} --pprof packed.pb.gz")).code(0);
    let packed = std::fs::read(desk.path("packed.pb.gz")).unwrap();
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut unpacked).unwrap();
    assert_eq!(unpacked, files[3]);
}

#[test]
fn two_builds_are_shown_against_each_other() {
    let desk = Desk::new()
        .with("old.elf", crate::firmware::calling().elf())
        .with("new.elf", sleepy().elf());
    desk.run("profile new.elf --board stm32f100rb --raise IRQ6@900 --against old.elf --flamegraph out.svg")
        .code(0)
        .stderr_eq("");
    assert!(desk.read("out.svg").contains("before"));
}

#[test]
fn what_cannot_be_profiled_is_said() {
    let desk = Desk::new().with("app.elf", sleepy().elf());
    desk.run("profile app.elf --board stm32f100rb --annotate wrok")
        .code(2)
        .stdout_eq("")
        .stderr_eq(golden("profile-no-function.txt"));
    let endless = Firmware::new(&[&[NOP, 0xe7fd]]);
    let desk = Desk::new().with("app.elf", endless.elf());
    let run = desk
        .run("profile app.elf --board stm32f100rb --limit 1000")
        .code(3);
    let output = run.get_output();
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("main"),
        "what there is is shown"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("--cycles 2M"));
}

/// So much of the chip's time is no failure, and is what was asked for.
#[test]
fn a_program_that_does_not_end_is_profiled_for_a_time() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[&[NOP, 0xe7fd]]).elf());
    let app = "profile app.elf --board stm32f100rb";
    desk.run(&format!("{app} --for 10us --json out.json"))
        .code(0)
        .stderr_eq("");
    let profile: serde_json::Value = serde_json::from_str(&desk.read("out.json")).unwrap();
    let cycles = profile["cycles"].as_u64().unwrap();
    assert!((80..80 + 128).contains(&cycles), "{cycles} cycles of 8 MHz");
    for other in ["--cycles 5", "--limit 5"] {
        desk.run(&format!("{app} --for 10us {other}")).code(2);
    }
}

/// A program of the repository, if it was built.
fn repository_program(name: &str) -> Option<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/firmware");
    let program = std::fs::read(folder.join(name));
    if program.is_err() {
        skipped::skip(&format!("no {name}"));
    }
    program.ok()
}

#[test]
fn a_latency_is_from_the_edge_to_the_first_instruction_of_the_handler() {
    let elf = sleepy().elf();
    let image = Arc::new(Image::parse("app.elf", &elf).unwrap());
    let board = Board::find("stm32f100rb").unwrap();
    let edges = [900, 940];
    let entered: Vec<u64> = events(&image, &board, &edges.map(|cycle| (22, cycle)), 5000)
        .iter()
        .filter_map(|event| match event {
            Event::Enter(enter) if enter.exception == Exception::External(6) => Some(enter.at.to),
            _ => None,
        })
        .collect();
    let waited: Vec<u64> = entered
        .iter()
        .zip(edges)
        .map(|(entered, edge)| entered - edge)
        .collect();
    let profile = checked(&elf, "stm32f100rb", 5000, &edges);
    let [latency] = &profile.latencies[..] else {
        panic!("{:?}", profile.latencies);
    };
    assert_eq!((latency.interrupt.as_str(), latency.count), ("EXTI0", 2));
    assert_eq!(latency.sum, waited.iter().sum::<u64>());
    let ends = (waited.iter().min().unwrap(), waited.iter().max().unwrap());
    assert_eq!((&latency.min, &latency.max), ends);
}
