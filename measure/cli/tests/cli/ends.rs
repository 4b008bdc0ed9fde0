//! How runs end that do not end by themselves: limits, time, signals; and what is kept then.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use report::Results;

use crate::Desk;
use crate::firmware::{EXIT, Firmware, NOP};

/// again: adds r0, #1; b again
const COUNT: &[u16] = &[0x3001, 0xe7fd];

/// `SYST_RVR` = all ones, `SYST_CSR` = 7; wfi for ever: an interrupt each 2^24 cycles.
fn ticking() -> Firmware {
    let start = [
        // movw r0, #0xe010; movt r0, #0xe000; mvn r1, #0xff000000; str r1, [r0, #4]; movs r1, #7; str r1, [r0]
        0xf24e, 0x0010, 0xf2ce, 0x0000, 0xf06f, 0x417f, 0x6041, 0x2107, 0x6001,
    ];
    Firmware::new(&[&start])
        .function("idle", &[&[0xbf30, 0xe7fd]])
        .handler(15, "SysTick", &[&[NOP, 0x4770]])
}

const TICK: &str = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"t/tick\"\nfrom = \"exception:SysTick\"\n\
                    to = \"exception:SysTick:exit\"\n";

fn results(desk: &Desk) -> Results {
    Results::from_json(&desk.read("out.json")).unwrap()
}

fn told(run: &snapbox::cmd::OutputAssert) -> String {
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

#[test]
fn what_never_ends_is_measured_as_far_as_runs_go() {
    let desk = Desk::new()
        .with("app.elf", ticking().elf())
        .with("spec.toml", TICK);
    let run = desk.run("measure spec.toml --json out.json").code(0);
    let text = told(&run);
    assert!(
        text.starts_with("warning: the program does not end: it was measured for 100000000 cycles\n"),
        "{text}"
    );
    let row = &results(&desk).results[0];
    assert_eq!((row.count, row.ended.as_deref()), (5, Some("limit")));
}

#[test]
fn samples_that_were_asked_for_and_did_not_come_are_told() {
    let spec = format!("{TICK}count = 9\n");
    let desk = Desk::new()
        .with("app.elf", ticking().elf())
        .with("spec.toml", spec);
    let text = told(&desk.run("measure spec.toml").code(3));
    assert!(
        text.starts_with("error: the limit of 100000000 cycles is reached\n"),
        "{text}"
    );
    assert!(text.contains("`t/tick` has 5 of its 9 samples"), "{text}");
    let text = told(&desk.run("measure spec.toml --limit 200000000").code(0));
    assert_eq!(text, "");
}

#[test]
fn a_run_may_be_for_a_time_of_the_chip() {
    // The clock of the board is 8 MHz.
    let desk = Desk::new()
        .with("app.elf", ticking().elf())
        .with("spec.toml", TICK);
    desk.run("measure spec.toml --for 5s --json out.json")
        .code(0)
        .stderr_eq("");
    let row = &results(&desk).results[0];
    assert_eq!((row.count, row.ended.as_deref()), (2, Some("time")));
    desk.run("run app.elf --board stm32f100rb --for 1ms --json out.json")
        .code(0)
        .stderr_eq("");
    let row = &results(&desk).results[0];
    assert!((8000..8100).contains(&row.max), "{}", row.max);
    desk.run("run app.elf --board stm32f100rb --cycles 8k --json out.json")
        .code(0)
        .stderr_eq("");
    let row = &results(&desk).results[0];
    assert!((8000..8100).contains(&row.max), "{}", row.max);
    assert_eq!(row.ended.as_deref(), Some("time"));
    desk.run("run app.elf --for 1ms --limit 5").code(2);
    desk.run("run app.elf --for 1ms --cycles 5").code(2);
    desk.run("run app.elf --limit 5 --cycles 5").code(2);
    desk.run("run app.elf --for 1").code(2);
}

/// A call of 41 cycles, in each of which the run is paused to look at the clock, is shorter than what is run at once.
#[test]
fn a_run_for_a_time_ends_whatever_pauses_it() {
    // again: bl work; b again
    let program = Firmware::new(&[&[0xf000, 0xf802, 0xe7fc, NOP]]).function("work", &[&[NOP; 30], &[0x4770]]);
    let desk = Desk::new().with("app.elf", program.elf());
    desk.run("cost app.elf work --board stm32f100rb --for 1ms --timeout 60s --json out.json")
        .code(0);
    let row = &results(&desk).results[0];
    assert_eq!(row.ended.as_deref(), Some("time"));
    assert!((150..300).contains(&row.count), "{}", row.count);
    // The point where a trace begins, met again and again.
    let trace = "run app.elf --board stm32f100rb --for 1ms --trace t.txt --trace-from work --trace-to work";
    desk.run(&format!("{trace} --timeout 60s")).code(0);
}

#[test]
fn a_run_in_continuous_integration_has_a_limit() {
    let desk = Desk::new().with("app.elf", ticking().elf());
    let run = snapbox::cmd::Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
        .current_dir(desk.path("."))
        .env("CI", "true")
        .args(["run", "app.elf", "--board", "stm32f100rb"])
        .assert()
        .code(3);
    let text = told(&run);
    assert!(
        text.contains("\nerror: the limit of 10000000000 cycles is reached\n"),
        "{text}"
    );
}

#[test]
fn a_program_that_prints_for_ever_fills_nothing() {
    // movw r0, #0xc000; movt r0, #0x4000; movs r1, #'h'; again: str r1, [r0]; b again
    let print = [0xf24c, 0x0000, 0xf2c4, 0x0000, 0x2168, 0x6001, 0xe7fd];
    let spec = "elf = \"app.elf\"\nboard = \"lm3s6965evb\"\nlimit = 2_000_000\n[[span]]\nid = \"t/a\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\n";
    let desk = Desk::new()
        .with("app.elf", Firmware::at(0, &[&print]).elf())
        .with("spec.toml", spec);
    let text = told(&desk.run("measure spec.toml").code(3));
    assert!(
        text.len() < 20_000 && text.contains("it printed: […]"),
        "{}",
        text.len()
    );
}

#[test]
fn a_time_limit_keeps_what_there_is() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[COUNT]).elf());
    let began = Instant::now();
    let run = desk
        .run("run app.elf --board stm32f100rb --timeout 300ms --json out.json")
        .code(3);
    assert!(began.elapsed() < Duration::from_secs(20));
    let text = told(&run);
    assert!(text.starts_with("error: cut by --timeout"), "{text}");
    let row = &results(&desk).results[0];
    assert_eq!(row.ended.as_deref(), Some("cut"));
    assert!(row.max > 1000);
}

