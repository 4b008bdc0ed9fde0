//! Fetches published examples from crates.io in fixed versions, builds them, runs them unchanged, and writes the outcomes into a page.
//! Examples published elsewhere were run by hand; their outcomes are in a separate file.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cross::Cross;
use crate::prices::simulator;
use crate::shell::{cargo, output, output_logged, say};
use crate::{root, target_dir};

const HEAD: &str = "# Programs that we tried\n\n\
    <!-- Written by `./x others compatibility`; firmware/compatibility.md has the programs that were tried by hand. Do not edit. -->\n\n\
    These are other people's programs, unchanged, in the versions that were run. *Runs* means that the program did what its authors say, for as\n\
    long as we watched it; a program that should end did end. If a program stops, its row says what is missing, and a\n\
    [board file](boards.md) can add it.\n\n\
    ## From crates.io\n\n\
    | crate | example | board | cycles | outcome | first output |\n|---|---|---|---|---|---|\n";

/// The examples of one crate.
struct Recipe {
    name: &'static str,
    version: &'static str,
    features: &'static str,
    target: &'static str,
    board: &'static str,
    /// Addresses and sizes of flash and RAM in `memory.x`; an RP2040 has `BOOT2` before its flash.
    memory: &'static str,
    /// Linker scripts.
    scripts: &'static [&'static str],
    /// Crates that the examples need in another version than the manifest asks for, with reasons for the page: published examples are not
    /// rebuilt when their dependencies move on.
    instead: &'static [Instead],
    examples: &'static [Example],
}

/// A dependency in another version.
struct Instead {
    name: &'static str,
    version: &'static str,
    why: &'static str,
}

