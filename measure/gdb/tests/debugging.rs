//! A debugger's view of programs: without the protocol, and by a real GDB.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use gdb::{Output, Session, Stopped, Watched, serve};
use lab::backend::Backend;
use machine::{Board, Captured, Console, Debugger, Image, Options};
use programs::{EXIT, FLASH, Firmware, RAM};

#[path = "debugging/threads.rs"]
mod threads;

#[path = "debugging/kernels.rs"]
mod kernels;

#[path = "debugging/backward.rs"]
mod backward;

#[path = "debugging/progress.rs"]
mod progress;

/// A program on a board, and what it prints.
fn session(board: &str, image: &Arc<Image>) -> (Session, Captured) {
    let silent = Arc::default();
    let (_, captured) = Console::captured();
    let output = || Output::new(captured.clone(), &silent);
    let console = Console::new(output(), output(), std::io::empty());
    let options = Options {
        debugger: Debugger::Attached,
        console,
        ..Options::default()
    };
    let bench = Backend::Model
        .bench(&Board::find(board).unwrap(), image, options)
        .unwrap();
    (Session::new(bench, silent).unwrap(), captured)
}

/// Where the loop of [`counting`] begins.
const LOOP: u32 = 12;

/// Counts a word of RAM up to 5, a letter on the console each time, and exits.
fn counting_firmware() -> Firmware {
    let code: &[u16] = &[
        // movw r4, #0; movt r4, #0x2000; movs r0, #0; b +0 (to the loop)
        0xf240, 0x0400, 0xf2c2, 0x0400, 0x2500, 0xe7ff, //
        // loop: adds r5, #1; str r5, [r4]; movs r0, #3 (SYS_WRITEC); adr r1, letter; bkpt 0xab; cmp r5, #5; bne loop
        0x3501, 0x6025, 0x2003, 0xa104, 0xbeab, 0x2d05, 0xd1f8, 0xbf00,
    ];
    let letter: &[u16] = &[0xbf00, 0xbf00];
    Firmware::new(&[code, EXIT, &[0xbf00, 0xbf00], letter]).object("word", RAM)
}

fn counting() -> (Arc<Image>, u32) {
    let image = Arc::new(Image::parse("app.elf", &counting_firmware().elf()).unwrap());
    let main = image.symbol("main").unwrap().address;
    assert_eq!(main & 3, 0);
    (image, main + LOOP)
}

fn register(session: &mut Session, name: &str) -> u32 {
    session.target().registers().unwrap().get(name).unwrap()
}

fn go_on(session: &mut Session) -> Stopped {
    session.go_on(|| false).unwrap()
}

#[test]
fn going_back_and_forth_leads_to_the_same_places() {
    let (image, begin) = counting();
    for drains in ["on", "off"] {
        let (mut session, output) = session("stm32f100rb", &image);
        session.monitor(&format!("drain {drains}")).unwrap();
        let mut places = vec![(session.cycle(), session.pc())];
        for _ in 0..30 {
            assert_eq!(session.step().unwrap(), Stopped::Stepped);
            places.push((session.cycle(), session.pc()));
        }
        let printed = output.text();
        for place in places.iter().rev().skip(1) {
            assert_eq!(session.step_back().unwrap(), Stopped::Stepped);
            assert_eq!(session.pc(), place.1, "{drains}");
        }
        assert_eq!(session.step_back().unwrap(), Stopped::AtBeginning);
        assert_eq!(output.text(), printed, "what is done again is not printed again");
        session.add_breakpoint(begin);
        let mut met = Vec::new();
        while go_on(&mut session) == Stopped::Breakpoint {
            met.push((session.pc(), register(&mut session, "r5")));
        }
        assert_eq!(met, [0, 1, 2, 3, 4].map(|r5| (begin, r5)));
        for count in (0..5).rev() {
            assert_eq!(session.go_back(|| false).unwrap(), Stopped::Breakpoint);
            assert_eq!(
                (session.pc(), register(&mut session, "r5")),
                (begin, count),
                "{drains}"
            );
        }
        assert_eq!(session.go_back(|| false).unwrap(), Stopped::AtBeginning);
        assert!(session.remove_breakpoint(begin) && !session.remove_breakpoint(begin));
        assert_eq!(go_on(&mut session), Stopped::Exited(0));
    }
}

