//! The DMA request lines of a peripheral, which reports their level changes.

use bus::Effect;

/// Two lines, as most have: one for what comes, one for what goes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Requester {
    lines: [u16; 2],
    told: [bool; 2],
}

impl Requester {
    pub(crate) fn new(lines: [u16; 2]) -> Requester {
        Requester {
            lines,
            told: [false; 2],
        }
    }

    /// The effect of a change to these levels, if any.
    pub(crate) fn tell(&mut self, levels: [bool; 2]) -> Option<Effect> {
        let index = (0..2).find(|&index| self.lines[index] != 0 && levels[index] != self.told[index])?;
        self.told[index] = levels[index];
        let (number, level) = (self.lines[index], levels[index]);
        Some(Effect::Wire { number, level })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_once() {
        let mut requester = Requester::new([3, 0]);
        assert_eq!(requester.tell([false, true]), None);
        let up = Effect::Wire {
            number: 3,
            level: true,
        };
        assert_eq!(
            (requester.tell([true, true]), requester.tell([true, false])),
            (Some(up), None)
        );
    }
}
