//! Arm's tables are exact without wait states, whatever stands where; and each word that is fetched costs its wait states.

use isa_thumb::RegSet;
use proptest::prelude::*;

use crate::cores::CoreKind;
use crate::timing::rule::Rule;
use crate::timing::shape::{Class, Shape};
use crate::timing::state::Timing;
use crate::timing::state::{Jump, PipelineState, RuntimeFacts};
use crate::timing::supply::Supply;
use crate::timing::{self, Cycle, Model, Path, preview};

const PLUS: CoreKind = CoreKind::CORTEX_M0PLUS;

fn shape(class: Class, pc: u32, size: u8, words: u8) -> Shape {
    Shape {
        class,
        size,
        words,
        address: RegSet::EMPTY,
        ..Shape::undecodable(pc, size)
    }
}

/// At once from every memory.
fn step(pipe: &mut PipelineState, model: Model, shape: &Shape, facts: &RuntimeFacts) -> Timing {
    timing::step(pipe, model, shape, facts, &mut Supply::immediate())
}

fn facts(wait: Cycle) -> RuntimeFacts {
    RuntimeFacts {
        skipped: false,
        taken: true,
        raises: false,
        wait,
        flash: None,
        extra_transfers: 0,
        contends: false,
        operand_cycles: 0,
        area: 2,
        io_port: false,
        ..RuntimeFacts::default()
    }
}

/// An instruction, and its cycles by the table of the Cortex-M0+; the Cortex-M0 takes `more`.
#[derive(Clone, Copy, Debug)]
struct Row {
    class: Class,
    size: u8,
    words: u8,
    cycles: Cycle,
    more: Cycle,
}

const fn row(class: Class, size: u8, words: u8, cycles: Cycle, more: Cycle) -> Row {
    Row {
        class,
        size,
        words,
        cycles,
        more,
    }
}

/// DDI 0484C and DDI 0432C, table 3-1 each.
const TABLE: [Row; 13] = [
    row(Class::Data, 2, 0, 1, 0),
    row(Class::Multiply, 2, 0, 1, 0),
    row(Class::Nop, 2, 0, 1, 0),
    row(Class::Wait, 2, 0, 2, 0),
    row(Class::Load, 2, 1, 2, 0),
    row(Class::Store, 2, 1, 2, 0),
    row(Class::LoadMultiple, 2, 5, 6, 0),
    row(Class::StoreMultiple, 2, 8, 9, 0),
    row(Class::MoveFromSpecial, 4, 0, 3, 1),
    row(Class::MoveToSpecial, 4, 0, 3, 1),
    row(Class::MoveToSpecial, 2, 0, 1, 0),
    row(Class::Barrier, 4, 0, 3, 1),
    row(Class::Exceptional, 2, 0, 1, 0),
];

const JUMPS: [Row; 6] = [
    row(Class::Branch, 2, 0, 2, 1),
    row(Class::BranchConditional, 2, 0, 2, 1),
    row(Class::Branch, 4, 0, 3, 1),
    row(Class::BranchLr, 2, 0, 2, 1),
    row(Class::InstructionBarrier, 4, 0, 3, 1),
    row(Class::LoadMultiplePc, 2, 3, 6, 1),
];

fn cycles(row: &Row, core: CoreKind) -> Cycle {
    row.cycles + if core == PLUS { 0 } else { row.more }
}

fn rows() -> impl Strategy<Value = Vec<(Row, Option<(Row, bool)>)>> {
    let jump = proptest::option::weighted(0.2, (proptest::sample::select(&JUMPS[..]), any::<bool>()));
    proptest::collection::vec((proptest::sample::select(&TABLE[..]), jump), 1..40)
}

