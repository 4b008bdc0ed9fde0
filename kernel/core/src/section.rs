//! The actions that raise the level to a ceiling and lower it again.
//!
//! A [`Level`] is where the running code stands: its priority, and what BASEPRI holds there, as far as the plan tells.
//! Both are known while compiling, so a section is never more than the one [`Action`] that it needs:
//!
//! | from | to | action |
//! |---|---|---|
//! | any level | a ceiling not above it | [`Action::Nothing`] |
//! | any level | a ceiling below the chip's highest level | [`Action::Threshold`]: BASEPRI up and back |
//! | any level | the chip's highest level, which BASEPRI cannot hold back | [`Action::Global`]: PRIMASK |

use crate::plan::Plan;
use crate::priority::{GLOBAL, threshold};

/// How the threshold of a level is found again when a section ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restore {
    /// It is always this value of BASEPRI.
    Known(u8),
    /// It depends on the code that the task pre-empted: read it before raising.
    Read,
}

/// The action of a section at its two ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Nothing: all code that could interfere is held back already.
    Nothing,
    /// Writes BASEPRI, and writes it back.
    Threshold {
        /// The value inside.
        raised: u8,
        /// The value after.
        restore: Restore,
    },
    /// Holds every interrupt back, and lets them through again if they were before.
    Global,
}

/// Where the running code stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Nothing at this priority or below can pre-empt the code.
    pub priority: u8,
    /// The value of BASEPRI.
    pub threshold: Restore,
}

impl Plan {
    /// A threshold that the application wrote itself. Inside a section of other code the write may have had no
    /// effect, because it only ever raises.
    const fn known(&self, raised: u8) -> Restore {
        if self.owns_basepri {
            Restore::Known(raised)
        } else {
            Restore::Read
        }
    }
}

impl Level {
    /// Of a task (or the idle loop) at `priority`, outside of every section.
    #[must_use]
    pub const fn base(plan: &Plan, priority: u8) -> Self {
        let threshold = if plan.owns_basepri && plan.starts_unmasked(priority) {
            Restore::Known(0)
        } else {
            Restore::Read
        };
        Level { priority, threshold }
    }

    /// Inside a section with `ceiling` that starts here.
    #[must_use]
    pub const fn raised(self, plan: &Plan, ceiling: u8) -> Self {
        match self.action(plan, ceiling) {
            Action::Nothing => self,
            Action::Threshold { raised, .. } => Level {
                priority: ceiling,
                threshold: plan.known(raised),
            },
            Action::Global => self.global(),
        }
    }

    /// Inside a section that holds back everything.
    #[must_use]
    pub const fn global(self) -> Self {
        Level {
            priority: GLOBAL,
            threshold: self.threshold,
        }
    }

    /// The action of a section with `ceiling` that starts here.
    #[must_use]
    pub const fn action(self, plan: &Plan, ceiling: u8) -> Action {
        if ceiling <= self.priority {
            Action::Nothing
        } else if ceiling >= plan.levels() {
            Action::Global
        } else {
            Action::Threshold {
                raised: threshold(ceiling, plan.bits),
                restore: self.threshold,
            }
        }
    }

    /// On a core whose sections clear enable bits: whether code at this level may set or clear the bit of a task at
    /// priority `task`. A section that is under way has it cleared if its ceiling reaches `task`. Sections of tasks
    /// that this one pre-empted have ceilings below this task's priority, because they would hold it back; a section of
    /// its own has this level. A task that a system exception starts is held back by no section, so it may use no bit
    /// ([`Plan::is_started_by_system`]).
    #[must_use]
    pub const fn may_use_enable_bit(self, task: u8, in_section: bool) -> bool {
        if in_section {
            task > self.priority
        } else {
            task >= self.priority
        }
    }
}
