//! Sweeps Mainspring's tasks, locks, messages, start, pool and threads with every competing interrupt at every cycle.

mod built;
mod messages;

use std::env;
use std::sync::Arc;

use every_cycle::{
    Chance, Findings, soak, soak_lines, sweep, sweep_by, sweep_exceptions, sweep_lines, sweep_lines_by,
};

use machine::{Board, Image};
use xtask::firmware;

/// Interrupts of GPIOB, GPIOC and GPIOD, which the programs' competing tasks use.
const COMPETING: [u16; 3] = [1, 2, 3];

fn holds(program: &str, interrupts: &[u16]) {
    holds_on(built::V7, program, interrupts);
}

fn holds_on(set: built::Set, program: &str, interrupts: &[u16]) {
    let image = set.programs().image(program);
    nothing_broken(program, sweep(&set.board(), &image, interrupts));
}

fn holds_on_lines(set: built::Set, program: &str) {
    let image = set.programs().image(program);
    nothing_broken(program, sweep_lines(&set.board(), &image, &set.lines()));
}

fn nothing_broken(program: &str, findings: anyhow::Result<Findings>) {
    let findings = findings.expect("ends well by itself");
    println!("{program}: {} runs", findings.runs);
    assert!(
        findings.runs > 500,
        "too few cycles to mean anything: {}",
        findings.runs
    );
    assert!(
        findings.broken.is_empty(),
        "{} of {} runs: {:#?}",
        findings.broken.len(),
        findings.runs,
        findings.broken
    );
}

#[test]
fn a_lock_loses_no_update() {
    holds("lock", &COMPETING);
}

#[test]
fn nested_locks_lose_no_update() {
    holds("nested", &COMPETING);
}

#[test]
fn two_resources_in_one_lock_lose_no_update() {
    holds("two", &COMPETING);
}

#[test]
fn a_task_of_systick_may_share() {
    holds("systick", &COMPETING);
}

#[test]
fn every_message_arrives_once_and_in_order() {
    holds("spawn", &[2]);
}

#[test]
fn no_task_runs_before_its_state_is_there() {
    holds("setup", &[0, 1, 2]);
}

#[test]
fn no_block_is_lost_or_has_two_owners() {
    holds("pool", &COMPETING);
}

/// Even at low optimisation levels, a block is taken and returned in one piece of assembly.
#[test]
fn nor_in_a_debug_build() {
    // At level 0, new blocks are too.
    for (level, step) in [("1", 5), ("0", 53)] {
        let image = built::V7.at_level(level, "pool");
        nothing_broken("pool", sweep_by(&built::board(), &image, &COMPETING, step));
    }
}

#[test]
fn nor_where_allocations_fail() {
    holds("pool-dry", &COMPETING);
}

#[test]
fn nor_where_boxes_are_dropped_beside_the_key() {
    holds("pool-key", &COMPETING);
}

#[test]
fn threads_lose_nothing_that_tasks_give() {
    holds("threads", &[1, 2]);
}

#[test]
fn a_mutex_has_one_owner_whoever_waits_for_it() {
    holds("mutex", &[1, 2]);
}

#[test]
fn messages_and_questions_arrive_once_and_in_order() {
    holds("queue", &[1, 2]);
}

/// A wake-up inside a section takes effect when the section ends.
#[test]
fn no_other_thread_runs_in_a_critical_section() {
    holds("held", &[1, 2]);
}

/// On ARMv6-M, sections clear enable bits, and a pool masks interrupts.
#[test]
fn nothing_breaks_on_armv6m() {
    for program in ["lock", "nested", "two", "pool", "systick"] {
        holds_on(built::V6, program, &COMPETING);
    }
    holds_on(built::V6, "spawn", &[2]);
    holds_on(built::V6, "setup", &[0, 1, 2]);
}

/// On RV32, levels are bits of a mask register, and tasks are called.
#[test]
fn nothing_breaks_on_rv32() {
    for program in ["sections", "messages"] {
        holds_on_lines(built::VEXRISCV, program);
    }
    for program in ["sections", "pool"] {
        holds_on_lines(built::IBEX, program);
    }
}

/// Behind a PLIC the mask is a word of memory, and later interrupts are recorded. Sweeps some cycles; QEMU runs the same programs to
/// success.
#[test]
fn nothing_breaks_behind_a_plic() {
    hold_behind_a_plic("tasks", 23, 31);
}

/// Behind a PLIC the thread switch is a bit of the mask word.
#[test]
fn threads_behind_a_plic_lose_nothing() {
    hold_behind_a_plic("threads", 43, 53);
}