proptest! {
    /// Straight stretches between jumps to either half of a word.
    #[test]
    fn without_wait_states_the_table_is_exact(rows in rows(), plus in any::<bool>(), odd in any::<bool>()) {
        let core = if plus { PLUS } else { CoreKind::CORTEX_M0 };
        let model = Model::of(core);
        let mut pc = 0x100 + 2 * u32::from(odd);
        let mut pipe = PipelineState::refilled(pc, Jump::at(0), Path::default());
        let mut expected = pipe.free();
        for (row, jump) in rows {
            let shape = shape(row.class, pc, row.size, row.words);
            let ahead = preview(&pipe, model, &shape, 2, false);
            prop_assert_eq!((ahead.start, ahead.access), (expected, expected));
            prop_assert_eq!(step(&mut pipe, model, &shape, &facts(0)).start, expected);
            expected += cycles(&row, core);
            pc += u32::from(row.size);
            if let Some((row, upper)) = jump {
                let shape = self::shape(row.class, pc, row.size, row.words);
                let timing = step(&mut pipe, model, &shape, &facts(0));
                prop_assert_eq!(timing.start, expected);
                expected += cycles(&row, core);
                pc = 0x200 + 2 * u32::from(upper);
                pipe.jump(pc, timing.jump.expect("a jump"), Path::default(), &mut Supply::immediate());
            }
        }
        prop_assert_eq!(pipe.free(), expected);
    }
}

/// Cycles of straight code of 64 instructions at this many wait states of a fetch.
fn straight(core: CoreKind, class: Class, words: u8, wait: Cycle) -> Cycle {
    let mut pipe = PipelineState::refilled(
        0x100,
        Jump::at(0),
        Path {
            wait,
            ..Path::default()
        },
    );
    let from = pipe.free();
    for n in 0..64 {
        step(
            &mut pipe,
            Model::of(core),
            &shape(class, 0x100 + 2 * n, 2, words),
            &facts(0),
        );
    }
    pipe.free() - from
}

#[test]
fn straight_code_pays_the_wait_states_of_each_word() {
    for core in [PLUS, CoreKind::CORTEX_M0] {
        assert_eq!(straight(core, Class::Data, 0, 0), 64);
        // The first word is waited for before the first instruction; the last instruction waits for none.
        assert_eq!(straight(core, Class::Data, 0, 1), 64 + 1 + 31);
        assert_eq!(straight(core, Class::Data, 0, 2), 64 + 2 + 2 * 31);
    }
}

#[test]
fn a_wait_state_of_data_delays_what_follows() {
    let model = Model::of(PLUS);
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
    let load = shape(Class::Load, 0x100, 2, 1);
    let first = step(&mut pipe, model, &load, &facts(3));
    assert_eq!(pipe.free(), first.start + 5);
}

#[test]
fn the_io_port_takes_a_cycle_and_leaves_the_bus_alone() {
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
    let port = RuntimeFacts {
        io_port: true,
        ..facts(0)
    };
    let mut starts = Vec::new();
    for n in 0..4 {
        let store = shape(Class::Store, 0x100 + 2 * n, 2, 1);
        starts.push(step(&mut pipe, Model::of(PLUS), &store, &port).start - 3);
    }
    assert_eq!(starts, [0, 1, 2, 3]);
}

/// Each word is answered in the cycle that asks for it; where there are several, the last one's data takes one more.
#[test]
fn words_of_the_io_port_come_one_a_cycle() {
    let cycles = |words| {
        let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
        let port = RuntimeFacts {
            io_port: true,
            ..facts(0)
        };
        let class = if words == 1 {
            Class::Load
        } else {
            Class::LoadMultiple
        };
        let timing = step(&mut pipe, Model::of(PLUS), &shape(class, 0x100, 2, words), &port);
        timing.free - timing.start
    };
    assert_eq!([1, 2, 3, 8].map(cycles), [1, 3, 4, 9]);
}

#[test]
fn the_slow_multiplier_takes_thirty_two_cycles() {
    let model = Model::of(CoreKind::CORTEX_M0).with_slow_multiplier();
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
    let timing = step(&mut pipe, model, &shape(Class::Multiply, 0x100, 2, 0), &facts(0));
    assert_eq!(timing.free - timing.start, 32);
}

#[test]
fn cycles_that_another_master_holds_the_bus_are_no_wait_states() {
    for core in [CoreKind::CORTEX_M0, PLUS] {
        let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
        let facts = RuntimeFacts { held: 2, ..facts(3) };
        let load = shape(Class::Load, 0x100, 2, 1);
        let costs = step(&mut pipe, Model::of(core), &load, &facts).costs;
        let cycles = |rule: Rule| {
            let mut costs = costs.iter().filter(|cost| cost.rule == rule.into());
            costs.next().map_or(0, |cost| cost.cycles)
        };
        let rules = [Rule::WaitStates, Rule::MasterContention, Rule::Load];
        assert_eq!(rules.map(cycles), [1, 2, 2], "{core:?}");
    }
}
