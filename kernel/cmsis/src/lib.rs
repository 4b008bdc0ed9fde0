//! CMSIS-RTOS2 over Mainspring's threads: the functions of Arm's interface for C (`include/cmsis_os2.h`), on a Cortex-M.
//!
//! The scheduler is that of `mainspring-core`, with ranks that are given anew when a thread comes, goes or changes its priority;
//! the switch is Mainspring's: as by a function call where a thread waits or yields, by `PendSV` where one is pre-empted. The kernel
//! holds every interrupt back while it changes its state, so each function that Arm allows there may be called in any interrupt.
//!
//! A program has `SystemCoreClock`, as CMSIS has it, and a vector table with `PendSV` and `SysTick` (cortex-m-rt), or
//! `PendSV_Handler` and `SysTick_Handler` (Arm's).
//!
//! There is room for 15 threads and the idle one, 48 other objects, and 8 KiB of memory for what brings none of its own.
//!
//! Different from Arm's text: every mutex lends its owner the priority of the threads that wait, and is given back when its owner
//! ends (`osMutexPrioInherit`, `osMutexRobust`); callbacks of timers run in a thread of priority `osPriorityHigh`.

#![cfg_attr(target_os = "none", no_std)]
#![allow(unsafe_code)] // A C interface: pointers from programs, and state that the kernel's section guards.
#![allow(non_snake_case)] // Arm's names.
#![allow(clippy::cast_ptr_alignment)] // The arena's blocks are aligned to 8; what a program gives is looked at.
#![allow(clippy::missing_safety_doc)] // Each is as Arm's text says: pointers are valid or null.

mod flags;
mod kernel;
mod memory;
mod message;
mod mutex;
mod object;
mod pool;
mod port;
mod semaphore;
mod tcb;
mod thread;
mod thread_flags;
mod timer;
mod types;

pub use flags::*;
pub use kernel::*;
pub use message::*;
pub use mutex::*;
pub use pool::*;
pub use semaphore::*;
pub use thread::*;
pub use thread_flags::*;
pub use timer::*;
pub use types::*;
