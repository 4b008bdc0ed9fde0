//! Records the run, and timelines of the worst and best samples.

use std::collections::BTreeMap;

use machine::Exception;
use report::{Program, Row, StackFrame, Unit};
use spans::Place;

use super::Plan;
use crate::backend::Bench;
use crate::diagnostic::Result;
use crate::ended::in_words;
use crate::project::Project;
use crate::session::Pass;
use crate::timeline;

/// The samples of a row to record.
pub(super) struct Sampled {
    /// The row's index in the outcome.
    pub(super) row: usize,
    pub(super) worst: Place,
    /// The best sample, if it differs from the worst.
    pub(super) best: Option<Place>,
}

impl Plan<'_> {
    /// The program and run of a pass.
    pub(super) fn run_of(&self, pass: &Pass, machine: &Bench, raises: &[(u64, Exception)]) -> Program {
        let image = self.setup.image;
        let called = self.setup.board.exception_names();
        let input = |&(cycle, exception): &(u64, Exception)| (called.name(exception), cycle);
        Program {
            elf: Project::here().name_of_argument(image.file()),
            sha256: image.sha256().to_owned(),
            toolchain: image.toolchain().to_vec(),
            outcome: pass.ended(&self.session()).unwrap_or_else(|| {
                pass.outcome
                    .as_ref()
                    .map_or_else(|| "all measured".to_owned(), in_words)
            }),
            inputs: raises.iter().map(input).collect(),
            runs: self.phases(),
            clock_hz: machine.clock_hz(),
        }
    }

    /// Runs the program again and records timelines of the samples. The Verilog has no rules to record.
    pub(super) fn record(
        &self,
        samples: &[Sampled],
        raises: &[(u64, Exception)],
        rows: &mut [Row],
    ) -> Result<()> {
        if !self.setup.backend.is_model() {
            return Ok(());
        }
        let mut by_run: BTreeMap<u64, Vec<(usize, bool, Place)>> = BTreeMap::new();
        for sample in samples {
            let both = [(true, Some(sample.worst)), (false, sample.best)];
            for (is_worst, place) in both {
                if let Some(place) = place {
                    by_run
                        .entry(place.run)
                        .or_default()
                        .push((sample.row, is_worst, place));
                }
            }
        }
        for (run, wanted) in by_run {
            let mut bench = self.bench(run, raises)?;
            let places: Vec<Place> = wanted.iter().map(|(_, _, place)| *place).collect();
            let limit = self.setup.horizon.cycles();
            let timelines = timeline::record(&mut bench, self.setup.image, self.setup.board, &places, limit)?;
            for ((row, is_worst, _), timeline) in wanted.into_iter().zip(timelines) {
                let obtained = &mut rows[row].obtained;
                let place = if is_worst {
                    &mut obtained.worst
                } else {
                    &mut obtained.best
                };
                *place = timeline.map(Box::new);
            }
        }
        for sample in samples {
            if rows[sample.row].unit == Unit::Bytes {
                rows[sample.row].obtained.deepest =
                    self.deepest(sample.worst, raises, rows[sample.row].max)?;
            }
        }
        Ok(())
    }

    /// The program at reset, with the interrupts of this run to come.
    fn bench(&self, run: u64, raises: &[(u64, Exception)]) -> Result<Bench> {
        let mut bench = self.session().bench()?;
        for &(cycle, exception) in raises {
            bench.raise(exception, cycle + run)?;
        }
        Ok(bench)
    }

    /// The path of calls on which a sample is deepest. What the calls do not account for is the frame of the exception that began it.
    fn deepest(&self, worst: Place, raises: &[(u64, Exception)], bytes: i64) -> Result<Vec<StackFrame>> {
        let mut bench = self.bench(worst.run, raises)?;
        let (setup, limit) = (self.setup, self.setup.horizon.cycles());
        let called = setup.board.exception_names();
        let mut path = timeline::deepest(&mut bench, setup.image, called, worst, limit)?;
        let rest = bytes - path.iter().map(|frame| frame.bytes).sum::<i64>();
        if rest != 0 && !path.is_empty() {
            let frame = StackFrame {
                function: "exception entry".to_owned(),
                bytes: rest,
                place: None,
            };
            path.insert(0, frame);
        }
        Ok(path)
    }
}
