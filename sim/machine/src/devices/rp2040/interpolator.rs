//! An interpolator of the SIO (2.3.1.6): two lanes that shift, mask and add; the first of both can blend, the second can clamp.

const SIGNED: u32 = 1 << 15;
const CROSS_INPUT: u32 = 1 << 16;
const CROSS_RESULT: u32 = 1 << 17;
const ADD_RAW: u32 = 1 << 18;
const BLEND: u32 = 1 << 21;
const CLAMP: u32 = 1 << 22;
/// The writable bits of a lane's control register, without the modes of one lane only.
const WRITABLE: u32 = 0x001f_ffff;

/// One of both.
#[derive(Clone, Debug)]
pub(super) struct Interpolator {
    blends: bool,
    accumulators: [u32; 2],
    bases: [u32; 3],
    controls: [u32; 2],
}

/// The results of the lanes.
struct Results {
    lanes: [u32; 2],
    full: u32,
    overflows: [bool; 2],
}

impl Interpolator {
    /// The first blends, the second clamps.
    pub(super) fn new(blends: bool) -> Interpolator {
        Interpolator {
            blends,
            accumulators: [0; 2],
            bases: [0; 3],
            controls: [0; 2],
        }
    }

    fn has(&self, lane: usize, bit: u32) -> bool {
        self.controls[lane] & bit != 0
    }

    /// A lane's input, its shifted and masked value, and whether bits above the mask were lost.
    fn shifted(&self, lane: usize) -> (u32, u32, bool) {
        let input = self.accumulators[lane ^ usize::from(self.has(lane, CROSS_INPUT))];
        let control = self.controls[lane];
        let (low, high) = (control >> 5 & 31, control >> 10 & 31);
        let mask = if low > high {
            0
        } else {
            u32::MAX << low & u32::MAX >> (31 - high)
        };
        let shifted = input >> (control & 31);
        let above = !(u32::MAX >> (31 - high));
        let masked = shifted & mask;
        let negative = self.has(lane, SIGNED) && masked >> high & 1 != 0;
        let extended = if negative { masked | above } else { masked };
        (input, extended, shifted & above != 0)
    }

    fn results(&self) -> Results {
        let (inputs, shifted): (Vec<_>, Vec<_>) = [0, 1]
            .map(|lane| self.shifted(lane))
            .into_iter()
            .map(|(input, shifted, over)| (input, (shifted, over)))
            .unzip();
        let added = |lane: usize| {
            if self.has(lane, ADD_RAW) {
                inputs[lane]
            } else {
                shifted[lane].0
            }
        };
        let mut lanes = [0, 1].map(|lane| self.bases[lane].wrapping_add(added(lane)));
        let mut full = self.bases[2]
            .wrapping_add(shifted[0].0)
            .wrapping_add(shifted[1].0);
        if self.blends && self.has(0, BLEND) {
            let alpha = shifted[1].0 & 0xff;
            lanes = [alpha, self.blended(alpha)];
            full = self.bases[2].wrapping_add(shifted[0].0);
        }
        if !self.blends && self.has(0, CLAMP) {
            lanes[0] = self.clamped(shifted[0].0);
        }
        let overflows = [0, 1].map(|lane| shifted[lane].1);
        Results {
            lanes,
            full,
            overflows,
        }
    }

    /// Between both bases, in 256ths.
    fn blended(&self, alpha: u32) -> u32 {
        let [from, to, _] = self.bases;
        let (from, to) = if self.has(1, SIGNED) {
            (i64::from(from.cast_signed()), i64::from(to.cast_signed()))
        } else {
            (i64::from(from), i64::from(to))
        };
        (from + (((to - from) * i64::from(alpha)) >> 8)) as u32
    }

    fn clamped(&self, value: u32) -> u32 {
        let [low, high, _] = self.bases;
        if self.has(0, SIGNED) {
            let [low, high] = [low, high].map(u32::cast_signed);
            value.cast_signed().min(high).max(low).cast_unsigned()
        } else {
            value.min(high).max(low)
        }
    }

    /// A result, as the bus shows it: `FORCE_MSB` changes nothing within.
    fn shown(&self, results: &Results, which: usize) -> u32 {
        let forced = |lane: usize| results.lanes[lane] | (self.controls[lane] >> 19 & 3) << 28;
        if which < 2 { forced(which) } else { results.full }
    }

