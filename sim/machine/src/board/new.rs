//! Writes a board file for a chip from its SVD file.

use std::fmt::Write as _;
use std::str::FromStr;

use super::Board;
use super::file::parse_size;
use crate::cores::Core;
use crate::families::ArmCore;
use crate::policy::number;
use crate::svd::{Cpu, Svd};

/// Facts about the chip that an SVD file lacks.
#[derive(Clone, Debug, Default)]
pub struct New {
    /// The board's name; by default, the chip's.
    pub name: Option<String>,
    /// Its core; by default, the one that the SVD file names.
    pub core: Option<String>,
    /// The core's clock after reset, in Hz.
    pub clock_hz: u32,
    /// Its read-only memories.
    pub roms: Vec<MemoryRange>,
    /// Its RAMs.
    pub rams: Vec<MemoryRange>,
}

/// The range of a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryRange {
    /// First address.
    pub base: u32,
    /// Size in bytes.
    pub size: u32,
}

impl FromStr for MemoryRange {
    type Err = String;

    /// Parses `0x20000000:64K`.
    fn from_str(text: &str) -> Result<MemoryRange, String> {
        let range = text.split_once(':').and_then(|(base, size)| {
            let base = number(base).and_then(|base| u32::try_from(base).ok())?;
            let size = parse_size(size)
                .or_else(|| u32::try_from(number(size)?).ok())
                .filter(|&size| size > 0)?;
            Some(MemoryRange { base, size })
        });
        range.ok_or_else(|| format!("`{text}` is no memory such as 0x20000000:64K"))
    }
}

impl MemoryRange {
    fn overlaps(self, other: MemoryRange) -> bool {
        let end = |range: MemoryRange| u64::from(range.base) + u64::from(range.size);
        u64::from(self.base) < end(other) && u64::from(other.base) < end(self)
    }
}

impl New {
    /// The text of the board file; `file` is the SVD file's path in it.
    ///
    /// # Errors
    /// The missing fact, and how to give it.
    pub fn text(&self, svd: &Svd, file: &str) -> Result<String, (String, Option<String>)> {
        let cpu = svd.cpu.clone().unwrap_or_default();
        let core = self.core(&cpu)?;
        self.are_apart()?;
        let name = self.name.clone().unwrap_or_else(|| svd.name.to_lowercase());
        let description = if svd.description.is_empty() {
            format!("a board with the chip {}", svd.name)
        } else {
            svd.description.clone()
        };
        let mut text = format!(
            "name = {}\ndescription = {}\ncore = \"{}\"\n",
            quoted(&name),
            quoted(&description),
            core.name()
        );
        put(
            &mut text,
            &format!(
                "# The SVD file does not say it: the core's clock after reset.\nclock_hz = {}",
                self.clock_hz
            ),
        );
        match core {
            Core::CortexM(kind) => {
                let known = kind.revisions;
                let own = known
                    .iter()
                    .find(|known| cpu.revision.eq_ignore_ascii_case(known.name));
                let revision = own.or(known.last()).map_or("r0p0", |revision| revision.name);
                if own.is_none() {
                    put(&mut text, "# Not known of this chip: the latest one.");
                }
                put(&mut text, &format!("revision = \"{revision}\""));
                let range = &kind.architecture.priority_bits;
                let (least, most) = (u64::from(*range.start()), u64::from(*range.end()));
                let usual = 4.clamp(least, most);
                let bits = match cpu.priority_bits {
                    Some(bits) if !(least..=most).contains(&bits) && least < most => {
                        put(
                            &mut text,
                            &format!("# The SVD file says {bits}, and such a core has {least} to {most}."),
                        );
                        usual
                    }
                    Some(bits) if least < most => bits,
                    _ => usual,
                };
                put(&mut text, &format!("priority_bits = {bits}"));
                if cpu.mpu && kind.mpu_regions.contains(&8) {
                    put(&mut text, "mpu_regions = 8");
                }
                if let Some(first) = self.first_vectors() {
                    put(
                        &mut text,
                        &format!(
                            "# Nothing is at 0: the first vector table is read where the first ROM begins.\nvector_table = {first:#010x}"
                        ),
                    );
                }
                if self.roms.is_empty() && self.rams.is_empty() {
                    put(
                        &mut text,
                        "# The SVD file says nothing of memories: without wait states, wherever the program needs them.\nmemory_from_elf = true",
                    );
                }
            }
            Core::Rv32(config) => {
                if self.roms.is_empty() && self.rams.is_empty() {
                    let hint = "`--rom 0x20000000:512K --ram 0x80000000:16K`";
                    return Err((
                        "an SVD file says nothing of memories, which this core needs".into(),
                        Some(hint.into()),
                    ));
                }
                let (_, behind) = config.first;
                if let (Some(rom), 1..) = (self.roms.first().or(self.rams.first()), behind) {
                    put(
                        &mut text,
                        &format!("reset = {:#x}", rom.base.wrapping_add(behind)),
                    );
                }
            }
        }
        put(
            &mut text,
            &format!(
                "# Names of peripherals, registers and fields, and reset values.\nsvd = {}\n",
                quoted(file)
            ),
        );
        self.memories(&mut text);
        if let Core::CortexM(kind) = core {
            interrupts(&mut text, svd, &cpu, kind.architecture.most_irqs.into());
        }
        stubs(&mut text, svd);
        Ok(text)
    }

