//! Firmware built with the HALs of real chips, from crates.io: it boots unmodified, and runs at the clock that it sets.
//! See the tests.
