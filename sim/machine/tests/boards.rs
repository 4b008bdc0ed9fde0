//! The built-in boards, and mistakes in a user's own.

#[path = "boards/blocks.rs"]
mod blocks;
mod common;
#[path = "boards/like.rs"]
mod like;
#[path = "boards/masters.rs"]
mod masters;
#[path = "boards/named.rs"]
mod named;
#[path = "boards/nvmc.rs"]
mod nvmc;
#[path = "boards/page.rs"]
mod page;
#[path = "boards/requests.rs"]
mod requests;
#[path = "boards/resets.rs"]
mod resets;
#[path = "boards/scripts.rs"]
mod scripts;
#[path = "boards/targets.rs"]
mod targets;

use std::collections::BTreeSet;

use common::{LIMIT, Part, READ_WRITE, elf, flash, image, load, machine_on, with_literals};
use events::Silent;
use machine::{Allow, Board, BoardError, Debugger, Outcome};

#[test]
fn every_board_file_is_built_in_and_sound() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/boards");
    let files = std::fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = files.map(|file| file.replace(".toml", "")).collect();
    assert_eq!(files, Board::names().map(str::to_owned).collect());
    for name in Board::names() {
        let board = Board::find(name).unwrap();
        assert_eq!(board.name(), name);
        assert!(!board.description().is_empty());
    }
}

#[test]
fn the_core_is_the_one_of_the_chip() {
    let config = Board::find("stm32f100rb")
        .unwrap()
        .core_config(Debugger::None)
        .unwrap();
    assert_eq!(
        (config.priority_bits, config.irqs, config.mpu_regions),
        (4, 56, 0)
    );
    assert_eq!(config.cpuid, 0x411f_c231);
    assert!(!config.stack_align, "r1p1 leaves the stack at multiples of four");
    assert!(
        Board::find("mps2-an385")
            .unwrap()
            .core_config(Debugger::None)
            .unwrap()
            .stack_align
    );
}

#[test]
fn flash_of_the_stm32_shows_at_0_too() {
    let (machine, _) = machine_on("stm32f100rb", &image(&elf(&[flash(0x0800_0000, &[0xe7fe])])));
    assert_eq!(machine.peek_word(0), machine.peek_word(0x0800_0000));
    assert_eq!(machine.peek_word(0), Some(common::STACK));
}

/// As ST's start-up code and drivers access them: CIR, and the latency as a byte.
#[test]
fn clock_and_flash_registers_of_an_stm32_are_written_as_their_drivers_do() {
    let cases = [
        ("stm32f407", 0x4002_380c, 0x4002_3c00),
        ("stm32f411", 0x4002_380c, 0x4002_3c00),
        ("stm32g491", 0x4002_1018, 0x4002_2000),
        ("stm32l432", 0x4002_1018, 0x4002_2000),
    ];
    for (board, enable, latency) in cases {
        // ldr r1, =enable; movs r0, #0; str r0, [r1]; ldr r1, =latency; movs r0, #4; strb r0, [r1]; ldrb r2, [r1]; b .
        let code = [
            load(1, 0x40, 0),
            0x2000,
            0x6008,
            load(1, 0x46, 1),
            0x2004,
            0x7008,
            0x780a,
            0xe7fe,
        ];
        let file = elf(&[flash(0x0800_0000, &with_literals(&code, &[enable, latency]))]);
        let (mut machine, _) = machine_on(board, &image(&file));
        let outcome = machine.run(LIMIT, &mut Silent);
        assert!(matches!(outcome, Outcome::Stuck(_)), "{board}: {outcome:?}");
        assert_eq!(machine.flash_settings().latency, 4, "{board}");
        assert_eq!(machine.cortex_m().unwrap().regs.r[2], 4, "{board}");
    }
}

#[test]
fn an_unknown_board_brings_the_nearest() {
    let error = Board::find("stm32f100").unwrap_err();
    insta::assert_snapshot!(format!("{error}\n{}", error.hint().unwrap()));
}

const SOUND: &str = r#"
name = "mine"
description = "my board"
core = "cortex-m3"
revision = "r2p0"
clock_hz = 16_000_000
priority_bits = 4

[[memory]]
name = "flash"
kind = "rom"
base = 0
size = "64K"
wait = { fetch = 2, read = 2, write = 0 }