    /// Refuses memories that overlap or leave the address space.
    fn are_apart(&self) -> Result<(), (String, Option<String>)> {
        let all: Vec<&MemoryRange> = self.roms.iter().chain(&self.rams).collect();
        for (index, range) in all.iter().enumerate() {
            if u64::from(range.base) + u64::from(range.size) > 1 << 32 {
                let message = format!("the memory at {:#010x} goes beyond the address space", range.base);
                return Err((message, None));
            }
            if let Some(other) = all[..index].iter().find(|other| other.overlaps(**range)) {
                let message = format!(
                    "the memories at {:#010x} and {:#010x} overlap",
                    other.base, range.base
                );
                let hint = "`--rom ADDRESS:SIZE` and `--ram ADDRESS:SIZE` are one each for what the chip has";
                return Err((message, Some(hint.to_owned())));
            }
        }
        Ok(())
    }

    fn core(&self, cpu: &Cpu) -> Result<Core, (String, Option<String>)> {
        let all = || Core::all().map(Core::name).collect::<Vec<_>>().join(", ");
        let hint = || Some(format!("`--core` chooses one: {}", all()));
        let said = ArmCore::named(&cpu.name);
        let name = match (&self.core, said) {
            (Some(core), _) => core.as_str(),
            (None, Some(said)) if said.is_modelled => {
                let float = said.nearest.with_float().filter(|_| cpu.fpu);
                float.unwrap_or(said.nearest).name
            }
            (None, None) if ["", "other"].contains(&cpu.name.to_ascii_lowercase().as_str()) => {
                return Err(("the SVD file does not name the core".into(), hint()));
            }
            (None, said) => {
                let message = format!(
                    "the SVD file says that the core is a `{}`, which is not modelled",
                    cpu.name
                );
                let nearest = |said: ArmCore| format!("`--core {}` comes nearest", said.nearest.name);
                return Err((message, said.map(nearest).or_else(hint)));
            }
        };
        Core::named(name).ok_or_else(|| (format!("no core `{name}`"), hint()))
    }

    /// A Cortex-M's start address if no memory is at 0, where chips alias their ROM; an SVD file does not tell.
    fn first_vectors(&self) -> Option<u32> {
        let is_at_0 = self.roms.iter().chain(&self.rams).any(|range| range.base == 0);
        self.roms.first().filter(|_| !is_at_0).map(|rom| rom.base)
    }

