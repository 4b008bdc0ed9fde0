//! Rows with conditions, sections and names, and several on one interrupt.

#![allow(unsafe_code)]

use mainspring::*;

struct Chip;
enum Interrupt {
    TIM2 = 28,
    EXTI0 = 6,
}
// SAFETY: this is compiled, and never run.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 4;
    type Interrupt = Interrupt;
}

app! {
    struct Demo;
    device = Chip;
    guard = _stack_end;
    resources {
        /// Described, and there.
        #[cfg(all())]
        #[unsafe(link_section = ".fast")]
        Speed: u32 = 0;
        Limit: u32;
        Other: u32;
        /// Not there.
        #[cfg(any())]
        Missing: NoSuchType;
    }
    tasks {
        /// In RAM.
        #[unsafe(link_section = ".data.ramfunc")]
        Low = Low, on TIM2, priority 1, uses { speed: Write<Speed>, limit: Read<Limit> };
        Second, behind Low, uses (Write<Speed>, Read<Other>);
        Third = Third, behind Second, inbox [u8; 2];
        #[cfg(any())]
        Gone = Gone, on NoSuchInterrupt, priority 9, uses Write<Missing>;
        #[cfg(all())]
        #[cfg(not(any()))]
        High = High, on EXTI0, priority 2, uses { third: Post<Third>, };
    }
    threads {
        #[cfg(any())]
        Never, priority 1, stack 256;
        #[unsafe(link_section = ".stacks")]
        Always = Always, priority 2, stack 256, uses { limit: Read<Limit> };
    }
    idle uses { limit: Read<Limit> };
}

struct Low;
struct Second(u8);
struct Third;
struct High;
struct Always;

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
        cx.lock((&mut shared.speed, &shared.limit), |(speed, limit), _| *speed = *limit);
    }
}
impl Run for Second {
    fn run(&mut self, mut cx: Context<Self>, (mut speed, other): Handles<Self>) {
        *cx.get(&mut speed) += u32::from(self.0) + cx.lock(&other, |other, _| *other);
    }
}
impl Receive for Third {
    fn receive(&mut self, _: u8, _: Context<Self>, (): Handles<Self>) {}
}
impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut shared: Handles<Self>) {
        let _ = cx.post(&mut shared.third, 1);
    }
}
impl threads::Thread for Always {
    fn run(&mut self, mut cx: Context<Self>, shared: Handles<Self>) {
        let _ = cx.lock(&shared.limit, |limit, _| *limit);
    }
}
impl Main for Demo {
    fn init(_: Init<Self>) -> Initials<Self> {
        Initials::<Self> {
            Other: 1,
            Limit: 2,
            Second: Second(3),
        }
    }

    fn idle(_: Context<Idle<Self>>, Handles::<Idle<Self>> { limit: _limit, .. }: Handles<Idle<Self>>) -> ! {
        loop {}
    }
}

fn main() {}
