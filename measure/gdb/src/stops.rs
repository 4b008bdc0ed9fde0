//! Breakpoints, watchpoints and the sink that stops a run at them.

use events::{Event, Flow, Interest, Pcs, Ranges, Sink};

/// A watched range of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watched {
    /// First address.
    pub address: u32,
    /// Size in bytes, at least 1.
    pub size: u32,
    /// Whether stores stop the program.
    pub writes: bool,
    /// Whether loads stop the program.
    pub reads: bool,
}

impl Watched {
    fn touches(&self, address: u32, size: u32) -> bool {
        let last = |from: u32, size: u32| from.saturating_add(size.max(1) - 1);
        self.address <= last(address, size) && address <= last(self.address, self.size)
    }

    fn range(&self) -> (u32, u32) {
        (self.address, self.address.saturating_add(self.size.max(1) - 1))
    }
}

/// Breakpoints and watchpoints.
#[derive(Clone, Default, Debug)]
pub(crate) struct Points {
    pub(crate) breakpoints: Vec<u32>,
    pub(crate) watched: Vec<Watched>,
}

/// An event sink that stops the run at points.
#[derive(Debug)]
pub(crate) struct Stops {
    points: Points,
    pcs: Pcs,
    /// The address of a BKPT or EBREAK that was reached.
    pub(crate) instruction: Option<u32>,
    pub(crate) access: Option<Access>,
}

/// A watched access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// The watched range that it touched.
    pub(crate) watched: Watched,
    /// The first address of the access within that range.
    pub(crate) address: u32,
    /// The address of the instruction that made it.
    pub(crate) pc: u32,
}

impl Stops {
    pub(crate) fn at(points: &Points) -> Stops {
        Stops {
            points: points.clone(),
            pcs: Pcs::at(points.breakpoints.iter().copied()),
            instruction: None,
            access: None,
        }
    }

    /// Stops only at BKPT and EBREAK.
    pub(crate) fn instructions() -> Stops {
        Stops::at(&Points::default())
    }

    /// Stops at watched accesses, BKPT and EBREAK; a step cannot pass a breakpoint.
    pub(crate) fn stepping(points: &Points) -> Stops {
        Stops::at(&Points {
            breakpoints: Vec::new(),
            watched: points.watched.clone(),
        })
    }

    fn accessed(&mut self, (address, size): (u32, u8), pc: u32, wanted: impl Fn(&Watched) -> bool) -> Flow {
        let hit = |watched: &&Watched| wanted(watched) && watched.touches(address, size.into());
        match self.points.watched.iter().find(hit) {
            None => Flow::On,
            Some(&watched) => {
                self.access = Some(Access {
                    watched,
                    address: address.max(watched.address),
                    pc,
                });
                Flow::Pause
            }
        }
    }
}

impl Sink for Stops {
    fn interest(&self) -> Interest {
        let ranges = |wanted: fn(&&Watched) -> bool| {
            Ranges::of(self.points.watched.iter().filter(wanted).map(Watched::range))
        };
        Interest {
            // Control events report BKPT and EBREAK.
            control: true,
            stops: self.pcs.clone(),
            writes: ranges(|watched| watched.writes),
            reads: ranges(|watched| watched.reads),
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match *event {
            Event::Breakpoint { pc, .. } => {
                self.instruction = Some(pc);
                Flow::Pause
            }
            Event::Write {
                pc, address, size, ..
            } => self.accessed((address, size), pc, |watched| watched.writes),
            Event::Read {
                pc, address, size, ..
            } => self.accessed((address, size), pc, |watched| watched.reads),
            _ => Flow::On,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_touches_a_range_from_its_first_byte_to_its_last() {
        let range = |address, size| Watched {
            address,
            size,
            writes: true,
            reads: false,
        };
        for (address, size, touches) in [
            (0x0f, 1, false),
            (0x10, 1, true),
            (0x13, 1, true),
            (0x14, 1, false),
            (0x0e, 2, false),
            (0x0c, 4, false),
            (0x0d, 4, true),
            (0x12, 4, true),
        ] {
            assert_eq!(
                range(0x10, 4).touches(address, size),
                touches,
                "{address:#x} {size}"
            );
        }
        let last = range(u32::MAX, 1);
        assert!(last.touches(u32::MAX, 1) && last.touches(u32::MAX - 3, 4) && !last.touches(0, 4));
    }
}
