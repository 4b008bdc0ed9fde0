//! FreeRTOS, whose scenarios are in C: `c/scenarios.c`.

#![no_std]

/// The way out, for the scenarios.
#[unsafe(no_mangle)]
pub extern "C" fn scenario_ends() -> ! {
    common::exit()
}

/// The way out where a scenario finds something wrong.
#[unsafe(no_mangle)]
pub extern "C" fn scenario_fails() -> ! {
    common::fail()
}