    /// A read of register 0 to 15.
    pub(super) fn read(&mut self, register: usize) -> u32 {
        let results = self.results();
        match register {
            0 | 1 => self.accumulators[register],
            2..5 => self.bases[register - 2],
            5..8 => {
                let crossed = |lane: usize| results.lanes[lane ^ usize::from(self.has(lane, CROSS_RESULT))];
                self.accumulators = [crossed(0), crossed(1)];
                self.shown(&results, register - 5)
            }
            8..11 => self.shown(&results, register - 8),
            11 => {
                let [first, second] = results.overflows.map(u32::from);
                self.controls[0] | first << 23 | second << 24 | (first | second) << 25
            }
            12 => self.controls[1],
            13 | 14 => self.shifted(register - 13).1,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, register: usize, value: u32) {
        match register {
            0 | 1 => self.accumulators[register] = value,
            2..5 => self.bases[register - 2] = value,
            11 => self.controls[0] = value & (WRITABLE | if self.blends { BLEND } else { CLAMP }),
            12 => self.controls[1] = value & WRITABLE,
            13 | 14 => {
                let accumulator = &mut self.accumulators[register - 13];
                *accumulator = accumulator.wrapping_add(value);
            }
            15 => {
                let half = |lane: usize, half: u32| {
                    let signed = self.has(lane, SIGNED);
                    if signed {
                        i32::from(half as u16 as i16).cast_unsigned()
                    } else {
                        half & 0xffff
                    }
                };
                [self.bases[0], self.bases[1]] = [half(0, value), half(1, value >> 16)];
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(shift: u32, low: u32, high: u32) -> u32 {
        shift | low << 5 | high << 10
    }

    #[test]
    fn lanes_shift_mask_and_add() {
        let mut lanes = Interpolator::new(true);
        for (register, value) in [
            (0, 0x1234),
            (1, 0x00ff_0000),
            (2, 0x1000),
            (11, control(4, 0, 7)),
            (12, control(16, 0, 31)),
        ] {
            lanes.write(register, value);
        }
        assert_eq!(
            (lanes.read(8), lanes.read(9), lanes.read(10)),
            (0x1023, 0xff, 0x23 + 0xff)
        );
        assert_eq!((lanes.read(5), lanes.read(0)), (0x1023, 0x1023), "popped");
        lanes.write(11, control(0, 0, 7) | SIGNED);
        lanes.write(0, 0x80);
        assert_eq!(lanes.read(8), 0x1000 - 0x80);
    }

    #[test]
    fn one_blends_and_the_other_clamps() {
        let mut blends = Interpolator::new(true);
        for (register, value) in [
            (2, 100),
            (3, 200),
            (11, BLEND | control(0, 0, 31)),
            (12, control(0, 0, 31)),
            (1, 128),
        ] {
            blends.write(register, value);
        }
        assert_eq!((blends.read(8), blends.read(9)), (128, 150));
        let mut clamps = Interpolator::new(false);
        for (register, value) in [(2, 10), (3, 20), (11, CLAMP | control(0, 0, 31)), (0, 99)] {
            clamps.write(register, value);
        }
        assert_eq!(clamps.read(8), 20);
    }

    /// Registers of the datasheet's table: `FORCE_MSB` has "no effect on the internal 32-bit datapath".
    #[test]
    fn bits_that_are_forced_are_shown_alone_and_each_has_its_mode() {
        let mut lanes = Interpolator::new(true);
        for (register, value) in [(2, 4), (11, control(0, 0, 27) | 2 << 19)] {
            lanes.write(register, value);
        }
        assert_eq!([lanes.read(5), lanes.read(5)], [0x2000_0004, 0x2000_0008]);
        assert_eq!(lanes.read(0), 8, "what went back into the accumulator");
        let written = |blends: bool| {
            let mut lanes = Interpolator::new(blends);
            lanes.write(11, u32::MAX);
            lanes.write(12, u32::MAX);
            [lanes.read(11) & 0x007f_ffff, lanes.read(12)]
        };
        assert_eq!(
            (written(true), written(false)),
            ([0x3f_ffff, 0x1f_ffff], [0x5f_ffff, 0x1f_ffff])
        );
    }
}
