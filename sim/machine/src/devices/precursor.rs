//! Peripherals of Precursor that a program cannot do without (betrusted-io/gateware).

mod random;
mod ticktimer;

pub(crate) use random::Random;
pub(crate) use ticktimer::TicksSettings;
