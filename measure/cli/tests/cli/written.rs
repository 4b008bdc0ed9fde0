//! Files that commands write: what they may not be, and what is left when one of them cannot be written.

use std::process::Command;

use crate::Desk;
use crate::firmware::Firmware;

/// again: adds r0, #1; b again
const COUNT: &[u16] = &[0x3001, 0xe7fd];

fn told(run: &snapbox::cmd::OutputAssert) -> String {
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

/// Every other command that writes a file and says something of it.
#[test]
fn a_file_on_standard_output_has_it_for_itself() {
    let desk = desk();
    let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    for words in [
        "gate new.json --save --baseline -",
        "diff new.json new.json --json -",
        "gate new.json --limits limits.toml --sarif -",
        "why app.elf work --board stm32f100rb --json -",
        "profile app.elf --board stm32f100rb --json -",
    ] {
        let run = desk.run(words).code(0);
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        assert!(is_json(&text) && !told(&run).is_empty(), "{words}: {text}");
    }
    let run = desk.run("report new.json -o -").code(0);
    let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(text.trim_end().ends_with("</html>"), "{text}");
    // A device has no rows from before, and nothing takes its place.
    let link = desk.path("out");
    std::os::unix::fs::symlink("/proc/self/fd/1", &link).expect("there is room");
    let run = desk.run("gate new.json --save --baseline out").code(0);
    assert!(link.is_symlink());
    let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(text.contains("1 row, 1 new, 0 renewed"), "{text}");
}

/// What a command reads is not what it writes, however it comes to read it.
#[test]
fn nothing_is_written_over_what_is_read() {
    let desk = desk().with("wake.rhai", "fn wake() { }").with(
        "mine.toml",
        "like = \"stm32f100rb\"\nname = \"mine\"\ndescription = \"mine\"\n",
    );
    let spec = desk.read("spec.toml").replace("stm32f100rb", "mine.toml");
    let desk = desk.with("mine-spec.toml", spec);
    for (words, file) in [
        ("measure spec.toml --json app.elf", "app.elf"),
        ("measure mine-spec.toml --json mine.toml", "mine.toml"),
        ("report spec.toml -o app.elf", "app.elf"),
        (
            "run app.elf --board stm32f100rb --script wake.rhai --json wake.rhai",
            "wake.rhai",
        ),
        (
            "cost app.elf work --board stm32f100rb --script wake.rhai --json wake.rhai",
            "wake.rhai",
        ),
        (
            "why app.elf work --board stm32f100rb --script wake.rhai --json wake.rhai",
            "wake.rhai",
        ),
        (
            "profile app.elf --board stm32f100rb --script wake.rhai --json wake.rhai",
            "wake.rhai",
        ),
        (
            "run app.elf --board stm32f100rb --input usart1=spec.toml --trace spec.toml",
            "spec.toml",
        ),
        (
            "gate new.json --limits limits.toml --junit limits.toml",
            "limits.toml",
        ),
        ("gate new.json --limits limits.toml --sarif new.json", "new.json"),
        (
            "gate new.json --limits limits.toml --baseline app.elf --markdown app.elf",
            "app.elf",
        ),
        ("gate new.json --limits limits.toml --junit a --sarif a", "a"),
    ] {
        let before = std::fs::read(desk.path(file)).ok();
        let run = desk.run(words).code(2);
        assert!(
            told(&run).contains("are the same file"),
            "{words}: {}",
            told(&run)
        );
        assert_eq!(std::fs::read(desk.path(file)).ok(), before, "{words}");
    }
}

/// A file that cannot be written keeps neither the others nor what was found from whoever asked.
#[test]
fn what_cannot_be_written_takes_nothing_else_along() {
    let desk = desk().with("low.toml", "[[limit]]\nrows = \"t/*\"\nmax = 1\n");
    let run = desk
        .run("gate new.json --limits low.toml --junit /dev/full --markdown gate.md")
        .code(2);
    let text = told(&run);
    assert!(
        text.contains("No space left") && text.contains("limit exceeded"),
        "{text}"
    );
    assert!(desk.path("gate.md").exists());
    desk.run("diff new.json new.json --json /dev/full --markdown diff.md")
        .code(2);
    assert!(desk.path("diff.md").exists());
    let run = desk
        .run("profile endless.elf --board stm32f100rb --limit 1000 --json /dev/full --folded out.folded --flamegraph out.svg")
        .code(3);
    let text = told(&run);
    assert!(
        text.contains("No space left") && text.contains("limit of 1000 cycles"),
        "{text}"
    );
    assert!(desk.path("out.folded").exists() && desk.path("out.svg").exists());
}

/// A program, a spec of it, its results and a limit that they keep.
pub(crate) fn desk() -> Desk {
    let spec = "elf = \"app.elf\"\nboard = \"stm32f100rb\"\n[[span]]\nid = \"t/a\"\nfunction = \"work\"\n";
    let desk = Desk::new()
        .with("app.elf", crate::firmware::calling().elf())
        .with("endless.elf", Firmware::new(&[COUNT]).elf())
        .with("limits.toml", "[[limit]]\nrows = \"t/*\"\nmax = 60\n")
        .with("spec.toml", spec);
    desk.run("measure spec.toml --json new.json").code(0);
    desk
}

/// Results that come through a pipe are read once, and one without a writer is not waited for.
#[test]
fn results_may_come_through_pipes() {
    let desk = desk();
    let program = snapbox::cmd::cargo_bin!("cyclescope").display().to_string();
    let output = Command::new("sh")
        .args([
            "-c",
            &format!("cat new.json | {program} diff /dev/stdin new.json"),
        ])
        .current_dir(desk.path("."))
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.ends_with("0 dearer, 0 cheaper, 0 new, 0 gone, 1 the same\n"),
        "{text}"
    );
    let made = Command::new("mkfifo").arg(desk.path("pipe")).status();
    assert!(made.expect("mkfifo").success());
    let run = desk.run("diff pipe new.json").code(2);
    assert!(
        told(&run).contains("nobody is at its other end"),
        "{}",
        told(&run)
    );
}
