//! The Cortex-M0+: the pipeline of the Cortex-M0 with a stage less.

mod pipeline;
mod rules;

pub(crate) use pipeline::M0PLUS;
pub(crate) use rules::RULES;
#[cfg(test)]
pub(crate) use rules::takes;
