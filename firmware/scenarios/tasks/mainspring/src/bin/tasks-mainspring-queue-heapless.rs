//! As `tasks-mainspring-queue`, with heapless' queue and pool of `Arc`s.

#![no_std]
#![no_main]

use heapless::pool::arc::{Arc, ArcBlock};
use heapless::pool::object::ObjectBlock;
use heapless::spsc::{Consumer, Producer, Queue};
use mainspring::{Context, Handles, Idle, Init, Initials, Main, Run};
use tasks_mainspring::{Chip, exit, fail, input, mark, output};

heapless::arc_pool!(Heap: u32);
heapless::object_pool!(Objects: u32);

mainspring::app! {
    struct Scenario;
    device = Chip;
    tasks {
        T1, on GPIOA, priority 1;
        T2, on GPIOB, priority 1;
        T3 = T3, on GPIOC, priority 1;
        T4 = T4, on GPIOD, priority 1;
    }
}

struct T1(Producer<'static, u32>);
struct T2(Consumer<'static, u32>);
struct T3;
struct T4;

impl Run for T1 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        let value = input();
        mark();
        let taken = self.0.enqueue(value);
        mark();
        if taken.is_err() {
            fail()
        }
    }
}

impl Run for T2 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        mark();
        let value = self.0.dequeue();
        mark();
        match value {
            Some(value) => output(value),
            None => fail(),
        }
    }
}

impl Run for T3 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        let Ok(first): Result<Arc<Heap>, _> = Heap.alloc(input()) else {
            fail()
        };
        mark();
        let second = first.clone();
        mark();
        drop(first);
        mark();
        output(*second);
        mark();
        drop(second);
        mark();
    }
}

impl Run for T4 {
    fn run(&mut self, _: Context<Self>, _: Handles<Self>) {
        drop(Objects.request());
        mark();
        let object = Objects.request();
        mark();
        match &object {
            Some(object) => output(**object),
            None => fail(),
        }
        mark();
        drop(object);
        mark();
    }
}

impl Main for Scenario {
    fn init(mut cx: Init<Self>) -> Initials<Self> {
        static mut BLOCKS: [ArcBlock<u32>; 4] = [const { ArcBlock::new() }; 4];
        static mut OBJECTS: [ObjectBlock<u32>; 4] = [const { ObjectBlock::new(0) }; 4];
        static mut QUEUE: Queue<u32, 9> = Queue::new();
        // SAFETY: `init` runs once.
        let blocks = unsafe { &mut *core::ptr::addr_of_mut!(BLOCKS) };
        for block in blocks {
            Heap.manage(block);
        }
        // SAFETY: as above.
        let objects = unsafe { &mut *core::ptr::addr_of_mut!(OBJECTS) };
        for object in objects {
            Objects.manage(object);
        }
        cx.pend::<T1>();
        cx.pend::<T2>();
        cx.pend::<T3>();
        cx.pend::<T4>();
        // SAFETY: as above.
        let (producer, consumer) = unsafe { &mut *core::ptr::addr_of_mut!(QUEUE) }.split();
        Initials::<Self> {
            T1: T1(producer),
            T2: T2(consumer),
        }
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        exit()
    }
}
