//! Ends the program.

/// Exits with success through a semihosting request (`SYS_EXIT`). Without a host, it loops forever.
pub fn end() -> ! {
    exit();
    loop {
        core::hint::spin_loop();
    }
}

/// `SYS_EXIT`, and its reason `ADP_Stopped_ApplicationExit` ("Semihosting for AArch32 and AArch64", 6.2).
#[cfg(any(target_arch = "arm", target_arch = "riscv32"))]
const REQUEST: (usize, usize) = (0x18, 0x20026);

#[cfg(target_arch = "arm")]
#[allow(unsafe_code)] // There is no other way to say BKPT.
fn exit() {
    // SAFETY: the request reads no memory and writes none.
    unsafe {
        core::arch::asm!("bkpt #0xab", inout("r0") REQUEST.0 => _, in("r1") REQUEST.1, options(nostack))
    };
}

/// None of the three instructions is compressed, and they do not cross a page ("RISC-V Semihosting", 2).
#[cfg(target_arch = "riscv32")]
#[allow(unsafe_code)] // There is no other way to say EBREAK.
fn exit() {
    // SAFETY: the request reads no memory and writes none.
    unsafe {
        core::arch::asm!(
            ".balign 16",
            ".option push",
            ".option norvc",
            "slli x0, x0, 0x1f",
            "ebreak",
            "srai x0, x0, 7",
            ".option pop",
            inout("a0") REQUEST.0 => _,
            in("a1") REQUEST.1,
            options(nostack)
        );
    }
}

#[cfg(not(any(target_arch = "arm", target_arch = "riscv32")))]
fn exit() {}
