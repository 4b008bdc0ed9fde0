//! Every cycle tried: an interrupt's process comes between two others that exchange messages.

#![no_std]
#![no_main]

use messages_cortex_m::{Chip, exit, fail};

const BELOW: u16 = 1;
const ABOVE: u16 = 2;

type Shared = mainspring::process::Buffer<128>;
const CLIENT: usize = 1024;
const SMALL: usize = 512;

include!("../../../sweep.rs");

fn begins() {}

#[cortex_m_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
