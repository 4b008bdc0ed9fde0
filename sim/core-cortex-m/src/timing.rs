//! Instruction timing: together with the bus, the only place with numbers of cycles.
//!
//! A [`PipelineState`] replays the pipeline, one instruction at a time. Its inputs are the instruction's [`Shape`] (its kind, the registers that it
//! reads and writes: known at decoding) and the [`RuntimeFacts`] of this execution (wait states, operands: known only at run time). It returns the
//! cycles in which the instruction starts, accesses memory, and makes room for the next. It is a function of these inputs alone, so that
//! the engine can ask once for a straight run and reuse the answer.
//!
//! Each number is a [`Rule`] with a name, a source and an evidence mark; a rule can be switched off.

mod arithmetic;
mod costs;
mod cycle;
mod exception;
mod fetch;
pub(crate) mod flash;
mod frame;
pub(crate) mod m0;
pub(crate) mod m0plus;
pub(crate) mod m3;
pub(crate) mod m4;
mod model;
mod pipeline;
mod preview;
mod rule;
mod shape;
mod state;
mod supply;

pub(crate) use arithmetic::{ByOperands, long_multiply};
pub(crate) use cycle::{CODE_END, Cycle};
pub(crate) use exception::Latencies;
pub(crate) use fetch::Path;
pub(crate) use frame::OnSystemBus;
pub use model::Model;
pub(crate) use pipeline::Pipeline;
pub(crate) use preview::Preview;
pub use rule::{Mark, Rule, RuleSet};
pub(crate) use shape::{Class, NearIt, Shape, looks_like_it};
pub(crate) use state::{EarlyRequest, Jump, PipelineState, RuntimeFacts, Timing};
pub(crate) use supply::{FlashRead, ReadPrediction, Request, RequestKind, RequestLog, Supply};

/// When an instruction would start, and make its (first) data access in this area, without executing it; `skipped` if
/// its IT condition fails.
pub(crate) fn preview(pipe: &PipelineState, model: Model, shape: &Shape, area: u8, skipped: bool) -> Preview {
    model.pipeline().preview(pipe, model, shape, area, skipped)
}

/// Works out, from a flash with wait states, what is requested before the next instruction can be decoded. Gives the rules
/// by which that was served.
pub(crate) fn prepare(pipe: &mut PipelineState, model: Model, shape: &Shape, supply: &mut Supply) -> RuleSet {
    if supply.is_timed() {
        model.pipeline().catch_up(pipe, supply);
        model.pipeline().prepare(pipe, shape, supply);
    }
    supply.rules()
}

/// Works out, from a flash with wait states, the requests that nothing to come can change.
pub(crate) fn catch_up(pipe: &mut PipelineState, model: Model, supply: &mut Supply) {
    if supply.is_timed() {
        model.pipeline().catch_up(pipe, supply);
    }
}

/// The pipeline as an instruction of this shape that comes next sees it, when it could start: states that it cannot tell apart are
/// one. `timed`: a flash with wait states is to be asked.
pub(crate) fn state_before(pipe: &PipelineState, model: Model, shape: &Shape, timed: bool) -> PipelineState {
    let pipe = model.pipeline().seen_by(pipe, shape, timed);
    pipe.relative_to(pipe.free())
}

/// Executes one instruction in the pipeline.
pub(crate) fn step(
    pipe: &mut PipelineState,
    model: Model,
    shape: &Shape,
    facts: &RuntimeFacts,
    supply: &mut Supply<'_>,
) -> Timing {
    model.pipeline().step(pipe, model, shape, facts, supply)
}

/// Whether an instruction takes as long as its operands are, and how.
pub(crate) fn by_operands(model: Model, shape: &Shape) -> ByOperands {
    let signed = shape.signed;
    let multiply = |accumulates| ByOperands::LongMultiply { accumulates, signed };
    match shape.class {
        Class::Divide => ByOperands::Divide { signed },
        Class::LongMultiply if model.has(Rule::LongMultiply) => multiply(false),
        Class::LongMultiplyAccumulate if model.has(Rule::LongMultiplyAccumulate) => multiply(true),
        _ => ByOperands::Not,
    }
}

/// How instructions come from `pc`: the wait states of its memory, and what the core adds on the system bus.
pub(crate) fn fetch_path(model: Model, bus: &bus::Bus, pc: u32) -> Path {
    let wait = bus.region(pc).map_or(0, |region| Cycle::from(region.wait.fetch));
    let held = Cycle::from(pc >= CODE_END && model.has(Rule::SystemFetch));
    Path { wait, held }
}

/// Whether instructions and data of these kinds of memory meet on the way: they come from the same slave, or both over the
/// system bus.
pub(crate) fn contend(model: Model, code: bus::Profile, data: bus::Profile) -> bool {
    let system = over_system_bus(code.area) && over_system_bus(data.area) && model.has(Rule::SystemFetch);
    system || data.slave.contends_with(code.slave)
}

/// The rules of an instruction's memories: of the one that it is fetched from, and of the one that its data is in.
pub(crate) fn rules_of_memories(code: bus::Profile, data: Option<bus::Profile>) -> RuleSet {
    const PERIPHERALS: std::ops::RangeInclusive<u8> = 4..=5;
    let on_bus = |data: bus::Profile| data.slave != bus::Slave::IO_PORT;
    let peripheral = data.is_some_and(|data| PERIPHERALS.contains(&(data.area & 0xf)) && on_bus(data));
    let relies = |evidence| code.evidence == evidence || data.is_some_and(|data| data.evidence == evidence);
    RuleSet::EMPTY
        .with_if(peripheral, Rule::PeripheralAccess)
        .with_if(relies(bus::Evidence::Documented), Rule::MemoryDocumented)
        .with_if(relies(bus::Evidence::Inferred), Rule::MemoryInferred)
}

/// Whether the core reaches this area over its system bus: not code, and not its own private peripherals.
fn over_system_bus(area: u8) -> bool {
    let part = area & 0xf;
    part != 0 && part != bus::Profile::PRIVATE.area
}

/// Whether the core reaches this address over its system bus.
pub(crate) fn on_system_bus(address: u32) -> bool {
    over_system_bus(bus::area(address))
}

/// How instructions come over the system bus, from a memory without wait states (rule `system-fetch`).
pub(crate) const OVER_SYSTEM_BUS: Path = Path { wait: 0, held: 1 };
