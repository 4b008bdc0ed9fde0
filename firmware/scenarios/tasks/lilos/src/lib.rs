//! The scenarios as a user of embassy-executor 0.10.0 writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

use lm3s6965 as _;

#[path = "../../common.rs"]
mod common;
pub use common::*;
