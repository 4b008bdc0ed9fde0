//! Bus priority with several memories.

use super::*;
use crate::timing::fetch::BusWait;

const PRIVATE: u8 = bus::Profile::PRIVATE.area;
const SRAM: u32 = 0x2000_0000;

/// An instruction of 32 bits, and its run-time facts.
type One = (Class, u8, RuntimeFacts);

fn load(area: u8, wait: Cycle) -> One {
    let facts = RuntimeFacts {
        wait,
        area,
        ..RuntimeFacts::default()
    };
    (Class::Load, 1, facts)
}

const PLAIN: One = (
    Class::Data,
    0,
    RuntimeFacts {
        skipped: false,
        aside: None,
        taken: false,
        raises: false,
        wait: 0,
        grant: 0,
        held: 0,
        unbuffered: false,
        flash: None,
        extra_transfers: 0,
        contends: false,
        operand_cycles: 0,
        area: 0,
        io_port: false,
        fetched_by: RuleSet::EMPTY,
        memories: RuleSet::EMPTY,
    },
);

/// A word at an odd address in this area.
fn unaligned(class: Class, area: u8) -> One {
    let facts = RuntimeFacts {
        extra_transfers: 2,
        contends: area == bus::area(SRAM),
        area,
        ..RuntimeFacts::default()
    };
    (class, 1, facts)
}

/// The duration of the last of these in code at `from`, and the pipeline after it.
fn last(from: u32, path: Path, all: &[One]) -> (Cycle, PipelineState, Option<Jump>) {
    let supply = &mut Supply::immediate();
    let model = Model::of(CoreKind::CORTEX_M3);
    let mut pipe = PipelineState::refilled(from, Jump::at(0), path);
    let (mut took, mut jump) = (0, None);
    for (index, (class, words, facts)) in all.iter().enumerate() {
        let shape = Shape {
            size: 4,
            ..shape(*class, from + 4 * index as u32, *words)
        };
        let timing = step(&mut pipe, model, &shape, facts, supply);
        (took, jump) = (timing.free - timing.start, timing.jump);
    }
    (took, pipe, jump)
}

/// CC2650 and CC2652, published with `CMEmu` (`ldr_str_timing`, `ldr_two_memories`).
#[test]
fn what_waits_for_another_bus_makes_room_whatever_the_load_before_it_waits_for() {
    let fifth_word = |wait| {
        let store = (Class::Store, 1, load(2, 0).2);
        let (_, mut pipe, _) = last(0x100, Path::default(), &[load(0, wait), store]);
        pipe.fetch.ready(0x110, 4, &mut Supply::immediate())
    };
    assert_eq!(fifth_word(3), fifth_word(0));
}

/// `tbb_tbh_after_ldr`: the first load has its data late, so that the next ones meet a fetch.
#[test]
fn an_unaligned_load_that_waits_for_its_bus_begins_where_it_leaves_decode() {
    let before = [PLAIN, load(0, 2), load(PRIVATE, 0), load(PRIVATE, 0)];
    for area in [0, bus::area(SRAM)] {
        let takes = |between: &[One]| {
            let all = [&before, between, &[unaligned(Class::Load, area)]].concat();
            last(SRAM, OVER_SYSTEM_BUS, &all).0
        };
        assert_eq!(takes(&[]), 4, "in area {area}");
        assert_eq!(takes(&[PLAIN]), 5, "in area {area}");
    }
}

/// The target waits for a fetch whose address was given before the first cycle of the load of its table.
#[test]
fn behind_an_unaligned_table_what_was_asked_for_in_time_is_fetched() {
    let target = |between: &[One]| {
        let supply = &mut Supply::immediate();
        let before = [PLAIN, load(0, 2), load(PRIVATE, 0), load(PRIVATE, 0)];
        let all = [&before, between, &[unaligned(Class::TableBranch, 0)]].concat();
        let (_, mut pipe, jump) = last(SRAM, OVER_SYSTEM_BUS, &all);
        let jump = jump.unwrap();
        pipe.jump(SRAM + 0x200, jump, OVER_SYSTEM_BUS, supply);
        pipe.fetch.ready(SRAM + 0x200, 4, supply) - jump.request
    };
    assert_eq!((target(&[]), target(&[PLAIN])), (3, 4));
}

