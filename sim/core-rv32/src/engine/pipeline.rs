//! The pipelines, each with what is remembered of it.

use events::Pcs;

use super::memo::Memo;
use super::program::Program;
use super::tell::Ear;
use crate::config::{Config, Timing};
use crate::timing::ibex::Ibex;
use crate::timing::picorv32::PicoRv32;
use crate::timing::rules::Rule;
use crate::timing::vexriscv_cached::Cached;
use crate::timing::vexriscv_lite::Lite;
use crate::timing::vexriscv_simple::Simple;
use crate::timing::{Fetch, Halves, Passage, Recurrent, Supply};

/// Each kind of pipeline, by its timing.
#[derive(Clone)]
pub(super) enum Pipeline {
    Simple(Box<Quick<Simple>>),
    Lite(Box<Quick<Lite>>),
    Cached(Box<Quick<Cached<Fetch>>>),
    Compressed(Box<Quick<Cached<Halves>>>),
    PicoRv32(Box<Quick<PicoRv32>>),
    Ibex(Box<Quick<Ibex>>),
}

/// A pipeline, and what is remembered of it.
#[derive(Clone)]
pub(super) struct Quick<P> {
    pipeline: P,
    memo: Memo<P>,
}

/// The registers of a pipeline.
#[derive(Clone)]
pub(super) enum Registers {
    Simple(Simple),
    Lite(Box<Lite>),
    Cached(Box<Cached<Fetch>>),
    Compressed(Box<Cached<Halves>>),
    PicoRv32(PicoRv32),
    Ibex(Box<Ibex>),
}

impl<P: Recurrent> Quick<P> {
    fn new(pipeline: P) -> Box<Self> {
        Box::new(Quick {
            pipeline,
            memo: Memo::new(),
        })
    }
}

impl Quick<Ibex> {
    /// The word whose request was granted in the last cycle.
    pub(super) fn granted(&self) -> Option<u32> {
        self.pipeline.granted()
    }
}

/// The same of each kind.
macro_rules! each {
    ($pipeline:expr, $quick:ident => $what:expr) => {
        match $pipeline {
            Pipeline::Simple($quick) => $what,
            Pipeline::Lite($quick) => $what,
            Pipeline::Cached($quick) => $what,
            Pipeline::Compressed($quick) => $what,
            Pipeline::PicoRv32($quick) => $what,
            Pipeline::Ibex($quick) => $what,
        }
    };
}

impl Pipeline {
    /// That of a core, as it comes out of reset, at `pc`.
    ///
    /// # Panics
    /// If it is not known how that core is timed.
    pub(super) fn new(config: &Config, pc: u32) -> Pipeline {
        let (waits, uncached) = (config.waits, config.uncached);
        match config.timing.expect("a core with a pipeline") {
            Timing::Simple => Pipeline::Simple(Quick::new(Simple::new(pc))),
            Timing::Lite => Pipeline::Lite(Quick::new(Lite::new(pc))),
            Timing::Compressed => Pipeline::Compressed(Quick::new(Cached::compressed(pc, waits, uncached))),
            Timing::Cached => Pipeline::Cached(Quick::new(Cached::new(pc, waits, uncached))),
            Timing::PicoRv32 => Pipeline::PicoRv32(Quick::new(PicoRv32::new(pc))),
            Timing::Ibex => Pipeline::Ibex(Quick::new(Ibex::new(pc, false))),
            Timing::IbexWriteBack => Pipeline::Ibex(Quick::new(Ibex::new(pc, true))),
        }
    }

    #[inline]
    pub(super) fn clock(&mut self, supply: &mut impl Supply) -> Option<Passage> {
        each!(self, quick => quick.pipeline.clock(supply))
    }

    /// The rule by which the cycle that was clocked last was lost, if it was.
    #[inline]
    pub(super) fn lost(&self) -> Option<Rule> {
        each!(self, quick => quick.pipeline.lost())
    }

    pub(super) fn fetch_pc(&self) -> u32 {
        each!(self, quick => quick.pipeline.fetch_pc())
    }

    /// A run begins, in which somebody wants to hear of these instructions.
    pub(super) fn begin(&mut self, pcs: &Pcs) {
        each!(self, quick => quick.memo.begin(pcs));
    }

    /// Between two cycles: goes on without clocking as far as it is known how; gives the next cycle.
    #[inline]
    pub(super) fn go_on(&mut self, program: &mut Program, now: u64, horizon: u64, ear: &mut Ear<'_>) -> u64 {
        each!(self, quick => quick.memo.go_on(&mut quick.pipeline, program, now, horizon, ear))
    }

    /// Its registers, without what is remembered.
    pub(super) fn registers(&self) -> Registers {
        match self {
            Pipeline::Simple(quick) => Registers::Simple(quick.pipeline),
            Pipeline::Lite(quick) => Registers::Lite(Box::new(quick.pipeline.clone())),
            Pipeline::Cached(quick) => Registers::Cached(Box::new(quick.pipeline.clone())),
            Pipeline::Compressed(quick) => Registers::Compressed(Box::new(quick.pipeline.clone())),
            Pipeline::PicoRv32(quick) => Registers::PicoRv32(quick.pipeline),
            Pipeline::Ibex(quick) => Registers::Ibex(Box::new(quick.pipeline)),
        }
    }

    /// Has these registers from now on. What is remembered stays: it holds for every state of them.
    ///
    /// # Panics
    /// If they are those of another kind of pipeline.
    pub(super) fn restore(&mut self, registers: &Registers) {
        match (self, registers) {
            (Pipeline::Simple(quick), Registers::Simple(saved)) => quick.pipeline.clone_from(saved),
            (Pipeline::Lite(quick), Registers::Lite(saved)) => quick.pipeline.clone_from(saved),
            (Pipeline::Cached(quick), Registers::Cached(saved)) => quick.pipeline.clone_from(saved),
            (Pipeline::Compressed(quick), Registers::Compressed(saved)) => quick.pipeline.clone_from(saved),
            (Pipeline::PicoRv32(quick), Registers::PicoRv32(saved)) => quick.pipeline.clone_from(saved),
            (Pipeline::Ibex(quick), Registers::Ibex(saved)) => quick.pipeline.clone_from(saved),
            _ => panic!("a snapshot of another core"),
        }
    }
}
