//! Checks user-supplied Verilog in a shell: a core behaves the same there as in its own harness.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use rtl::{Core, Job, Oracle};

use crate::common::{FINISH, cache, oracle, packaged};

/// A program with loads, stores, multiplications, divisions and branches over data at 0x1000.
fn program(rng: &mut Rng) -> Vec<u8> {
    // lui x8,1; li x10,7; li x11,3
    let mut code = vec![0x0000_1437, 0x0070_0513, 0x0030_0593];
    for _ in 0..300 {
        code.push(match rng.u8(..8) {
            0 => 0x00a4_2023 | rng.u32(..32) << 7 & 0xe00, // sw x10,…(x8)
            1 => 0x0004_2583 | rng.u32(..8) << 22,         // lw x11,…(x8)
            2 => 0x0004_4583 | rng.u32(..32) << 20,        // lbu x11,…(x8)
            3 => 0x02b5_0533,                              // mul x10,x10,x11
            4 => 0x02b5_4533,                              // div x10,x10,x11
            5 => 0x00b5_0463,                              // beq x10,x11,8
            6 => 0x00a5_c533,                              // xor x10,x11,x10
            _ => 0x0015_0513,                              // addi x10,x10,1
        });
    }
    code.extend([0x13, 0x13]);
    code.extend(FINISH);
    let mut memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.resize(0x2000, 0);
    memory
}

/// The folder of `PicoRV32`'s Verilog with a shell around it.
fn folder(packages: &Path) -> Option<std::path::PathBuf> {
    let mut entries = fs::read_dir(packages).ok()?.flatten();
    let package = entries.find(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("pythondata-cpu-picorv32")
    })?;
    let verilog = package.path().join("pythondata_cpu_picorv32/verilog/picorv32.v");
    let folder = packages.join("brought");
    fs::create_dir_all(&folder).ok()?;
    fs::write(folder.join("shell.v"), include_str!("brought/picorv32.v")).ok()?;
    let description = format!(
        "core = \"picorv32\"\nsource = \"the package's\"\nfiles = [\"shell.v\", {:?}]\nverilator = [\"-DRISCV_FORMAL\"]\nlate = 1\n",
        verilog.display().to_string()
    );
    fs::write(folder.join("core.toml"), description).ok()?;
    Some(folder)
}

#[test]
fn a_core_in_a_shell_is_what_it_is_in_its_own_harness() {
    let Some(own) = oracle(packaged("picorv32").unwrap()) else {
        return;
    };
    let folder = folder(&cache()).expect("the package is there");
    let brought = Core::brought(&folder).unwrap();
    assert!(brought.source().starts_with("the package's sha256 "));
    let brought = Oracle::of(brought, &cache()).unwrap();
    let mut rng = Rng::with_seed(1);
    for (latency, beat) in [(0, 0), (3, 1)] {
        let memory = program(&mut rng);
        let job = Job {
            memory,
            latency,
            beat,
            limit: 100_000,
            ..Job::default()
        };
        let (own, brought) = (
            own.run_with_fetches(&job).unwrap(),
            brought.run_with_fetches(&job).unwrap(),
        );
        assert!(own.exit.is_some() && own.stream.len() > 200);
        assert_eq!(brought.cycles, own.cycles);
        assert_eq!(brought.stream, own.stream);
        assert_eq!(brought.writes, own.writes);
        assert_eq!(brought.fetches, own.fetches);
    }
}
