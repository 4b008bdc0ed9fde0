//! Programs built by a real compiler: symbols, lines, inlined functions, call frames, and newlib's semihosting.
//!
//! Without `arm-none-eabi-gcc` (or, for the comparison, `qemu-system-arm`) these tests say that they are skipped, and
//! pass.

#[path = "gcc/built.rs"]
mod built;
#[path = "gcc/late_clear.rs"]
mod late_clear;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use events::Silent;
use machine::crash::Origin;
use machine::image::SymbolError;
use machine::{Board, Channel, Console, CrashReport, Exception, Image, Machine, Options, Outcome};
use skipped::skip;

const LINKER_SCRIPT: &str = "
MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 256K  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }
SECTIONS {
  .text : { KEEP(*(.isr_vector)) *(.text*) KEEP(*(.init)) KEEP(*(.fini)) *(.rodata*) . = ALIGN(4); } > FLASH
  .ARM.exidx : { __exidx_start = .; *(.ARM.exidx*) __exidx_end = .; } > FLASH
  .init_array : { __init_array_start = .; KEEP(*(.init_array*)) __init_array_end = .; } > FLASH
  .data : { *(.data*) } > RAM
  .bss : { __bss_start__ = .; *(.bss*) *(COMMON) __bss_end__ = .; end = .; __end__ = .; } > RAM
  stack_top = ORIGIN(RAM) + LENGTH(RAM);
}
PROVIDE(__preinit_array_start = 0); PROVIDE(__preinit_array_end = 0);
PROVIDE(__fini_array_start = 0); PROVIDE(__fini_array_end = 0);
";

const CALLS: &str = r#"typedef void (*handler)(void);
extern unsigned stack_top;
void reset(void);
void spin(void);
void svc(void);
__attribute__((section(".isr_vector"), used)) const handler vectors[16] = {
    (handler)&stack_top, reset, spin, spin, spin, spin, spin, 0, 0, 0, 0, svc };

int answer = 42;

void spin(void) { for (;;); }

static inline __attribute__((always_inline)) int doubled(int value) {
    volatile int copy = value;
    return copy * 2;
}

__attribute__((noinline)) int look(volatile int *at) {
    return *at + 1;
}

__attribute__((noinline)) int nested(int depth) {
    if (depth == 0)
        return look((volatile int *)3) + look((volatile int *)0x60000000);
    return nested(depth - 1) + 1;
}

void svc(void) {
    answer = nested(2) + answer;
}

void reset(void) {
    answer = doubled(answer);
    __asm volatile("svc 0");
    for (;;);
}
"#;

const CPP: &str = r#"
extern "C" unsigned stack_top;
extern "C" void reset();
typedef void (*handler)();
__attribute__((section(".isr_vector"), used)) void *const vectors[2] = { &stack_top, (void *)reset };
namespace motor {
struct Wheel { int turn(int by); int angle; };
__attribute__((noinline)) int Wheel::turn(int by) { return angle += by; }
__attribute__((noinline)) int step(int by) { volatile int copy = by; return copy; }
__attribute__((noinline)) int step(char by) { volatile int copy = by; return copy + 1; }
}
motor::Wheel wheel;
extern "C" void reset() { wheel.turn(motor::step(3)); wheel.turn(motor::step('x')); for (;;); }
"#;

/// A program that uses newlib's host calls, from start-up to exit.
const NEWLIB: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
extern unsigned stack_top;
extern void _start(void);
__attribute__((section(".isr_vector"), used)) void *const vectors[2] = { &stack_top, (void *)_start };
int main(int argc, char **argv) {
    printf("%d arguments, the last is %s\n", argc, argv[argc - 1]);
    fprintf(stderr, "to the other output\n");
    char *memory = malloc(10000);
    memset(memory, 1, 10000);
    char line[20];
    printf("read %s", fgets(line, sizeof line, stdin));
    printf("clock %ld\n", (long)clock());
    printf("file %s\n", fopen("/etc/hostname", "r") ? "opened" : "refused");
    return memory[9999] + 6;
}
"#;

