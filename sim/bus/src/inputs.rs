//! Exchange between devices and the world outside the chip.

use std::any::Any;
use std::sync::Arc;

use crate::DeviceError;
use crate::{Bus, BusError};

/// An external input to a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incoming {
    /// Bytes on the receiving line of a UART: the first frame begins at once, the others follow one after the other, whatever the program does. A
    /// byte that finds no room is lost.
    Bytes(Vec<u8>),
    /// Bytes from a sender with flow control: it begins a frame when the receiver is on and has room for the byte.
    Waiting(Vec<u8>),
    /// A pin is driven to a level; `None` releases it.
    Pin {
        /// Its number in the port, from 0.
        pin: u8,
        /// The level.
        level: Option<bool>,
    },
    /// The converted number that a channel of a converter measures.
    Value {
        /// Its number, from 0.
        channel: u8,
        /// The converted number.
        value: u32,
    },
}

/// An input from one device for another, with that one's name, as if it were external; or the reason for a failure.
pub type Given = Result<(String, Incoming), DeviceError>;

/// State that survives a reset of a device, moved from one copy of the device to another: state outside the chip (pending bytes, targets on
/// its bus), or state that the chip keeps.
#[derive(Default)]
pub struct Outside(Option<Box<dyn Any>>);

impl Outside {
    /// Takes it from the first copy that calls this, and gives it to the next one.
    pub fn carry<T: Default + 'static>(&mut self, place: &mut T) {
        match self.0.take().map(<Box<dyn Any>>::downcast) {
            Some(Ok(carried)) => *place = *carried,
            Some(Err(other)) => self.0 = Some(other),
            None => self.0 = Some(Box::new(std::mem::take(place))),
        }
    }

    /// Carries a value by copy, if it cannot be moved out.
    pub fn copy<T: Clone + 'static>(&mut self, place: &mut T) {
        let mut copied = Some(place.clone());
        self.carry(&mut copied);
        if let Some(copied) = copied {
            *place = copied;
        }
    }
}

/// Why an input reaches no device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotTaken {
    /// No device has this name.
    NoDevice,
    /// The device does not take this input; the reason in words.
    Refused(String),
}

/// Most inputs that devices may give each other in one cycle: more than a script gives in several calls.
const MOST_GIVEN: u32 = 1 << 14;

/// An input that is still to come.
#[derive(Clone, Debug)]
pub(crate) struct ScheduledInput {
    pub(crate) at: u64,
    device: Arc<str>,
    input: Incoming,
}

impl Bus {
    /// Hands what every device has sent to the outside world since the last call to `sink`, with the device's name, and whether that is
    /// for people to read.
    pub fn drain_output(&mut self, sink: &mut dyn FnMut(&str, bool, &[u8])) {
        for (device, bytes) in self.host_events.sent.drain(..) {
            let mapped = &self.devices[device];
            sink(&mapped.region.name, mapped.device.is_console(), &bytes);
        }
        for mapped in &mut self.devices {
            let name = &mapped.region.name;
            let is_console = mapped.device.is_console();
            mapped
                .device
                .drain_output(&mut |bytes| sink(name, is_console, bytes));
        }
    }

    /// Adds a note about the instruction at an address.
    pub fn note_at(&mut self, pc: u32, note: String) {
        self.notes.push((Some(pc), note));
    }

    /// Hands what devices, and the bus, have to say of accesses since the last call to `sink`: with the address of the instruction that made one,
    /// if that is known.
    pub fn drain_notes(&mut self, sink: &mut dyn FnMut(Option<u32>, &str)) {
        self.notes.drain(..).for_each(|(pc, note)| sink(pc, &note));
        for mapped in &mut self.devices {
            if let Some(note) = mapped.device.note() {
                sink(None, &note);
            }
        }
    }

