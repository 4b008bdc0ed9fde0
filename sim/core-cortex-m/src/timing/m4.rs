//! The Cortex-M4: the pipeline of the Cortex-M3 with rules of its own, and the floating-point unit beside it.

pub(crate) mod float;
mod float_rules;
mod rules;

pub(crate) use float_rules::RULES as FLOAT_RULES;
pub(crate) use rules::RULES;