    fn memories(&self, text: &mut String) {
        let ranges = [("rom", "ROM", &self.roms), ("ram", "RAM", &self.rams)];
        for (kind, name, ranges) in ranges {
            for (index, range) in ranges.iter().enumerate() {
                let number = if index == 0 {
                    String::new()
                } else {
                    (index + 1).to_string()
                };
                let _ = writeln!(
                    text,
                    "[[memory]]\nname = \"{name}{number}\"\nkind = \"{kind}\"\nbase = {:#010x}\nsize = {:#x}\n\
                     wait = {{ fetch = 0, read = 0, write = 0 }}\n",
                    range.base, range.size
                );
            }
        }
    }
}

fn put(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// `[interrupts]`, with as many as the chip has or the core supports.
fn interrupts(text: &mut String, svd: &Svd, cpu: &Cpu, most: u64) {
    let named = svd
        .interrupts
        .iter()
        .filter(|(number, _)| u64::from(*number) < most);
    let last = named
        .clone()
        .map(|(number, _)| u64::from(*number) + 1)
        .max()
        .unwrap_or(1);
    let said = cpu.interrupts.unwrap_or(0);
    if said > most
        || svd
            .interrupts
            .iter()
            .any(|(number, _)| u64::from(*number) >= most)
    {
        put(
            text,
            &format!("# The SVD file has more interrupts than the {most} of such a core."),
        );
    }
    let count = said.clamp(last, most);
    let mut names = vec![String::new(); last as usize];
    for (number, name) in named {
        names[*number as usize].clone_from(name);
    }
    let _ = writeln!(text, "[interrupts]\ncount = {count}");
    if names.iter().any(|name| !name.is_empty()) {
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        let lines: Vec<String> = names
            .chunks(8)
            .map(|names| format!("    {},", names.join(", ")))
            .collect();
        let _ = writeln!(text, "names = [\n{}\n]", lines.join("\n"));
    }
}

/// Commented stubs for each peripheral.
fn stubs(text: &mut String, svd: &Svd) {
    put(
        text,
        "\n# None of the chip's peripherals is modelled: a program that reaches for one stops, with its name. With a `#` less, its\n\
         # registers answer: with what was written last (and reset values before that), \"reset\" values alone, a word, or \"toggles\".",
    );
    for peripheral in &svd.peripherals {
        let name = peripheral.name.replace(char::is_control, " ");
        let _ = writeln!(
            text,
            "# [[stub]] # {:#010x}\n# peripheral = {}\n# read = \"last written\"",
            peripheral.base,
            quoted(&name)
        );
    }
}

/// Quotes a basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", letter as u32);
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

impl Board {
    /// The number of stubbed peripherals.
    #[cfg(test)]
    fn stubbed(&self) -> usize {
        self.stubs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = include_str!("../../tests/small.svd");

    /// Parses the text as a board in a folder with the SVD file.
    fn made(new: &New, change: impl Fn(String) -> String) -> Result<Board, crate::BoardError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("chip \"1\".svd"), SMALL).unwrap();
        let svd = Svd::parse("chip.svd", SMALL).unwrap();
        let text = change(new.text(&svd, "chip \"1\".svd").unwrap());
        Board::parse(&folder.path().join("mine.toml").display().to_string(), &text)
    }

    #[test]
    fn what_is_written_is_a_board() {
        let new = New {
            clock_hz: 8_000_000,
            ..New::default()
        };
        let board = made(&new, |text| text).unwrap();
        assert_eq!(board.name(), "small");
        assert_eq!(board.core().name(), "cortex-m4f");
        assert_eq!((board.irqs(), board.irq("i2c2_ev")), (5, Some(4)));
        assert!(board.takes_memory_from_elf() && board.stubbed() == 0);
        // Every stub that it proposes is valid.
        let all = made(&new, |text| {
            let from = text.find("# [[stub]]").unwrap();
            text[..from].to_owned() + &text[from..].replace("\n# ", "\n").replacen("# ", "", 1)
        });
        assert_eq!(all.unwrap().stubbed(), 5);
        let with = New {
            core: Some("ibex".into()),
            clock_hz: 1,
            roms: vec!["0x100000:64K".parse().unwrap()],
            rams: vec![
                "0x20000000:0x4000".parse().unwrap(),
                "0x30000000:4096".parse().unwrap(),
            ],
            ..New::default()
        };
        let board = made(&with, |text| text).unwrap();
        assert_eq!(board.memories().len(), 3);
    }

    #[test]
    fn a_cortex_m_starts_from_its_first_rom_unless_a_memory_is_at_0() {
        for (roms, table) in [
            (vec!["0x08000000:64K"], Some("vector_table = 0x08000000\n")),
            (vec!["0x08000000:64K", "0:4K"], None),
            (vec![], None),
        ] {
            let new = New {
                clock_hz: 1,
                roms: roms.iter().map(|rom| rom.parse().unwrap()).collect(),
                rams: vec!["0x20000000:16K".parse().unwrap()],
                ..New::default()
            };
            let text = new
                .text(&Svd::parse("chip.svd", SMALL).unwrap(), "chip.svd")
                .unwrap();
            let found = text
                .find("vector_table")
                .map(|at| text[at..].split_inclusive('\n').next().unwrap());
            assert_eq!(found, table, "{roms:?}");
            assert!(made(&new, |text| text).is_ok(), "{roms:?}");
        }
    }

    #[test]
    fn what_no_core_has_is_told_in_the_file() {
        let text = |from: &str, to: &str| {
            let svd = SMALL.replace(from, to);
            assert_ne!(svd, SMALL, "{from}");
            let new = New {
                clock_hz: 1,
                ..New::default()
            };
            new.text(&Svd::parse("chip.svd", &svd).unwrap(), "chip.svd")
                .unwrap()
        };
        let bits = text("<nvicPrioBits>4<", "<nvicPrioBits>99<");
        assert!(
            bits.contains("# The SVD file says 99, and such a core has 3 to 8.\npriority_bits = 4\n"),
            "{bits}"
        );
        let number = "<deviceNumInterrupts>500</deviceNumInterrupts><vendorSystickConfig>";
        let many = text("<vendorSystickConfig>", number);
        assert!(
            many.contains(
                "# The SVD file has more interrupts than the 240 of such a core.\n[interrupts]\ncount = 240\n"
            ),
            "{many}"
        );
    }

    #[test]
    fn what_an_svd_file_does_not_say_is_asked_for() {
        let svd = |from: &str, to: &str| Svd::parse("chip.svd", &SMALL.replace(from, to)).unwrap();
        let message = |svd: &Svd, core: Option<&str>| {
            let new = New {
                core: core.map(str::to_owned),
                clock_hz: 1,
                ..New::default()
            };
            new.text(svd, "chip.svd").unwrap_err()
        };
        let (wrong, hint) = message(&svd("CM4", "CM7"), None);
        assert!(wrong.contains("`CM7`, which is not modelled") && hint.unwrap().contains("cortex-m4f"));
        assert!(
            message(&svd("CM4", "other"), None)
                .0
                .contains("does not name the core")
        );
        assert!(
            message(&svd("CM4", "CM4"), Some("z80"))
                .0
                .contains("no core `z80`")
        );
        let (wrong, hint) = message(&svd("CM4", "CM4"), Some("sifive-e31"));
        assert!(wrong.contains("nothing of memories") && hint.unwrap().contains("--rom"));
        for wrong in ["", "5", "0x20:", ":4K", "0x20:0", "0x100000000:4K"] {
            assert!(wrong.parse::<MemoryRange>().is_err(), "{wrong}");
        }
    }
}
