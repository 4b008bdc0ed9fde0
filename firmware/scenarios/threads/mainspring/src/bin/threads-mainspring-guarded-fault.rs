//! A fault that is no stack's, in an application with guards: it goes to the default handler.

#![no_std]
#![no_main]

use common::{exit, fail};
use mainspring::{Context, Handles, Idle, Init, Main};
use threads_mainspring::Chip;

mainspring::app! {
    struct Scenario;
    device = Chip;
    guard = _stack_end;
    tasks {}
}

#[cortex_m_rt::exception]
unsafe fn DefaultHandler(number: i16) {
    if number == -13 { exit() } else { fail() }
}

impl Main for Scenario {
    fn init(_: Init<Self>) {}

    fn idle(_: Context<Idle<Self>>, (): Handles<Idle<Self>>) -> ! {
        // SAFETY: it faults, which is what is wanted.
        unsafe { core::arch::asm!("udf #0") };
        fail()
    }
}
