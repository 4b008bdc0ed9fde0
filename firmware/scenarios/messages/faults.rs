// What a process does wrong stops it alone, the same text on every core: one that reads, writes and jumps to wherever it is told to, and
// worse; one that tells it to, and hears each time that it died; one whose memory must stay as it is.

use mainspring::process::{Cx, Error, Message, Process, stop};

const READ: usize = 0;
const WRITE: usize = 1;
const JUMP: usize = 2;
const ILLEGAL: usize = 3;
const STACK: usize = 4;
const STOP: usize = 5;
const COUNT: usize = 6;
/// Calls itself for ever.
const RECURSE: usize = 7;
/// Asks the kernel with its stack at a place.
const ASK_AT: usize = 8;

/// More than an exception pushes.
const NEAR: usize = 128;

struct Client;

impl Process for Client {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        let mut ask = |id: usize, place: usize| {
            cx.call::<Wrong>(Message {
                id,
                words: [place, 0, 0, 0, 0],
            })
        };
        let mut seen = 0;
        for place in (RAM..RAM + SPAN).step_by(STEP) {
            match ask(READ, place) {
                Ok(_) => seen += 1,
                Err(Error::Died) if ask(WRITE, place) == Err(Error::Died) => {}
                Err(_) => fail(),
            }
        }
        // Only its own memory.
        if seen != SMALL / STEP {
            fail();
        }
        for id in [JUMP, ILLEGAL, STACK, STOP, RECURSE] {
            if ask(id, RAM + 4) != Err(Error::Died) {
                fail();
            }
        }
        // Where its memory begins and ends, there is just room for what an exception pushes, or not quite. It comes back, or dies.
        let first = (RAM..RAM + SPAN).step_by(STEP).find(|&place| ask(READ, place).is_ok());
        let first = first.unwrap_or_else(|| fail());
        for end in [first, first + SMALL] {
            for place in (end - NEAR..=end + NEAR).step_by(4) {
                if !matches!(ask(ASK_AT, place), Ok(_) | Err(Error::Died)) {
                    fail();
                }
            }
        }
        if ask(STOP, 0) != Err(Error::Died) {
            fail();
        }
        // It began anew each time.
        if ask(COUNT, 0) != Ok([6, 0, 0, 0, 0]) || ask(COUNT, 0) != Ok([7, 0, 0, 0, 0]) {
            fail();
        }
        if cx.call::<Victim>(Message::default()) != Ok([48, 0, 0, 0, 0]) {
            fail();
        }
        exit()
    }
}

struct Wrong {
    kept: usize,
    /// The first memory that a stack overflow would overwrite.
    near: [usize; 8],
}

impl Wrong {
    /// Until there is no stack any more; nothing was lost by then.
    #[inline(never)]
    fn deeper(&self, depth: usize) -> usize {
        if core::hint::black_box(&self.near).iter().any(|&word| word != 7) {
            fail();
        }
        if core::hint::black_box(false) {
            return depth;
        }
        self.deeper(depth + 1) + core::hint::black_box(depth)
    }
}

impl Process for Wrong {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| {
            let place = request.message.words[0];
            match request.message.id {
                // SAFETY: none of these is: that is what they are for.
                READ => [unsafe { core::ptr::read_volatile(place as *const usize) }, 0, 0, 0, 0],
                WRITE => {
                    unsafe { core::ptr::write_volatile(place as *mut usize, 0xbad) };
                    [0; 5]
                }
                JUMP => {
                    let there: extern "C" fn() = unsafe { core::mem::transmute(place | THUMB) };
                    there();
                    [0; 5]
                }
                ILLEGAL => {
                    illegal();
                    [0; 5]
                }
                STACK => {
                    lose_stack();
                    [0; 5]
                }
                STOP => stop(),
                RECURSE => [self.deeper(0), 0, 0, 0, 0],
                ASK_AT => {
                    ask_at(place);
                    [0; 5]
                }
                COUNT => {
                    self.kept += 1;
                    [self.kept, 0, 0, 0, 0]
                }
                _ => [0; 5],
            }
        })
    }
}

struct Victim {
    own: [u32; 48],
}

impl Process for Victim {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, _| [self.own.iter().filter(|&&word| word == 0x600d_600d).count(), 0, 0, 0, 0])
    }
}

mainspring::processes! {
    /// One that goes wrong, and two that do not.
    struct System;
    chip = Chip;
    processes {
        Client = Client, priority 1, memory BIG, calls (Wrong, Victim);
        Wrong = Wrong { kept: 5, near: [7; 8] }, priority 3, memory SMALL, calls ();
        Victim = Victim { own: [0x600d_600d; 48] }, priority 2, memory SMALL, calls ();
    }
}
