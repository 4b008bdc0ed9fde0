//! When the execute stage takes an instruction, as far as what stands before it decides that.

use super::rules::waits;
use crate::timing::rule::{Rule, RuleSet};
use crate::timing::shape::{Class, Shape};
use crate::timing::state::{IssueSlot, Jump, PipelineState, Previous, RequestedFrom, RuntimeFacts};
use crate::timing::{CODE_END, Cycle, Model};

/// When the execute stage takes the instruction, whenever it is decoded.
pub(super) fn issue_slot(
    pipe: &PipelineState,
    model: Model,
    shape: &Shape,
    area: u8,
    skipped: bool,
) -> IssueSlot {
    let mut slot = issue_slot_after(pipe, model, shape, area, skipped);
    if let (Some(pending_result), true, false) = (pipe.pending_result, shape.float.unit, skipped) {
        let (from, rule) = pending_result.wait(shape.float);
        if from > slot.from && model.has(rule) {
            (slot.from, slot.entered) = (from, from);
            slot.rules = slot.rules.with(rule);
            slot.held_by = rule;
        }
    }
    slot
}

/// Like that, without the state of the floating-point unit.
fn issue_slot_after(pipe: &PipelineState, model: Model, shape: &Shape, area: u8, skipped: bool) -> IssueSlot {
    let access = shape.words != 0;
    if let Some((rule, waits)) = overlap(pipe, model, shape, area, skipped) {
        let last = pipe.execute_free - 1;
        // To another area it leaves decode whatever the data before it waits for.
        let entered = if waits {
            last.min(pipe.last_start + 1)
        } else {
            last
        };
        return IssueSlot {
            from: last + Cycle::from(waits),
            entered: entered - Cycle::from(pipe.ahead),
            rules: RuleSet::of(rule),
            held_by: rule,
            is_retried: model.has(Rule::FetchInVain),
        };
    }
    // An instruction that needs no result and no data port of its own fits into a store's data phase if it has arrived by the store's
    // address; so does one that waits for the port anyway.
    let into = pipe.previous == Previous::StoreUnbuffered;
    let there = || pipe.fetch.ready_at(shape.pc, shape.size) <= pipe.passes;
    let beside = into && (skipped || shape.class == Class::Nop) && there();
    let free = pipe.execute_free - Cycle::from(beside || into && access && !skipped);
    let mut slot = IssueSlot {
        from: free,
        entered: free,
        rules: RuleSet::EMPTY.with_if(beside, Rule::StoreUnbuffered),
        held_by: if beside {
            Rule::StoreUnbuffered
        } else {
            Rule::FetchFifo
        },
        is_retried: model.has(Rule::FetchInVain),
    };
    if access && !skipped {
        wait_for_port(&mut slot, pipe, model, shape);
    }
    let (rule, late) = match shape.class {
        Class::BranchLr => (Rule::BranchDependency, pipe.written),
        _ if access => (Rule::AddressDependency, pipe.late),
        _ => return slot,
    };
    if shape.address.intersects(late) && model.has(rule) {
        let known = match (skipped, pipe.previous) {
            // It does not wait, but asks for its target later.
            (false, _) if rule == Rule::BranchDependency => {
                slot.rules = slot.rules.with_if(too_soon(pipe, shape, free), rule);
                return slot;
            }
            (false, _) => free + waits(rule),
            (true, Previous::Multiply) => free,
            (true, _) => pipe.last_start + 2,
        };
        if known > slot.from {
            (slot.from, slot.held_by) = (known, rule);
        }
        slot.rules = slot.rules.with(rule);
    }
    slot
}

/// Whether a branch to LR is decoded while the instruction before it executes, whose last cycle is the one before `free`, or right behind
/// that.
fn too_soon(pipe: &PipelineState, shape: &Shape, free: Cycle) -> bool {
    pipe.fetch.ready_at(shape.pc, shape.size) <= free
}

/// The data port may still be busy.
fn wait_for_port(slot: &mut IssueSlot, pipe: &PipelineState, model: Model, shape: &Shape) {
    let writes = shape.class.writes_memory();
    let several = matches!(shape.class, Class::StoreDouble | Class::StoreMultiple)
        && model.writes_unbuffered()
        && model.has(Rule::StoreThenMultiple);
    let port_free = if writes && !several {
        pipe.store_free
    } else {
        pipe.load_free
    };
    if slot.from >= port_free {
        return;
    }
    let rule = if !writes {
        Rule::StoreThenLoad
    } else if port_free > pipe.store_free {
        Rule::StoreThenMultiple
    } else {
        Rule::StoreBuffer
    };
    slot.from = port_free;
    slot.rules = RuleSet::of(rule);
    slot.held_by = rule;
}

