//! PWM (4.5): eight slices that count at the system's clock, and the interrupt and the request for DMA of their wraps.
//!
//! Outputs reach no pin, so that levels and inversion are held. Counting what a pin does stops the run.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect, Irq};

use crate::devices::block::{Peripheral, Regs, Write, about, registers, tell};
use crate::devices::{Around, Ticks, not_modelled};

const SLICES: usize = 8;
about! { Pwm, B,
    "RP2040 datasheet 4.5",
    "eight slices that count at the system clock, the interrupts and requests of their wraps",
    "outputs, which reach no pin; counting pins"
}

registers! { Pwm;
    CSR  = 0x00 .times(8, 0x14).shows(|pwm, at| pwm.slices[at.n].control).tries(|pwm, write| pwm.slices[write.n].switch(write.value, write.now));
    DIV  = 0x04 .times(8, 0x14).shows(|pwm, at| pwm.slices[at.n].divider).then(|pwm, write| pwm.slices[write.n].divider = write.value & 0xfff);
    CTR  = 0x08 .times(8, 0x14).shows(|pwm, at| pwm.slices[at.n].count).then(|pwm, write| pwm.slices[write.n].count = write.value & 0xffff);
    CC   = 0x0c .times(8, 0x14).write(!0);
    TOP  = 0x10 .times(8, 0x14).shows(|pwm, at| pwm.slices[at.n].next_top).then(|pwm, write| pwm.slices[write.n].set_top(write.value & 0xffff));
    // Mirrors the first bit of every CSR.
    EN   = 0xa0 .shows(|pwm, _| pwm.on()).tries(Pwm::switch);
    INTR = 0xa4 .clear(!0);
    INTE = 0xa8 .write(0xff);
    INTF = 0xac .write(0xff);
    INTS = 0xb0 .shows(|pwm, _| pwm.status()).drops();
}

/// CSR: on, up and down, what counts, one less, one more.
const ON: u32 = 1 << 0;
const BOTH_WAYS: u32 = 1 << 1;
const MODE: u32 = 3 << 4;
const RETARD: u32 = 1 << 6;
const ADVANCE: u32 = 1 << 7;

/// One slice.
#[derive(Clone, Debug)]
struct Slice {
    ticks: Ticks,
    control: u32,
    /// In units of 1/16.
    divider: u32,
    count: u32,
    /// In phase-correct mode: counting down.
    down: bool,
    top: u32,
    /// TOP as written; it takes effect at the next wrap (4.5.2.3).
    next_top: u32,
    /// Ticks, in 1/16, that make no whole count yet.
    phase: u64,
}

impl Slice {
    fn new() -> Slice {
        Slice {
            ticks: Ticks::of(ClockId::CORE),
            control: 0,
            divider: 16,
            count: 0,
            down: false,
            top: 0xffff,
            next_top: 0xffff,
            phase: 0,
        }
    }

    fn is_on(&self) -> bool {
        self.control & ON != 0
    }

    /// Divider in 1/16; 0 stands for 256.
    fn each(&self) -> u64 {
        let whole = if self.divider >> 4 == 0 {
            256 << 4
        } else {
            self.divider & 0xff0
        };
        u64::from(whole | self.divider & 15)
    }

    /// Counts until it is at 0 again.
    fn to_wrap(&self) -> u64 {
        let (count, top) = (u64::from(self.count), u64::from(self.top));
        match (self.control & BOTH_WAYS != 0, self.down) {
            (false, _) if count > top => 0x1_0000 - count,
            (false, _) => top + 1 - count,
            (true, true) => count.max(1),
            (true, false) => (2 * top).saturating_sub(count).max(1),
        }
    }

    /// Ticks until then.
    fn due(&self) -> u64 {
        if !self.is_on() {
            return u64::MAX;
        }
        let sixteenths = (self.to_wrap() * self.each()).saturating_sub(self.phase);
        self.ticks.cycle_of(sixteenths.div_ceil(16))
    }

    /// Goes on to core cycle `now`; whether it came to 0.
    fn catch_up(&mut self, now: u64) -> bool {
        let ticks = self.ticks.take(now);
        if !self.is_on() {
            return false;
        }
        self.phase += 16 * ticks;
        let mut counts = self.phase / self.each();
        self.phase %= self.each();
        let mut wrapped = false;
        while counts > 0 {
            let wrap = self.to_wrap();
            if counts >= wrap {
                counts -= wrap;
                (self.count, self.down, wrapped) = (0, false, true);
                self.top = self.next_top;
                let round = self.to_wrap();
                counts %= round;
            } else {
                self.step(counts as u32);
                counts = 0;
            }
        }
        wrapped
    }

    /// Counts less far than to 0.
    fn step(&mut self, counts: u32) {
        if self.control & BOTH_WAYS == 0 {
            self.count += counts;
        } else if self.down {
            self.count -= counts;
        } else if self.count + counts > self.top {
            self.count = (2 * self.top).saturating_sub(self.count + counts);
            self.down = true;
        } else {
            self.count += counts;
        }
    }

