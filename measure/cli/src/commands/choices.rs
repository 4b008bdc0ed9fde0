//! What the library lets one choose, as the command line names it.

use std::path::PathBuf;

use lab::backend::Backend;

/// What runs the programs, and where it is kept.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Choice {
    /// What runs the programs: the model, or the Verilog of an RV32 core, with Verilator.
    #[arg(long, value_name = "BACKEND", default_value = "model")]
    backend: Name,
    /// Where the Verilog is downloaded and built.
    #[arg(long, value_name = "DIR", default_value = "target/rtl")]
    rtl_cache: PathBuf,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Name {
    Model,
    Rtl,
}

impl Choice {
    /// The backend.
    pub(super) fn backend(&self) -> Backend {
        match self.backend {
            Name::Model => Backend::Model,
            Name::Rtl => Backend::Rtl(self.rtl_cache.clone()),
        }
    }
}

/// When a point in code is met.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    /// When its instruction is executed.
    Retire,
    /// When the core begins to fetch from its address, even if the instruction is never executed. This is what a counter
    /// sees that watches the fetch address register, or, on Ibex, the bus.
    Fetch,
}

impl From<View> for lab::watch::View {
    fn from(view: View) -> Self {
        match view {
            View::Retire => lab::watch::View::Retire,
            View::Fetch => lab::watch::View::Fetch,
        }
    }
}