/// Compiles and links, or says why not.
fn build(directory: &Path, name: &str, source: &str, options: &[&str]) -> Option<PathBuf> {
    let (source_file, script, elf) = (
        directory.join(name),
        directory.join("link.ld"),
        directory.join("program.elf"),
    );
    std::fs::write(&source_file, source).unwrap();
    std::fs::write(&script, LINKER_SCRIPT).unwrap();
    let mut gcc = Command::new("arm-none-eabi-gcc");
    gcc.args([
        "-mcpu=cortex-m3",
        "-mthumb",
        "-g",
        "-O1",
        "-fno-exceptions",
        "-fno-rtti",
        "-Wl,--no-warn-rwx-segments",
    ]);
    gcc.args(options)
        .arg("-T")
        .arg(&script)
        .arg(&source_file)
        .arg("-o")
        .arg(&elf);
    match gcc.output() {
        Err(error) => {
            skip(&format!("no arm-none-eabi-gcc: {error}"));
            None
        }
        Ok(output) => {
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            Some(elf)
        }
    }
}

fn image(elf: &Path) -> Arc<Image> {
    Arc::new(Image::load(elf).unwrap())
}

fn calls(directory: &Path) -> Option<Arc<Image>> {
    build(
        directory,
        "calls.c",
        CALLS,
        &["-nostdlib", "-fno-inline-small-functions"],
    )
    .map(|elf| image(&elf))
}

/// The number of the first line that contains `text`.
fn line_of(text: &str) -> u32 {
    CALLS.lines().position(|line| line.contains(text)).unwrap() as u32 + 1
}

#[test]
fn symbols_are_found_by_name_and_by_address() {
    let directory = tempfile::tempdir().unwrap();
    let Some(image) = calls(directory.path()) else {
        return;
    };
    let look = image.symbol("look").unwrap();
    assert!(look.size > 0 && look.address % 2 == 0);
    assert_eq!(image.describe(look.address).unwrap(), "look");
    assert_eq!(image.describe(look.address + 2).unwrap(), "look+0x2");
    let answer = image.symbol("answer").unwrap();
    assert_eq!((answer.address, answer.size), (0x2000_0000, 4));
    let Err(SymbolError::Unknown { nearest, .. }) = image.symbol("anwser") else {
        panic!("there is none")
    };
    assert_eq!(nearest[0], "answer");
    assert!(
        image.symbols().all(|symbol| !symbol.mangled.starts_with('$')),
        "mapping symbols name nothing"
    );
}

#[test]
fn lines_and_addresses_lead_to_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let Some(image) = calls(directory.path()) else {
        return;
    };
    let line = line_of("return *at + 1");
    let addresses = image.line_addresses("calls.c", line).unwrap();
    let look = image.symbol("look").unwrap();
    assert_eq!(addresses[0], look.address);
    let place = image.place_at(look.address).unwrap();
    assert_eq!((place.file_name(), place.line), ("calls.c", line));
    let wrong = image.line_addresses("call.c", line).unwrap_err();
    assert_eq!(wrong.hint().unwrap(), "did you mean `calls.c`?");
    let empty = image
        .line_addresses("calls.c", line_of("int answer"))
        .unwrap_err();
    assert!(
        empty.hint().unwrap().starts_with("did you mean `calls.c:"),
        "{empty}"
    );
}

#[test]
fn inlined_functions_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let Some(image) = calls(directory.path()) else {
        return;
    };
    let reset = image.symbol("reset").unwrap();
    let inside = (reset.address..reset.address + reset.size)
        .step_by(2)
        .map(|address| image.frames_at(address));
    let frames = inside
        .into_iter()
        .find(|frames| frames.len() == 2)
        .expect("`doubled` is inlined");
    let names: Vec<_> = frames
        .iter()
        .map(|frame| frame.function.as_deref().unwrap())
        .collect();
    assert_eq!(names, ["doubled", "reset"]);
    assert!(frames[0].inlined && !frames[1].inlined);
    assert_eq!(frames[1].place.as_ref().unwrap().line, line_of("doubled(answer)"));
}

fn crash(image: &Arc<Image>) -> Box<CrashReport> {
    let board = Board::find("lm3s6965evb").unwrap();
    let options = Options {
        allow: vec!["0x60000000..0x60000400=fault".parse().unwrap()],
        ..Options::default()
    };
    let mut machine = Machine::new(&board, image, options).unwrap();
    match machine.run(1_000_000, &mut Silent) {
        Outcome::Crash(report) => report,
        other => panic!("{other:?}"),
    }
}

