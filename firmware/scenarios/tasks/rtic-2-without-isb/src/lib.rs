//! The scenarios as a user of RTIC 2.3.0, which has no ISB, writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

#[path = "../../common.rs"]
mod common;
pub use common::*;
