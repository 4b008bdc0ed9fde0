//! Shows where the cycles around a point went: the instructions in their windows, each cycle with its rule.
//!
//! The program runs twice. The first run finds the cycle of the point on the fast path; the second records every event, but only from
//! shortly before that cycle. Runs are repeatable, so both reach the same point.

mod find;
mod record;
mod show;

use std::sync::Arc;

use events::{Cost, Costs, Event, Rule, RuleBook, RuleSet, Silent, Window};
use machine::{Allow, Board, Console, Debugger, Exception, Image, Options, Stimulus};

use crate::asked::{Arrivals, Asked, Interruption, Noting, resolve};
use crate::backend::{Backend, Bench};
use crate::diagnostic::{Diagnostic, Result};
use crate::fit::overclocked;
use crate::horizon::Horizon;
use crate::resolve::Scope;
use crate::spec::{Located, Point, Spec};
use crate::watch::Place;

use find::Hit;
use record::Recorder;

/// Cycles to record before the point, per window shown; few instructions take longer. If that is not enough, the run is repeated.
const CYCLES_A_WINDOW: u64 = 20;

/// The query.
#[derive(Clone, Debug)]
pub struct Why {
    /// The point, as a spec writes it.
    pub point: String,
    /// The hit to show, from 1.
    pub hit: u64,
    /// Number of windows before and after it.
    pub around: usize,
    /// The limit of the search.
    pub horizon: Horizon,
    /// External interrupts.
    pub interrupts: Vec<Interruption>,
    /// External input to the program's devices.
    pub stimuli: Vec<Stimulus>,
    /// Addresses to answer although the board does not describe them.
    pub allow: Vec<Allow>,
}

/// The windows around a point. They are contiguous, and the costs of each add up to its length.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The ELF file's name.
    pub elf: String,
    /// The board's name.
    pub board: String,
    /// The core's name.
    pub core: String,
    /// The point as requested.
    pub point: String,
    /// The number of the hit.
    pub hit: u64,
    /// Cycle of the hit.
    pub cycle: u64,
    /// The windows in order, including the point's.
    pub windows: Vec<Shown>,
    /// The rules of the core.
    pub book: RuleBook,
    /// Warnings about the run up to the last window: external interrupts that were not taken, chip resets.
    pub missing: Vec<Diagnostic>,
}

/// A window.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Its kind, as in a trace: `retire`, `enter`, `exit`, `bkpt`, `semihost`, `sleep`.
    pub kind: &'static str,
    /// Its cycles.
    pub at: Window,
    /// Cycle of the event. An instruction may start before or after the first cycle of its window.
    pub cycle: u64,
    /// The instruction's address.
    pub pc: Option<u32>,
    /// Disassembly, or what happened.
    pub text: String,
    /// Its cycles by rule.
    pub costs: Costs,
    /// The rules that decided it, including those by which it cost nothing.
    pub rules: RuleSet,
    /// Function and line, as far as known.
    pub place: String,
    /// Whether this is the point.
    pub is_hit: bool,
}

impl Answer {
    /// Total cycles of all windows.
    pub fn cycles(&self) -> u64 {
        self.windows.iter().map(|shown| shown.at.length()).sum()
    }

    /// The rules with their cycles, the most cycles first.
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
/// If there is no such point, or the run does not reach it that often.
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
        raises: resolve(&scope, &raises, &why.interrupts)?,
        point,
    };
    let hit = search.find()?;
    search.answer(hit)
}

/// Formats these windows as text, with the rules of their cycles.
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
    /// The program at reset, with a debugger as in `measure`.
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

    /// The windows around the hit; starts earlier if there were too few.
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

    /// The recorded windows, and warnings about interrupts that were not taken.
    fn record(&self, hit: Hit, start: u64) -> Result<(Recorder<'_>, Vec<Diagnostic>)> {
        let mut bench = self.bench()?;
        let mut arrivals = Arrivals::new(&self.raises);
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
