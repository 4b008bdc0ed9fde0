//! Peripherals of ST's families F4, L4 and G4 that do something.

mod gpio;
mod timer;
mod usart;

pub(crate) use gpio::GpioSettings;
pub(crate) use timer::TimerSettings;
pub(crate) use usart::{Layout, UsartSettings};
