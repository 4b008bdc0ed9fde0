//! Peripherals of ST's families F1, F4, L4 and G4 that have behaviour; registers that only store are blocks of the board files.

mod adc;
mod crc;
mod dac;
mod dma;
mod exti;
mod gpio;
mod gpio_older;
mod i2c;
mod iwdg;
mod rng;
mod rtc;
mod spi;
mod timer;
mod usart;
mod wwdg;

pub(crate) use adc::{AdcCommonSettings, LaterAdcSettings, OlderAdcSettings};
pub(crate) use crc::CrcSettings;
pub(crate) use dac::DacSettings;
pub(crate) use dma::{DmaSettings, MuxSettings, StreamsSettings};
pub(crate) use exti::ExtiSettings;
pub(crate) use gpio::GpioSettings;
pub(crate) use gpio_older::OlderGpioSettings;
pub(crate) use i2c::{LaterSettings as LaterI2cSettings, OlderSettings as OlderI2cSettings};
pub(crate) use iwdg::IwdgSettings;
pub(crate) use rng::RngSettings;
pub(crate) use rtc::RtcSettings;
pub(crate) use spi::SpiSettings;
pub(crate) use timer::TimerSettings;
pub(crate) use usart::{Layout, UsartSettings};
pub(crate) use wwdg::WwdgSettings;
