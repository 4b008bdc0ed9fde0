//! Cases that no timing program covers: memories that no board in the measurements has.

mod buses;
mod counted;
mod exceptions;
mod jumps;

use isa_thumb::{Reg, RegSet};

use super::{preview, step};
use crate::cores::CoreKind;
use crate::timing::fetch::{Fetch, UntakenTarget};
use crate::timing::rule::{Rule, RuleSet};
use crate::timing::shape::{Class, Shape};
use crate::timing::state::{EarlyRequest, Jump, PipelineState, RequestedFrom, RuntimeFacts};
use crate::timing::supply::Supply;
use crate::timing::{Cycle, Model, OVER_SYSTEM_BUS, Path};

fn shape(class: Class, pc: u32, words: u8) -> Shape {
    Shape {
        class,
        words,
        ..Shape::undecodable(pc, 2)
    }
}

/// The cycles of an instruction on an M4 with an idle pipeline before it.
fn cycles(shape: &Shape, facts: &RuntimeFacts, model: Model) -> Cycle {
    let mut pipe = PipelineState::refilled(shape.pc, Jump::at(0), Path::default());
    let timing = step(&mut pipe, model, shape, facts, &mut Supply::immediate());
    timing.free - timing.start
}

#[test]
fn an_idle_ram_may_have_to_be_granted() {
    let (model, slow) = (
        Model::of(CoreKind::CORTEX_M4F),
        RuntimeFacts {
            grant: 1,
            ..RuntimeFacts::default()
        },
    );
    let multiple = shape(Class::LoadMultiple, 0x100, 4);
    assert_eq!(cycles(&multiple, &RuntimeFacts::default(), model), 5);
    assert_eq!(cycles(&multiple, &slow, model), 6);
    let load = shape(Class::Load, 0x100, 1);
    assert_eq!(cycles(&load, &slow, model), 3);
}

/// The cycles of back-to-back instructions with data in a RAM that has to be granted.
fn in_a_row(classes: &[(Class, u8)]) -> Cycle {
    let facts = RuntimeFacts {
        grant: 1,
        area: 2,
        ..RuntimeFacts::default()
    };
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
    let start = pipe.free();
    for (index, &(class, words)) in classes.iter().enumerate() {
        let shape = shape(class, 0x100 + 2 * index as u32, words);
        let model = Model::of(CoreKind::CORTEX_M4F);
        step(&mut pipe, model, &shape, &facts, &mut Supply::immediate());
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
    let turns = RuntimeFacts {
        grant: 1,
        ..RuntimeFacts::default()
    };
    let model = Model::of(CoreKind::CORTEX_M4F);
    let several = |class, words| cycles(&shape(class, 0x100, words), &turns, model);
    assert_eq!(several(Class::StoreDouble, 2), 4);
    assert_eq!(several(Class::StoreMultiple, 4), 6);
    assert_eq!(several(Class::StoreMultiple, 1), 3);
    assert_eq!(several(Class::Store, 1), 1);
}

#[test]
fn wait_states_of_a_store_are_hidden_only_while_writes_are_buffered() {
    let model = Model::of(CoreKind::CORTEX_M3);
    let store = shape(Class::Store, 0x100, 1);
    let slow = RuntimeFacts {
        wait: 3,
        area: 2,
        ..RuntimeFacts::default()
    };
    assert_eq!(cycles(&store, &slow, model), 1);
    assert_eq!(
        cycles(
            &store,
            &RuntimeFacts {
                unbuffered: true,
                ..slow
            },
            model
        ),
        5
    );
}

/// Four 16-bit instructions stand in two words; the fetch of the third word is under way when a load wants the bus.
#[test]
fn data_waits_for_a_fetch_with_wait_states_on_its_bus() {
    let path = Path { wait: 2, held: 0 };
    let access = |contends: bool| {
        let mut pipe = PipelineState::refilled(0x100, Jump::at(0), path);
        let facts = RuntimeFacts {
            contends,
            ..RuntimeFacts::default()
        };
        let load = shape(Class::Load, 0x100, 1);
        let timing = step(
            &mut pipe,
            Model::of(CoreKind::CORTEX_M3),
            &load,
            &facts,
            &mut Supply::immediate(),
        );
        timing.access - timing.start
    };
    // The fetch that is under way ends two cycles later, and the next one has been waiting for that.
    assert_eq!((access(false), access(true)), (0, 4));
}

/// UMULL of 3 cycles and accumulations of `sums` one behind the other, from a memory in which each word takes `wait` more.
fn sums(sums: u32, wait: Cycle) -> Cycle {
    let high = RegSet::EMPTY.with(Reg(1));
    let product = Shape {
        size: 4,
        late: high,
        ..shape(Class::LongMultiply, 0x100, 0)
    };
    let model = Model::of(CoreKind::CORTEX_M3);
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path { wait, held: 0 });
    let facts = RuntimeFacts {
        operand_cycles: 3,
        ..RuntimeFacts::default()
    };
    let start = step(&mut pipe, model, &product, &facts, &mut Supply::immediate()).start;
    for index in 0..sums {
        let sum = Shape {
            size: 4,
            late: high,
            accumulator: high,
            ..shape(Class::MultiplyAccumulate, 0x104 + 4 * index, 0)
        };
        step(
            &mut pipe,
            model,
            &sum,
            &RuntimeFacts::default(),
            &mut Supply::immediate(),
        );
    }
    pipe.free() - start
}

