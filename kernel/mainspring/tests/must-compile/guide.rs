//! What the pages of the guide show, whole: a test compares each example with what stands here, so that it compiles.

#![allow(unsafe_code, dead_code, non_snake_case, unused_variables, unused_imports)] // Fragments, put together.

mod tasks {
    use mainspring::*;

    mod stm32f1xx {
        pub const NVIC_PRIO_BITS: u8 = 4;
        pub enum Interrupt {
            ADC1_2 = 18,
            TIM2 = 28,
            EXTI4 = 10,
        }
    }
    pub struct Uart;
    #[derive(Clone, Copy)]
    pub struct Line;
    fn adc_value() -> u32 {
        0
    }

    /// The chip, once for each program.
    struct Chip;

    // SAFETY: made from the vendor's description of the chip; nothing else in this program writes BASEPRI.
    unsafe impl Device for Chip {
        const PRIORITY_BITS: u8 = stm32f1xx::NVIC_PRIO_BITS;
        type Interrupt = stm32f1xx::Interrupt;
        const OWNS_BASEPRI: bool = true;
    }

    mainspring::app! {
        struct Pump;
        device = Chip;

        resources {
            Level: u32 = 0;
            Port: Uart;
        }
        tasks {
            Sample = Sample { n: 0 }, on ADC1_2,  priority 3, uses Write<Level>;
            Report,                   on TIM2,    priority 1, uses (Read<Level>, Write<Port>, Post<Log>);
            Log = Log,                on EXTI4,   priority 2, inbox [Line; 8];
            Beep = Beep,              behind Log, uses { port: Write<Port> };
        }
        idle uses Read<Level>;
    }

    struct Sample { n: u32 }

    impl Run for Sample {
        fn run(&mut self, cx: Context<Self>, mut level: Handles<Self>) {
            self.n += 1;
            *cx.get(&mut level) = adc_value();
        }
    }

    struct Report(u32);
    impl Report {
        fn new() -> Self {
            Report(0)
        }
    }
    impl Run for Report {
        fn run(&mut self, mut cx: Context<Self>, (level, mut port, mut log): Handles<Self>) {
            let line = Line;
            let _ = cx.lock((&level, &mut port), |(level, port), _| *level);
            if let Err(Full(line)) = cx.post(&mut log, line) { self.0 += 1 }
        }
    }
    struct Log;
    impl Receive for Log {
        fn receive(&mut self, _: Line, _: Context<Self>, _: Handles<Self>) {}
    }
    struct Beep;
    impl Run for Beep {
        fn run(&mut self, mut cx: Context<Self>, mut shared: Handles<Self>) {
            cx.lock(&mut shared.port, |_, _| ());
        }
    }
    impl Main for Pump {
        fn init(_: Init<Self>) -> Initials<Self> {
            let uart = Uart;
            Initials::<Self> { Port: uart, Report: Report::new() }
        }
    }

    mod locks {
        use super::{Chip, Uart};
        use mainspring::*;

        mainspring::app! {
            struct Locks;
            device = Chip;
            resources {
                Level: u32 = 0;
                Port: Uart = Uart;
            }
            tasks {
                Low = Low, on TIM2, priority 1, uses (Write<Level>, Write<Port>);
                High = High, on EXTI4, priority 2, uses (Write<Level>, Write<Port>);
            }
        }
        struct Low;
        impl Run for Low {
            fn run(&mut self, mut cx: Context<Self>, (mut level, mut port): Handles<Self>) {
                cx.lock(&mut level, |level, cx| *level += 1);
                cx.lock(&level, |level, _| *level);
                cx.lock((&mut level, &mut port), |(level, port), _| *level);
            }
        }
        struct High;
        impl Run for High {
            fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
        }
        impl Main for Locks {
            fn init(_: Init<Self>) {}
        }
    }
}

