//! Resets a device: restores its first state under the current clocks, lines and pins around it.
//!
//! A copy of the device that no program touches hears all that the device hears, and takes its place. What the device drove (interrupts, pins,
//! requests, clocks) goes back to what the copy drives.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect, Incoming, Irq, Outside};

/// The copy, and what is known of the two.
#[derive(Clone)]
pub(super) struct First {
    copy: Box<dyn Device>,
    /// The outputs that the copy drives.
    drives: Vec<Effect>,
    /// The outputs that the device drove last.
    driven: Vec<Effect>,
    /// The interrupts that the device holds high, and whether they fall.
    high: Vec<Irq>,
    falls: bool,
    /// The effects of a reset on others.
    effects: VecDeque<Effect>,
    /// Bytes sent before a reset.
    sent: Vec<u8>,
}

impl First {
    pub(super) fn of(copy: Box<dyn Device>) -> First {
        let mut first = First {
            copy,
            drives: Vec::new(),
            driven: Vec::new(),
            high: Vec::new(),
            falls: false,
            effects: VecDeque::new(),
            sent: Vec::new(),
        };
        first.settle();
        first
    }

    fn settle(&mut self) {
        while let Some(effect) = self.copy.take_effect() {
            keep(&mut self.drives, effect);
        }
        // Inputs that a script's copy sends are sent by its device as well.
        while self.copy.take_given().is_some() {}
    }

    /// An error is the device's own to tell: a copy that nobody set up refuses nothing that it minds.
    pub(super) fn hear(&mut self, effect: Effect, now: u64) {
        let _: Result<(), DeviceError> = self.copy.hear(effect, now);
        self.settle();
    }

    /// A level stays; bytes are carried over, as far as the device did not take them.
    pub(super) fn stimulate(&mut self, input: &Incoming, now: u64) {
        if !matches!(input, Incoming::Bytes(_) | Incoming::Waiting(_)) {
            let _: Result<(), DeviceError> = self.copy.stimulate(input, now);
            self.settle();
        }
    }

    /// Puts the copy in the device's place.
    pub(super) fn reset(&mut self, device: &mut Box<dyn Device>) {
        let mut outside = Outside::default();
        device.carry(&mut outside);
        device.drain_output(&mut |bytes| self.sent.extend_from_slice(bytes));
        *device = self.copy.clone();
        device.carry(&mut outside);
        self.falls = true;
        for &driven in &self.driven {
            if !self.drives.iter().any(|&effect| is_same(effect, driven)) {
                self.effects.extend(let_go(driven));
            }
        }
        let differs = |effect: &&Effect| !self.driven.contains(effect);
        self.effects.extend(self.drives.iter().filter(differs));
    }

    pub(super) fn take_effect(&mut self, device: &mut dyn Device) -> Option<Effect> {
        let effect = self.effects.pop_front().or_else(|| device.take_effect())?;
        keep(&mut self.driven, effect);
        Some(effect)
    }

    /// Tells the interrupts that fell in a reset.
    pub(super) fn let_fall(&mut self, line: &mut dyn FnMut(Irq, bool)) {
        if std::mem::take(&mut self.falls) {
            self.high.drain(..).for_each(|irq| line(irq, false));
        }
    }

    pub(super) fn poll(&mut self, device: &mut dyn Device, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        device.poll(now, &mut |irq, level| {
            self.high.retain(|&high| high != irq);
            if level {
                self.high.push(irq);
            }
            line(irq, level);
        });
    }

    pub(super) fn drain_sent(&mut self, sink: &mut dyn FnMut(&[u8])) {
        if !self.sent.is_empty() {
            sink(&self.sent);
            self.sent.clear();
        }
    }
}

/// Keeps the last level of each line; what happens at once is over.
fn keep(all: &mut Vec<Effect>, effect: Effect) {
    match all.iter_mut().find(|kept| is_same(**kept, effect)) {
        Some(kept) => *kept = effect,
        None if !matches!(
            effect,
            Effect::FlashReset { .. } | Effect::Pulse(_) | Effect::End(_)
        ) =>
        {
            all.push(effect);
        }
        None => {}
    }
}

/// Whether both are of one line, one pin, one clock.
fn is_same(one: Effect, other: Effect) -> bool {
    match (one, other) {
        (Effect::Clock(one, _), Effect::Clock(other, _)) => one == other,
        (Effect::Voltage(_), Effect::Voltage(_)) | (Effect::Flash(_), Effect::Flash(_)) => true,
        (Effect::Wire { number: one, .. }, Effect::Wire { number: other, .. }) => one == other,
        (
            Effect::Pin { port, pin, .. },
            Effect::Pin {
                port: other, pin: of, ..
            },
        ) => (port, pin) == (other, of),
        _ => false,
    }
}

/// Releases an output that was driven high.
fn let_go(driven: Effect) -> Option<Effect> {
    match driven {
        Effect::Wire { number, level: true } => Some(Effect::Wire { number, level: false }),
        Effect::Pin {
            port,
            pin,
            level: true,
        } => Some(Effect::Pin {
            port,
            pin,
            level: false,
        }),
        Effect::Clock(clock, 1..) => Some(Effect::Clock(clock, 0)),
        _ => None,
    }
}
