//! The cores that the packages hold.

use core_rv32::Config;
use isa_rv32::{Extension, Isa};

use crate::package::{IBEX, PICORV32, Package, VEXRISCV};
use crate::recipe::{self, Recipe};

/// A core, as a package has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Core {
    /// Its name here.
    pub name: &'static str,
    pub(crate) package: &'static Package,
    /// How it is built from the package.
    pub(crate) recipe: Recipe,
    extensions: &'static [Extension],
    /// What its data cache leaves alone starts here: all above is uncached.
    pub uncached: u32,
}

const BASE: &[Extension] = &[Extension::Zicsr, Extension::Zifencei];
const MULTIPLY: &[Extension] = &[Extension::Zicsr, Extension::Zifencei, Extension::M];
const COMPRESSED: &[Extension] = &[
    Extension::Zicsr,
    Extension::Zifencei,
    Extension::M,
    Extension::C,
    Extension::Zalrsc,
];
const SUPERVISOR: &[Extension] = &[
    Extension::Zicsr,
    Extension::Zifencei,
    Extension::M,
    Extension::Zalrsc,
    Extension::Zaamo,
    Extension::Supervisor,
];

/// `PicoRV32` has counters, but neither FENCE.I nor other registers.
const COUNTERS: &[Extension] = &[Extension::Zicsr, Extension::M];
const IBEX_SET: &[Extension] = &[Extension::Zicsr, Extension::Zifencei, Extension::M, Extension::C];

const SIMPLE: &str = "IBusSimplePlugin_fetchPc_pcReg";
const CACHED: &str = "IBusCachedPlugin_fetchPc_pcReg";

impl Core {
    /// Every core.
    pub const ALL: [Core; 10] = [
        Core::vexriscv("vexriscv-min", &["VexRiscv_Min.v"], SIMPLE, BASE),
        Core::vexriscv("vexriscv-lite", &["VexRiscv_Lite.v"], CACHED, MULTIPLY),
        Core::vexriscv("vexriscv-standard", &["VexRiscv.v"], CACHED, MULTIPLY),
        Core::vexriscv("vexriscv-full", &["VexRiscv_Full.v"], CACHED, MULTIPLY),
        Core::vexriscv("vexriscv-imac", &["VexRiscv_IMAC.v"], CACHED, COMPRESSED),
        Core::vexriscv("vexriscv-linux", &["VexRiscv_Linux.v"], CACHED, SUPERVISOR),
        Core::vexriscv("vexriscv-secure", &["VexRiscv_Secure.v"], CACHED, MULTIPLY),
        Core::ibex("ibex", &[]),
        Core::ibex("ibex-wb", &["-GWritebackStage=1", "-GBranchTargetALU=1"]),
        Core::with(
            "picorv32",
            &PICORV32,
            recipe::picorv32(&["-GENABLE_MUL=1", "-GENABLE_DIV=1"]),
            COUNTERS,
        ),
    ];

    const fn vexriscv(
        name: &'static str,
        files: &'static [&'static str],
        fetch_pc: &'static str,
        extensions: &'static [Extension],
    ) -> Core {
        Core::with(name, &VEXRISCV, recipe::vexriscv(files, fetch_pc), extensions)
    }

    const fn ibex(name: &'static str, parameters: &'static [&'static str]) -> Core {
        Core::with(name, &IBEX, recipe::ibex(parameters), IBEX_SET)
    }

    const fn with(
        name: &'static str,
        package: &'static Package,
        recipe: Recipe,
        extensions: &'static [Extension],
    ) -> Core {
        Core {
            name,
            package,
            recipe,
            extensions,
            uncached: 0x8000_0000,
        }
    }

    /// The core of this name.
    pub fn named(name: &str) -> Option<Core> {
        Core::ALL.into_iter().find(|core| core.name == name)
    }

    /// Whether its first instruction can be at this address.
    pub fn can_begin_at(&self, address: u32) -> bool {
        Config::named(self.name).is_none_or(|config| config.can_begin_at(address))
    }

    /// The lowest address that its first instruction can have.
    pub fn lowest_entry(&self) -> u32 {
        Config::named(self.name).map_or(0, |config| config.first.1)
    }

    /// Whether it has handlers for interrupts as the privileged ISA says.
    pub fn takes_interrupts(&self) -> bool {
        *self.package != PICORV32
    }

    /// Whether it makes a misaligned load or store as several accesses; else that is an exception.
    pub fn splits_accesses(&self) -> bool {
        Config::named(self.name).is_some_and(|config| config.splits)
    }

    /// The instructions that it has.
    pub fn isa(&self) -> Isa {
        self.extensions
            .iter()
            .fold(Isa::RV32I, |isa, &extension| isa.with(extension))
    }

    /// The package and its version that the Verilog comes from.
    pub fn source(&self) -> String {
        format!("{} {}", self.package.name, self.package.version)
    }
}
