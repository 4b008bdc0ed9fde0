//! When the execute stage takes an instruction, as far as what stands before it decides that.

use crate::timing::pipe::{Behind, Pipe, Room};
use crate::timing::rule::{Rule, RuleSet};
use crate::timing::shape::{Class, Shape};
use crate::timing::{Cycle, Model};

/// When the execute stage takes the instruction, whenever it is decoded.
pub(super) fn room(pipe: &Pipe, model: Model, shape: &Shape, area: u8, skipped: bool) -> Room {
    let mut room = room_behind(pipe, model, shape, area, skipped);
    if let (Some(forming), true, false) = (pipe.forming, shape.float.unit, skipped) {
        let (from, rule) = forming.wait(shape.float);
        if from > room.from && model.has(rule) {
            (room.from, room.entered) = (from, from);
            room.rules = room.rules.with(rule);
            room.held_by = rule;
        }
    }
    room
}

/// The same without what the floating-point unit is at.
fn room_behind(pipe: &Pipe, model: Model, shape: &Shape, area: u8, skipped: bool) -> Room {
    let access = shape.words != 0;
    if let Some((rule, waits)) = overlap(pipe, model, shape, area, skipped) {
        let last = pipe.execute_free - 1;
        // To another area it leaves decode whatever the data before it waits for.
        let entered = if waits {
            last.min(pipe.last_start + 1)
        } else {
            last
        };
        return Room {
            from: last + Cycle::from(waits),
            entered: entered - Cycle::from(pipe.ahead),
            rules: RuleSet::of(rule),
            held_by: rule,
            in_vain: model.has(Rule::FetchInVain),
        };
    }
    // An instruction that needs no result and no data port of its own fits into a store's data phase if it has arrived by the store's
    // address; so does one that waits for the port anyway.
    let into = pipe.behind == Behind::StoreUnbuffered;
    let there = || pipe.fetch.ready_at(shape.pc, shape.size) <= pipe.passes;
    let beside = into && (skipped || shape.class == Class::Nop) && there();
    let free = pipe.execute_free - Cycle::from(beside || into && access && !skipped);
    let mut room = Room {
        from: free,
        entered: free,
        rules: RuleSet::EMPTY.with_if(beside, Rule::StoreUnbuffered),
        held_by: if beside {
            Rule::StoreUnbuffered
        } else {
            Rule::FetchFifo
        },
        in_vain: model.has(Rule::FetchInVain),
    };
    if access && !skipped {
        wait_for_port(&mut room, pipe, model, shape);
    }
    let (rule, late) = match shape.class {
        Class::BranchLr => (Rule::BranchDependency, pipe.written),
        _ if access => (Rule::AddressDependency, pipe.late),
        _ => return room,
    };
    if shape.address.intersects(late) && model.has(rule) {
        let known = match (skipped, pipe.behind) {
            // It does not wait, but asks for its target later.
            (false, _) if rule == Rule::BranchDependency => {
                room.rules = room.rules.with_if(too_soon(pipe, shape, free), rule);
                return room;
            }
            (false, _) => free + 1,
            (true, Behind::Multiply) => free,
            (true, _) => pipe.last_start + 2,
        };
        if known > room.from {
            (room.from, room.held_by) = (known, rule);
        }
        room.rules = room.rules.with(rule);
    }
    room
}

/// Whether a branch to LR is decoded while the instruction before it executes, whose last cycle is the one before `free`, or right behind
/// that.
fn too_soon(pipe: &Pipe, shape: &Shape, free: Cycle) -> bool {
    pipe.fetch.ready_at(shape.pc, shape.size) <= free
}

/// The data port may still be busy.
fn wait_for_port(room: &mut Room, pipe: &Pipe, model: Model, shape: &Shape) {
    let writes = shape.class.writes_memory();
    let several = matches!(shape.class, Class::StoreDouble | Class::StoreMultiple)
        && model.writes_unbuffered()
        && model.has(Rule::StoreThenMultiple);
    let port_free = if writes && !several {
        pipe.store_free
    } else {
        pipe.load_free
    };
    if room.from >= port_free {
        return;
    }
    let rule = if !writes {
        Rule::StoreThenLoad
    } else if port_free > pipe.store_free {
        Rule::StoreThenMultiple
    } else {
        Rule::StoreBuffer
    };
    room.from = port_free;
    room.rules = RuleSet::of(rule);
    room.held_by = rule;
}

/// The rule by which the instruction enters in the last cycle of the one before it, and whether it then waits for the bus (rule
/// `load-area`).
fn overlap(pipe: &Pipe, model: Model, shape: &Shape, area: u8, skipped: bool) -> Option<(Rule, bool)> {
    let moves = shape.writes_base && !model.has(Rule::IndexedPipelined);
    let independent = !shape.address.intersects(pipe.written) && !moves;
    // The moved base is passed on only if the load waited for its bus with this instruction behind it in decode.
    let waits = pipe.waited && pipe.fetch.ready_at(shape.pc, shape.size) < pipe.passes;
    let independent = independent && (waits || !shape.address.intersects(pipe.moved));
    let alike = pipe.area == area || !model.has(Rule::LoadArea);
    let class = match shape.class {
        _ if skipped => Class::Nop,
        // To another area it waits for its bus in decode.
        Class::LoadPc if alike => Class::Load,
        class => class,
    };
    if pipe.behind == Behind::Load && pipe.fetch.ready_at(shape.pc, shape.size) > pipe.passes {
        return None;
    }
    let rule = match (pipe.behind, class) {
        (Behind::Load, Class::Nop) => Rule::LoadHidesNop,
        (Behind::StoreIndexed, Class::Nop)
            if shape.class == Class::Nop && !follows_it(pipe, model, shape) =>
        {
            Rule::StoreRegisterOffset
        }
        (Behind::Load, Class::Load) if independent && !alike => return Some((Rule::LoadArea, true)),
        (Behind::Load, Class::Store | Class::StoreIndexed) if independent && !alike => {
            return Some((Rule::LoadArea, true));
        }
        (Behind::Load, Class::Load) if independent => Rule::LoadPipelined,
        (Behind::Load, Class::Store | Class::StoreIndexed) if independent => Rule::LoadThenStore,
        (Behind::Multiply | Behind::Accumulate, Class::MultiplyAccumulate)
            if shape.accumulator.intersects(pipe.late) =>
        {
            Rule::MultiplyAccumulate
        }
        _ => return None,
    };
    model.has(rule).then_some((rule, false))
}

/// Whether what stands behind a NOP in the prefetch unit looks like IT (rule `it-looks`).
fn follows_it(pipe: &Pipe, model: Model, shape: &Shape) -> bool {
    let looks = || pipe.fetch.looks_like_it(shape.pc, shape.near_it, pipe.last_start);
    shape.size == 2 && model.has(Rule::ItLooks) && looks()
}
