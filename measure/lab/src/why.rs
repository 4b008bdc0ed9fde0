//! Where the cycles around a point went: its instructions in their windows, each cycle with its rule.
//!
//! The program is run twice. The first run goes fast to the point and finds its cycle; the second listens to everything, but only
//! from a little before that cycle on. Runs are repeatable, so that both meet the same point.

mod find;
mod record;
mod show;

use std::sync::Arc;

use events::{Cost, Costs, Event, Rule, RuleBook, RuleSet, Silent, Window};
use machine::{Allow, Board, Console, Debugger, Exception, Image, Options, Stimulus};

use crate::asked::{Arrivals, Asked, Interruption, Noting};
use crate::backend::{Backend, Bench};
use crate::diagnostic::{Diagnostic, Result};
use crate::fit::overclocked;
use crate::horizon::Horizon;
use crate::resolve::Scope;
use crate::spec::{Located, Point, Raise, Spec};
use crate::watch::Place;

use find::Hit;
use record::Recorder;

/// Cycles in front of the point that are listened to, for each window that is shown: few instructions take more. Where that
/// is not enough, the run is repeated.
const CYCLES_A_WINDOW: u64 = 20;

/// What to show.
#[derive(Clone, Debug)]
pub struct Why {
    /// The point, as a spec writes it.
    pub point: String,
    /// Which time it is met, from 1.
    pub hit: u64,
    /// Windows before it, and behind it.
    pub around: usize,
    /// How far to look for it.
    pub horizon: Horizon,
    /// Interrupts from outside.
    pub interrupts: Vec<Interruption>,
    /// What comes to the program's devices from outside.
    pub stimuli: Vec<Stimulus>,
    /// Addresses to answer although the board does not describe them.
    pub allow: Vec<Allow>,
}

/// The windows around a point. They follow each other without a gap, and the costs of each add up to its length.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The file's name.
    pub elf: String,
    /// The board's name.
    pub board: String,
    /// The core's name.
    pub core: String,
    /// The point, as it was asked for.
    pub point: String,
    /// Which time it was met.
    pub hit: u64,
    /// When.
    pub cycle: u64,
    /// In their order; one of them is the point's.
    pub windows: Vec<Shown>,
    /// The rules of the core.
    pub book: RuleBook,
    /// Warnings about the run, up to the end of what is shown: interrupts from outside that were not taken, resets of the chip.
    pub missing: Vec<Diagnostic>,
}

/// One window.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// What it is, as a trace calls it: `retire`, `enter`, `exit`, `bkpt`, `semihost`, `sleep`.
    pub kind: &'static str,
    /// Its cycles.
    pub at: Window,
    /// When it happened: an instruction may start before or behind the first cycle of its window.
    pub cycle: u64,
    /// The instruction's address.
    pub pc: Option<u32>,
    /// The instruction, or what happened.
    pub text: String,
    /// What its cycles went to.
    pub costs: Costs,
    /// The rules that decided it, those by which it cost nothing included.
    pub rules: RuleSet,
    /// Function and line, as far as they are known.
    pub place: String,
    /// Whether this is the point.
    pub is_hit: bool,
}

impl Answer {
    /// The cycles of all windows.
    pub fn cycles(&self) -> u64 {
        self.windows.iter().map(|shown| shown.at.length()).sum()
    }

    /// Every rule that appears, with its cycles: those that took most first.
    pub fn rules(&self) -> Vec<(Rule, u64)> {
        let mut all: Vec<(Rule, u64)> = Vec::new();
        let costs = self.windows.iter().flat_map(|shown| shown.costs.iter());
        let hidden = self.windows.iter().filter(|shown| shown.at.length() == 0);
        let hidden = hidden
            .flat_map(|shown| self.book.of(shown.rules))
            .map(|rule| Cost {
                rule: rule.number,
                cycles: 0,
            });
        for Cost { rule, cycles } in costs.chain(hidden) {
            let cycles = u64::from(cycles);
            match all.iter_mut().find(|(known, _)| known.number == rule) {
                Some((_, sum)) => *sum += cycles,
                None => all.extend(self.book.get(rule).map(|rule| (*rule, cycles))),
            }
        }
        all.sort_by_key(|(_, cycles)| std::cmp::Reverse(*cycles));
        all
    }
}

