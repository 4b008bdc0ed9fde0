//! Peripherals of ST's families F1, F4, L4 and G4 that do something.

mod exti;
mod gpio;
mod gpio_older;
mod pins;
mod timer;
mod usart;

pub(crate) use exti::ExtiSettings;
pub(crate) use gpio::GpioSettings;
pub(crate) use gpio_older::OlderGpioSettings;
pub(crate) use timer::TimerSettings;
pub(crate) use usart::{Layout, UsartSettings};
