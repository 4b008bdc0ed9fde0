//! What the library lets one choose, as the command line names it.

use std::path::PathBuf;
use std::str::FromStr;

use lab::backend::Backend;

/// What runs the programs, and where it is kept.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Choice {
    /// What runs the programs: `model`; `rtl`, the Verilog of an RV32 core, with Verilator; or `gdb:HOST:PORT`, what serves GDB there,
    /// such as `OpenOCD` with a board, which has the program in its flash.
    #[arg(long, value_name = "BACKEND", default_value = "model")]
    backend: Name,
    /// Where the Verilog is downloaded and built.
    #[arg(long, value_name = "DIR", default_value = "target/rtl")]
    rtl_cache: PathBuf,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Name {
    Model,
    Rtl,
    Gdb(String),
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        match text.split_once(':') {
            None if text == "model" => Ok(Name::Model),
            None if text == "rtl" => Ok(Name::Rtl),
            Some(("gdb", address)) if address.contains(':') => Ok(Name::Gdb(address.to_owned())),
            _ => Err("the backends are `model`, `rtl` and `gdb:HOST:PORT`".into()),
        }
    }
}

impl Choice {
    /// The backend.
    pub(super) fn backend(&self) -> Backend {
        match &self.backend {
            Name::Model => Backend::Model,
            Name::Rtl => Backend::Rtl(self.rtl_cache.clone()),
            Name::Gdb(address) => Backend::Gdb(address.clone()),
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
