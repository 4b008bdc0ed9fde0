//! From when on the trace unit counts by an instruction.

use super::*;

/// How long before it starts it counts by the second one, behind a first one that meets this.
fn ahead(first: Class, facts: &RuntimeFacts, second: &Shape) -> Cycle {
    let supply = &mut Supply::immediate();
    let model = Model::of(CoreKind::CORTEX_M3);
    let mut pipe = PipelineState::refilled(0x100, Jump::at(0), Path::default());
    let words = u8::from(first != Class::Data);
    step(&mut pipe, model, &shape(first, 0x100, words), facts, supply);
    let timing = step(&mut pipe, model, second, &RuntimeFacts::default(), supply);
    timing.start - timing.counted
}

/// CC2650 and CC2652, published with `CMEmu` (`cbz_after_ldr`, `cond_reg_dep`: 380 counts; `it_curse_svc`: 240).
#[test]
fn what_fits_into_an_access_counts_from_its_address_on() {
    let nop = shape(Class::Nop, 0x102, 0);
    for (class, unbuffered) in [(Class::Load, false), (Class::StoreIndexed, true)] {
        let waits = |wait| {
            let facts = RuntimeFacts {
                wait,
                unbuffered,
                ..RuntimeFacts::default()
            };
            ahead(class, &facts, &nop)
        };
        assert_eq!((waits(0), waits(2)), (0, 2), "{class:?}");
    }
}

/// `umlal_mla_str_reg_agu_deps`: 120 counts.
#[test]
fn a_nop_fits_into_a_store_that_is_not_buffered_if_it_is_there_by_its_address() {
    let starts = |wait| {
        let supply = &mut Supply::immediate();
        let model = Model::of(CoreKind::CORTEX_M3);
        let mut pipe = PipelineState::refilled(0x102, Jump::at(0), Path { wait, held: 0 });
        let facts = RuntimeFacts {
            wait: 1,
            unbuffered: true,
            ..RuntimeFacts::default()
        };
        let free = step(&mut pipe, model, &shape(Class::Store, 0x102, 1), &facts, supply).free;
        let nop = shape(Class::Nop, 0x104, 0);
        step(&mut pipe, model, &nop, &RuntimeFacts::default(), supply).start - free
    };
    assert_eq!((starts(0), starts(1)), (-1, 0));
}