    fn switch(&mut self, value: u32, now: u64) -> Result<(), DeviceError> {
        if value & MODE != 0 {
            return not_modelled(format!("CSR, a write of {value:#x}: counting what a pin does"));
        }
        if value & ON != 0 && !self.is_on() {
            self.ticks.restart(now);
        }
        self.control = value & 0x3f;
        if value & ON == 0 {
            self.top = self.next_top;
        }
        if value & RETARD != 0 {
            self.count = self.count.wrapping_sub(1) & 0xffff;
        }
        if value & ADVANCE != 0 {
            self.count = self.count.wrapping_add(1) & 0xffff;
        }
        Ok(())
    }

    fn set_top(&mut self, top: u32) {
        self.next_top = top;
        if !self.is_on() {
            self.top = top;
        }
    }
}

/// All slices.
#[derive(Clone, Default)]
pub(crate) struct Pwm {
    regs: Regs<Self>,
    irq: Option<Irq>,
    slices: Vec<Slice>,
    /// The lines that ask for DMA at each wrap.
    wraps: Vec<u16>,
    effects: VecDeque<Effect>,
}

impl Pwm {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let wrap = |slice: usize| around.wire(&format!("WRAP{slice}"));
        Box::new(Pwm::new(around.irq, (0..SLICES).map(wrap).collect()))
    }

    fn new(irq: Option<Irq>, wraps: Vec<u16>) -> Pwm {
        Pwm {
            irq,
            slices: vec![Slice::new(); SLICES],
            wraps,
            ..Pwm::default()
        }
    }

    fn status(&self) -> u32 {
        self.regs[INTR] & self.regs[INTE] | self.regs[INTF]
    }

    fn on(&self) -> u32 {
        let slices = self.slices.iter().enumerate();
        slices.fold(0, |all, (index, slice)| all | (slice.control & ON) << index)
    }

    fn switch(&mut self, write: Write) -> Result<(), DeviceError> {
        for (index, slice) in self.slices.iter_mut().enumerate() {
            let control = slice.control & !ON | write.value >> index & ON;
            slice.switch(control, write.now)?;
        }
        Ok(())
    }
}

impl Peripheral for Pwm {
    fn advance(&mut self, now: u64) {
        for (index, slice) in self.slices.iter_mut().enumerate() {
            if slice.catch_up(now) {
                self.regs[INTR] |= 1 << index;
                self.effects.push_back(Effect::Pulse(self.wraps[index].into()));
            }
        }
    }

    fn due(&self) -> u64 {
        let due = self.slices.iter().map(Slice::due);
        due.min().unwrap_or(u64::MAX)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.status() != 0, line);
    }

    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.advance(now);
            for slice in &mut self.slices {
                slice.ticks.hear(effect);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BETWEEN: u32 = 0x14;

    fn pwm() -> Pwm {
        let mut pwm = Pwm::new(Some(Irq::External(4)), (1..=8).collect());
        pwm.hear(Effect::Clock(ClockId::CORE, 125_000_000), 0).unwrap();
        pwm
    }

    #[test]
    fn a_slice_wraps_behind_its_top_and_interrupts() {
        let mut pwm = pwm();
        let second = BETWEEN;
        for (offset, value) in [(second + DIV, 40), (second + 0x10, 99), (INTE, 2), (EN, 2)] {
            pwm.write(offset, 4, value, 0).unwrap();
        }
        // 2.5 cycles each.
        assert_eq!(pwm.read(second + CTR, 4, 5), Ok(2));
        assert_eq!(pwm.next_event(), 250);
        assert_eq!(pwm.read(INTS, 4, 249), Ok(0));
        assert_eq!(
            (pwm.read(INTS, 4, 250), pwm.read(second + CTR, 4, 250)),
            (Ok(2), Ok(0))
        );
        assert_eq!(pwm.take_effect(), Some(Effect::Pulse(2)));
        pwm.write(INTR, 4, 2, 250).unwrap();
        assert_eq!(pwm.next_event(), 500);
        assert_eq!(pwm.read(second + CTR, 4, 250 * 1000 + 25), Ok(10));
    }

    #[test]
    fn both_ways_it_is_at_0_once_in_twice_its_top() {
        let mut pwm = pwm();
        pwm.write(0x10, 4, 10, 0).unwrap();
        pwm.write(CSR, 4, ON | BOTH_WAYS, 0).unwrap();
        let counts: Vec<u32> = (0..=21).map(|now| pwm.read(CTR, 4, now).unwrap()).collect();
        let expected: Vec<u32> = (0..=10).chain((0..10).rev()).chain([1]).collect();
        assert_eq!(counts, expected);
        assert!(pwm.write(CSR, 4, ON | 2 << 4, 30).is_err(), "edges of a pin");
    }

    #[test]
    fn another_top_counts_from_the_next_wrap_on() {
        let mut pwm = pwm();
        for (offset, value) in [(0x10, 9), (CSR, ON)] {
            pwm.write(offset, 4, value, 0).unwrap();
        }
        pwm.write(0x10, 4, 4, 5).unwrap();
        assert_eq!(pwm.read(0x10, 4, 5), Ok(4));
        assert_eq!(
            [7, 9, 10, 14, 15].map(|now| pwm.read(CTR, 4, now).unwrap()),
            [7, 9, 0, 4, 0]
        );
    }
}
