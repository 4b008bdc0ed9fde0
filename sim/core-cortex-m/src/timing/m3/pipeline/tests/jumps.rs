//! Jumps whose target's address is given beside what is fetched before it.

use super::*;

const LATER: fn() -> Model = || Model::of(CoreKind::CORTEX_M3);
const OVER_CODE_BUS: Path = Path { wait: 0, held: 0 };

/// The pipeline behind a jump to an address, with so many instructions of 16 bits executed there.
fn behind(count: u32, address: u32, path: Path, model: Model) -> PipelineState {
    let mut pipe = PipelineState::refilled(address, Jump::at(0), path);
    for index in 0..count {
        let data = shape(Class::Data, address + 2 * index, 0);
        step(
            &mut pipe,
            model,
            &data,
            &RuntimeFacts::default(),
            &mut Supply::immediate(),
        );
    }
    pipe
}

/// How long a jump of this kind takes in code on the system bus, where a word is fetched every second cycle, as the instruction with
/// this index.
fn leaves(class: Class, words: u8, index: u32, model: Model) -> Cycle {
    const CODE: u32 = 0x2000_0100;
    let mut pipe = behind(index, CODE, OVER_SYSTEM_BUS, model);
    let facts = RuntimeFacts {
        area: 2,
        contends: true,
        ..RuntimeFacts::default()
    };
    let shape = shape(class, CODE + 2 * index, words);
    let jump = step(&mut pipe, model, &shape, &facts, &mut Supply::immediate());
    jump.jump.unwrap().end() - jump.start
}

/// CC2650, published with `CMEmu` (`pop_pc`, `ldm_ldr_pop_pc`): a fetch that waits for the bus when POP executes goes between the words
/// that it loads, from r2p0 on. One whose address would be given in POP's first cycle is not made.
#[test]
fn a_load_to_pc_lets_only_a_fetch_that_waits_go_first() {
    let first = LATER().without(Rule::JumpBehindFetch);
    let both = |class, words, index| {
        (
            leaves(class, words, index, first),
            leaves(class, words, index, LATER()),
        )
    };
    assert_eq!(both(Class::LoadMultiplePc, 3, 1), (8, 8));
    let (old, new) = both(Class::LoadMultiplePc, 3, 2);
    assert_eq!(new - old, 1);
    let (old, new) = both(Class::WriteToPc, 0, 1);
    assert_eq!(old, new);
}

/// When a target executes that is jumped to by the instruction with this index.
fn jumps((from, index): (u32, u32), to: u32, paths: [Path; 2]) -> Cycle {
    let mut pipe = behind(index, from, paths[0], LATER());
    let branch = shape(Class::BranchRegister, from + 2 * index, 0);
    let supply = &mut Supply::immediate();
    let jump = step(&mut pipe, LATER(), &branch, &RuntimeFacts::default(), supply);
    pipe.jump(to, jump.jump.unwrap(), paths[1], supply);
    step(
        &mut pipe,
        LATER(),
        &shape(Class::Data, to, 0),
        &RuntimeFacts::default(),
        supply,
    )
    .start
        - jump.start
}

/// STM32F100RB, CC2650 and CC2652, published with `CMEmu` (`bx_seq_memory_types`): right behind a jump a word is under way over the code
/// bus, and later none is.
#[test]
fn a_jump_to_the_system_bus_waits_until_the_word_under_way_over_the_code_bus_is_there() {
    let to_sram = |index| jumps((0x100, index), 0x2000_0000, [OVER_CODE_BUS, OVER_SYSTEM_BUS]);
    assert_eq!((to_sram(0), to_sram(4)), (5, 4));
    let in_flash = |index| jumps((0x100, index), 0x400, [OVER_CODE_BUS; 2]);
    assert_eq!((in_flash(0), in_flash(4)), (3, 3));
}

/// When the target of a branch to LR executes that stands in the second word of code with these wait states, behind an instruction that
/// wrote LR, or not.
fn returns_from_second_word(writes: RegSet) -> Cycle {
    let lr = RegSet::EMPTY.with(Reg::LR);
    let mut pipe = PipelineState::refilled(0x102, Jump::at(0), Path { wait: 1, held: 0 });
    let supply = &mut Supply::immediate();
    let write = Shape {
        writes,
        ..shape(Class::Data, 0x102, 0)
    };
    let start = step(&mut pipe, LATER(), &write, &RuntimeFacts::default(), supply).start;
    let branch = Shape {
        address: lr,
        ..shape(Class::BranchLr, 0x104, 0)
    };
    let back = step(&mut pipe, LATER(), &branch, &RuntimeFacts::default(), supply);
    let free = back.jump.unwrap().end();
    let refill = back
        .refill
        .iter()
        .filter(|cost| cost.rule == Rule::BranchDependency.into());
    let later: u32 = refill.map(|cost| cost.cycles).sum();
    assert_eq!(later, u32::from(!writes.is_empty()));
    free - start
}