/// As recorded of a CC2650: 3, 4, 5, 7, 9.
#[test]
fn two_accumulations_begin_in_the_last_cycle_of_what_they_add_to() {
    assert_eq!([0, 1, 2, 3, 4].map(|count| sums(count, 0)), [3, 4, 5, 7, 9]);
}

/// With two wait states the second word comes in the product's last cycle, and the accumulation is decoded then.
#[test]
fn an_accumulation_that_is_decoded_too_late_takes_both_its_cycles() {
    assert_eq!(sums(1, 1), 4);
    assert_eq!(sums(1, 2), 5);
}

/// The first instruction at the target of a branch to LR behind a UMULL of 5 cycles starts so long after that, where it stands
/// across two words that take 2 cycles more each.
fn returns(writes_lr: bool) -> Cycle {
    let lr = RegSet::EMPTY.with(Reg::LR);
    let product = Shape {
        size: 4,
        writes: if writes_lr { lr } else { RegSet::EMPTY },
        ..shape(Class::LongMultiply, 0x100, 0)
    };
    let back = Shape {
        address: lr,
        ..shape(Class::BranchLr, 0x104, 0)
    };
    let (model, path) = (Model::of(CoreKind::CORTEX_M3), Path { wait: 1, held: 0 });
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), path);
    let facts = RuntimeFacts {
        operand_cycles: 12,
        ..RuntimeFacts::default()
    };
    let supply = &mut Supply::immediate();
    let start = step(&mut pipe, model, &product, &facts, supply).start;
    let jump = step(&mut pipe, model, &back, &RuntimeFacts::default(), supply)
        .jump
        .unwrap();
    pipe.jump(0x200, jump, path, supply);
    let target = Shape {
        size: 4,
        ..shape(Class::Data, 0x200, 0)
    };
    step(&mut pipe, model, &target, &RuntimeFacts::default(), supply).start - start
}

/// Behind a product that writes LR it asks when that is there.
#[test]
fn a_branch_to_lr_asks_for_its_target_while_it_waits() {
    assert_eq!((returns(false), returns(true)), (14, 16));
}

/// The fetch of the next word waits for one with wait states when a branch gives its target's address.
#[test]
fn a_jump_takes_over_a_fetch_of_its_target_that_waits() {
    let path = Path { wait: 2, held: 0 };
    let start = |target: u32| {
        let (model, facts) = (Model::of(CoreKind::CORTEX_M3), RuntimeFacts::default());
        let supply = &mut Supply::immediate();
        let mut pipe = PipelineState::refilled(0x100, Jump::at(0), path);
        step(&mut pipe, model, &shape(Class::Data, 0x100, 0), &facts, supply);
        let branch = step(&mut pipe, model, &shape(Class::Branch, 0x102, 0), &facts, supply);
        pipe.jump(target, branch.jump.unwrap(), path, supply);
        step(&mut pipe, model, &shape(Class::Data, target, 0), &facts, supply).start
    };
    assert_eq!(start(0x200) - start(0x108), 3);
}

