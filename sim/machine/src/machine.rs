//! A program on a board, and its run.

use std::sync::Arc;

use bus::{Bus, BusError, FlashSettings, ResetCause};
use core_cortex_m::{Core, Debugger, StackOverrun};
use core_rv32::Hart;
use events::{Event, Flow, RuleSet, Sink};

use crate::board::{Allow, Board};
use crate::channel::{Channel, Stamp};
use crate::console::{Console, Stream};
use crate::crash::{CrashReport, Frame, Scene, Site, StuckReport, TrapReport, UnmodelledReport};
use crate::devices::SCRIPT_ENDED;
use crate::exception::Exception;
use crate::host::FileAccess;
use crate::hosted::{Heard, Hosted};
use crate::image::Image;
use crate::notes::Notes;
use crate::processor::{self, NotModelled, Processor, Stop};
use crate::restart::Resets;
use crate::semihosting::{Environment, Reply, Semihosting};
use crate::start::{self, StartError};
use crate::stimulus::Stimulus;
use crate::target::Registers;

/// Cycles between two exchanges with devices: their output is passed on, and endless spins are detected. The times are multiples of this,
/// so that a caller's limits change nothing.
const SLICE: u64 = 1 << 16;

/// A caller's choices for a run.
pub struct Options {
    /// Which debugger handles a BKPT that is not a semihosting request.
    pub debugger: Debugger,
    /// Instruction addresses at which an attached debugger halts the core, with the pipeline drained and at no cost.
    pub halts: Vec<u32>,
    /// Ranges that the board does not describe but the program may access.
    pub allow: Vec<Allow>,
    /// The command line that `SYS_GET_CMDLINE` returns.
    pub command_line: String,
    /// The date at reset that `SYS_TIME` reports, in seconds since 1970-01-01.
    pub date: u64,
    /// The host files that the program may open.
    pub files: FileAccess,
    /// The destination of the program's output.
    pub console: Console,
    /// Inputs from outside.
    pub stimuli: Vec<Stimulus>,
    /// Whether the timing of code is cached and reused. Without it, a run takes the same cycles and emits the same events, slowly.
    pub remember: bool,
}

impl Default for Options {
    /// No debugger, no allowed ranges, no files, output dropped, the year 1970, timing reused.
    fn default() -> Self {
        Options {
            debugger: Debugger::None,
            halts: Vec::new(),
            allow: Vec::new(),
            command_line: String::new(),
            date: 0,
            files: FileAccess::None,
            console: Console::none(),
            stimuli: Vec::new(),
            remember: true,
        }
    }
}

/// A program on a board.
pub struct Machine {
    processor: Box<dyn Processor>,
    board: Board,
    image: Arc<Image>,
    environment: Environment,
    semihosting: Semihosting,
    hosted: Hosted,
    console: Console,
    resets: Resets,
    notes: Notes,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The program exited, by semihosting or through a device.
    Exit {
        /// Its exit code.
        code: u32,
    },
    /// The limit was reached; the run can continue.
    Limit {
        /// The next instruction.
        pc: u32,
    },
    /// A crash on a Cortex-M: lock-up, or a fault handler that never ends.
    Crash(Box<CrashReport>),
    /// A crash on an RV32 core: the trap handler traps itself or never ends.
    Trapped(Box<TrapReport>),
    /// The program used something that is not modelled.
    NotModelled(Box<UnmodelledReport>),
    /// The program sleeps or spins on one instruction, and nothing can ever change that.
    Stuck(Box<StuckReport>),
    /// The chip was reset and does not restart ([`Board::on_reset`]), or was reset too often.
    Reset {
        /// The instruction that would have been next.
        pc: u32,
        /// The cause of the reset.
        cause: ResetCause,
        /// Earlier resets, after which the program restarted.
        count: u32,
    },
    /// A sink paused the run, which can continue.
    Paused {
        /// The next instruction.
        pc: u32,
    },
}

/// The state of a machine: everything that a run can change.
#[derive(Clone)]
pub struct Snapshot {
    processor: processor::Snapshot,
    semihosting: Semihosting,
    hosted: Hosted,
    resets: u32,
    notes: Notes,
}

impl Machine {
    /// Loads `image` on `board`, and resets the core.
    ///
    /// # Errors
    /// [`StartError`] if the program cannot start there: no vector table where the core reads it, or a stack or code outside memory.
    pub fn new(board: &Board, image: &Arc<Image>, options: Options) -> Result<Machine, StartError> {
        let start::Loaded {
            board,
            bus,
            stack,
            hosted,
        } = start::load(board, image, &options)?;
        let mut processor = processor::of_board(&board, bus, image.entry(), options.debugger);
        processor.set_cost_reuse(options.remember);
        processor.reset(&board, image, options.halts)?;
        let environment = Environment {
            command_line: options.command_line,
            date: options.date,
            heap: start::heap(&board, image, stack),
        };
        let semihosting = Semihosting::new(options.files);
        Ok(Machine {
            resets: Resets::new(processor.as_ref(), &board),
            processor,
            board,
            image: Arc::clone(image),
            environment,
            semihosting,
            hosted,
            console: options.console,
            notes: Notes::default(),
        })
    }

