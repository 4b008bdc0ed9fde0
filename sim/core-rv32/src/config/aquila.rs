//! Aquila (eisl-nctu/aquila): its instruction set and registers. There is no model of its pipeline.

use isa_rv32::Extension;

use super::{Config, Family, IM, Timing};

/// The core alone, five stages with a predictor of 64 entries, RV32IMA.
pub const AQUILA: Config = Config {
    timing: None,
    ..Config::new(
        "aquila",
        Family::Manual,
        IM.with(Extension::Zalrsc).with(Extension::Zaamo),
        &[],
        Timing::Lite,
    )
};
