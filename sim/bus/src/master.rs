//! Devices that are bus masters: DMA.
//!
//! A transfer begins in the cycle of its request, and takes one cycle plus the wait states of its access. The core waits if it accesses the
//! same memory meanwhile ([`Bus::held`]): the master has priority. A block without a pace of its own ([`Device::pace`]) makes its transfers
//! back to back. The board says what each port of a master reaches ([`Reach`]); a transfer elsewhere is a bus error. The turns of an
//! arbiter and the bridges of peripherals are not modelled (mark D).
//!
//! [`Device::pace`]: crate::Device::pace

use std::sync::Arc;

use crate::region::WaitStates;
use crate::{Bus, BusError, Memory, SuggestedStub};

/// A transfer that a device makes as a master.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Reads 1, 2 or 4 bytes.
    Read {
        /// A multiple of `size`.
        address: u32,
        /// In bytes.
        size: u32,
    },
    /// Writes 1, 2 or 4 bytes.
    Write {
        /// A multiple of `size`.
        address: u32,
        /// In bytes.
        size: u32,
        /// The bytes, lowest first.
        value: u32,
    },
}

impl Request {
    fn address(self) -> u32 {
        match self {
            Request::Read { address, .. } | Request::Write { address, .. } => address,
        }
    }

    /// Cycles that it takes.
    fn takes(self, wait: WaitStates) -> u64 {
        1 + u64::from(match self {
            Request::Read { .. } => wait.read,
            Request::Write { .. } => wait.write,
        })
    }
}

/// The part of the bus matrix that a master's port reaches.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reach {
    /// The first addresses of the memories.
    pub memories: Vec<u32>,
    /// Address ranges without memory: the first address and the length of each; `None` for everywhere.
    pub peripherals: Option<Vec<(u32, u32)>>,
    /// A transfer elsewhere stops the run, since the manual leaves it open; otherwise it is a bus error.
    pub stops: bool,
}

impl Reach {
    fn reaches_peripheral(&self, address: u32) -> bool {
        let inside = |&(base, size): &(u32, u32)| address.wrapping_sub(base) < size;
        self.peripherals
            .as_ref()
            .is_none_or(|ranges| ranges.iter().any(inside))
    }
}

/// Transfers that one device makes in one cycle: more than any block has; what is left is made when it is polled next.
const MOST: usize = 1 << 18;

/// The slaves that masters' transfers occupy.
#[derive(Clone, Default, Debug)]
pub(crate) struct BusHolds {
    memories: Vec<BusHold>,
    /// Until then accesses to memory ask whether it is held; 0 if they need not.
    until: u64,
}

/// A memory, by its first address, in the cycles from `from` to the one before `until`.
#[derive(Clone, Copy, Debug)]
struct BusHold {
    base: u32,
    from: u64,
    until: u64,
}

impl BusHolds {
    /// When to look whether it is over, if something is held.
    pub(crate) fn ends(&self) -> Option<u64> {
        (self.until != 0).then_some(self.until)
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.until != 0
    }
}

impl Bus {
    /// Makes the transfers that those devices want which were polled.
    pub(crate) fn serve_masters(&mut self, now: u64) {
        for place in 0..self.polled.len() {
            let index = self.polled[place];
            for _ in 0..MOST {
                if self.devices[index].free > now {
                    break;
                }
                let Some(request) = self.devices[index].device.request(now) else {
                    break;
                };
                let (takes, answer) = if self.reaches(index, request.address()) {
                    (self.hold(request, now), self.serve(index, request, now))
                } else {
                    (1, None)
                };
                let mapped = &mut self.devices[index];
                mapped.device.answered(answer, now);
                if let Some(pace) = mapped.device.pace() {
                    mapped.free = now + takes + u64::from(pace);
                }
                mapped.touch();
                self.pending_polls.add(index);
            }
        }
    }

