//! In no row of the price list is Mainspring worse than a kernel that it is compared with.

use std::fs;

use lab::batch::{Options, measure_spec};
use lab::spec::parse;
use xtask::{firmware, root};

/// Rows that say nothing of a kernel.
const OF_COMPILERS: [&str; 1] = ["thread-metric/basic"];

/// Rows of one peer, with what else of it belongs to them.
const PART_OF_THE_COST: [(&str, &str); 3] = [
    // It has loaded one of the two constants before the point.
    ("tasks/lock-first", "rtic-1-without-isb"),
    ("tasks/lock-two-first", "rtic-1-without-isb"),
    // It reads BASEPRI at the beginning of every run and writes it at the end, and not in the section: see `preempt-exit`.
    ("tasks/lock-above", "rtic-1-without-isb"),
];

#[test]
fn than_any_peer() {
    holds("tasks", 78);
}

#[test]
fn than_a_peer_with_threads() {
    let installed = |compiler| skipped::installed(compiler);
    if !installed("arm-none-eabi-gcc") || !installed("riscv64-unknown-elf-gcc") {
        return;
    }
    holds("threads", 34);
    holds("thread-metric", 28);
}

fn holds(group: &str, least: usize) {
    let path = root().join(format!("firmware/prices/{group}.toml"));
    let text = fs::read_to_string(&path).expect("the spec of the group");
    let spec = parse(&format!("{group}.toml"), &text).expect("a good spec");
    firmware::build().expect("the programs compile");
    // Board files are named from there.
    std::env::set_current_dir(root()).expect("the repository");
    let options = Options::built_in(firmware::folder());
    let measured = measure_spec(&spec, &options, || ());
    assert!(measured.messages.is_empty(), "{:#?}", measured.messages);
    let (ours, peers): (Vec<_>, Vec<_>) = measured.rows.iter().partition(|row| row.kernel == "mainspring");
    let mut compared = 0;
    for our in ours.into_iter().filter(|row| !OF_COMPILERS.contains(&&*row.id)) {
        for peer in peers
            .iter()
            .filter(|peer| peer.id == our.id && peer.board == our.board)
            .filter(|peer| !PART_OF_THE_COST.contains(&(&*peer.id, &*peer.kernel)))
        {
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
