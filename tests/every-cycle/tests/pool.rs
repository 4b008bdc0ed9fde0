//! What the price list must show of Mainspring's pool.

use std::fs;

use cyclescope::batch::{Options, measure_spec};
use cyclescope::spec::parse;
use report::Row;
use xtask::{firmware, root};

/// All rows of the group; those of an allocator that was not built are not among them.
fn rows() -> Vec<Row> {
    let path = root().join("firmware/prices/alloc.toml");
    let text = fs::read_to_string(&path).expect("the spec of the group");
    let spec = parse("alloc.toml", &text).expect("a good spec");
    firmware::build().expect("the programs compile");
    let options = Options {
        without_rules: Vec::new(),
        elf: None,
        board: None,
        firmware: firmware::folder(),
        allow: Vec::new(),
    };
    let measured = measure_spec(&spec, &options, || ());
    assert!(measured.messages.is_empty(), "{:#?}", measured.messages);
    measured.rows
}

/// The worst of a row.
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
            }
        }
        for kernel in ["mainspring", "mainspring-ceiling", "mainspring-single"] {
            let (churn, single) = (of(kernel, "churn-worst"), of(kernel, "single-worst"));
            assert_eq!(churn, single, "{kernel} on {board}: not of constant time");
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
