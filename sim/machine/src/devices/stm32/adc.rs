//! ST's converters: the older layout (RM0041 chapter 10, RM0090 13) and the later one (RM0394 16, RM0440 21).
//!
//! A channel measures what a stimulus gave (`ADC1.3@1000=2048`), as the number of twelve bits that it converts to; else 0. A conversion
//! takes its sampling time and twelve and a half cycles of the converter's clock. Watchdogs, injected channels by a trigger, two converters
//! together, and calibration that finds something are not modelled.

mod common;
mod later;
mod older;

pub(crate) use common::AdcCommonSettings;
pub(crate) use later::LaterAdcSettings;
pub(crate) use older::OlderAdcSettings;

use crate::devices::inputs::Inputs;
