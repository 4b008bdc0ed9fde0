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
    [profile.release]\ncodegen-units = 1\nlto = \"fat\"\ndebug = \"full\"\n\n";

const BUILD: &str = "fn main() {\n    println!(\"cargo:rustc-link-search={}\", env!(\"CARGO_MANIFEST_DIR\"));\n    \
    println!(\"cargo:rustc-link-arg=-Tlink.x\");\n    println!(\"cargo:rustc-link-arg=--nmagic\");\n}\n";

const SOURCE: &str = "#![no_std]\n#![no_main]\n\nuse core::hint::black_box;\n\nuse cortex_m_rt::entry;\n\
    use cortex_m_semihosting::debug;\nuse panic_semihosting as _;\n\n\
    #[inline(never)]\n#[unsafe(no_mangle)]\nfn work(mut value: u32) -> u32 {\n\
    \x20   value = black_box(value) + 1;\n    value = black_box(value) + 2;\n    /* here */\n    value\n}\n\n\
    #[entry]\nfn main() -> ! {\n    black_box(work(black_box(1)));\n    loop {\n        debug::exit(debug::EXIT_SUCCESS);\n    }\n}\n";

/// What makes `work` dearer, in the place of `/* here */`.
const DEARER: &str = "value = black_box(value) + 3;";

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
        let cargo = "[build]\ntarget = \"thumbv7m-none-eabi\"\n[net]\noffline = true\n";
        let memory = "MEMORY\n{\n  FLASH : ORIGIN = 0x08000000, LENGTH = 128K\n  RAM : ORIGIN = 0x20000000, LENGTH = 8K\n}\n";
        let read = |name: &str| fs::read(folder.join(name)).expect(name);
        let desk = Desk::new()
            .with("Cargo.toml", MANIFEST)
            .with("Cargo.lock", read("firmware/Cargo.lock"))
            .with("build.rs", BUILD)
            .with("memory.x", memory)
            .with(".cargo/config.toml", cargo)
            .with("src/main.rs", SOURCE.replace("/* here */", ""));
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
        let built = top().join("target/firmware/build/thumbv7m-none-eabi/release/followed");
        fs::copy(built, self.desk.path("app.elf")).expect("it was built");
        self.desk.run(words).get_output().clone()
    }
}

#[test]
fn who_follows_the_tutorial_finds_what_became_dearer() {
    let Ok(cross) = Cross::choose() else {
        return skipped::skip("the tutorial: no compiler for firmware");
    };
    let page = fs::read_to_string(top().join("docs/tutorial.md")).expect("the page");
    let mut reader = Reader::new(cross);
    let (mut typed, mut written) = (Vec::new(), 0);
    for (kind, content) in blocks(&page) {
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
    let gate = typed
        .iter()
        .rfind(|command| command.starts_with("cargo cyclescope gate"));
    let gate = gate.expect("the page ends with a gate");
    let kept = reader.type_in(gate);
    assert!(kept.status.success() && text(&kept.stdout).contains("0 failed, 0 warned, 1 ok"));

    let dearer = SOURCE.replace("/* here */", DEARER);
    let line = dearer
        .lines()
        .position(|line| line.contains(DEARER))
        .expect("planted")
        + 1;
    fs::write(reader.desk.path("src/main.rs"), dearer).expect("ours");
    let found = reader.type_in(gate);
    let told = text(&found.stdout);
    assert_eq!(found.status.code(), Some(1), "{told}");
    assert!(
        told.contains("failed   app/work on stm32f100rb: ") && told.contains(" above the baseline of "),
        "{told}"
    );
    assert!(!told.contains("above the limit of 60"), "{told}");
    // The gate was told where it was spent.
    assert!(told.contains(&format!("at main.rs:{line} in work")), "{told}");
    // Who accepts it renews the baseline, and the page's gate is content.
    let baseline = typed
        .iter()
        .find(|command| command.starts_with("cargo cyclescope baseline"));
    assert!(
        reader
            .type_in(baseline.expect("the page has it"))
            .status
            .success()
    );
    assert!(reader.type_in(gate).status.success());
}
