//! Tests of firmware, run as a cargo runner does.

use crate::Desk;
use crate::firmware::Firmware;

/// Asks for its command line, `run_addr ADDRESS`, and calls what is there: what embedded-test does.
const MAIN: &[u16] = &[
    0xf240, 0x0400, 0xf2c2, 0x0400, // r4 = 0x2000_0000
    0x2050, // movs r0, #80
    0xf8c4, 0x4080, 0xf8c4, 0x0084, // the place, and its length
    0x4621, 0x3180, 0x2015, 0xbeab, // SYS_GET_CMDLINE
    0x3409, 0x2200, 0x230a, // behind `run_addr `: a decimal number
    0x7821, 0x2900, 0xd005, 0x3930, 0xfb03, 0xf202, 0x440a, 0x3401, 0xe7f6, 0x4790, // blx r2
    0xe7fe,
];
/// `SYS_EXIT_EXTENDED` with the code in r0.
const EXIT: &[u16] = &[
    0xf240, 0x0400, 0xf2c2, 0x0400, 0xf240, 0x0126, 0xf2c0, 0x0102, 0x6021, 0x6060, 0x4621, 0x2020, 0xbeab,
];
/// Prints `no`.
const SAYS: &[u16] = &[
    0xf240, 0x0400, 0xf2c2, 0x0400, 0xf646, 0x716e, 0xf2c0, 0x010a, 0x6021, 0x4621, 0x2004, 0xbeab,
];
/// The exit code of a panic.
const PANICS: &[u16] = &[0x2086];
const PASSES: &[u16] = &[0x2000];
const FOREVER: &[u16] = &[0xe7fe];

/// The name of embedded-test's variable for a test.
fn symbol(name: &str, more: &str) -> String {
    format!(r#"{{"disambiguator":1,"name":"{name}",{more}}}"#)
}

const PLAIN: &str = r#""ignored":false,"should_panic":false"#;
const PANIC: &str = r#""ignored":false,"should_panic":true"#;
const IGNORED: &str = r#""ignored":true,"should_panic":false"#;
const SHORT: &str = r#""ignored":false,"should_panic":false,"timeout":1"#;

/// Two that pass, one of them by its panic.
pub(crate) fn passing() -> Firmware {
    Firmware::new(&[MAIN])
        .function("first", &[PASSES, EXIT])
        .test(&symbol("passes", PLAIN), "app::tests")
        .function("second", &[PANICS, EXIT])
        .test(&symbol("panics", PANIC), "app::tests")
}

/// And one in each way in which it can fail.
fn failing() -> Firmware {
    passing()
        .function("third", &[SAYS, PANICS, EXIT])
        .test(&symbol("says_no", PLAIN), "app::tests::inner")
        .function("fourth", &[PASSES, EXIT])
        .test(&symbol("never_panics", PANIC), "app")
        .function("fifth", &[&[0xde00]])
        .test(&symbol("crashes", PLAIN), "app::tests")
        .function("sixth", &[PANICS, EXIT])
        .test(&symbol("left_out", IGNORED), "app::tests")
        .function("seventh", &[FOREVER])
        .test(&symbol("loops", SHORT), "app::tests")
}

fn desk() -> Desk {
    Desk::new()
        .with("good.elf", passing().elf())
        .with("bad.elf", failing().elf())
        .with("app.elf", Firmware::new(&[PASSES, EXIT]).elf())
}

fn out(desk: &Desk, command: &str, code: i32) -> String {
    let run = desk.run(command).code(code);
    String::from_utf8_lossy(&run.get_output().stdout).into_owned()
}

const BOARD: &str = "--board stm32f100rb";

#[test]
fn tests_are_told_of_as_by_rusts_own_harness() {
    let desk = desk();
    let text = out(&desk, &format!("test good.elf {BOARD}"), 0);
    let expected = "\nrunning 2 tests\n\
                    test tests::passes ... ok\n\
                    test tests::panics - should panic ... ok\n\n\
                    test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    assert_eq!(text, expected);
    // `run` knows such a program, and takes the words of the harness behind it.
    assert_eq!(out(&desk, &format!("run {BOARD} good.elf"), 0), expected);
    let text = out(&desk, &format!("run {BOARD} good.elf passes --exact -q"), 0);
    assert!(
        text.contains("running 0 tests") && text.contains("2 filtered out"),
        "{text}"
    );
    let text = out(&desk, &format!("run {BOARD} good.elf passes -q"), 0);
    assert!(
        text.starts_with("\nrunning 1 test\n.\n") && text.contains("1 filtered out"),
        "{text}"
    );
    let listed = "tests::passes: test\ntests::panics: test\n";
    // As cargo gives it, with an option at the head.
    let text = out(&desk, &format!("run {BOARD} good.elf --list --format terse"), 0);
    assert_eq!(text, listed);
    let text = out(
        &desk,
        &format!("run good.elf {BOARD} --exact tests::passes -q"),
        0,
    );
    assert!(text.starts_with("\nrunning 1 test\n.\n"), "{text}");
    // Another program's options are behind `--`.
    let run = desk.run("run app.elf --lmit 5").code(2);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(text.contains("'--lmit'") && text.contains("'--limit'"), "{text}");
    out(&desk, "run app.elf -- --lmit 5", 0);
    assert_eq!(out(&desk, "test good.elf --list --format terse", 0), listed);
    assert_eq!(
        out(&desk, "test good.elf --list", 0),
        format!("{listed}\n2 tests, 0 benchmarks\n")
    );
    let run = desk.run(&format!("run {BOARD} good.elf --no-such-word")).code(2);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(text.contains("--no-such-word"), "{text}");
    let run = desk.run("test app.elf").code(2);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        text.contains("there is no test in it") && text.contains("embedded-test"),
        "{text}"
    );
}