    /// Takes the memory that a transfer is about to access; the cycles for which.
    fn hold(&mut self, request: Request, now: u64) -> u64 {
        let Some(memory) = self.find_memory(request.address(), 1) else {
            let device = self.find_device(request.address());
            let wait = device.map(|index| self.devices[index].region.wait);
            return request.takes(wait.unwrap_or_default());
        };
        let (base, takes) = (memory.region().base, request.takes(memory.region().wait));
        let until = now + takes;
        let was_asked = self.holds.is_asked();
        self.holds.memories.retain(|hold| hold.until > now);
        self.holds.memories.push(BusHold {
            base,
            from: now,
            until,
        });
        // A little longer, so that not every transfer of a stretch switches it on and off.
        self.holds.until = self.holds.until.max(until + LINGERS);
        if !was_asked {
            self.guard_memories();
        }
        takes
    }

    /// Whether an access to memory has to ask if it is held.
    #[inline]
    pub fn is_contended(&self) -> bool {
        self.holds.is_asked()
    }

    /// Cycles that an access to memory in cycle `at` waits for a master. Every poll until then must have been made.
    pub fn held(&self, address: u32, at: u64) -> u32 {
        let Some(memory) = self.find_memory(address, 1) else {
            return 0;
        };
        let base = memory.region().base;
        let holds = self.holds.memories.iter();
        let held = holds.filter(|hold| hold.base == base && hold.from <= at && at < hold.until);
        held.map(|hold| (hold.until - at) as u32).max().unwrap_or(0)
    }

    /// Takes note that what was held is no more.
    pub(crate) fn release(&mut self, now: u64) {
        if self.holds.is_asked() && self.holds.until <= now {
            self.holds = BusHolds::default();
            self.guard_memories();
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
                instead: SuggestedStub::At(address),
            },
            Err(BusError::NotModelled {
                region,
                what,
                instead: SuggestedStub::ThereToo,
            }) => BusError::NotModelled {
                region,
                what,
                instead: SuggestedStub::At(address),
            },
            Err(error) => error,
        };
        self.refused.get_or_insert(error);
        None
    }

    /// Sets the reach of a master's port; the default is everything. An unknown device or port is ignored.
    pub fn set_reach(&mut self, master: &str, port: usize, reach: Reach) {
        let mut devices = self.devices.iter_mut();
        let named = devices.find(|mapped| *mapped.region.name == *master);
        if let Some(mapped) = named.filter(|mapped| port < mapped.device.master_ports().len()) {
            let ports = mapped.reach.len().max(port + 1);
            mapped.reach.resize(ports, None);
            mapped.reach[port] = Some(Arc::new(reach));
        }
    }

    /// Whether the master's current port reaches an address; if not, reports it, or stops the run where the manual leaves the result open.
    fn reaches(&mut self, master: usize, address: u32) -> bool {
        let mapped = &self.devices[master];
        let port = mapped.device.requested_port();
        let Some(reach) = mapped.reach.get(port).cloned().flatten() else {
            return true;
        };
        let memory = self.find_memory(address, 1).map(Memory::region);
        let reached = match memory {
            Some(memory) => reach.memories.contains(&memory.base),
            None => reach.reaches_peripheral(address),
        };
        if reached {
            return true;
        }
        let place = memory.map_or(String::new(), |memory| format!(", in `{}`", memory.name));
        let port = mapped
            .device
            .master_ports()
            .get(port)
            .filter(|name| !name.is_empty());
        let port = port.map_or("it".to_owned(), |name| format!("its {name} port"));
        let region = mapped.region.name.clone();
        let what = format!("a transfer at {address:#010x}{place}, which {port} does not reach");
        if reach.stops {
            self.refused.get_or_insert(BusError::NotModelled {
                region,
                what: format!("{what}; the manual does not say what it does then").into(),
                instead: SuggestedStub::Nowhere,
            });
        } else if self.devices[master].untold {
            self.devices[master].untold = false;
            self.notes.push((None, format!("{region}: {what}: a bus error")));
        }
        false
    }

    /// Whether a device wrote to memory from which instructions were decoded, since this was asked last.
    pub fn take_code_changed(&mut self) -> bool {
        std::mem::take(&mut self.code_changed)
    }
}

/// Cycles after a transfer during which accesses still check for it.
const LINGERS: u64 = 32;
