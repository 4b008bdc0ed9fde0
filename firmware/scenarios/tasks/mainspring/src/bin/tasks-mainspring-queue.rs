//! A queue between two tasks, and a value with several owners.

#![no_std]
#![no_main]

use mainspring::pool::{Arc, ObjectPool};
use mainspring::queue::{Consumer, Producer, Queue};
use mainspring::{Context, Handles, Idle, Init, Initials, Main, Run};
use tasks_mainspring::{Chip, exit, fail, input, mark, output};

static QUEUE: Queue<u32, 8> = Queue::new();

mainspring::pool! {
    /// For what is shared.
    struct Heap;
    bytes = 128;
    classes = [8];
}

mainspring::object_pool!(Objects: u32, 4, 0);

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

struct T1(Producer<u32, 8>);
struct T2(Consumer<u32, 8>);
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
        let Ok(first) = Arc::<u32, Heap>::new(input()) else {
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
        cx.pend::<T1>();
        cx.pend::<T2>();
        cx.pend::<T3>();
        cx.pend::<T4>();
        match QUEUE.split() {
            Some((producer, consumer)) => Initials::<Self> {
                T1: T1(producer),
                T2: T2(consumer),
            },
            None => fail(),
        }
    }

    fn idle(_: Context<Idle<Self>>, _: Handles<Idle<Self>>) -> ! {
        exit()
    }
}
