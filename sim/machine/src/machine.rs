//! A program on a board, and its run.

use std::sync::Arc;

use bus::FlashSettings;
use core_cortex_m::{Core, Debugger, Stop};
use probe::Probe;

use crate::board::{Allow, Board};
use crate::console::{Console, Stream};
use crate::crash::{self, CrashReport, Scene, StuckReport, UnmodelledReport};
use crate::exception::Exception;
use crate::image::Image;
use crate::semihosting::{Environment, FileAccess, Reply, Semihosting};
use crate::start::{self, StartError};

/// At each multiple of so many cycles the output of devices is passed on, and an endless spin is noticed. The places
/// are fixed, so that how a caller cuts a run changes nothing.
const SLICE: u64 = 1 << 16;

/// What a caller decides about a run.
pub struct Options {
    /// Who answers a BKPT other than semihosting's.
    pub debugger: Debugger,
    /// Addresses of instructions at which an attached debugger halts the core, with the pipeline drained and at no cost.
    pub halts: Vec<u32>,
    /// Ranges that the board does not describe and the program may touch.
    pub allow: Vec<Allow>,
    /// What `SYS_GET_CMDLINE` tells the program.
    pub command_line: String,
    /// Which files of the host it may open.
    pub files: FileAccess,
    /// Where its output goes.
    pub console: Console,
}

impl Default for Options {
    /// No debugger, nothing allowed, no files, output dropped.
    fn default() -> Self {
        Options {
            debugger: Debugger::None,
            halts: Vec::new(),
            allow: Vec::new(),
            command_line: String::new(),
            files: FileAccess::None,
            console: Console::none(),
        }
    }
}

/// A program on a board.
pub struct Machine {
    core: Core,
    board: Board,
    image: Arc<Image>,
    environment: Environment,
    semihosting: Semihosting,
    console: Console,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The program ended itself by semihosting.
    Exit {
        /// Its exit code.
        code: u32,
    },
    /// The limit is reached; the run can go on.
    Limit {
        /// The next instruction.
        pc: u32,
    },
    /// It crashed: lock-up, or a fault handler that never ends.
    Crash(Box<CrashReport>),
    /// It asked for something that the model does not know.
    NotModelled(Box<UnmodelledReport>),
    /// It sleeps or spins on one instruction, and nothing can ever change that.
    Stuck(Box<StuckReport>),
    /// It asked for a reset (AIRCR.SYSRESETREQ).
    Reset {
        /// The instruction behind the request.
        pc: u32,
    },
}

/// The state of a machine at one moment: everything that a run can change.
#[derive(Clone)]
pub struct Snapshot {
    core: core_cortex_m::Snapshot,
    semihosting: Semihosting,
}

impl Machine {
    /// Loads `image` on `board`, and resets the core.
    ///
    /// # Errors
    /// [`StartError`], if the program cannot start there: no vector table where the core looks for it, a stack or
    /// code outside memory.
    pub fn new(board: &Board, image: &Arc<Image>, options: Options) -> Result<Machine, StartError> {
        let start::Loaded { board, bus, table } = start::load(board, image, &options.allow)?;
        let mut core = Core::new(board.core_config(options.debugger), bus);
        core.reset()
            .map_err(|what| start::no_reset(&board, image, &what))?;
        core.set_halts(options.halts);
        let environment = Environment {
            command_line: options.command_line,
            heap: start::heap(&board, image, table),
        };
        let semihosting = Semihosting::new(options.files);
        Ok(Machine {
            core,
            board,
            image: Arc::clone(image),
            environment,
            semihosting,
            console: options.console,
        })
    }

    /// Runs until the program ends, or an instruction would start in cycle `limit` (since reset) or later. After
    /// [`Outcome::Limit`] the run can go on with a later limit; where it was cut changes nothing.
    pub fn run(&mut self, limit: u64, probe: &mut impl Probe) -> Outcome {
        // The core stops before an instruction that would start at the limit; its own cycle may be a little less.
        let mut reached = self.core.cycle();
        loop {
            let until = limit.min((reached / SLICE + 1).saturating_mul(SLICE));
            let stop = self.core.run(until, probe);
            self.pass_on_output();
            if stop == Stop::Cycle {
                reached = until;
            }
            if let Some(outcome) = self.outcome(stop, until, limit) {
                return outcome;
            }
        }
    }