/// Where instructions and data come over the code bus from memory with so many wait states.
fn over_the_code_bus(wait: Cycle, shapes: &[Shape]) -> Cycle {
    let path = Path { wait, held: 0 };
    let supply = &mut Supply::immediate();
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), path);
    let model = Model::of(CoreKind::CORTEX_M3).with_unbuffered_writes();
    let facts = RuntimeFacts {
        contends: true,
        unbuffered: true,
        ..RuntimeFacts::default()
    };
    let mut access = 0;
    for (index, shape) in shapes.iter().enumerate() {
        let shape = Shape {
            pc: 0x100 + 4 * index as u32,
            size: 4,
            ..*shape
        };
        access = step(&mut pipe, model, &shape, &facts, supply).access;
    }
    access
}

/// CC2650, published with CMEmu: `tbb_tbh_after_ldr` from flash without its line.
#[test]
fn a_load_that_waits_for_its_address_still_goes_before_a_fetch_that_was_asked_for_with_it() {
    let register = RegSet::EMPTY.with(Reg::LR);
    let divide = shape(Class::LongMultiply, 0, 0);
    let sum = Shape {
        writes: register,
        late: register,
        ..shape(Class::Data, 0, 0)
    };
    let load = shape(Class::Load, 0, 1);
    let dependent = Shape {
        address: register,
        ..load
    };
    assert_eq!(
        over_the_code_bus(2, &[divide, sum, dependent]),
        over_the_code_bus(2, &[divide, sum, load])
    );
}

/// `ldr_str_unaligned` with data in the RAM on the code bus.
#[test]
fn a_load_that_waited_for_a_store_goes_before_the_fetch_that_did() {
    let (data, store, load) = (
        shape(Class::Data, 0, 0),
        shape(Class::Store, 0, 1),
        shape(Class::Load, 0, 1),
    );
    let stored = over_the_code_bus(0, &[data, data, store]);
    assert_eq!(over_the_code_bus(0, &[data, data, store, load]), stored + 2);
}

/// `bcond` from SRAM: a target that is requested and not taken occupies the system bus like any other fetch.
#[test]
fn a_target_that_is_not_needed_is_fetched_over_the_system_bus() {
    let straight = |model: Model, class| {
        let path = OVER_SYSTEM_BUS;
        let supply = &mut Supply::immediate();
        let mut pipe = PipelineState::refilled(0x2000_0100, Jump::at(0), path);
        for index in 0..4 {
            let shape = Shape {
                target: Some(0x2000_0200),
                size: 4,
                ..shape(
                    if index == 1 { class } else { Class::Data },
                    0x2000_0100 + 4 * index,
                    0,
                )
            };
            step(&mut pipe, model, &shape, &RuntimeFacts::default(), supply);
        }
        pipe.free()
    };
    let later = Model::of(CoreKind::CORTEX_M3);
    let first = later.without(Rule::JumpBehindFetch);
    assert_eq!(
        straight(first, Class::BranchConditional),
        straight(first, Class::Data)
    );
    assert_eq!(
        straight(later, Class::BranchConditional),
        straight(later, Class::Data) + 2
    );
}

/// Numbers without a pattern (xorshift).
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % limit
    }

    fn registers(&mut self) -> RegSet {
        RegSet::EMPTY.with(Reg(self.below(4) as u8))
    }

    fn instruction(&mut self, pc: u32) -> Shape {
        let (class, words) = [
            (Class::Data, 0),
            (Class::Nop, 0),
            (Class::Multiply, 0),
            (Class::Load, 1),
            (Class::Store, 1),
            (Class::StoreIndexed, 1),
            (Class::LoadMultiple, 3),
        ][self.below(7) as usize];
        Shape {
            class,
            words,
            size: [2, 4][self.below(2) as usize],
            address: if words == 0 {
                RegSet::EMPTY
            } else {
                self.registers()
            },
            writes: self.registers(),
            late: self.registers(),
            ..Shape::undecodable(pc, 2)
        }
    }
}

