//! From a level to a more urgent one and back, whatever the core has for that.

#![allow(unsafe_code)] // The caller's promise is passed on.

use mainspring_core::Action;

#[cfg(all(target_os = "none", target_arch = "arm", basepri))]
use super::cortex_m::basepri::threshold_section;
#[cfg(all(target_os = "none", target_arch = "arm", enable_bits))]
use super::cortex_m::enable_bits::threshold_section;
#[cfg(all(target_os = "none", target_arch = "arm"))]
use super::cortex_m::registers::global_section;
#[cfg(not(target_os = "none"))]
use super::host::{global_section, threshold_section};
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
use super::rv32::{global_section, threshold_section};
use crate::level::Transition;

/// Goes up, runs `f`, and comes back. The match is on a constant: what is left of it is one arm.
///
/// # Safety
///
/// The code runs at the level at which the transition `W` starts.
#[inline(always)]
pub(crate) unsafe fn within<W: Transition, O>(f: impl FnOnce() -> O) -> O {
    match const { W::ACTION } {
        Action::Nothing => f(),
        // SAFETY: the caller's promise.
        Action::Global => unsafe { global_section::<W, O>(f) },
        // SAFETY: both were worked out from that level.
        Action::Threshold { raised, restore } => unsafe { threshold_section::<W, O>(raised, restore, f) },
    }
}
