//! Cores with LDREX and STREX: who changes a shared word holds nobody back, and tries again if somebody came.
//!
//! The monitor is cleared by every exception's entry and return (ARMv7-M ARM A3.4, B1.5.6, B1.5.8), so a STREX that
//! succeeds has seen no other context since its LDREX: the word is as it was, and so are the links behind it. Between the
//! two there is one load or one store of a link. The architecture leaves it to the core whether a store of the same
//! core clears the monitor; on the Cortex-M3, M4, M7 and M33 it does not.

use core::arch::asm;

use mainspring_core::pool::Word;

use crate::pool::store::Cell;

/// A word that every context may change at any time.
pub(crate) struct Shared<'w>(pub(crate) &'w Cell);

impl Word for Shared<'_> {
    #[inline(always)]
    fn load_linked(&self) -> u32 {
        let value;
        // SAFETY: a load of a word that is always initialised. Declared to touch memory: what follows is not moved up.
        unsafe {
            asm!("ldrex {}, [{}]", out(reg) value, in(reg) self.0.get(), options(nostack, preserves_flags))
        };
        value
    }

    #[inline(always)]
    fn store_conditional(&self, value: u32) -> bool {
        let failed: u32;
        // SAFETY: a store to a word that is changed in this way alone. Declared to touch memory: a block's contents are
        // written before it is given away.
        unsafe {
            asm!(
                "strex {}, {}, [{}]",
                out(reg) failed,
                in(reg) value,
                in(reg) self.0.get(),
                options(nostack, preserves_flags)
            );
        }
        failed == 0
    }
}

/// Holds nobody back.
#[inline(always)]
pub(crate) fn shared_section<O>(f: impl FnOnce() -> O) -> O {
    f()
}

/// The word at `place`. Whoever owns it by now may have written anything there, of any type: the compiler must not think
/// anything of it, so the load is not one of its own.
///
/// # Safety
///
/// `place` is a word of memory.
#[inline(always)]
pub(crate) unsafe fn load(place: *const u32) -> u32 {
    let value;
    // SAFETY: the caller's promise.
    unsafe {
        asm!("ldr {}, [{}]", out(reg) value, in(reg) place, options(nostack, preserves_flags, readonly))
    };
    value
}
