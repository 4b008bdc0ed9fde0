//! RISC-V attributes and ELF header flags (RISC-V ELF psABI, "Attributes", "File Header").

use std::fmt;

use isa_rv32::{Extension, Isa};
use object::elf;
use object::read::elf::FileHeader as _;

use super::super::elf::Elf;
use super::{LE, of_file};

/// The build target of a RISC-V program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltForRiscV {
    /// The ISA string without versions, `rv32imac`; `None` without attributes.
    name: Option<String>,
    /// The extensions that it may use.
    needs: Vec<Extension>,
    /// Extensions that no modelled core has.
    unknown: Vec<String>,
    /// Whether it is RV32E, which uses only half of the registers.
    few_registers: bool,
}

/// The tag of the instruction set.
const ARCH: u64 = 5;

/// ELF header flags: compressed instructions, and the floating-point calling convention.
const COMPRESSED: u32 = 1;
const FLOAT_ABI: u32 = 6;

/// Single-letter extensions.
const LETTERS: &[(char, &[Extension])] = &[
    ('i', &[]),
    ('e', &[]),
    ('m', &[Extension::M]),
    ('a', &[Extension::Zalrsc, Extension::Zaamo]),
    ('c', &[Extension::C]),
    ('b', &[Extension::Zba, Extension::Zbb, Extension::Zbs]),
];

/// Multi-letter extensions; those without encodings of their own, counters and hints are left out.
const NAMES: &[(&str, &[Extension])] = &[
    ("zicsr", &[Extension::Zicsr]),
    ("zifencei", &[Extension::Zifencei]),
    ("zmmul", &[Extension::M]),
    ("zaamo", &[Extension::Zaamo]),
    ("zalrsc", &[Extension::Zalrsc]),
    ("zca", &[Extension::C]),
    ("zba", &[Extension::Zba]),
    ("zbb", &[Extension::Zbb]),
    ("zbs", &[Extension::Zbs]),
    ("zicntr", &[]),
    ("zihpm", &[]),
    ("zihintpause", &[]),
    ("zihintntl", &[]),
];

impl BuiltForRiscV {
    pub(super) fn read(elf: &Elf<'_>) -> Option<BuiltForRiscV> {
        let flags = elf.elf_header().e_flags(LE).0;
        let said = of_file(elf, elf::SHT_RISCV_ATTRIBUTES, b"riscv", |mut reader| {
            while let Some(tag) = reader.read_tag().ok()? {
                // Odd tags have strings.
                if tag % 2 == 0 {
                    reader.read_integer().ok()?;
                    continue;
                }
                let text = reader.read_string().ok()?;
                if tag == ARCH {
                    return String::from_utf8(text.to_vec()).ok();
                }
            }
            None
        });
        let mut built = BuiltForRiscV::of(said.as_deref());
        if flags & COMPRESSED != 0 && !built.needs.contains(&Extension::C) {
            built.needs.push(Extension::C);
        }
        if flags & FLOAT_ABI != 0 && !built.unknown.iter().any(|name| ["f", "d"].contains(&&**name)) {
            built.unknown.push("f".to_owned());
        }
        (built.name.is_some() || !built.needs.is_empty() || !built.unknown.is_empty()).then_some(built)
    }

    /// Parses an ISA string such as `rv32i2p1_m2p0_zicsr2p0`.
    fn of(said: Option<&str>) -> BuiltForRiscV {
        let mut built = BuiltForRiscV {
            name: None,
            needs: Vec::new(),
            unknown: Vec::new(),
            few_registers: false,
        };
        let Some(rest) = said.and_then(|said| said.strip_prefix("rv32")) else {
            return built;
        };
        let mut name = "rv32".to_owned();
        for part in rest.split('_').map(without_version) {
            if part.starts_with(['z', 's', 'x']) {
                let known = NAMES.iter().find(|(known, _)| *known == part);
                built.need(part, known.map(|(_, needs)| *needs));
                // Part of M; GCC lists it, too.
                if part != "zmmul" {
                    name.push('_');
                    name.push_str(part);
                }
                continue;
            }
            for letter in part.chars() {
                let known = LETTERS.iter().find(|(known, _)| *known == letter);
                built.need(&letter.to_string(), known.map(|(_, needs)| *needs));
                built.few_registers |= letter == 'e';
            }
            name.push_str(part);
        }
        built.name = Some(name);
        built
    }

    fn need(&mut self, name: &str, extensions: Option<&[Extension]>) {
        match extensions {
            Some(extensions) => self.needs.extend(extensions),
            None => self.unknown.push(name.to_owned()),
        }
    }

    pub(super) fn beyond(&self, isa: Isa) -> Option<String> {
        let missing = self.needs.iter().filter(|&&extension| !isa.has(extension));
        let mut missing: Vec<String> = missing.map(|extension| format!("{extension:?}")).collect();
        missing.sort();
        missing.dedup();
        missing.extend(self.unknown.iter().map(|name| match name.len() {
            1 => name.to_uppercase(),
            _ => name.clone(),
        }));
        if isa.registers() == 16 && !self.few_registers {
            missing.push("registers beyond x15".to_owned());
        }
        (!missing.is_empty()).then(|| format!("{self} (it lacks {})", missing.join(", ")))
    }
}

impl fmt::Display for BuiltForRiscV {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.as_deref().unwrap_or("RV32"))
    }
}

/// `m2p0` becomes `m`.
fn without_version(part: &str) -> &str {
    let digits = |text: &str| {
        text.trim_end_matches(|letter: char| letter.is_ascii_digit())
            .len()
    };
    let minor = digits(part);
    match part[..minor].strip_suffix('p') {
        Some(rest) if minor < part.len() && digits(rest) < rest.len() => &rest[..digits(rest)],
        _ => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_an_instruction_set_is_read_whatever_its_form() {
        let built = |text| BuiltForRiscV::of(Some(text));
        let long = built("rv32i2p1_m2p0_a2p1_c2p0_zicsr2p0_zmmul1p0");
        assert_eq!(long.to_string(), "rv32imac_zicsr");
        assert!(long.unknown.is_empty());
        let short = built("rv32imac_zicsr");
        assert_eq!(short.name, long.name);
        assert!(short.needs.iter().all(|extension| long.needs.contains(extension)));
        assert!(short.needs.contains(&Extension::Zalrsc) && short.needs.contains(&Extension::Zicsr));
        let float = built("rv32i2p1_f2p2_d2p2_zicsr2p0_xtheadba1p0");
        assert_eq!(float.unknown, ["f", "d", "xtheadba"]);
        assert!(built("rv32e1p9").few_registers);
        assert_eq!(built("rv64i2p1").name, None);
        assert_eq!(built("").name, None);
    }
}
