//! Critical sections as the ecosystem knows them, on one core: with every interrupt held back.
//!
//! A section of a task that needs no more than its ceiling is [`Context::lock`](crate::Context::lock); this one is for what other crates
//! share.

#![allow(unsafe_code)] // An unsafe trait, and the contract of its functions.

use crate::arch;

struct Section;
critical_section::set_impl!(Section);

// SAFETY: with interrupts held back nothing else runs on the core, and there is one, as `Device` promises; sections inside of one
// another put back what they found.
unsafe impl critical_section::Impl for Section {
    #[inline(always)]
    unsafe fn acquire() -> critical_section::RawRestoreState {
        arch::hold()
    }

    #[inline(always)]
    unsafe fn release(before: critical_section::RawRestoreState) {
        // SAFETY: this is what the section found.
        unsafe { arch::release_and_start(before) };
    }
}
