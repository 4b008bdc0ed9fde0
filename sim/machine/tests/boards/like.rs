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

/// As the page about chips has it: its last sector is RAM, and the registers that would unlock it answer.
#[test]
fn a_program_can_write_to_flash_that_is_ram() {
    let page = include_str!("../../../../docs/chips.md");
    let (_, rest) = page.split_once("```toml\nlike").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    let board = Board::parse("mine.toml", &format!("like{text}")).unwrap();
    let mut bus = board.bus(&[]);
    let busy = (0x4002_3c0c, 1 << 16);
    for (address, value) in [
        (0x4002_3c04, 0x4567_0123),
        (0x4002_3c04, 0xcdef_89ab),
        (0x4002_3c10, 0x201),
        (0x080e_0000, 7),
    ] {
        bus.write(address, 4, value, 1).unwrap();
        assert_eq!(bus.read(busy.0, 4, 2).unwrap() & busy.1, 0);
    }
    assert_eq!(bus.read(0x080e_0000, 4, 3), Ok(7));
    assert!(bus.write(0x080c_0000, 4, 7, 4).is_err());
}

#[test]
fn a_board_like_another_shows_a_rom_at_another_address_and_has_its_description() {
    let file = |more: &str| {
        let head =
            "like = \"stm32f407\"\nname = \"mine\"\n[[memory]]\nname = \"remap\"\nbase = 0x0400_0000\n";
        Board::parse("mine.toml", &format!("{head}{more}"))
    };
    let board = file("alias_of = \"flash\"\n").unwrap();
    assert_eq!(
        board.description(),
        Board::find("stm32f407").unwrap().description()
    );
    let size = |name: &str| {
        let mut memories = board.memories().iter();
        memories.find(|memory| memory.name == name).unwrap().size
    };
    assert_eq!(size("remap"), size("flash"));
    let errors = ["alias_of = \"flush\"\n", "alias_of = \"SRAM1\"\n"];
    let errors = errors.map(|more| file(more).unwrap_err().to_string());
    assert_eq!(
        errors,
        [
            "mine.toml:6: no memory `flush` stands before this one",
            "mine.toml:6: `alias_of` names a rom: a write to one address would not show at the other",
        ]
    );
    let changed =
        "like = \"stm32f407\"\nname = \"mine\"\n[[memory]]\nname = \"SRAM1\"\nalias_of = \"flash\"\n";
    let error = Board::parse("mine.toml", changed).unwrap_err();
    assert!(error.hint().unwrap().contains("with a `base`"), "{error}");
}

/// A memory answers before a peripheral does.
#[test]
fn no_memory_hides_the_registers_of_a_peripheral() {
    let memory = |name: &str, base: &str| {
        format!(
            "[[memory]]\nname = \"{name}\"\nkind = \"ram\"\nbase = {base}\nsize = 0x1000\nwait = {{ fetch = 0, read = 0, write = 0 }}\n"
        )
    };
    let peripheral =
        |base: &str| format!("[[peripheral]]\nname = \"OUT\"\nkind = \"rtl-ports\"\nbase = {base}\n");
    let told = |text: String| {
        let error = Board::parse("mine.toml", &text).unwrap_err();
        format!("{error} ({})", error.hint().unwrap())
    };
    let plain = "name = \"a\"\ndescription = \"a\"\ncore = \"vexriscv-min\"\nclock_hz = 1\n";
    let like = "like = \"vexriscv-min\"\nname = \"a\"\n";
    let (at, further) = ("0xfe00_0000", memory("more", "0xfe00_0800"));
    let hint = "the registers are 0xfe000000 to 0xfe000fff, as it has without a `size`; the memory is 0xfe000800 to 0xfe0017ff";
    let overlaps = format!("memory `more` overlaps the registers of `OUT` ({hint})");
    // Of a whole board the later one is wrong, of one like another its memory.
    for (head, first, second) in [(plain, 9, 11), (like, 7, 3)] {
        let (memory, peripheral) = (&further, peripheral(at));
        let place = |line: usize| format!("mine.toml:{line}: {overlaps}");
        assert_eq!(
            told(format!("{head}{peripheral}{memory}")),
            place(first),
            "{head}"
        );
        assert_eq!(
            told(format!("{head}{memory}{peripheral}")),
            place(second),
            "{head}"
        );
    }
    // Of one that the other board has, and of a memory that it has.
    let error = told(format!(
        "like = \"stm32f407\"\nname = \"a\"\n{}",
        memory("more", "0x4002_3000")
    ));
    assert!(
        error.starts_with("mine.toml:3: memory `more` overlaps the registers of `"),
        "{error}"
    );
    let out = "[[peripheral]]\nname = \"OUT\"\nkind = \"rtl-ports\"\nbase = 0x4000_0000\n";
    let error = told(format!("{like}{out}"));
    assert!(
        error.starts_with("mine.toml:3: memory `main RAM` overlaps the registers of `OUT`"),
        "{error}"
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
        file("core = \"vexriscv-lite\"\nclock_hz = 0"),
        file(&format!("[[memory]]\nname = \"ram\"\n{wait}")),
    ];
    let errors = errors.map(|error| error.split(" cores are").next().unwrap().to_owned());
    assert_eq!(
        errors,
        [
            "mine.toml:4: the",
            "mine.toml:5: `clock_hz` must not be 0",
            "mine.toml:4: there is no memory `ram`"
        ]
    );
}

