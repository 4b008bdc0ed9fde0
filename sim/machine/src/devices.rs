//! The peripherals that a board file can use.
//!
//! They let programs print to their console, and firmware with a HAL boot, set its clocks and use its peripherals. An access that a device
//! does not model stops the run; no register silently reads as zero. A peripheral whose clock is off or whose reset is held, as the board
//! file defines it, reads as 0 and adds a note.

mod answers;
mod around;
mod atomic;
mod block;
mod cmsdk_gpio;
mod cmsdk_timer;
mod cmsdk_uart;
mod cmsdk_watchdog;
mod dw_i2c;
mod fe310;
mod gated;
mod inputs;
mod litex;
mod nrf;
mod open;
mod output;
mod pins;
mod pl011;
mod pl022;
mod precursor;
mod receiver;
mod registers;
mod requester;
mod requests;
mod riscv;
mod rp2040;
mod rtl_ports;
mod script;
mod serial;
mod settings;
mod shift;
mod sp804;
mod stellaris_gpio;
mod stm32;
mod stub;
mod targets;
mod ticks;
mod transmitter;
mod words;

pub(crate) use around::{Around, ClockNames, Settings, Wires};
pub(crate) use atomic::Atomic;
pub use block::About;
pub(crate) use gated::{Gated, Guard};
pub(crate) use open::Open;
pub(crate) use registers::{CANNOT_LEAVE_RESET, Gate};
pub use rtl_ports::RtlPorts;
pub use script::end_scripts;
pub(crate) use script::{ENDED as SCRIPT_ENDED, MISTAKE, Script};
pub(crate) use settings::Kind;
pub use settings::{DeviceKind, device_kinds};
pub(crate) use stub::Stub;
pub(crate) use ticks::{Pace, Ticks};

use around::not_modelled;
