//! What a spec means, running it, and its results.
//!
//! A [spec](spec) names points. [`resolve`] finds them in an image, [`watch`] looks for them while [`session`] runs the
//! program, and [`measure`] makes rows of what the spans gathered.

pub mod backend;
pub mod batch;
pub mod diagnostic;
mod difference;
pub mod ended;
pub mod measure;
pub mod nearest;
mod reference;
pub mod resolve;
pub mod session;
pub mod spec;
pub mod sweep;
pub mod trace;
pub mod watch;