/// Name and origin of each frame.
fn names(report: &CrashReport) -> Vec<(String, Origin)> {
    let name = |symbol: &str| symbol.split('+').next().unwrap().to_owned();
    report
        .backtrace
        .iter()
        .map(|frame| (name(frame.site.symbol.as_deref().unwrap()), frame.origin))
        .collect()
}

#[test]
fn a_backtrace_goes_through_calls_and_exceptions() {
    let directory = tempfile::tempdir().unwrap();
    let Some(image) = calls(directory.path()) else {
        return;
    };
    let report = crash(&image);
    let expected = [
        ("look", Origin::Interrupted(Some(Exception::HARD_FAULT))),
        ("nested", Origin::Call),
        ("nested", Origin::Call),
        ("nested", Origin::Call),
        ("svc", Origin::Call),
        ("reset", Origin::Interrupted(Some(Exception::System(11)))),
    ];
    let expected = expected.map(|(name, origin)| (name.to_owned(), origin));
    assert_eq!(names(&report), expected);
    assert_eq!(report.registers[0], 0x6000_0000, "the argument of `look`");
    assert!(
        report
            .to_string()
            .contains(&format!("calls.c:{}", line_of("return *at + 1")))
    );
}

#[test]
fn without_call_frames_a_backtrace_is_a_guess_and_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let Some(elf) = build(directory.path(), "calls.c", CALLS, &["-nostdlib", "-g0"]) else {
        return;
    };
    let report = crash(&image(&elf));
    let names = names(&report);
    assert_eq!(names[0].0, "look");
    assert_eq!(names[1], ("nested".into(), Origin::Guess));
    assert_eq!(
        names.last().unwrap(),
        &("reset".into(), Origin::Interrupted(Some(Exception::System(11))))
    );
    assert!(report.to_string().contains("a guess"));
}

/// Reads what a core's floating-point unit leaves; such a unit is switched on at an address that cores without one have too.
const FLOATS: &str = r#"
extern unsigned stack_top;
void reset(void);
__attribute__((section(".isr_vector"), used)) void *const vectors[2] = { &stack_top, (void *)reset };
volatile float half = 0.5f;
void reset(void) {
    *(volatile unsigned *)0xe000ed88 |= 0xf << 20;
    half = half * half;
    for (;;);
}
"#;

/// Its build attributes say for which cores a program is: that is told where it meets what its core has not, and of no other crash.
#[test]
fn a_program_for_another_core_is_told_by_its_attributes() {
    let directory = tempfile::tempdir().unwrap();
    let m4f = [
        "-nostdlib",
        "-mcpu=cortex-m4",
        "-mfloat-abi=hard",
        "-mfpu=fpv4-sp-d16",
    ];
    let Some(elf) = build(directory.path(), "floats.c", FLOATS, &m4f) else {
        return;
    };
    // A file without attributes: the instruction says it.
    let mut silent = std::fs::read(&elf).unwrap();
    let vendor = silent.windows(5).position(|bytes| bytes == b"aeabi").unwrap();
    silent[vendor..vendor + 5].copy_from_slice(b"other");
    let unit = "a core with a floating-point unit, and this core is a cortex-m3";
    let image_of = |bytes: &[u8]| Arc::new(Image::parse("floats.elf", bytes).unwrap());
    assert_eq!(crash(&image_of(&silent)).mismatch.as_deref(), Some(unit));
    let image = image(&elf);
    let built = image.built().unwrap();
    assert_eq!(built.to_string(), "ARMv7E-M with floating point");
    assert!(built.arm().unwrap().is_floating() && !built.arm().unwrap().is_armv6m());
    let report = crash(&image);
    let mismatch = "ARMv7E-M with floating point, and this core is a cortex-m3";
    assert_eq!(report.mismatch.as_deref(), Some(mismatch));
    assert!(report.to_string().contains(&format!("  built for  {mismatch}\n")));
    let others = calls(directory.path()).unwrap();
    assert_eq!(others.built().unwrap().to_string(), "ARMv7-M");
    assert_eq!(crash(&others).mismatch, None);
    let m0 = build(
        directory.path(),
        "calls.c",
        CALLS,
        &["-nostdlib", "-mcpu=cortex-m0"],
    )
    .unwrap();
    let m0 = self::image(&m0);
    assert!(m0.built().unwrap().arm().unwrap().is_armv6m());
    assert_eq!(crash(&m0).mismatch, None);
    let a9 = build(
        directory.path(),
        "calls.c",
        CALLS,
        &["-nostdlib", "-mcpu=cortex-a9"],
    )
    .unwrap();
    let told = self::image(&a9).built().unwrap().to_string();
    assert_eq!(told, "ARMv7-A");
}

