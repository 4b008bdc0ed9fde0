//! Commands whose output nobody reads any more, as under `| head`.

use std::io::{PipeReader, Read as _, pipe};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::Desk;
use crate::firmware::{EXIT, Firmware, NOP, calling};

/// Longer than any of these takes on a busy computer.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs a command whose output and errors go to one pipe, as with `2>&1 |`.
fn piped(desk: &Desk, words: &str) -> (Child, PipeReader) {
    let (reader, writer) = pipe().expect("a pipe");
    let child = Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
        .args(words.split_whitespace())
        .current_dir(desk.path("."))
        .stdout(writer.try_clone().expect("a pipe"))
        .stderr(writer)
        .spawn()
        .expect("it starts");
    (child, reader)
}

/// The exit code, within a time.
fn ended(mut child: Child, words: &str) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("it is a child") {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it runs");
    panic!("`{words}` does not end");
}

/// Reads so much, and goes.
fn left_after(app: &Firmware, board: &str, beginning: &[u8]) {
    let desk = Desk::new().with("app.elf", app.elf());
    let words = format!("run app.elf --board {board}");
    let (child, mut reader) = piped(&desk, &words);
    // The line that tells the board comes first.
    let mut letter = [0];
    while letter != *b"\n" {
        reader.read_exact(&mut letter).expect("it prints");
    }
    let mut some = vec![0; beginning.len()];
    reader.read_exact(&mut some).expect("it prints");
    assert_eq!(some, beginning);
    drop(reader);
    assert_eq!(ended(child, &words), Some(141));
}

#[test]
fn a_run_that_prints_no_more_ends_with_its_reader() {
    // movw r0, #0xc000; movt r0, #0x4000; movs r1, #'h'; str r1, [r0] three times; again: adds r2, #1; b again
    let print = [
        0xf24c, 0x0000, 0xf2c4, 0x0000, 0x2168, 0x6001, 0x6001, 0x6001, 0x3201, 0xe7fd,
    ];
    left_after(&Firmware::at(0, &[&print]), "lm3s6965evb", b"hhh");
}

#[test]
fn a_run_that_prints_errors_alone_ends_with_its_reader() {
    // Semihosting: opens ":tt" to append, which is the error output, and writes "err\n" to it for ever.
    let print = [
        0x2001, 0xa107, 0xbeab, 0xf240, 0x0400, 0xf2c2, 0x0400, 0x6020, 0xa507, 0x6065, 0x2503, 0x60a5,
        0x2005, 0x4621, 0xbeab, 0xe7fb, 0x008c, 0x0800, 0x0008, 0x0000, 0x0003, 0x0000, 0x743a, 0x0074,
        0x7265, 0x0a72,
    ];
    left_after(&Firmware::new(&[&print]), "stm32f100rb", b"err");
}

#[test]
fn every_command_ends_when_nobody_reads_it() {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"a/work\"\nfunction = \"work\"\n";
    let desk = Desk::new()
        .with("app.elf", calling().elf())
        .with("spin.elf", Firmware::new(&[&[NOP, 0xe7fd]]).elf())
        .with("spec.toml", spec);
    for words in [
        "--help",
        "list boards",
        "list cores",
        "list rules",
        "run app.elf --board stm32f100rb --stats",
        "run spin.elf --board stm32f100rb --limit 1000",
        "cost app.elf work --board stm32f100rb",
        "cost spin.elf nothing --board stm32f100rb",
        "why app.elf work --board stm32f100rb",
        "profile app.elf --board stm32f100rb",
        "disasm app.elf",
        "measure spec.toml",
        "gate spec.toml",
        "no-command",
    ] {
        let (child, reader) = piped(&desk, words);
        drop(reader);
        assert_ne!(ended(child, words), Some(101), "`{words}` panics");
    }
}

/// As `run --json f.json | head -c 3`: the figures are there, and say that nobody read on.
#[test]
fn a_run_that_nobody_reads_any_more_keeps_its_figures() {
    let print = [
        0xf24c, 0x0000, 0xf2c4, 0x0000, 0x2168, 0x6001, 0x6001, 0x6001, 0x3201, 0xe7fd,
    ];
    let desk = Desk::new().with("app.elf", Firmware::at(0, &[&print]).elf());
    let words = "run app.elf --board lm3s6965evb --json out.json";
    let (child, mut reader) = piped(&desk, words);
    reader.read_exact(&mut [0; 3]).expect("it prints");
    drop(reader);
    assert_eq!(ended(child, words), Some(141));
    let results = report::Results::from_json(&desk.read("out.json")).expect("results");
    let row = &results.results[0];
    assert!(
        row.max > 0 && row.ended.as_deref() == Some("output closed"),
        "{row:?}"
    );
}

/// As `>&-`: Rust's runtime puts `/dev/null` in place of a closed stream, where all would be lost in silence.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_output_is_told() {
    // movw r0, #0xc000; movt r0, #0x4000; movs r1, #'h'; str r1, [r0]
    let hello = Firmware::at(0, &[&[0xf24c, 0x0000, 0xf2c4, 0x0000, 0x2168, 0x6001], EXIT]);
    let desk = Desk::new()
        .with("app.elf", hello.elf())
        .with("quiet.elf", Firmware::new(&[EXIT]).elf());
    let run = |words: &str| {
        let program = snapbox::cmd::cargo_bin!("cyclescope").display();
        let output = Command::new("sh")
            .args(["-c", &format!("{program} {words}")])
            .current_dir(desk.path("."))
            .output()
            .expect("a shell");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    for words in [
        "run app.elf --board lm3s6965evb >&-",
        "list boards >&-",
        "disasm app.elf >&-",
    ] {
        let (code, told) = run(words);
        assert_eq!(code, Some(2), "{words}: {told}");
        assert!(
            told.contains("standard output cannot be written: it is closed"),
            "{words}: {told}"
        );
    }
    // What is written nowhere is not missed, and what somebody throws away is written.
    assert_eq!(run("run quiet.elf --board stm32f100rb >&-").0, Some(0));
    assert_eq!(run("run app.elf --board lm3s6965evb > /dev/null").0, Some(0));
    assert_eq!(run("run app.elf --board lm3s6965evb <> /dev/null >&0").0, Some(0));
}
