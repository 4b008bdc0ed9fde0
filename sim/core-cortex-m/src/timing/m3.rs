//! The Cortex-M3.

mod issue;
mod pipeline;
mod rules;

use super::pipeline::Pipeline;
use super::rule::Rule;
use super::shape::Shape;
use super::state::{PipelineState, RuntimeFacts, Timing};
use super::supply::Supply;
use super::{Model, Preview};

pub(crate) use rules::RULES;
#[cfg(test)]
pub(crate) use rules::{refill, takes, waits};

/// The pipeline of the Cortex-M3 and the Cortex-M4.
#[derive(Debug)]
pub(crate) struct ThreeBuses;

/// The pipeline of the Cortex-M3, and of the Cortex-M4 with its own rules.
pub(crate) static M3: ThreeBuses = ThreeBuses;

impl Pipeline for ThreeBuses {
    fn refill(&self) -> Rule {
        Rule::FetchFifo
    }

    fn buffers_writes(&self) -> bool {
        true
    }

    fn predicts_reads(&self) -> bool {
        true
    }

    fn preview(&self, pipe: &PipelineState, model: Model, shape: &Shape, area: u8, skipped: bool) -> Preview {
        pipeline::preview(pipe, model, shape, area, skipped)
    }

    fn step(
        &self,
        pipe: &mut PipelineState,
        model: Model,
        shape: &Shape,
        facts: &RuntimeFacts,
        supply: &mut Supply<'_>,
    ) -> Timing {
        pipeline::step(pipe, model, shape, facts, supply)
    }

    fn catch_up(&self, pipe: &mut PipelineState, supply: &mut Supply<'_>) {
        pipe.catch_up(supply);
    }

    fn prepare(&self, pipe: &mut PipelineState, shape: &Shape, supply: &mut Supply<'_>) {
        pipe.prepare(shape, supply);
    }

    fn seen_by(&self, pipe: &PipelineState, shape: &Shape, timed: bool) -> PipelineState {
        pipe.seen_by(shape, timed)
    }
}
