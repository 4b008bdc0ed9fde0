//! Boards that are like another.

use machine::Board;

#[test]
fn a_board_like_another_can_have_another_core_and_slower_memory() {
    let file = "like = \"vexriscv-min\"\nname = \"mine\"\ndescription = \"mine\"\ncore = \"vexriscv-lite\"\n\
                [[memory]]\nname = \"main RAM\"\nwait = { fetch = 9, read = 8, write = 7, beat = 2 }\n";
    let board = Board::parse("mine.toml", file).unwrap();
    assert_eq!(board.core().name(), "vexriscv-lite");
    assert_eq!(board.clock_hz(), 100_000_000, "as on the other");
    let bus = board.bus(&[]);
    let wait = |address| bus.profile(bus.profile_at(address).unwrap()).wait;
    let slow = wait(0x4000_0000);
    assert_eq!((slow.fetch, slow.read, slow.write, slow.beat), (9, 8, 7, 2));
    assert_eq!(wait(0x1000_0000).read, 0);
}

#[test]
fn a_board_like_another_can_have_more_memory() {
    let file = |name: &str, base: &str, more: &str| {
        let head = "like = \"mps2-an385\"\nname = \"mine\"\ndescription = \"mine\"\n";
        let wait = "wait = { fetch = 0, read = 2, write = 0 }";
        Board::parse(
            "mine.toml",
            &format!("{head}[[memory]]\nname = \"{name}\"\nbase = {base}\n{wait}\n{more}"),
        )
    };
    let board = file("more", "0x2040_0000", "kind = \"ram\"\nsize = \"4M\"\n").unwrap();
    let bus = board.bus(&[]);
    assert_eq!(bus.profile(bus.profile_at(0x207f_fffc).unwrap()).wait.read, 2);
    let whole = "kind = \"ram\"\nsize = \"4M\"\n";
    let errors = [
        file("more", "0x2040_0000", ""),
        file("more", "0x203f_fffc", whole),
        file("more", "0x1fc0_0004", whole),
        file("PSRAM", "0x2040_0000", whole),
        file("more", "0xffd0_0000", whole),
    ];
    let errors = errors.map(|error| error.unwrap_err().to_string());
    assert_eq!(
        errors,
        [
            "mine.toml:4: memory `more` needs `kind`, `size` and `wait`, or `alias_of` alone",
            "mine.toml:4: memory `more` overlaps memory `ZBT SSRAM 2 and 3`",
            "mine.toml:4: memory `more` overlaps memory `ZBT SSRAM 2 and 3`",
            "mine.toml:4: there is a memory `PSRAM`: without `base` this changes it",
            "mine.toml:4: this range goes beyond the address space",
        ]
    );
}

#[test]
fn mistakes_of_a_board_like_another_have_their_line() {
    let file = |more: &str| {
        let head = "like = \"vexriscv-min\"\nname = \"mine\"\ndescription = \"mine\"\n";
        Board::parse("mine.toml", &format!("{head}{more}\n"))
            .unwrap_err()
            .to_string()
    };
    let wait = "wait = { fetch = 0, read = 0, write = 0 }";
    let errors = [
        file("core = \"vexriscv-large\""),
        file(&format!("[[memory]]\nname = \"ram\"\n{wait}")),
    ];
    let errors = errors.map(|error| error.split(" cores are").next().unwrap().to_owned());
    assert_eq!(
        errors,
        ["mine.toml:4: the", "mine.toml:4: there is no memory `ram`"]
    );
}
