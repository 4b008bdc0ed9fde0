//! Checks the price list's figures for Mainspring's pool.

use std::fs;
use std::sync::Arc;

use every_cycle::sweep;
use lab::batch::{Options, measure_spec};
use lab::spec::parse;
use machine::{Board, Image};
use report::Row;
use xtask::{firmware, root};

/// All rows of the group, without allocators that were not built.
fn rows() -> Vec<Row> {
    let path = root().join("firmware/prices/alloc.toml");
    let text = fs::read_to_string(&path).expect("the spec of the group");
    let mut spec = parse("alloc.toml", &text).expect("a good spec");
    // Skip the other allocators' long mixes, which these tests do not need.
    spec.programs.retain(|program| {
        let name = program.image.name().map_or("", |name| name.value.as_str());
        !name.ends_with("-churn") || name.starts_with("alloc-mainspring")
    });
    firmware::build().expect("the programs compile");
    let options = Options::built_in(firmware::folder());
    let measured = measure_spec(&spec, &options, || ());
    assert!(measured.messages.is_empty(), "{:#?}", measured.messages);
    measured.rows
}

/// The maximum of a row.
fn worst(rows: &[Row], board: &str, kernel: &str, name: &str) -> i64 {
    let is_it = |row: &&Row| row.board == board && row.kernel == kernel && row.name() == name;
    let row = rows.iter().find(is_it);
    row.unwrap_or_else(|| panic!("no row {name} of {kernel} on {board}"))
        .max
}

#[test]
fn is_as_short_as_it_was_meant_to_be() {
    let rows = rows();
    let mut boards: Vec<&str> = rows.iter().map(|row| row.board.as_str()).collect();
    boards.sort_unstable();
    boards.dedup();
    assert!(boards.len() >= 2, "{boards:?}");
    for board in boards {
        let of = |kernel: &str, name: &str| worst(&rows, board, kernel, name);
        let core = &rows.iter().find(|row| row.board == board).expect("a row").core;
        if core.starts_with("cortex-m3") || core.starts_with("cortex-m4") {
            for name in ["u8", "u32", "u64"] {
                assert!(
                    of("mainspring", &format!("again-{name}")) <= 12,
                    "again-{name} on {board}"
                );
                assert!(
                    of("mainspring", &format!("free-{name}")) <= 9,
                    "free-{name} on {board}"
                );
                let with_key = of("mainspring-single", &format!("again-{name}"));
                assert!(with_key <= 10, "again-{name} with the key on {board}");
            }
            assert!(
                of("mainspring-prepared", "single-worst") <= 13,
                "prepared on {board}"
            );
        }
        for kernel in [
            "mainspring",
            "mainspring-prepared",
            "mainspring-ceiling",
            "mainspring-single",
        ] {
            let (churn, single) = (of(kernel, "churn-worst"), of(kernel, "single-worst"));
            assert_eq!(churn, single, "{kernel} on {board}: not of constant time");
        }
        for kernel in ["mainspring", "mainspring-ceiling", "mainspring-single"] {
            assert!(of(kernel, "bytes-overhead") <= 4, "{kernel} on {board}");
        }
        let ours = of("mainspring", "pair");
        let peers = rows.iter().filter(|row| {
            row.board == board && row.name() == "pair" && !row.kernel.starts_with("mainspring")
        });
        let mut compared = 0;
        for peer in peers {
            assert!(
                ours <= peer.max,
                "{ours} on {board}, {} with {}",
                peer.max,
                peer.kernel
            );
            compared += 1;
        }
        assert!(compared >= 5, "only {compared} allocators on {board}");
    }
}

/// Both implementations of the pool, LDREX/STREX and PRIMASK, with an interrupt in every cycle.
#[test]
fn no_block_is_lost_on_any_core() {
    firmware::build().expect("the programs compile");
    for (board, target) in [
        ("cortex-m0plus", "thumbv6m-none-eabi"),
        ("stm32f411", "thumbv7em-none-eabihf"),
    ] {
        let program = firmware::folder().join(target).join("alloc-mainspring-sweep.elf");
        let image = Arc::new(Image::load(&program).expect("an ELF file"));
        let board = Board::find(board).expect("a board of the repository");
        let findings = sweep(&board, &image, &[1, 2]).expect("ends well by itself");
        assert!(
            findings.runs > 500,
            "too few cycles to mean anything: {}",
            findings.runs
        );
        assert!(findings.broken.is_empty(), "{:#?}", findings.broken);
    }
}
