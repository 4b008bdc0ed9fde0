//! The execution loop: a fast path along blocks with known cost, and a slow path everywhere else.
//!
//! Both paths share the handlers, the blocks and the pipeline model. The fast path executes whole blocks and adds up their costs, while nothing
//! is due before the block's end and the pipeline state is that after a jump. It also emits events: a block begins at each instruction that a
//! sink asked for. At an instruction that meets other facts than expected, the slow path takes over from the exact pipeline state there.
//! The exit is cached, so that the fast path continues by itself the next time.

mod chain;
mod counters;
mod cursor;
mod emit;
mod exception_return;
mod exceptions;
mod execute;
mod fast_path;
mod interrupted;
mod late_clear;
mod memoised;
mod restart;
mod schedule;
mod sleep;
mod slow_path;
mod trace;
mod vectors;

use cursor::BlockPosition;
pub use cursor::Stop;
use fast_path::NextAction;

pub use sleep::{Asleep, HeldBack};

use bus::ResetCause;
use events::Sink;
use isa_thumb::ItState;

use crate::block::{BlockKey, CodeCache, DecodeContext, REQUEST};
use crate::core::Core;
use crate::exception::resume;
use crate::exec as semantics;
use crate::microop::Decoder;
use crate::state::Flow;
use crate::timing::{Cycle, EarlyRequest, Jump, Path, PipelineState, Supply, fetch_path};

static DECODER: Decoder = Decoder {
    lower: semantics::lower,
    expect_flash: semantics::lower_from_flash,
    lower_error: semantics::lower_error,
    lower_unmapped: semantics::lower_unmapped,
    resume,
};

impl Core {
    /// Executes until an instruction would start in cycle `until` or later, or until something stops it before.
    ///
    /// Calling it again goes on exactly where it stopped: how a run is cut into calls changes no cycle.
    pub fn run(&mut self, until: u64, sink: &mut dyn Sink) -> Stop {
        let mut cache = self.code.take();
        self.set_interest(sink.interest());
        cache.set_split_points(&self.emitter.pcs, &self.block_starts);
        self.pending_link = None;
        let stop = self.execute(&mut cache, until as Cycle, sink);
        self.code.put_back(cache);
        stop
    }

    fn execute(&mut self, cache: &mut CodeCache, until: Cycle, sink: &mut dyn Sink) -> Stop {
        loop {
            self.drop_stale_code(cache);
            match self.sleep(until, sink) {
                Ok(false) => {}
                Ok(true) => return Stop::Cycle,
                Err(stop) => return stop,
            }
            let then = match self.fast_path(cache, until, sink) {
                Ok(then) => then,
                Err(stop) => return stop,
            };
            let now = if let NextAction::Account(left) = &then {
                left.place.pipe.free() as u64
            } else {
                self.cycle
            };
            self.recognise_void(now);
            let stop = match then {
                NextAction::Account(left) => self.account_and_advance(cache, &left, until, sink),
                NextAction::SlowPath if self.emitter.paused => Ok(()),
                NextAction::SlowPath => {
                    self.pending_link = None;
                    let at = self.next_position(cache);
                    self.slow_path(cache, &at, until, sink)
                }
                NextAction::Look => Ok(()),
            };
            if let Err(stop) = stop {
                return stop;
            }
            if self.emitter.paused {
                return Stop::Paused;
            }
        }
    }

    /// The place of the next instruction in a block, and the pipeline there; decodes it if necessary.
    fn next_position(&mut self, cache: &mut CodeCache) -> BlockPosition {
        let early = if let Flow::Jumped(jump) = self.flow {
            jump.early
        } else {
            EarlyRequest::default()
        };
        let jumped = self.target_key(self.regs.r[15], self.regs.it, early);
        let block = self.find_or_decode(cache, &jumped);
        let pipe = match self.flow {
            Flow::Jumped(jump) => jumped.pipe.moved_by(jump.request - REQUEST),
            Flow::Through(pipe) => pipe,
        };
        BlockPosition {
            block,
            index: 0,
            pipe,
        }
    }

    /// The entry of the block at `pc`, if a jump leads there that asked for it so early.
    fn target_key(&self, pc: u32, it: u8, early: EarlyRequest) -> BlockKey {
        let jump = Jump {
            early,
            ..Jump::at(REQUEST)
        };
        BlockKey {
            pc,
            it,
            pipe: PipelineState::refilled(pc, jump, self.fetch_path(pc)),
        }
    }

    fn find_or_decode(&mut self, cache: &mut CodeCache, key: &BlockKey) -> u32 {
        if let Some(id) = cache.find(key) {
            return id;
        }
        self.bus.mark_code(key.pc);
        cache.decode(key, &self.context())
    }

    fn context(&self) -> DecodeContext<'_> {
        DecodeContext {
            bus: &self.bus,
            decoder: &DECODER,
            isa: self.config.core.isa,
            model: self.config.model,
            registers: &self.regs.r,
            base: None,
        }
    }

    /// The context of a block that is about to execute, whose time begins in cycle `base`.
    fn context_at(&self, base: Cycle) -> DecodeContext<'_> {
        DecodeContext {
            base: Some(base),
            ..self.context()
        }
    }

    /// The memory that answers the pipeline's requests.
    fn supply(&mut self) -> Supply<'_> {
        Supply::noting(self.bus.flash_mut(), &mut self.request_log)
    }

    fn fetch_path(&self, pc: u32) -> Path {
        fetch_path(self.config.model, &self.bus, pc)
    }

    /// Forgets what was decoded if a store changed code.
    fn drop_stale_code(&mut self, cache: &mut CodeCache) {
        if self.code.is_stale() {
            self.pending_link = None;
            self.code.refresh(cache);
        }
    }

    /// Blocks may be reused, and no LDM or STM is to be continued.
    fn may_use_blocks(&self) -> bool {
        let watched = self.sys.dwt.counts() || !self.reuses_costs;
        let continues = self.regs.it != 0 && !ItState(self.regs.it).in_block();
        !watched && self.regs.thumb && !continues
    }

    /// How the block, or this life of the program, has ended.
    pub(crate) fn stop_requested(&self) -> Option<Stop> {
        let requested = self.sys.reset_requested();
        let by_device = self.bus.end().map(Stop::from);
        by_device.or_else(|| requested.then_some(Stop::Reset(ResetCause::Software)))
    }

    /// The first cycle at which something other than instructions may matter.
    fn deadline(&self, until: Cycle) -> Cycle {
        until.min(self.next_due()).min(self.next_edge())
    }
}
