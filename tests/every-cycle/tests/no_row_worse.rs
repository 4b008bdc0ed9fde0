//! Checks that no price list row of Mainspring is worse than a compared kernel's, except those listed with a reason.

use std::fs;

use lab::batch::{Options, measure_spec};
use lab::spec::parse;
use report::{Results, Row, Unit};
use xtask::{firmware, root};

/// Rows in which Mainspring is worse than a peer, with the reason. A trailing `*` in `rows` is a wildcard, and an empty list means all. A
/// test fails if an entry is not needed.
struct Behind {
    rows: &'static str,
    boards: &'static [&'static str],
    peers: &'static [&'static str],
    why: &'static str,
}

const fn behind(
    rows: &'static str,
    boards: &'static [&'static str],
    peers: &'static [&'static str],
    why: &'static str,
) -> Behind {
    Behind {
        rows,
        boards,
        peers,
        why,
    }
}

#[rustfmt::skip] // a table
const BEHIND: &[Behind] = &[
    // ---- The row does not measure a kernel.
    behind("yield/part-work", &[], &["freertos-11.2", "freertos-11.2-O0"],
        "a piece of work is the same machine code; the longest one has the ticks in it that interrupted it"),
    behind("yield/iterations-functions", &[], &["freertos-11.2", "freertos-11.2-O0"],
        "no kernel is called: the ticks alone are its, 2 of 7,296 pieces of work"),
    // ---- The peer does something else.
    behind("thread-metric/interrupt-preemption", &[], &["embassy"],
        "a more urgent task of Embassy's is polled in an interrupt, on the stack that is there: no thread, but a task, whose rows are in other groups"),
    behind("threads/switch-exception", &["samd20"], &["freertos-11.2"],
        "a part, whose whole is better: a Cortex-M0+'s switch to a thread that left by itself lays the frame that the exception takes"),
    behind("tasks-rv32/lock*", &[], &["embassy"],
        "a critical section, which masks every interrupt, beside a resource that lets more urgent tasks in"),
    behind("tasks-rv32/atomic", &[], &["embassy", "rtic-2"],
        "it takes longer"),
    behind("async/ram", &[], &["rtic-2", "embassy", "lilos"],
        "the pool from which the future's box comes counts, with the memory that it has left"),
    // ---- Mainspring costs more.
    behind("alloc/first*", &[], &["heapless"],
        "a block is cut off when it is first asked for; heapless cuts its off in advance, as `mainspring-prepared` does"),
    behind("alloc/*-worst", &[], &["heapless"], "the first allocation of a size, as above, is the longest"),
    behind("alloc/churn-mean", &[], &["heapless"], "its longest sample is the first allocation of a size"),
    behind("alloc/bytes-bookkeeping", &[], &["heapless", "embedded-alloc-llff", "talc", "freertos"],
        "a list for each size"),
    behind("queue/object-request", &[], &["heapless"], "it takes longer"),
    behind("tasks-rv32/flash-of-one", &[], &["embassy"], "it is more code"),
    behind("threads/switch-by-interrupt", &["vexriscv-full-clint"], &["freertos-11.2"],
        "FreeRTOS switches in the interrupt's own trap, Mainspring in another one"),
    behind("threads/switch-to-preempted", &["stm32f100rb", "stm32f411", "samd20"], &["freertos-11.2"],
        "one kind of switch goes over into the other: the thread that yields leaves by a call, the other one comes back by an exception"),
    behind("threads/turn-ended*", &[], &["freertos-11.2"],
        "the turn of a thread that is only pre-empted is kept: the switch looks at both threads, FreeRTOS' takes the next of a list"),
];

/// Specs whose rows depend on the compiler rather than on a kernel.
const OF_COMPILERS: [&str; 1] = ["thread-metric/basic"];

/// Peers that do a part of a section's work outside of it, which some rows do not count.
const PARTLY: &[&str] = &["rtic-1-without-isb", "rtfm-0.5-without-isb"];

