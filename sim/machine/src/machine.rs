//! A program on a board, and its run.

use std::sync::Arc;

use bus::{Bus, BusError, FlashSettings, ResetCause};
use core_cortex_m::{Core, Debugger, StackOverrun};
use core_rv32::Hart;
use events::{Event, Flow, RuleSet, Sink};

use crate::board::{Allow, Board};
use crate::channel::{Channel, Stamp};
use crate::console::{Console, Stream};
use crate::crash::{CrashReport, Scene, Site, StuckReport, TrapReport, UnmodelledReport};
use crate::devices::SCRIPT_ENDED;
use crate::exception::Exception;
use crate::hosted::{Heard, Hosted};
use crate::image::Image;
use crate::notes::Notes;
use crate::processor::{self, NotModelled, Processor, Stop};
use crate::restart::Resets;
use crate::semihosting::{Environment, FileAccess, Reply, Semihosting};
use crate::start::{self, StartError};
use crate::stimulus::Stimulus;

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
    /// The date at reset that `SYS_TIME` tells, in seconds since 1970-01-01.
    pub date: u64,
    /// Which files of the host it may open.
    pub files: FileAccess,
    /// Where its output goes.
    pub console: Console,
    /// What comes to the program from outside.
    pub stimuli: Vec<Stimulus>,
    /// Whether what stretches of the program cost is worked out once and reused; without that, a run takes the same cycles and
    /// tells the same events, slowly.
    pub remember: bool,
}

impl Default for Options {
    /// No debugger, nothing allowed, no files, output dropped, the year 1970, what was worked out reused.
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
    /// The program ended itself, by semihosting or through a device.
    Exit {
        /// Its exit code.
        code: u32,
    },
    /// The limit is reached; the run can go on.
    Limit {
        /// The next instruction.
        pc: u32,
    },
    /// It crashed on a Cortex-M: lock-up, or a fault handler that never ends.
    Crash(Box<CrashReport>),
    /// It crashed on an RV32 core: its trap handler traps itself, or never ends.
    Trapped(Box<TrapReport>),
    /// It asked for something that the model does not know.
    NotModelled(Box<UnmodelledReport>),
    /// It sleeps or spins on one instruction, and nothing can ever change that.
    Stuck(Box<StuckReport>),
    /// The chip was reset, and does not begin again ([`Board::on_reset`]), or did so too often.
    Reset {
        /// The instruction that would have been next.
        pc: u32,
        /// What reset it.
        cause: ResetCause,
        /// The resets before, behind which it did begin again.
        count: u32,
    },
    /// A sink asked for a pause; the run can go on.
    Paused {
        /// The next instruction.
        pc: u32,
    },
}

