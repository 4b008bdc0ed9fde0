//! ST's I2C as a master: the older one (RM0041 chapter 22, RM0090 27) and the later one (RM0394 39, RM0440 41).
//!
//! On its bus are the devices that the board file names (`targets`): each acknowledges its address, and is a memory of 256 bytes with a pointer
//! that the first byte of a write sets, as the registers of most sensors are. Bytes that stimuli give (`I2C1@0=\x12\x34`) are
//! read before those. Without a target nobody acknowledges. The role of a slave, ten-bit addresses and `SMBus` are not modelled.

mod later;
mod older;

pub(crate) use later::LaterSettings;
pub(crate) use older::OlderSettings;

use crate::devices::targets::{Answer, TargetSettings, Targets};

/// Clocks of a byte with its acknowledgement.
const BYTE: u64 = 9;
