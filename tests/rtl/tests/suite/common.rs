//! Helpers shared by the tests against the Verilog.

use std::path::{Path, PathBuf};

use bus::{Bus, Memory, Region, WaitStates};
use core_rv32::Config;
use fastrand::Rng;
use machine::cores;
use rtl::{Core, Missing, Oracle};

/// The build folder of the cores, inside the target directory.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("rtl")
}

/// The oracle of a core; `None`, with a message, if it cannot be built.
pub(crate) fn oracle(core: Core) -> Option<Oracle> {
    if let Some(Missing(tool)) = Missing::any() {
        skipped::skip(&format!("no {tool}"));
        return None;
    }
    if !Oracle::can_be_had(core, &cache()) {
        skipped::opt_in(&format!(
            "comparing {} with its Verilog, which is in no package (docs/rv32.md)",
            core.name
        ));
        return None;
    }
    Some(Oracle::of(core, &cache()).unwrap())
}

/// The packaged Verilog of this name.
pub(crate) fn packaged(name: &str) -> Option<Core> {
    Core::ALL.into_iter().find(|core| core.name == name)
}

/// Whether a package contains the core's Verilog.
pub(crate) fn has_verilog(config: &Config) -> bool {
    packaged(config.name).is_some()
}

/// Every `VexRiscv` variant with packaged Verilog.
pub(crate) fn vexriscv() -> impl Iterator<Item = Config> {
    cores::rv32().filter(|config| config.name.starts_with("vexriscv-") && has_verilog(config))
}

/// Ends a run: lui a5,0xfff00; sw a0,0(a5)
pub(crate) const FINISH: [u32; 2] = [0xfff0_07b7, 0x00a7_a023];

/// Random memory wait states.
pub(crate) fn random_wait(rng: &mut Rng) -> WaitStates {
    let most = rng.u8(1..20);
    WaitStates {
        fetch: rng.u8(..most),
        read: rng.u8(..most),
        write: rng.u8(..most),
        grant: 0,
        beat: rng.u8(..5),
        write_beat: rng.u8(..10),
    }
}

/// The harness's environment of a core: this memory at 0, and ports.
pub(crate) fn surroundings(memory: &[u8], wait: WaitStates) -> Bus {
    let mut bus = Bus::new();
    let ram = |name, base, size| {
        Memory::ram(Region {
            wait,
            ..Region::new(name, base, size)
        })
    };
    bus.add_memory(ram("RAM", 0, crate::programs::MEMORY));
    bus.add_memory(ram("ports", 0xfff0_0000, 0x1000));
    assert!(bus.load(0, memory));
    bus
}

/// Our core in that environment, without timing.
pub(crate) fn machine(config: Config, memory: &[u8]) -> core_rv32::Core {
    core_rv32::Core::new(config, surroundings(memory, WaitStates::default()), 0)
}

/// Prints a row of the tally that `docs/reliability.md` keeps: programs, instructions, and differing programs.
pub(crate) fn tell(oracle: &str, core: &str, seed: u64, [programs, instructions, differing]: [u64; 3]) {
    let row = format!("| {oracle} | `{core}` | {seed} | {programs} | {instructions} | {differing} |\n");
    print!("{row}");
    if let Some(folder) = std::env::var_os("RANDOM_TALLY") {
        let name = format!("{}-{core}-{seed}.txt", oracle.replace(' ', "-"));
        std::fs::write(std::path::Path::new(&folder).join(name), row).expect("the folder is there");
    }
}
