//! The floating-point unit: it holds the registers of the process that used it last, and is disabled for all others.
//!
//! Exceptions stack nothing of it. A process that uses it and is not the one whose values are in its registers meets a fault; then the
//! kernel saves these values and gives it its own, zeros at first. So a process without floating point costs nothing, a message between two
//! of which one uses it neither.

use mainspring_core::processes::Context;

#[cfg(not(float))]
pub use none::*;
#[cfg(float)]
pub use some::*;

/// Without one.
#[cfg(not(float))]
mod none {
    use super::Context;
    use crate::process::Processes;

    /// Whether the program is compiled for a core with a floating-point unit.
    pub const HAS_FLOATS: bool = false;
    /// Nothing is kept.
    pub enum Table {}

    pub(crate) fn prepare() {}
    pub(crate) fn permit(_: &Context) {}
    pub(crate) fn wants(_: *const Context) -> bool {
        false
    }
    pub(crate) fn give<S: Processes>(_: *mut Context, _: usize) {}
    pub(crate) fn forget<S: Processes>(_: *const Context, _: usize) {}
}

#[cfg(float)]
mod some {
    use core::arch::asm;
    use core::ptr::{from_ref, null_mut};
    use core::sync::atomic::Ordering::Relaxed;

    use super::super::CURRENT;
    use super::Context;
    use crate::process::Processes;

    /// Whether the program is compiled for a core with a floating-point unit.
    pub const HAS_FLOATS: bool = true;

    /// S0 to S31 and FPSCR of a process, while another one's are in the registers.
    #[repr(C)]
    pub struct Table([u32; 33]);

    const FPCCR: *mut usize = 0xe000_ef34 as *mut usize;
    const CPACR: *mut usize = 0xe000_ed88 as *mut usize;
    const CFSR: *mut usize = 0xe000_ed28 as *mut usize;
    const NOCP: usize = 1 << 19;
    const ALL: usize = 0xf << 20;

    fn reach(rights: usize) {
        // SAFETY: this sets which code may use the unit; the kernel does not use it.
        unsafe {
            CPACR.write_volatile(rights);
            asm!("dsb", "isb", options(nostack, preserves_flags));
        }
    }

    /// Exceptions stack nothing of the unit, now and of what the program did before.
    pub(crate) fn prepare() {
        // SAFETY: the program becomes its processes, and nobody needs what is in the registers.
        unsafe {
            FPCCR.write_volatile(0);
            asm!("mrs {0}, control", "bic {0}, {0}, #4", "msr control, {0}", "isb", out(reg) _, options(nostack));
        }
        reach(0);
    }

    /// Lets a process use the unit if its values are in there.
    pub(crate) fn permit(context: &Context) {
        let is_its_own = from_ref(context) == CURRENT.floats.load(Relaxed);
        reach(if is_its_own { ALL } else { 0 });
    }

    /// Whether a fault was that: a process used the unit, which it could not.
    pub(crate) fn wants(context: *const Context) -> bool {
        // SAFETY: reading it has no effect.
        let cause = unsafe { CFSR.read_volatile() };
        cause & NOCP != 0 && !core::ptr::eq(context, CURRENT.floats.load(Relaxed))
    }

    /// Saves the values that are in the unit, and gives a process its own.
    pub(crate) fn give<S: Processes>(context: *mut Context, index: usize) {
        let before = CURRENT.floats.swap(context, Relaxed);
        reach(ALL);
        // SAFETY: the tables of two different processes, which are the kernel's; the unit can be reached, and the kernel has nothing in it.
        unsafe {
            CFSR.write_volatile(NOCP);
            if !before.is_null() {
                let place = S::tables().add(before.offset_from_unsigned(S::contexts()));
                asm!("vstmia {0}!, {{s0-s31}}", "vmrs {1}, fpscr", "str {1}, [{0}]", inout(reg) place => _, out(reg) _, options(nostack));
            }
            let place = S::tables().add(index);
            asm!("vldmia {0}!, {{s0-s31}}", "ldr {1}, [{0}]", "vmsr fpscr, {1}", inout(reg) place => _, out(reg) _, options(nostack));
        }
    }

    /// A process begins: with zeros.
    pub(crate) fn forget<S: Processes>(context: *const Context, index: usize) {
        // SAFETY: the process's own table, which is the kernel's.
        unsafe { S::tables().add(index).write(Table([0; 33])) };
        if core::ptr::eq(context, CURRENT.floats.load(Relaxed)) {
            CURRENT.floats.store(null_mut(), Relaxed);
        }
    }
}