/// Begins a run, and sends it a signal when it has begun.
fn signalled(desk: &Desk, words: &str, signal: &str) -> std::process::Output {
    let run: Child = Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
        .args(words.split_whitespace())
        .current_dir(desk.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    sleep(Duration::from_millis(600));
    let sent = Command::new("kill")
        .args([signal, &run.id().to_string()])
        .status()
        .expect("kill");
    assert!(sent.success());
    run.wait_with_output().expect("it ends")
}

#[test]
fn a_signal_ends_a_run_with_what_there_is() {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\nlimit = 1000000000000\n[[span]]\nid = \"t/round\"\nfrom = \"main\"\nto = \"main\"\n";
    let desk = Desk::new()
        .with("app.elf", Firmware::new(&[COUNT]).elf())
        .with("spec.toml", spec);
    let output = signalled(&desk, "measure spec.toml --json out.json", "-TERM");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(143), "{text}");
    assert!(text.starts_with("error: cut by SIGTERM"), "{text}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(" round "));
    let row = &results(&desk).results[0];
    assert!(row.count > 100 && row.ended.as_deref() == Some("cut"));

    let output = signalled(&desk, "run app.elf --board stm32f100rb --trace t.jsonl", "-INT");
    assert_eq!(output.status.code(), Some(130));
    let trace = desk.read("t.jsonl");
    assert!(trace.ends_with('\n'));
    let last = trace.lines().last().expect("an event");
    serde_json::from_str::<serde_json::Value>(last).expect("a whole line");
}

/// A signal that comes as all is measured cuts nothing: the exit code says that it did where a message does.
#[test]
fn an_exit_code_of_a_signal_comes_with_its_message() {
    let desk = Desk::new().with("app.elf", crate::firmware::calling().elf());
    let began = Instant::now();
    desk.run("cost app.elf work --board stm32f100rb").code(0);
    let usual = began.elapsed();
    for part in 0..16 {
        let run = Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
            .args(["cost", "app.elf", "work", "--board", "stm32f100rb"])
            .current_dir(desk.path("."))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        sleep(usual * part / 16);
        let id = run.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let output = run.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_cut = output.status.code() == Some(143);
        assert_eq!(
            is_cut,
            text.contains("cut by SIGTERM"),
            "{:?}: {text}",
            output.status
        );
    }
}

/// Each phase ends by itself, and none of them is long.
#[test]
fn a_signal_ends_a_sweep_between_two_phases() {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[raise]]\nirq = 6\nat = 5\nphases = 100000\n[[span]]\nid = \"t/a\"\nfunction = \"work\"\n";
    let app = crate::firmware::calling().handler(22, "IRQ6", &[&[0x4770]]);
    let desk = Desk::new().with("app.elf", app.elf()).with("spec.toml", spec);
    let output = signalled(&desk, "measure spec.toml --json out.json", "-INT");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(
        text.starts_with("error: cut by SIGINT: ") && text.contains(" of 100000 phases were not run"),
        "{text}"
    );
    let row = &results(&desk).results[0];
    assert!(row.count > 1 && row.ended.as_deref() == Some("cut"));
}

