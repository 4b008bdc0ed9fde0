//! The engine's interface to a pipeline and its cache.

use std::any::Any;
use std::sync::Arc;

use events::Pcs;

use super::emit::Listener;
use super::program::Program;
use super::state_cache::StateCache;
use crate::config::{Config, Timing};
use crate::timing::ibex::Ibex;
use crate::timing::picorv32::PicoRv32;
use crate::timing::precursor::Precursor;
use crate::timing::rules::Rule;
use crate::timing::vexriscv_cached::VexRiscvCached;
use crate::timing::vexriscv_lite::VexRiscvLite;
use crate::timing::vexriscv_simple::VexRiscvSimple;
use crate::timing::{InFlight, Memoizable};

/// A pipeline. Everything about a kind of them is in its [`Memoizable`].
pub(super) trait Pipeline: Send + Sync {
    /// Clocks one cycle. Returns the instruction that retires in it.
    fn clock(&mut self, program: &mut Program) -> Option<InFlight>;

    /// The rule by which the cycle that was clocked last was lost, if it was.
    fn lost(&self) -> Option<Rule>;

    /// The address that is fetched in the next cycle.
    fn fetch_pc(&self) -> u32;

    /// The address whose fetch shows in the last cycle, if the fetch register held `held` in it and `before` was emitted last.
    fn announces(&self, held: u32, before: Option<u32>) -> Option<u32>;

    /// Cycles of an instruction that nothing keeps waiting.
    fn pace(&self) -> u32;

    /// Whether blocks can be remembered on this bus.
    fn remembers(&self, program: &Program) -> bool;

    /// A run begins in which these instructions are observed.
    fn begin(&mut self, pcs: &Pcs);

    /// Between two cycles: goes on without clocking as far as it is known how; gives the next cycle.
    fn run_cached(
        &mut self,
        program: &mut Program,
        now: u64,
        deadline: u64,
        listener: &mut Listener<'_>,
    ) -> u64;

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
struct CachedPipeline<P> {
    pipeline: P,
    cache: StateCache<P>,
}

/// The pipeline of a core out of reset, at `pc`.
///
/// # Panics
/// If the core has no timing model.
pub(super) fn of(config: &Config, pc: u32) -> Box<dyn Pipeline> {
    let (waits, uncached) = (config.waits, config.uncached);
    match config.timing.expect("a core with a pipeline") {
        Timing::Simple => boxed(VexRiscvSimple::new(pc)),
        Timing::Lite => boxed(VexRiscvLite::new(pc)),
        Timing::Compressed => boxed(VexRiscvCached::compressed(pc, waits, uncached)),
        Timing::Precursor => boxed(Precursor::new(pc, uncached, config.ways)),
        Timing::Cached => boxed(VexRiscvCached::new(pc, waits, uncached)),
        Timing::PicoRv32 => boxed(PicoRv32::new(pc)),
        Timing::Ibex => boxed(Ibex::new(pc, false)),
        Timing::IbexWriteBack => boxed(Ibex::new(pc, true)),
    }
}

fn boxed<P: Memoizable>(pipeline: P) -> Box<dyn Pipeline> {
    let cache = StateCache::new();
    Box::new(CachedPipeline { pipeline, cache })
}

impl<P: Memoizable> Pipeline for CachedPipeline<P> {
    fn clock(&mut self, program: &mut Program) -> Option<InFlight> {
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
        self.cache.begin(pcs);
    }

    fn run_cached(
        &mut self,
        program: &mut Program,
        now: u64,
        deadline: u64,
        listener: &mut Listener<'_>,
    ) -> u64 {
        self.cache
            .run_cached(&mut self.pipeline, program, now, deadline, listener)
    }

    fn registers(&self) -> Registers {
        Registers(Arc::new(self.pipeline.clone()))
    }

    fn restore(&mut self, registers: &Registers) {
        let saved = registers.0.downcast_ref().expect("a snapshot of another core");
        self.pipeline.clone_from(saved);
    }

    fn copy(&self) -> Box<dyn Pipeline> {
        boxed(self.pipeline.clone())
    }
}

impl Clone for Box<dyn Pipeline> {
    fn clone(&self) -> Self {
        self.copy()
    }
}