/// An exception that comes before an instruction has the cycles for which that waited: by the rules that it would be charged for.
#[test]
fn what_an_instruction_is_seen_to_wait_for_is_what_it_is_charged_for() {
    let mut numbers = Numbers(1);
    let mut waited = 0;
    for _ in 0..20_000 {
        let model = Model::of([CoreKind::CORTEX_M3, CoreKind::CORTEX_M4][numbers.below(2) as usize]);
        let mut pc = 0x100 + 2 * numbers.below(2);
        let by =
            [RequestedFrom::Execute, RequestedFrom::Decode, RequestedFrom::Load][numbers.below(3) as usize];
        let path = Path {
            wait: numbers.below(8).saturating_sub(5).into(),
            held: 0,
        };
        let jump = Jump {
            early: EarlyRequest { cycles: 0, by },
            ..Jump::at(0)
        };
        let mut pipe = PipelineState::refilled(pc, jump, path);
        for _ in 0..12 {
            let shape = numbers.instruction(pc);
            let facts = RuntimeFacts {
                wait: Cycle::from(numbers.below(3) / 2),
                contends: numbers.below(2) == 0,
                ..RuntimeFacts::default()
            };
            let free = pipe.free();
            let seen = preview(&pipe, model, &shape, facts.area, false);
            let timing = step(&mut pipe, model, &shape, &facts, &mut Supply::immediate());
            let charged = timing.costs.first((timing.start - free).max(0) as u32);
            assert_eq!(seen.start, timing.start, "{shape:?}");
            assert_eq!(seen.waits(free, RuleSet::EMPTY), charged, "{shape:?}");
            waited += charged.total();
            pc += u32::from(shape.size);
        }
    }
    assert!(waited > 1_000, "{waited}");
}

/// STM32F100RB, published with `CMEmu` (`it_and_b_fold`, `it_and_blx_bx_mov_pc_lr`): a word takes 2 cycles of the system bus, and so does
/// the target of a branch that is not taken, but only if the bus is free when it is asked for.
#[test]
fn an_r1p1_drops_a_target_that_nobody_needs_where_the_system_bus_is_taken() {
    let path = OVER_SYSTEM_BUS;
    let second_word = |asked: Cycle| {
        let supply = &mut Supply::immediate();
        let mut fetch = Fetch::refill(0x2000_0000, 0, path);
        let aside = UntakenTarget {
            target: None,
            keeps: false,
        };
        fetch.speculate(asked - path.held, aside, supply);
        fetch.ready(0x2000_0004, 4, supply)
    };
    assert_eq!(second_word(2), 5, "the first word has the bus");
    assert_eq!(second_word(3), 7);
}

/// How much later the second of two instructions starts than the first, in code that nothing else touches.
fn apart(first: Class, second: Class, skipped: bool) -> Cycle {
    let supply = &mut Supply::immediate();
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
    let model = Model::of(CoreKind::CORTEX_M3);
    let facts = RuntimeFacts::default();
    let one = step(&mut pipe, model, &shape(first, 0x100, 1), &facts, supply);
    let words = u8::from(second == Class::LoadPc);
    let facts = RuntimeFacts { skipped, ..facts };
    step(&mut pipe, model, &shape(second, 0x102, words), &facts, supply).start - one.start
}

/// CC2650, published with CMEmu: `str_reg_pipelining`.
#[test]
fn only_a_nop_fits_into_a_store_with_a_register_offset() {
    let behind = |class, skipped| apart(Class::StoreIndexed, class, skipped);
    assert_eq!((behind(Class::Nop, false), behind(Class::Nop, true)), (1, 1));
    assert_eq!((behind(Class::Data, false), behind(Class::Data, true)), (2, 2));
    assert_eq!(apart(Class::Load, Class::Data, true), 1);
}

/// With loads in place of the stores.
#[test]
fn a_load_to_pc_overlaps_with_the_load_before_it() {
    assert_eq!(apart(Class::Load, Class::LoadPc, false), 1);
}

