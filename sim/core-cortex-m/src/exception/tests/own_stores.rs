//! Stores by the core itself are emitted like those of a program.

use events::{Event, Flow, Interest, Ranges, Sink};

use super::running::{load, program};
use crate::core::Core;
use crate::testing::{STACK, at, get, handler, put};

const FOREVER: u16 = 0xe7fe;

/// The writes in a range.
struct Writes(Ranges, Vec<Event>);

impl Sink for Writes {
    fn interest(&self) -> Interest {
        Interest {
            writes: self.0.clone(),
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.1.push(*event);
        Flow::On
    }
}

/// A thread that loops, and an input that interrupts it in cycle 100.
fn interrupted() -> Core {
    let mut core = program(&[FOREVER]);
    put(&mut core, at::NVIC_ISER, 1 << 4);
    for (index, register) in (0..13).zip(&mut core.regs.r) {
        *register = 0x100 + index;
    }
    core.raise_at(100, 20);
    core
}

fn writes(core: &mut Core, ranges: Ranges) -> Vec<(u32, u32, u32, u32)> {
    let mut writes = Writes(ranges, Vec::new());
    core.run(400, &mut writes);
    let write = |event: &Event| match *event {
        Event::Write {
            pc,
            address,
            size: 4,
            value,
            sp,
            ..
        } => (pc, address, value, sp),
        other => panic!("{other:?}"),
    };
    writes.1.iter().map(write).collect()
}

#[test]
fn each_word_of_a_frame_is_a_write_in_the_cycle_of_its_exception() {
    let mut core = interrupted();
    load(&mut core, handler(20), &[FOREVER]);
    let mut events: Vec<Event> = Vec::new();
    core.run(400, &mut events);
    let entered = events
        .iter()
        .position(|event| matches!(event, Event::Enter(_)))
        .unwrap();
    let Event::Enter(enter) = events[entered] else {
        unreachable!()
    };
    let frame = STACK - 32;
    let values = [0x100, 0x101, 0x102, 0x103, 0x10c, u32::MAX, 0x1000, 0x4100_0000];
    let words = (0..).zip(values);
    let told: Vec<_> = words
        .map(|(word, value)| (enter.recognised, 0x1000, frame + 4 * word, 4, value, STACK))
        .collect();
    let written = |event: &Event| match *event {
        Event::Write {
            cycle,
            pc,
            address,
            size,
            value,
            sp,
            ..
        } => (cycle, pc, address, size, value, sp),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        events[entered - 8..entered]
            .iter()
            .map(written)
            .collect::<Vec<_>>(),
        told
    );
    // A sink that asks for two words of the frame receives only these, after memory has them.
    let ranges = Ranges::of([(frame + 20, frame + 27)]);
    let mut core = interrupted();
    load(&mut core, handler(20), &[FOREVER]);
    assert_eq!(
        writes(&mut core, ranges),
        [
            (0x1000, frame + 20, u32::MAX, STACK),
            (0x1000, frame + 24, 0x1000, STACK)
        ]
    );
    assert_eq!(get(&mut core, frame + 20), u32::MAX);
}
