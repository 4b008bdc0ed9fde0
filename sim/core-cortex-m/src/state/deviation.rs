//! How an execution differs from what its block expects.

use bus::ProfileId;

use crate::timing::FlashRead;

/// How an execution differed from the facts that the cost of its block assumes.
///
/// Neutral before each instruction. A handler that returns `Step::Next` has not changed it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct Deviation {
    /// The IT condition failed, so it did nothing.
    pub skipped: bool,
    /// LR, for a branch to LR whose condition failed.
    pub aside: Option<u32>,
    /// Whether it jumped (set by the engine for `Step::Branch`).
    pub taken: bool,
    /// Whether it raised PRIMASK, FAULTMASK or BASEPRI (set by the engine).
    pub raises: bool,
    /// Whether a listener observes one of its accesses. Its cost is as expected.
    pub observed: bool,
    /// Whether it changed how, or with which timing, later accesses are made.
    pub disturbs: bool,
    /// Wait states of its data accesses minus those of the expected memory.
    pub extra_wait: i32,
    /// Of these, wait states for other masters of the bus.
    pub held: u8,
    /// Its transactions so far, while other masters are active.
    pub contended: u8,
    /// Additional bus transactions: an unaligned access is split, a bit-band write reads first.
    pub extra_transactions: u8,
    /// The memory that it accessed, if not the expected one.
    pub profile: Option<ProfileId>,
    /// Its read from a flash that may need wait states.
    pub flash: Option<FlashRead>,
    /// The old value of a divide's destination, because an exception may abandon the divide.
    pub replaced: Option<u32>,
    /// The operands of a divide (dividend, divisor) or long multiply, if they decide its duration.
    pub operands: Option<[u32; 2]>,
    /// The cycles that those operands decide.
    pub cycles: u8,
}

impl Deviation {
    /// No deviation.
    pub(crate) const NONE: Deviation = Deviation {
        skipped: false,
        aside: None,
        taken: false,
        raises: false,
        observed: false,
        disturbs: false,
        extra_wait: 0,
        held: 0,
        contended: 0,
        extra_transactions: 0,
        profile: None,
        flash: None,
        replaced: None,
        operands: None,
        cycles: 0,
    };

    /// Notes a read of `bytes` bytes from flash, contiguous with its earlier reads.
    pub(crate) fn reads_flash(&mut self, address: u32, bytes: u32) {
        let first = self.flash.map_or(address, |read| read.address);
        let bytes = address.wrapping_sub(first) + bytes;
        self.flash = Some(FlashRead {
            address: first,
            bytes,
        });
    }
}