/// An example, the number of cycles to run it for, and further arguments of `cyclescope run`.
type Example = (&'static str, u64, &'static [&'static str]);

const F411: &str = "FLASH : ORIGIN = 0x08000000, LENGTH = 512K\nRAM : ORIGIN = 0x20000000, LENGTH = 128K";
const G491: &str = "FLASH : ORIGIN = 0x08000000, LENGTH = 512K\nRAM : ORIGIN = 0x20000000, LENGTH = 96K";
const L432: &str = "FLASH : ORIGIN = 0x08000000, LENGTH = 256K\nRAM : ORIGIN = 0x20000000, LENGTH = 48K";
const F100: &str = "FLASH : ORIGIN = 0x08000000, LENGTH = 128K\nRAM : ORIGIN = 0x20000000, LENGTH = 8K";
const LM3S: &str = "FLASH : ORIGIN = 0x00000000, LENGTH = 256K\nRAM : ORIGIN = 0x20000000, LENGTH = 64K";
const RP2040: &str = "BOOT2 : ORIGIN = 0x10000000, LENGTH = 0x100\nFLASH : ORIGIN = 0x10000100, LENGTH = 2048K - 0x100\n\
                      RAM : ORIGIN = 0x20000000, LENGTH = 256K";

const RECIPES: &[Recipe] = &[
    Recipe {
        name: "stm32f4xx-hal",
        version: "0.23.0",
        features: "stm32f411,tim2,rtic1,otg-fs,usb_fs",
        target: "thumbv7em-none-eabihf",
        board: "stm32f411",
        memory: F411,
        scripts: &["link.x", "defmt.x"],
        instead: &[],
        examples: &[
            ("blinky-timer-irq", 20_000_000, &[]),
            ("delay-syst-blinky", 20_000_000, &[]),
            ("delay-timer-blinky", 20_000_000, &[]),
            ("dynamic-gpio", 5_000_000, &[]),
            ("i2c_scanner", 20_000_000, &[]),
            ("pwm", 20_000_000, &[]),
            ("pwm-dead-time", 10_000_000, &[]),
            ("qei", 10_000_000, &[]),
            ("rtc", 40_000_000, &[]),
            ("rtic-adc-dma", 20_000_000, &["--stimulus", "ADC1.9@0=2048"]),
            ("rtic-tick", 20_000_000, &[]),
            ("rtic-usb-cdc-echo", 10_000_000, &[]),
            ("serial", 10_000_000, &[]),
            ("spi-dma", 20_000_000, &[]),
            ("stopwatch-with-ssd1306-and-interrupts", 10_000_000, &[]),
            ("timer-periph", 20_000_000, &[]),
        ],
    },
    Recipe {
        name: "stm32g4xx-hal",
        version: "0.1.0",
        features: "stm32g491,rt",
        target: "thumbv7em-none-eabihf",
        board: "stm32g491",
        memory: G491,
        // The crate's build script passes the linker script.
        scripts: &[],
        instead: &[],
        examples: &[
            ("adc-one-shot", 10_000_000, &["--stimulus", "ADC2.3@0=2048"]),
            ("blinky", 10_000_000, &[]),
            ("button", 10_000_000, &[]),
            ("i2c", 10_000_000, &[]),
            ("pwm", 10_000_000, &[]),
            ("rand", 10_000_000, &[]),
            ("spi-example", 10_000_000, &[]),
            ("uart", 10_000_000, &[]),
            ("uart-dma-tx", 10_000_000, &[]),
        ],
    },
    Recipe {
        name: "stm32l4xx-hal",
        version: "0.7.1",
        features: "stm32l432,rt,unproven",
        target: "thumbv7em-none-eabihf",
        board: "stm32l432",
        memory: L432,
        scripts: &["link.x"],
        instead: &[],
        examples: &[
            ("adc", 10_000_000, &[]),
            ("blinky", 10_000_000, &[]),
            ("rng", 10_000_000, &[]),
            ("rtc", 20_000_000, &[]),
            ("serial", 10_000_000, &[]),
            ("serial_echo_rtic", 10_000_000, &[]),
            ("spi_write", 10_000_000, &[]),
            ("timer", 10_000_000, &[]),
        ],
    },
    Recipe {
        name: "stm32f1xx-hal",
        version: "0.11.0",
        features: "stm32f100,medium",
        target: "thumbv7m-none-eabi",
        board: "stm32f100rb",
        memory: F100,
        scripts: &["link.x"],
        instead: &[],
        examples: &[
            ("adc", 10_000_000, &[]),
            ("blinky", 20_000_000, &[]),
            ("blinky_timer_irq", 20_000_000, &[]),
            ("delay", 10_000_000, &[]),
            ("pwm", 10_000_000, &[]),
            ("serial", 10_000_000, &["--stimulus", "USART3@100000=x"]),
        ],
    },
    Recipe {
        name: "cortex-m-rtic",
        version: "1.1.4",
        features: "",
        target: "thumbv7m-none-eabi",
        board: "lm3s6965evb",
        memory: LM3S,
        scripts: &["link.x"],
        instead: &[Instead {
            name: "lm3s6965",
            version: "0.2.0",
            why: "the macros now need interrupts that are `Copy`, and those of 0.1.3 are not",
        }],
        examples: &[
            ("hardware", 1_000_000, &[]),
            ("init", 1_000_000, &[]),
            ("lock", 1_000_000, &[]),
            ("message_passing", 1_000_000, &[]),
            ("preempt", 1_000_000, &[]),
            ("schedule", 40_000_000, &[]),
            ("shared", 1_000_000, &[]),
            ("spawn", 1_000_000, &[]),
        ],
    },
    Recipe {
        name: "cortex-m-rt",
        version: "0.7.5",
        features: "",
        target: "thumbv7m-none-eabi",
        board: "lm3s6965evb",
        memory: LM3S,
        scripts: &["link.x"],
        instead: &[],
        examples: &[
            ("alignment", 1_000_000, &[]),
            ("divergent-exception", 1_000_000, &[]),
            ("main", 1_000_000, &[]),
            ("override-exception", 1_000_000, &[]),
            ("pre_init", 1_000_000, &[]),
            ("state", 40_000_000, &[]),
        ],
    },
    Recipe {
        name: "rp2040-hal",
        version: "0.9.2",
        features: "rt,critical-section-impl",
        target: "thumbv6m-none-eabi",
        board: "rp2040",
        memory: RP2040,
        scripts: &["link.x"],
        instead: &[],
        examples: &[
            ("adc", 20_000_000, &["--stimulus", "ADC.0@0=2048"]),
            ("adc_fifo_dma", 20_000_000, &[]),
            ("adc_fifo_irq", 20_000_000, &[]),
            ("adc_fifo_poll", 20_000_000, &[]),
            ("blinky", 30_000_000, &[]),
            ("gpio_in_out", 10_000_000, &[]),
            (
                "gpio_irq_example",
                10_000_000,
                &["--stimulus", "SIO.26@1000000=low"],
            ),
            ("i2c", 10_000_000, &[]),
            ("mem_to_mem_dma", 10_000_000, &[]),
            ("multicore_fifo_blink", 10_000_000, &[]),
            ("pio_blink", 10_000_000, &[]),
            ("pwm_blink", 10_000_000, &[]),
            ("rom_funcs", 10_000_000, &[]),
            ("rosc_as_system_clock", 10_000_000, &[]),
            ("spi", 10_000_000, &[]),
            ("spi_dma", 10_000_000, &[]),
            ("uart", 10_000_000, &[]),
            ("uart_dma", 10_000_000, &[]),
            ("vector_table", 30_000_000, &[]),
            ("watchdog", 30_000_000, &[]),
        ],
    },
    Recipe {
        name: "rp-pico",
        version: "0.9.0",
        features: "",
        target: "thumbv6m-none-eabi",
        board: "rp2040",
        memory: RP2040,
        scripts: &["link.x"],
        instead: &[],
        examples: &[
            ("pico_blinky", 30_000_000, &[]),
            ("pico_countdown_blinky", 30_000_000, &[]),
            ("pico_gpio_in_out", 10_000_000, &[]),
            ("pico_interpolator", 10_000_000, &[]),
            ("pico_pwm_blink", 10_000_000, &[]),
            ("pico_rtic", 30_000_000, &[]),
            (
                "pico_uart_irq_echo",
                10_000_000,
                &["--stimulus", "UART0@1000000=hi"],
            ),
            ("pico_usb_serial", 10_000_000, &[]),
        ],
    },
];

/// Fetches, builds and runs the examples of the named crates, or of all, optionally with the simulator at a given path, and updates the
/// page. Rows of other crates, and of those that cannot be fetched, are kept.
///
/// # Errors
/// If nothing can be fetched, or the page cannot be written.
pub fn make(arguments: &[String]) -> Result<()> {
    let cross = Cross::choose()?;
    let (names, paths): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| is_known(argument));
    let simulator = match paths[..] {
        [] => simulator()?,
        [path] => PathBuf::from(path).canonicalize().with_context(|| path.clone())?,
        _ => bail!("names of crates that are tried, and one path at most: of the simulator to use"),
    };
    let folder = target_dir().join("compatibility");
    let place = root().join("docs/compatibility.md");
    let before = fs::read_to_string(&place).unwrap_or_default();
    let (mut page, mut tried) = (HEAD.to_owned(), 0);
    for recipe in RECIPES {
        let wanted = names.is_empty() || names.iter().any(|&name| name == recipe.name);
        let source = wanted.then(|| recipe.fetch(&folder));
        match source {
            Some(Ok(source)) => {
                for row in recipe.rows(cross, &simulator, &source, &folder)? {
                    page += &row;
                    tried += 1;
                }
                continue;
            }
            Some(Err(error)) => say(&format!("skipped: {}: {error:#}", recipe.name)),
            None => {}
        }
        page.extend(recipe.rows_in(&before));
    }
    if tried == 0 {
        bail!("nothing could be fetched: is there a network?");
    }
    page += &reasons();
    let by_hand = root().join("firmware/compatibility.md");
    page += &fs::read_to_string(&by_hand).with_context(|| by_hand.display().to_string())?;
    fs::write(place, page)?;
    say(&format!("{tried} examples; docs/compatibility.md is written"));
    Ok(())
}

/// The reasons for other dependency versions, as text for the page.
fn reasons() -> String {
    let mut text = String::new();
    for recipe in RECIPES {
        for Instead { name, version, why } in recipe.instead {
            let _ = writeln!(text, "\n`{}` with `{name}` {version}: {why}.", recipe.name);
        }
    }
    text
}

fn is_known(name: &str) -> bool {
    RECIPES.iter().any(|recipe| recipe.name == name)
}

impl Recipe {
    /// The page's rows of this crate.
    fn rows_in(&self, page: &str) -> Vec<String> {
        let start = format!("| `{}` ", self.name);
        let crates = page.split("## From elsewhere").next().unwrap_or_default();
        let rows = crates.lines().filter(|line| line.starts_with(&start));
        rows.map(|row| format!("{row}\n")).collect()
    }

    /// Copies the crate's source into a workspace of its own.
    fn fetch(&self, folder: &Path) -> Result<PathBuf> {
        let copy = folder.join(format!("{}-{}", self.name, self.version));
        let made = format!("{}\n{}", self.memory, self.others());
        let done = copy.join("memory.x.done");
        if fs::read_to_string(&done).is_ok_and(|text| text == made) {
            return Ok(copy);
        }
        let probe = folder.join("fetch").join(self.name);
        fs::create_dir_all(probe.join("src"))?;
        fs::write(probe.join("src/lib.rs"), "")?;
        fs::write(
            probe.join("Cargo.toml"),
            format!(
                "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n\
                 {} = {{ version = \"={}\", default-features = false }}\n",
                self.name, self.version
            ),
        )?;
        let mut metadata = cargo();
        metadata
            .args(["metadata", "--format-version", "1", "-q"])
            .current_dir(&probe);
        let told: serde_json::Value = serde_json::from_str(&output(&mut metadata)?)?;
        let packages = told["packages"].as_array().context("no packages")?;
        let found = packages.iter().find(|package| package["name"] == self.name);
        let manifest = found.and_then(|package| package["manifest_path"].as_str());
        let source = Path::new(manifest.context("the crate is not among its packages")?).parent();
        copy_tree(source.context("no folder")?, &copy)?;
        let manifest = copy.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        fs::write(&manifest, self.with_other_versions(&text)? + "\n[workspace]\n")?;
        fs::write(
            copy.join("memory.x"),
            format!("MEMORY {{\n{}\n}}\n{}", self.memory, self.boot()),
        )?;
        fs::write(done, made)?;
        Ok(copy)
    }

    /// The dependency versions that its examples use instead, for the page.
    fn others(&self) -> String {
        let each = self.instead.iter();
        let each: Vec<_> = each
            .map(|other| format!(" with `{}` {}", other.name, other.version))
            .collect();
        each.concat()
    }

    /// The published manifest with the replaced dependency versions.
    fn with_other_versions(&self, manifest: &str) -> Result<String> {
        let mut text = manifest.to_owned();
        for Instead { name, version, .. } in self.instead {
            let table = format!("[dev-dependencies.{name}]\nversion = \"");
            let (head, rest) = text
                .split_once(&table)
                .with_context(|| format!("{}'s examples do not use {name}", self.name))?;
            let (_, rest) = rest.split_once('"').context("no version")?;
            text = format!("{head}{table}{version}\"{rest}");
        }
        Ok(text)
    }

    fn boot(&self) -> &'static str {
        if self.memory.starts_with("BOOT2") {
            "EXTERN(BOOT2_FIRMWARE)\nSECTIONS { .boot2 ORIGIN(BOOT2) : { KEEP(*(.boot2)); } > BOOT2 } INSERT BEFORE .text;\n"
        } else {
            ""
        }
    }

    fn rows(&self, cross: Cross, simulator: &Path, source: &Path, folder: &Path) -> Result<Vec<String>> {
        let mut rows = Vec::new();
        let names: Vec<&str> = self.examples.iter().map(|&(name, ..)| name).collect();
        // Build failures are reported one by one below.
        let _ = self.build(cross, &names, source, folder);
        for &(example, limit, arguments) in self.examples {
            say(&format!("{} {example}", self.name));
            let Ok(built) = self.build(cross, &[example], source, folder) else {
                say("  does not build here, and is left out");
                continue;
            };
            let elf = built.join(example);
            let mut run = Command::new(simulator);
            run.arg("run")
                .arg(elf)
                .args(["--board", self.board, "--limit", &limit.to_string()]);
            let told = run
                .args(arguments)
                .output()
                .context("cannot start the simulator")?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (outcome, first) = (outcome(&text(&told.stderr)), first_words(&text(&told.stdout)));
            let (version, others) = (self.version, self.others());
            let mut row = format!(
                "| `{}` {version}{others} | `{example}` | `{}` ",
                self.name, self.board
            );
            let _ = writeln!(row, "| {} million | {outcome} | {first} |", limit / 1_000_000);
            rows.push(row);
        }
        Ok(rows)
    }

    /// Builds some examples and returns the folder with the programs.
    fn build(&self, cross: Cross, examples: &[&str], source: &Path, folder: &Path) -> Result<PathBuf> {
        let scripts = self.scripts.iter().map(|script| format!("-Clink-arg=-T{script}"));
        // Newer compilers' lints on older programs are not our concern.
        let flags: Vec<String> = scripts
            .chain(["-Clink-arg=--nmagic".into(), "--cap-lints=warn".into()])
            .collect();
        let mut build = cross.cargo_build();
        build.args(["--release", "-q", "--keep-going", "--features", self.features]);
        build.args(examples.iter().flat_map(|example| ["--example", example]));
        build
            .args(["--target", self.target, "--target-dir"])
            .arg(folder.join("target"));
        for (key, value) in [("DEBUG", "0"), ("LTO", "off"), ("OPT_LEVEL", "1")] {
            build.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
        }
        let flags = match cross
            .environment()
            .into_iter()
            .find(|(name, _)| *name == "RUSTFLAGS")
        {
            Some((_, own)) => format!("{own} {}", flags.join(" ")),
            None => flags.join(" "),
        };
        let log = folder.join(format!(
            "{}.log",
            examples.join("-").chars().take(80).collect::<String>()
        ));
        output_logged(build.env("RUSTFLAGS", flags).current_dir(source), &log)?;
        Ok(folder.join("target").join(self.target).join("release/examples"))
    }
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &place)?;
        } else {
            fs::write(place, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

/// The simulator's final message in the page's words.
fn outcome(told: &str) -> String {
    let Some(error) = told.lines().find_map(|line| line.strip_prefix("error: ")) else {
        return "runs to its end".into();
    };
    if error.starts_with("the limit of") {
        return "runs".into();
    }
    if told.contains("BKPT without a debugger") {
        return "stops at its own BKPT, for a debugger".into();
    }
    if error.starts_with("the program sleeps") || error.starts_with("the program spins") {
        return "runs, then waits forever".into();
    }
    let error = error.split(" (cycle").next().unwrap_or(error);
    let error = error
        .rsplit_once(", which board")
        .map_or(error, |(error, _)| error);
    format!("stops: {}", error.replace('|', "\\|"))
}

/// The first line of a program's output, shortened.
fn first_words(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let words: String = line
        .trim()
        .chars()
        .filter(|letter| !letter.is_control())
        .take(60)
        .collect();
    if words.is_empty() {
        words
    } else {
        format!("`{}`", words.replace('`', "'").replace('|', "\\|"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_says_what_happened_in_the_pages_words() {
        for (told, expected) in [
            ("", "runs to its end"),
            ("error: the limit of 5 cycles is reached\n |", "runs"),
            (
                "note: x\nerror: the program sleeps, and nothing can ever happen again (cycle 7)",
                "runs, then waits forever",
            ),
            (
                "error: not modelled: a write of 4 bytes at 0x502000bc: PIO0, offset 0xbc, which board `rp2040` does not model (cycle 4)",
                "stops: not modelled: a write of 4 bytes at 0x502000bc: PIO0, offset 0xbc",
            ),
            (
                "error: the program crashed: the core locked up (cycle 9)\n  cause      BKPT without a debugger, taken as HardFault",
                "stops at its own BKPT, for a debugger",
            ),
        ] {
            assert_eq!(outcome(told), expected);
        }
        assert_eq!(first_words("\n a | b\nc"), "`a \\| b`");
        assert_eq!(first_words(""), "");
    }

    #[test]
    fn an_example_can_use_another_version_than_it_was_published_with() {
        let recipe = RECIPES
            .iter()
            .find(|recipe| recipe.name == "cortex-m-rtic")
            .unwrap();
        let manifest = "[dev-dependencies.heapless]\nversion = \"0.7\"\n\n[dev-dependencies.lm3s6965]\nversion = \"0.1.3\"\noptional = true\n";
        let other = recipe.with_other_versions(manifest).unwrap();
        assert_eq!(other, manifest.replace("0.1.3", "0.2.0"));
        assert_eq!(recipe.others(), " with `lm3s6965` 0.2.0");
        assert!(reasons().contains("`cortex-m-rtic` with `lm3s6965` 0.2.0: the macros"));
        let error = recipe.with_other_versions("[dev-dependencies]\n").unwrap_err();
        assert_eq!(error.to_string(), "cortex-m-rtic's examples do not use lm3s6965");
    }

    #[test]
    fn what_a_page_says_of_a_crate_is_kept_but_not_what_was_run_by_hand() {
        let row = "| `rp-pico` 0.9.0 | `a` | x |\n";
        let page = format!("{HEAD}| `rp-picos` 1 | b |\n{row}\n## From elsewhere\n{row}");
        let recipe = RECIPES.iter().find(|recipe| recipe.name == "rp-pico");
        assert_eq!(
            recipe.map(|recipe| recipe.rows_in(&page)),
            Some(vec![row.to_owned()])
        );
        assert!(is_known("rp-pico") && !is_known("target/release/cyclescope"));
    }
}
