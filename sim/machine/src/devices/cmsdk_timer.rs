//! The timer of Arm's Cortex-M System Design Kit (Arm DDI 0479, 4.2): 32 bits, counting down at the core's clock.
//!
//! It counts from the reload value to 0, which sets its interrupt, and is loaded anew in the next cycle. Its external input is not
//! connected: to choose it stops the run.

use bus::{Device, DeviceError, Irq};

use super::not_modelled;

const CTRL: u32 = 0x00;
const VALUE: u32 = 0x04;
const RELOAD: u32 = 0x08;
/// INTSTATUS when read, INTCLEAR when written.
const INTSTATUS: u32 = 0x0c;
/// PID4 to 7, PID0 to 3, CID0 to 3, from offset 0xfd0.
const ID: [u32; 12] = [0x04, 0, 0, 0, 0x22, 0xb8, 0x1b, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

const ENABLED: u32 = 1 << 0;
const EXTERNAL: u32 = 3 << 1;
const INTERRUPTS: u32 = 1 << 3;

/// One timer.
#[derive(Clone)]
pub(crate) struct CmsdkTimer {
    irq: Option<Irq>,
    control: u32,
    reload: u32,
    value: u32,
    /// The core cycle in which it had this value.
    at: u64,
    pending: bool,
}

impl CmsdkTimer {
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        CmsdkTimer {
            irq,
            control: 0,
            reload: 0,
            value: 0,
            at: 0,
            pending: false,
        }
    }

    /// Cycles until it is 0; `None` if it never is.
    fn to_zero(&self) -> Option<u64> {
        match (self.control & ENABLED != 0, self.value, self.reload) {
            (false, ..) | (true, 0, 0) => None,
            (true, 0, reload) => Some(u64::from(reload) + 1),
            (true, value, _) => Some(value.into()),
        }
    }

    fn catch_up(&mut self, now: u64) {
        let passed = now.saturating_sub(self.at);
        self.at = self.at.max(now);
        let Some(first) = self.to_zero() else {
            return;
        };
        let Some(behind) = passed.checked_sub(first) else {
            // From 0, the first cycle loads it.
            self.value = if self.value == 0 && passed > 0 {
                self.reload - (passed - 1) as u32
            } else {
                self.value - passed as u32
            };
            return;
        };
        self.pending |= self.control & INTERRUPTS != 0;
        let place = behind % (u64::from(self.reload) + 1);
        self.value = if place == 0 {
            0
        } else {
            self.reload - (place - 1) as u32
        };
    }
}

impl Device for CmsdkTimer {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CTRL => Ok(self.control),
            VALUE => Ok(self.value),
            RELOAD => Ok(self.reload),
            INTSTATUS => Ok(self.pending.into()),
            register @ 0xfd0..=0xffc => Ok(ID[(register - 0xfd0) as usize / 4]),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            CTRL if value & EXTERNAL != 0 => return not_modelled("CTRL, its external input"),
            CTRL => self.control = value & (ENABLED | INTERRUPTS),
            VALUE => self.value = value,
            // Also loads the counter (DDI 0479, table 4-4).
            RELOAD => (self.reload, self.value) = (value, value),
            INTSTATUS => self.pending &= value & 1 == 0,
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let waits = self.irq.is_some() && self.control & INTERRUPTS != 0 && !self.pending;
        let zero = self.to_zero().filter(|_| waits);
        zero.map_or(u64::MAX, |cycles| self.at.saturating_add(cycles))
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        if let Some(irq) = self.irq {
            line(irq, self.pending);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