#[test]
fn cpp_names_are_readable_and_found_without_parameters() {
    let directory = tempfile::tempdir().unwrap();
    let Some(elf) = build(directory.path(), "names.cpp", CPP, &["-nostdlib"]) else {
        return;
    };
    let image = image(&elf);
    let turn = image.symbol("motor::Wheel::turn").unwrap();
    assert_eq!(turn.name, "motor::Wheel::turn(int)");
    assert_eq!(image.symbol("turn").unwrap(), turn);
    assert_eq!(
        image.symbol("motor::step(int)").unwrap().mangled,
        "_ZN5motor4stepEi"
    );
    let Err(SymbolError::Ambiguous { candidates, .. }) = image.symbol("step") else {
        panic!("there are two")
    };
    assert_eq!(candidates.len(), 2);
}

#[test]
fn newlib_finds_its_console_heap_clock_and_arguments() {
    let directory = tempfile::tempdir().unwrap();
    let Some(elf) = build(directory.path(), "newlib.c", NEWLIB, &["--specs=rdimon.specs"]) else {
        return;
    };
    let (output, error) = (machine::Captured::default(), machine::Captured::default());
    let console = Console::new(output.clone(), error.clone(), &b"a line\nmore\n"[..]);
    let options = Options {
        console,
        command_line: "fw one two".into(),
        ..Options::default()
    };
    let mut machine = Machine::new(&Board::find("lm3s6965evb").unwrap(), &image(&elf), options).unwrap();
    let outcome = machine.run(10_000_000, &mut Silent);
    assert!(matches!(outcome, Outcome::Exit { code: 7 }), "{outcome:?}");
    assert_eq!(
        output.text(),
        "3 arguments, the last is two\nread a line\nclock 0\nfile refused\n"
    );
    assert_eq!(error.text(), "to the other output\n");
}

/// Prints on the UART and by semihosting, as images for QEMU do.
const CONSOLES: &str = r#"#include <stdio.h>
extern unsigned stack_top;
extern void _start(void);
__attribute__((section(".isr_vector"), used)) void *const vectors[2] = { &stack_top, (void *)_start };
static void put(const char *text) {
    for (; *text; text++) {
#ifdef CMSDK
        *(volatile unsigned *)0x40004008 = 1;
        while (*(volatile unsigned *)0x40004004 & 1);
        *(volatile unsigned *)0x40004000 = *text;
#else
        while (*(volatile unsigned *)0x4000c018 & 0x20);
        *(volatile unsigned *)0x4000c000 = *text;
#endif
    }
}
int main(void) {
    put("from the UART\n");
    printf("from semihosting %d\n", 3);
    return 5;
}
"#;

/// Output and exit code under QEMU, if it is there.
fn under_qemu(board: &str, elf: &Path) -> Option<(String, i32)> {
    let mut qemu = Command::new("qemu-system-arm");
    qemu.args([
        "-M", board, "-display", "none", "-monitor", "none", "-serial", "stdio",
    ]);
    qemu.args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(elf);
    match qemu.output() {
        Err(error) => {
            skip(&format!("no qemu-system-arm: {error}"));
            None
        }
        Ok(output) => Some((
            String::from_utf8_lossy(&output.stdout).into_owned(),
            output.status.code().unwrap(),
        )),
    }
}

#[test]
fn images_for_qemu_say_the_same_here() {
    for (board, option) in [("lm3s6965evb", "-DPL011"), ("mps2-an385", "-DCMSDK")] {
        let directory = tempfile::tempdir().unwrap();
        let options = ["--specs=rdimon.specs", option];
        let Some(elf) = build(directory.path(), "consoles.c", CONSOLES, &options) else {
            return;
        };
        let (console, captured) = Console::captured();
        let options = Options {
            console,
            ..Options::default()
        };
        let mut machine = Machine::new(&Board::find(board).unwrap(), &image(&elf), options).unwrap();
        let outcome = machine.run(10_000_000, &mut Silent);
        assert!(matches!(outcome, Outcome::Exit { code: 5 }), "{outcome:?}");
        assert_eq!(captured.text(), "from the UART\nfrom semihosting 3\n");
        if let Some(theirs) = under_qemu(board, &elf) {
            assert_eq!(theirs, (captured.text(), 5), "{board}");
        }
    }
}

