//! Why a run stops.

use bus::{End, ResetCause};

/// Why a run stopped. `N` is what a family of cores says of something that it does not model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop<N> {
    /// The cycle to run until is reached.
    Cycle,
    /// A semihosting request of the program. The host answers it, and the run continues after it.
    Semihosting,
    /// The program ended itself through a device, with this exit code.
    Exit(u32),
    /// The chip is reset, by a device or by the program.
    Reset(ResetCause),
    /// Nothing that is scheduled can ever change what the core does: it sleeps, or executes one instruction for ever.
    Forever,
    /// The core locked up: a fault where no fault can be taken. Only of a Cortex-M.
    LockUp,
    /// A sink asked for it; the run can go on.
    Paused,
    /// An unmodelled feature. PC is the instruction that uses it.
    NotModelled(N),
}

impl<N> From<End> for Stop<N> {
    fn from(end: End) -> Self {
        match end {
            End::Exit(code) => Stop::Exit(code),
            End::Reset(cause) => Stop::Reset(cause),
        }
    }
}

impl<N> Stop<N> {
    /// Maps the unmodelled feature.
    pub fn map<M>(self, what: impl FnOnce(N) -> M) -> Stop<M> {
        match self {
            Stop::Cycle => Stop::Cycle,
            Stop::Semihosting => Stop::Semihosting,
            Stop::Exit(code) => Stop::Exit(code),
            Stop::Reset(cause) => Stop::Reset(cause),
            Stop::Forever => Stop::Forever,
            Stop::LockUp => Stop::LockUp,
            Stop::Paused => Stop::Paused,
            Stop::NotModelled(not_modelled) => Stop::NotModelled(what(not_modelled)),
        }
    }
}