/// The state of a machine at one moment: everything that a run can change.
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
    /// [`StartError`], if the program cannot start there: no vector table where the core looks for it, a stack or
    /// code outside memory.
    pub fn new(board: &Board, image: &Arc<Image>, options: Options) -> Result<Machine, StartError> {
        let start::Loaded {
            board,
            bus,
            stack,
            hosted,
        } = start::load(board, image, &options)?;
        let mut processor = board.processor(bus, image.entry(), options.debugger);
        processor.set_remembering(options.remember);
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

    /// Runs until the program ends, or an instruction would start in cycle `limit` (since reset) or later. After
    /// [`Outcome::Limit`] the run can go on with a later limit; where it was cut changes nothing.
    pub fn run(&mut self, limit: u64, sink: &mut dyn Sink) -> Outcome {
        // The core stops before an instruction that would start at the limit; its own cycle may be a little less.
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
            let asked = sink.other_asked(self.processor.asked_to_pause());
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

    /// Passes on what the program has put out, and acts on the words of its memory that the host listens to.
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

    /// The chip is reset: begins again, unless the run is to end so. Gives how it ends.
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

    /// Tells what was put out; says whether the sink asks for a pause.
    fn tell_text(&mut self, sink: &mut dyn Sink) -> bool {
        let cycle = self.processor.cycle();
        let mut paused = false;
        for (stream, byte) in self.console.take_heard() {
            let error = stream == Stream::Error;
            paused |= sink.event(&Event::Text { cycle, error, byte }) == Flow::Pause;
        }
        paused
    }

    /// What a stop of the core before cycle `until` means; `None` to run on.
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

    /// This end, unless a device has refused something since the last access to one, which nothing else would tell. A call of a script
    /// that was ended with the run is its limit.
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
            // The program came to its end before the script did.
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

    /// Whether the program is in a branch to itself, or asleep, and nothing will interrupt it.
    fn idles_forever(&self) -> bool {
        let idles = self.processor.spins() || self.processor.sleeps();
        idles && !self.processor.can_be_interrupted()
    }

    /// Nothing can ever happen again: the end of a crash, if a fault led there.
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

    /// What devices say of accesses, each with its place in the program.
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

    /// Notes something of the run that the user should know. It is no output of the program.
    fn note(&mut self, note: String) {
        self.console.note(&note);
        self.notes.add(note);
    }

    /// Raises the input of `exception` in cycle `at` (since reset); in the past means at once. External interrupts and
    /// NMI are pulses on their inputs; a Cortex-M's own exceptions are set pending. An input of an RV32 core, which is a level,
    /// is held until its interrupt is taken.
    pub fn raise(&mut self, exception: Exception, at: u64) {
        self.processor.raise(exception, at);
    }

    pub(crate) fn processor(&self) -> &dyn Processor {
        self.processor.as_ref()
    }

    pub(crate) fn processor_mut(&mut self) -> &mut dyn Processor {
        self.processor.as_mut()
    }

    /// Saves the state. Costs what the program has written, not what the board has.
    pub fn snapshot(&mut self) -> Snapshot {
        Snapshot {
            processor: self.processor.snapshot(),
            semihosting: self.semihosting.clone(),
            hosted: self.hosted.clone(),
            resets: self.resets.count,
            notes: self.notes.clone(),
        }
    }

    /// Goes back to a state of this machine, or of one with the same board and image. What the program already put out
    /// stays put out, and what it wrote to files stays there.
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

    /// The core cycles of the stimuli that are still to come, each with its device's name.
    pub fn still_to_come(&self) -> Vec<(u64, String)> {
        let coming = self.processor.bus().still_to_come();
        coming.map(|(cycle, device)| (cycle, device.to_owned())).collect()
    }

    /// Bytes that came to a device and never got through, with its name and the reason.
    pub fn unreceived(&self) -> Vec<(String, usize, &'static str)> {
        let all = self.processor.bus().unreceived();
        all.map(|(device, bytes, why)| (device.to_owned(), bytes, why))
            .collect()
    }

    /// What a device has refused, and no access to one has been answered with yet, in words.
    pub fn refused(&self) -> Option<String> {
        match self.processor.bus().refused()? {
            BusError::NotModelled { region, what, .. } if &**what != SCRIPT_ENDED => {
                Some(format!("{region}: {what}"))
            }
            _ => None,
        }
    }

    /// The timing rules that decided a cycle since reset.
    pub fn relied(&self) -> RuleSet {
        self.processor.relied()
    }

    /// Instructions that were executed since reset.
    pub fn instructions(&self) -> u64 {
        self.processor.instructions()
    }

    /// The core's clock in Hz, as the program has set it by now.
    pub fn clock_hz(&self) -> u32 {
        self.processor.bus().core_clock()
    }

    /// The highest frequency in Hz that the core's clock has had since reset.
    pub fn fastest_clock_hz(&self) -> u32 {
        self.processor.bus().fastest_core_clock()
    }

    /// How the program has set the access to its flash by now.
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

    /// The first stack that grew over a variable of the program, in words: what happened, and where and when. Only of a Cortex-M.
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

    /// What was noticed of the run since reset, a sentence each, in this order: resets of the chip, accesses that a chip would not answer as the
    /// program may think. Of very many, the first.
    pub fn notes(&self) -> &[String] {
        self.notes.all()
    }

    /// The calls that led to where the core stands, innermost first, in the lines that a crash is told in.
    pub fn calls(&self) -> String {
        self.scene().calls()
    }

    /// Memory and peripherals, to look at.
    pub fn bus(&self) -> &Bus {
        self.processor.bus()
    }

    /// The core, to look at, if it is a Cortex-M.
    pub fn cortex_m(&self) -> Option<&Core> {
        self.processor.cortex_m()
    }

    /// The core, to look at, if it is an RV32 one.
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

    /// The word at `address` without side effects, if it is memory.
    pub fn peek_word(&self, address: u32) -> Option<u32> {
        self.processor.bus().peek_word(address)
    }
}