/// It waits for its input, where no run notices anything.
#[test]
fn a_signal_ends_a_run_that_waits_for_input() {
    // movs r0, #7; bkpt 0xab: SYS_READC
    let desk = Desk::new().with("app.elf", Firmware::new(&[&[0x2007, 0xbeab], EXIT]).elf());
    let mut run = Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
        .args(["run", "app.elf", "--board", "stm32f100rb"])
        .current_dir(desk.path("."))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let input = run.stdin.take();
    sleep(Duration::from_millis(400));
    let kill = Command::new("kill")
        .args(["-INT", &run.id().to_string()])
        .status();
    assert!(kill.expect("kill").success());
    let output = run.wait_with_output().expect("it ends");
    drop(input);
    assert_eq!(output.status.code(), Some(130));
    let told = crate::without_boards(&output.stderr);
    assert_eq!(
        String::from_utf8_lossy(&told),
        "error: cut by SIGINT, with nothing to keep\n"
    );
}

#[test]
fn results_are_written_whole_or_not_at_all() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[EXIT]).elf());
    desk.run("run app.elf --board stm32f100rb --json -").code(0);
    let output = desk.run("run app.elf --board stm32f100rb --json -").code(0);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert_eq!(Results::from_json(&text).unwrap().results.len(), 1);
    desk.run("run app.elf --board stm32f100rb --json out.json")
        .code(0);
    let before = desk.read("out.json");
    let run = desk
        .run("run app.elf --board stm32f100rb --json /dev/full")
        .code(2);
    let text = told(&run);
    assert!(text.contains("cannot be written: No space left"), "{text}");
    // Nothing lies about beside them, and the file is another one now.
    desk.run("run app.elf --board stm32f100rb --json out.json")
        .code(0);
    assert_eq!(before, desk.read("out.json"));
    let left = std::fs::read_dir(desk.path(".")).unwrap().count();
    assert_eq!(left, 2);
}

#[test]
fn where_results_go_to_standard_output_nothing_else_does() {
    let desk = Desk::new().with("app.elf", crate::firmware::calling().elf());
    let run = desk.run("cost app.elf work --board stm32f100rb --json -").code(0);
    let json = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert_eq!(Results::from_json(&json).unwrap().results.len(), 1);
    assert!(told(&run).contains(" work "), "the table");
}

/// Of which each cycle takes milliseconds.
#[test]
fn a_signal_ends_a_run_with_a_slow_script() {
    let script =
        "fn reset() { wake_in(1); }\nfn wake() { let x = 0; while x < 2000 { x += 1; } wake_in(1); }\n";
    let desk = crate::written::desk().with("slow.rhai", script);
    for words in [
        "run endless.elf --board stm32f100rb --script slow.rhai --json out.json",
        "cost endless.elf main --board stm32f100rb --script slow.rhai --json out.json",
    ] {
        let output = signalled(&desk, words, "-INT");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{words}: {text}");
        assert!(
            text.contains("the results are from the run until then"),
            "{words}: {text}"
        );
        assert!(desk.path("out.json").exists(), "{words}: {text}");
        let _ = std::fs::remove_file(desk.path("out.json"));
    }
}

/// One call takes longer than a run has to notice that it is to end.
#[test]
fn a_signal_ends_the_call_of_a_slow_script() {
    let head = "fn reset() { this.list = []; wake_in(1000); }\n";
    let wake = "fn wake() { let list = this.list; list.pad(65000, 1); let n = 0; while n < 30000 { let other = list; n += 1; } wake_in(1); }\n";
    let desk = crate::written::desk().with("slow.rhai", format!("{head}{wake}"));
    let words = "run endless.elf --board stm32f100rb --script slow.rhai --json out.json";
    let output = signalled(&desk, words, "-INT");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("the results are from the run until then"), "{text}");
    assert!(desk.path("out.json").exists(), "{text}");
}

