//! The scenarios as a user of Mainspring writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

#[path = "../../common.rs"]
mod common;
pub use common::*;

pub mod pool;
pub mod sweep;
