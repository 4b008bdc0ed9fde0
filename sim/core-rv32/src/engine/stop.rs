//! Why a run stops, and who receives breakpoints.

use crate::core::NotModelled;

/// The receiver of an EBREAK outside of semihosting.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Debugger {
    /// None: it traps.
    #[default]
    None,
    /// A debugger, which reads its counters there and continues after it. Like a CSR access, the EBREAK waits until all older instructions
    /// are done.
    Attached,
}

/// Why a run stopped. After [`exec::Stop::Reset`], [`super::Hart::restart`] goes on.
pub type Stop = exec::Stop<NotModelled>;
