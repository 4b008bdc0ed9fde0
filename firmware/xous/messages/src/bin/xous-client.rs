//! The client: asks for the time and for the version, again and again, and ends the run.

// A name must not come twice, and does not: the functions that have one are never inlined.
#![allow(named_asm_labels)]

use std::cell::UnsafeCell;
use std::hint::black_box;

use core::arch::asm;

use xous::{MemoryAddress, MemoryFlags, MemoryRange, MemorySize, Message, CID};
use xous_api_ticktimer::Ticktimer;
use xous_messages::{GET_VERSION_BY_HAND, SERVER, TIMESTAMP, VERSION};

/// How often each message is sent.
const ROUNDS: usize = 20;

/// Where the board has the way out of a run: no part of the chip.
const PORTS: usize = 0xfff0_0000;

/// A page of one's own to lend, which is cleared once.
#[repr(C, align(4096))]
struct Page([u8; 4096]);

struct ByHand {
    server: CID,
    page: Box<UnsafeCell<Page>>,
}

fn main() -> ! {
    let timer = Ticktimer::new().expect("the server");
    let server = xous::connect(xous::SID::from_bytes(SERVER).expect("an address")).expect("the server");
    let by_hand = ByHand {
        server,
        page: Box::new(UnsafeCell::new(Page([0; 4096]))),
    };
    let expected = format!("{VERSION}\n{TIMESTAMP}");
    let mut right = true;
    for _ in 0..ROUNDS {
        black_box(scalar_message(&timer));
    }
    for _ in 0..ROUNDS {
        right &= memory_message(&timer) == expected;
    }
    for _ in 0..ROUNDS {
        right &= memory_message_by_hand(&by_hand) == expected;
    }
    end(if right { 0 } else { 1 })
}

/// Names the place in the code that follows; whatever comes before is done there.
macro_rules! place {
    ($name:literal) => {
        // Sound: there is no instruction.
        unsafe { asm!(concat!(".globl ", $name, "\n", $name, ":")) }
    };
}

/// A round trip of a blocking scalar message.
#[inline(never)]
fn scalar_message(timer: &Ticktimer) -> u64 {
    place!("scalar_begins");
    let time = timer.elapsed_ms();
    place!("scalar_ends");
    time
}

/// A round trip of a page that is lent, as Xous's library does it.
#[inline(never)]
fn memory_message(timer: &Ticktimer) -> String {
    place!("memory_begins");
    let text = timer.get_version();
    place!("memory_ends");
    text
}

/// The same by hand: the page is always the same, and its contents matter to no one.
#[inline(never)]
fn memory_message_by_hand(by_hand: &ByHand) -> String {
    place!("by_hand_begins");
    let page = by_hand.page.get();
    // Sound: the range is one page that outlives the call, and no other code reads it meanwhile.
    let range = unsafe { MemoryRange::new(page as usize, size_of::<Page>()) }.expect("a range");
    let message = Message::new_lend_mut(
        GET_VERSION_BY_HAND,
        range,
        None,
        MemorySize::new(size_of::<Page>()),
    );
    let answer = xous::send_message(by_hand.server, message).expect("an answer");
    let xous::Result::MemoryReturned(_, Some(valid)) = answer else {
        panic!("another answer: {answer:?}");
    };
    // Sound: the page is the client's again.
    let text = unsafe { (&(*page).0)[..valid.get()].to_owned() };
    let text = String::from_utf8(text).expect("text");
    place!("by_hand_ends");
    text
}

fn end(code: u32) -> ! {
    let ports = xous::syscall::map_memory(
        MemoryAddress::new(PORTS),
        None,
        4096,
        MemoryFlags::R | MemoryFlags::W,
    );
    let ports = ports.expect("the ports").as_mut_ptr().cast::<u32>();
    // Sound: it is mapped, and a word there ends the run.
    unsafe { ports.write_volatile(code) };
    loop {}
}
