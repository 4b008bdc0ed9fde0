//! Nothing leaks: each process fills its memory and its registers with words that begin with its own tag, and the host looks into the
//! registers whenever one of them goes on; a spy reads all memory there is, word by word, and dies at each that it may not.

#![no_std]
#![no_main]

use core::arch::asm;

use mainspring::process::{Buffer, Cx, Error, Frame, Incoming, Message, Process};
use messages_rv32::{Chip, exit, fail};

/// Where the spy looks: the memory that all data is in. A VexRiscv's protection goes by steps of 128 bytes.
const FROM: usize = 0x1000_0000;
const TO: usize = 0x1000_8000;
const STEP: usize = 128;

mainspring::processes! {
    /// A victim and its server, and a spy whose server says where to look.
    struct System;
    chip = Chip;
    processes {
        Victim = Victim { buffer: Buffer::new(), frame: None }, priority 2, memory 2048, calls (Server), frame 128;
        Server = Server { kept: 0xbbbb_0000 }, priority 3, memory 512, calls ();
        Guide = Guide { next: FROM, looked: 0, seen: 0 }, priority 4, memory 512, calls ();
        Spy = Spy { kept: 0xcccc_0000 }, priority 1, memory 512, calls (Guide, Server, Victim);
    }
}

/// Fills every register that is neither the message's nor the stack's, and calls.
macro_rules! painted {
    ($tag:literal, $operation:literal, $connection:literal, $words:expr) => {{
        let [mut a, mut b, mut c, mut d, mut e, mut f] = $words;
        // SAFETY: as the kernel's own call, but that registers are filled before.
        unsafe {
            asm!(
                "li t0, {tag}", "mv t1, t0", "mv t2, t0", "mv t3, t0", "mv t4, t0", "mv t5, t0", "mv t6, t0",
                "mv s2, t0", "mv s3, t0", "mv s4, t0", "mv s5, t0", "mv s6, t0", "mv s7, t0", "mv s8, t0",
                "mv s9, t0", "mv s10, t0", "mv s11, t0", "mv gp, t0", "mv tp, t0",
                "lla ra, 2f", "ecall", "2:",
                tag = const $tag,
                inlateout("a0") a, inlateout("a1") b, inlateout("a2") c, inlateout("a3") d, inlateout("a4") e,
                inlateout("a5") f, inlateout("a6") 4 * $connection => _, inlateout("a7") $operation => _,
                out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _, out("t5") _,
                out("t6") _, out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _, out("s7") _,
                out("s8") _, out("s9") _, out("s10") _, out("s11") _,
            );
        }
        [a, b, c, d, e, f]
    }};
}

struct Victim {
    buffer: Buffer<128>,
    frame: Option<Frame>,
}

impl Process for Victim {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        for word in self.buffer.chunks_exact_mut(4) {
            word.copy_from_slice(&0xaaaa_5555_u32.to_le_bytes());
        }
        self.frame = cx.take_frame();
        cx.serve(|cx, _| {
            if painted!(0xaaaa_0001_u32, 0, 0, [0; 6])[5] != 0 {
                fail();
            }
            let _ = cx.lend::<Server, _>(0, [0; 3], &self.buffer);
            let _ = cx.lend_mut::<Server, _>(0, [0; 3], &mut self.buffer);
            if let Some(mut given) = self.frame.take() {
                given.fill(0xaa);
                // Its server dies of this one, and the frame comes back.
                self.frame = match cx.give::<Server>(7, [0; 3], given) {
                    Err((Error::Died, Some(frame))) if frame.iter().all(|&byte| byte == 0) => Some(frame),
                    _ => fail(),
                };
            }
            if painted!(0xaaaa_0002_u32, 0, 0, [0, 0, 0, 0, 0, 7])[5] != 1 {
                fail();
            }
            [0; 5]
        })
    }
}

struct Server {
    kept: usize,
}

impl Process for Server {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        self.kept += 1;
        let secret = self.kept;
        cx.serve(|_, request| {
            if request.message.id == 7 {
                // SAFETY: not at all: nobody may write there, which is the point.
                unsafe { core::ptr::write_volatile(0x40 as *mut usize, secret) };
            }
            if let Incoming::LentMut(memory) = request.incoming {
                memory[0] ^= 1;
            }
            [1, 2, 3, 4, 5]
        })
    }
}

/// Says where to look next, and hears what was seen.
struct Guide {
    next: usize,
    looked: usize,
    seen: usize,
}

impl Process for Guide {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| {
            let Message { id, words } = request.message;
            match id {
                // The spy asks where to look.
                2 => {
                    if self.next >= TO {
                        // Its own memory it may see: 512 bytes, and nothing else.
                        if self.seen == 512 / STEP && self.looked == (TO - FROM) / STEP {
                            exit();
                        }
                        fail();
                    }
                    let place = self.next;
                    self.next += STEP;
                    self.looked += 1;
                    [place, 0, 0, 0, 0]
                }
                // It lives, and says what it saw there.
                3 => {
                    self.seen += 1;
                    if words[0] >> 16 != 0xcccc && words[0] >> 16 != 0 && words[0] < FROM {
                        fail();
                    }
                    [0; 5]
                }
                _ => [0; 5],
            }
        })
    }
}

struct Spy {
    kept: usize,
}

impl Process for Spy {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        loop {
            let _ = cx.send::<Victim>(Message::default());
            let _ = painted!(0xcccc_0001_u32, 0, 1, [self.kept; 6]);
            let Ok([place, ..]) = cx.call::<Guide>(Message { id: 2, words: [0; 5] }) else {
                fail()
            };
            // SAFETY: whatever is there, this process's own or not at all to be read.
            let word = unsafe { core::ptr::read_volatile(place as *const usize) };
            let _ = cx.call::<Guide>(Message {
                id: 3,
                words: [word, 0, 0, 0, 0],
            });
        }
    }
}

#[riscv_rt::entry]
fn main() -> ! {
    mainspring::process::start::<System>()
}
