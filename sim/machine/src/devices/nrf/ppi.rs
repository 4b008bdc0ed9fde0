//! PPI (nRF52840 PS 6.16): each channel that is on starts a task, or two, when its event happens: in the same cycle here.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect};

use super::element;
use crate::devices::{Around, not_modelled};

const CHEN: u32 = 0x500;
const CHENSET: u32 = 0x504;
const CHENCLR: u32 = 0x508;
/// The event and the task of each channel in turn.
const CH: u32 = 0x510;
const CHG: u32 = 0x800;
const FORK: u32 = 0x910;
const CHANNELS: u32 = 20;
const GROUPS: u32 = 6;

/// The channels that the program cannot change (PS 6.16.1), without those of the radio, AAR and CCM, which are not modelled: number, event, task.
const FIXED: [(u32, u32, u32); 2] = [(30, 0x4000_b140, 0x4000_800c), (31, 0x4000_b140, 0x4000_8000)];

/// All channels.
#[derive(Clone)]
pub(crate) struct Ppi {
    base: u32,
    enabled: u32,
    ends: [u32; 2 * CHANNELS as usize],
    forks: [u32; 32],
    groups: [u32; GROUPS as usize],
    effects: VecDeque<Effect>,
}

impl Ppi {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Ppi::new(around.base))
    }

    fn new(base: u32) -> Ppi {
        Ppi {
            base,
            enabled: 0,
            ends: [0; 2 * CHANNELS as usize],
            forks: [0; 32],
            groups: [0; GROUPS as usize],
            effects: VecDeque::new(),
        }
    }

    /// Tasks in turn: a group on, a group off.
    fn task(&mut self, task: u32) -> bool {
        let Some(&group) = self.groups.get(task as usize / 2) else {
            return false;
        };
        self.enabled = if task.is_multiple_of(2) {
            self.enabled | group
        } else {
            self.enabled & !group
        };
        true
    }

    fn happened(&mut self, event: u32) {
        for channel in 0..CHANNELS {
            let [of, task] = [0, 1].map(|end| self.ends[(2 * channel + end) as usize]);
            if of == event {
                self.start(channel, task);
            }
        }
        for (channel, of, task) in FIXED {
            if of == event {
                self.start(channel, task);
            }
        }
    }

    fn start(&mut self, channel: u32, task: u32) {
        if self.enabled >> channel & 1 == 0 {
            return;
        }
        for task in [task, self.forks[channel as usize]] {
            if task != 0 {
                self.effects.push_back(Effect::Pulse(task));
            }
        }
    }
}

impl Device for Ppi {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        let register = offset & !3;
        let of = |first, count| element(register, first, count);
        match register {
            CHEN | CHENSET | CHENCLR => Ok(self.enabled),
            0..0x30 => Ok(0),
            _ => match (of(CH, 2 * CHANNELS), of(CHG, GROUPS), of(FORK, 32)) {
                (Some(end), ..) => Ok(self.ends[end]),
                (_, Some(group), _) => Ok(self.groups[group]),
                (.., Some(fork)) => Ok(self.forks[fork]),
                _ => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let register = offset & !3;
        let of = |first, count| element(register, first, count);
        match register {
            CHEN => self.enabled = value,
            CHENSET => self.enabled |= value,
            CHENCLR => self.enabled &= !value,
            0..0x30 if value & 1 != 0 => {
                self.task(register / 4);
            }
            0..0x30 => {}
            _ => match (of(CH, 2 * CHANNELS), of(CHG, GROUPS), of(FORK, 32)) {
                (Some(end), ..) => self.ends[end] = value,
                (_, Some(group), _) => self.groups[group] = value,
                (.., Some(fork)) => self.forks[fork] = value,
                _ => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        Ok(())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Pulse(address) = effect {
            let own = address.checked_sub(self.base).filter(|offset| *offset < 0x30);
            if !own.is_some_and(|offset| self.task(offset / 4)) {
                self.happened(address);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_starts_its_tasks_while_the_channel_is_on() {
        let mut ppi = Ppi::new(0x4001_f000);
        for (offset, value) in [
            (CH + 8, 0x4000_8140),
            (CH + 12, 0x4000_6000),
            (FORK + 4, 0x4000_9000),
            (CHG, 2),
        ] {
            ppi.write(offset, 4, value, 0).unwrap();
        }
        ppi.hear(Effect::Pulse(0x4000_8140), 0).unwrap();
        assert_eq!(ppi.take_effect(), None);
        // A write of 0 starts no task. The group's, by PPI itself.
        ppi.write(0, 4, 0, 0).unwrap();
        assert_eq!(ppi.read(CHEN, 4, 0), Ok(0));
        ppi.hear(Effect::Pulse(0x4001_f000), 0).unwrap();
        ppi.hear(Effect::Pulse(0x4000_8140), 0).unwrap();
        let told = [ppi.take_effect(), ppi.take_effect(), ppi.take_effect()];
        assert_eq!(
            told,
            [
                Some(Effect::Pulse(0x4000_6000)),
                Some(Effect::Pulse(0x4000_9000)),
                None
            ]
        );
    }
}
