//! The Cortex-M0.

mod pipeline;
mod rules;

pub(crate) use pipeline::M0;
pub(crate) use pipeline::OneBus;
pub(crate) use rules::RULES;
pub(crate) use rules::takes;
