//! Every cycle tried, on cores with LDREX and without: two interrupts allocate and free while `main` does. No application of
//! Mainspring's is around it: the pool is all that is used.

#![no_std]
#![no_main]

use common::{exit, fail};
use rt::Irq;

#[path = "../../../../tasks/mainspring/src/pool.rs"]
mod pool;

/// The hook that `pool` reports to.
mod sweep {
    use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

    static BROKEN: AtomicBool = AtomicBool::new(false);

    /// Notes that something that must not be is.
    pub fn broken() {
        BROKEN.store(true, Relaxed);
    }

    /// Whether that was noted.
    pub fn is_broken() -> bool {
        BROKEN.load(Relaxed)
    }
}

mainspring::pool! {
    /// Two at once for each of three.
    struct Heap;
    bytes = 48;
    classes = [8];
}

#[unsafe(no_mangle)] // SAFETY: the name of a vector, which no other function here has.
extern "C" fn IRQ1() {
    pool::shuffle::<Heap>(3, true);
}

#[unsafe(no_mangle)] // SAFETY: as above.
extern "C" fn IRQ2() {
    pool::shuffle::<Heap>(4, true);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    rt::enable(Irq(1), 0x80);
    rt::enable(Irq(2), 0x40);
    pool::shuffle::<Heap>(1, true);
    pool::shuffle::<Heap>(2, true);
    cortex_m::interrupt::disable();
    if sweep::is_broken() || !pool::is_whole::<Heap>(6) {
        fail()
    }
    exit()
}