/// Rows that do not compare like with like for some peers, and the rows to compare instead: Mainspring's, and the peer's.
const OTHERWISE: [(&str, &[&str], &str, &str); 4] = [
    // These peers load one of the two constants before the measured point, so compare the whole task.
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
    // These peers read BASEPRI at the start of every task and write it at the end, outside the section.
    (
        "tasks/lock-above",
        PARTLY,
        "tasks/task-that-locks-above",
        "tasks/task-that-locks-above",
    ),
    // Embassy masks every interrupt, as `atomic` does.
    (
        "tasks/lock-first",
        &["embassy-without-isb"],
        "tasks/atomic",
        "tasks/lock-first",
    ),
];

/// Upper limits of thread rows, warm, so that achieved figures do not regress.
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

/// Covers every group that has another kernel.
#[test]
fn than_any_peer_but_where_it_is_said() {
    let compilers = ["arm-none-eabi-gcc", "riscv64-unknown-elf-gcc"];
    if !compilers.iter().all(|compiler| skipped::installed(compiler)) {
        return;
    }
    let (mut compared, mut groups, mut worse) = (0, Vec::new(), Vec::new());
    let mut needed = vec![false; BEHIND.len()];
    for group in groups_with_peers() {
        let measured = rows_of(&group);
        at_most(&group, &measured);
        let pairs = pairs(&measured);
        compared += pairs.len();
        for (our, peer) in pairs.iter().filter(|(our, peer)| is_worse(our, peer)) {
            match BEHIND.iter().position(|behind| behind.says(peer)) {
                Some(index) => needed[index] = true,
                None => worse.push(format!(
                    "{} on {}: {} here, {} with {}",
                    our.id, our.board, our.max, peer.max, peer.kernel
                )),
            }
        }
        groups.push(group);
    }
    assert!(worse.is_empty(), "{worse:#?}");
    assert!(
        groups.len() >= 8 && compared >= 600,
        "{compared} comparisons are too few, in {groups:?}"
    );
    let of_no_use = BEHIND.iter().zip(needed).filter(|(_, needed)| !needed);
    let of_no_use: Vec<_> = of_no_use.map(|(behind, _)| (behind.rows, behind.why)).collect();
    assert!(
        of_no_use.is_empty(),
        "they are not behind any more: {of_no_use:#?}"
    );
}

impl Behind {
    /// Whether the entry covers this row of a peer.
    fn says(&self, peer: &Row) -> bool {
        let is_row = match self.rows.split_once('*') {
            Some((first, last)) => peer.id.starts_with(first) && peer.id.ends_with(last),
            None => peer.id == self.rows,
        };
        let is_board = self.boards.is_empty() || self.boards.contains(&&*peer.board);
        is_row && is_board && self.peers.contains(&&*peer.kernel)
    }
}

/// Whether our worst sample is worse: the greatest, or the least for counts per time.
fn is_worse(our: &Row, peer: &Row) -> bool {
    match our.unit {
        Unit::Cycles | Unit::Bytes => our.max > peer.max,
        Unit::Percent | Unit::Count => our.min < peer.min,
    }
}

#[test]
fn the_worst_sample_decides() {
    let row = |unit: &str, min: i64, max: i64| -> Row {
        let text = format!(
            r#"{{"format":"cyclescope-results/1","tool":"t","results":[{{"id":"a/b","board":"b","core":"m","kernel":"none",
            "unit":"{unit}","count":2,"min":{min},"mean":1.0,"max":{max},"own":1,"preempted":0,"blocked":0,"evidence":"A"}}]}}"#
        );
        Results::from_json(&text).expect("results").results.remove(0)
    };
    for unit in ["cycles", "bytes"] {
        assert!(
            is_worse(&row(unit, 1, 9), &row(unit, 5, 8)) && !is_worse(&row(unit, 6, 8), &row(unit, 5, 8))
        );
    }
    for unit in ["count", "percent"] {
        assert!(
            is_worse(&row(unit, 4, 9), &row(unit, 5, 8)) && !is_worse(&row(unit, 5, 7), &row(unit, 5, 8))
        );
    }
}

