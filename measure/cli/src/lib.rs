//! What the program `cyclescope` does, for it and for tests and fuzzing.

pub mod diagnostic;
pub mod nearest;
pub mod spec;
pub mod watch;
