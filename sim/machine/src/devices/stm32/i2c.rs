//! ST's I2C as a master: the older one (RM0041 chapter 22, RM0090 27) and the later one (RM0394 39, RM0440 41).
//!
//! The devices that the board file names (`targets`) are on its bus. Each acknowledges its address and is a memory of 256 bytes; the first byte of
//! a write sets its pointer, as in most sensors. Bytes of stimuli (`I2C1@0=\x12\x34`) are read before those. Without a target nothing
//! acknowledges. Slaves, ten-bit addresses and `SMBus` are not modelled.

mod later;
mod older;

pub(crate) use later::LaterSettings;
pub(crate) use older::OlderSettings;

use crate::devices::targets::{Answer, TargetSettings, Targets};

/// Clocks of a byte with its acknowledgement.
const BYTE: u64 = 9;
