// Messages between two in one process, the same text on every core.

use mainspring::process::{Caller, Cx, Local, Message, Port, Process, Serve};

/// Asks a server of its own.
pub struct Client {
    server: Local<Server, 512>,
}

impl Client {
    pub const NEW: Client = Client {
        server: Local::new(Server { asked: 0 }),
    };
}

impl Process for Client {
    type Processes = System;

    fn run(&mut self, _: Cx<Self>) -> ! {
        self.server.start(asks)
    }
}

fn asks(mut server: Caller<'_>) -> ! {
    let words = [input(), input(), input(), input(), input()].map(|word| word as usize);
    for turn in times() {
        mark::<1>();
        let answer = server.call(Message { id: 1, words });
        mark::<2>();
        let [a, b, c, d, _] = words;
        if answer != [a, b, c, d, turn as usize + 1] {
            fail();
        }
    }
    exit()
}

/// Counts.
pub struct Server {
    asked: usize,
}

impl Serve for Server {
    fn run(&mut self, port: Port<'_>) -> ! {
        port.serve(|message| {
            self.asked += message.id;
            let [a, b, c, d, _] = message.words;
            [a, b, c, d, self.asked]
        })
    }
}