#[test]
fn each_way_to_fail_is_told() {
    let desk = desk();
    let text = out(&desk, &format!("test bad.elf {BOARD}"), 1);
    for part in [
        "running 7 tests\n",
        "test never_panics - should panic ... FAILED\n",
        "test tests::passes ... ok\n",
        "test tests::left_out ... ignored\n",
        "test tests::crashes ... FAILED\n",
        "test tests::loops ... FAILED\n",
        "---- tests::inner::says_no stdout ----\nno\nerror: the firmware ended with exit code 134\n",
        "---- never_panics stdout ----\nit did not panic as it should\n",
        "\nfailures:\n    never_panics\n    tests::crashes\n    tests::inner::says_no\n    tests::loops\n",
        "test result: FAILED. 2 passed; 4 failed; 1 ignored; 0 measured; 0 filtered out",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    // What goes to standard error, as this does, is not kept.
    let text = out(
        &desk,
        &format!("test bad.elf {BOARD} says --nocapture --report-time"),
        1,
    );
    assert!(
        text.contains("says_no ... FAILED <0.0000") && !text.contains("----\nno\n"),
        "{text}"
    );
    let text = out(&desk, &format!("test bad.elf {BOARD} --ignored"), 1);
    assert!(
        text.contains("running 1 test\n") && text.contains("left_out"),
        "{text}"
    );
    let text = out(
        &desk,
        &format!("test bad.elf {BOARD} left_out --include-ignored --skip inner"),
        1,
    );
    assert!(text.contains("1 failed"), "{text}");
}

#[test]
fn what_lists_tests_in_another_way_is_refused() {
    let desk = desk();
    let wrong = |firmware: Firmware| {
        let desk = Desk::new().with("wrong.elf", firmware.elf());
        let run = desk.run("test wrong.elf").code(2);
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    let text = wrong(passing().test("{\"name\":", "app"));
    assert!(text.contains("is not a test"), "{text}");
    // A path that lies nowhere: the name alone.
    let mut elf = passing().elf();
    let at = elf.windows(10).position(|bytes| bytes == b"app::tests").unwrap();
    elf[at] = b' ';
    let desk = desk.with("odd.elf", elf);
    let text = out(&desk, "test odd.elf --list", 0);
    assert!(text.contains("passes: test"), "{text}");
}

/// What tests print is lost as little as what `run` passes on: nobody reads it any more.
#[test]
fn tests_end_when_nobody_reads_their_output() {
    // movw r0, #0xc000; movt r0, #0x4000; movs r1, #'h'; again: str r1, [r0]; b again
    let print: &[u16] = &[0xf24c, 0x0000, 0xf2c4, 0x0000, 0x2168, 0x6001, 0xe7fd];
    let app = Firmware::at(0, &[MAIN])
        .function("prints", &[print])
        .test(&symbol("prints", PLAIN), "app::tests")
        .function("second", &[PASSES, EXIT])
        .test(&symbol("not_begun", PLAIN), "app::tests");
    let desk = Desk::new().with("out.elf", app.elf());
    let mut run = std::process::Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
        .args([
            "test",
            "out.elf",
            "--board",
            "lm3s6965evb",
            "--nocapture",
            "--limit",
            "3000000",
        ])
        .current_dir(desk.path("."))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut output = run.stdout.take().expect("a pipe");
    std::io::Read::read_exact(&mut output, &mut [0; 60]).expect("it prints");
    drop(output);
    assert_eq!(run.wait().expect("it ends").code(), Some(141));
}

#[test]
fn a_clock_beyond_the_rating_is_told_once() {
    let board = "like = \"stm32f100rb\"\nname = \"mine\"\nclock_hz = 72_000_000\n";
    let run = desk()
        .with("fast.toml", board)
        .run("test good.elf --board fast.toml")
        .code(0);
    let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    let says = "the core ran at 72 MHz, and the chip of board `mine` is rated for 24 MHz";
    assert_eq!(told.matches(says).count(), 1, "{told}");
}
