//! The cores that the packages hold.

use isa_rv32::{Extension, Isa};

use crate::package::{Package, VEXRISCV};

/// A core, as a package has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Core {
    /// Its name here.
    pub name: &'static str,
    /// Its Verilog, in the package.
    pub(crate) file: &'static str,
    pub(crate) package: &'static Package,
    /// The register that holds the address being fetched.
    pub(crate) fetch_pc: &'static str,
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

const SIMPLE: &str = "IBusSimplePlugin_fetchPc_pcReg";
const CACHED: &str = "IBusCachedPlugin_fetchPc_pcReg";

impl Core {
    /// Every core.
    pub const ALL: [Core; 7] = [
        Core::vexriscv("vexriscv-min", "VexRiscv_Min.v", SIMPLE, BASE),
        Core::vexriscv("vexriscv-lite", "VexRiscv_Lite.v", CACHED, MULTIPLY),
        Core::vexriscv("vexriscv-standard", "VexRiscv.v", CACHED, MULTIPLY),
        Core::vexriscv("vexriscv-full", "VexRiscv_Full.v", CACHED, MULTIPLY),
        Core::vexriscv("vexriscv-imac", "VexRiscv_IMAC.v", CACHED, COMPRESSED),
        Core::vexriscv("vexriscv-linux", "VexRiscv_Linux.v", CACHED, SUPERVISOR),
        Core::vexriscv("vexriscv-secure", "VexRiscv_Secure.v", CACHED, MULTIPLY),
    ];

    const fn vexriscv(
        name: &'static str,
        file: &'static str,
        fetch_pc: &'static str,
        extensions: &'static [Extension],
    ) -> Core {
        Core {
            name,
            file,
            package: &VEXRISCV,
            fetch_pc,
            extensions,
            uncached: 0x8000_0000,
        }
    }

    /// The core of this name.
    pub fn named(name: &str) -> Option<Core> {
        Core::ALL.into_iter().find(|core| core.name == name)
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
