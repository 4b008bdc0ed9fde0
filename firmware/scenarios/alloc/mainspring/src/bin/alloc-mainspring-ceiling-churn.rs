//! The operations of Mainspring's pool under a resource's ceiling, in a long mix.

#![no_std]
#![no_main]

use common::churn::run as measure;

include!("../ceiling.rs");
