//! The registers: how to hold interrupts back, ask for them, and give them their priorities.
//!
//! Every function here is a few instructions; what to do when is decided in `mainspring-core`, while compiling.
//!
//! # Barriers
//!
//! A *compiler* barrier is part of each write that begins or ends a section: the assembly is declared to touch memory,
//! so no access of the data moves out of the section. As for ISB:
//!
//! - **Raising** (BASEPRI up, `CPSID`): none. A write that raises the execution priority takes effect with the
//!   next instruction on ARMv6-M, ARMv7-M and ARMv8-M (ARMv7-M ARM B5.2.3; Arm DAI0321A §4.8). The exception is the
//!   Cortex-M7 r0p0 and r0p1 (erratum 837070): feature `cm7-r0p1`.
//! - **Lowering**: none either, by default. It is sure to be visible to the instruction after an ISB; without one, a
//!   task that became pending inside the section may start an instruction or two later. That is no breach of
//!   exclusion, so it is left to the application: feature `unlock-isb`, 3 cycles more a section on a Cortex-M3.
//! - **Masking by enable bits** (no BASEPRI): DSB and ISB after the bits are cleared (DAI0321A), because
//!   an interrupt that is on its way could otherwise still be taken inside the section.

#[cfg(not(target_os = "none"))]
mod host;
#[cfg(not(target_os = "none"))]
pub(crate) use host::*;

#[cfg(target_os = "none")]
mod cortex_m;
#[cfg(target_os = "none")]
pub use cortex_m::pendsv;
#[cfg(target_os = "none")]
pub use cortex_m::wait;
#[cfg(target_os = "none")]
pub(crate) use cortex_m::*;

#[cfg(not(target_os = "none"))]
pub use host::wait;
