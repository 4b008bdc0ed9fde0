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
fn an_idle_ram_may_have_to_be_granted() {
    let (model, slow) = (
        Model::of(CoreKind::CortexM4F),
        Met {
            grant: 1,
            ..Met::default()
        },
    );
    let multiple = shape(Class::LoadMultiple, 0x100, 4);
    assert_eq!(cycles(&multiple, &Met::default(), model), 5);
    assert_eq!(cycles(&multiple, &slow, model), 6);
    let load = shape(Class::Load, 0x100, 1);
    assert_eq!(cycles(&load, &slow, model), 3);
}

/// What one instruction behind the other takes from a RAM that has to be granted.
fn in_a_row(classes: &[(Class, u8)]) -> Cycle {
    let met = Met {
        grant: 1,
        area: 2,
        ..Met::default()
    };
    let mut pipe = Pipe::refilled(0x100, Jump::at(0), Path::default());
    let start = pipe.free();
    for (index, &(class, words)) in classes.iter().enumerate() {
        let shape = shape(class, 0x100 + 2 * index as u32, words);
        let model = Model::of(CoreKind::CortexM4F);
        step(&mut pipe, model, &shape, &met, &mut Supply::at_once());
    }
    pipe.free() - start
}

/// As published of an STM32F407 with its stack in SRAM2: str, ldr 5; ldr, mov 4; ldr, nop 3; str, str, ldm of two 7.
#[test]
fn a_granted_ram_stays_granted_to_what_follows_at_once() {
    let (load, store, alu) = ((Class::Load, 1), (Class::Store, 1), (Class::Data, 0));
    assert_eq!(in_a_row(&[store, load]), 5);
    assert_eq!(in_a_row(&[load, alu]), 4);
    assert_eq!(in_a_row(&[load, (Class::Nop, 0)]), 3);
    assert_eq!(in_a_row(&[load, load]), 4);
    assert_eq!(in_a_row(&[load, alu, load]), 7);
    assert_eq!(in_a_row(&[store, store]), 2);
    assert_eq!(in_a_row(&[store, store, (Class::LoadMultiple, 2)]), 7);
    assert_eq!(in_a_row(&[store, load, alu, store, load]), 11);
}

#[test]
fn a_store_of_several_words_waits_until_its_memory_is_granted() {
    let turns = Met {
        grant: 1,
        ..Met::default()
    };
    let model = Model::of(CoreKind::CortexM4F);
    let several = |class, words| cycles(&shape(class, 0x100, words), &turns, model);
    assert_eq!(several(Class::StoreDouble, 2), 4);
    assert_eq!(several(Class::StoreMultiple, 4), 6);
    assert_eq!(several(Class::StoreMultiple, 1), 3);
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