    /// Runs until the program ends, or until an instruction would start in cycle `limit` (since reset) or later. After [`Outcome::Limit`]
    /// the run can continue with a later limit; splitting a run changes nothing.
    pub fn run(&mut self, limit: u64, sink: &mut dyn Sink) -> Outcome {
        // The core stops before an instruction that would start at the limit; its own cycle may be slightly less.
        let mut reached = self.processor.cycle();
        let mut sink = self.hosted.beside(sink, self.processor.bus());
        self.console.hear(sink.other_hears_text());
        self.processor.bus_mut().listen_to_output(sink.other_hears_text());
        loop {
            let until = limit.min((reached / SLICE + 1).saturating_mul(SLICE));
            let stop = self.processor.run(until, sink.needed());
            if matches!(stop, Stop::Exit(_) | Stop::Reset(_)) {
                self.processor.finish(&mut sink);
            }
            let asked = sink.other_asked(self.processor.pause_requested());
            let mine = sink.is_mine(self.processor.bus().has_sent());
            let heard = self.exchange();
            if stop == Stop::Cycle {
                reached = until;
            }
            let outcome = match (heard, stop) {
                (Some(outcome), _) => Some(outcome),
                (None, Stop::Reset(cause)) => self.was_reset(cause, sink.needed()),
                (None, Stop::Paused) if mine && !asked => None,
                (None, stop) => self.outcome(stop, until, limit),
            };
            let paused = self.tell_text(sink.other()) | asked;
            if let Some(outcome) = outcome {
                if !matches!(outcome, Outcome::Limit { .. } | Outcome::Paused { .. }) {
                    self.console.finish();
                }
                return self.unless_refused(outcome);
            }
            if paused {
                let pc = self.processor.pc();
                return Outcome::Paused { pc };
            }
        }
    }

    /// Passes on the program's output and serves its watched memory words.
    fn exchange(&mut self) -> Option<Outcome> {
        self.pass_on_output();
        let mut put = Vec::new();
        let heard = self.hosted.look(self.processor.as_mut(), &mut put);
        let at = self.stamp(self.processor.cycle());
        for (channel, bytes) in put {
            self.console.put(&channel, at, &bytes);
        }
        match heard {
            Heard::Nothing => None,
            Heard::Exit(code) => Some(Outcome::Exit { code }),
            Heard::NotModelled(what) => {
                let report = UnmodelledReport::told(self.scene(), what);
                Some(Outcome::NotModelled(Box::new(report)))
            }
        }
    }

    /// Handles a reset of the chip: restarts the program, or returns the outcome that ends the run.
    fn was_reset(&mut self, cause: ResetCause, sink: &mut dyn Sink) -> Option<Outcome> {
        let (pc, count) = (self.processor.pc(), self.resets.count);
        if !self.resets.begins_again() {
            return Some(Outcome::Reset { pc, cause, count });
        }
        if let Some(note) = self.resets.note(cause, self.processor.cycle(), &self.image, pc) {
            self.note(note);
        }
        self.resets.count += 1;
        self.board.load_ram(self.processor.bus_mut(), &self.image);
        let begun = self.processor.restart(&self.resets.first, cause, sink);
        let told = |what| Outcome::NotModelled(Box::new(UnmodelledReport::told(self.scene(), what)));
        begun.err().map(told)
    }

    fn stamp(&self, cycle: u64) -> Stamp {
        let nanoseconds = self.processor.bus().nanoseconds(cycle);
        Stamp { cycle, nanoseconds }
    }

    /// Emits output to the sink; returns whether it asks for a pause.
    fn tell_text(&mut self, sink: &mut dyn Sink) -> bool {
        let cycle = self.processor.cycle();
        let mut paused = false;
        for (stream, byte) in self.console.take_heard() {
            let error = stream == Stream::Error;
            paused |= sink.event(&Event::Text { cycle, error, byte }) == Flow::Pause;
        }
        paused
    }