#[test]
fn a_watchpoint_stops_behind_its_access_and_costs_nothing() {
    let (image, _) = counting();
    let (mut plain, _) = session("stm32f100rb", &image);
    assert_eq!(go_on(&mut plain), Stopped::Exited(0));
    let (mut session, _) = session("stm32f100rb", &image);
    session.monitor("drain off").unwrap();
    let watched = Watched {
        address: RAM,
        size: 4,
        writes: true,
        reads: false,
    };
    session.add_watched(watched);
    for count in 1..=5 {
        assert_eq!(go_on(&mut session), Stopped::Watched(watched, RAM));
        let mut word = [0; 4];
        assert!(session.target().memory().unwrap().read(RAM, &mut word));
        assert_eq!(u32::from_le_bytes(word), count);
    }
    assert_eq!(go_on(&mut session), Stopped::Exited(0));
    assert_eq!(session.cycle(), plain.cycle());
}

#[test]
fn monitor_tells_saves_and_raises() {
    let (image, begin) = counting();
    let (mut session, _) = session("stm32f100rb", &image);
    session.add_breakpoint(begin);
    go_on(&mut session);
    let mut say = |command: &str| session.monitor(command).unwrap();
    assert!(say("cycles").starts_with("cycle "));
    assert!(say("why").contains("movs r5, #0"), "{}", say("why"));
    assert_eq!(say("snapshot"), "nothing is saved\n");
    assert!(say("snapshot here").starts_with("saved `here` in cycle"));
    assert!(say("raise EXTI0").contains("EXTI0 comes in cycle"));
    assert!(say("raise EXTI99").contains("no exception `EXTI99`"));
    assert!(say("restore there").contains("no state `there`"));
    say("reset");
    assert_eq!(session.target().instructions(), 0);
    session.monitor("restore here").unwrap();
    assert_eq!(session.pc(), begin);
    assert!(
        session
            .monitor("hepl")
            .unwrap()
            .contains("no command `hepl`\nmonitor cycles")
    );
}

#[test]
fn a_debugger_reads_and_writes_registers_of_the_core() {
    let (image, begin) = counting();
    let (mut session, _) = session("stm32f100rb", &image);
    let word = |session: &mut Session, address: u32| {
        let mut word = [0; 4];
        assert!(session.target().memory().unwrap().read(address, &mut word));
        u32::from_le_bytes(word)
    };
    assert_eq!(word(&mut session, 0xe000_ed00), 0x411f_c231, "CPUID");
    let write = |session: &mut Session, address: u32, value: u32| {
        session
            .target()
            .memory()
            .unwrap()
            .write(address, &value.to_le_bytes())
    };
    assert!(write(&mut session, 0xe000_edfc, 1 << 24) && write(&mut session, 0xe000_1000, 1));
    session.add_breakpoint(begin);
    go_on(&mut session);
    let first = (session.cycle(), word(&mut session, 0xe000_1004));
    go_on(&mut session);
    let second = (session.cycle(), word(&mut session, 0xe000_1004));
    assert_eq!(second.0 - first.0, u64::from(second.1 - first.1));
    assert!(!write(&mut session, FLASH, 0), "flash is programmed, not written");
    assert!(
        session
            .target()
            .memory()
            .unwrap()
            .program(FLASH + 0x1000, &[1, 2])
    );
}

#[test]
fn the_program_can_be_sent_elsewhere() {
    let (image, begin) = counting();
    for steps in 0..12 {
        let (mut session, _) = session("stm32f100rb", &image);
        (0..steps).for_each(|_| assert_eq!(session.step().unwrap(), Stopped::Stepped));
        let before = session.cycle();
        assert!(session.target().registers().unwrap().set("pc", begin));
        assert_eq!(session.step().unwrap(), Stopped::Stepped);
        assert_eq!(session.pc(), begin + 2);
        assert!(session.cycle() > before);
        // Nowhere: the program faults, and nobody handles that.
        assert!(session.target().registers().unwrap().set("pc", 0xffff_fffe));
        while session.step().unwrap() == Stopped::Stepped && session.cycle() < 1000 {}
    }
}