/// The rule by which the instruction enters in the last cycle of the one before it, and whether it then waits for the bus (rule
/// `load-area`).
fn overlap(
    pipe: &PipelineState,
    model: Model,
    shape: &Shape,
    area: u8,
    skipped: bool,
) -> Option<(Rule, bool)> {
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
    if pipe.previous == Previous::Load && pipe.fetch.ready_at(shape.pc, shape.size) > pipe.passes {
        return None;
    }
    let rule = match (pipe.previous, class) {
        (Previous::Load, Class::Nop) => Rule::LoadHidesNop,
        (Previous::StoreIndexed, Class::Nop)
            if shape.class == Class::Nop && !follows_it(pipe, model, shape) =>
        {
            Rule::StoreRegisterOffset
        }
        (Previous::Load, Class::Load) if independent && !alike => return Some((Rule::LoadArea, true)),
        (Previous::Load, Class::Store | Class::StoreIndexed) if independent && !alike => {
            return Some((Rule::LoadArea, true));
        }
        (Previous::Load, Class::Load) if independent => Rule::LoadPipelined,
        (Previous::Load, Class::Store | Class::StoreIndexed) if independent => Rule::LoadThenStore,
        (Previous::Multiply | Previous::Accumulate, Class::MultiplyAccumulate)
            if shape.accumulator.intersects(pipe.late) =>
        {
            Rule::MultiplyAccumulate
        }
        _ => return None,
    };
    model.has(rule).then_some((rule, false))
}

/// Whether what stands behind a NOP in the prefetch unit looks like IT (rule `it-looks`).
fn follows_it(pipe: &PipelineState, model: Model, shape: &Shape) -> bool {
    let looks = || pipe.fetch.looks_like_it(shape.pc, shape.near_it, pipe.last_start);
    shape.size == 2 && model.has(Rule::ItLooks) && looks()
}

/// Notes when an instruction left decode, where that matters for the next one (rule `load-ahead`), and what can fold into it.
pub(super) fn leave_decode(
    pipe: &mut PipelineState,
    model: Model,
    (shape, facts): (&Shape, &RuntimeFacts),
    slot: &IssueSlot,
    (decoded, start): (Cycle, Cycle),
) {
    let waits = slot.held_by == Rule::StoreThenLoad && start == slot.from;
    let ahead = shape.class == Class::Load && facts.area == pipe.area && model.has(Rule::LoadAhead);
    pipe.ahead = waits && ahead;
    if pipe.ahead {
        pipe.last_start = slot.entered.max(decoded + 1);
    }
    pipe.folds = shape.folds.on(model);
}

/// Whether the instruction decoded while this one executes frees its prefetch slots only after it.
pub(super) fn delays_slots(before: Previous, model: Model, shape: &Shape, facts: &RuntimeFacts) -> bool {
    // An instruction that could execute in a load's second cycle counts as a longer one, even if it is too late for that.
    let could = (facts.skipped || shape.class == Class::Nop) && model.has(Rule::JumpBehindFetch);
    let hidden = before == Previous::Load && could;
    let again = before == Previous::SkippedAccess && model.has(Rule::SkippedRoom);
    hidden || (!facts.skipped || again) && shape.class.delays_slots(model)
}

/// Notes from which stage the target of a jump was requested, and what becomes of other fetches.
pub(super) fn note_request(jump: &mut Jump, model: Model, shape: &Shape) {
    // `Jump::behind` handles CBZ and the like on the system bus.
    let decoded = shape.class.asks_in_decode();
    jump.early.by = match shape.class {
        _ if !model.has(Rule::RefillRoom) => RequestedFrom::Execute,
        Class::LoadPc | Class::LoadMultiplePc => RequestedFrom::Load,
        Class::Branch | Class::BranchLr => RequestedFrom::Decode,
        _ => RequestedFrom::Execute,
    };
    jump.keeps = model.has(Rule::JumpBehindFetch) && (decoded || shape.pc < CODE_END);
}
