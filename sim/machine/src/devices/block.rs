//! A peripheral as a table of its registers: what each stores, clears, refuses and shows. Functions are there only for what a register does.
//!
//! A device lists its registers by [`registers!`] and implements [`Peripheral`]; both together are its [`bus::Device`]. The order of an access:
//! the peripheral catches up ([`Peripheral::advance`]); a read shows a value, which changes nothing, and then does what reading does (`taken`);
//! a write is refused, or stored and told where it drops bits (`Absent`), and then does what writing does (`then`); at last the peripheral
//! works out what follows ([`Peripheral::settle`]). So a value can be looked at without effects, which is [`access::peek`].
//!
//! A register is found by its offset alone, in a table that the compiler makes: no access hashes, searches or allocates.

pub(crate) mod about;
pub(crate) mod access;
pub(crate) mod device;
pub(crate) mod row;

use bus::{DeviceError, Effect, Given, Incoming, Irq, Outside, Port, Request, ResetCause};

pub use about::About;
pub(crate) use about::about;
pub(crate) use access::Regs;
use access::{Places, shift};
pub(crate) use device::registers;
pub(crate) use row::{At, Bits, Reg, Write};

use super::{Ticks, not_modelled};

/// How a device is accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Words; the bus splits narrower accesses.
    Split,
    /// Words only.
    Words,
    /// All sizes, which the registers handle.
    Sized,
    /// All sizes: a narrow write keeps the word's other bytes as they read.
    Merged,
    /// All sizes: a narrow write is repeated across the word.
    Repeated,
    /// Registers are bytes; of a wider access the low byte counts.
    Bytes,
}

/// The items that [`registers!`] generates.
pub(crate) trait Block: Clone + Send + Sync + Sized + 'static {
    const REGISTERS: &'static [Reg<Self>];
    fn regs(&self) -> &Regs<Self>;
    fn regs_mut(&mut self) -> &mut Regs<Self>;
    fn half(&self) -> Option<&dyn Half>;
    fn half_mut(&mut self) -> Option<&mut dyn Half>;
    /// The task that an effect starts, where the device has tasks.
    fn task_of(&self, _effect: Effect) -> Option<u32> {
        None
    }
    fn start(&mut self, _task: u32, _now: u64) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// State that several kinds of peripherals share: a UART's lines, a port's pins, the targets of a bus.
pub(crate) trait Half {
    fn stimulate(&mut self, _input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        not_modelled("it takes no input from outside")
    }
    fn take_effect(&mut self) -> Option<Effect> {
        None
    }
    fn port(&self) -> Option<Port> {
        None
    }
    /// The next cycle in which it has something to do.
    fn due(&self) -> u64 {
        u64::MAX
    }
    fn poll(&mut self, _now: u64) {}
    fn lines(&self, _line: &mut dyn FnMut(Irq, bool)) {}
    fn hear(&mut self, _effect: Effect, _now: u64) -> Result<(), DeviceError> {
        Ok(())
    }
    fn carry(&mut self, _outside: &mut Outside) {}
    fn unreceived(&self) -> Vec<(usize, &'static str)> {
        Vec::new()
    }
    fn drain_output(&mut self, _sink: &mut dyn FnMut(&[u8])) {}
    fn gives(&self) -> bool {
        false
    }
    fn take_given(&mut self) -> Option<Given> {
        None
    }
    fn note(&mut self) -> Option<String> {
        None
    }
}

/// A peripheral's behaviour beyond its table. Methods without documentation here are those of [`bus::Device`].
pub(crate) trait Peripheral: Block {
    const ACCESS: Access = Access::Split;
    const PLACES: &'static Places = &Places::of(Self::REGISTERS, shift(Self::ACCESS));

    /// The table offset of the register that answers at this offset now; it differs where there are banks.
    #[inline]
    fn bank(&self, offset: u32) -> u32 {
        offset
    }
    /// Whether a write is ignored now, because a lock holds: of the row at this offset, and which of its registers.
    #[inline]
    fn ignores(&self, _row: u32, _n: usize) -> bool {
        false
    }
    /// The clock that it counts in: it advances before that changes.
    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        None
    }
    /// Whether a tick begins anew when the clock changes.
    const RESTARTS: bool = false;
    /// Brings its state to core cycle `now`.
    fn advance(&mut self, _now: u64) {}
    /// Works out what follows from an access, or an input.
    fn settle(&mut self, _now: u64) {}
    /// The next cycle in which something happens by itself.
    fn due(&self) -> u64 {
        u64::MAX
    }
    /// Tells its lines; it has advanced.
    fn lines(&mut self, _now: u64, _line: &mut dyn FnMut(Irq, bool)) {}
    fn effect(&mut self) -> Option<Effect> {
        None
    }
    fn heard(&mut self, _effect: Effect, _now: u64) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Something comes to it from outside.
    fn given(&mut self, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        match self.half_mut() {
            Some(half) => half.stimulate(input, now),
            None => not_modelled("it takes no input from outside"),
        }
    }
    fn heard_source(&mut self, _source: u16, _level: bool, _now: u64) {}
    fn heard_pulse(&mut self, _source: u16, _now: u64) {}
    fn out_of_reset(&mut self, _now: u64) -> Result<(), DeviceError> {
        Ok(())
    }
    fn kept(&mut self, _kept: &mut Outside, _cause: ResetCause) {}
    fn remark(&mut self) -> Option<String> {
        None
    }
    fn wants(&mut self, _now: u64) -> Option<Request> {
        None
    }
    fn got(&mut self, _value: Option<u32>, _now: u64) {}
    fn ports(&self) -> &'static [&'static str] {
        &[]
    }
    fn port_wanted(&self) -> usize {
        0
    }
    fn cycles_between(&self) -> Option<u32> {
        None
    }
    fn is_quiet(&self) -> bool {
        false
    }
    fn is_for_people(&self) -> bool {
        true
    }
}

/// Tells a level, where there is a line.
pub(crate) fn tell(irq: Option<Irq>, level: bool, line: &mut dyn FnMut(Irq, bool)) {
    if let Some(irq) = irq {
        line(irq, level);
    }
}

/// A bit, if it is set.
pub(crate) fn flag(set: bool, bit: u32) -> u32 {
    if set { bit } else { 0 }
}

/// The one half of a device, if it has one.
pub(crate) fn only<T, const N: usize>(halves: [T; N]) -> Option<T> {
    halves.into_iter().next()
}

#[cfg(test)]
mod tests;
