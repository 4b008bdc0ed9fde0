//! GPIOTE (nRF52840 PS 6.10): eight channels, each of which reports the edges of a pin or drives one; and the port event.

use bus::{Device, DeviceError, Effect};

use super::{Frame, framed};
use crate::devices::block::{Peripheral, Regs, Write, about};
use crate::devices::{Around, not_modelled};

about! { Gpiote, B,
    "nRF52840 PS 6.10",
    "eight channels that tell of edges of a pin, or drive one; the port event",
    ""
}

framed! { Gpiote frame;
    CONFIG = 0x510 .times(8, 4).then(Gpiote::configure);
}

const CHANNELS: u32 = 8;
/// Tasks OUT, SET and CLR of channel 0.
const OUT: u32 = 0;
const SET: u32 = 12;
const CLR: u32 = 24;
/// The event of a port: bit 31 of the interrupts.
const PORT: u32 = 31;
/// CONFIG: an event, or a task.
const EVENT: u32 = 1;
const TASK: u32 = 3;

/// All channels.
#[derive(Clone, Default)]
pub(crate) struct Gpiote {
    regs: Regs<Self>,
    frame: Frame,
    /// The level that each channel drives.
    levels: [bool; CHANNELS as usize],
    /// The line of each pin of both ports, and the one by which a channel has it.
    lines: Vec<u16>,
    owned: Vec<u16>,
    detect: u16,
}

impl Gpiote {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let pins = |what: &'static str| (0..64).map(move |pin| format!("P{}_{}{what}", pin / 32, pin % 32));
        Box::new(Gpiote {
            frame: Frame::new(around.base, around.irq),
            lines: pins("").map(|pin| around.wires.number(&pin)).collect(),
            owned: pins(super::OWNED).map(|pin| around.wires.number(&pin)).collect(),
            detect: around.wires.number("DETECT"),
            ..Gpiote::default()
        })
    }

    fn configuration(&self, channel: usize) -> u32 {
        self.regs[CONFIG + 4 * channel as u32]
    }

    /// A channel's pin, from 0 to 63.
    fn pin(&self, channel: usize) -> u32 {
        self.configuration(channel) >> 8 & 0x3f
    }

    fn polarity(&self, channel: usize) -> u32 {
        self.configuration(channel) >> 16 & 3
    }

    /// Takes its pin from the port, or gives it back.
    fn own(&mut self, channel: usize, level: bool) {
        if self.configuration(channel) & 3 == TASK {
            let number = self.owned[self.pin(channel) as usize];
            self.frame.effects.push_back(Effect::Wire { number, level });
        }
    }

    fn drive(&mut self, channel: usize, level: bool) {
        if self.configuration(channel) & 3 == TASK {
            self.levels[channel] = level;
            let number = self.lines[self.pin(channel) as usize];
            self.frame.effects.push_back(Effect::Wire { number, level });
        }
    }

    fn task(&mut self, task: u32, _now: u64) -> Result<(), DeviceError> {
        let channel = (task % 12) as usize;
        match (task / 12 * 12, channel) {
            (OUT, 0..8) => match self.polarity(channel) {
                1 => self.drive(channel, true),
                2 => self.drive(channel, false),
                3 => self.drive(channel, !self.levels[channel]),
                _ => {}
            },
            (SET, 0..8) => self.drive(channel, true),
            (CLR, 0..8) => self.drive(channel, false),
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }

    fn configure(
        &mut self,
        Write {
            value, n: channel, ..
        }: Write,
    ) {
        let stays = value & 3 == TASK && value >> 8 & 0x3f == self.pin(channel);
        if !stays {
            self.own(channel, false);
        }
        self.regs[CONFIG + 4 * channel as u32] = value;
        self.levels[channel] = value >> 20 & 1 != 0;
        self.drive(channel, self.levels[channel]);
        self.own(channel, true);
    }
}

impl Peripheral for Gpiote {
    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        match effect {
            Effect::Pin { port, pin, level } => {
                let pin = 32 * u32::from(port) + u32::from(pin);
                for channel in 0..CHANNELS as usize {
                    let wanted = if level { 1 } else { 2 };
                    let hears = self.configuration(channel) & 3 == EVENT && self.pin(channel) == pin;
                    if hears && self.polarity(channel) & wanted != 0 {
                        self.frame.raise(channel as u32);
                    }
                }
            }
            Effect::Wire { number, level: true } if number == self.detect => self.frame.raise(PORT),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Irq;

    fn gpiote() -> Gpiote {
        Gpiote {
            frame: Frame::new(0x4000_6000, Some(Irq::External(6))),
            regs: Regs::default(),
            levels: [false; 8],
            lines: (100..164).collect(),
            owned: (200..264).collect(),
            detect: 99,
        }
    }

    #[test]
    fn an_edge_is_an_event_and_interrupts() {
        let mut gpiote = gpiote();
        gpiote.write(0x304, 4, 1 << 2 | 1 << 31, 0).unwrap();
        gpiote.write(CONFIG + 8, 4, EVENT | 13 << 8 | 2 << 16, 0).unwrap();
        let pin = |level| Effect::Pin {
            port: 0,
            pin: 13,
            level,
        };
        gpiote.hear(pin(true), 0).unwrap();
        assert!(!gpiote.frame.pending());
        gpiote.hear(pin(false), 0).unwrap();
        assert!(gpiote.frame.pending());
        gpiote.write(0x108, 4, 0, 0).unwrap();
        gpiote
            .hear(
                Effect::Wire {
                    number: 99,
                    level: true,
                },
                0,
            )
            .unwrap();
        assert_eq!((gpiote.frame.pending(), gpiote.read(0x17c, 4, 0)), (true, Ok(1)));
    }

    #[test]
    fn a_task_drives_its_pin() {
        let mut gpiote = gpiote();
        gpiote.write(CONFIG, 4, TASK | 45 << 8 | 3 << 16, 0).unwrap();
        let wire = |level| Some(Effect::Wire { number: 145, level });
        let owned = |level| Some(Effect::Wire { number: 245, level });
        assert_eq!(
            (gpiote.take_effect(), gpiote.take_effect()),
            (wire(false), owned(true))
        );
        gpiote.hear(Effect::Pulse(0x4000_6000), 0).unwrap();
        gpiote.write(0, 4, 1, 0).unwrap();
        assert_eq!(
            (gpiote.take_effect(), gpiote.take_effect()),
            (wire(true), wire(false))
        );
        gpiote.write(CONFIG, 4, 0, 0).unwrap();
        assert_eq!((gpiote.take_effect(), gpiote.take_effect()), (owned(false), None));
    }
}
