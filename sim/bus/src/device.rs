//! What a peripheral must answer.

use dyn_clone::DynClone;

use crate::Effect;

/// An interrupt line of the core: an external one, 0 for the first, or one of those named here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Irq(pub u16);

impl Irq {
    /// The software interrupt of an RV32 core's machine mode (CLINT, `msip`).
    pub const MACHINE_SOFTWARE: Irq = Irq(0x103);
    /// Its timer interrupt (CLINT, `mtip`).
    pub const MACHINE_TIMER: Irq = Irq(0x107);
}

/// Why a device refused an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceError {
    /// It answers with a bus error, as the hardware would.
    Bus,
    /// What was asked is not modelled; the text names it ("CR2, a write of 0x40").
    NotModelled(String),
}

/// A peripheral behind the bus. Offsets are from its region's base; times are core cycles since reset.
pub trait Device: DynClone + Send + Sync {
    /// A read of 1, 2 or 4 bytes; may have side effects.
    ///
    /// # Errors
    /// [`DeviceError`], if the hardware would refuse or the model does not know.
    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError>;

    /// A write of 1, 2 or 4 bytes.
    ///
    /// # Errors
    /// As [`Device::read`].
    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError>;

    /// The first cycle at which [`Device::poll`] has something to tell; `u64::MAX` for never.
    fn next_event(&self) -> u64 {
        u64::MAX
    }

    /// Catches up to `now`, and calls `line` for each of its interrupt lines with the level that it has then.
    fn poll(&mut self, _now: u64, _line: &mut dyn FnMut(Irq, bool)) {}

    /// What its last access, or what it last heard, changed for others; asked until there is nothing more.
    fn take_effect(&mut self) -> Option<Effect> {
        None
    }

    /// Hears what some device changed, itself included, in core cycle `now`.
    ///
    /// # Errors
    /// When real hardware would then misbehave in a way that is not modelled.
    fn hear(&mut self, _effect: Effect, _now: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Hands the bytes that it has sent to the outside world since the last call (a UART's line) to `sink`.
    fn drain_output(&mut self, _sink: &mut dyn FnMut(&[u8])) {}
}

dyn_clone::clone_trait_object!(Device);
