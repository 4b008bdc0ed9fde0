//! What study 004 measured, as its document prints it, and safe: a time by a scalar message, a text by a memory message.
//!
//! The time is the core's own count of cycles, where the study has a counter of milliseconds; the division is the study's. The text comes
//! back in a buffer that the asker has all the time: nothing is zeroed, and there is no heap.

#![no_std]
#![no_main]

use core::arch::asm;

use mainspring::process::{Buffer, Cx, Error, Incoming, Message, Process};
use messages_rv32::{Chip, exit, fail, mark, times};

mainspring::processes! {
    /// The study's client, and its ticktimer.
    struct System;
    chip = Chip;
    processes {
        Client = Client { version: Buffer::new(), last: 0 }, priority 1, memory 2048, calls (Ticktimer);
        Ticktimer = Ticktimer, priority 2, memory 512, calls ();
    }
}

const ELAPSED_MS: usize = 0;
const GET_VERSION: usize = 1;
const TICKS_PER_MS: u64 = 100_000;
const SEMVER: &str = "v0.9.11-152-g277d014f";
const TIMESTAMP: &str = "Wed, 18 Jan 2023 19:19:24 +0800";

struct Client {
    version: Buffer<128>,
    last: u64,
}

#[inline(always)]
fn elapsed_ms(cx: &mut Cx<Client>) -> Result<u64, Error> {
    let message = Message {
        id: ELAPSED_MS,
        words: [0; 5],
    };
    let [low, high, ..] = cx.call::<Ticktimer>(message)?;
    Ok(low as u64 | (high as u64) << 32)
}

#[inline(always)]
fn get_version<'a>(cx: &mut Cx<Client>, buffer: &'a mut Buffer<128>) -> Result<Option<&'a str>, Error> {
    let [len, ..] = cx.lend_mut::<Ticktimer, _>(GET_VERSION, [0; 3], buffer)?;
    Ok(buffer.text(len))
}

impl Process for Client {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        for _ in times() {
            mark::<1>();
            let now = elapsed_ms(&mut cx);
            mark::<2>();
            match now {
                Ok(now) if now >= self.last => self.last = now,
                _ => fail(),
            }
        }
        for _ in times() {
            mark::<3>();
            let version = get_version(&mut cx, &mut self.version);
            mark::<4>();
            match version {
                Ok(Some(text)) if text.starts_with(SEMVER) && text.ends_with(TIMESTAMP) => {}
                _ => fail(),
            }
        }
        exit()
    }
}

struct Ticktimer;

impl Process for Ticktimer {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| match request.incoming {
            Incoming::Call if request.message.id == ELAPSED_MS => {
                let time = raw_ticktime() / TICKS_PER_MS;
                [time as usize, (time >> 32) as usize, 0, 0, 0]
            }
            Incoming::LentMut(memory) if request.message.id == GET_VERSION => {
                let text = SEMVER.bytes().chain([b'\n']).chain(TIMESTAMP.bytes());
                let mut len = 0;
                for (place, byte) in memory.iter_mut().zip(text) {
                    *place = byte;
                    len += 1;
                }
                [len, 0, 0, 0, 0]
            }
            _ => [0; 5],
        })
    }
}

fn raw_ticktime() -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: reading the counters has no effect.
    unsafe { asm!("csrr {}, cycle\n csrr {}, cycleh", out(reg) low, out(reg) high, options(nomem, nostack)) };
    u64::from(low) | u64::from(high) << 32
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
