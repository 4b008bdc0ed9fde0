//! In no row of the price list is Mainspring worse than a kernel that it is compared with.

use std::fs;

use lab::batch::{Options, measure_spec};
use lab::spec::parse;
use report::Row;
use xtask::{firmware, root};

/// Rows that say nothing of a kernel.
const OF_COMPILERS: [&str; 1] = ["thread-metric/basic"];

/// Peers that do a part of what a section takes outside of it, where a row does not count it.
const PARTLY: &[&str] = &["rtic-1-without-isb", "rtfm-0.5-without-isb"];

/// Rows that do not say the same of Mainspring and of some peers, and those to be compared instead: Mainspring's, and the peer's.
const OTHERWISE: [(&str, &[&str], &str, &str); 4] = [
    // They have loaded one of the two constants before the point: the whole task.
    (
        "tasks/lock-first",
        PARTLY,
        "tasks/task-that-locks",
        "tasks/task-that-locks",
    ),
    (
        "tasks/lock-two-first",
        PARTLY,
        "tasks/task-that-locks-two",
        "tasks/task-that-locks-two",
    ),
    // They read BASEPRI at the beginning of every run and write it at the end, and not in the section.
    (
        "tasks/lock-above",
        PARTLY,
        "tasks/task-that-locks-above",
        "tasks/task-that-locks-above",
    ),
    // It holds every interrupt back, as `atomic` does.
    (
        "tasks/lock-first",
        &["embassy-without-isb"],
        "tasks/atomic",
        "tasks/lock-first",
    ),
];

/// Rows of a peer that are not of threads: a more urgent task of Embassy's is polled in an interrupt, on the stack that is there. That is
/// a task here, whose rows are in other groups.
const NO_THREADS: [(&str, &str); 1] = [("thread-metric/interrupt-preemption", "embassy")];

/// Parts of rows whose wholes are better: on a Cortex-M0+ a switch to a thread that left by itself lays the frame that the exception then
/// takes, which the peer's never has to: the longest of the three is longer than its.
const PARTS: [(&str, &str); 1] = [("threads/switch-exception", "samd20")];

/// What rows of threads take at the most, warm: what has been reached stays so.
const AT_MOST: [(&str, &str, i64); 8] = [
    ("threads/switch-direct", "stm32f100rb", 30),
    ("threads/switch-direct", "vexriscv-full-clint", 40),
    ("threads/mutex-pair", "stm32f100rb", 14),
    ("threads/semaphore-pair", "stm32f100rb", 14),
    ("threads/message-round-trip", "stm32f100rb", 90),
    ("threads/queue-round-trip", "stm32f100rb", 155),
    ("thread-metric/synchronization", "stm32f100rb", 14),
    ("thread-metric/cooperative", "stm32f100rb", 39),
];

#[test]
fn than_any_peer() {
    holds("tasks", 95);
}

#[test]
fn than_a_peer_with_threads() {
    let installed = |compiler| skipped::installed(compiler);
    if !installed("arm-none-eabi-gcc") || !installed("riscv64-unknown-elf-gcc") {
        return;
    }
    holds("threads", 52);
    holds("thread-metric", 47);
}

/// More pieces of study 001's work in a second.
#[test]
fn than_freertos_in_study_001() {
    if !skipped::installed("arm-none-eabi-gcc") || !skipped::installed("riscv64-unknown-elf-gcc") {
        return;
    }
    let measured = rows_of("yield");
    let pieces = |kernel: &str| -> Vec<(String, i64)> {
        let is_it = |row: &&Row| row.kernel == kernel && row.id == "yield/iterations-threads";
        let rows = measured.iter().filter(is_it);
        rows.map(|row| (row.board.clone(), row.min)).collect()
    };
    let (ours, theirs) = (pieces("mainspring"), pieces("freertos-11.2"));
    assert_eq!(ours.len(), 3, "{ours:?}");
    let by_cmsis = pieces("mainspring-cmsis");
    assert!(
        by_cmsis.len() == 1 && by_cmsis[0].1 > theirs[0].1,
        "{by_cmsis:?} {theirs:?}"
    );
    for ((board, our), (other, their)) in ours.iter().zip(&theirs) {
        assert_eq!(board, other);
        assert!(our > their, "{board}: {our} here, {their} with FreeRTOS");
    }
}

fn holds(group: &str, least: usize) {
    let measured = rows_of(group);
    let (ours, peers): (Vec<_>, Vec<_>) = measured.iter().partition(|row| row.kernel == "mainspring");
    let mut compared = 0;
    for &(id, board, most) in AT_MOST
        .iter()
        .filter(|(id, ..)| id.starts_with(&format!("{group}/")))
    {
        let row = ours.iter().find(|row| row.id == id && row.board == board);
        let took = row.expect("a row").max;
        assert!(took <= most, "{id} on {board}: {took}, {most} before");
    }
    for our in ours.iter().filter(|row| !OF_COMPILERS.contains(&&*row.id)) {
        for peer in peers
            .iter()
            .filter(|peer| peer.id == our.id && peer.board == our.board)
            .filter(|peer| !NO_THREADS.contains(&(&*peer.id, &*peer.kernel)))
            .filter(|peer| !PARTS.contains(&(&*peer.id, &*peer.board)))
        {
            let instead = OTHERWISE
                .iter()
                .find(|(id, kernels, ..)| peer.id == *id && kernels.contains(&&*peer.kernel));
            let (our, peer) = match instead {
                None => (our, peer),
                Some((_, _, ours_is, theirs_is)) => (
                    row(&ours, &our.kernel, ours_is, &our.board),
                    row(&peers, &peer.kernel, theirs_is, &our.board),
                ),
            };
            assert!(
                our.max <= peer.max,
                "{}: {} here, {} with {}",
                our.id,
                our.max,
                peer.max,
                peer.kernel
            );
            compared += 1;
        }
    }
    assert!(
        compared >= least,
        "{compared} comparisons are too few, of {least}"
    );
}

fn row<'r>(rows: &'r [&'r Row], kernel: &str, id: &str, board: &str) -> &'r &'r Row {
    let is_it = |row: &&&Row| row.kernel == kernel && row.id == id && row.board == board;
    rows.iter().find(is_it).expect("a row")
}

/// The rows of a group, measured.
fn rows_of(group: &str) -> Vec<Row> {
    let path = root().join(format!("firmware/prices/{group}.toml"));
    let text = fs::read_to_string(&path).expect("the spec of the group");
    let spec = parse(&format!("{group}.toml"), &text).expect("a good spec");
    firmware::build().expect("the programs compile");
    // Board files are named from there.
    std::env::set_current_dir(root()).expect("the repository");
    let options = Options::built_in(firmware::folder());
    let measured = measure_spec(&spec, &options, || ());
    assert!(measured.messages.is_empty(), "{:#?}", measured.messages);
    measured.rows
}
