//! What no timing program can show: memories that no board of theirs has.

use super::step;
use crate::timing::pipe::{Jump, Met, Pipe};
use crate::timing::shape::{Class, Shape};
use crate::timing::supply::Supply;
use crate::timing::{CoreKind, Cycle, Model, Path};

fn shape(class: Class, pc: u32, words: u8) -> Shape {
    Shape {
        class,
        words,
        ..Shape::undecodable(pc, 2)
    }
}

/// What an instruction takes on an M4 that stands still before it.
fn cycles(shape: &Shape, met: &Met, model: Model) -> Cycle {
    let mut pipe = Pipe::refilled(shape.pc, Jump::at(0), Path::default());
    let timing = step(&mut pipe, model, shape, met, &mut Supply::at_once());
    timing.free - timing.start
}

#[test]
fn a_ram_may_take_longer_for_several_words() {
    let (model, slow) = (
        Model::of(CoreKind::CortexM4F),
        Met {
            multiple: 1,
            ..Met::default()
        },
    );
    let multiple = shape(Class::LoadMultiple, 0x100, 4);
    assert_eq!(cycles(&multiple, &Met::default(), model), 5);
    assert_eq!(cycles(&multiple, &slow, model), 6);
}

#[test]
fn a_store_of_several_words_ends_when_its_memory_is_ready_again() {
    let turns = Met {
        turn_around: 1,
        ..Met::default()
    };
    let model = Model::of(CoreKind::CortexM4F);
    let several = |class, words| cycles(&shape(class, 0x100, words), &turns, model);
    assert_eq!(several(Class::StoreDouble, 2), 4);
    assert_eq!(several(Class::StoreMultiple, 4), 6);
    assert_eq!(several(Class::StoreMultiple, 1), 2);
    assert_eq!(several(Class::Store, 1), 1);
}

#[test]
fn wait_states_of_a_store_are_hidden_only_while_writes_are_buffered() {
    let model = Model::of(CoreKind::CortexM3);
    let store = shape(Class::Store, 0x100, 1);
    let slow = Met {
        wait: 3,
        area: 2,
        ..Met::default()
    };
    assert_eq!(cycles(&store, &slow, model), 1);
    assert_eq!(
        cycles(
            &store,
            &Met {
                unbuffered: true,
                ..slow
            },
            model
        ),
        4
    );
}

/// Four 16-bit instructions stand in two words; the fetch of the third word is under way when a load wants the bus.
#[test]
fn data_waits_for_a_fetch_with_wait_states_on_its_bus() {
    let path = Path { wait: 2, held: 0 };
    let access = |contends: bool| {
        let mut pipe = Pipe::refilled(0x100, Jump::at(0), path);
        let met = Met {
            contends,
            ..Met::default()
        };
        let load = shape(Class::Load, 0x100, 1);
        let timing = step(
            &mut pipe,
            Model::of(CoreKind::CortexM3),
            &load,
            &met,
            &mut Supply::at_once(),
        );
        timing.access - timing.start
    };
    // The fetch that is under way ends two cycles later, and the next one has been waiting for that.
    assert_eq!((access(false), access(true)), (0, 4));
}
