//! The divider of the SIO (2.3.1.5): eight cycles after the last operand was written, quotient and remainder are there.

/// Cycles that a division takes.
const TIME: u64 = 8;
const READY: u32 = 1 << 0;
const DIRTY: u32 = 1 << 1;

/// Both dividers, which share their registers.
#[derive(Clone, Default, Debug)]
pub(super) struct Divider {
    operands: [u32; 2],
    results: [u32; 2],
    ready_at: u64,
    dirty: bool,
}

impl Divider {
    /// A read of register 0 to 6: operands twice, quotient, remainder, CSR.
    pub(super) fn read(&mut self, register: usize, now: u64) -> u32 {
        match register {
            0..4 => self.operands[register % 2],
            4 => {
                self.dirty = false;
                self.results[0]
            }
            5 => self.results[1],
            _ => {
                let ready = if now >= self.ready_at { READY } else { 0 };
                ready | if self.dirty { DIRTY } else { 0 }
            }
        }
    }

    pub(super) fn write(&mut self, register: usize, value: u32, now: u64) {
        match register {
            0..4 => {
                self.operands[register % 2] = value;
                self.results = divide(self.operands, register >= 2);
                self.ready_at = now + TIME;
                self.dirty = true;
            }
            4 | 5 => {
                // To put back what an interrupt had saved.
                self.results[register - 4] = value;
                self.dirty = true;
            }
            _ => {}
        }
    }
}

/// Quotient and remainder.
fn divide([dividend, divisor]: [u32; 2], signed: bool) -> [u32; 2] {
    let (a, b) = (dividend.cast_signed(), divisor.cast_signed());
    match (divisor, signed) {
        (0, true) if a < 0 => [1, dividend],
        (0, _) => [u32::MAX, dividend],
        (_, true) => [
            a.wrapping_div(b).cast_unsigned(),
            a.wrapping_rem(b).cast_unsigned(),
        ],
        (_, false) => [dividend / divisor, dividend % divisor],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_division_takes_eight_cycles() {
        let mut divider = Divider::default();
        divider.write(2, (-7_i32).cast_unsigned(), 100);
        divider.write(3, 2, 101);
        assert_eq!(
            (divider.read(6, 108), divider.read(6, 109)),
            (DIRTY, READY | DIRTY)
        );
        assert_eq!(divider.read(5, 109), (-1_i32).cast_unsigned());
        assert_eq!(
            (divider.read(4, 109), divider.read(6, 109)),
            ((-3_i32).cast_unsigned(), READY)
        );
    }

    #[test]
    fn by_zero_and_beyond_the_range_are_as_the_datasheet_says() {
        assert_eq!(divide([5, 0], false), [u32::MAX, 5]);
        assert_eq!(divide([5, 0], true), [u32::MAX, 5]);
        assert_eq!(divide([0x8000_0000, u32::MAX], true), [0x8000_0000, 0]);
    }
}
