//! Peripherals of Nordic's nRF52 (nRF52840 PS v1.7). All share one frame (6.1): tasks, which a write or PPI starts; events, which stay set until
//! the program clears them and which PPI sees; shortcuts from events to tasks; and interrupts of events.

mod buffer;
mod clock;
mod gpio;
mod gpiote;
mod nvmc;
mod ppi;
mod pwm;
mod random;
mod rtc;
mod saadc;
mod serial;
mod temperature;
mod timer;
mod uarte;
mod watchdog;

pub(crate) use clock::ClockPower;
pub(crate) use gpio::Gpio;
pub(crate) use gpiote::Gpiote;
pub(crate) use nvmc::NvmcSettings;
pub(crate) use ppi::Ppi;
pub(crate) use pwm::Pwm;
pub(crate) use random::Random;
pub(crate) use rtc::RtcSettings;
pub(crate) use saadc::SaadcSettings;
pub(crate) use serial::SerialSettings;
pub(crate) use temperature::Temperature;
pub(crate) use timer::TimerSettings;
pub(crate) use uarte::Uarte;
pub(crate) use watchdog::Watchdog;

use std::collections::VecDeque;

use bus::{Effect, Irq};

use super::block::{Half, Write, tell};

const FIRST_EVENT: u32 = 0x100;

/// The offset itself up to the last channel's register, of those from `first` on; beyond it, that of no register.
fn of_channels(offset: u32, first: u32, channels: u32) -> u32 {
    if offset < first + 4 * channels {
        offset
    } else {
        u32::MAX
    }
}

/// Of the line by which a peripheral takes a pin from its port: `P0_13_OWNED`; on the line `P0_13` it then drives it.
const OWNED: &str = "_OWNED";

/// The registers of a peripheral with a `frame`, after those that all of them have; its method `task` starts one.
macro_rules! framed {
    ($device:ident $($half:ident)?; $($rows:tt)*) => {
        $crate::devices::block::registers! { $device $($half)?, tasks of frame;
            TASKS    = 0x000 .times(64, 4).tries(|own, write| match write.value & 1 {
                0 => Ok(()),
                _ => own.task(write.n as u32, write.now),
            });
            EVENTS   = 0x100 .times(64, 4).shows(|own, at| u32::from(own.frame.is_set(at.n as u32))).then(|own, write| own.frame.set(write));
            SHORTS   = 0x200 .shows(|own, _| own.frame.shorts).then(|own, write| own.frame.shorts = write.value);
            INTEN    = 0x300 .shows(|own, _| own.frame.enabled).then(|own, write| own.frame.enabled = write.value);
            INTENSET = 0x304 .shows(|own, _| own.frame.enabled).then(|own, write| own.frame.enabled |= write.value);
            INTENCLR = 0x308 .shows(|own, _| own.frame.enabled).then(|own, write| own.frame.enabled &= !write.value);
            $($rows)*
        }
    };
}

use framed;

/// The part that all of them have.
#[derive(Clone, Default)]
pub(crate) struct Frame {
    base: u32,
    irq: Option<Irq>,
    events: u64,
    shorts: u32,
    enabled: u32,
    effects: VecDeque<Effect>,
}

impl Frame {
    fn new(base: u32, irq: Option<Irq>) -> Frame {
        Frame {
            base,
            irq,
            events: 0,
            shorts: 0,
            enabled: 0,
            effects: VecDeque::new(),
        }
    }

    /// An event is set or cleared by the program.
    fn set(&mut self, write: Write) {
        let event = 1 << write.n;
        self.events = self.events & !event | if write.value & 1 == 0 { 0 } else { event };
    }

    /// The task that an effect starts.
    fn hears(&self, effect: Effect) -> Option<u32> {
        match effect {
            Effect::Pulse(address) => {
                let offset = address.checked_sub(self.base)?;
                (offset < FIRST_EVENT).then_some(offset / 4)
            }
            _ => None,
        }
    }

    /// An event happens.
    fn raise(&mut self, event: u32) {
        self.events |= 1 << event;
        self.effects
            .push_back(Effect::Pulse(self.base + FIRST_EVENT + 4 * event));
    }

    fn is_set(&self, event: u32) -> bool {
        self.events >> event & 1 != 0
    }

    /// The events that interrupt now; events 32 and up have no interrupt.
    fn pending(&self) -> bool {
        self.events as u32 & self.enabled != 0
    }
}

impl Half for Frame {
    fn lines(&self, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.pending(), line);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }
}