/// Shows where the cycles around a point went.
///
/// # Errors
///
/// If there is no such point, or the run does not meet it that often.
pub fn why(image: &Arc<Image>, board: &Board, why: &Why) -> Result<Answer> {
    let mut asked = Asked::new("why", image);
    let word = asked.word(&why.point);
    let raises = asked.raises(&why.interrupts);
    let spec = asked.spec();
    let parsed = Point::parse(&word.value);
    let point = Located {
        value: parsed.map_err(|(title, help)| spec.mistake(title, &word.range, "").help(help))?,
        range: word.range,
    };
    let scope = Scope {
        spec: &spec,
        image,
        board,
    };
    let search = Search {
        image,
        board,
        why,
        spec: &spec,
        place: scope.place(&point)?,
        halts: scope.halts(&point)?,
        raises: exceptions(&scope, &raises, &why.interrupts)?,
        point,
    };
    let hit = search.find()?;
    search.answer(hit)
}

/// These windows as text, with the rules of their cycles.
pub fn windows(image: &Image, board: &Board, events: &[Event]) -> String {
    let mut recorder = Recorder::new(image, board, Hit::Input(u64::MAX), usize::MAX, false);
    let windows = events.iter().filter_map(|event| recorder.shown(event));
    let answer = Answer {
        elf: image.file().to_owned(),
        board: board.name().to_owned(),
        core: board.core().name().to_owned(),
        point: String::new(),
        hit: 1,
        cycle: 0,
        windows: windows.collect(),
        book: board.core().rule_book(),
        missing: Vec::new(),
    };
    answer.windows_and_rules()
}

/// The exceptions of the interrupts from outside, and their cycles.
fn exceptions(
    scope: &Scope<'_>,
    raises: &[Raise],
    interrupts: &[Interruption],
) -> Result<Vec<(u64, Exception)>> {
    let both = raises.iter().zip(interrupts);
    both.map(|(raise, interrupt)| Ok((interrupt.cycle, scope.input(&raise.irq)?)))
        .collect()
}

struct Search<'a> {
    image: &'a Arc<Image>,
    board: &'a Board,
    why: &'a Why,
    spec: &'a Spec,
    place: Place,
    halts: Vec<u32>,
    raises: Vec<(u64, Exception)>,
    point: Located<Point>,
}

impl Search<'_> {
    /// The program at reset, with the debugger that `measure` has.
    fn bench(&self) -> Result<Bench> {
        let options = Options {
            debugger: Debugger::Attached,
            halts: self.halts.clone(),
            allow: self.why.allow.clone(),
            stimuli: self.why.stimuli.clone(),
            console: Console::none(),
            ..Options::default()
        };
        let mut bench = Backend::Model.bench(self.board, self.image, options)?;
        for &(cycle, exception) in &self.raises {
            bench.raise(exception, cycle)?;
        }
        Ok(bench)
    }

    fn mistake(&self, title: String) -> Diagnostic {
        self.spec.mistake(title, &self.point.range, "")
    }

    /// The windows around what was hit: from further in front, if there were too few.
    fn answer(&self, hit: Hit) -> Result<Answer> {
        let mut distance = CYCLES_A_WINDOW * (self.why.around as u64 + 2);
        loop {
            let start = hit.cycle().saturating_sub(distance);
            let (recorder, missing) = self.record(hit, start)?;
            if recorder.has_enough() || start == 0 {
                return Ok(Answer {
                    elf: self.image.file().to_owned(),
                    board: self.board.name().to_owned(),
                    core: self.board.core().name().to_owned(),
                    point: self.why.point.clone(),
                    hit: self.why.hit,
                    cycle: hit.cycle(),
                    windows: recorder.into_windows(),
                    book: self.board.core().rule_book(),
                    missing,
                });
            }
            distance = distance.saturating_mul(8);
        }
    }

    /// What was recorded, and warnings about interrupts that were not taken.
    fn record(&self, hit: Hit, start: u64) -> Result<(Recorder<'_>, Vec<Diagnostic>)> {
        let mut bench = self.bench()?;
        let mut arrivals = Arrivals::new(self.image.architecture(), &self.raises);
        if start > 0 {
            let mut noting = Noting {
                arrivals: &mut arrivals,
                sink: &mut Silent,
            };
            bench.run(start, &mut noting)?;
        }
        let mut recorder = Recorder::new(self.image, self.board, hit, self.why.around, start > 0);
        let mut noting = Noting {
            arrivals: &mut arrivals,
            sink: &mut recorder,
        };
        self.why.horizon.run(&mut bench, u64::MAX, &mut noting)?;
        let mut missing = arrivals.missing_by(bench.cycle(), &self.board.exception_names());
        missing.extend(overclocked(self.board, &bench));
        missing.extend(bench.notes());
        Ok((recorder, missing))
    }
}