#[test]
fn rv32_steps_one_instruction_at_a_time() {
    // addi t0, t0, 1 eight times; j back to the first.
    let mut code: Vec<u8> = [0x0012_8293u32; 8]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    code.extend(0xfe1f_f06fu32.to_le_bytes());
    let file = programs::rv32(0x8000_0000, &code);
    let image = Arc::new(Image::parse("app.elf", &file).unwrap());
    let (mut session, _) = session("virt", &image);
    for step in 1..=20u32 {
        assert_eq!(session.step().unwrap(), Stopped::Stepped);
        assert_eq!(session.pc(), 0x8000_0000 + step % 9 * 4, "step {step}");
    }
    let t0 = register(&mut session, "t0");
    assert_eq!(session.step_back().unwrap(), Stopped::Stepped);
    assert_eq!(session.pc(), 0x8000_0004);
    assert_eq!(register(&mut session, "t0"), t0 - 1);
    session.add_breakpoint(0x8000_0010);
    assert_eq!(go_on(&mut session), Stopped::Breakpoint);
    assert_eq!(session.pc(), 0x8000_0010);
}

const GDB: &str = "gdb-multiarch";

/// That GDB printed each of these.
fn shows(text: &str, expected: &[&str]) {
    for expected in expected {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
}

/// The output of a real GDB in a session with a program.
fn by_gdb(board: &str, elf: &Path, commands: &[&str]) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let image = Arc::new(Image::load(elf).unwrap());
    let board = board.to_owned();
    let server = std::thread::spawn(move || {
        let (session, _) = session(&board, &image);
        let (connection, _) = listener.accept().unwrap();
        serve(session, connection, |_| {}).unwrap()
    });
    let mut gdb = Command::new(GDB);
    gdb.args(["-nx", "-q", "-batch"]);
    gdb.args([
        "-ex",
        "set pagination off",
        "-ex",
        &format!("target remote :{port}"),
    ]);
    gdb.args(commands.iter().flat_map(|command| ["-ex", command]));
    let output = gdb.arg(elf).output().unwrap();
    // The output of `monitor` goes to standard error.
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    server.join().unwrap();
    text
}

/// The program of a listing of study 000.
fn listing(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/firmware");
    if !skipped::installed(GDB) {
        return None;
    }
    skipped::programs(&folder).map(|_| folder.join(format!("{name}.elf")))
}

/// The values that `x 0xe0001004` printed.
fn counted(text: &str) -> Vec<u32> {
    let values = text.lines().filter_map(|line| line.strip_prefix("0xe0001004:"));
    values
        .map(|value| u32::from_str_radix(value.trim().trim_start_matches("0x"), 16).unwrap())
        .collect()
}