/// A chip with a few names.
mod chip {
    pub enum Interrupt {
        ADC1_2 = 18,
        TIM2 = 28,
        EXTI0 = 6,
        EXTI1 = 7,
        USART1 = 37,
    }
    pub struct Chip;
    // SAFETY: this is compiled, and never run.
    unsafe impl mainspring::Device for Chip {
        const PRIORITY_BITS: u8 = 4;
        type Interrupt = Interrupt;
    }
}

mod threads {
    use super::chip::Chip;
    use mainspring::threads::{Semaphore, Thread};
    use mainspring::*;

    fn adc_value() -> u32 {
        0
    }
    fn control(_: u32) {}

    mainspring::app! {
        struct Pump;
        device = Chip;
        resources { Level: u32 = 0; }
        tasks {
            Sample = Sample, on ADC1_2, priority 3, uses Write<Level>;
        }
        threads (waking 3, tick 8_000) {
            Control = Control, priority 2, stack 512, uses Write<Level>;
            Report,            priority 1, stack 1024;
        }
    }

    static SAMPLED: Semaphore<Pump> = Semaphore::new(0);

    struct Sample;
    impl Run for Sample {
        fn run(&mut self, mut cx: Context<Self>, mut level: Handles<Self>) {
            *cx.get(&mut level) = adc_value();
            let _ = SAMPLED.give(&mut cx);
        }
    }

    struct Control;
    impl Thread for Control {
        fn run(&mut self, mut cx: Context<Self>, mut level: Handles<Self>) {
            loop {
                SAMPLED.take(&mut cx);
                cx.lock(&mut level, |level, _| control(*level));
            }
        }
    }

    struct Report;
    impl Thread for Report {
        fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
    }
    impl Main for Pump {
        fn init(_: Init<Self>) -> Initials<Self> {
            Initials::<Self> { Report: Report }
        }
    }
}

mod tickless {
    use mainspring::threads::*;
    use mainspring::*;

    struct Chip;
    // SAFETY: nothing here runs on a chip.
    unsafe impl Device for Chip {
        const PRIORITY_BITS: u8 = 4;
        type Interrupt = ();
    }

    struct Systick(());
    impl Systick {
        /// # Safety
        ///
        /// None is needed here.
        const unsafe fn new() -> Self {
            Systick(())
        }
    }
    impl mainspring::time::Clock for Systick {
        type Instant = u64;
        type Duration = u64;
        const LONGEST: u32 = 1 << 24;
        fn count() -> u32 {
            0
        }
        fn wake_after(&mut self, _: u32) {}
    }

    mainspring::app! {
        struct Logger;
        device = Chip;
        tasks {
            Alarm = Alarm, on SysTick, priority 1;
        }
        threads (
            ticked Alarm,
            // SAFETY: nothing else uses SysTick.
            clock (Systick = unsafe { Systick::new() }, tick 8_000)
        ) {
            Sample = Sample, priority 1, stack 512;
        }
    }

    struct Alarm;
    impl Run for Alarm {
        fn run(&mut self, mut cx: Context<Self>, _: Handles<Self>) {
            cx.tick();
        }
    }

    struct Sample;
    impl Thread for Sample {
        fn run(&mut self, mut cx: Context<Self>, _: Handles<Self>) {
            loop {
                cx.sleep(Ticks(10));
            }
        }
    }

    impl Main for Logger {
        fn init(_: Init<Self>) {}
    }
}

mod time {
    use super::chip::Chip;
    use fugit::ExtU64;
    use mainspring::time::{Clock, Timers, TooMany};
    use mainspring::*;

    /// In place of the one that ARMv7-M has.
    struct Cycles<const HZ: u32>;
    impl<const HZ: u32> Cycles<HZ> {
        /// # Safety
        ///
        /// As there.
        const unsafe fn new() -> Self {
            Cycles
        }
    }
    impl<const HZ: u32> Clock for Cycles<HZ> {
        type Instant = fugit::Instant<u64, 1, HZ>;
        type Duration = fugit::Duration<u64, 1, HZ>;
        const LONGEST: u32 = 1 << 23;
        fn count() -> u32 {
            0
        }
        fn wake_after(&mut self, _: u32) {}
    }

