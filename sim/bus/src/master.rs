//! Devices that are masters of the bus themselves: DMA.
//!
//! A transfer is made in the cycle in which it is asked for, and holds nobody else up (mark D): a core that accesses the same memory in
//! the same cycle would have to wait for it.

use crate::{Bus, BusError};

/// A transfer that a device makes as a master.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// It reads 1, 2 or 4 bytes.
    Read {
        /// A multiple of `size`.
        address: u32,
        /// In bytes.
        size: u32,
    },
    /// It writes them.
    Write {
        /// A multiple of `size`.
        address: u32,
        /// In bytes.
        size: u32,
        /// The bytes, lowest first.
        value: u32,
    },
}

/// Transfers that one device makes in one cycle: more than any block has; what is left is made when it is polled next.
const MOST: usize = 1 << 18;

impl Bus {
    /// Makes the transfers that those devices want which were polled.
    pub(crate) fn serve_masters(&mut self, now: u64) {
        for place in 0..self.polled.len() {
            let index = self.polled[place];
            for _ in 0..MOST {
                let Some(request) = self.devices[index].device.request(now) else {
                    break;
                };
                let answer = self.serve(index, request, now);
                self.devices[index].device.answered(answer, now);
                self.devices[index].touch();
                self.touched = true;
            }
        }
    }

    fn serve(&mut self, master: usize, request: Request, now: u64) -> Option<u32> {
        let (address, answer) = match request {
            Request::Read { address, size } => (address, self.read(address, size, now)),
            Request::Write { address, size, value } => {
                self.code_changed |= self.holds_code(address);
                (address, self.write(address, size, value, now).map(|()| 0))
            }
        };
        let error = match answer {
            Ok(value) => return Some(value),
            Err(BusError::ReadOnly | BusError::Slave) => return None,
            Err(BusError::Unmapped) => BusError::NotModelled {
                region: self.devices[master].region.name.clone(),
                what: format!("a transfer at {address:#010x}, where the board describes nothing").into(),
            },
            Err(error) => error,
        };
        self.refused.get_or_insert(error);
        None
    }

    /// Whether a device wrote to memory from which instructions were decoded, since this was asked last.
    pub fn take_code_changed(&mut self) -> bool {
        std::mem::take(&mut self.code_changed)
    }
}
