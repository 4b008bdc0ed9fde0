//! States that count as one because no later instruction can tell them apart.

use isa_thumb::is_wide;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Jump, PipelineState, RuntimeFacts};
use crate::cores::CoreKind;
use crate::timing::{Class, Cycle, Model, NearIt, Path, Shape, Supply, preview, state_before, step};

/// The next instruction: its two halfwords, and its facts.
type Next = ((u16, u16), Meeting);

#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
struct Meeting {
    skipped: bool,
    taken: bool,
    wait: Cycle,
    grant: Cycle,
    contends: bool,
    cycles: Cycle,
    area: u8,
    split: bool,
    unbuffered: bool,
}

fn meeting() -> impl Strategy<Value = Meeting> {
    let bools = (
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.2),
        any::<bool>(),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.2),
    );
    let waits = (prop_oneof![3 => Just(0), 1 => 1..9i64], 0..2i64, 2..13i64, 0..3u8);
    (bools, waits).prop_map(
        |((skipped, taken, contends, split, unbuffered), (wait, grant, cycles, area))| Meeting {
            skipped,
            taken,
            wait,
            grant,
            contends,
            cycles,
            area: area << 4,
            split,
            unbuffered,
        },
    )
}

/// The shapes of the valid instructions, in sequence.
fn shapes(core: CoreKind, from: u32, all: &[Next]) -> Vec<(Shape, RuntimeFacts)> {
    let mut pc = from;
    let mut shapes = Vec::new();
    for ((first, second), meeting) in all {
        // Loads, stores, multiplications and divisions are what is to be seen; most of the wide encodings are none.
        let first = if is_wide(*first) && second & 1 == 0 {
            0xfb80 | first & 0x7f
        } else {
            // NOPs behind stores with a register offset are few.
            match first & 31 {
                0 => 0xbf00,
                1 => 0x5000 | first >> 7,
                _ => *first,
            }
        };
        let Ok(insn) = core.isa.decode_at(first, Some(*second)) else {
            continue;
        };
        let mut shape = Shape::of(&insn, pc, false);
        if shape.class == Class::Nop && shape.size == 2 {
            shape.near_it = NearIt {
                next: meeting.taken,
                word_before_last: meeting.split,
            };
        }
        pc += u32::from(shape.size);
        shapes.push((
            shape,
            RuntimeFacts {
                skipped: meeting.skipped && !shape.class.always_jumps(),
                taken: meeting.taken && shape.class.may_jump(),
                wait: meeting.wait * Cycle::from(shape.words),
                grant: meeting.grant,
                contends: meeting.contends && shape.words != 0,
                operand_cycles: meeting.cycles,
                area: meeting.area,
                unbuffered: meeting.unbuffered,
                extra_transfers: Cycle::from(meeting.split && shape.words == 1),
                ..RuntimeFacts::default()
            },
        ));
    }
    shapes
}

/// Goes through an instruction; `None` where it jumps.
fn through(pipe: &mut PipelineState, model: Model, (shape, facts): &(Shape, RuntimeFacts)) -> Option<()> {
    let timing = step(pipe, model, shape, facts, &mut Supply::immediate());
    (timing.jump.is_none() || !facts.taken && !shape.class.always_jumps()).then_some(())
}

fn check(model: Model, path: Path, cut: usize, shapes: &[(Shape, RuntimeFacts)]) -> Option<()> {
    let mut one = PipelineState::refilled(shapes.first()?.0.pc, Jump::at(0), path);
    let (before, behind) = shapes.split_at_checked(cut)?;
    for next in before {
        through(&mut one, model, next)?;
    }
    let state = state_before(&one, model, &behind.first()?.0, false);
    assert_eq!(state, state_before(&state, model, &behind.first()?.0, false));
    let mut other = state.moved_by(one.free());
    for next in behind {
        let (shape, facts) = next;
        let ahead = [&one, &other].map(|pipe| preview(pipe, model, shape, facts.area, facts.skipped));
        assert_eq!(format!("{:?}", ahead[0]), format!("{:?}", ahead[1]), "{shape:?}");
        let [real, made] =
            [&mut one, &mut other].map(|pipe| step(pipe, model, shape, facts, &mut Supply::immediate()));
        assert_eq!(real, made, "{shape:?}, {facts:?}");
        if let Some(jump) = real.jump {
            let [real, made] = [one, other].map(|mut pipe| {
                pipe.jump(0x400, jump, path, &mut Supply::immediate());
                pipe.relative_to(pipe.free())
            });
            assert_eq!(real, made, "{shape:?}, {facts:?}");
            if facts.taken || shape.class.always_jumps() {
                return None;
            }
        }
    }
    Some(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000)
    ))]

    #[test]
    fn what_comes_next_cannot_tell_them_apart(
        m4 in any::<bool>(),
        half in 0..2u32,
        wait in prop_oneof![4 => Just(0), 1 => 1..3i64],
        cut in 1..12usize,
        all in vec(((any::<u16>(), any::<u16>()), meeting()), 12..60),
    ) {
        let core = if m4 { CoreKind::CORTEX_M4F } else { CoreKind::CORTEX_M3 };
        let model = Model::of(core);
        let path = Path { wait, held: 0 };
        check(model, path, cut, &shapes(core, 0x100 + 2 * half, &all));
    }
}