    mainspring::app! {
        struct Blinky;
        device = Chip;
        resources {
            Alarms: Timers<Tick, Cycles<8_000_000>, 8> = Timers::new(unsafe { Cycles::new() });
        }
        tasks {
            Tick = Tick, on SysTick, priority 4, uses Write<Alarms>;
            Poll = Poll, on EXTI0, priority 2, uses Write<Alarms>;
        }
    }
    struct Tick;
    impl Run for Tick {
        fn run(&mut self, mut cx: Context<Self>, mut alarms: Handles<Self>) {
            mainspring::time::serve(&mut cx, &mut alarms);
        }
    }
    struct Poll;
    impl Poll {
        fn set(mut cx: Context<Self>, mut alarms: Handles<Self>) -> Result<(), TooMany> {
            let alarm = cx.lock(&mut alarms, |alarms, _| alarms.spawn_after::<Poll>(10.millis()))?;
            cx.lock(&mut alarms, |alarms, _| alarms.cancel(alarm));
            Ok(())
        }
    }
    impl Run for Poll {
        fn run(&mut self, cx: Context<Self>, alarms: Handles<Self>) {
            let _ = Self::set(cx, alarms);
        }
    }
    impl Main for Blinky {
        fn init(_: Init<Self>) {}
    }
}

mod futures {
    use super::chip::Chip;
    use mainspring::future::{Async, Channel, Here};
    use mainspring::*;

    mainspring::pool! { struct Heap; bytes = 256; classes = [64, 128]; }

    mainspring::app! {
        struct Demo;
        device = Chip;
        resources {
            Words: Channel<u32, 4> = Channel::new();
            Sum: u32 = 0;
        }
        tasks {
            Add = Add(Async::new()), on EXTI0, priority 1, uses (Write<Words>, Write<Sum>);
        }
    }

    struct Add(Async<Add, Heap>);

    impl Run for Add {
        fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
            self.0.poll(cx, shared, add);
        }
    }

    async fn add(mut here: Here<'_, Add>) {
        loop {
            let word = here.until(|cx, (words, _), waker| cx.lock(words, |words, _| words.poll_receive(waker))).await;
            here.with(|cx, (_, sum)| cx.lock(sum, |sum, _| *sum += word));
        }
    }

    impl Main for Demo {
        fn init(_: Init<Self>) {}
    }
}

mod peripherals {
    use super::chip::Chip;
    use mainspring::*;

    mod pac {
        pub struct USART1;
        pub struct ADC1;
        pub struct Peripherals {
            pub USART1: USART1,
            pub ADC1: ADC1,
        }
        impl Peripherals {
            pub fn take() -> Option<Self> {
                Some(Peripherals { USART1, ADC1 })
            }
        }
    }
    fn configure(_: &pac::Peripherals) {}

    mainspring::app! {
        struct App;
        device = Chip;
        resources {
            Port: pac::USART1;
        }
        tasks {
            Sample, on ADC1_2, priority 3;
            Log, on USART1, priority 1, uses Write<Port>;
        }
    }

    struct Sample { adc: pac::ADC1 }

    impl Main for App {
        fn init(_: Init<Self>) -> Initials<Self> {
            let Some(device) = pac::Peripherals::take() else { unreachable!() };
            configure(&device);
            Initials::<Self> { Port: device.USART1, Sample: Sample { adc: device.ADC1 }, Log: Log }
        }
    }
    struct Log;
    impl Run for Sample {
        fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
    }
    impl Run for Log {
        fn run(&mut self, _: Context<Self>, _: Handles<Self>) {}
    }
}

mod pool {
    use mainspring::pool::{Box, Exhausted};

    pub struct Sample(u32);

    mainspring::pool! {
        /// What messages are kept in.
        pub struct Heap;
        bytes = 4096;
        classes = [8, 16, 32, 64, 128];
    }

    fn keep(sample: Sample) -> Result<Box<Sample, Heap>, Exhausted<Sample>> {
        Box::new(sample)
    }

