//! Points in time, and the address at which the buses part.

/// A point in time, in core cycles since reset; signed, because a run is worked out around zero.
pub(crate) type Cycle = i64;

/// First address that the core reaches over its system bus; below it are the code buses (ARMv7-M ARM B3.1).
pub(crate) const CODE_END: u32 = 0x2000_0000;
