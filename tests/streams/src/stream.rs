//! A stream: a line for each event of a run.
//!
//! ```text
//! 12c 6829 2 load 2               an instruction: address, encoding, cycles of its window; then each rule with its cycles
//! 12e 1c49 0 +load-hides-nop      `+` marks a rule by which it cost nothing
//! 130 6031 1 store 1 @-1          `@`: the cycles from the start of its window to its own start, if not 0
//! read 20008004 4 0 2             an access: address, bytes, value, the cycles since the last window's end
//! enter 17 preempt 12 …           an exception's entry: number, kind, cycles; the rest in words
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use events::{
    Costs, EntryKind, Event, Exception, Flow, Interest, Mask, RuleBook, RuleSet, Silent, Sink, Window,
};
use machine::target::{Drive, Target, Until};
use machine::{Board, Image, Machine, Options, Outcome};

use crate::Trial;
use crate::program::Program;
use crate::setup::Core;

/// Cycles after which a program is given up.
pub const LIMIT: u64 = 6_000;

/// The stream of a trial.
///
/// # Errors
/// If the program cannot be run, or ends in another cycle when nobody listens.
pub fn of(trial: &Trial, program: &Program, board: &Board) -> Result<String> {
    let mut target = target(board, program)?;
    let mut text = Text::new(board.rule_book());
    let outcome = target.run(Until::Cycle(LIMIT), &mut text)?;
    let end = end(&outcome, &*target);
    let mut silent = self::target(board, program)?;
    let outcome = silent.run(Until::Cycle(LIMIT), &mut Silent)?;
    let alone = self::end(&outcome, &*silent);
    anyhow::ensure!(
        end == alone,
        "program {} of {}, {}: {end:?}, but with nobody listening {alone:?}",
        trial.number,
        trial.core.name(),
        trial.group()
    );
    text.lines.push_str(&end);
    Ok(text.lines)
}

/// The board of a core's setup.
///
/// # Errors
/// If its file is wrong.
pub fn board(trial: &Trial) -> Result<Board> {
    let Core { core, .. } = trial.core;
    let text = trial.setup.board(trial.core);
    Board::parse(trial.setup.name, &text).with_context(|| format!("{core}, {}", trial.setup.name))
}

fn target(board: &Board, program: &Program) -> Result<Box<dyn Target>> {
    let image = Arc::new(Image::parse("random", &program.elf())?);
    let mut target: Box<dyn Target> = Box::new(Machine::new(board, &image, Options::default())?);
    for (cycle, name) in &program.inputs {
        let exception = board.input(name)?;
        target.drive(exception, *cycle, Drive::Pulse)?;
    }
    Ok(target)
}

/// How a run ended, and after how many cycles and instructions.
fn end(outcome: &Outcome, target: &dyn Target) -> String {
    let how = match outcome {
        Outcome::Exit { .. } => "exit",
        Outcome::Limit { .. } => "limit",
        Outcome::Crash(_) | Outcome::Trapped(_) => "crash",
        Outcome::NotModelled(_) => "not-modelled",
        Outcome::Stuck(_) => "stuck",
        Outcome::Reset { .. } => "reset",
        Outcome::Paused { .. } => "paused",
    };
    format!("{how} {} {}\n", target.cycle(), target.instructions())
}

/// Writes the stream.
struct Text {
    lines: String,
    book: RuleBook,
    /// The end of the last window.
    last: u64,
}

impl Text {
    fn new(book: RuleBook) -> Text {
        Text {
            lines: String::new(),
            book,
            last: 0,
        }
    }

