//! Tools from Debian packages. A missing tool is installed; if that fails, the work that needs it is skipped.

use std::path::Path;
use std::process::Command;
use std::sync::Once;

use anyhow::{Result, bail};

use crate::shell::{find, run, say, succeeds};

/// A tool that a check needs.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its Debian package.
    pub package: &'static str,
    /// How to detect it.
    present: Present,
    /// The work that needs it.
    pub used_for: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Present {
    /// A program on the path.
    Program(&'static str),
    /// (folder, path): a file at this path inside any subfolder of the folder.
    Within(&'static str, &'static str),
    /// A path that exists.
    Exists(&'static str),
    /// A command that succeeds.
    Runs(&'static [&'static str]),
}

/// Build tools of the differential tests' instruction oracle.
pub const ORACLE: &[Tool] = &[
    tool(
        "cmake",
        Present::Program("cmake"),
        "building the instruction oracle",
    ),
    tool(
        "pkg-config",
        Present::Program("pkg-config"),
        "building the instruction oracle",
    ),
    tool(
        "clang",
        Present::Program("clang"),
        "building the instruction oracle",
    ),
    tool(
        "libclang-dev",
        Present::Within("/usr/lib", "lib/libclang.so"),
        "building the instruction oracle",
    ),
];

/// The C compiler for Arm chips.
pub const C_COMPILER: &[Tool] = &[
    tool(
        "gcc-arm-none-eabi",
        Present::Program("arm-none-eabi-gcc"),
        "building C firmware",
    ),
    tool(
        "libnewlib-arm-none-eabi",
        Present::Exists("/usr/lib/arm-none-eabi/newlib"),
        "building C firmware",
    ),
];

/// The C compiler for RV32 chips.
pub const RV32_C_COMPILER: &[Tool] = &[tool(
    "gcc-riscv64-unknown-elf",
    Present::Program("riscv64-unknown-elf-gcc"),
    "building and running C programs on RV32",
)];

/// Tools for the comparisons with other projects.
pub const PEERS: &[Tool] = &[
    tool(
        "binutils-arm-none-eabi",
        Present::Program("arm-none-eabi-objdump"),
        "comparing the disassembler",
    ),
    tool(
        "binutils-riscv64-unknown-elf",
        Present::Program("riscv64-unknown-elf-objdump"),
        "comparing the RV32 disassembler",
    ),
    CHROMIUM,
    RV32_C_COMPILER[0],
    VERILATOR[0],
    VERILATOR[1],
    VERILATOR[2],
    VERILATOR[3],
    C_COMPILER[0],
    C_COMPILER[1],
    QEMU,
    QEMU_RISCV,
    PYTHON,
    NODE,
    GDB,
];

/// The debugger that tests connect to our GDB server.
pub const GDB: Tool = tool(
    "gdb-multiarch",
    Present::Program("gdb-multiarch"),
    "debugging sessions with GDB",
);

/// The browser that tests open the results page in.
pub const CHROMIUM: Tool = tool(
    "chromium",
    Present::Program("chromium"),
    "opening the page of results in a browser",
);

/// Tools that fetch and run the Verilog of RV32 cores.
pub const VERILATOR: &[Tool] = &[
    tool(
        "verilator",
        Present::Program("verilator"),
        "running the Verilog of RV32 cores",
    ),
    tool(
        "python3-pip",
        Present::Runs(&["python3", "-m", "pip", "--version"]),
        "fetching the Verilog of RV32 cores",
    ),
    tool(
        "make",
        Present::Program("make"),
        "running the Verilog of RV32 cores",
    ),
    tool(
        "g++",
        Present::Program("g++"),
        "running the Verilog of RV32 cores",
    ),
];

/// The emulator that our speed is compared with.
pub const QEMU: Tool = tool(
    "qemu-system-arm",
    Present::Program("qemu-system-arm"),
    "comparing with QEMU, and its speed",
);

/// The emulator for RV32.
pub const QEMU_RISCV: Tool = tool(
    "qemu-system-misc",
    Present::Program("qemu-system-riscv32"),
    "comparing RV32 programs with QEMU, and its speed",
);

/// Fetches and runs what is written in JavaScript: format readers, the accessibility checker, the library as WebAssembly.
pub const NODE: Tool = tool(
    "npm",
    Present::Program("npm"),
    "reading files with the tools of their formats",
);

/// Installs the wheel.
pub const PYTHON: Tool = tool(
    "python3-venv",
    Present::Runs(&["python3", "-c", "import ensurepip, venv"]),
    "making and installing the Python wheel",
);

/// Counts host instructions.
pub const VALGRIND: Tool = tool(
    "valgrind",
    Present::Program("valgrind"),
    "counting host instructions (`./x speed --count`)",
);

/// Debian's own Rust with the sources of its standard library.
pub const DEBIAN_RUST: &[Tool] = &[
    tool(
        "rustc-web",
        Present::Exists("/usr/bin/rustc"),
        "building firmware",
    ),
    tool(
        "cargo-web",
        Present::Exists("/usr/bin/cargo"),
        "building firmware",
    ),
    tool(
        "rust-web-src",
        Present::Exists("/usr/lib/rustlib/src/rust/library"),
        "building firmware",
    ),
    tool(
        "lld-19",
        Present::Exists("/usr/bin/ld.lld-19"),
        "linking firmware",
    ),
];

const fn tool(package: &'static str, present: Present, used_for: &'static str) -> Tool {
    Tool {
        package,
        present,
        used_for,
    }
}

impl Tool {
    /// Whether it is installed.
    pub fn is_present(&self) -> bool {
        match self.present {
            Present::Program(name) => find(name).is_some(),
            Present::Exists(path) => Path::new(path).exists(),
            Present::Within(folder, file) => any_within(Path::new(folder), file),
            Present::Runs(words) => succeeds(Command::new(words[0]).args(&words[1..])),
        }
    }
}

fn any_within(folder: &Path, file: &str) -> bool {
    let Ok(entries) = folder.read_dir() else {
        return false;
    };
    entries.flatten().any(|entry| entry.path().join(file).exists())
}

/// Prints which of `tools` will be installed, before installing anything.
pub fn announce(tools: &[Tool]) {
    let missing: Vec<_> = tools.iter().filter(|tool| !tool.is_present()).collect();
    if !missing.is_empty() {
        say("x: this machine lacks the following, which will be installed from Debian's packages:");
        for tool in missing {
            say(&format!("     {:<26} {}", tool.package, tool.used_for));
        }
    }
}

/// Installs those of `tools` that are missing.
///
/// # Errors
/// If some are still missing; the error names them and the work that needs them.
pub fn ensure(tools: &[Tool]) -> Result<()> {
    let missing: Vec<_> = tools.iter().filter(|tool| !tool.is_present()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(|tool| tool.package).collect();
    if let Err(error) = apt_install(&names) {
        if names.len() == 1 {
            return Err(error);
        }
        // Install one by one, so that an unavailable package does not block the others.
        for name in &names {
            drop(apt_install(&[name]));
        }
    }
    let missing = missing.iter().filter(|tool| !tool.is_present());
    let missing: Vec<_> = missing
        .map(|tool| format!("{} (for {})", tool.package, tool.used_for))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!("missing: {}", missing.join(", "))
}

fn apt_install(packages: &[&str]) -> Result<()> {
    static UPDATE: Once = Once::new();
    if find("apt-get").is_none() {
        bail!(
            "missing: {}; no apt-get here, install them by hand",
            packages.join(", ")
        );
    }
    say(&format!("x: installing with apt: {}", packages.join(" ")));
    UPDATE.call_once(|| {
        if !succeeds(as_root().args(["apt-get", "-qq", "update"])) {
            say("x: apt-get update failed; going on with the lists at hand");
        }
    });
    run(as_root()
        .args(["apt-get", "-qq", "install", "-y", "--no-install-recommends"])
        .args(packages))
}

/// A command prefix that runs its arguments as root.
fn as_root() -> Command {
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|out| out.stdout.trim_ascii() == b"0");
    let mut command = Command::new(if is_root { "env" } else { "sudo" });
    command.arg("DEBIAN_FRONTEND=noninteractive");
    command
}
