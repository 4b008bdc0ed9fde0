//! Compares the executed and the fetched view of an RV32 program, on the model and on its Verilog.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use events::Silent;
use lab::backend::{Backend, Bench, Provider};
use lab::batch::{Options, measure_spec};
use lab::horizon::{Horizon, Stretch};
use lab::spec;
use lab::watch::View;
use machine::{Board, Image, Target, TargetError};
use report::{Evidence, Row};
use rtl::{Missing, Verilog};
use xtask::firmware;

/// Counts each function's hits after the first, and measures the span between them.
const SPEC: &str = r#"
group = "critical"
[[span]]
id = "critical/enter"
from = "enter_critical"
to = "enter_critical"
[[span]]
id = "critical/exit"
from = "exit_critical"
to = "exit_critical"
[[span]]
id = "critical/section"
from = "enter_critical"
to = "exit_critical"
"#;

/// Programs on the Verilog, whose cores are built in this folder.
#[derive(Debug)]
struct OnVerilog(PathBuf);

impl OnVerilog {
    fn new() -> OnVerilog {
        OnVerilog(Path::new(env!("CARGO_TARGET_TMPDIR")).join("rtl"))
    }

    fn load(
        &self,
        board: &Board,
        image: &Arc<Image>,
        options: machine::Options,
    ) -> Result<Verilog, TargetError> {
        Verilog::new(board, image, options, &self.0)
    }
}

impl Provider for OnVerilog {
    fn source(&self, core: &str) -> Option<String> {
        Some(format!("the Verilog of {core}"))
    }

    fn evidence(&self) -> Evidence {
        Evidence::Rtl
    }

    fn target(
        &self,
        board: &Board,
        image: &Arc<Image>,
        options: machine::Options,
    ) -> Result<Box<dyn Target>, TargetError> {
        Ok(Box::new(self.load(board, image, options)?))
    }
}

fn program() -> PathBuf {
    let built = firmware::build_package("rv32", "riscv32i-unknown-none-elf").expect("it compiles");
    let named = |elf: &PathBuf| elf.file_stem().is_some_and(|stem| stem == "rv32-critical");
    built.into_iter().find(named).expect("it is in the package")
}

fn measured(elf: &Path, view: View, backend: Backend) -> Vec<Row> {
    let spec = spec::parse("critical.toml", SPEC).expect("a spec");
    let options = Options {
        elf: Some(elf.to_owned()),
        board: Some("vexriscv-full".to_owned()),
        view,
        backend,
        ..Options::built_in(PathBuf::new())
    };
    let outcome = measure_spec(&spec, &options, || {});
    assert!(outcome.messages.is_empty(), "{:?}", outcome.messages);
    outcome.rows
}

/// Thirty sections are entered and left. Each return from the first function is followed by a fetch of the second.
#[test]
fn what_lies_behind_a_return_is_met_twice_as_often_by_the_fetch() {
    let elf = program();
    let [retire, fetch] = [View::Retire, View::Fetch].map(|view| measured(&elf, view, Backend::Model));
    let counts = |rows: &[Row]| rows.iter().map(|row| row.count).collect::<Vec<_>>();
    assert_eq!(counts(&retire), [29, 29, 30]);
    assert_eq!(counts(&fetch)[1], 59, "{fetch:?}");
    if let Some(Missing(tool)) = Missing::any() {
        skipped::skip(&format!("no {tool}"));
        return;
    }
    let verilog = Backend::Other(Arc::new(OnVerilog::new()));
    for (view, ours) in [(View::Retire, retire), (View::Fetch, fetch)] {
        let theirs = measured(&elf, view, verilog.clone());
        let sources = theirs.iter().map(|row| row.source.as_deref());
        assert!(
            sources
                .into_iter()
                .all(|source| source == Some("the Verilog of vexriscv-full"))
        );
        let figures = |rows: Vec<Row>| {
            let figures = rows
                .into_iter()
                .map(|row| (row.id, row.count, row.min, row.max, row.own));
            figures.collect::<Vec<_>>()
        };
        assert_eq!(figures(ours), figures(theirs), "{view:?}");
    }
}

/// However short the stretches are in which the Verilog is run, each gets further than the one before.
#[test]
fn runs_on_the_verilog_get_on_in_any_stretches() {
    if let Some(Missing(tool)) = Missing::any() {
        skipped::skip(&format!("no {tool}"));
        return;
    }
    let end = 500;
    let verilog = OnVerilog::new();
    let image = Arc::new(Image::load(&program()).expect("a program"));
    let board = Board::find("vexriscv-full").expect("a board");
    for slice in [1, 2, 3, 64, 10_000] {
        let target = verilog.load(&board, &image, machine::Options::default());
        let mut bench = Bench::new(target.expect("it starts"));
        let mut stretches = Horizon::Limit(end).stretches();
        let mut last = 0;
        while !matches!(
            stretches.run(&mut bench, slice, &mut Silent).expect("it runs"),
            Stretch::Over(_)
        ) {
            assert!(bench.reached() > last, "slices of {slice}: it stands at {last}");
            last = bench.reached();
        }
        assert!(bench.reached() >= end, "slices of {slice}");
    }
}