/// CC2650 and CC2652, published with `CMEmu` (`mull_mla_lr_bx_lr`, `bl_blx_bx_mov_pc_lr`): decoded right behind what wrote LR, it still
/// asks a cycle later.
#[test]
fn a_branch_to_lr_that_is_decoded_late_asks_while_it_executes_too() {
    let waits =
        returns_from_second_word(RegSet::EMPTY.with(Reg::LR)) - returns_from_second_word(RegSet::EMPTY);
    assert_eq!(waits, 1);
}

/// How many cycles later four words of 32-bit instructions are executed of which the second is a branch to LR that is skipped, if LR
/// holds this; against one that holds an address over the other bus.
fn skips(aside: u32) -> Cycle {
    let run = |aside| {
        let mut pipe = PipelineState::refilled(0x2000_0100, Jump::at(0), OVER_SYSTEM_BUS);
        for index in 0..4 {
            let skipped = index == 1;
            let shape = Shape {
                size: 4,
                ..shape(
                    if skipped { Class::BranchLr } else { Class::Data },
                    0x2000_0100 + 4 * index,
                    0,
                )
            };
            let facts = RuntimeFacts {
                skipped,
                aside: Some(aside).filter(|_| skipped),
                ..RuntimeFacts::default()
            };
            step(&mut pipe, LATER(), &shape, &facts, &mut Supply::immediate());
        }
        pipe.free()
    };
    run(aside) - run(0x100)
}

/// CC2650 and CC2652, published with `CMEmu` (`it_and_blx_bx_mov_pc_lr`): as the target of any other branch that is not taken.
#[test]
fn what_lr_holds_is_asked_for_by_a_branch_to_it_that_is_skipped() {
    assert_eq!(skips(0x2000_0200), 2);
}

/// CC2650, published with `CMEmu` (`bx_seq`, `cbz_deps`, `mov_pc`): behind a load BX makes room only when it executes, and asks for its
/// target before what would have that.
#[test]
fn a_branch_goes_before_a_fetch_for_which_it_makes_room_itself() {
    const CODE: u32 = 0x2000_0102;
    let back = |class, words| {
        let mut pipe = PipelineState::refilled(CODE, Jump::at(0), OVER_SYSTEM_BUS);
        let supply = &mut Supply::immediate();
        let first = Shape {
            size: 4,
            ..shape(class, CODE, words)
        };
        step(&mut pipe, LATER(), &first, &RuntimeFacts::default(), supply);
        let branch = shape(Class::BranchRegister, CODE + 4, 0);
        let jump = step(&mut pipe, LATER(), &branch, &RuntimeFacts::default(), supply);
        pipe.jump(CODE + 0x102, jump.jump.unwrap(), OVER_SYSTEM_BUS, supply);
        let target = shape(Class::Data, CODE + 0x102, 0);
        step(&mut pipe, LATER(), &target, &RuntimeFacts::default(), supply).start - jump.start
    };
    assert_eq!(back(Class::Load, 1), 4);
}

/// CC2650, published with `CMEmu` (`cond_reg_dep`, `cbz_after_ldr`: 380 counts): the wait states behind count as the NOP's.
#[test]
fn a_nop_executes_from_the_first_cycle_of_the_data_of_a_load_on() {
    let mut pipe = behind(4, 0x100, OVER_CODE_BUS, LATER());
    let supply = &mut Supply::immediate();
    let facts = RuntimeFacts {
        wait: 3,
        ..RuntimeFacts::default()
    };
    let load = step(&mut pipe, LATER(), &shape(Class::Load, 0x108, 1), &facts, supply);
    let nop = step(
        &mut pipe,
        LATER(),
        &shape(Class::Nop, 0x10a, 0),
        &RuntimeFacts::default(),
        supply,
    );
    assert_eq!((nop.counted - load.start, nop.start - load.start), (1, 4));
}

/// CC2650, published with `CMEmu` (`cbz`, `bx_seq`); ISB gives its target while it executes, as they do, and so waits as long for what is
/// fetched in that cycle.
#[test]
fn what_gives_its_target_while_it_executes_asks_behind_a_fetch_of_that_cycle() {
    let later = |class| {
        let starts = |model: Model, index| {
            const CODE: u32 = 0x2000_0100;
            let mut pipe = behind(index, CODE, OVER_SYSTEM_BUS, model);
            let supply = &mut Supply::immediate();
            let jump = step(
                &mut pipe,
                model,
                &shape(class, CODE + 2 * index, 0),
                &RuntimeFacts::default(),
                supply,
            );
            pipe.jump(CODE + 0x100, jump.jump.unwrap(), OVER_SYSTEM_BUS, supply);
            let target = shape(Class::Data, CODE + 0x100, 0);
            step(&mut pipe, model, &target, &RuntimeFacts::default(), supply).start - jump.start
        };
        let without = LATER().without(Rule::JumpBehindFetch);
        [0, 1, 2, 3, 4, 5].map(|index| starts(LATER(), index) - starts(without, index))
    };
    let waits = later(Class::BranchRegister);
    assert!(waits.iter().any(|wait| *wait != 0), "{waits:?}");
    assert_eq!(later(Class::InstructionBarrier), waits);
}
