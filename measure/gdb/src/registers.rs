//! GDB's view of the registers: its target description and their order in a packet.

use std::fmt::Write as _;

use machine::target::Registers;
use machine::{Architecture, Board};

/// One register.
pub(crate) struct Row {
    /// The name in GDB.
    name: String,
    /// The target's names of its parts, least significant first.
    parts: Vec<String>,
    /// The GDB type.
    kind: &'static str,
    group: Option<&'static str>,
}

impl Row {
    fn word(name: &str, part: &str, kind: &'static str) -> Row {
        Row {
            name: name.to_owned(),
            parts: vec![part.to_owned()],
            kind,
            group: None,
        }
    }

    fn in_group(self, group: &'static str) -> Row {
        let group = Some(group);
        Row { group, ..self }
    }

    /// Its name in GDB.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is the program counter.
    pub(crate) fn is_pc(&self) -> bool {
        self.name == "pc"
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> usize {
        4 * self.parts.len()
    }

    /// Its bytes; `None` if the target does not expose it.
    pub(crate) fn get(&self, registers: &dyn Registers) -> Option<Vec<u8>> {
        let words = self.parts.iter().map(|part| registers.get(part));
        let words: Vec<u32> = words.collect::<Option<_>>()?;
        Some(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }

    /// Writes these bytes; false if it cannot.
    pub(crate) fn set(&self, registers: &mut dyn Registers, bytes: &[u8]) -> bool {
        let words = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let mut both = self.parts.iter().zip(words);
        both.all(|(part, word)| registers.get(part) == Some(word) || registers.set(part, word))
    }
}

/// A named group of registers (`<feature>`).
struct Feature {
    name: &'static str,
    rows: Vec<Row>,
}

/// All registers of a core.
pub(crate) struct Description {
    architecture: &'static str,
    features: Vec<Feature>,
}

impl Description {
    /// The description of a board's core, limited to the registers that its target exposes.
    pub(crate) fn of(board: &Board, registers: &dyn Registers) -> Description {
        let has = |name: &str| registers.get(name).is_some();
        match board.core().architecture() {
            Architecture::Arm => Description {
                architecture: "arm",
                features: arm(has("s0")),
            },
            Architecture::RiscV => Description {
                architecture: "riscv:rv32",
                features: riscv(registers),
            },
        }
    }

    /// The registers in the order of their numbers.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.features.iter().flat_map(|feature| &feature.rows)
    }

    /// The target description as XML.
    pub(crate) fn xml(&self) -> String {
        let mut xml = String::from(
            "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">",
        );
        // Writing to a string cannot fail.
        let _ = write!(xml, "<architecture>{}</architecture>", self.architecture);
        for feature in &self.features {
            let _ = write!(xml, "<feature name=\"{}\">", feature.name);
            for row in &feature.rows {
                let group = row
                    .group
                    .map_or(String::new(), |group| format!(" group=\"{group}\""));
                let (name, bits, kind) = (&row.name, 8 * row.size(), row.kind);
                let _ = write!(
                    xml,
                    "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\"{group}/>"
                );
            }
            xml.push_str("</feature>");
        }
        xml + "</target>"
    }
}

/// The features of a Cortex-M, named as GDB names them; `xPSR` is as probes write it.
fn arm(has_fp: bool) -> Vec<Feature> {
    let general = (0..13).map(|number| format!("r{number}"));
    let general = general.map(|name| Row::word(&name, &name, "int"));
    let rest = [
        Row::word("sp", "sp", "data_ptr"),
        Row::word("lr", "lr", "int"),
        Row::word("pc", "pc", "code_ptr"),
        Row::word("xPSR", "xpsr", "int"),
    ];
    let special = ["primask", "basepri", "faultmask", "control"];
    let mut features = vec![
        Feature {
            name: "org.gnu.gdb.arm.m-profile",
            rows: general.chain(rest).collect(),
        },
        Feature {
            name: "org.gnu.gdb.arm.m-system",
            rows: ["msp", "psp"]
                .map(|name| Row::word(name, name, "data_ptr").in_group("system"))
                .into(),
        },
        Feature {
            name: "cyclescope.masks",
            rows: special
                .map(|name| Row::word(name, name, "int").in_group("system"))
                .into(),
        },
    ];
    if has_fp {
        let double = |number: u32| Row {
            name: format!("d{number}"),
            parts: vec![format!("s{}", 2 * number), format!("s{}", 2 * number + 1)],
            kind: "ieee_double",
            group: Some("float"),
        };
        let status = Row::word("fpscr", "fpscr", "int").in_group("float");
        features.push(Feature {
            name: "org.gnu.gdb.arm.vfp",
            rows: (0..16).map(double).chain([status]).collect(),
        });
    }
    features
}

/// The integer registers and the CSRs, which GDB prints with `info registers csr`.
fn riscv(registers: &dyn Registers) -> Vec<Feature> {
    let kind = |name: &str| match name {
        "pc" | "ra" => "code_ptr",
        "sp" | "gp" | "tp" | "s0" => "data_ptr",
        _ => "int",
    };
    // GDB calls s0 `fp`, too.
    let rows = registers.names().into_iter().map(|name| {
        let shown = if name == "s0" { "fp" } else { name };
        Row::word(shown, name, kind(name))
    });
    let cpu = Feature {
        name: "org.gnu.gdb.riscv.cpu",
        rows: rows.collect(),
    };
    let system = registers.system().into_iter();
    let system = Feature {
        name: "org.gnu.gdb.riscv.csr",
        rows: system
            .map(|name| Row::word(name, name, "int").in_group("csr"))
            .collect(),
    };
    vec![cpu, system]
}
