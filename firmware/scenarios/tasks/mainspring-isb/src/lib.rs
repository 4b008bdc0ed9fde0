//! Mainspring with an ISB behind each section; what the scenarios share is in `../common.rs`.

#![no_std]

#[path = "../../common.rs"]
mod common;
pub use common::*;
