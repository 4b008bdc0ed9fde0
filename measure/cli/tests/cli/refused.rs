//! What used to succeed without a word, and what used to be told as something else.

use crate::Desk;
use crate::firmware::{EXIT, FLASH, Firmware, NOP, RAM};

const BOARD: &str = "name = \"mine\"\ndescription = \"mine\"\ncore = \"cortex-m3\"\nrevision = \"r1p1\"\nclock_hz = 1_000_000\n\
                     priority_bits = 4\n[[memory]]\nname = \"flash\"\nkind = \"rom\"\nbase = 0\nsize = \"64K\"\n\
                     wait = { fetch = 0, read = 0, write = 0 }\n[[memory]]\nname = \"RAM\"\nkind = \"ram\"\nbase = 0x2000_0000\n\
                     size = \"8K\"\nwait = { fetch = 0, read = 0, write = 0 }\n[interrupts]\ncount = 8\n";

fn desk(app: &Firmware) -> Desk {
    Desk::new().with("app.elf", app.elf())
}

fn good() -> Firmware {
    Firmware::new(&[&[NOP], EXIT])
}

/// The messages of a command that ends with this code.
fn says(desk: &Desk, command: &str, code: i32) -> String {
    let run = desk.run(command).code(code);
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

/// The messages of `measure` with a spec.
fn measured(app: &Firmware, spec: &str, code: i32) -> String {
    let spec = format!("elf = \"app.elf\"\n{spec}");
    says(&desk(app).with("spec.toml", spec), "measure spec.toml", code)
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

const SPAN: &str = "[[span]]\nid = \"a/b\"\nfrom = \"main\"\nto = \"main+2\"\n";

#[test]
fn what_nothing_outside_raises_cannot_be_raised() {
    for name in ["Reset", "HardFault", "SVCall", "UsageFault"] {
        let text = measured(
            &good(),
            &format!("{SPAN}[[raise]]\nirq = \"{name}\"\nat = 5\n"),
            2,
        );
        has(&text, &["cannot be raised from outside", "NMI, SysTick, PendSV"]);
    }
}

#[test]
fn a_board_is_one_that_there_can_be() {
    let app = Firmware::at(0, &[EXIT]);
    let run = |board: &str, code| {
        says(
            &desk(&app).with("mine.toml", board),
            "run app.elf --board mine.toml",
            code,
        )
    };
    assert_eq!(run(BOARD, 0), "");
    has(
        &run(&BOARD.replace("r1p1", "r9p9"), 2),
        &["mine.toml:4", "no revision `r9p9`", "r2p1"],
    );
    let system = BOARD.replace(
        "base = 0x2000_0000\nsize = \"8K\"",
        "base = 0xe000_0000\nsize = \"64K\"",
    );
    has(&run(&system, 2), &["reaches into the core's own registers"]);
    let like = "like = \"stm32f407-168mhz\"\nname = \"mine\"\ndescription = \"mine\"\n";
    has(
        &run(like, 2),
        &[
            "mine.toml:1",
            "is itself like `stm32f407`",
            "like = \"stm32f407\"",
        ],
    );
    let own = like.replace("stm32f407-168mhz", "other.toml");
    has(
        &run(&own, 2),
        &["mine.toml:1: `other.toml` is a file", "copy the file"],
    );
    let misspelt = like.replace("stm32f407-168mhz", "stm32f470");
    has(
        &run(&misspelt, 2),
        &["mine.toml:1: no board `stm32f470`", "did you mean `stm32f407`"],
    );
}

/// Another segment behind those of a file that then has no sections: place, where it runs, bytes in file and memory.
fn with_segment(app: &Firmware, [stored, runs, file, memory]: [u32; 4]) -> Vec<u8> {
    let mut elf = app.elf();
    let half = |at: usize, elf: &[u8]| u16::from_le_bytes([elf[at], elf[at + 1]]);
    let (headers, count) = (52, half(44, &elf));
    elf[44..46].copy_from_slice(&(count + 1).to_le_bytes());
    elf[32..36].fill(0);
    elf[48..52].fill(0);
    let begin = headers + 32 * usize::from(count);
    let words = [1, 0x1000, runs, stored, file, memory, 6, 4];
    for (index, word) in words.iter().enumerate() {
        elf[begin + 4 * index..][..4].copy_from_slice(&u32::to_le_bytes(*word));
    }
    elf
}

#[test]
fn a_program_fits_its_board() {
    let run = |segment, code| {
        let desk = Desk::new().with("app.elf", with_segment(&good(), segment));
        says(&desk, "run app.elf --board stm32f100rb", code)
    };
    // The RAM has 8 KiB.
    assert_eq!(run([RAM, RAM, 0, 0x2000], 0), "");
    has(
        &run([RAM, RAM, 0, 0x2004], 2),
        &["uses 8196 bytes from 0x20000000 on", "memory.x"],
    );
    has(
        &run([FLASH + 0x40, FLASH + 0x40, 16, 16], 2),
        &["what is stored at 0x08000000 and at 0x08000040 overlaps"],
    );
    let system = desk(&good().stack(0xffff_fff0));
    has(
        &says(&system, "run app.elf", 2),
        &["where the core has its own registers"],
    );
}

#[test]
fn a_stack_that_overflows_is_told_as_that() {
    // again: push {r0-r7, lr}; bl again
    let app = Firmware::new(&[&[0xb5ff, 0xf7ff, 0xfffd]]);
    let text = says(&desk(&app), "run app.elf --board stm32f100rb", 3);
    has(
        &text,
        &[
            "stack overflow: the stack pointer is 0x",
            "`SRAM` begins at 0x20000000",
        ],
    );
    assert!(
        !text.contains("--allow") && !text.contains("not modelled"),
        "{text}"
    );
}

#[test]
fn a_caller_that_ends_with_its_call_is_in_the_backtrace() {
    // main: bl last, and nothing behind it; last: bl broken, its last instruction; broken: udf
    let app = Firmware::new(&[&[0xf000, 0xf804, 0xe7fe, NOP]])
        .function("broken", &[&[0xde00, NOP]])
        .function("last", &[&[0xb500, 0xf7ff, 0xfffb]])
        .handler(3, "HardFault", &[&[0xe7fe]]);
    let text = says(&desk(&app), "run app.elf --board stm32f100rb", 3);
    has(&text, &["broken", "last+0x6"]);
}

#[test]
fn points_that_are_never_met_are_explained() {
    // b.w over the next; nothing begins in its middle.
    let inside = "[[span]]\nid = \"a/b\"\nfrom = \"main+4\"\nto = \"main\"\n";
    let app = Firmware::new(&[EXIT]);
    has(
        &measured(&app, inside, 2),
        &[
            "`main+0x4` was never reached",
            "`main+0x4` is in the middle of the instruction at `main+0x2`",
        ],
    );
    let skipped = "[[span]]\nid = \"a/b\"\nfrom = \"main\"\nto = \"main+2\"\nskip = 3\n";
    has(
        &measured(&good(), skipped, 2),
        &["`skip = 3` leaves out all of its 1 samples"],
    );
}

#[test]
fn mistakes_of_a_spec_are_told_where_they_are() {
    let twice = format!("boards = [\"cortex-m3\", \"stm32f100rb\", \"cortex-m3\"]\n{SPAN}");
    has(
        &measured(&good(), &twice, 2),
        &["board `cortex-m3` is listed twice", "spec.toml:2:39"],
    );
    let except = format!("boards = [\"cortex-m3\"]\nexcept = [\"cortex-m3\"]\n{SPAN}");
    has(
        &measured(&good(), &except, 2),
        &["`except` is a key of [[program]]"],
    );
}

/// `SYS_EXIT_EXTENDED` with this code.
fn exits(code: u16) -> Firmware {
    // movs r0, #0x20; adr r1, block; bkpt 0xab; b .
    let exit = [0x2020, 0xa101, 0xbeab, 0xe7fe];
    Firmware::new(&[&exit, &[0x0026, 0x0002, code, 0x0000]])
}

#[test]
fn an_exit_code_like_ours_is_told_to_be_the_firmware_s() {
    let text = says(&desk(&exits(101)), "run app.elf --board stm32f100rb", 101);
    assert_eq!(text, "warning: exit code 101 is the firmware's own\n");
    assert_eq!(says(&desk(&exits(7)), "run app.elf --board stm32f100rb", 7), "");
}

#[test]
fn names_do_not_reach_the_terminal_as_orders() {
    let app = Firmware::new(&[EXIT]).function("\u{1b}[2Jgone", &[&[0x4770]]);
    let desk = desk(&app);
    let run = desk.run("disasm app.elf").code(0);
    let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(
        text.contains("<\\u{1b}[2Jgone>") && !text.contains('\u{1b}'),
        "{text}"
    );
    let text = says(&desk, "disasm app.elf gone", 2);
    assert!(!text.contains('\u{1b}'), "{text}");
}

/// movw r0, #low; movt r0, #0xe000; str r1, [r0]; ldr r1, [r0]
fn private(low: u16) -> Firmware {
    let (i, three, eight) = (low >> 11 & 1, low >> 8 & 7, low & 0xff);
    let movw = [0xf240 | i << 10 | low >> 12, three << 12 | eight];
    Firmware::new(&[&movw, &[0xf2ce, 0x0000, 0x6001, 0x6801], EXIT])
}

#[test]
fn registers_of_the_core_that_are_not_modelled_can_be_allowed() {
    // DWT_LAR has no lock behind it.
    assert_eq!(
        says(&desk(&private(0x1fb0)), "run app.elf --board stm32f100rb", 0),
        ""
    );
    // FP_CTRL
    let fpb = desk(&private(0x2000));
    let text = says(&fpb, "run app.elf --board stm32f100rb", 3);
    has(&text, &["FP_CTRL", "--allow 0xe0002000..0xe0002004"]);
    let allowed = "run app.elf --board stm32f100rb --allow 0xe0002000..0xe0002004";
    assert_eq!(says(&fpb, allowed, 0), "");
}

/// Whether somebody listens makes no difference to the report.
#[test]
fn an_imprecise_fault_has_its_cycle() {
    // movs r2, #3; again: nop; subs r2, #1; bne again; str r0, [r0] into the ROM at 0x08000000
    let main = [0xf04f, 0x6000, 0x2203, NOP, 0x3a01, 0xd1fc, 0x6000, NOP, NOP, NOP];
    let app = Firmware::new(&[&main, EXIT]).handler(3, "HardFault", &[&[0xe7fe]]);
    let desk = desk(&app);
    let silent = says(&desk, "run app.elf --board stm32f100rb", 3);
    let listened = says(&desk, "run app.elf --board stm32f100rb --trace t.txt", 3);
    assert_eq!(silent, listened);
    has(&silent, &["imprecise"]);
    assert!(!silent.contains("cycle 0)"), "{silent}");
}

/// IPSR does not name it before its vector is read.
#[test]
fn a_vector_that_nobody_has_is_met_on_the_way_to_its_exception() {
    let to_nowhere = [
        0x4802, 0x4903, 0x6001, 0xdf00, 0xe7fe, 0xbf00, 0xed08, 0xe000, 0, 0x2040,
    ];
    let desk = desk(&Firmware::new(&[&to_nowhere]));
    let text = says(&desk, "run app.elf --board stm32f100rb", 3);
    has(
        &text,
        &[
            "the vector of an exception could not be read",
            "-- an exception's entry --",
        ],
    );
}

#[test]
fn a_place_that_cannot_be_is_told_by_its_form() {
    for (place, hint) in [
        ("main.rs:0", "the lines of a file are numbered from 1"),
        (
            "main+0x1ffffffff",
            "an offset is a number of bytes, 0 to 0xffffffff: `main+0x4`",
        ),
    ] {
        let text = measured(
            &good(),
            &format!("[[span]]\nid = \"a/b\"\nfrom = \"{place}\"\nto = \"main+2\"\n"),
            2,
        );
        has(&text, &[place, hint]);
    }
}

#[test]
fn a_trace_has_an_ending_that_is_known() {
    let desk = desk(&good());
    let run = |file: &str, code| {
        says(
            &desk,
            &format!("run app.elf --board stm32f100rb --trace {file}"),
            code,
        )
    };
    has(
        &run("x.vdc", 2),
        &[
            "`.vdc` is no format of a trace",
            "did you mean `vcd`?",
            "--trace-format",
        ],
    );
    assert!(!desk.path("x.vdc").exists());
    assert_eq!(
        run("x.VCD", 0) + &run("x", 0) + &run("x.vdc --trace-format vcd", 0),
        ""
    );
    assert!(desk.read("x.VCD").contains("$timescale") && desk.read("x.vdc").contains("$timescale"));
}

/// A board beyond its rating is priced, with a warning and as an estimate.
#[test]
fn a_clock_beyond_the_rating_is_told_and_lowers_the_mark() {
    let like = |hz: &str| format!("like = \"stm32f100rb\"\nname = \"mine\"\nclock_hz = {hz}\n");
    let desk = desk(&good())
        .with("fast.toml", like("72_000_000"))
        .with("rated.toml", like("24_000_000"));
    let desk = desk.with("spec.toml", format!("elf = \"app.elf\"\n{SPAN}"));
    for (board, is_beyond) in [("rated.toml", false), ("fast.toml", true)] {
        for command in ["run app.elf", "measure spec.toml"] {
            let text = says(&desk, &format!("{command} --board {board} --json out.json"), 0);
            let told =
                text.contains("the core ran at 72 MHz, and the chip of board `mine` is rated for 24 MHz");
            assert_eq!(told, is_beyond, "{command}: {text}");
            let results = report::Results::from_json(&desk.read("out.json"))
                .unwrap()
                .results;
            assert_eq!(results.len(), 1, "{command}");
            assert_eq!(results[0].evidence == report::Evidence::D, is_beyond, "{command}");
        }
    }
}
