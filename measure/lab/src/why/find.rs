//! Finds the cycle in which a point is reached.

use events::{Event, Flow, Interest, Silent, Sink};
use machine::{Exception, Outcome};

use super::Search;
use crate::backend::Bench;
use crate::diagnostic::{Diagnostic, Result};
use crate::ended::failure;
use crate::meets::Meets;
use crate::watch::Place;

/// The hit of a point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hit {
    /// An event with a window.
    Window(Event),
    /// A store, whose instruction's window follows it.
    Store {
        /// Cycle of the store.
        cycle: u64,
        /// Address of the instruction.
        pc: u32,
    },
    /// An external interrupt, in this cycle.
    Input(u64),
}

impl Hit {
    fn of(event: &Event) -> Hit {
        match *event {
            Event::Write { cycle, pc, .. } => Hit::Store { cycle, pc },
            _ => Hit::Window(*event),
        }
    }

    pub(super) fn cycle(&self) -> u64 {
        match self {
            Hit::Window(event) => met_at(event),
            Hit::Store { cycle, .. } | Hit::Input(cycle) => *cycle,
        }
    }
}

/// The cycle in which a point is reached by this event.
fn met_at(event: &Event) -> u64 {
    match event {
        Event::Enter(enter) => enter.at.to,
        Event::Exit(exit) => exit.at.to,
        _ => event.cycle(),
    }
}

/// Counts the hits of a place.
struct Finder {
    meets: Meets,
    wanted: u64,
    hits: u64,
    found: Option<Hit>,
}

impl Search<'_> {
    /// Runs until the point has been reached as often as requested.
    pub(super) fn find(&self) -> Result<Hit> {
        if let Place::Raise(exception) = self.place {
            return self.raised(exception);
        }
        let mut bench = self.bench()?;
        let mut finder = Finder {
            meets: Meets::new(self.place.clone()),
            wanted: self.why.hit,
            hits: 0,
            found: None,
        };
        let outcome = self.why.horizon.run(&mut bench, u64::MAX, &mut finder)?;
        if let Some(hit) = finder.found {
            return Ok(hit);
        }
        let title = self.missed(finder.hits);
        let ended =
            Some(outcome).filter(|outcome| !matches!(outcome, Outcome::Exit { .. } | Outcome::Stuck(_)));
        let failed = ended.and_then(|outcome| self.failure(&outcome, &mut bench));
        let message = match failed {
            Some(message) => message.note(title),
            None => self.mistake(title),
        };
        let notes = bench.target().notes();
        Err(notes
            .iter()
            .fold(message, |message, note| message.note(note.clone())))
    }

    /// The cycle of a command-line interrupt, which needs no search.
    fn raised(&self, exception: Exception) -> Result<Hit> {
        let raised = self.raises.iter().filter(|(_, raised)| *raised == exception);
        let mut cycles: Vec<u64> = raised.map(|(cycle, _)| *cycle).collect();
        cycles.sort_unstable();
        let index = usize::try_from(self.why.hit - 1).unwrap_or(usize::MAX);
        let cycle = cycles.get(index).copied().ok_or_else(|| {
            let help = "`--raise IRQ6@1000` raises an interrupt in cycle 1000";
            self.mistake(self.missed(cycles.len() as u64)).help(help)
        })?;
        // It arrives only if the program is still running.
        let mut bench = self.bench()?;
        let outcome = self.why.horizon.run(&mut bench, cycle, &mut Silent)?;
        let ended = !matches!(outcome, Outcome::Limit { .. } | Outcome::Stuck(_));
        if ended || bench.cycle() < cycle {
            let note = format!("it is raised in cycle {cycle}, and the run ends before");
            let failed = self.failure(&outcome, &mut bench);
            return Err(match failed {
                Some(message) => message.note(note),
                None => self.mistake(self.missed(index as u64)).help(note),
            });
        }
        Ok(Hit::Input(cycle))
    }

    /// Why a run ended before the hit, if that needs explaining.
    fn failure(&self, outcome: &Outcome, bench: &mut Bench) -> Option<Diagnostic> {
        match (outcome, self.why.horizon) {
            // It ended as requested.
            (Outcome::Limit { .. }, horizon) if horizon.is_end() => None,
            _ => failure(
                outcome,
                self.why.horizon.cycles(),
                self.image,
                bench.waits(outcome),
            ),
        }
    }

    fn missed(&self, hits: u64) -> String {
        let point = &self.point.value;
        match hits {
            0 => format!("`{point}` was never reached"),
            1 => format!("`{point}` was met only once"),
            _ => format!("`{point}` was met only {hits} times"),
        }
    }
}

impl Sink for Finder {
    fn interest(&self) -> Interest {
        self.meets.interest()
    }

    fn event(&mut self, event: &Event) -> Flow {
        if self.found.is_none() && self.meets.meets(event) {
            self.hits += 1;
            if self.hits == self.wanted {
                self.found = Some(Hit::of(event));
            }
        }
        if self.found.is_some() {
            Flow::Pause
        } else {
            Flow::On
        }
    }
}
