//! How Verilator makes a core and its harness from a package.

/// What Verilator is given for a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recipe {
    /// The module that is the core.
    pub(crate) top: &'static str,
    /// Its Verilog in the package: packages first.
    pub(crate) files: &'static [&'static str],
    /// Folders of the package where further modules are looked for.
    pub(crate) folders: &'static [&'static str],
    /// Verilog of our own: what the package leaves to others.
    pub(crate) own: Option<&'static str>,
    /// The harness.
    pub(crate) harness: &'static str,
    /// Parameters of the core.
    pub(crate) parameters: &'static [&'static str],
    /// Definitions for the preprocessor of the Verilog.
    pub(crate) defined: &'static [&'static str],
    /// Signals that the harness reads, or writes.
    pub(crate) visible: &'static [Visible],
    /// The register that holds the address being fetched, for a harness that asks.
    pub(crate) fetch_pc: Option<&'static str>,
}

/// A signal of the top module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Visible {
    pub(crate) signal: &'static str,
    pub(crate) writable: bool,
}

/// A signal that the harness reads.
const fn read(signal: &'static str) -> Visible {
    Visible {
        signal,
        writable: false,
    }
}

/// The register of `VexRiscv` that holds the privilege level of what is executed.
pub(crate) const PRIVILEGE: &str = "CsrPlugin_privilege";

/// What all harnesses share.
pub(crate) const MACHINE: &str = include_str!("../harness/machine.hpp");

/// The memories that it has.
pub(crate) const MEMORIES: &str = include_str!("../harness/memories.hpp");

pub(crate) const fn vexriscv(files: &'static [&'static str], fetch_pc: &'static str) -> Recipe {
    Recipe {
        top: "VexRiscv",
        files,
        folders: &[],
        own: None,
        harness: include_str!("../harness/vexriscv.cpp"),
        parameters: &[],
        defined: &[],
        visible: const {
            &[
                read(PRIVILEGE),
                read("CsrPlugin_hadException"),
                read("CsrPlugin_interruptJump"),
                read("CsrPlugin_trapCause"),
            ]
        },
        fetch_pc: Some(fetch_pc),
    }
}

/// The harness looks at the RISC-V Formal Interface.
pub(crate) const fn picorv32(parameters: &'static [&'static str]) -> Recipe {
    Recipe {
        top: "picorv32",
        files: &["picorv32.v"],
        folders: &[],
        own: None,
        harness: include_str!("../harness/picorv32.cpp"),
        parameters,
        defined: &["-DRISCV_FORMAL"],
        visible: &[
            Visible {
                signal: "reg_pc",
                writable: true,
            },
            Visible {
                signal: "reg_next_pc",
                writable: true,
            },
        ],
        fetch_pc: None,
    }
}

/// The harness looks at the RISC-V Formal Interface.
pub(crate) const fn ibex(parameters: &'static [&'static str]) -> Recipe {
    Recipe {
        top: "ibex_top",
        files: &[
            "vendor/lowrisc_ip/ip/prim/rtl/prim_util_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_mubi_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_ram_1p_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_secded_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_count_pkg.sv",
            "rtl/ibex_pkg.sv",
            "rtl/ibex_top.sv",
        ],
        folders: &[
            "vendor/lowrisc_ip/ip/prim/rtl",
            "vendor/lowrisc_ip/dv/sv/dv_utils",
            "rtl",
        ],
        own: Some(include_str!("../harness/ibex.sv")),
        harness: include_str!("../harness/ibex.cpp"),
        parameters,
        // Without SYNTHESIS, assertions need more than Verilator knows.
        defined: &["-DRVFI", "-DSYNTHESIS"],
        visible: &[],
        fetch_pc: None,
    }
}
