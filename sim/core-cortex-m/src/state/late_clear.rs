//! Detection of handlers that clear their request just before they return.

/// State of the detection of such handlers.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct LateClear {
    /// The exception whose handler withdrew its own request last, and in which cycle.
    pub(crate) withdrawn: Option<(u16, u64)>,
    /// Whether a note was written.
    pub(crate) noted: bool,
}

impl LateClear {
    /// The state after a reset of the chip.
    pub(crate) fn of_next_life(self) -> LateClear {
        LateClear {
            withdrawn: None,
            ..self
        }
    }
}