#[test]
fn a_board_like_another_says_what_masters_reach_of_its_own() {
    const MORE: u32 = 0x6800_0000;
    const CCM: u32 = 0x1000_0000;
    let file = |more: &str| {
        let head = "like = \"stm32f407\"\nname = \"mine\"\n[[memory]]\nname = \"more\"\nkind = \"ram\"\nbase = 0x6800_0000\nsize = \"1M\"\n\
                    wait = { fetch = 0, read = 0, write = 0 }\n";
        Board::parse("mine.toml", &format!("{head}{more}"))
    };
    let reaches = |board: &Board, master: &str, address: u32| {
        let all = board.masters();
        let (_, reach) = all.iter().find(|(name, _)| name == master).unwrap();
        reach.is_none_or(|reach| reach.memories.contains(&address))
    };
    let board = file("").unwrap();
    assert!(
        reaches(&board, "DMA2.memory", MORE),
        "as the memories of the other board"
    );
    assert!(!reaches(&board, "DMA1.peripheral", MORE), "it reaches none");
    let board = file("[[reach]]\nmasters = [\"DMA2.memory\"]\nmemories = [\"CCM data RAM\"]\n").unwrap();
    assert!(reaches(&board, "DMA2.memory", CCM) && !reaches(&board, "DMA2.memory", MORE));
    assert!(!reaches(&board, "DMA1.memory", CCM) && reaches(&board, "DMA1.memory", MORE));
    let mistake = |masters: &str, memories: &str| {
        let text = format!("[[reach]]\nmasters = [{masters}]\nmemories = [{memories}]\n");
        file(&text).unwrap_err().to_string()
    };
    assert_eq!(
        mistake("\"DMA2\"", ""),
        "mine.toml:9: `DMA2` is no port of a master on this board"
    );
    assert_eq!(
        mistake("", "\"CCM data RAM\""),
        "mine.toml:9: `masters` names no port of a master"
    );
    assert_eq!(
        mistake("\"DMA2.memory\"", "\"SRAM\""),
        "mine.toml:9: there is no memory `SRAM`"
    );
    let twice = "\"DMA2.memory\", \"DMA2.memory\"";
    assert_eq!(
        mistake(twice, ""),
        "mine.toml:9: what `DMA2.memory` reaches is said twice"
    );
}

/// The advice in messages about a vector table.
#[test]
fn a_board_like_another_can_start_elsewhere() {
    let parse = |text: &str| Board::parse("mine.toml", text);
    let table = "like = \"stm32f407\"\nname = \"mine\"\nvector_table = 0x0800_4000\n";
    assert_eq!(parse(table).unwrap().vector_table(), Some(0x0800_4000));
    let reset = "like = \"VexRiscv-min\"\nname = \"mine\"\nreset = 0x4000_0000\n";
    assert!(parse(reset).is_ok());
    let errors = [
        table.replace("stm32f407", "ibex"),
        reset.replace("VexRiscv-min", "stm32f407"),
        reset
            .replace("VexRiscv-min", "ibex")
            .replace("0x4000_0000", "0x4000_0001"),
        table.replace("vector_table = 0x0800_4000", "max_clock_hz = 0"),
    ];
    let errors = errors.map(|text| parse(&text).unwrap_err().to_string());
    assert_eq!(
        errors,
        [
            "mine.toml:3: `vector_table` is an option of Cortex-M cores only",
            "mine.toml:3: `reset` is an option of RV32 cores only",
            "mine.toml:3: the first instruction is 0x80 after a multiple of 0x100",
            "mine.toml:3: `max_clock_hz` must not be 0",
        ]
    );
}
