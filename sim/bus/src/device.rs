//! The interface of a peripheral.

use dyn_clone::DynClone;

use crate::{DeviceError, Effect, Given, Incoming, Outside, Port, Request, ResetCause};

/// An interrupt line, by where it ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Irq {
    /// An external input of the core itself, from 0 on: of a Cortex-M's NVIC, or one of the 32 of a `VexRiscv`.
    External(u16),
    /// An input of an RV32 core for one of the interrupts that the privileged architecture defines.
    Core(CoreInterrupt),
    /// A source of the interrupt controller on the bus (PLIC), from 1 to [`Irq::SOURCES`] - 1.
    Source(u16),
}

/// The interrupts of an RV32 core that have an input of their own (privileged ISA manual, `mip`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CoreInterrupt {
    /// Machine mode's software interrupt (CLINT, `msip`).
    MachineSoftware,
    /// Machine mode's timer interrupt (CLINT, `mtip`).
    MachineTimer,
    /// Supervisor mode's external interrupt (PLIC, `seip`).
    SupervisorExternal,
    /// Machine mode's external interrupt (PLIC, `meip`).
    MachineExternal,
}

impl Irq {
    /// See [`CoreInterrupt::MachineSoftware`].
    pub const MACHINE_SOFTWARE: Irq = Irq::Core(CoreInterrupt::MachineSoftware);
    /// See [`CoreInterrupt::MachineTimer`].
    pub const MACHINE_TIMER: Irq = Irq::Core(CoreInterrupt::MachineTimer);
    /// See [`CoreInterrupt::SupervisorExternal`].
    pub const SUPERVISOR_EXTERNAL: Irq = Irq::Core(CoreInterrupt::SupervisorExternal);
    /// See [`CoreInterrupt::MachineExternal`].
    pub const MACHINE_EXTERNAL: Irq = Irq::Core(CoreInterrupt::MachineExternal);

    /// Sources that an interrupt controller on the bus can have; number 0 is none.
    pub const SOURCES: u16 = 1024;

    /// The number of the source, if the line ends at an interrupt controller on the bus.
    pub const fn as_source(self) -> Option<u16> {
        match self {
            Irq::Source(number) => Some(number),
            Irq::External(_) | Irq::Core(_) => None,
        }
    }

    /// The number of the external input of the core, if it is one.
    pub const fn as_external(self) -> Option<u16> {
        match self {
            Irq::External(number) => Some(number),
            Irq::Source(_) | Irq::Core(_) => None,
        }
    }

    /// The line `further` places after this one, which ends at the same controller: peripherals with several lines have them in
    /// a row. Inputs with a name of their own have none after them.
    #[must_use]
    pub const fn plus(self, further: u16) -> Irq {
        match self {
            Irq::External(number) => Irq::External(number + further),
            Irq::Source(number) => Irq::Source(number + further),
            Irq::Core(_) => self,
        }
    }
}

/// A peripheral on the bus. Offsets are from its region's base; times are core cycles since reset.
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

    /// The word that a read of this offset would return in core cycle `now`, without side effects; `None` if the device does not say.
    fn peek(&mut self, _offset: u32, _now: u64) -> Option<u32> {
        None
    }

    /// Sets its name on the board, for its messages.
    fn set_name(&mut self, _name: &str) {}

    /// Whether accesses of bytes and half words are its own to answer, wherever they are. Of another device they are parts of words: one is read where
    /// it is, and written at the start of a register alone.
    fn takes_parts(&self) -> bool {
        false
    }

    /// Whether a cycle of it may take long on the host, as with a script.
    fn is_slow(&self) -> bool {
        false
    }

    /// Whether its last [`Device::read`] had no side effect: no change of its lines, its effects, or its next deadline.
    fn read_quietly(&self) -> bool {
        false
    }

    /// The first cycle at which [`Device::poll`] has a change to report; `u64::MAX` for never.
    fn next_event(&self) -> u64 {
        u64::MAX
    }

    /// Catches up to `now`, and calls `line` for each of its interrupt lines with the level that it has then. It is called when
    /// [`Device::next_event`] says so, and when it was accessed or heard something since: its lines must not change at other times.
    fn poll(&mut self, _now: u64, _line: &mut dyn FnMut(Irq, bool)) {}

    /// The next effect of its last access or input on others; called until it returns `None`.
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

    /// Receives in core cycle `now` the level of a line that ends at an interrupt controller on the bus. The consequences follow in the
    /// [`Device::poll`] of the same cycle.
    fn hear_source(&mut self, _source: u16, _level: bool, _now: u64) {}

    /// In core cycle `now`, such a line has a pulse, whatever its level is.
    fn pulse_source(&mut self, _source: u16, _now: u64) {}

    /// Receives an external input in core cycle `now`.
    ///
    /// # Errors
    /// If it takes no such input.
    fn stimulate(&mut self, _input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        Err(DeviceError::NotModelled("it takes no input from outside".into()))
    }

    /// Bytes that came to it from outside and that it has not received, each with the reason.
    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        Vec::new()
    }

    /// The next transfer that it requests as a bus master; called after each poll until it returns `None`.
    fn request(&mut self, _now: u64) -> Option<Request> {
        None
    }

    /// Receives the result of its request: the value of a read, any value for a write, `None` for a bus error.
    fn answered(&mut self, _value: Option<u32>, _now: u64) {}

    /// Cycles from the end of its last transfer to its next one, if it has more to make. `None`: its transfers are made as it asks for them.
    fn pace(&self) -> Option<u32> {
        None
    }

    /// The names of its ports as a master of the bus, as `[[reach]]` of a board file has them; an empty name where it has one port alone. None if it
    /// is no master.
    fn master_ports(&self) -> &'static [&'static str] {
        &[]
    }

    /// The port of its last [`Device::request`], by its place among them.
    fn requested_port(&self) -> usize {
        0
    }

    /// Whether it gives other devices what comes from outside, and is asked for that.
    fn gives(&self) -> bool {
        false
    }

    /// The next input for another device, or the reason it cannot continue; called after each poll until it returns `None`.
    fn take_given(&mut self) -> Option<Given> {
        None
    }

    /// Its reset ends in core cycle `now`: counters that run from reset start then.
    ///
    /// # Errors
    /// If it cannot begin so.
    fn leave_reset(&mut self, _now: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Moves the state outside the chip, which a reset of the device does not touch.
    fn carry(&mut self, _outside: &mut Outside) {}

    /// Moves the state that a chip reset preserves, such as a backup domain, and records the cause of the reset. The bus calls it on the
    /// old device, then on a copy in its state after the first reset, and then calls that copy's [`Device::leave_reset`].
    fn keep(&mut self, _kept: &mut Outside, _cause: ResetCause) {}

    /// The manual's name of the register at this offset, if the device knows it.
    fn register_name(&self, _offset: u32) -> Option<String> {
        None
    }

    /// Whether it only stands in for hardware that is not modelled.
    fn is_stand_in(&self) -> bool {
        false
    }

    /// Its pins, if it is a port.
    fn port(&self) -> Option<Port> {
        None
    }

    /// Whether its output is text for people, which is shown by default.
    fn is_console(&self) -> bool {
        true
    }

    /// A note, in words, about an access that has no effect and is probably a mistake.
    fn note(&mut self) -> Option<String> {
        None
    }

    /// Hands the bytes that it has sent to the outside world since the last call (a UART's line) to `sink`.
    fn drain_output(&mut self, _sink: &mut dyn FnMut(&[u8])) {}
}

dyn_clone::clone_trait_object!(Device);
