//! Every cycle tried: calls that are given up, and a server with two threads.

#![no_std]
#![no_main]

use messages_cortex_m::{OnLine as Chip, exit, fail};

const CANCELS: u16 = 1;
const ABOVE: u16 = 2;

type Shared = mainspring::process::Buffer<128>;
const CLIENT: usize = 2048;
const TEAM: usize = 1024;
const SMALL: usize = 512;

include!("../../../sweep_threads.rs");

fn begins() {}

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