    /// The outcome for a stop of the core before cycle `until`; `None` to continue.
    fn outcome(&mut self, stop: Stop, until: u64, limit: u64) -> Option<Outcome> {
        let pc = self.processor.pc();
        match stop {
            Stop::Cycle if until.is_multiple_of(SLICE) && self.idles_forever() => {
                Some(self.stands_still(false))
            }
            Stop::Cycle => (until == limit).then_some(Outcome::Limit { pc }),
            Stop::Semihosting => self.serve(),
            Stop::Exit(code) => Some(Outcome::Exit { code }),
            Stop::NotModelled(what) => Some(self.not_modelled(&what)),
            Stop::LockUp | Stop::Forever => Some(self.stands_still(matches!(stop, Stop::LockUp))),
            Stop::Reset(_) => unreachable!("a reset is not the end of a run, or is told with its cause"),
            Stop::Paused => Some(Outcome::Paused { pc }),
        }
    }

    /// This outcome, unless a device has since refused something that no access reported. A script call that the end of the run cut off
    /// counts as the run's limit.
    fn unless_refused(&mut self, outcome: Outcome) -> Outcome {
        if let Outcome::NotModelled(report) = &outcome
            && report.what.contains(SCRIPT_ENDED)
        {
            return Outcome::Limit {
                pc: self.processor.pc(),
            };
        }
        let is_last = matches!(
            outcome,
            Outcome::Exit { .. } | Outcome::Stuck(_) | Outcome::Reset { .. }
        );
        let refused = is_last.then(|| self.processor.bus_mut().take_refused()).flatten();
        match refused {
            // The program ended before the script did.
            Some(BusError::NotModelled { region, what, .. }) if &*what != SCRIPT_ENDED => {
                let told = UnmodelledReport::told(self.scene(), format!("{region}: {what}"));
                Outcome::NotModelled(Box::new(told))
            }
            _ => outcome,
        }
    }

    fn serve(&mut self) -> Option<Outcome> {
        match self
            .semihosting
            .serve(self.processor.as_mut(), &mut self.console, &self.environment)
        {
            Ok(Reply::Value(value)) => {
                self.processor.answer(value);
                None
            }
            Ok(Reply::Exit(code)) => Some(Outcome::Exit { code }),
            Err(what) => Some(Outcome::NotModelled(Box::new(UnmodelledReport::told(
                self.scene(),
                what,
            )))),
        }
    }

    fn not_modelled(&self, what: &NotModelled) -> Outcome {
        Outcome::NotModelled(Box::new(UnmodelledReport::new(self.scene(), &self.board, what)))
    }

    /// Whether the program spins on one branch or sleeps, and nothing will interrupt it.
    fn idles_forever(&self) -> bool {
        let idles = self.processor.spins() || self.processor.sleeps();
        idles && !self.processor.can_be_interrupted()
    }

