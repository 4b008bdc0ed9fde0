//! A core's pipeline with its rules.

use super::pipeline::Pipeline;
use super::rule::{Rule, RuleSet};

/// Which pipeline a core has, with the rules that are switched on.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pipeline: &'static dyn Pipeline,
    rules: RuleSet,
    /// [`Pipeline::predicts_reads`], which is asked for each read from flash.
    predicts_reads: bool,
    slow_multiplier: bool,
    unbuffered: bool,
}

impl Model {
    /// A pipeline with these rules switched on.
    pub(crate) fn new(pipeline: &'static dyn Pipeline, rules: RuleSet) -> Self {
        Model {
            pipeline,
            rules,
            predicts_reads: pipeline.predicts_reads(),
            slow_multiplier: false,
            unbuffered: false,
        }
    }

    /// The pipeline model.
    #[inline]
    pub(crate) fn pipeline(self) -> &'static dyn Pipeline {
        self.pipeline
    }

    /// Switches off a [switchable](Rule::is_switchable) rule, which then adds no cycles.
    #[must_use]
    pub fn without(self, rule: Rule) -> Self {
        Model {
            rules: self.rules.without(rule),
            ..self
        }
    }

    /// Selects the small multiplier of an ARMv6-M core, which takes 32 cycles.
    #[must_use]
    pub fn with_slow_multiplier(self) -> Self {
        Model {
            slow_multiplier: true,
            ..self
        }
    }

    /// Switches the write buffer off, as ACTLR.DISDEFWBUF does.
    #[must_use]
    pub fn with_unbuffered_writes(self) -> Self {
        Model {
            unbuffered: true,
            ..self
        }
    }

    /// See [`Pipeline::predicts_reads`].
    #[inline]
    pub(crate) fn predicts_reads(self) -> bool {
        self.predicts_reads
    }

    /// Whether its write buffer is off.
    pub(crate) fn writes_unbuffered(self) -> bool {
        self.unbuffered
    }

    /// Whether it has the small multiplier.
    pub(crate) fn multiplies_slowly(self) -> bool {
        self.slow_multiplier
    }

    /// Whether a rule is on.
    #[inline]
    pub fn has(self, rule: Rule) -> bool {
        self.rules.contains(rule)
    }
}
