//! `cyclescope xous`, without a Xous: a kernel and a program of one instruction, which jumps to itself.

use crate::Desk;
use crate::firmware::{calling, rv32};

/// Where Xous's kernel is linked to.
const KERNEL: u32 = 0xffd0_0000;

fn desk() -> Desk {
    let here = 0x6f_u32.to_le_bytes();
    Desk::new()
        .with("kernel.elf", rv32(KERNEL, &here))
        .with("program.elf", rv32(0x1_0000, &here))
        .with("arm.elf", calling().elf())
}

#[test]
fn the_image_begins_in_the_kernel() {
    let desk = desk();
    desk.run("xous kernel.elf program.elf --output image.elf")
        .code(0)
        .stdout_eq(" 1  0xffd00000      1 KiB  kernel\n 2  0x00010000      1 KiB  program\n");
    desk.run("run image.elf --board precursor --limit 3000")
        .code(3)
        .stderr_eq(
            "error: the limit of 3000 cycles is reached\n |\n = note: the next instruction is at 0xffd00000\n = help: the program loops forever, or needs a higher limit\n",
        );
}

#[test]
fn what_is_no_kernel_or_no_board_for_it_is_told() {
    let desk = desk();
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
        desk.run(&format!("xous {arguments} --output image.elf"))
            .code(2)
            .stderr_eq(told);
        assert!(!desk.path("image.elf").exists());
    }
}
