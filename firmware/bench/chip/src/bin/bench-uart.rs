//! Bytes to a UART: a device is asked and written to again and again.
//!
//! For ARMv7-M the first UART of an MPS2, for ARMv7E-M the second of an STM32F407.

#![no_std]
#![no_main]

use cortex_m_rt::entry;

/// Bytes that are sent.
const BYTES: u32 = 2000;

/// A store to a register.
fn store(address: usize, word: u32) {
    // SAFETY: the boards of this program have a device register there, and nothing else uses it.
    unsafe { (address as *mut u32).write_volatile(word) }
}

/// A load from one.
fn load(address: usize) -> u32 {
    // SAFETY: as in `store`.
    unsafe { (address as *const u32).read_volatile() }
}

#[cfg(not(target_abi = "eabihf"))]
mod uart {
    use super::{load, store};

    const BASE: usize = 0x4000_4000;

    pub(super) fn start() {
        store(BASE + 0x10, 16);
        store(BASE + 0x08, 1);
    }

    pub(super) fn is_full() -> bool {
        load(BASE + 0x04) & 1 != 0
    }

    pub(super) fn send(byte: u32) {
        store(BASE, byte);
    }
}

#[cfg(target_abi = "eabihf")]
mod uart {
    use super::{load, store};

    const RCC_APB1ENR: usize = 0x4002_3840;
    const BASE: usize = 0x4000_4400;

    pub(super) fn start() {
        store(RCC_APB1ENR, 1 << 17);
        load(RCC_APB1ENR);
        store(BASE + 0x08, 0x10);
        store(BASE + 0x0c, 1 << 13 | 1 << 3);
    }

    pub(super) fn is_full() -> bool {
        load(BASE) & 1 << 7 == 0
    }

    pub(super) fn send(byte: u32) {
        store(BASE + 0x04, byte);
    }
}

#[entry]
fn main() -> ! {
    uart::start();
    for number in 0..BYTES {
        while uart::is_full() {}
        uart::send(u32::from(b'a') + number % 26);
    }
    rt::exit()
}
