//! Every form that a table can have.

use mainspring::*;

struct Chip;
enum Interrupt {
    TIM2 = 28,
    EXTI0 = 6,
    EXTI1 = 7,
}
// SAFETY: nothing here runs on a chip.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
}

app! {
    /// All of it.
    struct Demo;
    device = Chip;
    resources {
        /// A value from the table.
        Speed: u32 = 0, ceiling 3;
        /// A value from `init`.
        Port: std::cell::Cell<u8>;
        Gain: [i16; 4] = [0; 4];
    }
    tasks {
        Low, on TIM2, priority 1, uses (Write<Speed>, Write<Port>, Read<Gain>, Post<Log>);
        High = High { a: 0, b: 0 }, on EXTI0, priority 3, uses (Write<Speed>, Read<Gain>), enabled false;
        Log = Log, on EXTI1, priority 2, uses Write<Port>, inbox [u8; 4];
        Tick = Tick, on SysTick, priority 16;
    }
    idle uses (Write<Speed>, Write<Gain>, Post<Log>);
}

struct Low(u8);
struct High {
    a: u32,
    b: u32,
}
struct Log;
struct Tick;

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (mut speed, mut port, gain, mut log): Handles<Self>) {
        let sum = cx.lock((&mut speed, &mut port, &gain), |(speed, port, gain), cx| {
            cx.atomic(|_| *speed += 1);
            port.set(*speed as u8);
            gain[0]
        });
        cx.lock(&speed, |speed, cx| {
            assert!(cx.post(&mut log, *speed as u8).is_ok() || sum == 0);
            cx.enable::<High>();
        });
        self.0 += 1;
    }
}
impl Run for High {
    fn run(&mut self, cx: Context<Self>, (mut speed, _): Handles<Self>) {
        core::mem::swap(&mut self.a, &mut self.b);
        *cx.get(&mut speed) += self.a;
        cx.disable::<High>();
    }
}
impl Receive for Log {
    fn receive(&mut self, message: u8, mut cx: Context<Self>, mut port: Handles<Self>) {
        cx.lock(&mut port, |port, _| port.set(message));
    }
}
impl Run for Tick {
    fn run(&mut self, cx: Context<Self>, _: Handles<Self>) {
        cx.pend::<Low>();
    }
}
impl Main for Demo {
    fn init(mut cx: Init<Self>) -> Initials<Self> {
        *cx.get::<Speed>() = 7;
        let _ = cx.post::<Log>(1);
        cx.pend::<Low>();
        Initials::<Self> {
            Port: std::cell::Cell::new(0),
            Low: Low(0),
        }
    }
}

const _: () = assert!(ceiling::<Speed>() == 3 && ceiling::<Port>() == 2);

fn main() {}