/// Pairs each Mainspring row with the same row of each peer.
fn pairs(measured: &[Row]) -> Vec<(&Row, &Row)> {
    let ours = || measured.iter().filter(|row| row.kernel == "mainspring");
    let peers = measured
        .iter()
        .filter(|row| is_peer(&row.kernel) && !OF_COMPILERS.contains(&&*row.id));
    let pair = |peer: &Row| -> Option<(&Row, &Row)> {
        let instead = OTHERWISE
            .iter()
            .find(|(id, kernels, ..)| peer.id == *id && kernels.contains(&&*peer.kernel));
        let (our_id, peer_id) = instead.map_or((&*peer.id, &*peer.id), |(_, _, our, peer)| (our, peer));
        let our = ours().find(|row| row.id == our_id && row.board == peer.board)?;
        let is_it = |row: &&Row| row.id == peer_id && row.board == peer.board && row.kernel == peer.kernel;
        Some((our, measured.iter().find(is_it)?))
    };
    peers.filter_map(pair).collect()
}

/// Whether it is another kernel; Mainspring's other builds and interfaces are not.
fn is_peer(kernel: &str) -> bool {
    kernel != "none" && !kernel.starts_with("mainspring")
}

/// The spec groups that compare Mainspring with another kernel.
fn groups_with_peers() -> Vec<String> {
    let specs = fs::read_dir(root().join("firmware/prices"))
        .expect("the specs")
        .flatten();
    let mut groups = Vec::new();
    for path in specs
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
    {
        let text = fs::read_to_string(&path).expect("a spec");
        let spec = parse(&path.display().to_string(), &text).expect("a good spec");
        let spans = || spec.programs.iter().flat_map(|program| &program.spans);
        if spans().any(|span| span.kernel == "mainspring") && spans().any(|span| is_peer(&span.kernel)) {
            groups.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
        }
    }
    groups.sort();
    groups
}

/// Checks the limits of [`AT_MOST`].
fn at_most(group: &str, measured: &[Row]) {
    let begins = format!("{group}/");
    for &(id, board, most) in AT_MOST.iter().filter(|(id, ..)| id.starts_with(&begins)) {
        let is_it = |row: &&Row| row.kernel == "mainspring" && row.id == id && row.board == board;
        let took = measured.iter().find(is_it).expect("a row").max;
        assert!(took <= most, "{id} on {board}: {took}, {most} before");
    }
}

/// Mainspring completes more of study 001's work per second than `FreeRTOS`.
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
    // Both run unoptimised C threads.
    let (by_cmsis, unoptimised) = (pieces("mainspring-cmsis"), pieces("freertos-11.2-O0"));
    assert!(
        by_cmsis.len() == 1 && by_cmsis[0].1 > unoptimised[0].1,
        "{by_cmsis:?} {unoptimised:?}"
    );
    for ((board, our), (other, their)) in ours.iter().zip(&theirs) {
        assert_eq!(board, other);
        assert!(our > their, "{board}: {our} here, {their} with FreeRTOS");
    }
}

/// Measures the rows of a group.
fn rows_of(group: &str) -> Vec<Row> {
    let path = root().join(format!("firmware/prices/{group}.toml"));
    let text = fs::read_to_string(&path).expect("the spec of the group");
    let spec = parse(&format!("{group}.toml"), &text).expect("a good spec");
    firmware::build().expect("the programs compile");
    // Specs name board files relative to the repository.
    std::env::set_current_dir(root()).expect("the repository");
    let options = Options::built_in(firmware::folder());
    let measured = measure_spec(&spec, &options, || ());
    assert!(measured.messages.is_empty(), "{:#?}", measured.messages);
    measured.rows
}
