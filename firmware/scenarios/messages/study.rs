// The measurements of study 004, as its document prints them, and safe: a time by a scalar message, a text by a memory message, the text
// appended piece by piece, and byte by byte as its unsafe way does it.
//
// The text comes back in memory that the asker has all the time: nothing is zeroed, and there is no heap.
//
// On RV32 the processes' code follows the kernel's fast way: a cache of one way has room for both only if they do not share places.

use mainspring::process::{Cx, Error, Incoming, Message, Process, Text};

const ELAPSED_MS: usize = 0;
const GET_VERSION: usize = 1;
const GET_VERSION_BY_BYTES: usize = 2;
const SEMVER: &str = "v0.9.11-152-g277d014f";
const TIMESTAMP: &str = "Wed, 18 Jan 2023 19:19:24 +0800";

struct Client {
    version: Shared,
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
fn get_version<'a>(cx: &mut Cx<Client>, id: usize, buffer: &'a mut Shared) -> Result<Option<&'a str>, Error> {
    let [len, ..] = cx.lend_mut::<Ticktimer, _>(id, [0; 3], buffer)?;
    Ok(buffer.text(len))
}

impl Process for Client {
    type Processes = System;

    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: code among code.
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
            let version = get_version(&mut cx, GET_VERSION, &mut self.version);
            mark::<4>();
            check(version);
        }
        for _ in times() {
            mark::<5>();
            let version = get_version(&mut cx, GET_VERSION_BY_BYTES, &mut self.version);
            mark::<6>();
            check(version);
        }
        exit()
    }
}

fn check(version: Result<Option<&str>, Error>) {
    match version {
        Ok(Some(text)) if text.starts_with(SEMVER) && text.ends_with(TIMESTAMP) => {}
        _ => fail(),
    }
}

struct Ticktimer;

impl Process for Ticktimer {
    type Processes = System;

    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: code among code.
    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| match request.incoming {
            Incoming::Call if request.message.id == ELAPSED_MS => {
                let time = elapsed();
                [time as usize, (time >> 32) as usize, 0, 0, 0]
            }
            Incoming::LentMut(memory) if request.message.id == GET_VERSION => {
                let mut text = Text::new(memory);
                let _ = text.push_str(SEMVER);
                let _ = text.push_str("\n");
                let _ = text.push_str(TIMESTAMP);
                [text.len(), 0, 0, 0, 0]
            }
            Incoming::LentMut(memory) if request.message.id == GET_VERSION_BY_BYTES => {
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
