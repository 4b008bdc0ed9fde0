//! Caches that the ports of a core share, as board files describe them.

use bus::{Access, Transfer};
use machine::Board;

const SOUND: &str = r#"
name = "mine"
description = "mine"
core = "vexriscv-full"
clock_hz = 1

[[memory]]
name = "RAM"
base = 0
size = "1K"
kind = "ram"
wait = { fetch = 4, read = 4, write = 4 }

[[memory]]
name = "main RAM"
base = 0x4000_0000
size = "64K"
kind = "ram"
wait = { fetch = 9, read = 8, write = 7, beat = 1, write_beat = 3 }

[[cache]]
name = "L2"
memories = ["main RAM"]
size = "4K"
ways = 2
line = 32
replacement = "lru"
write = "back"
allocate = "read-write"
wait = { hit = 1, beat = 1, miss = 1 }
"#;

/// The message about a board file with this replacement.
fn mistake(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from), "{from}");
    let error = Board::parse("mine.toml", &SOUND.replacen(from, to, 1)).unwrap_err();
    let hint = error.hint().map_or(String::new(), |hint| format!(" ({hint})"));
    format!("{error}{hint}")
}

/// Cycles of the first read, and of the next one, of a word.
fn twice(board: &Board, address: u32) -> [u32; 2] {
    let mut bus = board.bus(&[]);
    [1000, 2000].map(|start| {
        let transfer = Transfer {
            port: 1,
            access: Access::Read,
            address,
            words: 1,
            start,
        };
        bus.transfer(transfer).word(0)
    })
}

#[test]
fn a_memory_is_behind_the_cache_that_names_it() {
    let board = Board::parse("mine.toml", SOUND).unwrap();
    assert_eq!(twice(&board, 0), [4, 4]);
    assert_eq!(twice(&board, 0x4000_0100), [1 + 1 + 9 + 7 * 2, 1]);
}

#[test]
fn mistakes_of_a_cache_have_their_line() {
    let entry = "wait = { hit = 1, beat = 1, miss = 1 }\n";
    let mistakes = [
        mistake("[\"main RAM\"]", "[\"main\"]"),
        mistake("[\"main RAM\"]", "[]"),
        mistake("size = \"4K\"", "size = 5000"),
        mistake("size = \"4K\"", "size = \"6K\""),
        mistake("size = \"4K\"", "size = 32"),
        mistake("size = \"4K\"", "size = \"1024M\""),
        mistake("line = 32", "line = 48"),
        mistake("line = 32", "line = 256"),
        mistake("line = 32", "line = 32\nwidth = 64"),
        mistake("ways = 2", "ways = 0"),
        mistake("ways = 2", "ways = 3"),
        mistake("replacement = \"lru\"\n", ""),
        mistake("\"read-write\"", "\"write\""),
        mistake("\"back\"", "\"bak\""),
        mistake("size = \"64K\"", "size = 65552"),
        mistake("hit = 1, ", ""),
        mistake(entry, &format!("{entry}{}", cache("L3"))),
        mistake("\"vexriscv-full\"", "\"cortex-m3\""),
    ];
    insta::assert_snapshot!(mistakes.join("\n"));
}

/// A second cache in front of the same memory.
fn cache(name: &str) -> String {
    let sound = &SOUND[SOUND.find("[[cache]]").unwrap()..];
    sound.replace("\"L2\"", &format!("\"{name}\""))
}

/// A board like the built-in one with L2, and more.
fn like(more: &str) -> Result<Board, machine::BoardError> {
    let head = "like = \"litex-sram\"\nname = \"mine\"\ndescription = \"mine\"\n";
    Board::parse("mine.toml", &format!("{head}{more}"))
}

#[test]
fn a_board_like_another_has_its_cache_another_or_none() {
    const WORD: u32 = 0x4000_0000;
    assert_eq!(
        twice(&like("").unwrap(), WORD),
        [1 + 1 + 1 + 32, 1],
        "one changes ports"
    );
    assert_eq!(twice(&like("cache = []\n").unwrap(), WORD), [10, 10]);
    let slow = "[[memory]]\nname = \"main RAM\"\nwait = { fetch = 8, read = 8, write = 7, beat = 8 }\n";
    assert_eq!(
        twice(&like(&format!("cache = []\n{slow}")).unwrap(), WORD),
        [8, 8]
    );
    let other = cache("small").replace("hit = 1", "hit = 3");
    assert_eq!(twice(&like(&other).unwrap(), WORD), [3 + 1 + 32, 3]);
    let core = like("core = \"vexriscv-full\"\n").unwrap();
    assert_eq!(core.core().name(), "vexriscv-full");
}

#[test]
fn a_board_like_another_has_memories_of_other_sizes() {
    let changed = |name: &str, size: &str| {
        let entry = format!("[[memory]]\nname = \"{name}\"\nsize = \"{size}\"\n");
        like(&entry).map(|board| board.memories().iter().map(|memory| memory.size).max())
    };
    assert_eq!(changed("main RAM", "32M").unwrap(), Some(32 << 20));
    let refused = |name, size| {
        let error = changed(name, size).unwrap_err();
        let hint = error.hint().map_or(String::new(), |hint| format!(" ({hint})"));
        format!("{error}{hint}")
    };
    assert_eq!(
        refused("RAM", "512M"),
        "mine.toml:4: memory `RAM` overlaps memory `SRAM`"
    );
    assert_eq!(
        refused("main RAM", "4000M"),
        "mine.toml:4: this range goes beyond the address space"
    );
    assert_eq!(
        refused("main", "1M"),
        "mine.toml:4: there is no memory `main` (did you mean `main RAM`?)"
    );
}

#[test]
fn a_board_like_a_cortex_m_has_no_such_cache() {
    let head = "like = \"mps2-an385\"\nname = \"mine\"\ndescription = \"mine\"\n";
    let error = Board::parse("mine.toml", &format!("{head}{}", cache("L2"))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "mine.toml:4: `cache` is an option of RV32 cores only"
    );
    assert!(error.hint().unwrap().contains("keys of `[flash]`"));
}