/// What a terminal is shown of a run that goes on for two seconds, of which none is in the output.
#[test]
fn a_terminal_is_told_how_far_a_long_run_is() {
    const TERMINAL: &str = "script";
    if !skipped::installed(TERMINAL) {
        return;
    }
    let desk = Desk::new().with("app.elf", Firmware::new(&[&[NOP, 0xe7fd]]).elf());
    let program = snapbox::cmd::cargo_bin!("cyclescope").display().to_string();
    let shown = |term: &str| {
        let words = "app.elf --board stm32f100rb --limit 100000000000000 --timeout 2s";
        let run = std::process::Command::new(TERMINAL)
            .args(["-qec", &format!("{program} run {words}"), "/dev/null"])
            .current_dir(desk.path("."))
            .env("TERM", term)
            .output()
            .unwrap();
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    let told = shown("xterm");
    assert!(
        told.contains("of 100,000,000,000,000 at most, which takes "),
        "{told}"
    );
    let told = shown("dumb");
    assert!(!told.contains("at most") && !told.contains('\u{1b}'), "{told}");
}

/// They wait for a debugger, or for a file that somebody else writes.
#[test]
fn a_signal_ends_what_is_no_run() {
    let desk = Desk::new()
        .with("app.elf", Firmware::new(&[COUNT]).elf())
        .with("limits.toml", "[[limit]]\nrows = \"t/*\"\nmax = 60\n");
    let fifo = desk.path("fifo.json");
    let made = Command::new("mkfifo").arg(&fifo).status().expect("mkfifo");
    assert!(made.success());
    // A writer that writes nothing.
    let writer = std::fs::File::options().read(true).write(true).open(&fifo);
    let waiting = [
        "gdb app.elf --board stm32f100rb --port 0",
        "report fifo.json -o out.html",
        "diff fifo.json fifo.json",
        "gate fifo.json --limits limits.toml",
    ];
    let signals = [("-INT", 130), ("-TERM", 143)];
    let cases = waiting.map(|words| signals.map(|signal| (words, signal)));
    std::thread::scope(|scope| {
        for (words, (signal, code)) in cases.into_iter().flatten() {
            let desk = &desk;
            scope.spawn(move || {
                let output = signalled(desk, words, signal);
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!(output.status.code(), Some(code), "{words}: {text}");
                // What could keep something has some seconds for it.
                let at_once = text.contains(", and the session is over");
                assert_eq!(at_once, words.starts_with("gdb"), "{words}: {text}");
                assert!(
                    text.contains(&format!("cut by SIG{}", &signal[1..])),
                    "{words}: {text}"
                );
            });
        }
    });
    assert!(writer.is_ok() && !desk.path("out.html").exists());
}

/// movw r0, #0xed0c; movt r0, #0xe000; movw r1, #4; movt r1, #0x5fa; str r1, [r0]; b .
const RESET: &[u16] = &[
    0xf64e, 0x500c, 0xf2ce, 0x0000, 0xf240, 0x0104, 0xf2c0, 0x51fa, 0x6001, 0xe7fe,
];

/// A program that calls `work` and resets its chip: it does so eleven times, and every command sees each of them.
#[test]
fn a_program_that_is_always_reset_ends_and_every_listener_goes_on_behind_a_reset() {
    // bl work, which is a NOP and a return
    let program = Firmware::new(&[&[0xf000, 0xf80a], RESET]).function("work", &[&[NOP, 0x4770]]);
    let desk = Desk::new().with("app.elf", program.elf());
    let text = told(&desk.run("run --board stm32f100rb app.elf").code(3));
    assert_eq!(
        text.matches("note: the chip was reset by the program in cycle")
            .count(),
        3,
        "{text}"
    );
    assert!(
        text.contains("error: the chip was reset again, by the program, after 10 resets\n"),
        "{text}"
    );
    assert!(
        text.contains("`--on-reset stop` ends the run at the first reset"),
        "{text}"
    );
    let text = told(
        &desk
            .run("run --board stm32f100rb --on-reset stop app.elf")
            .code(3),
    );
    assert!(
        text.starts_with("error: the chip was reset by the program\n"),
        "{text}"
    );
    desk.run("run --board stm32f100rb --trace all.txt app.elf")
        .code(3);
    let trace = desk.read("all.txt");
    let is_reset = |line: &&str| line.split_whitespace().nth(1) == Some("reset");
    assert_eq!(trace.lines().filter(is_reset).count(), 10);
    for format in ["all.jsonl", "all.csv", "all.vcd", "all.perfetto"] {
        desk.run(&format!("run --board stm32f100rb --trace {format} app.elf"))
            .code(3);
    }
    desk.run("cost --board stm32f100rb app.elf work --json out.json")
        .code(3);
    let counts = results(&desk)
        .results
        .iter()
        .map(|row| (row.count, row.unfinished))
        .collect::<Vec<_>>();
    assert!(counts.contains(&(11, 0)), "{counts:?}");
    desk.run("profile --board stm32f100rb app.elf --json profile.json")
        .code(3);
    assert!(desk.read("profile.json").contains("\"work\""));
}
