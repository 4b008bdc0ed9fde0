//! How the Verilog of a core is got; what the core is like, the table of cores says.

use core_rv32::{Config, Protection};
use isa_rv32::Isa;
use machine::cores;

use crate::package::{IBEX, PICORV32, PRECURSOR, Package, VEXRISCV};
use crate::recipe::{self, Recipe};

/// A core, as a package has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Core {
    /// Its name in this project.
    pub name: &'static str,
    pub(crate) package: &'static Package,
    /// How it is built from the package.
    pub(crate) recipe: Recipe,
    /// First uncached address: the data cache ignores all addresses from here on.
    pub uncached: u32,
}

const SIMPLE: &str = "IBusSimplePlugin_fetchPc_pcReg";
const CACHED: &str = "IBusCachedPlugin_fetchPc_pcReg";

impl Core {
    /// Every core whose Verilog is in a package.
    pub const ALL: [Core; 10] = [
        Core::vexriscv("vexriscv-min", &["VexRiscv_Min.v"], SIMPLE),
        Core::vexriscv("vexriscv-lite", &["VexRiscv_Lite.v"], CACHED),
        Core::vexriscv("vexriscv-standard", &["VexRiscv.v"], CACHED),
        Core::vexriscv("vexriscv-full", &["VexRiscv_Full.v"], CACHED),
        Core::vexriscv("vexriscv-imac", &["VexRiscv_IMAC.v"], CACHED),
        Core::vexriscv("vexriscv-linux", &["VexRiscv_Linux.v"], CACHED).with_supervisor(),
        Core::vexriscv("vexriscv-secure", &["VexRiscv_Secure.v"], CACHED),
        Core::ibex("ibex", &[]),
        Core::ibex("ibex-wb", &["-GWritebackStage=1", "-GBranchTargetALU=1"]),
        Core::with(
            "picorv32",
            &PICORV32,
            recipe::picorv32(&["-GENABLE_MUL=1", "-GENABLE_DIV=1"]),
        ),
    ];

    /// Cores whose Verilog is in no package: tests compare them where somebody has put it.
    pub const BY_HAND: [Core; 1] = [Core::with(
        "vexriscv-precursor",
        &PRECURSOR,
        recipe::vexriscv(&["VexRiscv_BetrustedSoC.v"], CACHED).with_supervisor(),
    )];

    const fn vexriscv(name: &'static str, files: &'static [&'static str], fetch_pc: &'static str) -> Core {
        Core::with(name, &VEXRISCV, recipe::vexriscv(files, fetch_pc))
    }

    const fn with_supervisor(self) -> Core {
        Core {
            recipe: self.recipe.with_supervisor(),
            ..self
        }
    }

    const fn ibex(name: &'static str, parameters: &'static [&'static str]) -> Core {
        Core::with(name, &IBEX, recipe::ibex(parameters))
    }

    pub(crate) const fn with(name: &'static str, package: &'static Package, recipe: Recipe) -> Core {
        Core {
            name,
            package,
            recipe,
            uncached: 0x8000_0000,
        }
    }

    /// All cores that can run, including those of [`Core::BY_HAND`].
    pub fn all() -> impl Iterator<Item = Core> {
        Core::ALL.into_iter().chain(Core::BY_HAND)
    }

    /// The core of this name.
    pub fn named(name: &str) -> Option<Core> {
        Core::all().find(|core| core.name == name)
    }

    /// The core as the model has it.
    fn config(&self) -> Config {
        cores::rv32_named(self.name).expect("a core with Verilog is one of the table of cores")
    }

    /// Whether its first instruction can be at this address.
    pub fn can_begin_at(&self, address: u32) -> bool {
        self.config().can_begin_at(address)
    }

    /// The lowest address that its first instruction can have.
    pub fn lowest_entry(&self) -> u32 {
        self.config().first.1
    }

    /// Whether it has handlers for interrupts as the privileged ISA says.
    pub fn takes_interrupts(&self) -> bool {
        !self.config().halts
    }

    /// Whether it makes a misaligned load or store as several accesses; else that is an exception.
    pub fn splits_accesses(&self) -> bool {
        self.config().splits
    }

    /// Whether its harness learns of what retires a cycle later, from the RISC-V Formal Interface.
    pub(crate) fn tells_late(&self) -> bool {
        self.recipe.fetch_pc.is_none()
    }

    /// The instructions that it has.
    pub fn isa(&self) -> Isa {
        self.config().isa
    }

    /// Its memory protection.
    pub(crate) fn protection(&self) -> Protection {
        self.config().protection
    }

    /// The folder of its build. A user's core has another one than a package's version of the same core.
    pub(crate) fn place(&self) -> String {
        if self.recipe.top == recipe::SHELL {
            format!("{}-brought", self.name)
        } else {
            self.name.to_owned()
        }
    }

    /// The package and its version that the Verilog comes from.
    pub fn source(&self) -> String {
        format!("{} {}", self.package.name, self.package.version)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_cores_with_verilog_are_those_of_the_table() {
        let ours: BTreeSet<_> = Core::all().map(|core| core.name).collect();
        let table = cores::Core::all().filter(|core| core.has_verilog());
        assert_eq!(ours, table.map(cores::Core::name).collect());
    }
}
