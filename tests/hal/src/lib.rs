//! Checks that firmware built with real chips' HALs from crates.io boots unmodified and runs at the clock that it sets. All code is in
//! the tests.