/// `ldr_ldm_ldmdb_ldrd_deps`: a word of code in SRAM takes 2 cycles, even one whose fetch is repeated.
#[test]
fn a_fetch_over_the_system_bus_is_in_vain_a_cycle_later() {
    let register = RegSet::EMPTY.with(Reg::LR);
    let seventh_word = |address, model: Model| {
        let supply = &mut Supply::immediate();
        let mut pipe = PipelineState::refilled(SRAM, Jump::at(0), OVER_SYSTEM_BUS);
        let at = |offset, size, class, words| Shape {
            size,
            ..shape(class, SRAM + offset, words)
        };
        let sum = Shape {
            writes: register,
            late: register,
            ..at(12, 2, Class::Data, 0)
        };
        let dependent = Shape {
            address,
            ..at(14, 4, Class::LoadDouble, 2)
        };
        let before = [
            (0, Class::Load, 1),
            (4, Class::Data, 0),
            (8, Class::LoadDouble, 2),
        ]
        .map(|(offset, class, words)| at(offset, 4, class, words));
        for shape in before.iter().chain([&sum, &dependent]) {
            step(&mut pipe, model, shape, &RuntimeFacts::default(), supply);
        }
        pipe.fetch.ready(SRAM + 24, 4, supply)
    };
    let model = Model::of(CoreKind::CORTEX_M3);
    let usual = seventh_word(RegSet::EMPTY, model);
    assert_eq!(seventh_word(register, model.without(Rule::FetchInVain)), usual);
    assert_eq!(seventh_word(register, model), usual + 2);
}

/// CC2650, published with `CMEmu` (`mov_str_imm_deps`).
#[test]
fn a_write_takes_the_address_of_the_fetch_that_it_holds_up() {
    let data = |held_up: bool| {
        let supply = &mut Supply::immediate();
        let mut fetch = Fetch::refill(0x100, 0, Path { wait: 2, held: 0 });
        if held_up {
            fetch.deny(3, supply);
        } else {
            fetch.block(3, supply);
        }
        fetch.idle_from(5, BusWait::No, supply)
    };
    // Both have the second word fetched from cycle 4 to 6; data wants the bus in cycle 5.
    assert_eq!((data(false), data(true)), (7, 10));
}

/// CC2650, published with `CMEmu` (`str_reg_pipelining`).
#[test]
fn a_jump_takes_no_fetch_over_whose_address_a_write_has_taken() {
    let next = |held_up: bool| {
        let supply = &mut Supply::immediate();
        let mut fetch = Fetch::refill(0x100, 0, Path::default());
        if held_up {
            fetch.deny(1, supply);
        } else {
            fetch.block(1, supply);
        }
        fetch.leave(2, true, Some(0x41), supply);
        fetch.next_word()
    };
    assert_eq!((next(false), next(true)), (0x41, 0x42));
}

/// Of one whose address a write takes in the jump's own cycle the jump does not know yet: it takes it over.
#[test]
fn a_jump_takes_a_fetch_over_whose_address_a_write_takes_only_then() {
    let next = |at| {
        let supply = &mut Supply::immediate();
        let mut fetch = Fetch::refill(0x100, 0, Path::default());
        fetch.block(1, supply);
        fetch.deny(2, supply);
        fetch.leave(at, true, Some(0x41), supply);
        fetch.next_word()
    };
    assert_eq!((next(2), next(3)), (0x41, 0x42));
}

/// The write buffer takes what a store waits for, also a fetch that its data phase holds up.
#[test]
fn a_store_that_holds_up_a_fetch_is_over_when_the_write_buffer_has_it() {
    let with = Model::of(CoreKind::CORTEX_M3);
    let store = |model: Model, count: u32| {
        let facts = RuntimeFacts {
            contends: true,
            ..load(bus::area(SRAM), 0).2
        };
        let mut pipe = PipelineState::refilled(SRAM, Jump::at(0), OVER_SYSTEM_BUS);
        for index in 0..count {
            let data = shape(Class::Data, SRAM + 2 * index, 0);
            step(
                &mut pipe,
                model,
                &data,
                &RuntimeFacts::default(),
                &mut Supply::immediate(),
            );
        }
        let store = shape(Class::Store, SRAM + 2 * count, 1);
        let timing = step(&mut pipe, model, &store, &facts, &mut Supply::immediate());
        (
            timing.rules.contains(Rule::WriteBehindFetch),
            timing.free - timing.start,
        )
    };
    for count in 0..8 {
        let (holds_up, cycles) = store(with, count);
        assert!(holds_up, "{count}");
        let without = store(with.without(Rule::WriteBehindFetch), count);
        assert_eq!(without, (false, cycles), "{count}");
    }
}
