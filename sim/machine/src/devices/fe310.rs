//! What is `SiFive`'s own on the FE310-G002 ("`SiFive` FE310-G002 Manual" v1p5): UART, GPIO, real-time clock. Its clock controller is
//! data of the board.

mod gpio;
mod rtc;
mod uart;

pub(crate) use gpio::Fe310Gpio;
pub(crate) use rtc::RtcSettings;
pub(crate) use uart::Fe310Uart;
