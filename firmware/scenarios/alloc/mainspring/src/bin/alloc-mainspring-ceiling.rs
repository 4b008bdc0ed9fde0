//! The operations of Mainspring's pool under a resource's ceiling, one by one.

#![no_std]
#![no_main]

use common::single::run as measure;

include!("../ceiling.rs");
