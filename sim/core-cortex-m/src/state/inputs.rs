//! Scheduled interrupts from outside.

/// The edge of an interrupt input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputEdge {
    pub(crate) exception: u16,
    /// Whether it was emitted; the core sees it later.
    pub(crate) emitted: bool,
}

/// The interrupts to be raised from outside.
#[derive(Clone, Default, Debug)]
pub(crate) struct InputSchedule(pub(crate) exec::Schedule<InputEdge>);

impl InputSchedule {
    /// The next one, and its cycle.
    pub(crate) fn first(&self) -> Option<(u64, u16)> {
        let first = self.0.iter().next();
        first.map(|&(cycle, InputEdge { exception, .. })| (cycle, exception))
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The cycle of the first edge that was not emitted.
    pub(crate) fn next_edge(&self) -> Option<u64> {
        let edge = self.0.iter().find(|(_, edge)| !edge.emitted);
        edge.map(|&(cycle, _)| cycle)
    }

    /// Marks the first edge that was not emitted as emitted, if it comes by cycle `now`.
    pub(crate) fn take_edge(&mut self, now: u64) -> Option<(u64, u16)> {
        let (cycle, edge) = self.0.iter_mut().find(|(_, edge)| !edge.emitted)?;
        if cycle > now {
            return None;
        }
        edge.emitted = true;
        Some((cycle, edge.exception))
    }

    /// Whether this exception is among them.
    pub(crate) fn holds(&self, exception: u16) -> bool {
        self.0.iter().any(|(_, edge)| edge.exception == exception)
    }
}
