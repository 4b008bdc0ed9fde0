//! The pipeline of the Cortex-M0+.

use super::rules::takes;
use crate::timing::m0::OneBus;

/// It has no decode stage, so that a word is executed in the cycle in which the Cortex-M0 decodes it.
pub(crate) static M0PLUS: OneBus = OneBus { ahead: 1, takes };
