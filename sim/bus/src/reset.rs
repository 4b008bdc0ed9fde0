//! A chip reset: devices and conditions return to their initial state; memory and external state remain.
//!
//! Devices carry over the state that a chip keeps outside of memory (a backup domain, the reset cause): [`Device::keep`].

use crate::effect::{Conditions, ResetCause};
use crate::lines::{DrivenLines, PendingPolls};
use crate::master::BusHolds;
use crate::{Bus, BusError, Device, Flash, HostEvent, Incoming, L2, Outside};

/// The state that a chip reset restores: the initial state of a bus's devices and conditions.
#[derive(Clone)]
pub struct ResetState {
    devices: Vec<Box<dyn Device>>,
    conditions: Conditions,
    flash: Option<Flash>,
    caches: Vec<L2>,
}

impl Bus {
    /// Saves the state for a later [`Bus::reset`].
    pub fn at_reset(&self) -> ResetState {
        ResetState {
            devices: self.devices.iter().map(|mapped| mapped.device.clone()).collect(),
            conditions: self.conditions.clone(),
            flash: self.flash().cloned(),
            caches: self.caches.clone(),
        }
    }

    /// Resets the chip in core cycle `now`. The levels and values that are applied from outside stay; what is still to come, comes.
    ///
    /// # Errors
    /// If a device cannot begin so.
    pub fn reset(&mut self, first: &ResetState, cause: ResetCause, now: u64) -> Result<(), BusError> {
        let hz = self.core_clock();
        self.conditions.reset(&first.conditions, now);
        self.effects += 1;
        (self.holds, self.driven_lines) = (BusHolds::default(), DrivenLines::default());
        self.caches.clone_from(&first.caches);
        if let (Some(flash), Some(saved)) = (self.flash_mut(), &first.flash) {
            flash.restore(saved);
        }
        self.guard_memories();
        if self.core_clock() != hz {
            self.report(HostEvent::Clock(self.core_clock()), now);
        }
        let of_chip = |index: &usize| self.devices[*index].region.size != 0;
        // A device without an address range is around the chip.
        let of_chip: Vec<usize> = (0..self.devices.len()).filter(of_chip).collect();
        for index in of_chip {
            let first = &*first.devices[index];
            self.reset_device(index, first, cause, now)?;
        }
        // Preserved state has not seen that the other conditions were reset.
        for effect in self.conditions.effects() {
            for mapped in &mut self.devices {
                let heard = mapped.device.hear(effect, now);
                heard.map_err(|error| mapped.region.device_error(error).without_stub())?;
            }
        }
        for (index, input) in self.applied.clone() {
            let taken = self.devices[index].device.stimulate(&input, now);
            taken.map_err(|error| self.devices[index].region.device_error(error).without_stub())?;
        }
        for index in 0..self.devices.len() {
            self.settle(index, now)?;
        }
        self.pending_polls = PendingPolls::Several;
        self.refresh_due();
        Ok(())
    }

    fn reset_device(
        &mut self,
        index: usize,
        first: &(dyn Device + 'static),
        cause: ResetCause,
        now: u64,
    ) -> Result<(), BusError> {
        let mapped = &mut self.devices[index];
        let ports = mapped.device.port();
        let (mut outside, mut kept) = (Outside::default(), Outside::default());
        mapped.device.carry(&mut outside);
        mapped.device.keep(&mut kept, cause);
        mapped.device = dyn_clone::clone_box(first);
        mapped.device.carry(&mut outside);
        mapped.device.keep(&mut kept, cause);
        let left = mapped.device.leave_reset(now);
        left.map_err(|error| mapped.region.device_error(error).without_stub())?;
        mapped.free = 0;
        mapped.touch();
        if let (Some(was), Some(is), Ok(device)) = (ports, mapped.device.port(), u8::try_from(index)) {
            for pin in (0..is.pins).filter(|pin| (was.levels ^ is.levels) >> pin & 1 != 0) {
                let level = is.levels >> pin & 1 != 0;
                self.report(HostEvent::Pin { device, pin, level }, now);
            }
        }
        Ok(())
    }

    /// A level or a value from outside stays applied to a device; bytes pass.
    pub(crate) fn keep_applied(&mut self, device: usize, input: &Incoming) {
        let place = |input: &Incoming| match *input {
            Incoming::Bytes(_) | Incoming::Waiting(_) => None,
            Incoming::Pin { pin, .. } => Some((true, pin)),
            Incoming::Value { channel, .. } => Some((false, channel)),
        };
        let Some(at) = place(input) else { return };
        let is_same = |(other, input): &(usize, Incoming)| *other == device && place(input) == Some(at);
        self.applied.retain(|applied| !is_same(applied));
        self.applied.push((device, input.clone()));
    }
}