    /// The outcome when nothing can happen any more: a crash, if a fault led there.
    fn stands_still(&self, locked_up: bool) -> Outcome {
        let scene = self.scene();
        self.processor.crash(&self.image, locked_up).unwrap_or_else(|| {
            Outcome::Stuck(Box::new(StuckReport::new(scene, &self.board.exception_names())))
        })
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            processor: self.processor.as_ref(),
            image: &self.image,
        }
    }

    fn pass_on_output(&mut self) {
        for (cycle, port, bytes) in self.processor.take_trace() {
            let at = self.stamp(cycle);
            self.console.put(&Channel::Itm(port), at, &bytes);
        }
        self.pass_on_notes();
        let at = self.stamp(self.processor.cycle());
        let console = &mut self.console;
        let bus = self.processor.bus_mut();
        bus.drain_output(&mut |name, is_console, bytes| {
            let channel = Channel::Device(name.to_owned());
            if is_console || console.is_tapped(&channel) {
                console.put(&channel, at, bytes);
            }
        });
    }

    /// Adds the devices' notes on accesses, each with its place in the program.
    fn pass_on_notes(&mut self) {
        let mut notes = Vec::new();
        let bus = self.processor.bus_mut();
        bus.drain_notes(&mut |pc, note| notes.push((pc, note.to_owned())));
        for (pc, note) in notes {
            let site = pc.map(|pc| Site::at(&self.image, self.processor.bus(), pc));
            let site = site.map_or(String::new(), |site| format!(" (at {site})"));
            self.note(format!("{note}{site}"));
        }
    }

    /// Adds a note on the run for the user. It is not program output.
    fn note(&mut self, note: String) {
        self.console.note(&note);
        self.notes.add(note);
    }

    /// Raises the input of `exception` in cycle `at` (since reset), or at once if that is past. External interrupts and NMI are pulses;
    /// other exceptions of a Cortex-M become pending. An RV32 input is a level, held until its interrupt is taken.
    pub fn raise(&mut self, exception: Exception, at: u64) {
        self.processor.raise(exception, at);
    }

    pub(crate) fn processor(&self) -> &dyn Processor {
        self.processor.as_ref()
    }

    pub(crate) fn processor_mut(&mut self) -> &mut dyn Processor {
        self.processor.as_mut()
    }

    /// Saves the state. The cost grows with the memory that the program has written, not with the board's.
    pub fn snapshot(&mut self) -> Snapshot {
        Snapshot {
            processor: self.processor.snapshot(),
            semihosting: self.semihosting.clone(),
            hosted: self.hosted.clone(),
            resets: self.resets.count,
            notes: self.notes.clone(),
        }
    }

    /// Restores a state of this machine, or of one with the same board and image. Earlier output and writes to files are not undone.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.processor.rewind(&snapshot.processor);
        self.semihosting.clone_from(&snapshot.semihosting);
        self.hosted.clone_from(&snapshot.hosted);
        self.resets.count = snapshot.resets;
        self.notes.clone_from(&snapshot.notes);
    }

    /// Core cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.processor.cycle()
    }

    /// The core cycles of the stimuli still to come, with their devices' names.
    pub fn scheduled_inputs(&self) -> Vec<(u64, String)> {
        let coming = self.processor.bus().scheduled_inputs();
        coming.map(|(cycle, device)| (cycle, device.to_owned())).collect()
    }

    /// Input bytes that a device never passed on, with its name and the reason.
    pub fn unreceived(&self) -> Vec<(String, usize, &'static str)> {
        let all = self.processor.bus().unreceived();
        all.map(|(device, bytes, why)| (device.to_owned(), bytes, why))
            .collect()
    }

    /// A device's refusal that no access has reported yet, as a message.
    pub fn refused(&self) -> Option<String> {
        match self.processor.bus().refused()? {
            BusError::NotModelled { region, what, .. } if &**what != SCRIPT_ENDED => {
                Some(format!("{region}: {what}"))
            }
            _ => None,
        }
    }

    /// The timing rules that affected a cycle since reset.
    pub fn relied(&self) -> RuleSet {
        self.processor.relied()
    }

    /// Instructions executed since reset.
    pub fn instructions(&self) -> u64 {
        self.processor.instructions()
    }

    /// The core's current clock in Hz, as the program set it.
    pub fn clock_hz(&self) -> u32 {
        self.processor.bus().core_clock()
    }

    /// The highest core clock since reset, in Hz.
    pub fn fastest_clock_hz(&self) -> u32 {
        self.processor.bus().fastest_core_clock()
    }

    /// The program's current flash settings.
    pub fn flash_settings(&self) -> FlashSettings {
        self.processor.bus().flash_settings()
    }

    /// Simulated nanoseconds since reset.
    pub fn nanoseconds(&self) -> u64 {
        self.processor.bus().nanoseconds(self.processor.cycle())
    }

    /// The next instruction.
    pub fn pc(&self) -> u32 {
        self.processor.pc()
    }

    /// The stack pointer.
    pub fn stack_pointer(&self) -> u32 {
        self.processor.stack_pointer()
    }

    /// The first stack overflow into a program's variable: what happened, and where and when. Cortex-M only.
    pub fn stack_overrun(&self) -> Option<[String; 2]> {
        let overrun = self.cortex_m()?.stack_overrun()?;
        let StackOverrun {
            lowest,
            floor,
            pc,
            cycle,
        } = overrun;
        let variable = self.image.describe(floor - 1).unwrap_or_default();
        let variable = variable.split('+').next().unwrap_or_default();
        let title = format!(
            "a stack ran into `{variable}`: its pointer went down to {lowest:#010x}, {} bytes too far",
            floor - lowest
        );
        let site = Site::at(&self.image, self.bus(), pc);
        Some([
            title,
            format!("it first went below {floor:#010x} in cycle {cycle}, at {site}"),
        ])
    }

    /// Notes on the run since reset in chronological order, a sentence each: resets of the chip, and accesses that a chip would answer
    /// unlike the program expects. Only the first are kept if there are very many.
    pub fn notes(&self) -> &[String] {
        self.notes.all()
    }

    /// The calls that led to the current instruction, innermost first, in the format of a crash report.
    pub fn calls(&self) -> String {
        self.scene().calls()
    }

    /// The calls that led to the current instruction, innermost first; or to where a thread left that has these registers.
    pub fn backtrace(&self, registers: Option<&dyn Registers>) -> Vec<Frame> {
        self.processor.backtrace(&self.image, registers)
    }

    /// Read access to memory and peripherals.
    pub fn bus(&self) -> &Bus {
        self.processor.bus()
    }

    /// The core, if it is a Cortex-M.
    pub fn cortex_m(&self) -> Option<&Core> {
        self.processor.cortex_m()
    }

    /// The core, if it is an RV32 core.
    pub fn rv32(&self) -> Option<&Hart> {
        self.processor.rv32()
    }

    /// The board, with its memories.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The program.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// The word at `address`, without side effects, if it is memory.
    pub fn peek_word(&self, address: u32) -> Option<u32> {
        self.processor.bus().peek_word(address)
    }
}
