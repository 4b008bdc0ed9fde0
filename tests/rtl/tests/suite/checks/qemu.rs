//! Runs a check on QEMU's machine `virt`, the reference for the manual's core, which has no Verilog.

use std::io::{ErrorKind, Read as _};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::assembled::Assembled;

/// Time limit of a check; it normally takes a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(20);

/// The check's result on QEMU; `None` if QEMU is missing. The exit code comes through the UART, since a process's has only eight bits.
/// QEMU's cycle counters count instructions.
pub(super) fn verdict(check: &Assembled) -> Option<Result<(), String>> {
    let loader = format!("loader,file={},cpu-num=0", check.elf.display());
    let child = Command::new("qemu-system-riscv32")
        .args([
            "-M", "virt", "-cpu", "rv32", "-icount", "shift=0", "-bios", "none",
        ])
        .args(["-display", "none", "-monitor", "none", "-serial", "stdio"])
        .args(["-device", &loader])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    match child {
        Ok(child) => Some(check.verdict(printed(child))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            skipped::skip("no qemu-system-riscv32");
            None
        }
        Err(error) => panic!("qemu-system-riscv32: {error}"),
    }
}

fn printed(mut child: Child) -> Option<u32> {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        sleep(Duration::from_millis(10));
    }
    let mut bytes = Vec::new();
    let output = child.stdout.as_mut().expect("it is a pipe");
    output.read_to_end(&mut bytes).unwrap();
    bytes.first_chunk().copied().map(u32::from_le_bytes)
}
