//! How Verilator makes a core and its harness from a package.

/// Verilator's input for a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recipe {
    /// The module that is the core.
    pub(crate) top: &'static str,
    /// Its Verilog in the package: packages first.
    pub(crate) files: &'static [&'static str],
    /// Folders of the package where further modules are looked for.
    pub(crate) folders: &'static [&'static str],
    /// Our own Verilog, for modules that the package leaves out.
    pub(crate) own: Option<&'static str>,
    /// Source of the harness.
    pub(crate) harness: &'static str,
    /// Parameters of the core.
    pub(crate) parameters: &'static [&'static str],
    /// Definitions for the preprocessor of the Verilog.
    pub(crate) defined: &'static [&'static str],
    /// Signals that the harness reads, or writes.
    pub(crate) visible: &'static [Visible],
    /// The register that holds the address being fetched, for a harness that asks.
    pub(crate) fetch_pc: Option<&'static str>,
    /// Definitions for the harness.
    pub(crate) chosen: &'static [&'static str],
}

/// A signal of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Visible {
    /// `None`: the top module.
    pub(crate) module: Option<&'static str>,
    pub(crate) signal: &'static str,
    pub(crate) writable: bool,
}

/// A signal that the harness reads.
const fn read(signal: &'static str) -> Visible {
    Visible {
        module: None,
        signal,
        writable: false,
    }
}

/// A signal that the harness writes.
const fn write(signal: &'static str) -> Visible {
    Visible {
        writable: true,
        ..read(signal)
    }
}

/// A control and status register of Ibex that the harness reads.
const fn register(signal: &'static str) -> Visible {
    Visible {
        module: Some("ibex_cs_registers"),
        ..read(signal)
    }
}

/// The register of `VexRiscv` that holds the privilege level of what is executed.
pub(crate) const PRIVILEGE: &str = "CsrPlugin_privilege";

/// The code that all harnesses share.
pub(crate) const MACHINE: &str = include_str!("../harness/machine.hpp");

/// The memories that it has.
pub(crate) const MEMORIES: &str = include_str!("../harness/memories.hpp");

/// The signals of `VexRiscv` that the harness accesses; those of every variant first.
const VEXRISCV: &[Visible] = &[
    read(PRIVILEGE),
    read("CsrPlugin_hadException"),
    read("CsrPlugin_interruptJump"),
    read("CsrPlugin_trapCause"),
    read("CsrPlugin_mepc"),
    read("CsrPlugin_mtval"),
    read("CsrPlugin_mcause_interrupt"),
    read("CsrPlugin_mcause_exceptionCode"),
    write("CsrPlugin_mcycle"),
    write("CsrPlugin_minstret"),
    read("CsrPlugin_sepc"),
    read("CsrPlugin_stval"),
    read("CsrPlugin_scause_interrupt"),
    read("CsrPlugin_scause_exceptionCode"),
];

/// Those of the variant that has supervisor mode.
const OF_SUPERVISOR: usize = 4;

impl Recipe {
    /// The recipe of a `VexRiscv` with supervisor mode.
    pub(crate) const fn with_supervisor(self) -> Recipe {
        Recipe {
            visible: VEXRISCV,
            chosen: &["-DSUPERVISOR"],
            ..self
        }
    }
}

pub(crate) const fn vexriscv(files: &'static [&'static str], fetch_pc: &'static str) -> Recipe {
    Recipe {
        top: "VexRiscv",
        files,
        folders: &[],
        own: None,
        harness: include_str!("../harness/vexriscv.cpp"),
        parameters: &[],
        defined: &[],
        visible: VEXRISCV.split_at(VEXRISCV.len() - OF_SUPERVISOR).0,
        fetch_pc: Some(fetch_pc),
        chosen: &[],
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
        visible: const { &[write("reg_pc"), write("reg_next_pc")] },
        fetch_pc: None,
        chosen: &[],
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
        visible: const {
            &[
                register("csr_save_cause_i"),
                register("csr_mcause_i"),
                register("csr_mtval_i"),
                register("exception_pc"),
            ]
        },
        fetch_pc: None,
        chosen: &[],
    }
}

/// The module of a core that its user brings.
pub(crate) const SHELL: &str = "shell";

/// The harness looks at the ports of a shell around the core.
pub(crate) const fn shell(
    files: &'static [&'static str],
    folders: &'static [&'static str],
    arguments: &'static [&'static str],
    chosen: &'static [&'static str],
) -> Recipe {
    Recipe {
        top: SHELL,
        files,
        folders,
        own: None,
        harness: include_str!("../harness/shell.cpp"),
        parameters: arguments,
        defined: &[],
        visible: &[],
        fetch_pc: None,
        chosen,
    }
}
