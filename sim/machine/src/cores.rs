//! The table of cores. A Cortex-M has its row in `core-cortex-m`; an RV32 core has one here and its configuration in `core-rv32`. Boards,
//! command line and Verilog derive from both.

use core_cortex_m::CoreKind;
use core_rv32::timing::rules;
use core_rv32::{Config, aquila, ibex, manual, picorv32, vexriscv};
use events::{Mark, Rule, RuleBook};

use crate::image::Architecture;

/// A core that is modelled, or at least named by boards.
#[derive(Clone, Copy, Debug)]
pub enum Core {
    /// A Cortex-M.
    CortexM(CoreKind),
    /// An RV32 core in its default configuration.
    Rv32(&'static Config),
}

/// Facts about an RV32 core besides its model.
struct Row {
    config: &'static Config,
    /// See [`Core::targets`].
    targets: &'static [&'static str],
    /// See [`Core::has_verilog`].
    verilog: bool,
}

/// The RV32 cores, in the order of the documentation.
static TABLE: &[Row] = &[
    Row::rv32(&vexriscv::MIN, RV32I).with_verilog(),
    Row::rv32(&vexriscv::LITE, RV32IM).with_verilog(),
    Row::rv32(&vexriscv::STANDARD, RV32IM).with_verilog(),
    Row::rv32(&vexriscv::FULL, RV32IM).with_verilog(),
    Row::rv32(&vexriscv::IMAC, RV32IMC).with_verilog(),
    Row::rv32(&vexriscv::LINUX, RV32IM).with_verilog(),
    Row::rv32(&vexriscv::SECURE, RV32IM).with_verilog(),
    Row::rv32(&vexriscv::PRECURSOR, RV32IMAC).with_verilog(),
    Row::rv32(&ibex::IBEX, RV32IMC).with_verilog(),
    Row::rv32(&ibex::IBEX_WB, RV32IMC).with_verilog(),
    Row::rv32(&manual::RV32, RV32IMAC),
    Row::rv32(&manual::SIFIVE_E31, RV32IMAC),
    Row::rv32(&picorv32::PICORV32, RV32IM).with_verilog(),
];

/// Cores without a model; they run only on Verilog that the user provides.
static BROUGHT: &[Row] = &[Row::rv32(&aquila::AQUILA, RV32IM)];

const RV32I: &[&str] = &["riscv32i-unknown-none-elf"];
const RV32IM: &[&str] = &["riscv32im-unknown-none-elf", "riscv32i-unknown-none-elf"];
const RV32IMC: &[&str] = &[
    "riscv32imc-unknown-none-elf",
    "riscv32im-unknown-none-elf",
    "riscv32i-unknown-none-elf",
];
const RV32IMAC: &[&str] = &[
    "riscv32imac-unknown-none-elf",
    "riscv32imc-unknown-none-elf",
    "riscv32im-unknown-none-elf",
    "riscv32i-unknown-none-elf",
];

impl Row {
    const fn rv32(config: &'static Config, targets: &'static [&'static str]) -> Row {
        Row {
            config,
            targets,
            verilog: false,
        }
    }

    const fn with_verilog(self) -> Row {
        Row {
            verilog: true,
            ..self
        }
    }
}

impl Core {
    /// All modelled cores, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Core> {
        let cortex_m = CoreKind::ALL.into_iter().map(Core::CortexM);
        cortex_m.chain(TABLE.iter().map(|row| Core::Rv32(row.config)))
    }

    /// The core with this name, modelled or not.
    pub fn named(name: &str) -> Option<Core> {
        let brought = BROUGHT.iter().map(|row| Core::Rv32(row.config));
        Core::all().chain(brought).find(|core| core.name() == name)
    }

    /// Whether the core is modelled. If not, programs run only on its Verilog, which the user provides.
    pub const fn has_model(self) -> bool {
        match self {
            Core::CortexM(_) => true,
            Core::Rv32(config) => config.timing.is_some(),
        }
    }

