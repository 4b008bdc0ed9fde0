// Nothing leaks, the same text on every core: each process fills its memory and its registers with words that begin with its own tag, and
// the host looks into the registers whenever one of them goes on; a spy reads all memory there is, and dies wherever it may not.

use mainspring::process::{Cx, Error, Frame, Incoming, Message, Process};

mainspring::processes! {
    /// A victim and its server, and a spy whose server says where to look.
    struct System;
    chip = Chip;
    processes {
        Victim = Victim { buffer: Shared::new(), frame: None }, priority 2, memory VICTIM, calls (Server), frame FRAME;
        Server = Server { kept: 0xbbbb_0000 }, priority 3, memory SMALL, calls ();
        Guide = Guide { next: RAM, looked: 0, seen: 0 }, priority 4, memory SMALL, calls ();
        Spy = Spy { kept: 0xcccc_0000 }, priority 1, memory SMALL, calls (Guide, Server, Victim);
    }
}

struct Victim {
    buffer: Shared,
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
                // SAFETY: none: no process may write there, which is the point.
                unsafe { core::ptr::write_volatile(CODE as *mut usize, secret) };
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
                    if self.next >= RAM + SPAN {
                        // It may see only its own memory.
                        if self.seen == SMALL / STEP && self.looked == SPAN / STEP {
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
                    if words[0] >> 16 != 0xcccc && words[0] >> 16 != 0 && words[0] < RAM {
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
