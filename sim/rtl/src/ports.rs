//! The addresses at which a store talks to the harness.

/// Ends the run; the value is its exit code.
pub const FINISH: u32 = 0xfff0_0000;
/// Bit 0 is the level of the timer interrupt.
pub const TIMER: u32 = 0xfff0_0004;
/// Bit 0 is the level of the software interrupt.
pub const SOFTWARE: u32 = 0xfff0_0008;
/// The levels of the 32 external interrupts.
pub const EXTERNAL: u32 = 0xfff0_000c;
/// The low byte is printed.
pub const CONSOLE: u32 = 0xfff0_0010;
