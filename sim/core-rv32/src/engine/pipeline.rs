//! The engine's interface to a pipeline and its cache.

use std::any::Any;
use std::sync::Arc;

use events::Pcs;

use super::fast::Memo;
use super::program::Program;
use super::tell::Ear;
use crate::config::{Config, Timing};
use crate::timing::ibex::Ibex;
use crate::timing::picorv32::PicoRv32;
use crate::timing::rules::Rule;
use crate::timing::staged::Staged;
use crate::timing::vexriscv_cached::Cached;
use crate::timing::vexriscv_lite::Lite;
use crate::timing::vexriscv_simple::Simple;
use crate::timing::{Passage, Recurrent};

/// A pipeline. Everything about a kind of them is in its [`Recurrent`].
pub(super) trait Pipeline: Send + Sync {
    /// Clocks one cycle. Returns the instruction that retires in it.
    fn clock(&mut self, program: &mut Program) -> Option<Passage>;

    /// The rule by which the cycle that was clocked last was lost, if it was.
    fn lost(&self) -> Option<Rule>;

    /// The address that is fetched in the next cycle.
    fn fetch_pc(&self) -> u32;

    /// The address whose fetch shows in the cycle that was clocked last, if its register held `held` in it, and `before` was announced last.
    fn announces(&self, held: u32, before: Option<u32>) -> Option<u32>;

    /// Cycles of an instruction that nothing keeps waiting.
    fn pace(&self) -> u32;

    /// Whether runs can be remembered on this bus.
    fn remembers(&self, program: &Program) -> bool;

    /// A run begins, in which somebody wants to hear of these instructions.
    fn begin(&mut self, pcs: &Pcs);

    /// Between two cycles: goes on without clocking as far as it is known how; gives the next cycle.
    fn go_on(&mut self, program: &mut Program, now: u64, horizon: u64, ear: &mut Ear<'_>) -> u64;

    /// Its registers, without what is remembered.
    fn registers(&self) -> Registers;

    /// Restores these registers. The cache stays, since it holds for every state of the registers.
    ///
    /// # Panics
    /// If the registers are those of another kind of pipeline.
    fn restore(&mut self, registers: &Registers);

    /// A copy with an empty cache.
    fn copy(&self) -> Box<dyn Pipeline>;
}

/// The registers of a pipeline.
#[derive(Clone)]
pub(super) struct Registers(Arc<dyn Any + Send + Sync>);

/// A pipeline with its cache.
struct Quick<P> {
    pipeline: P,
    memo: Memo<P>,
}

/// The pipeline of a core out of reset, at `pc`.
///
/// # Panics
/// If the core has no timing model.
pub(super) fn of(config: &Config, pc: u32) -> Box<dyn Pipeline> {
    let (waits, uncached) = (config.waits, config.uncached);
    match config.timing.expect("a core with a pipeline") {
        Timing::Simple => quick(Simple::new(pc)),
        Timing::Lite => quick(Lite::new(pc)),
        Timing::Compressed => quick(Cached::compressed(pc, waits, uncached)),
        Timing::Staged => quick(Staged::new(pc, uncached, config.ways)),
        Timing::Cached => quick(Cached::new(pc, waits, uncached)),
        Timing::PicoRv32 => quick(PicoRv32::new(pc)),
        Timing::Ibex => quick(Ibex::new(pc, false)),
        Timing::IbexWriteBack => quick(Ibex::new(pc, true)),
    }
}

fn quick<P: Recurrent>(pipeline: P) -> Box<dyn Pipeline> {
    let memo = Memo::new();
    Box::new(Quick { pipeline, memo })
}

impl<P: Recurrent> Pipeline for Quick<P> {
    fn clock(&mut self, program: &mut Program) -> Option<Passage> {
        self.pipeline.clock(program)
    }

    fn lost(&self) -> Option<Rule> {
        self.pipeline.lost()
    }

    fn fetch_pc(&self) -> u32 {
        self.pipeline.fetch_pc()
    }

    fn announces(&self, held: u32, before: Option<u32>) -> Option<u32> {
        self.pipeline.announces(held, before)
    }

    fn pace(&self) -> u32 {
        P::PACE
    }

    fn remembers(&self, program: &Program) -> bool {
        P::ASKS_IN_ORDER || !program.core.bus.has_caches()
    }

    fn begin(&mut self, pcs: &Pcs) {
        self.memo.begin(pcs);
    }

    fn go_on(&mut self, program: &mut Program, now: u64, horizon: u64, ear: &mut Ear<'_>) -> u64 {
        self.memo.go_on(&mut self.pipeline, program, now, horizon, ear)
    }

    fn registers(&self) -> Registers {
        Registers(Arc::new(self.pipeline.clone()))
    }

    fn restore(&mut self, registers: &Registers) {
        let saved = registers.0.downcast_ref().expect("a snapshot of another core");
        self.pipeline.clone_from(saved);
    }

    fn copy(&self) -> Box<dyn Pipeline> {
        quick(self.pipeline.clone())
    }
}

impl Clone for Box<dyn Pipeline> {
    fn clone(&self) -> Self {
        self.copy()
    }
}
