// A frame that goes to a server and comes back, the same text on every core.
//
// On RV32 the processes' code follows the kernel's fast way: a cache of one way has room for both only if they do not share places.

use mainspring::process::{Answer, Cx, Frame, Incoming, Message, Process};

/// Gives, and gets back.
pub struct Client;

impl Process for Client {
    type Processes = System;

    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: code among code.
    fn run(&mut self, mut cx: Cx<Self>) -> ! {
        let Some(mut frame) = cx.take_frame() else { fail() };
        for turn in times() {
            frame = there_and_back(&mut cx, frame, turn as u8);
        }
        for _ in times() {
            mark::<3>();
            let answer = cx.call::<Server>(Message::default());
            mark::<4>();
            if answer.is_err() {
                fail();
            }
        }
        exit()
    }
}

/// Not inlined, so that its marks are there once.
#[inline(never)]
#[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: code among code.
fn there_and_back(cx: &mut Cx<Client>, mut frame: Frame, turn: u8) -> Frame {
    frame[0] = turn;
    mark::<1>();
    let answer = cx.give::<Server>(0, [0; 3], frame);
    mark::<2>();
    let Ok((_, Some(back))) = answer else { fail() };
    if back[0] != turn + 1 {
        fail();
    }
    back
}

/// Adds one.
pub struct Server;

impl Process for Server {
    type Processes = System;

    #[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".trap.process"))] // SAFETY: code among code.
    fn run(&mut self, cx: Cx<Self>) -> ! {
        cx.serve(|_, request| match request.incoming {
            Incoming::Given(mut frame) => {
                frame[0] += 1;
                Answer {
                    words: [0; 5],
                    frame: Some(frame),
                }
            }
            _ => [0; 5].into(),
        })
    }
}