    /// The first and the last address of each device.
    pub fn device_ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        let regions = self.devices.iter().map(|mapped| &mapped.region);
        regions.map(|region| {
            (
                region.base,
                region.base.saturating_add(region.size.saturating_sub(1)),
            )
        })
    }

    /// The names of all devices.
    pub fn device_names(&self) -> impl Iterator<Item = &str> {
        self.devices.iter().map(|mapped| &*mapped.region.name)
    }

    /// The core cycles of what is still to come, each with its device's name, the first first.
    pub fn scheduled_inputs(&self) -> impl Iterator<Item = (u64, &str)> {
        self.outside
            .iter()
            .map(|scheduled| (scheduled.at, &*scheduled.device))
    }

    /// Bytes that never reached the program: the device's name, their number, and the reason.
    pub fn unreceived(&self) -> impl Iterator<Item = (&str, usize, &'static str)> {
        self.devices.iter().flat_map(|mapped| {
            let unreceived = mapped.device.unreceived().into_iter();
            unreceived.map(|(bytes, why)| (&*mapped.region.name, bytes, why))
        })
    }

    /// Schedules an external input for the device of this name in core cycle `at`. Inputs of the same cycle arrive in the order of these
    /// calls.
    ///
    /// # Errors
    /// If the device does not take it.
    pub fn schedule(&mut self, name: &str, at: u64, input: Incoming) -> Result<(), NotTaken> {
        let named = |mapped: &&crate::MappedDevice| mapped.region.name.eq_ignore_ascii_case(name);
        let mut named: Vec<_> = self.devices.iter().filter(named).collect();
        let mapped = named.pop().ok_or(NotTaken::NoDevice)?;
        let taken = mapped.device.clone().stimulate(&input, at);
        taken.map_err(|error| NotTaken::Refused(error.to_string()))?;
        let device = mapped.region.name.clone();
        let behind = self.outside.partition_point(|scheduled| scheduled.at <= at);
        self.outside.insert(behind, ScheduledInput { at, device, input });
        self.refresh_due();
        Ok(())
    }

    /// Lets everything come that is due in core cycle `now`.
    pub(crate) fn apply_due_inputs(&mut self, now: u64) {
        while let Some(scheduled) = self.outside.pop_front_if(|scheduled| scheduled.at <= now) {
            let named = |mapped: &crate::MappedDevice| mapped.region.name == scheduled.device;
            if let Some(index) = self.devices.iter().position(named) {
                let taken = self.devices[index].device.stimulate(&scheduled.input, now);
                self.keep_applied(index, &scheduled.input);
                let region = &self.devices[index].region;
                let taken = taken.map_err(|error| region.device_error(error).without_stub());
                let settled = self.settle(index, now);
                self.refused = self.refused.take().or(taken.err()).or(settled.err());
            }
        }
    }

    /// Lets what devices give each other come.
    pub(crate) fn forward_device_inputs(&mut self, now: u64) {
        for place in 0..self.polled.len() {
            let index = self.polled[place];
            if !self.devices[index].gives {
                continue;
            }
            for count in 0_u32.. {
                let Some(given) = self.devices[index].device.take_given() else {
                    break;
                };
                let given = given.and_then(|(name, input)| {
                    if count < MOST_GIVEN {
                        self.give(&name, &input, now)
                    } else {
                        Err(DeviceError::NotModelled(format!(
                            "it gave {MOST_GIVEN} things in cycle {now}, and each makes it give again"
                        )))
                    }
                });
                if let Err(error) = given {
                    let error = self.devices[index].region.device_error(error).without_stub();
                    self.refused.get_or_insert(error);
                }
            }
        }
    }

    fn give(&mut self, name: &str, input: &Incoming, now: u64) -> Result<(), DeviceError> {
        let named = |mapped: &crate::MappedDevice| mapped.region.name.eq_ignore_ascii_case(name);
        let Some(index) = self.devices.iter().position(named) else {
            return Err(DeviceError::NotModelled(self.unknown_receiver(name)));
        };
        self.devices[index].device.stimulate(input, now)?;
        self.keep_applied(index, input);
        // Consequences for other devices are theirs to report.
        let settled = self.settle(index, now);
        self.refused = self.refused.take().or(settled.err());
        Ok(())
    }

    /// Takes a device's refusal that no access has reported yet, for the end of a run.
    pub fn take_refused(&mut self) -> Option<BusError> {
        self.refused.take()
    }

    /// Borrows the refusal that [`Bus::take_refused`] would take.
    pub fn refused(&self) -> Option<&BusError> {
        self.refused.as_ref()
    }

    /// The message that no device has this name, with candidates of the same kind or a similar spelling.
    fn unknown_receiver(&self, name: &str) -> String {
        let kind = |name: &str| {
            name.trim_end_matches(|c: char| !c.is_ascii_alphabetic())
                .to_ascii_lowercase()
        };
        // `SAURT1` is meant to be a `USART`.
        let near = |other: &str| strsim::normalized_damerau_levenshtein(&kind(other), &kind(name)) >= 0.55;
        let alike = self.device_names().filter(|other| near(other));
        let alike: Vec<String> = alike.map(|other| format!("`{other}`")).collect();
        let those = if alike.is_empty() {
            String::new()
        } else {
            format!("; it has {}", alike.join(", "))
        };
        format!("it gives something to `{name}`, which the board does not have{those}")
    }

    /// Value that a read of 1, 2 or 4 bytes of a device would give in core cycle `now`, without side effects; `None` if there is no device.
    pub fn look(&self, address: u32, size: u32, now: u64) -> Option<Result<u32, DeviceError>> {
        let mapped = &self.devices[self.find_device(address).ok()?];
        let mut device = mapped.device.clone();
        Some(crate::parts::read(
            &mut *device,
            address - mapped.region.base,
            size,
            now,
        ))
    }
}