/// Sweeps the example on both boards, each with its own step in cycles.
fn hold_behind_a_plic(example: &str, on_virt: usize, on_fe310: usize) {
    for (package, name, sources, step) in [
        ("virt", "virt", ["PLIC:1", "PLIC:2", "UART"], on_virt),
        ("fe310", "sifive_e", ["PLIC:48", "PLIC:49", "UART0"], on_fe310),
    ] {
        let built = firmware::build_package(package, "riscv32imac-unknown-none-elf").expect("compiles");
        let program = built
            .iter()
            .find(|path| path.ends_with(format!("{package}-{example}.elf")));
        let image = Image::load(program.expect("one of the package")).expect("an ELF file");
        let board = Board::find(name).expect("a board of the repository");
        let sources = sources.map(|source| board.input(source).expect("a source of the board"));
        nothing_broken(name, sweep_exceptions(&board, &Arc::new(image), &sources, step));
    }
}

/// The programs with threads; the last one keeps time with a timer, without ticks.
const WITH_THREADS: [&str; 5] = ["threads", "mutex", "queue", "held", TICKLESS];
const TICKLESS: &str = "tickless";

/// Sweeps a further core at some of the cycles; [`soaks`] takes all of them.
fn threads_hold_on(set: built::Set, step: usize) {
    hold_on(set, step, &WITH_THREADS[..4]);
}

fn hold_on(set: built::Set, step: usize, names: &[&str]) {
    let (programs, board) = (set.programs(), set.board());
    for program in names {
        let image = programs.image(program);
        let findings = if set.has_lines() {
            sweep_lines_by(&board, &image, &set.lines(), step)
        } else {
            sweep_by(&board, &image, &[1, 2], step)
        };
        nothing_broken(program, findings);
    }
}

/// On ARMv6-M the kernel's section in a thread is PRIMASK.
#[test]
fn threads_on_armv6m_lose_nothing() {
    threads_hold_on(built::V6, 23);
}

/// On an M4F the switch checks whether a thread has used the floating-point unit.
#[test]
fn threads_on_an_m4f_lose_nothing() {
    threads_hold_on(built::V7_FLOAT, 13);
}

/// On RV32 the switch is a bit among those of the tasks.
#[test]
fn threads_on_rv32_lose_nothing() {
    threads_hold_on(built::VEXRISCV, 29);
    threads_hold_on(built::IBEX, 29);
}

/// Waits end on time without ticks.
#[test]
fn waits_end_in_time_without_ticks() {
    hold_on(built::V7, 37, &[TICKLESS]);
    hold_on(built::V6, 61, &[TICKLESS]);
    hold_on(built::V7_FLOAT, 67, &[TICKLESS]);
    hold_on(built::VEXRISCV_CLINT, 37, &[TICKLESS]);
    hold_on(built::IBEX_CLINT, 37, &[TICKLESS]);
}

/// CMSIS-RTOS2 functions in threads, with interrupts that call them.
#[test]
fn cmsis_rtos2_loses_nothing() {
    if skipped::installed("arm-none-eabi-gcc") {
        hold_on(built::CMSIS, 211, &["sweep"]);
        hold_on(built::CMSIS_V6, 353, &["sweep"]);
    }
}

/// `./x campaign soak`: every cycle of the sweeps above, and random interrupts for the given number of cycles on each core.
#[test]
#[ignore = "a campaign: ./x campaign soak"]
fn soaks() {
    let cycles = env::var("SOAK_CYCLES").map_or(1_000_000, |text| text.parse().expect("a number"));
    let sets = [
        ("stm32f100rb", built::V7),
        ("samd20", built::V6),
        ("stm32f411", built::V7_FLOAT),
        ("vexriscv-full", built::VEXRISCV),
        ("ibex", built::IBEX),
    ];
    for (name, set) in sets {
        let mut chance = Chance::new(cycles);
        let (mut runs, mut done) = (0, 0);
        for program in WITH_THREADS {
            // Uses another board if the board's core has no timer.
            let (set, board, programs) = match (program, name) {
                (TICKLESS, "vexriscv-full") => built::VEXRISCV_CLINT.whole(),
                (TICKLESS, "ibex") => built::IBEX_CLINT.whole(),
                _ => set.whole(),
            };
            let image = programs.image(program);
            let findings = if set.has_lines() {
                soak_lines(
                    &board,
                    &image,
                    &set.lines(),
                    &mut chance,
                    cycles / WITH_THREADS.len() as u64,
                )
            } else {
                soak(
                    &board,
                    &image,
                    &[1, 2, 3],
                    &mut chance,
                    cycles / WITH_THREADS.len() as u64,
                )
            };
            let findings = findings.expect("ends well by itself");
            assert!(
                findings.broken.is_empty(),
                "{name}, {program}: {:#?}",
                findings.broken
            );
            runs += findings.runs;
            done += findings.cycles;
        }
        println!("soak: {name}: {runs} runs, {done} cycles, nothing broken");
    }
    if env::var_os("SOAK_SWEEPS").is_some() {
        for (_, set) in sets {
            threads_hold_on(set, 1);
        }
        for set in [
            built::V7,
            built::V6,
            built::V7_FLOAT,
            built::VEXRISCV_CLINT,
            built::IBEX_CLINT,
        ] {
            hold_on(set, 1, &[TICKLESS]);
        }
    }
}
