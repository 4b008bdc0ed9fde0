//! Threads of kernels, found by the program's symbols, as GDB's threads.
//!
//! The registers of a thread that is not running are where its kernel saved them. A kernel with an unrecognised layout has no threads; GDB
//! then sees the program as one thread.

mod cmsis;
mod freertos;
mod mainspring;
mod riot;
mod saved;
mod threadx;
mod zephyr;

use machine::Image;
use machine::target::Memory;

pub(crate) use saved::{Saved, Thread};

use saved::Known;

/// The supported kernels, each found by a program's symbols.
const KERNELS: [Find; 5] = [
    freertos::find,
    mainspring::find,
    zephyr::find,
    threadx::find,
    riot::find,
];
type Find = fn(&Image) -> Option<Box<dyn Known>>;

/// The kernel of a program, if it is supported.
#[derive(Default)]
pub(crate) struct Kernel(Option<Box<dyn Known>>);

impl Kernel {
    /// Finds the kernel by the program's symbols.
    pub(crate) fn of(image: &Image) -> Kernel {
        Kernel(KERNELS.iter().find_map(|find| find(image)))
    }

    /// The current threads, the running one first.
    pub(crate) fn threads(&self, memory: &dyn Memory) -> Vec<Thread> {
        let threads = self.0.as_ref().and_then(|kernel| kernel.threads(memory));
        threads.unwrap_or_else(|| vec![Thread::program()])
    }
}
