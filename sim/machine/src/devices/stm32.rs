//! Peripherals of ST's families F4, L4 and G4 that do something.

mod gpio;
mod timer;
mod usart;

pub(crate) use gpio::Gpio;
pub(crate) use timer::{Shape, Timer};
pub(crate) use usart::{Layout, Usart};
