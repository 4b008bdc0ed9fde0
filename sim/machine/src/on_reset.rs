//! What a user chooses for resets of the chip.

/// How a run continues after a reset of the chip.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnReset {
    /// The program restarts, as on a chip: memory and the reset cause are kept. It restarts at most ten times, so that a program that
    /// always resets ends.
    #[default]
    Restart,
    /// The run ends.
    Stop,
}