    mod key {
        use super::super::chip::Chip;
        use super::Sample;
        use mainspring::pool::{Exhausted, Key};
        use mainspring::*;

        mainspring::pool! {
            pub struct Heap;
            bytes = 128;
            classes = [8];
            sharing = Exclusive;
        }
        mainspring::app! {
            struct Demo;
            device = Chip;
            resources { Memory: Key<Heap>; }
            tasks { Low = Low, on TIM2, priority 1, uses Write<Memory>; }
        }
        struct Low;
        impl Low {
            fn keep(mut cx: Context<Self>, mut memory: Handles<Self>, sample: Sample) -> Result<(), Exhausted<Sample>> {
                let sample = cx.lock(&mut memory, |memory, _| memory.make(sample))?;
                cx.lock(&mut memory, |memory, _| memory.free(sample));
                Ok(())
            }
        }
        impl Run for Low {
            fn run(&mut self, cx: Context<Self>, memory: Handles<Self>) {
                let _ = Self::keep(cx, memory, Sample(1));
            }
        }
        impl Main for Demo {
            fn init(_: Init<Self>) -> Initials<Self> {
                Initials::<Self> { Memory: Key::claim().expect("the first") }
            }
        }
    }
}

mod rv32 {
    struct Chip;

    // SAFETY: the numbers of bits in the core's registers; nothing else in this program writes the masking one, nor `mtvec`.
    unsafe impl mainspring::Device for Chip {
        const PRIORITY_BITS: u8 = 3;
        type Interrupt = Interrupt;
        const LINES: mainspring::Lines = mainspring::Lines::VexRiscv;
    }

    #[repr(u16)]
    enum Interrupt {
        Uart = 0,
        Timer = 1,
        Log = 31,
    }
}

mod behind_a_plic {
    struct Chip;

    // SAFETY: the controller's sources and the core's lines; nothing else in this program writes to the controller, nor `mtvec`.
    unsafe impl mainspring::Device for Chip {
        const PRIORITY_BITS: u8 = 3;
        type Interrupt = Interrupt;
        const LINES: mainspring::Lines = mainspring::Lines::Plic(mainspring::Plic {
            base: 0x0c00_0000,
            context: 0,
            priorities: 7,
        });
    }

    #[repr(u16)]
    enum Interrupt {
        Timer = 7,
        Uart = 32 + 10,
    }
}

mod porting {
    use mainspring::*;

    mod lm3s6965 {
        pub const NVIC_PRIO_BITS: u8 = 3;
        pub enum Interrupt {
            GPIOA = 0,
            GPIOB = 1,
        }
    }
    fn display(_: u32) {}
    fn measure() -> u32 {
        0
    }

    struct Chip;
    // SAFETY: made from the vendor's description of the chip; nothing else in this program writes BASEPRI.
    unsafe impl Device for Chip {
        const PRIORITY_BITS: u8 = lm3s6965::NVIC_PRIO_BITS;
        type Interrupt = lm3s6965::Interrupt;
        const OWNS_BASEPRI: bool = true;
    }

    mainspring::app! {
        struct App;
        device = Chip;
        resources {
            Speed: u32 = 0;
        }
        tasks {
            Show = Show, on GPIOA, priority 1, uses Read<Speed>;
            Sample = Sample { samples: 0 }, on GPIOB, priority 2, uses Write<Speed>;
        }
    }

    struct Show;
    impl Run for Show {
        fn run(&mut self, mut cx: Context<Self>, speed: Handles<Self>) {
            let speed = cx.lock(&speed, |speed, _| *speed);
            display(speed);
        }
    }

    struct Sample { samples: u32 }
    impl Run for Sample {
        fn run(&mut self, cx: Context<Self>, mut speed: Handles<Self>) {
            self.samples += 1;
            *cx.get(&mut speed) = measure();
        }
    }

    impl Main for App {
        fn init(_: Init<Self>) {}
    }
}

fn main() {}
