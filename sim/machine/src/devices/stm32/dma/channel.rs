//! Common to channels and streams: transfers items and counts the rest.

use std::collections::VecDeque;

use bus::Request;

/// The ports of a controller whose ends have one each.
pub(super) const PORTS: &[&str] = &["memory", "peripheral"];

/// One end of a transfer.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct End {
    pub(super) address: u32,
    /// The size of an item, in bytes.
    pub(super) size: u32,
    /// Bytes from one item to the next.
    pub(super) step: u32,
}

impl End {
    fn item(&self, index: u32) -> u32 {
        self.address.wrapping_add(index.wrapping_mul(self.step)) & !(self.size - 1)
    }
}

/// How a transfer is made, as it was programmed when it was enabled.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Plan {
    pub(super) from: End,
    pub(super) to: End,
    /// Items, of the size of the peripheral's end.
    pub(super) count: u32,
    /// Whether items of different sizes are packed into each other; if not, each is widened or cut.
    pub(super) packs: bool,
    /// The end whose items are counted is `to`.
    pub(super) counts_to: bool,
    pub(super) circular: bool,
}

/// The result of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Go on.
    Goes,
    /// An item that counts is through; so many are left.
    Item(u32),
    /// A bus error.
    Failed,
}

/// A transfer under way.
#[derive(Clone, Default, Debug)]
pub(super) struct Transfer {
    plan: Plan,
    left: u32,
    read: u32,
    written: u32,
    bytes: VecDeque<u8>,
    reading: Option<u32>,
}

impl Transfer {
    pub(super) fn new(plan: Plan) -> Transfer {
        Transfer {
            left: plan.count,
            plan,
            ..Transfer::default()
        }
    }

    /// Items left.
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    /// Whether what was requested last is a read.
    pub(super) fn reads(&self) -> bool {
        self.reading.is_some()
    }

    /// The next transfer over the bus of the item under way.
    pub(super) fn request(&mut self) -> Request {
        let (from, to) = (self.plan.from, self.plan.to);
        let wanted = if self.plan.packs { to.size } else { from.size };
        let all_read = self.plan.packs && !self.plan.counts_to && self.items_read_all();
        if self.bytes.len() < wanted as usize && !all_read {
            self.reading = Some(from.size);
            return Request::Read {
                address: from.item(self.read),
                size: from.size,
            };
        }
        let size = to.size.min(if self.plan.packs {
            self.bytes.len() as u32
        } else {
            to.size
        });
        let size = if size == 3 { 2 } else { size };
        let bytes = if self.plan.packs { size } else { from.size };
        let value = (0..bytes).fold(0, |value, byte| {
            value | u32::from(self.bytes.pop_front().unwrap_or(0)) << (8 * byte)
        });
        Request::Write {
            address: to.item(self.written) & !(size - 1),
            size,
            value,
        }
    }

    /// With packing from small items to large ones, the last large one may not be full.
    fn items_read_all(&self) -> bool {
        self.read == self.plan.count
    }

    /// Takes the bus's answer.
    pub(super) fn answered(&mut self, value: Option<u32>) -> Step {
        let Some(value) = value else {
            return Step::Failed;
        };
        let counts_to = self.plan.counts_to || !self.plan.packs;
        let counted = if let Some(size) = self.reading.take() {
            self.bytes.extend(&value.to_le_bytes()[..size as usize]);
            self.read += 1;
            !counts_to && self.bytes.len() < self.plan.to.size as usize && !self.items_read_all()
        } else {
            self.written += 1;
            counts_to || self.bytes.is_empty()
        };
        if !counted {
            return Step::Goes;
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 && self.plan.circular {
            *self = Transfer::new(self.plan);
            return Step::Item(0);
        }
        Step::Item(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the whole transfer between two stretches of bytes, and says after which requests an item counted.
    fn run(plan: Plan) -> (Vec<u8>, Vec<u32>) {
        let (mut memory, mut left) = ((0..64).collect::<Vec<u8>>(), Vec::new());
        let mut transfer = Transfer::new(plan);
        for _ in 0..100 {
            let step = match transfer.request() {
                Request::Read { address, size } => {
                    let bytes = &memory[address as usize..][..size as usize];
                    transfer.answered(Some(
                        bytes
                            .iter()
                            .rev()
                            .fold(0, |all, &byte| all << 8 | u32::from(byte)),
                    ))
                }
                Request::Write { address, size, value } => {
                    memory[address as usize..][..size as usize]
                        .copy_from_slice(&value.to_le_bytes()[..size as usize]);
                    transfer.answered(Some(0))
                }
            };
            if let Step::Item(items) = step {
                left.push(items);
                if items == 0 {
                    break;
                }
            }
        }
        (memory[32..].to_vec(), left)
    }

    fn end(address: u32, size: u32) -> End {
        let step = size;
        End { address, size, step }
    }

    #[test]
    fn items_are_copied_widened_and_packed() {
        let plan = |from, to, count, packs, counts_to| Plan {
            from,
            to,
            count,
            packs,
            counts_to,
            circular: false,
        };
        let (memory, left) = run(plan(end(0, 2), end(32, 2), 2, false, false));
        assert_eq!((&memory[..5], left), (&[0, 1, 2, 3, 36][..], vec![1, 0]));
        let (memory, _) = run(plan(end(0, 1), end(32, 4), 2, false, false));
        assert_eq!(memory[..9], [0, 0, 0, 0, 1, 0, 0, 0, 40]);
        let (memory, left) = run(plan(end(0, 1), end(32, 4), 8, true, false));
        assert_eq!((&memory[..9], left.len()), (&[0, 1, 2, 3, 4, 5, 6, 7, 40][..], 8));
        let (memory, left) = run(plan(end(0, 4), end(32, 1), 8, true, true));
        assert_eq!((&memory[..9], left.len()), (&[0, 1, 2, 3, 4, 5, 6, 7, 40][..], 8));
    }
}
