//! How exceptions meet the prefetch unit.

use super::*;

/// When the fourth word of code is decoded behind a full prefetch unit, whose first word two instructions leave.
fn fourth_word(beside_frame: bool, model: Model) -> Cycle {
    let supply = &mut Supply::immediate();
    let mut pipe = PipelineState::full(0x100, 100, Path::default(), supply);
    if beside_frame {
        pipe.fill_beside_frame(0, model);
    }
    for pc in [0x100, 0x102] {
        step(
            &mut pipe,
            model,
            &shape(Class::Data, pc, 0),
            &RuntimeFacts::default(),
            supply,
        );
    }
    pipe.fetch.ready(0x10c, 2, supply)
}

/// CC2650, published with `CMEmu` (`it_curse_svc`).
#[test]
fn the_first_word_fetched_beside_a_frame_makes_room_a_cycle_later() {
    let model = Model::of(CoreKind::CORTEX_M3);
    let usual = fourth_word(false, model);
    assert_eq!(fourth_word(true, model), usual + 1);
    assert_eq!(fourth_word(true, model.without(Rule::EntryRoom)), usual);
}

/// CC2650, published with `CMEmu` (`systick_exc` from flash without its line, and with it).
#[test]
fn the_vector_of_an_interrupt_waits_for_a_fetch_that_was_given_in_time() {
    let behind = |stops| {
        let supply = &mut Supply::immediate();
        let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path { wait: 2, held: 0 });
        pipe.yields_since(stops, 2, supply)
    };
    // The first word has the bus until cycle 3; the address of the second one is given in cycle 1.
    assert_eq!([behind(1), behind(2)], [3, 6]);
}
