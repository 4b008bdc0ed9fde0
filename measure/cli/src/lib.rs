//! What the program `cyclescope` does, for it and for tests and fuzzing.
//!
//! A [spec](spec) names points. [`resolve`] finds them in an image, [`watch`] looks for them while [`session`] runs the
//! program, and [`measure`] makes rows of what the spans gathered. [`commands`] is the command line around that.

pub mod backend;
pub mod batch;
pub mod commands;
pub mod diagnostic;
mod difference;
pub mod ended;
pub mod measure;
pub mod nearest;
mod reference;
pub mod resolve;
pub mod session;
pub mod spec;
pub mod trace;
pub mod watch;
