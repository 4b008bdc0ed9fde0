//! The Verilog of RV32 cores as a backend of the library.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lab::backend::Provider;
use lab::progress::Stage;
use machine::{Board, Image, Options, Target, TargetError};
use report::Evidence;
use rtl::Verilog;

/// The Verilog of a board's core, which Verilator builds in the folder `cache`.
#[derive(Debug)]
pub(super) struct VerilogBackend {
    cache: PathBuf,
}

impl VerilogBackend {
    pub(super) fn new(cache: &Path) -> VerilogBackend {
        let cache = cache.to_owned();
        VerilogBackend { cache }
    }
}

impl Provider for VerilogBackend {
    fn source(&self, core: &str) -> Option<String> {
        let core = rtl::Core::of_board(core).ok()??;
        let verilator = rtl::verilator_version()?;
        Some(format!("{}, {}, Verilator {verilator}", core.name, core.source()))
    }

    fn evidence(&self) -> Evidence {
        Evidence::Rtl
    }

    fn target(
        &self,
        board: &Board,
        image: &Arc<Image>,
        options: Options,
    ) -> Result<Box<dyn Target>, TargetError> {
        let core = board.core().name();
        let what = format!("the Verilog of {core}, which is built once, in a minute or so");
        let _stage = Stage::new(&what, 0);
        Ok(Box::new(Verilog::new(board, image, options, &self.cache)?))
    }
}