    fn row(config: &Config) -> &'static Row {
        let mut rows = TABLE.iter().chain(BROUGHT);
        rows.find(|row| row.config.name == config.name)
            .expect("each core is of the table")
    }

    /// Its name, such as `cortex-m3` or `vexriscv-lite`.
    pub fn name(self) -> &'static str {
        match self {
            Core::CortexM(kind) => kind.name,
            Core::Rv32(config) => config.name,
        }
    }

    /// The instruction set of its programs.
    pub const fn architecture(self) -> Architecture {
        match self {
            Core::CortexM(_) => Architecture::Arm,
            Core::Rv32(_) => Architecture::RiscV,
        }
    }

    /// The Rust targets that it runs, of those for which our firmware is built; the one that uses most of the core comes first.
    pub fn targets(self) -> &'static [&'static str] {
        match self {
            Core::CortexM(kind) => kind.targets,
            Core::Rv32(config) => Core::row(config).targets,
        }
    }

    /// Whether its timing is checked against its own Verilog, cycle by cycle.
    pub fn has_verilog(self) -> bool {
        self.rv32().is_some_and(|config| Core::row(config).verilog)
    }

    /// Whether it reports its fetches: [`events::Event::Fetch`].
    pub const fn announces_fetch(self) -> bool {
        match self {
            Core::CortexM(_) => false,
            // Verilog shows fetches where there is no model.
            Core::Rv32(config) => config.announces_fetch() || config.timing.is_none(),
        }
    }

    /// Whether reported fetches are words rather than instruction addresses.
    pub const fn fetches_words(self) -> bool {
        match self {
            Core::CortexM(_) => false,
            Core::Rv32(config) => config.fetches_words(),
        }
    }

    /// The evidence for its timing rules. An RV32 core without Verilog combines rules of others.
    pub fn rule_book(self) -> RuleBook {
        let config = match self {
            Core::CortexM(kind) => return kind.rule_book(),
            Core::Rv32(config) => config,
        };
        let mark = if self.has_verilog() { Mark::Rtl } else { Mark::D };
        let rules = rules::of(config).into_iter();
        RuleBook::new(rules.map(|rule| Rule { mark, ..rule }))
    }

    /// The RV32 core's default configuration; `None` for a Cortex-M.
    pub const fn rv32(self) -> Option<&'static Config> {
        match self {
            Core::CortexM(_) => None,
            Core::Rv32(config) => Some(config),
        }
    }
}

/// All RV32 cores.
pub fn rv32() -> impl Iterator<Item = Config> {
    Core::all().filter_map(Core::rv32).copied()
}

/// The RV32 core with this name.
pub fn rv32_named(name: &str) -> Option<Config> {
    Core::named(name).and_then(Core::rv32).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use isa_rv32::{Extension, Isa};

    use super::*;
    use crate::Board;

    #[test]
    fn each_core_stands_once_in_the_table() {
        let names: BTreeSet<_> = Core::all().map(Core::name).collect();
        assert_eq!(names.len(), Core::all().count());
    }

    #[test]
    fn each_core_has_rules_and_a_board() {
        let boards: Vec<_> = Board::names().map(|name| Board::find(name).unwrap()).collect();
        for core in Core::all() {
            let name = core.name();
            assert!(!core.rule_book().rules().is_empty(), "{name}");
            assert!(boards.iter().any(|board| board.core().name() == name), "{name}");
        }
    }

    #[test]
    fn a_core_with_verilog_has_a_board_of_its_name() {
        for core in Core::all().filter(|core| core.has_verilog()) {
            let chip = core.name().trim_start_matches("vexriscv-");
            let board = Board::find(core.name()).or_else(|_| Board::find(chip)).unwrap();
            assert_eq!(board.core().name(), core.name());
        }
    }

    /// The extensions for a letter of a target's name after `riscv32i`.
    fn extensions(letter: char) -> &'static [Extension] {
        match letter {
            'm' => &[Extension::M],
            'a' => &[Extension::Zalrsc, Extension::Zaamo],
            'c' => &[Extension::C],
            _ => panic!("{letter}: another one is used now"),
        }
    }

    #[test]
    fn a_core_has_the_instructions_of_its_targets() {
        for core in Core::all() {
            for target in core.targets() {
                let instructions = target.split('-').next().unwrap();
                let runs = match core {
                    Core::CortexM(kind) => match instructions {
                        "thumbv6m" => !kind.isa.is_v7(),
                        "thumbv7m" => kind.isa.is_v7(),
                        "thumbv7em" => kind.isa.has_dsp() && kind.isa.has_float(),
                        _ => false,
                    },
                    Core::Rv32(config) => runs(config.isa, instructions),
                };
                assert!(runs, "{target} on {}", core.name());
            }
        }
    }

    fn runs(isa: Isa, instructions: &str) -> bool {
        let letters = instructions.strip_prefix("riscv32i").unwrap();
        let mut needed = letters.chars().flat_map(extensions);
        needed.all(|&extension| isa.has(extension))
    }
}
