//! The timer of Arm's Cortex-M System Design Kit (Arm DDI 0479, 4.2): 32 bits, counting down at the core's clock.
//!
//! It counts from the reload value to 0, which sets its interrupt, and is loaded anew in the next cycle. Its external input is not
//! connected: to choose it stops the run.

use bus::Irq;

use super::block::{Peripheral, Regs, about, registers, tell};
use super::words::cmsdk_id;

about! { CmsdkTimer, B,
    "DDI 0479, 4.2",
    "counts down at the core's clock, reloads, interrupts",
    "its external input"
}

registers! { CmsdkTimer;
    CTRL      = 0x00 .write(ENABLED | INTERRUPTS).refuse(EXTERNAL, ", its external input");
    VALUE     = 0x04 .write(!0);
    // Also loads the counter (DDI 0479, table 4-4).
    RELOAD    = 0x08 .write(!0).then(|timer, write| timer.regs[VALUE] = write.value);
    // INTCLEAR when written.
    INTSTATUS = 0x0c .clear(1);
    ID        = 0xfd0 .times(12, 4).shows(|_, at| cmsdk_id(0x22, at.n));
}

const ENABLED: u32 = 1 << 0;
const EXTERNAL: u32 = 3 << 1;
const INTERRUPTS: u32 = 1 << 3;

/// One timer.
#[derive(Clone, Default)]
pub(crate) struct CmsdkTimer {
    regs: Regs<Self>,
    irq: Option<Irq>,
    /// The core cycle in which it had its value.
    at: u64,
}

impl CmsdkTimer {
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        CmsdkTimer {
            irq,
            ..CmsdkTimer::default()
        }
    }

    /// Cycles until it is 0; `None` if it never is.
    fn to_zero(&self) -> Option<u64> {
        match (
            self.regs[CTRL] & ENABLED != 0,
            self.regs[VALUE],
            self.regs[RELOAD],
        ) {
            (false, ..) | (true, 0, 0) => None,
            (true, 0, reload) => Some(u64::from(reload) + 1),
            (true, value, _) => Some(value.into()),
        }
    }
}

impl Peripheral for CmsdkTimer {
    fn advance(&mut self, now: u64) {
        let passed = now.saturating_sub(self.at);
        self.at = self.at.max(now);
        let Some(first) = self.to_zero() else {
            return;
        };
        let (value, reload) = (self.regs[VALUE], self.regs[RELOAD]);
        // From 0, the first cycle loads it.
        let place = match passed.checked_sub(first) {
            None if value != 0 => {
                self.regs[VALUE] = value - passed as u32;
                return;
            }
            None => passed,
            Some(behind) => {
                self.regs[INTSTATUS] |= u32::from(self.regs[CTRL] & INTERRUPTS != 0);
                behind % (u64::from(reload) + 1)
            }
        };
        self.regs[VALUE] = place.checked_sub(1).map_or(0, |steps| reload - steps as u32);
    }

    fn due(&self) -> u64 {
        let waits = self.irq.is_some() && self.regs[CTRL] & INTERRUPTS != 0 && self.regs[INTSTATUS] == 0;
        let zero = self.to_zero().filter(|_| waits);
        zero.map_or(u64::MAX, |cycles| self.at.saturating_add(cycles))
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.regs[INTSTATUS] != 0, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Device;

    fn running(reload: u32) -> CmsdkTimer {
        let mut timer = CmsdkTimer::new(Some(Irq::External(8)));
        timer.write(RELOAD, 4, reload, 0).unwrap();
        timer.write(CTRL, 4, ENABLED | INTERRUPTS, 0).unwrap();
        timer
    }

    #[test]
    fn it_counts_as_cycle_by_cycle() {
        for reload in [1, 2, 9] {
            let (mut all, mut value) = (running(reload), reload);
            for now in 0..50u64 {
                let mut jumped = running(reload);
                assert_eq!(
                    (jumped.read(VALUE, 4, now), all.read(VALUE, 4, now)),
                    (Ok(value), Ok(value))
                );
                assert_eq!(
                    jumped.read(INTSTATUS, 4, now),
                    Ok(u32::from(now >= reload.into()))
                );
                value = if value == 0 { reload } else { value - 1 };
            }
        }
    }

    #[test]
    fn its_interrupt_comes_at_zero_and_again_after_a_period() {
        let mut timer = running(99);
        assert_eq!(timer.next_event(), 99);
        let mut levels = Vec::new();
        timer.poll(99, &mut |_, level| levels.push(level));
        assert_eq!((levels, timer.next_event()), (vec![true], u64::MAX));
        timer.write(INTSTATUS, 4, 1, 110).unwrap();
        assert_eq!(timer.next_event(), 199);
        timer.write(CTRL, 4, 0, 120).unwrap();
        assert_eq!(timer.next_event(), u64::MAX);
        assert_eq!(timer.read(VALUE, 4, 500), timer.read(VALUE, 4, 120));
    }
}
