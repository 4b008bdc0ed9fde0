//! How far what is under way has come, for whoever shows it. What works here only says so, in passing; nothing depends on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Cycles of the run that is under way.
static CYCLE: AtomicU64 = AtomicU64::new(0);
/// Where that run ends at the latest; `u64::MAX` if nobody knows.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);
/// Steps of the stage that are done.
static DONE: AtomicU64 = AtomicU64::new(0);
static STAGE: Mutex<Option<(String, u64)>> = Mutex::new(None);

/// How far it has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What is being done, if that has a name.
    pub what: Option<String>,
    /// How many steps it has, if it has any, and how many are done.
    pub steps: Option<(u64, u64)>,
    /// The cycle that the run which is under way has come to.
    pub cycle: u64,
    /// The cycle in which that ends at the latest, if somebody knows.
    pub most: Option<u64>,
}

/// How far it has come by now.
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

/// A run has come to this cycle.
pub(crate) fn at(cycle: u64) {
    CYCLE.store(cycle, Ordering::Relaxed);
}

/// A run begins that ends in this cycle at the latest.
pub fn until(most: u64) {
    MOST.store(most, Ordering::Relaxed);
}

/// Something that takes a while, until this is dropped. What is begun within another stage is a part of that.
#[derive(Debug)]
pub(crate) struct Stage {
    is_outermost: bool,
}

impl Stage {
    /// It begins; `steps` is how many it has, 0 if nobody knows.
    pub(crate) fn new(what: &str, steps: u64) -> Stage {
        let mut stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
        let is_outermost = stage.is_none();
        if is_outermost {
            DONE.store(0, Ordering::Relaxed);
            *stage = Some((what.to_owned(), steps));
        }
        Stage { is_outermost }
    }

    /// One step more.
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
