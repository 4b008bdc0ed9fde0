//! Runs one timing program of the Cortex-M4: as those of the Cortex-M3, to which these add what only the M4 and its
//! floating-point unit have.

#![no_std]

use timing_m3 as _;
