//! The trace port interface unit (ARMv7-M ARM C1.10; Cortex-M3 TRM chapter 11): where the trace of the ITM leaves the chip.
//!
//! Its registers hold what is written. Whether that fits the probe's clock is not looked at: a host reads the packets of the ITM
//! before they are made into a stream.

/// The registers of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TpiuRegister {
    SupportedSizes,
    Size,
    Prescaler,
    Protocol,
    FlushStatus,
    FlushControl,
}

/// Widths of 1, 2 and 4 bits, as bits.
const SIZES: u32 = 0xb;
/// `FtNonStop`: the formatter cannot be stopped.
const NOT_STOPPED: u32 = 1 << 3;
/// `EnFCont` and `TrigIn`.
const FLUSH_CONTROL: u32 = 0x102;

/// The trace port interface unit.
#[derive(Clone, Debug)]
pub(crate) struct Tpiu {
    size: u32,
    prescaler: u32,
    protocol: u32,
    flush: u32,
}

impl Default for Tpiu {
    fn default() -> Self {
        Tpiu {
            size: 1,
            prescaler: 0,
            protocol: 1,
            flush: FLUSH_CONTROL,
        }
    }
}

impl Tpiu {
    pub(crate) fn read(&self, register: TpiuRegister) -> u32 {
        match register {
            TpiuRegister::SupportedSizes => SIZES,
            TpiuRegister::Size => self.size,
            TpiuRegister::Prescaler => self.prescaler,
            TpiuRegister::Protocol => self.protocol,
            TpiuRegister::FlushStatus => NOT_STOPPED,
            TpiuRegister::FlushControl => self.flush,
        }
    }

    pub(crate) fn write(&mut self, register: TpiuRegister, value: u32) {
        match register {
            TpiuRegister::Size => self.size = value,
            TpiuRegister::Prescaler => self.prescaler = value & 0x1fff,
            TpiuRegister::Protocol => self.protocol = value & 3,
            TpiuRegister::FlushControl => self.flush = value & FLUSH_CONTROL,
            TpiuRegister::SupportedSizes | TpiuRegister::FlushStatus => {}
        }
    }
}
