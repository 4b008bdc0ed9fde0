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
//! - **RV32**: none. An interrupt that is on its way when a mask changes may still be taken, an instruction or two later; the
//!   trap handler asks the mask and not the cause, so it starts nothing that is held back.
//!
//! # The seam
//!
//! Each of the modules below has the same functions: what differs between cores is in them, and nothing else is. The level
//! at which the code stands comes as a type, so that a core may decide by it while compiling.

#[cfg(not(target_os = "none"))]
mod host;
#[cfg(not(target_os = "none"))]
pub(crate) use host::*;

#[cfg(all(target_os = "none", target_arch = "arm"))]
mod cortex_m;
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub(crate) use cortex_m::*;
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub use cortex_m::{
    ask_from_limbo, can_leave_by_itself, can_switch_apart, first_frame, hold, leave, leave_at_last,
    other_masks, release, wait,
};
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub use cortex_m::{fault, pendsv};

#[cfg(not(all(target_os = "none", exclusives)))]
mod masked;
#[cfg(not(all(target_os = "none", exclusives)))]
pub(crate) use masked::*;

#[cfg(all(target_os = "none", target_arch = "riscv32"))]
mod rv32;
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
pub use rv32::wait;
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
pub(crate) use rv32::*;

#[cfg(not(target_os = "none"))]
pub use host::wait;

#[cfg(not(target_os = "none"))]
mod no_threads;
#[cfg(not(target_os = "none"))]
pub(crate) use no_threads::*;

mod within;
pub(crate) use within::within;