[[memory]]
name = "ram"
kind = "ram"
base = 0x2000_0000
size = 8192
wait = { fetch = 0, read = 0, write = 0 }

[[peripheral]]
name = "console"
kind = "pl011"
base = 0x4000_0000
irq = 3

[[allow]]
base = 0x5000_0000
size = 0x400

[interrupts]
count = 32
"#;

fn mistake(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from));
    let error = Board::parse("mine.toml", &SOUND.replacen(from, to, 1)).unwrap_err();
    assert!(matches!(error, BoardError::Wrong { .. }));
    match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

#[test]
fn a_sound_file_is_a_board() {
    let board = Board::parse("mine.toml", SOUND).unwrap();
    assert_eq!(
        (board.name(), board.clock_hz(), board.memories().len()),
        ("mine", 16_000_000, 2)
    );
    assert_eq!(board.memories()[0].size, 64 << 10);
}

#[test]
fn mistakes_have_their_line_and_the_nearest_word() {
    let mistakes = [
        mistake("clock_hz", "clock_mhz"),
        mistake("priority_bits = 4", "priority_bits = 9"),
        mistake("\"cortex-m3\"", "\"cortex-m44\""),
        mistake("\"r2p0\"", "\"2.0\""),
        mistake("\"64K\"", "\"64 kilobytes\""),
        mistake("kind = \"rom\"", "kind = \"flash\""),
        mistake("fetch = 2, ", ""),
        mistake("base = 0x2000_0000", "base = 0x0000_8000"),
        mistake("\"pl011\"", "\"pl01\""),
        mistake("irq = 3", "irq = 32"),
        mistake("size = 8192\n", ""),
        mistake("base = 0x5000_0000", "base = 0xffff_ff00"),
        mistake("count = 32", "count = 400"),
        mistake(
            "kind = \"ram\"\nbase = 0x2000_0000\nsize = 8192\nwait = { fetch = 0, read = 0, write = 0 }",
            "base = 0x2000_0000\nalias_of = \"flsh\"",
        ),
    ];
    insta::assert_snapshot!(mistakes.join("\n"));
}

#[test]
fn a_key_that_a_peripheral_does_not_know_is_an_error_with_its_line() {
    let mistakes = [
        // Another kind has it.
        mistake("irq = 3", "baud = 9600"),
        mistake("irq = 3", "bsae = 3"),
        mistake("irq = 3", "registers = []"),
        // Its own keys are not those of every kind.
        mistake("\"pl011\"", "\"litex-uart\"\nbuad = 9600"),
        mistake("\"pl011\"", "\"clint\"\nsupervisor = true"),
        mistake("\"pl011\"", "\"stm32-timer\"\nclock = \"core\"\nchannel = 4"),
        mistake("\"pl011\"", "\"stm32-gpio-brr\"\nrest = [0, 0, 0]"),
        mistake("\"pl011\"", "\"stm32-usart-fifo\"\nclock = \"cor\""),
        mistake("\"pl011\"", "\"plic\"\nsources = \"many\""),
        // What stands inside of them has its line too.
        mistake(
            "\"pl011\"",
            "\"registers\"\nregisters = [\n  { name = \"CR\", offset = 0, rest = 0, write = 0 },\n]",
        ),
        mistake("\"pl011\"", "\"registers\""),
        mistake(
            "\"pl011\"",
            "\"registers\"\nregisters = [{ name = \"CR\", offset = 0x1000, reset = 0, write = 0 }]",
        ),
        mistake("[[peripheral]]", "[peripheral]"),
        mistake("[[peripheral]]", "[[periferal]]"),
    ];
    insta::assert_snapshot!(mistakes.join("\n"));
}