    fn id(&self, rule: events::RuleId) -> &'static str {
        self.book.get(rule).map_or("?", |rule| rule.id)
    }

    /// The cycles of a window and what they went to, in the order of names.
    fn costs(&mut self, at: Window, costs: &Costs, rules: RuleSet, started: u64) {
        self.last = at.to;
        let _ = write!(self.lines, " {}", at.length());
        let mut spent: Vec<_> = costs
            .iter()
            .map(|cost| (self.id(cost.rule), cost.cycles))
            .collect();
        spent.sort_unstable();
        for (id, cycles) in &spent {
            let _ = write!(self.lines, " {id} {cycles}");
        }
        let mut free: Vec<_> = self.book.of(rules).map(|rule| rule.id).collect();
        free.retain(|id| spent.iter().all(|(other, _)| other != id));
        free.sort_unstable();
        for id in free {
            let _ = write!(self.lines, " +{id}");
        }
        let start = started as i64 - at.from as i64;
        if start != 0 {
            let _ = write!(self.lines, " @{start}");
        }
    }

    fn access(&mut self, what: &str, [address, size, value]: [u32; 3], cycle: u64) {
        let since = cycle as i64 - self.last as i64;
        let _ = write!(self.lines, "{what} {address:x} {size} {value:x} {since}");
    }

    fn write(&mut self, event: &Event) {
        match event {
            Event::Retire(retire) => {
                let _ = write!(self.lines, "{:x} {:x}", retire.pc, retire.raw);
                self.costs(retire.at, &retire.costs, retire.rules, retire.issued);
            }
            Event::Enter(enter) => {
                let _ = write!(
                    self.lines,
                    "enter {} {}",
                    number(enter.exception),
                    kind(enter.kind)
                );
                self.costs(enter.at, &enter.costs, enter.rules, enter.recognised);
                let priority = enter.priority.unwrap_or_default();
                let _ = write!(
                    self.lines,
                    " handler {:x} return {:x} sp {:x} priority {priority}",
                    enter.handler, enter.return_address, enter.sp
                );
            }
            Event::Exit(exit) => {
                let _ = write!(self.lines, "leave {}", number(exit.exception));
                self.costs(exit.at, &exit.costs, exit.rules, exit.began);
                let _ = write!(self.lines, " to {:x} sp {:x}", exit.to, exit.sp);
            }
            Event::Sleep { at, costs } => self.waited("sleep", *at, costs),
            Event::Semihosting { at, costs, .. } => self.waited("host", *at, costs),
            Event::Breakpoint { at, costs, .. } => self.waited("breakpoint", *at, costs),
            Event::Reset { at, costs } => self.waited("reset", *at, costs),
            Event::Write {
                cycle,
                address,
                size,
                value,
                ..
            } => self.access("write", [*address, u32::from(*size), *value], *cycle),
            Event::Read {
                cycle,
                address,
                size,
                value,
                ..
            } => self.access("read", [*address, u32::from(*size), *value], *cycle),
            Event::MaskChange {
                cycle,
                mask,
                old,
                new,
                ..
            } => {
                let (old, new) = (u32::from(*old), u32::from(*new));
                self.access(mask_name(*mask), [old, 1, new], *cycle);
            }
            Event::Input {
                cycle,
                exception,
                level,
                ..
            } => {
                self.access(
                    "input",
                    [u32::from(number(*exception)), 1, u32::from(*level)],
                    *cycle,
                );
            }
            _ => return,
        }
        self.lines.push('\n');
    }

    fn waited(&mut self, what: &str, at: Window, costs: &Costs) {
        self.lines.push_str(what);
        self.costs(at, costs, RuleSet::EMPTY, at.from);
    }
}

impl Sink for Text {
    fn interest(&self) -> Interest {
        Interest::everything()
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.write(event);
        Flow::On
    }
}

fn number(exception: Exception) -> u16 {
    exception.number().expect("an exception of a Cortex-M")
}

const fn kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Preempt => "preempt",
        EntryKind::TailChain => "tail-chain",
        EntryKind::LateArrival => "late-arrival",
    }
}

const fn mask_name(mask: Mask) -> &'static str {
    match mask {
        Mask::Primask => "primask",
        Mask::Faultmask => "faultmask",
        Mask::Basepri => "basepri",
        Mask::Mie => "mie",
    }
}
