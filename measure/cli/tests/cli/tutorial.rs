//! `docs/tutorial.md`, followed word for word with cargo and a compiler: its files are written and its commands typed, in its order. Then
//! the path that it watches becomes dearer, by less than its fixed limit allows, and the gate has to find it.

use std::fs;
use std::process::Output;

use xtask::cross::Cross;

use crate::Desk;
use crate::bench::{cargo_cyclescope, text, top};

/// The reader's firmware, which has no file of Cyclescope's yet.
const MANIFEST: &str = "[package]\nname = \"followed\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
    [[bin]]\nname = \"followed\"\npath = \"src/main.rs\"\ntest = false\nbench = false\n\n\
    [dependencies]\ncortex-m = \"0.7.7\"\ncortex-m-rt = \"0.7.5\"\ncortex-m-semihosting = \"0.5.0\"\n\
    panic-semihosting = { version = \"0.6.0\", features = [\"exit\"] }\n\n\
    [profile.release]\nopt-level = \"s\"\ncodegen-units = 1\nlto = \"fat\"\ndebug = \"full\"\n\n";

const BUILD: &str = "fn main() {\n    println!(\"cargo:rustc-link-search={}\", env!(\"CARGO_MANIFEST_DIR\"));\n    \
    println!(\"cargo:rustc-link-arg=-Tlink.x\");\n    println!(\"cargo:rustc-link-arg=--nmagic\");\n}\n";

const SOURCE: &str = include_str!("tutorial/motor.rs");

/// A change by which the firmware becomes dearer.
struct Planted {
    name: &'static str,
    /// What is replaced in the source, and by what.
    change: (&'static str, &'static str),
    /// The row that fails first.
    row: &'static str,
    /// A text of the line of the source that is to blame.
    line: &'static str,
    /// What the reason says.
    says: &'static str,
}

const PLANTED: [Planted; 6] = [
    Planted {
        name: "one more instruction in a loop",
        change: ("gain(sample));", "gain(sample)).rotate_left(1);"),
        row: "app/work",
        line: "gain(sample)).rotate_left(1);",
        says: "is new",
    },
    Planted {
        name: "a slow path in an interrupt, taken every 37th time",
        change: (
            "    TICKS.store(ticks, Relaxed);\n",
            "    TICKS.store(ticks, Relaxed);\n    if ticks % 37 == 0 {\n        for turn in 0..9 { black_box(turn); }\n    }\n",
        ),
        row: "app/tick",
        line: "for turn in 0..9",
        says: "are new",
    },
    Planted {
        name: "a local array of 160 bytes",
        change: (
            "    black_box(sum) / 3",
            "    let mut history = [sum; 40];\n    black_box(&mut history)[7] / 3",
        ),
        row: "app/work-stack",
        line: "fn scale(",
        says: "its frame grew from ",
    },
    Planted {
        name: "a wrapping_add that became a checked one",
        change: (
            "sum.wrapping_add(gain(sample));",
            "sum.checked_add(gain(sample)).unwrap();",
        ),
        row: "app/work",
        line: "sum.checked_add(gain(sample)).unwrap();",
        says: "`checked_add`",
    },
    Planted {
        name: "a wait state of the flash more",
        change: ("WAIT_STATES: u32 = 2;", "WAIT_STATES: u32 = 3;"),
        row: "app/work",
        // Where its fetches wait.
        line: "for &sample in samples",
        says: "the memory has other wait states",
    },
    Planted {
        name: "a callee that is no longer inlined",
        change: ("#[inline(always)]\nfn gain", "#[inline(never)]\nfn gain"),
        row: "app/work",
        line: "sum.wrapping_add(gain(sample));",
        says: "`gain` is no longer inlined into `work`",
    },
];

/// A block of code of the page: what kind it is, and its lines.
fn blocks(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let inside = page.split("```").skip(1).step_by(2);
    inside.filter_map(|block| block.split_once('\n'))
}

struct Reader {
    desk: Desk,
    cross: Cross,
}

impl Reader {
    fn new(cross: Cross) -> Reader {
        let folder = top();
        let cargo = "[build]\ntarget = \"thumbv7em-none-eabihf\"\n[net]\noffline = true\n";
        let memory = "MEMORY\n{\n  FLASH : ORIGIN = 0x08000000, LENGTH = 1M\n  RAM : ORIGIN = 0x20000000, LENGTH = 112K\n}\n";
        let read = |name: &str| fs::read(folder.join(name)).expect(name);
        let desk = Desk::new()
            .with("Cargo.toml", MANIFEST)
            .with("Cargo.lock", read("firmware/Cargo.lock"))
            .with("build.rs", BUILD)
            .with("memory.x", memory)
            .with(".cargo/config.toml", cargo)
            .with("src/main.rs", SOURCE);
        Reader { desk, cross }
    }

    /// A file that the page shows, whose name stands in its first line; the manifest has the rest of it already.
    fn write(&mut self, name: &str, content: &str) {
        let before = if name == "Cargo.toml" { MANIFEST } else { "" };
        let path = self.desk.path(name);
        fs::write(path, format!("{before}{content}")).expect("ours");
    }

