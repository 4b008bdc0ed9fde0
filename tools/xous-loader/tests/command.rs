//! The command, without a Xous: a kernel and a program of one instruction, which jumps to itself.

use std::fs;

use programs::{calling, rv32};
use snapbox::cmd::{Command, OutputAssert, cargo_bin};
use tempfile::TempDir;

/// Where Xous's kernel is linked to.
const KERNEL: u32 = 0xffd0_0000;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = 0x6f_u32.to_le_bytes();
    let files = [
        ("kernel.elf", rv32(KERNEL, &here)),
        ("program.elf", rv32(0x1_0000, &here)),
        ("arm.elf", calling().elf()),
    ];
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn run(folder: &TempDir, arguments: &str) -> OutputAssert {
    Command::new(cargo_bin!("xous-loader"))
        .current_dir(folder.path())
        .args(arguments.split_whitespace())
        .assert()
}

#[test]
fn the_processes_are_listed() {
    let folder = folder();
    run(&folder, "kernel.elf program.elf --output image.elf")
        .code(0)
        .stdout_eq(" 1  0xffd00000      1 KiB  kernel\n 2  0x00010000      1 KiB  program\n");
    assert!(folder.path().join("image.elf").exists());
}

#[test]
fn a_file_that_is_read_is_not_written_over() {
    let folder = folder();
    let before = fs::read(folder.path().join("program.elf")).unwrap();
    run(&folder, "kernel.elf program.elf --output program.elf")
        .code(2)
        .stderr_eq("error: is read, so it cannot be written\n--> program.elf\n");
    assert_eq!(fs::read(folder.path().join("program.elf")).unwrap(), before);
}

#[test]
fn what_is_no_kernel_or_no_board_for_it_is_told() {
    let folder = folder();
    let wrong = [
        (
            "program.elf kernel.elf",
            "error: program.elf: no kernel of Xous: it begins at 0x00010000, not at 0xffd00000\n...",
        ),
        (
            "kernel.elf arm.elf",
            "error: arm.elf: built for Arm, not for RISC-V\n...",
        ),
        (
            "kernel.elf program.elf --board vexriscv-lite",
            "error: board `vexriscv-lite`: its vexriscv-lite cannot run Xous, which needs supervisor mode and Sv32\n...",
        ),
        (
            "kernel.elf program.elf --set 5",
            "error: invalid value '5' for '--set <ADDRESS=WORD>': expected ADDRESS=WORD[..]\n...",
        ),
    ];
    for (arguments, told) in wrong {
        run(&folder, &format!("{arguments} --output image.elf"))
            .code(2)
            .stderr_eq(told);
        assert!(!folder.path().join("image.elf").exists());
    }
}