/// What is between them.
fn differences(values: &[u32]) -> Vec<u32> {
    values.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn the_sessions_of_study_000_give_its_figures() {
    let x = "x 0xe0001004";
    // "print 0x0074e9dd - 0x0074e9dc: 1", as typed there.
    let Some(nop) = listing("rtfm-nop") else { return };
    let pc = "info registers pc";
    let text = by_gdb("stm32f100rb", &nop, &["continue", pc, x, "continue", pc, x]);
    assert_eq!(differences(&counted(&text)), [1], "{text}");
    // "Interrupt latency = 11 cycles", and 10 for the way back.
    let preempt = listing("rtfm-preempt").unwrap();
    let text = by_gdb(
        "stm32f100rb",
        &preempt,
        &["continue", "stepi", x, "continue", x, "continue", x],
    );
    assert_eq!(differences(&counted(&text)), [11, 10], "{text}");
    // With a prologue, to a breakpoint behind it: 15 and 13. Here no line table says where that is.
    let prologue = listing("rtfm-preempt-prologue").unwrap();
    let typed = [
        "continue",
        "stepi",
        x,
        "break *t2_body",
        "continue",
        x,
        "continue",
        x,
        "continue",
        x,
    ];
    let text = by_gdb("stm32f100rb", &prologue, &typed);
    let found = differences(&counted(&text));
    assert_eq!([found[0], found[2]], [15, 13], "{text}");
    // The stack of the interrupted task, by names of registers as they are printed there.
    let stack = listing("rtfm-stack").unwrap();
    let text = by_gdb(
        "stm32f100rb",
        &stack,
        &[
            "continue",
            "info registers r0 r1 r2 r3 r12 lr pc xPSR",
            "x/12x $sp",
        ],
    );
    assert!(
        text.contains("xPSR ") && text.matches("0x20001f").count() >= 3,
        "{text}"
    );
}

#[test]
fn gdb_goes_back_watches_and_ends() {
    let Some(preempt) = listing("rtfm-preempt") else {
        return;
    };
    let commands = [
        "break t2",
        "continue",
        "continue",
        "info registers pc",
        "reverse-continue",
        "info registers pc",
        "reverse-stepi",
        "monitor cycles",
        "delete",
        "watch *(int *)0x20000000",
        "set var *(int *)0x20000000 = 5",
        "print *(int *)0x20000000",
        "monitor why",
        "info mem",
        "kill",
    ];
    let text = by_gdb("stm32f100rb", &preempt, &commands);
    shows(
        &text,
        &["t2", "Hardware watchpoint", "$1 = 5", "exception-entry", "flash"],
    );
    let cycle = text.lines().find(|line| line.starts_with("cycle ")).unwrap();
    assert!(cycle.ends_with("8000000 Hz"), "{cycle}");
}

#[test]
fn gdb_knows_the_registers_of_every_core() {
    if !skipped::installed(GDB) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("app.elf");
    std::fs::write(&path, Firmware::new(&[EXIT]).elf()).unwrap();
    let text = by_gdb(
        "stm32f407",
        &path,
        &[
            "set var $s1 = 1.5",
            "print $s1",
            "print $d0",
            "info registers msp primask",
        ],
    );
    assert!(text.contains("$1 = 1.5") && text.contains("msp "), "{text}");
    let code: Vec<u8> = [0x0012_8293u32, 0xffdf_f06f]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    std::fs::write(&path, programs::rv32(0x8000_0000, &code)).unwrap();
    let commands = [
        "stepi",
        "stepi",
        "stepi",
        "info registers t0 pc",
        "set var $t0 = 41",
        "stepi",
        "stepi",
        "print $t0",
    ];
    let text = by_gdb("virt", &path, &commands);
    assert!(text.contains("$1 = 42"), "{text}");
}

/// A view of the RCC as Cortex-Debug reads it, whole, though some of its words are reserved; and a read over the end of RAM.
#[test]
fn gdb_reads_a_whole_peripheral() {
    if !skipped::installed(GDB) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("app.elf");
    std::fs::write(&path, Firmware::new(&[EXIT]).elf()).unwrap();
    let typed = [
        "interpreter-exec mi \"-data-read-memory-bytes 0x40023800 136\"",
        "x/2xw 0x40023870",
        "x/xw 0x4002381c",
        "x/4xw 0x2001fffc",
    ];
    let text = by_gdb("stm32f407", &path, &typed);
    shows(
        &text,
        &[
            "begin=\"0x40023800\",offset=\"0x00000000\",end=\"0x40023888\"",
            "0x40023870:",
            "Cannot access memory at address 0x4002381c",
            "0x2001fffc:",
            "Cannot access memory at address 0x20020000",
        ],
    );
}

#[test]
fn gdb_shows_what_controls_an_rv32_core() {
    if !skipped::installed(GDB) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("app.elf");
    // lui t0, 0x80000; csrw mtvec, t0; csrwi mscratch, 5; j .
    let code: Vec<u8> = [0x8000_02b7u32, 0x3052_9073, 0x3402_d073, 0x0000_006f]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    std::fs::write(&path, programs::rv32(0x8000_0000, &code)).unwrap();
    let typed = [
        "stepi",
        "stepi",
        "stepi",
        "info registers mtvec mscratch",
        "print/x $mstatus",
        "info registers csr",
        "set $mscratch = 77",
        "set $mepc = 0x80000008",
        "print $mscratch",
        "print/x $mepc",
        "set $mstatus = 0",
    ];
    let text = by_gdb("virt", &path, &typed);
    assert!(
        text.contains("$2 = 77") && text.contains("$3 = 0x80000008"),
        "{text}"
    );
    assert!(text.contains("Could not write register"), "{text}");
    assert!(
        text.contains("mtvec          0x80000000") && text.contains("mscratch       0x5"),
        "{text}"
    );
    assert!(
        text.matches("mcause").count() == 1 && text.contains("$1 = 0x"),
        "{text}"
    );
}

/// Commands that front ends and users send to other servers by habit.
#[test]
fn gdb_is_answered_by_habit() {
    let Some(nop) = listing("rtfm-nop") else { return };
    let typed = [
        "monitor reset halt",
        "monitor halt",
        "monitor arm semihosting enable",
        "load",
        "monitor reset",
        "tbreak *$pc",
        "info breakpoints",
        "rwatch *(int *)0x20000000",
        "awatch *(int *)0x20000004",
        "delete",
        "hbreak *$pc",
        "compare-sections",
        "detach",
    ];
    let text = by_gdb("stm32f100rb", &nop, &typed);
    shows(
        &text,
        &[
            "the program is at reset; `maintenance flush register-cache` lets GDB see that",
            "no command `arm semihosting enable`",
            "Loading section",
            "Temporary breakpoint",
            "Hardware read watchpoint",
            "Hardware access (read/write) watchpoint",
            "Hardware assisted breakpoint",
            "matched.",
            "detached",
        ],
    );
}

/// The commands of Microsoft's C/C++ extension and of Cortex-Debug for the configurations in docs/debugging.md, as their machine interface
/// sends them.
#[test]
fn front_ends_speak_with_it() {
    let Some(preempt) = listing("rtfm-preempt") else {
        return;
    };
    let typed = [
        "interpreter-exec mi \"-gdb-set mi-async on\"",
        "interpreter-exec mi \"-list-features\"",
        "interpreter-exec mi \"-target-detach\"",
        "interpreter-exec mi \"-list-thread-groups\"",
    ];
    let text = by_gdb("stm32f100rb", &preempt, &typed);
    assert!(text.contains("features=") && text.contains("groups="), "{text}");
    let typed = [
        "interpreter-exec mi \"-break-insert -h t2\"",
        "continue",
        "interpreter-exec mi \"-thread-info\"",
        "interpreter-exec mi \"-stack-list-frames --thread 1 0 5\"",
        "interpreter-exec mi \"-data-list-register-names\"",
        "interpreter-exec mi \"-data-list-register-values x 13 15\"",
        "interpreter-exec mi \"-data-read-memory-bytes 0x08000000 8\"",
        "interpreter-exec mi \"-data-disassemble -s $pc -e $pc+8 -- 0\"",
        "interpreter-exec mi \"-var-create - * $pc\"",
        "interpreter-exec mi \"-break-delete\"",
        "interpreter-exec mi \"-target-disconnect\"",
    ];
    let text = by_gdb("stm32f100rb", &preempt, &typed);
    shows(
        &text,
        &[
            "bkpt={number=\"1\"",
            "threads=[{id=\"1\"",
            "stack=[frame={level=\"0\"",
            "register-names=[\"r0\"",
            "register-values=[{number=\"13\"",
            "memory=[{begin=\"0x08000000\"",
            "asm_insns=[{address=",
            "name=\"var1\"",
        ],
    );
    assert!(!text.contains("^error"), "{text}");
}
