//! PPI (nRF52840 PS 6.16): each channel that is on starts a task, or two, when its event happens: in the same cycle here.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect};

use crate::devices::Around;
use crate::devices::block::{Peripheral, Regs, about, registers};

about! { Ppi, D,
    "nRF52840 PS 6.16",
    "each channel starts a task, or two, when its event happens",
    "its time: a task starts in the cycle of its event"
}

registers! { Ppi;
    // In turn: a group on, a group off.
    TASK   = 0x000 .times(12, 4).then(|ppi, write| if write.value & 1 != 0 { ppi.task(write.n as u32) });
    CHEN   = 0x500 .write(!0);
    CHENSET = 0x504 .sets(CHEN, !0);
    CHENCLR = 0x508 .clears(CHEN, !0);
    // The event and the task of each channel in turn.
    CH     = 0x510 .times(40, 4).write(!0);
    CHG    = 0x800 .times(6, 4).write(!0);
    FORK   = 0x910 .times(32, 4).write(!0);
}

const CHANNELS: u32 = 20;
const TASKS: u32 = 12;

/// The channels that the program cannot change (PS 6.16.1), without those of the radio, AAR and CCM, which are not modelled: number, event, task.
const FIXED: [(u32, u32, u32); 2] = [(30, 0x4000_b140, 0x4000_800c), (31, 0x4000_b140, 0x4000_8000)];

/// All channels.
#[derive(Clone, Default)]
pub(crate) struct Ppi {
    regs: Regs<Self>,
    base: u32,
    effects: VecDeque<Effect>,
}

impl Ppi {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Ppi::new(around.base))
    }

    fn new(base: u32) -> Ppi {
        Ppi {
            base,
            ..Ppi::default()
        }
    }

    fn task(&mut self, task: u32) {
        let group = self.regs[CHG + 4 * (task / 2)];
        if task.is_multiple_of(2) {
            self.regs[CHEN] |= group;
        } else {
            self.regs[CHEN] &= !group;
        }
    }

    fn happened(&mut self, event: u32) {
        for channel in 0..CHANNELS {
            let [of, task] = [0, 1].map(|end| self.regs[CH + 4 * (2 * channel + end)]);
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
        if self.regs[CHEN] >> channel & 1 == 0 {
            return;
        }
        for task in [task, self.regs[FORK + 4 * channel]] {
            if task != 0 {
                self.effects.push_back(Effect::Pulse(task));
            }
        }
    }
}

impl Peripheral for Ppi {
    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Pulse(address) = effect {
            match address.checked_sub(self.base).map(|offset| offset / 4) {
                Some(task) if task < TASKS => self.task(task),
                _ => self.happened(address),
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
