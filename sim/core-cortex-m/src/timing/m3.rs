//! The Cortex-M3.

mod issue;
mod pipeline;
mod rules;

pub(crate) use pipeline::M3;
pub(crate) use rules::RULES;
#[cfg(test)]
pub(in crate::timing) use rules::takes;
