//! The boards: each core with memories of several speeds.

use isa_thumb::Isa;

/// Where the memory at address 0 ends: vectors, and code unless it lies in RAM.
pub const ROM_SIZE: u32 = 0x1_0000;
/// RAM, of [`RAM_SIZE`] bytes.
pub const RAM: u32 = 0x2000_0000;
/// Length of RAM.
pub const RAM_SIZE: u32 = 0x1_0000;
/// Interrupts that arrive from outside.
pub const IRQS: u32 = 8;

/// A core in one revision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Core {
    /// As board files call it.
    pub core: &'static str,
    /// Its revision.
    pub revision: &'static str,
    /// Its instructions.
    pub isa: Isa,
}

/// Every core.
pub const CORES: [Core; 6] = [
    Core::new("cortex-m0", "r0p0", Isa::ARMV6M),
    Core::new("cortex-m0plus", "r0p1", Isa::ARMV6M),
    Core::new("cortex-m3", "r1p1", Isa::ARMV7M),
    Core::new("cortex-m3", "r2p1", Isa::ARMV7M),
    Core::new("cortex-m4", "r0p1", Isa::ARMV7EM),
    Core::new("cortex-m4f", "r0p1", Isa::ARMV7EM_FLOAT),
];

impl Core {
    const fn new(core: &'static str, revision: &'static str, isa: Isa) -> Core {
        Core { core, revision, isa }
    }

    /// Its name and revision: `cortex-m3-r1p1`.
    pub fn name(self) -> String {
        format!("{}-{}", self.core, self.revision)
    }

    /// What it runs in.
    pub fn setups(self) -> impl Iterator<Item = &'static Setup> {
        SETUPS.iter().filter(move |setup| (setup.fits)(self))
    }
}

/// Memories around a core.
#[derive(Debug)]
pub struct Setup {
    /// Its name.
    pub name: &'static str,
    /// Whether code and vectors lie in RAM.
    pub code_in_ram: bool,
    /// Further keys of the board.
    keys: &'static str,
    /// Keys of the memory at 0.
    rom: &'static str,
    /// Keys of RAM.
    ram: &'static str,
    /// The flash interface.
    flash: &'static str,
    fits: fn(Core) -> bool,
}

const NO_WAIT: &str = "wait = { fetch = 0, read = 0, write = 0 }\nslave = 0";
const RAM_NO_WAIT: &str = "wait = { fetch = 0, read = 0, write = 0 }\nslave = 1";

/// ROM and RAM without wait states, for any core.
const PLAIN: Setup = Setup {
    name: "flash",
    code_in_ram: false,
    keys: "",
    rom: NO_WAIT,
    ram: RAM_NO_WAIT,
    flash: "",
    fits: |_| true,
};

/// Every one.
const SETUPS: &[Setup] = &[
    PLAIN,
    Setup {
        name: "ram",
        code_in_ram: true,
        ..PLAIN
    },
    Setup {
        name: "wait-states",
        rom: "wait = { fetch = 2, read = 1, write = 0 }\nslave = 0",
        ram: "wait = { fetch = 0, read = 1, write = 2, grant = 1 }\nslave = 1",
        ..PLAIN
    },
    Setup {
        name: "one-slave",
        rom: "wait = { fetch = 1, read = 1, write = 1 }\nslave = 0",
        ram: "wait = { fetch = 0, read = 0, write = 1 }\nslave = 0",
        ..PLAIN
    },
    Setup {
        name: "prefetch",
        flash: "line_bits = 64\nprefetch = true\nsettings = { latency = 2, prefetch = true }",
        ..PLAIN
    },
    Setup {
        name: "caches",
        flash: "line_bits = 128
prefetch = true
instruction_cache = { lines = 8, line_bits = 128, ways = 2, replacement = \"lru\" }
data_cache = { lines = 4, line_bits = 128, ways = 2, replacement = \"fifo\" }
data_buffer = true
settings = { latency = 5, prefetch = true, instruction_cache = true, data_cache = true }",
        fits: |core| core.isa.is_v7(),
        ..PLAIN
    },
    Setup {
        name: "shared-flash",
        flash: "line_bits = 64\nshared = true\nsettings = { latency = 1 }",
        ..PLAIN
    },
    Setup {
        name: "slow-writes",
        ram: "wait = { fetch = 0, read = 0, write = 4 }\nslave = 1",
        ..PLAIN
    },
    Setup {
        name: "unbuffered",
        keys: "unbuffered_writes = true",
        ram: "wait = { fetch = 0, read = 0, write = 4 }\nslave = 1",
        fits: |core| core.isa.is_v7(),
        ..PLAIN
    },
    Setup {
        name: "slow-multiplier",
        keys: "slow_multiplier = true",
        fits: |core| !core.isa.is_v7(),
        ..PLAIN
    },
    Setup {
        name: "io-port",
        ram: "wait = { fetch = 0, read = 0, write = 0 }\nio_port = true\nslave = 1",
        fits: |core| core.core == "cortex-m0plus",
        ..PLAIN
    },
];

impl Setup {
    /// The file of a board with this core.
    pub fn board(&self, core: Core) -> String {
        let Setup {
            name,
            keys,
            rom,
            ram,
            flash,
            ..
        } = self;
        let Core { core, revision, isa } = core;
        let v7 = isa.is_v7();
        let bits = if v7 { 4 } else { 2 };
        let vectors = if self.code_in_ram && v7 { RAM } else { 0 };
        let flash = if flash.is_empty() {
            String::new()
        } else {
            format!("[flash]\nmemory = \"rom\"\n{flash}\n")
        };
        format!(
            r#"name = "{name}"
description = "{name}"
core = "{core}"
revision = "{revision}"
clock_hz = 8_000_000
priority_bits = {bits}
bit_band = {v7}
vector_table = {vectors}
{keys}
[interrupts]
count = {IRQS}
[[memory]]
name = "rom"
kind = "rom"
base = 0
size = {ROM_SIZE}
{rom}
[[memory]]
name = "ram"
kind = "ram"
base = {RAM}
size = {RAM_SIZE}
{ram}
{flash}"#
        )
    }
}
