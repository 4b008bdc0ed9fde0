//! Lines that come in byte by byte go out again.
//!
//! The receiver is urgent and short: it takes the byte and posts it. The echo collects bytes in a buffer of its own
//! and sends a line when it is complete. A byte that finds the inbox full is counted, not waited for.
//!
//! The wire is the simulator's standard input: `printf 'hello\nworld\n' | cargo run`.

#![no_std]
#![no_main]

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_semihosting::{hprint, hprintln, nr, syscall1};
use mainspring::{Context, Handles, Init, Main, Post, Read, Receive, Run, Write};
use rt as _;

/// The interrupts of the chip that have a task here, as a device crate names them.
enum Interrupt {
    /// An interrupt that no peripheral of this board uses.
    IRQ9 = 9,
}

/// The chip.
struct Chip;

// SAFETY: the board has one core, and four priority bits at the least; the vector table of `rt` has these names in these
// places; nothing else here writes BASEPRI.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
    const OWNS_BASEPRI: bool = true;
}

mainspring::app! {
    /// The application.
    struct UartEcho;
    device = Chip;

    resources {
        /// Bytes for which there was no room.
        Lost: u32 = 0;
    }
    tasks {
        Receiver = Receiver, on SysTick, priority 2, uses (Post<Echo>, Write<Lost>);
        Echo = Echo { line: [0; 32], length: 0 }, on IRQ9, priority 1, uses Read<Lost>, inbox [Byte; 16];
    }
}

/// The bytes that come over the wire.
enum Byte {
    /// A byte.
    Data(u8),
    /// The other end is gone.
    End,
}

/// Takes a byte when there is one, ten times as often as one can come at 9600 baud.
struct Receiver;

impl Run for Receiver {
    fn run(&mut self, cx: Context<Self>, (mut echo, mut lost): Handles<Self>) {
        let byte = read().map_or(Byte::End, Byte::Data);
        if cx.post(&mut echo, byte).is_err() {
            *cx.get(&mut lost) += 1;
        }
    }
}

/// Collects a line, and sends it.
struct Echo {
    line: [u8; 32],
    length: usize,
}

impl Receive for Echo {
    fn receive(&mut self, byte: Byte, mut cx: Context<Self>, lost: Handles<Self>) {
        match byte {
            Byte::Data(b'\n') => self.send(),
            Byte::Data(byte) => self.collect(byte),
            Byte::End => {
                let lost = cx.lock(&lost, |lost, _| *lost);
                hprintln!("({} lost)", lost);
                rt::exit()
            }
        }
    }
}

impl Echo {
    fn collect(&mut self, byte: u8) {
        if self.length == self.line.len() {
            self.send();
        }
        self.line[self.length] = byte;
        self.length += 1;
    }

    fn send(&mut self) {
        let line = &self.line[..self.length];
        for part in line.utf8_chunks() {
            hprint!("{}", part.valid());
        }
        hprintln!("");
        self.length = 0;
    }
}

impl Main for UartEcho {
    fn init(_: Init<Self>) {
        let mut core = cortex_m::Peripherals::take().expect("taken once");
        core.SYST.set_clock_source(SystClkSource::Core);
        core.SYST.set_reload(832 - 1); // 8 MHz / 9600 baud, a bit's time
        core.SYST.clear_current();
        core.SYST.enable_counter();
        core.SYST.enable_interrupt();
    }
}

/// The next byte on the wire; `None` when nothing will come any more.
fn read() -> Option<u8> {
    // SAFETY: SYS_READC takes no parameter and touches no memory.
    let byte = unsafe { syscall1(nr::READC, 0) };
    u8::try_from(byte).ok()
}
