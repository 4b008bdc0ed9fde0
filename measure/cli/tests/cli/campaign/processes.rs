//! Campaigns of the whole program: signals that come at any time, and disks that are full behind any byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{campaign, number};
use crate::Desk;
use crate::firmware::{EXIT, Firmware, calling};

/// A file's state before a command writes it.
const BEFORE: &str = "as it was before\n";

/// The program under test: for many inputs an optimised one, which `CAMPAIGN_BINARY` names.
fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| match std::env::var_os("CAMPAIGN_BINARY") {
        Some(path) => path.into(),
        None => snapbox::cmd::cargo_bin!("cyclescope").into(),
    })
}

/// How many inputs: few, since each takes a process, or as many as were asked for.
fn inputs(few: u64) -> u64 {
    number("CAMPAIGN_INPUTS", few)
}

/// The files that a process left.
struct Left {
    status: ExitStatus,
    told: String,
}

fn start(command: &mut Command, desk: &Desk, words: &str) -> Child {
    command
        .args(words.split(' '))
        .current_dir(desk.path("."))
        .env_remove("CI")
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

fn wait(child: Child) -> Left {
    let output = child.wait_with_output().expect("it ends");
    Left {
        status: output.status,
        told: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Whether what a command leaves is whole, by the end of its name.
fn is_whole(name: &str, bytes: &[u8]) -> bool {
    let text = || std::str::from_utf8(bytes).unwrap_or_default();
    let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    match name.rsplit('.').next() {
        Some("json" | "speedscope" | "sarif") => is_json(text()),
        Some("jsonl") => text().lines().all(is_json) && (bytes.is_empty() || bytes.ends_with(b"\n")),
        Some("svg") => text().trim_end().ends_with("</svg>"),
        Some("perfetto" | "pprof") if bytes.starts_with(&[0x1f, 0x8b]) => true,
        Some("perfetto") => are_messages(bytes),
        _ => bytes.is_empty() || bytes.ends_with(b"\n"),
    }
}

/// Whether these are whole fields with a length, as a file of Perfetto's packets is.
fn are_messages(mut bytes: &[u8]) -> bool {
    while let Some((tag, rest)) = bytes.split_first() {
        let Some(size) = rest.iter().position(|byte| byte & 0x80 == 0) else {
            return false;
        };
        let number = rest[..=size].iter().rev();
        let length = number.fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
        let body = &rest[size + 1..];
        if tag & 7 != 2 || length > body.len() {
            return false;
        }
        bytes = &body[length..];
    }
    true
}

/// The files of a desk that no test has put there, by name.
fn made(desk: &Desk, known: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(desk.path(".")).expect("the desk").flatten();
    let named = files.map(|file| (file.file_name().to_string_lossy().into_owned(), file.path()));
    let new = named.filter(|(name, _)| !known.contains(&name.as_str()));
    new.map(|(name, path)| (name, fs::read(path).expect("a file")))
        .collect()
}

/// Commands that run for ever, or for about as long as they take to begin; what each writes is there when the signal is answered. Those that write
/// nothing may be over before.
const CUT: [(&str, &[&str]); 17] = [
    ("measure spec.toml --json out.json", &["out.json"]),
    ("measure sweep.toml --json out.json", &["out.json"]),
    ("run app.elf --board stm32f100rb --json out.json", &["out.json"]),
    (
        "run app.elf --board stm32f100rb --trace out.jsonl",
        &["out.jsonl"],
    ),
    (
        "run app.elf --board stm32f100rb --trace out.perfetto",
        &["out.perfetto"],
    ),
    ("run app.elf --board stm32f100rb --trace out.vcd", &["out.vcd"]),
    (
        "profile app.elf --board stm32f100rb --json out.json --folded out.txt",
        &["out.json"],
    ),
    ("cost short.elf work --board stm32f100rb --json out.json", &[]),
    ("run short.elf --board stm32f100rb --json out.json", &[]),
    ("gdb short.elf --board stm32f100rb --port 0", &[]),
    ("test tests.elf --board stm32f100rb", &[]),
    ("why short.elf work --board stm32f100rb --json out.json", &[]),
    ("report new.json -o out.html", &[]),
    ("report spec.toml -o out.html", &["out.html"]),
    ("diff new.json new.json --json out.json --markdown out.md", &[]),
    (
        "gate new.json --limits limits.toml --sarif out.sarif --junit out.xml",
        &[],
    ),
    ("gate new.json --save --baseline out.json", &[]),
];

/// Until then a signal that the shell's jobs ignore is lost.
fn wait_for_program(child: &Child) {
    let path = format!("/proc/{}/exe", child.id());
    let program = fs::canonicalize(program()).expect("the program");
    while fs::read_link(&path).is_ok_and(|runs| runs != program) {
        sleep(Duration::from_micros(50));
    }
}

/// Processes that get a signal at some time: the exit code says which, and what they wrote is whole.
#[test]
fn signals() {
    let span = "[[span]]\nid = \"t/a\"\nfrom = \"main\"\nto = \"main\"\n";
    let head = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n";
    let sweep = format!("{head}limit = 10000000\n[[raise]]\nirq = 6\nat = 2000\nphases = 1000\n{span}");
    let handled = Firmware::new(&[&[0x3001, 0xe7fd]]).handler(22, "IRQ6", &[&[0x4770]]);
    let desk = Desk::new()
        .with("app.elf", handled.elf())
        .with("short.elf", calling().elf())
        .with("spec.toml", format!("{head}limit = 1000000000000\n{span}"))
        .with("sweep.toml", sweep)
        .with("tests.elf", crate::suite::passing().elf())
        .with(
            "short.toml",
            "elf = \"short.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"t/a\"\nfunction = \"work\"\n",
        )
        .with("limits.toml", "[[limit]]\nrows = \"t/*\"\nmax = 1000\n");
    desk.run("measure short.toml --json new.json").code(0);
    let known = fs::read_dir(desk.path(".")).expect("the desk").flatten();
    let known: Vec<String> = known
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    // What a command takes that does nothing: the signal comes before it has begun, while it begins, or later.
    let began = Instant::now();
    for _ in 0..3 {
        let _ = wait(start(
            Command::new(program()).stdout(Stdio::null()),
            &desk,
            "run short.elf --board stm32f100rb",
        ));
    }
    let usual = began.elapsed().as_micros() as u64 / 3;
    campaign("signals", inputs(45), |random| {
        let (words, expected) = random.one_of(&CUT);
        // A shell's jobs in the background ignore SIGINT, and so do their processes.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM"]).arg(program());
        let child = start(command.stdout(Stdio::null()), &desk, words);
        wait_for_program(&child);
        sleep(Duration::from_micros(random.below(2 * usual)));
        let signal = *random.one_of(&[Signal::INT, Signal::TERM]);
        // One that has ended is still there to be asked how.
        kill_process(Pid::from_child(&child), signal).expect("it is there");
        let twice = random.below(4) == 0;
        if twice {
            sleep(Duration::from_micros(random.below(usual)));
            kill_process(Pid::from_child(&child), signal).expect("it is there");
        }
        let left = wait(child);
        let files = made(&desk, &known);
        for name in files.keys() {
            let _ = fs::remove_file(desk.path(name));
        }
        let told = &left.told;
        for (name, bytes) in &files {
            assert!(!name.starts_with('.'), "{words}: {name} is left: {told}");
            // What is written as it comes is as far as it came when a second signal ends all at once.
            let may_be_cut = twice && words.contains(&format!("--trace {name}"));
            assert!(
                may_be_cut || is_whole(name, bytes),
                "{words}: {name} is not whole: {told}"
            );
        }
        if left.status.signal() == Some(signal.as_raw()) {
            // The handler was not there yet, and nothing else either.
            assert!(files.is_empty(), "{words}: {:?}", files.keys());
            return "before it began".to_owned();
        }
        let code = left.status.code();
        if code == Some(128 + signal.as_raw()) {
            let missing = expected.iter().find(|name| !files.contains_key(**name));
            let is_told = told.contains("cut by SIG");
            if twice && (missing.is_some() || !is_told) {
                return "ended at once by a second one".to_owned();
            }
            assert!(missing.is_none(), "{words}: {missing:?} is missing: {told}");
            assert!(is_told, "{words}: {told}");
            return format!("exit {}", 128 + signal.as_raw());
        }
        assert!(
            expected.is_empty() && code == Some(0),
            "{words}: {:?}: {told}",
            left.status
        );
        "over before".to_owned()
    });
}

/// Commands that write files, and those.
const WRITING: [(&str, &[&str]); 16] = [
    ("run app.elf --board stm32f100rb --json out.json", &["out.json"]),
    ("run app.elf --board stm32f100rb --trace out.txt", &[]),
    ("run app.elf --board stm32f100rb --trace out.jsonl", &[]),
    ("run app.elf --board stm32f100rb --trace out.csv", &[]),
    ("run app.elf --board stm32f100rb --trace out.vcd", &[]),
    ("run app.elf --board stm32f100rb --trace out.perfetto", &[]),
    ("run hello.elf --board lm3s6965evb", &[]),
    ("run hello.elf --board lm3s6965evb --output uart0=out.txt", &[]),
    (
        "cost app.elf work --board stm32f100rb --json out.json",
        &["out.json"],
    ),
    (
        "why app.elf work --board stm32f100rb --json out.json",
        &["out.json"],
    ),
    ("measure spec.toml --json out.json", &["out.json"]),
    ("report new.json -o out.html", &["out.html"]),
    ("list cores --json out.json", &["out.json"]),
    (
        "profile app.elf --board stm32f100rb --flamegraph a.svg --folded b.txt --speedscope c.json --callgrind d.out --json f.json",
        &["a.svg", "b.txt", "c.json", "d.out", "f.json"],
    ),
    (
        "gate new.json --limits limits.toml --junit a.xml --markdown b.md --sarif c.sarif --bencher d.json",
        &["a.xml", "b.md", "c.sarif", "d.json"],
    ),
    ("gate new.json --save --baseline out.toml", &[]),
];

/// A desk with what those commands read.
fn desk() -> Desk {
    // movw r0, #0xc000; movt r0, #0x4000; movs r1, #'h'; str r1, [r0], a few times: to a UART
    let print = [&[0xf24c, 0x0000, 0xf2c4, 0x0000, 0x2168][..], &[0x6001; 20]].concat();
    let hello = Firmware::at(0, &[&print, EXIT]);
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"t/a\"\nfunction = \"work\"\n";
    let desk = Desk::new()
        .with("app.elf", calling().elf())
        .with("hello.elf", hello.elf())
        .with("spec.toml", spec)
        .with("limits.toml", "[[limit]]\nrows = \"t/*\"\nmax = 60\n");
    desk.run("measure spec.toml --json new.json").code(0);
    desk
}

/// Every file that a command writes, on a disk that is full from the first byte, or behind any other one.
#[test]
fn full_disks() {
    let desk = desk();
    let known = ["app.elf", "hello.elf", "spec.toml", "limits.toml", "new.json"];
    // What each command writes when there is room: its longest file, and what it says.
    let whole = WRITING.map(|(words, kept)| {
        let output = limited(&desk, words, 1 << 30);
        assert_eq!(output.status.code(), Some(0), "{words}: {}", output.told);
        let files = made(&desk, &known);
        assert!(
            kept.iter().all(|name| files.contains_key(*name)),
            "{words}: {:?}",
            files.keys()
        );
        for name in files.keys() {
            fs::remove_file(desk.path(name)).expect("it was there");
        }
        files
    });
    campaign("full-disk", inputs(100), |random| {
        let index = random.below(WRITING.len() as u64) as usize;
        let (words, kept) = WRITING[index];
        let longest = whole[index].values().map(Vec::len).max().unwrap_or_default() as u64;
        let most = random.below(longest + 20);
        let is_there = random.below(2) == 0;
        for name in kept.iter().filter(|_| is_there) {
            fs::write(desk.path(name), BEFORE).expect("there is room");
        }
        let left = limited(&desk, words, most);
        let files = made(&desk, &known);
        for name in files.keys() {
            let _ = fs::remove_file(desk.path(name));
        }
        check(
            &format!("{words}, {most} bytes"),
            most,
            kept,
            is_there,
            &left,
            &files,
            &whole[index],
        );
        words.split(' ').next().unwrap_or_default().to_owned()
    });
}

/// Runs with files that may have so many bytes; standard output is one of them.
fn limited(desk: &Desk, words: &str, most: u64) -> Left {
    let output = fs::File::create(desk.path("stdout.txt")).expect("there is room");
    let mut command = Command::new("prlimit");
    command
        .arg(format!("--fsize={most}"))
        .arg(program())
        .stdout(output);
    wait(start(&mut command, desk, words))
}

fn check(
    what: &str,
    most: u64,
    kept: &[&str],
    is_there: bool,
    left: &Left,
    files: &BTreeMap<String, Vec<u8>>,
    whole: &BTreeMap<String, Vec<u8>>,
) {
    let told = &left.told;
    let fits = whole.values().all(|bytes| bytes.len() as u64 <= most);
    let code = if fits { 0 } else { 2 };
    assert_eq!(left.status.code(), Some(code), "{what}: {told}");
    if !fits {
        assert!(told.contains("File too large"), "{what}: {told}");
    }
    for (name, bytes) in files {
        assert!(whole.contains_key(name), "{what}: {name} is left: {told}");
        let is_kept = kept.contains(&name.as_str());
        let was = is_kept && is_there && bytes == BEFORE.as_bytes();
        // What is written as it comes is cut; all else is there whole, or as it was.
        let is_right = if is_kept {
            was || *bytes == whole[name]
        } else {
            whole[name].starts_with(bytes) || fits
        };
        assert!(is_right, "{what}: {name} has {} bytes: {told}", bytes.len());
    }
}

/// Every file that a command can write to a device which is always full.
#[test]
fn a_full_device_is_told() {
    let desk = desk();
    for (words, _) in WRITING.iter().filter(|(words, _)| words.contains(" --")) {
        let options = words.split(' ').filter(|word| word.starts_with("--"));
        for option in
            options.filter(|option| !["--board", "--limits", "--baseline", "--output"].contains(option))
        {
            let place = words.split(' ').skip_while(|word| word != &option).nth(1);
            let command = words.replace(place.expect("a file"), "/dev/full");
            let command = match option {
                "--trace" => format!(
                    "{command} --trace-format {}",
                    match place.and_then(|name| name.rsplit('.').next()) {
                        Some("txt") | None => "text",
                        Some(end) => end,
                    }
                ),
                _ => command,
            };
            let run = desk.run(&command).code(2);
            let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
            assert!(text.contains("No space left"), "{command}: {text}");
        }
    }
}
