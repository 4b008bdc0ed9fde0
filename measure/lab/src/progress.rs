//! Reports progress for displays. Workers update it in passing, and nothing depends on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Current cycle of the run.
static CYCLE: AtomicU64 = AtomicU64::new(0);
/// Upper bound on the run's last cycle; `u64::MAX` if unknown.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);
/// Number of completed steps of the stage.
static DONE: AtomicU64 = AtomicU64::new(0);
static STAGE: Mutex<Option<(String, u64)>> = Mutex::new(None);

/// The progress of the current work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The name of the stage, if any.
    pub what: Option<String>,
    /// Total and completed steps, if there are steps.
    pub steps: Option<(u64, u64)>,
    /// Current cycle of the run.
    pub cycle: u64,
    /// Upper bound on the run's last cycle, if known.
    pub most: Option<u64>,
}

/// The current progress.
pub fn now() -> Progress {
    let stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (what, steps) = stage.unzip();
    Progress {
        what,
        steps: steps
            .filter(|steps| *steps > 0)
            .map(|steps| (DONE.load(Ordering::Relaxed).min(steps), steps)),
        cycle: CYCLE.load(Ordering::Relaxed),
        most: Some(MOST.load(Ordering::Relaxed)).filter(|most| *most != u64::MAX),
    }
}

/// Sets the run's current cycle.
pub(crate) fn at(cycle: u64) {
    CYCLE.store(cycle, Ordering::Relaxed);
}

/// Starts a run with this upper bound on its last cycle.
pub fn until(most: u64) {
    MOST.store(most, Ordering::Relaxed);
}

/// A stage of work that ends when it is dropped. A stage begun inside another belongs to it.
#[derive(Debug)]
pub struct Stage {
    is_outermost: bool,
}

impl Stage {
    /// Starts a stage of `steps` steps; 0 if unknown.
    #[must_use = "a stage ends when it is dropped"]
    pub fn new(what: &str, steps: u64) -> Stage {
        let mut stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
        let is_outermost = stage.is_none();
        if is_outermost {
            DONE.store(0, Ordering::Relaxed);
            *stage = Some((what.to_owned(), steps));
        }
        Stage { is_outermost }
    }

    /// Completes one step.
    pub(crate) fn step(&self) {
        DONE.fetch_add(u64::from(self.is_outermost), Ordering::Relaxed);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if self.is_outermost {
            *STAGE.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_has_steps_until_it_is_over() {
        let stage = Stage::new("phases", 3);
        stage.step();
        Stage::new("a part of it", 9).step();
        let then = now();
        assert_eq!((then.what.as_deref(), then.steps), (Some("phases"), Some((1, 3))));
        drop(stage);
        assert_eq!(now().what, None);
    }
}
