//! ST's converters: the older layout (RM0041 chapter 10, RM0090 13) and the later one (RM0394 16, RM0440 21).
//!
//! A channel measures the twelve-bit result that a stimulus gives (`ADC1.3@1000=2048`), or 0. A conversion takes its sampling time and twelve and a
//! half cycles of the converter's clock. Each layout's `about!` lists what is not modelled.

mod common;
mod later;
mod older;

pub(crate) use common::AdcCommonSettings;
pub(crate) use later::LaterAdcSettings;
pub(crate) use older::OlderAdcSettings;

use crate::devices::inputs::Inputs;
