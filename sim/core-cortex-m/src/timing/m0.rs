//! The Cortex-M0.

mod pipeline;
mod rules;

pub(crate) use pipeline::M0;
pub(in crate::timing) use pipeline::OneBus;
pub(crate) use rules::RULES;
pub(in crate::timing) use rules::takes;