#[test]
fn what_only_a_cortex_m_has_is_refused_at_its_line() {
    let text = "name = \"mine\"\ndescription = \"mine\"\ncore = \"rv32\"\nclock_hz = 1\nvtor = true\nbit_band = false\n";
    let error = Board::parse("mine.toml", text).unwrap_err().to_string();
    assert_eq!(error, "mine.toml:5: `vtor` is an option of Cortex-M cores only");
    let error = Board::parse("mine.toml", &text.replacen("vtor = true", "", 1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "mine.toml:6: `bit_band` is an option of Cortex-M cores only"
    );
}

const FLASH: &str = r#"
[flash]
memory = "flash"
line_bits = 128
prefetch = true
instruction_cache = { lines = 64, line_bits = 128, ways = 64, replacement = "lru" }
settings = { latency = 5, prefetch = true }
"#;

/// The sound board with its flash behind an interface.
fn with_flash() -> String {
    SOUND.replacen("fetch = 2, read = 2", "fetch = 0, read = 0", 1) + FLASH
}

#[test]
fn a_flash_interface_is_what_the_file_says() {
    let board = Board::parse("mine.toml", &with_flash()).unwrap();
    let bus = board.bus(&[]);
    let flash = bus.flash().unwrap();
    assert_eq!((flash.shape().line, flash.settings().latency), (16, 5));
    assert!(flash.contains(0xfffc) && !flash.contains(0x1_0000));
}

/// An RV32 core asks for words and bursts: the first word of each line of the array waits, and what was given last does not.
#[test]
fn an_rv32_core_waits_for_a_flash_interface_too() {
    const TEXT: &str = "name = \"mine\"\ndescription = \"mine\"\ncore = \"vexriscv-full\"\nclock_hz = 1\n\
                        [[memory]]\nname = \"flash\"\nbase = 0\nsize = \"64K\"\nkind = \"rom\"\nwait = { fetch = 0, read = 0, write = 0 }\n\
                        [flash]\nmemory = \"flash\"\nline_bits = 128\nsettings = { latency = 5 }\n";
    let mut bus = Board::parse("mine.toml", TEXT).unwrap().bus(&[]);
    let mut ask = |access, address, words, start| {
        let transfer = bus::Transfer {
            port: 0,
            access,
            address,
            words,
            start,
        };
        let latency = bus.transfer(transfer);
        (0..words).map(|place| latency.word(place)).collect::<Vec<_>>()
    };
    assert_eq!(ask(bus::Access::Fetch, 0, 8, 100), [5, 0, 0, 0, 5, 0, 0, 0]);
    assert_eq!(
        ask(bus::Access::Fetch, 0x1c, 1, 200),
        [0],
        "the line that was given last"
    );
    assert_eq!(
        ask(bus::Access::Read, 0x100, 2, 300),
        [5, 5],
        "no line of data is kept"
    );
    let cache = "[[cache]]\nname = \"L2\"\nmemories = [\"flash\"]\nsize = \"4K\"\nways = 1\nline = 32\nwrite = \"back\"\n\
                 allocate = \"read-write\"\nwait = { hit = 1, beat = 1, miss = 1 }\n";
    let error = Board::parse("mine.toml", &format!("{TEXT}{cache}")).unwrap_err();
    assert!(error.to_string().contains("behind no cache"), "{error}");
}

#[test]
fn mistakes_of_a_flash_interface_have_their_line() {
    let mistake = |from: &str, to: &str| {
        let sound = with_flash();
        assert!(sound.contains(from), "{from}");
        let error = Board::parse("mine.toml", &sound.replacen(from, to, 1)).unwrap_err();
        let hint = error.hint().map_or(String::new(), |hint| format!(" ({hint})"));
        format!("{error}{hint}")
    };
    let mistakes = [
        mistake("memory = \"flash\"", "memory = \"flsh\""),
        mistake("memory = \"flash\"", "memory = \"ram\""),
        mistake("fetch = 0", "fetch = 1"),
        mistake("line_bits = 128\n", "line_bits = 100\n"),
        mistake("line_bits = 128\n", "line_bits = 256\n"),
        mistake("ways = 64", "ways = 7"),
        mistake("lru", "random"),
        mistake("latency = 5", "latency = 16"),
        mistake("prefetch = true }", "data_cache = true }"),
        mistake("settings", "setings"),
    ];
    insta::assert_snapshot!(mistakes.join("\n"));
}

#[test]
fn a_line_that_fetches_and_data_share_stands_before_no_cache() {
    let text = with_flash().replacen("prefetch = true\n", "shared = true\n", 1);
    let error = Board::parse("mine.toml", &text).unwrap_err().to_string();
    assert!(error.contains("one line for fetches and data"), "{error}");
    let board = Board::find("cc2650").unwrap();
    let flash = board.bus(&[]).flash().unwrap().clone();
    assert!(flash.shape().shared && flash.is_timed());
    assert!(flash.shape().shared_cache.is_some());
}

#[test]
fn a_cache_of_fetches_and_data_stands_before_a_line_of_both() {
    let with = |cache: &str, from: &str| {
        let text = with_flash().replacen(from, &format!("{cache}\n{from}"), 1);
        Board::parse("mine.toml", &text).unwrap_err().to_string()
    };
    let alone = with(
        "cache = { lines = 1024, line_bits = 64, ways = 4 }",
        "prefetch = true\n",
    );
    assert!(alone.contains("before a flash that is `shared`"), "{alone}");
    let unknown = with(
        "cache = { lines = 1024, line_bits = 64, ways = 4, size = 8 }",
        "prefetch = true\n",
    );
    assert!(unknown.contains("size"), "{unknown}");
}

#[test]
fn a_board_like_another_begins_as_its_start_up_code_ends() {
    let boards = [
        ("stm32f407-24mhz", 24_000_000, 0),
        ("stm32f407-168mhz", 168_000_000, 5),
        ("stm32g491-170mhz", 170_000_000, 4),
        ("stm32l432-80mhz", 80_000_000, 4),
    ];
    for (name, hz, latency) in boards {
        let board = Board::find(name).unwrap();
        let bus = board.bus(&[]);
        assert_eq!((board.clock_hz(), bus.core_clock()), (hz, hz), "{name}");
        let settings = bus.flash().unwrap().settings();
        assert_eq!(settings.latency, latency, "{name}");
        assert!(settings.instruction_cache && settings.data_cache, "{name}");
    }
}

#[test]
fn a_board_like_another_names_registers_that_there_are() {
    let file = |start: &str| {
        let head = "like = \"stm32f407\"\nname = \"mine\"\ndescription = \"mine\"\nclock_hz = 16_000_000\n";
        let error = Board::parse("mine.toml", &format!("{head}start = [\n  {start}\n]\n"));
        error.unwrap_err().to_string()
    };
    let errors = [
        file("{ peripheral = \"RC\", register = \"CR\", value = 0 },"),
        file("{ peripheral = \"RCC\", register = \"RC\", value = 0 },"),
        file("{ peripheral = \"RCC\", register = \"CR\", val = 0 },"),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

/// Each memory may cost something else, and the bus counts these in a byte.
/// The clock that `start` sets and the wait states belong together, or real flash would answer with wrong bits.
#[test]
fn a_start_that_the_chip_refuses_has_its_line() {
    let file = |like: &str, start: &str| {
        let head = format!("like = \"{like}\"\nname = \"mine\"\ndescription = \"mine\"\n");
        let error = Board::parse("mine.toml", &format!("{head}start = [\n{start}]\n")).unwrap_err();
        format!("{error} ({})", error.hint().unwrap())
    };
    let f407 = "  { peripheral = \"RCC\", register = \"PLLCFGR\", value = 0x0740_5408 },\n  \
                { peripheral = \"RCC\", register = \"CR\", value = 0x0303_0083 },\n  \
                { peripheral = \"RCC\", register = \"CFGR\", value = 0x0000_940a },\n";
    let latency = "  { peripheral = \"flash interface\", register = \"ACR\", value = 2 },\n";
    let errors = [
        file("stm32f407", f407),
        file("stm32f407", &format!("{latency}{f407}")),
        file(
            "stm32f407",
            "  { peripheral = \"RCC\", register = \"CFGR\", value = 0x0000_940a },\n",
        ),
        file(
            "stm32g491",
            "  { peripheral = \"PWR\", register = \"CR1\", value = 0x0000_0400 },\n  \
                { peripheral = \"flash interface\", register = \"ACR\", value = 0 },\n",
        ),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_board_has_only_so_many_memories_and_peripherals() {
    let listed = |entry: &dyn Fn(usize) -> String, many| (0..many).map(entry).collect::<String>();
    let memory = |n: usize| {
        let (base, read) = (0x3000_0000 + 16 * n, n % 250);
        format!(
            "[[memory]]\nname = \"m{n}\"\nkind = \"ram\"\nbase = {base}\nsize = 16\n\
             wait = {{ fetch = 0, read = {read}, write = 0 }}\n"
        )
    };
    let peripheral = |n: usize| {
        format!(
            "[[peripheral]]\nname = \"p{n}\"\nkind = \"pl011\"\nbase = {}\n",
            0x5000_0000 + n
        )
    };
    let with = |more: String| Board::parse("mine.toml", &format!("{SOUND}\n{more}"));
    let full = with(listed(&memory, 98) + &listed(&peripheral, 99)).unwrap();
    assert_eq!(full.bus(&[]).regions().count(), 98 + 2 + 99 + 1 + 1);
    let error = |more| with(more).unwrap_err().to_string();
    assert!(error(listed(&memory, 300)).ends_with("a board has at most 100 memories"));
    assert!(error(listed(&peripheral, 300)).ends_with("a board has at most 100 peripherals"));
}

#[test]
fn a_board_file_is_found_by_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mine.toml");
    std::fs::write(&path, SOUND).unwrap();
    assert_eq!(Board::find(path.to_str().unwrap()).unwrap().name(), "mine");
    let error = Board::find("./not-there.toml").unwrap_err();
    assert!(error.to_string().starts_with("./not-there.toml: cannot be read"));
}

/// The memories of the plain board for a program with these segments besides its flash.
fn plain(base: u32, more: Vec<Part>) -> Vec<String> {
    let mut parts = vec![flash(base, &[0xe7fe])];
    parts.extend(more);
    let board = Board::find("cortex-m3")
        .unwrap()
        .for_image(&image(&elf(&parts)))
        .unwrap();
    board
        .memories()
        .iter()
        .map(|m| format!("{} {:#x}+{:#x}", m.name, m.base, m.size))
        .collect()
}

#[test]
fn the_plain_board_takes_its_memory_from_the_program() {
    let data = |stored_at, runs_at, memory_size| Part {
        stored_at,
        runs_at,
        bytes: vec![1; 16],
        memory_size,
        flags: READ_WRITE,
    };
    // Code at 0x1004 bytes is rounded to 1 KiB; the stack pointer alone asks for RAM.
    assert_eq!(plain(0, vec![]), ["rom 0x0+0x1400", "ram 0x20000000+0x10000"]);
    // Initial values behind the code are ROM, where they go is RAM, and so is what lies between it and the stack.
    assert_eq!(
        plain(0, vec![data(0x8000, 0x2000_0000, 64)]),
        ["rom 0x0+0x1400", "rom 0x8000+0x400", "ram 0x20000000+0x10000"]
    );
    assert_eq!(
        plain(0, vec![data(0x1004, 0x2030_0000, 64)]),
        ["rom 0x0+0x1400", "ram 0x20000000+0x310000"]
    );
    // RAM far away is a memory of its own.
    let far = plain(0x0800_0000, vec![data(0x0800_1004, 0x1000_0000, 64)]);
    assert_eq!(
        far,
        [
            "rom 0x8000000+0x1400",
            "ram 0x10000000+0x10000",
            "ram 0x20000000+0x10000"
        ]
    );
    // Data that directly follows the code keeps the code's memory from being rounded into it.
    assert_eq!(
        plain(0x2000_0000, vec![data(0x2000_1004, 0x2000_1004, 64)])[0],
        "rom 0x20000000+0x1004"
    );
}

#[test]
fn the_plain_board_starts_from_the_programs_own_table() {
    let (machine, _) = machine_on("cortex-m3", &image(&elf(&[flash(0x0800_0000, &[0xe7fe])])));
    assert_eq!(machine.board().vector_table(), Some(0x0800_0000));
    assert_eq!(machine.pc(), 0x0800_0040);
}

#[test]
fn ranges_to_allow_are_blocks_or_a_kibibyte() {
    let board = Board::find("stm32f100rb").unwrap();
    assert_eq!(board.block_at(0x4000_2818), Some(("RTC", 0x4000_2800)));
    assert_eq!(board.block_at(0x2000_0000), None);
    assert!("0x40021000..0x40021400".parse::<Allow>().is_ok());
}

#[test]
fn what_is_not_cached_is_listed_by_the_upper_four_bits() {
    let file = |core: &str, uncached: &str| {
        let text = format!(
            "name = \"mine\"\ndescription = \"mine\"\ncore = \"{core}\"\nclock_hz = 1\nuncached = {uncached}\n"
        );
        Board::parse("mine.toml", &text)
    };
    assert!(file("vexriscv-full", "[0, 15]").is_ok());
    let refused = |core, uncached| file(core, uncached).unwrap_err().to_string();
    assert!(refused("vexriscv-full", "[16]").starts_with("mine.toml:5: `uncached` lists parts"));
    assert!(refused("cortex-m3", "[0]").starts_with("mine.toml:5: `uncached` is an option of RV32"));
}

#[test]
fn lines_end_at_a_plic_where_there_is_one() {
    let file = |irq: u32, plic: &str| {
        let text = format!(
            "name = \"mine\"\ndescription = \"mine\"\ncore = \"vexriscv-min\"\nclock_hz = 1\n{plic}\n\
             [[peripheral]]\nname = \"uart\"\nkind = \"ns16550\"\nbase = 0\nsize = 8\nirq = {irq}\n"
        );
        Board::parse("mine.toml", &text)
    };
    let plic = "[[peripheral]]\nname = \"plic\"\nkind = \"plic\"\nbase = 0x1000\nsources = 52\n";
    assert!(file(31, "").is_ok() && file(52, plic).is_ok());
    let refused = |irq, plic| file(irq, plic).unwrap_err().to_string();
    assert!(refused(32, "").ends_with("`uart`: the board has interrupts 0 to 31"));
    assert!(refused(0, plic).ends_with("`uart`: the board's PLIC has sources 1 to 52"));
    assert!(refused(53, plic).ends_with("`uart`: the board's PLIC has sources 1 to 52"));
    assert!(refused(1, &plic.replace("sources = 52", "")).ends_with("its number of `sources`, 1 to 1023"));
}

/// The message about a wrong board.
fn wrong(text: &str) -> String {
    let error = Board::parse("mine.toml", text).unwrap_err();
    let hint = error.hint().unwrap_or_default();
    format!("{error} {hint}")
}

#[test]
fn a_device_of_another_architecture_is_refused() {
    for kind in ["clint\"\nhz = 1", "plic\"\nsources = 3"] {
        let text =
            format!("{SOUND}\n[[peripheral]]\nname = \"foreign\"\nbase = 0x4100_0000\nkind = \"{kind}\n");
        let message = wrong(&text);
        assert!(
            message.contains("`foreign`: only RISC-V cores have such a device"),
            "{message}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_derived_board_is_said_of_its_own_file() {
    let text = "name = \"mine\"\ndescription = \"mine\"\nlike = \"stm32f407\"\ncore = \"ibex\"\n";
    let message = wrong(text);
    assert!(message.starts_with("mine.toml:4: "), "{message}");
    assert!(message.contains("(this board is like `stm32f407`)"), "{message}");
}

#[test]
fn a_board_like_another_has_peripherals_of_its_own() {
    let like = |more: &str| {
        let text = format!("like = \"stm32f100rb\"\nname = \"own\"\ndescription = \"mine\"\n{more}");
        Board::parse("own.toml", &text)
    };
    let register = "registers = [{ name = \"CR\", offset = 0, reset = 7, write = 0 }]";
    let peripheral = |name: &str, base: &str| {
        format!(
            "[[peripheral]]\nname = \"{name}\"\nkind = \"registers\"\nbase = {base}\nsize = 4\n{register}\n"
        )
    };
    let mut bus = like(&peripheral("new", "0x4000_2800")).unwrap().bus(&[]);
    assert_eq!(bus.read(0x4000_2800, 4, 0), Ok(7));
    let mut bus = like("allow = [{ base = 0x4000_2800, size = 4 }]")
        .unwrap()
        .bus(&[]);
    assert_eq!(bus.read(0x4000_2800, 4, 0), Ok(0));
    let message = |more: &str| like(more).unwrap_err().to_string();
    let beyond = peripheral("new", "0xffff_fffe");
    assert!(
        message(&beyond).contains("own.toml:4: this range goes beyond"),
        "{}",
        message(&beyond)
    );
    let wrong = peripheral("new", "0x4000_2800").replace("offset = 0", "offset = 2");
    assert!(
        message(&wrong).contains("own.toml:4: `new`: register `CR`"),
        "{}",
        message(&wrong)
    );
}
