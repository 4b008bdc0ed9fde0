//! The Cortex-M3.

mod issue;
mod pipeline;
mod rules;

use super::pipe::{Met, Pipe, Timing};
use super::pipeline::Pipeline;
use super::rule::Rule;
use super::shape::Shape;
use super::supply::Supply;
use super::{Model, Preview};

pub(crate) use rules::RULES;
#[cfg(test)]
pub(in crate::timing) use rules::takes;

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

    fn foresees_reads(&self) -> bool {
        true
    }

    fn preview(&self, pipe: &Pipe, model: Model, shape: &Shape, area: u8, skipped: bool) -> Preview {
        pipeline::preview(pipe, model, shape, area, skipped)
    }

    fn step(
        &self,
        pipe: &mut Pipe,
        model: Model,
        shape: &Shape,
        met: &Met,
        supply: &mut Supply<'_>,
    ) -> Timing {
        pipeline::step(pipe, model, shape, met, supply)
    }

    fn catch_up(&self, pipe: &mut Pipe, supply: &mut Supply<'_>) {
        pipe.catch_up(supply);
    }

    fn prepare(&self, pipe: &mut Pipe, shape: &Shape, supply: &mut Supply<'_>) {
        pipe.prepare(shape, supply);
    }

    fn seen_by(&self, pipe: &Pipe, shape: &Shape, timed: bool) -> Pipe {
        pipe.seen_by(shape, timed)
    }
}