    /// What a stop of the core before cycle `until` means; `None` to run on.
    fn outcome(&mut self, stop: Stop, until: u64, limit: u64) -> Option<Outcome> {
        let pc = self.core.regs.r[15];
        match stop {
            Stop::Cycle if until.is_multiple_of(SLICE) && self.spins_forever() => Some(self.stands_still()),
            Stop::Cycle => (until == limit).then_some(Outcome::Limit { pc }),
            Stop::Semihosting => self.serve(),
            Stop::NotModelled(what) => Some(self.not_modelled(&what)),
            Stop::LockUp => Some(Outcome::Crash(Box::new(CrashReport::new(self.scene(), true)))),
            Stop::Forever => Some(self.stands_still()),
            Stop::Reset => Some(Outcome::Reset { pc }),
        }
    }

    fn serve(&mut self) -> Option<Outcome> {
        match self
            .semihosting
            .serve(&mut self.core, &mut self.console, &self.environment)
        {
            Ok(Reply::Value(value)) => {
                self.core.regs.r[0] = value;
                None
            }
            Ok(Reply::Exit(code)) => Some(Outcome::Exit { code }),
            Err(what) => Some(Outcome::NotModelled(Box::new(UnmodelledReport::told(
                self.scene(),
                what,
            )))),
        }
    }

    fn not_modelled(&self, what: &core_cortex_m::NotModelled) -> Outcome {
        Outcome::NotModelled(Box::new(UnmodelledReport::new(self.scene(), &self.board, what)))
    }

    /// Whether the program is in a branch to itself that nothing will interrupt.
    fn spins_forever(&self) -> bool {
        crash::spins(&self.core) && !self.core.can_be_interrupted()
    }

    /// Nothing can ever happen again: the end of a crash, if a fault led there.
    fn stands_still(&self) -> Outcome {
        let after_fault = Exception(self.core.regs.ipsr).is_fault() && !self.core.faults().is_empty();
        if after_fault {
            Outcome::Crash(Box::new(CrashReport::new(self.scene(), false)))
        } else {
            Outcome::Stuck(Box::new(StuckReport::new(self.scene())))
        }
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            core: &self.core,
            image: &self.image,
        }
    }

    fn pass_on_output(&mut self) {
        let console = &mut self.console;
        self.core.bus.drain_output(&mut |_, bytes| {
            console.write(Stream::Output, bytes);
        });
    }

    /// Raises the input of `exception` in cycle `at` (since reset); in the past means at once. External interrupts and
    /// NMI are pulses on their inputs; the core's own exceptions are set pending.
    pub fn raise(&mut self, exception: Exception, at: u64) {
        self.core.raise_at(at, exception.0);
    }

    /// Saves the state. Costs what the program has written, not what the board has.
    pub fn snapshot(&mut self) -> Snapshot {
        Snapshot {
            core: self.core.snapshot(),
            semihosting: self.semihosting.clone(),
        }
    }

    /// Goes back to a state of this machine, or of one with the same board and image. What the program already put out
    /// stays put out.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.core.rewind(&snapshot.core);
        self.semihosting.clone_from(&snapshot.semihosting);
    }

    /// Core cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.core.cycle()
    }

    /// The core's clock in Hz, as the program has set it by now.
    pub fn clock_hz(&self) -> u32 {
        self.core.bus.core_clock()
    }

    /// How the program has set the access to its flash by now.
    pub fn flash_settings(&self) -> FlashSettings {
        self.core.bus.flash_settings()
    }

    /// Simulated nanoseconds since reset.
    pub fn nanoseconds(&self) -> u64 {
        self.core.bus.nanoseconds(self.core.cycle())
    }

    /// The core, to look at.
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// The board, with its memories.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The program.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// The word at `address` without side effects, if it is memory.
    pub fn peek_word(&self, address: u32) -> Option<u32> {
        self.core.bus.peek_word(address)
    }
}