    fn type_in(&self, command: &str) -> Output {
        if let Some(words) = command.strip_prefix("cargo cyclescope ") {
            return cargo_cyclescope(self.cross, &self.desk.path("."), words);
        }
        let words = command.strip_prefix("cyclescope ").expect(command);
        // What cargo built is where the reader's own cargo would have put it.
        let built = top().join("target/firmware/build/thumbv7em-none-eabihf/release/followed");
        fs::copy(built, self.desk.path("app.elf")).expect("it was built");
        self.desk.run(words).get_output().clone()
    }
}

/// The reader, who has written each file of the page and typed its commands in their order; also returns the commands.
fn follow(cross: Cross, page: &str) -> (Reader, Vec<&str>) {
    let mut reader = Reader::new(cross);
    let (mut typed, mut written) = (Vec::new(), 0);
    for (kind, content) in blocks(page) {
        let first = content.lines().next().unwrap_or_default();
        match (kind, first.strip_prefix("# ")) {
            ("toml", Some(name)) => {
                reader.write(name, content);
                written += 1;
            }
            ("console", _) => {
                for command in content.lines().filter_map(|line| line.strip_prefix("$ ")) {
                    let run = reader.type_in(command);
                    assert!(run.status.success(), "{command}: {}", text(&run.stderr));
                    typed.push(command);
                }
            }
            // The workflows' steps are another test's.
            ("yaml", _) => {}
            _ => panic!("what is this? {kind} {content}"),
        }
    }
    assert!(written == 3 && typed.len() >= 7, "{typed:?}");
    (reader, typed)
}

/// The lines of the source with this text, from 1.
fn lines_of(source: &str, part: &str) -> Vec<usize> {
    let lines = (1..).zip(source.lines());
    lines
        .filter(|(_, line)| line.contains(part))
        .map(|(number, _)| number)
        .collect()
}

/// What a failing gate says of a row: its reasons, the first of which is why the limit is exceeded.
fn reasons<'a>(told: &'a str, row: &str) -> Vec<&'a str> {
    let start = format!("failed   {row} on ");
    let lines = told.lines().skip_while(|line| !line.starts_with(&start)).skip(1);
    lines.map_while(|line| line.strip_prefix("         ")).collect()
}

#[test]
fn who_follows_the_tutorial_finds_what_became_dearer() {
    let Ok(cross) = Cross::choose() else {
        return skipped::skip("the tutorial: no compiler for firmware");
    };
    let page = fs::read_to_string(top().join("docs/tutorial.md")).expect("the page");
    let (reader, typed) = follow(cross, &page);
    let command = |with: &str| {
        let mut commands = typed
            .iter()
            .filter(|line| line.starts_with("cargo cyclescope gate"));
        *commands
            .rfind(|line| line.contains(with))
            .expect("the page has it")
    };
    let (gate, save) = (command("--annotate"), command("--save"));
    assert!(!gate.contains("--save"));
    let kept = reader.type_in(gate);
    assert!(kept.status.success() && text(&kept.stdout).contains("0 failed, 0 warned, 3 ok"));
    let baseline = reader.desk.read("cyclescope-baseline.json");
    let folder = reader.desk.path(".").canonicalize().expect("it is there");
    assert!(
        !baseline.contains(folder.to_str().expect("text")) && !baseline.contains("\"/"),
        "{baseline}"
    );
    for planted in PLANTED {
        let (what, by) = planted.change;
        assert_eq!(SOURCE.matches(what).count(), 1, "{}", planted.name);
        let source = SOURCE.replace(what, by);
        fs::write(reader.desk.path("src/main.rs"), &source).expect("ours");
        let found = reader.type_in(gate);
        let told = text(&found.stdout);
        assert_eq!(found.status.code(), Some(1), "{}: {told}", planted.name);
        let reasons = reasons(&told, planted.row);
        assert!(
            reasons[0].contains(" above the baseline of "),
            "{}: {told}",
            planted.name
        );
        let line = lines_of(&source, planted.line)[0];
        let first = reasons[1];
        assert!(
            first.contains(&format!(" at src/main.rs:{line} in ")),
            "{}: {told}",
            planted.name
        );
        assert!(first.contains(planted.says), "{}: {told}", planted.name);
        let annotation = format!(
            "::error file=src/main.rs,line={line}::{} on stm32f407: ",
            planted.row
        );
        assert!(told.contains(&annotation), "{}: {told}", planted.name);
    }
    // Who accepts the last one renews the baseline, and the page's gate is content.
    assert!(reader.type_in(save).status.success());
    assert!(reader.type_in(gate).status.success());
    // The same results give the same baseline.
    let renewed = reader.desk.read("cyclescope-baseline.json");
    fs::write(reader.desk.path("src/main.rs"), SOURCE).expect("ours");
    assert!(reader.type_in(save).status.success());
    assert_eq!(reader.desk.read("cyclescope-baseline.json"), baseline);
    assert_ne!(renewed, baseline);
}
