//! The Cortex-M0.

mod pipeline;
mod rules;

pub(in crate::timing) use pipeline::OneBus;
pub(crate) use pipeline::M0;
pub(crate) use rules::RULES;
#[cfg(test)]
pub(in crate::timing) use rules::takes;
