//! A buffer in RAM as `EasyDMA` (nRF52840 PS 4.7) walks it: where it is, its length, how much of it was done.

/// The ports of a device that has it. The board says what it reaches: Data RAM alone; a pointer elsewhere "may result in a `HardFault` or RAM
/// corruption" (the note at PTR of each peripheral).
pub(super) const EASY_DMA: &[&str] = &[""];

/// PTR, MAXCNT and AMOUNT, and the transfer under way.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Buffer {
    pointer: u32,
    length: u32,
    /// The amount of the last transfer, until a byte of the next one is done.
    amount: u32,
    fresh: bool,
    at: u32,
    left: u32,
}

impl Buffer {
    /// Begins with it as it is set now.
    pub(super) fn start(&mut self) {
        (self.at, self.left, self.fresh) = (self.pointer, self.length, true);
        if self.length == 0 {
            self.end();
        }
    }

    /// The address of the next byte, as long as there is one.
    pub(super) fn next(&self) -> Option<u32> {
        (self.left > 0).then_some(self.at)
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    /// The next byte was transferred.
    pub(super) fn done(&mut self) {
        self.at = self.at.wrapping_add(1);
        self.left = self.left.saturating_sub(1);
        self.amount = if std::mem::take(&mut self.fresh) {
            1
        } else {
            self.amount + 1
        };
    }

    /// Ends the buffer before its length is reached.
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.fresh) {
            self.amount = 0;
        }
    }

    pub(super) fn read(&self, place: usize) -> u32 {
        [self.pointer, self.length, self.amount, 0][place]
    }

    pub(super) fn write(&mut self, place: usize, value: u32) {
        match place {
            0 => self.pointer = value,
            1 => self.length = value & 0xffff,
            _ => {}
        }
    }
}
