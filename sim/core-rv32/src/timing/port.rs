//! A Wishbone master, as the harness of the Verilog answers it.

use super::Latency;

/// A Wishbone master.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Port {
    /// A transfer is asked for.
    pub asks: bool,
    /// Cycles that it has waited so far.
    waited: u32,
    /// The transfer goes on with a burst.
    in_burst: bool,
    /// Of the memory that it reaches.
    latency: Latency,
}

impl Port {
    /// A transfer will be asked for from memory of this latency.
    pub(crate) fn aim(&mut self, latency: Latency) {
        self.latency = latency;
    }

    pub(crate) fn acknowledged(self) -> bool {
        let word = u8::from(self.in_burst);
        self.asks && self.waited >= self.latency.word(word)
    }

    /// Whether its request is not acknowledged in this cycle.
    pub(crate) fn is_slow(self) -> bool {
        self.asks && !self.acknowledged()
    }

    /// The end of a cycle; whether a transfer is asked for in the next one, and whether what was acknowledged is followed
    /// by more of its burst.
    pub(crate) fn clock(&mut self, acknowledged: bool, asks: bool, burst_goes_on: bool) {
        self.in_burst = asks
            && (if acknowledged {
                burst_goes_on
            } else {
                self.in_burst
            });
        self.waited = if self.asks && !acknowledged {
            self.waited + 1
        } else {
            0
        };
        self.asks = asks;
    }
}