/// A branch is decoded while a load has the code bus.
#[test]
fn the_target_of_a_branch_waits_for_data_on_its_bus() {
    let target = Shape {
        size: 4,
        ..shape(Class::Data, 0x202, 0)
    };
    let start = |contends| {
        let supply = &mut Supply::immediate();
        let (model, path) = (Model::of(CoreKind::CORTEX_M3), Path::default());
        let mut pipe = PipelineState::refilled(0x100, Jump::at(0), path);
        let facts = RuntimeFacts {
            contends,
            ..RuntimeFacts::default()
        };
        step(&mut pipe, model, &shape(Class::Load, 0x100, 1), &facts, supply);
        let branch = shape(Class::Branch, 0x102, 0);
        let jump = step(&mut pipe, model, &branch, &RuntimeFacts::default(), supply).jump;
        pipe.jump(target.pc, jump.unwrap(), path, supply);
        step(&mut pipe, model, &target, &RuntimeFacts::default(), supply).start
    };
    assert_eq!(start(true) - start(false), 1);
}

/// CC2650, published with CMEmu: `tbb_tbh_after_ldr` from flash with its line.
#[test]
fn what_has_the_bus_a_cycle_late_is_fetched_again() {
    let register = RegSet::EMPTY.with(Reg::LR);
    let wide = |class, word: u32, words| Shape {
        size: 4,
        ..shape(class, 0x100 + 4 * word, words)
    };
    let sum = Shape {
        late: register,
        ..wide(Class::Data, 1, 0)
    };
    let dependent = Shape {
        address: register,
        ..wide(Class::Load, 2, 1)
    };
    // The fourth word is asked for in the cycle in which the load is decoded, the fifth was to be in the one behind it.
    let shapes = [wide(Class::Load, 0, 1), sum, dependent];
    let when = |model: Model, word: u32| {
        let supply = &mut Supply::immediate();
        let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
        for shape in &shapes {
            step(&mut pipe, model, shape, &RuntimeFacts::default(), supply);
        }
        pipe.fetch.ready(0x100 + 4 * word, 4, supply)
    };
    let later = Model::of(CoreKind::CORTEX_M3);
    let first = later.without(Rule::FetchInVain);
    assert_eq!(when(later, 4), when(first, 4));
    assert_eq!(when(later, 5) - when(first, 5), 1);
}

#[test]
fn a_branch_behind_a_load_that_waits_for_its_bus_is_decoded_in_time() {
    let early = |area| {
        let supply = &mut Supply::immediate();
        let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
        let model = Model::of(CoreKind::CORTEX_M3);
        for (pc, area) in [(0x100, 2), (0x102, area)] {
            let facts = RuntimeFacts {
                area,
                ..RuntimeFacts::default()
            };
            step(&mut pipe, model, &shape(Class::Load, pc, 1), &facts, supply);
        }
        let branch = step(
            &mut pipe,
            model,
            &shape(Class::Branch, 0x104, 0),
            &RuntimeFacts::default(),
            supply,
        );
        branch.start - Cycle::from(branch.jump.unwrap().early.cycles)
    };
    assert_eq!(early(2), early(0));
}

/// The cycles of the timing program of `fetch-in-vain`, from one breakpoint to the next.
#[test]
fn the_program_of_fetches_in_vain_takes_a_cycle_more() {
    let register = RegSet::EMPTY.with(Reg::LR);
    let takes = |address| {
        let supply = &mut Supply::immediate();
        let model = Model::of(CoreKind::CORTEX_M3);
        let mut pipe = PipelineState::full(0x102, 0, Path::default(), supply);
        let wide = |class, word: u32, words| Shape {
            size: 4,
            ..shape(class, 0x100 + 4 * word, words)
        };
        let sum = Shape {
            writes: register,
            late: register,
            ..wide(Class::Data, 1, 0)
        };
        let load = Shape {
            address,
            ..wide(Class::Load, 2, 1)
        };
        let nops = [3, 4, 5].map(|word| wide(Class::Nop, word, 0));
        let first = shape(Class::Load, 0x102, 1);
        for one in [first, sum, load].iter().chain(&nops) {
            step(&mut pipe, model, one, &RuntimeFacts::default(), supply);
        }
        step(
            &mut pipe,
            model,
            &shape(Class::Halt, 0x118, 0),
            &RuntimeFacts::default(),
            supply,
        )
        .start
    };
    assert_eq!((takes(register), takes(RegSet::EMPTY)), (8, 7));
}
