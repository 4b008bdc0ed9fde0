// Two that exchange messages, and two whom interrupts start, the same text on every core.
//
// The receiver sees each number once and in order, and what it lends back is what was asked for; each driver asks the receiver
// something whenever its interrupt came.

use mainspring::process::{Cx, Incoming, Message, Process};

struct Client {
    buffer: Shared,
}

impl Process for Client {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        begins();
        for number in 1..4 {
            let words = [number, !number, 0, 0, 0];
            let answer = cx.call::<Server>(Message { id: 1, words });
            if answer != Ok([!number, number, 3, 4, 5]) {
                fail();
            }
            self.buffer[7] = number as u8;
            let answer = cx.lend_mut::<Server, _>(2, [0; 3], &mut self.buffer);
            if answer.is_err() || self.buffer[7] != !number as u8 {
                fail();
            }
        }
        exit()
    }
}

struct Server {
    last: usize,
}

impl Process for Server {
    type Processes = System;

    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| match request.incoming {
            Incoming::LentMut(memory) => {
                memory[7] = !memory[7];
                [0; 5]
            }
            _ if request.message.id == 1 => {
                let [number, check, ..] = request.message.words;
                if check != !number || number != self.last + 1 || request.from != 0 {
                    fail();
                }
                self.last = number;
                [check, number, 3, 4, 5]
            }
            _ => request.message.words,
        })
    }
}

/// Hears of its interrupt, and asks the server something in between.
struct Below {
    heard: usize,
}

impl Process for Below {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        cx.listen();
        cx.serve(|cx, _| {
            self.heard += 1;
            let words = [self.heard; 5];
            if cx.call::<Server>(Message { id: 3, words }) != Ok(words) {
                fail();
            }
            cx.listen();
            [0; 5]
        })
    }
}

/// As above, and more urgent than all.
struct Above;

impl Process for Above {
    type Processes = System;

    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        cx.listen();
        cx.serve(|cx, _| {
            if cx.call::<Server>(Message { id: 4, words: [9; 5] }) != Ok([9; 5]) {
                fail();
            }
            cx.listen();
            [0; 5]
        })
    }
}

mainspring::processes! {
    /// Two that exchange messages, and two that interrupts start.
    struct System;
    chip = Chip;
    processes {
        Client = Client { buffer: Shared::new() }, priority 1, memory CLIENT, calls (Server);
        Server = Server { last: 0 }, priority 2, memory SMALL, calls ();
        Below = Below { heard: 0 }, priority 1, memory SMALL, calls (Server), on BELOW;
        Above = Above, priority 4, memory SMALL, calls (Server), on ABOVE;
    }
}