/// Puts out by RTT, through a buffer of sixteen bytes that it set up itself, and by the ITM; and answers what comes in.
const CHANNELS: &str = r#"
extern unsigned stack_top;
void reset(void);
__attribute__((section(".isr_vector"), used)) void *const vectors[2] = { &stack_top, (void *)reset };

struct ring { const char *name; char *bytes; unsigned size; volatile unsigned written, read, flags; };
struct { char mark[16]; int ups, downs; struct ring up[1], down[1]; } _SEGGER_RTT;
static char up[16], down[8];

static void say(const char *text) {
    struct ring *ring = &_SEGGER_RTT.up[0];
    for (; *text; ++text) {
        unsigned next = ring->written + 1 == ring->size ? 0 : ring->written + 1;
        if (next == ring->read) return; /* full: what a probe does not fetch is lost */
        ring->bytes[ring->written] = *text;
        ring->written = next;
    }
}

static void trace(const char *text) {
    *(volatile unsigned *)0xe000edfc |= 1u << 24;
    *(volatile unsigned *)0xe0040004 = 1;
    *(volatile unsigned *)0xe0040010 = 7;
    *(volatile unsigned *)0xe00400f0 = 2;
    *(volatile unsigned *)0xe0040304 = 0x100;
    *(volatile unsigned *)0xe0000fb0 = 0xc5acce55;
    *(volatile unsigned *)0xe0000e80 = 0x10009;
    *(volatile unsigned *)0xe0000e00 = 1;
    for (; *text; ++text) {
        while (!*(volatile unsigned *)0xe0000000);
        *(volatile char *)0xe0000000 = *text;
    }
}

void reset(void) {
    const char *mark = "SEGGER RTT";
    _SEGGER_RTT.ups = 1;
    _SEGGER_RTT.downs = 1;
    _SEGGER_RTT.up[0] = (struct ring){ "Terminal", up, sizeof up, 0, 0, 0 };
    _SEGGER_RTT.down[0] = (struct ring){ "Terminal", down, sizeof down, 0, 0, 0 };
    for (int i = 0; mark[i]; ++i)
        ((volatile char *)_SEGGER_RTT.mark)[i] = mark[i];
    say("a line that is longer than the buffer\n");
    trace("traced\n");
    struct ring *ring = &_SEGGER_RTT.down[0];
    while (ring->read == ring->written);
    while (ring->bytes[ring->read] != '.') {
        char text[2] = { ring->bytes[ring->read], 0 };
        say(text);
        ring->read = ring->read + 1 == ring->size ? 0 : ring->read + 1;
        while (ring->read == ring->written);
    }
    register int op __asm("r0") = 0x18;
    register int arg __asm("r1") = 0x20026;
    __asm volatile("bkpt 0xab" : : "r"(op), "r"(arg));
}
"#;

#[test]
fn channels_come_out_and_go_in() {
    let directory = tempfile::tempdir().unwrap();
    let built = build(directory.path(), "channels.c", CHANNELS, &["-nostdlib", "-O0"]);
    let Some(elf) = built else { return };
    let image = image(&elf);
    let board = Board::find("cortex-m3").unwrap();
    let run = |tapped: bool| {
        let (mut console, output) = Console::captured();
        let (_, itm) = Console::captured();
        if tapped {
            console.tap(Channel::Itm(0), itm.clone());
        }
        let options = Options {
            console,
            stimuli: vec!["rtt:0@0=hello, world.".parse().unwrap()],
            ..Options::default()
        };
        let mut machine = Machine::new(&board, &image, options).unwrap();
        let outcome = machine.run(1_000_000, &mut Silent);
        assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
        (output.text(), itm.text(), machine.cycle())
    };
    let line = "a line that is longer than the buffer\n";
    let (output, _, cycles) = run(false);
    assert_eq!(output, format!("{line}traced\nhello, world"));
    let (output, itm, tapped) = run(true);
    assert_eq!(
        (output, itm.as_str()),
        (format!("{line}hello, world"), "traced\n")
    );
    assert_eq!(tapped, cycles, "who takes it costs nothing");
}
