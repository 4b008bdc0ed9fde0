//! The scenarios as a user of RTIC 2.4.0 writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

#[path = "../../common.rs"]
mod common;
pub use common::*;
