//! Programs on the boards with RV32 cores, and their peripherals together; and the same programs in QEMU.
//!
//! Without `riscv64-unknown-elf-as` (or, for the comparison, `qemu-system-riscv32`) these tests say that they are skipped,
//! and pass.

mod common;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{image, machine_on};
use events::{Event, Flow, Interest, Silent, Sink};
use machine::{Board, Debugger, Machine, OnReset, Options, Outcome};
use skipped::skip;
use tempfile::TempDir;

/// No program here takes longer.
const LIMIT: u64 = 2_000_000;

/// A program that was built, and the directory that it is in.
struct Built {
    elf: PathBuf,
    _directory: TempDir,
}

/// A tool's output; `None` if the tool is not installed.
fn output(tool: &str, arguments: &[&OsStr]) -> Option<Output> {
    match Command::new(tool).args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) => {
            skip(&format!("no {tool}: {error}"));
            None
        }
    }
}

fn run_tool(tool: &str, arguments: &[&OsStr]) -> Option<()> {
    let output = output(tool, arguments)?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(())
}

/// Assembles `tests/rv32/NAME.s` to run at `text`, with its data at `data`.
fn build(name: &str, text: &str, data: &str) -> Option<Built> {
    let directory = TempDir::new().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/rv32/{name}.s"));
    let [object, elf] = ["program.o", "program.elf"].map(|name| directory.path().join(name));
    let [text, data] = [format!("-Ttext={text}"), format!("-Tdata={data}")];
    run_tool(
        "riscv64-unknown-elf-as",
        &[
            "-march=rv32i_zicsr".as_ref(),
            "-mabi=ilp32".as_ref(),
            "-o".as_ref(),
            object.as_ref(),
            source.as_ref(),
        ],
    )?;
    let arguments: &[&OsStr] = &[
        "-melf32lriscv".as_ref(),
        text.as_ref(),
        data.as_ref(),
        "-o".as_ref(),
        elf.as_ref(),
        object.as_ref(),
    ];
    run_tool("riscv64-unknown-elf-ld", arguments)?;
    Some(Built {
        elf,
        _directory: directory,
    })
}

/// Runs it to its end: the machine, the exit code, and what it printed.
fn run(board: &str, built: &Built) -> (Machine, u32, String) {
    let (mut machine, captured) = machine_on(board, &image(&std::fs::read(&built.elf).unwrap()));
    let outcome = machine.run(LIMIT, &mut Silent);
    let Outcome::Exit { code } = outcome else {
        panic!("{board}: {outcome:?}");
    };
    (machine, code, captured.text())
}

/// The output and exit code of QEMU's machine.
fn qemu(machine: &str, built: &Built) -> Option<(u32, String)> {
    let arguments = [
        "-M", machine, "-display", "none", "-monitor", "none", "-serial", "stdio",
    ];
    let mut arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    arguments.extend(["-semihosting", "-bios", "none", "-kernel"].map(OsStr::new));
    arguments.push(built.elf.as_ref());
    let output = output("qemu-system-riscv32", &arguments)?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((output.status.code().unwrap() as u32, printed))
}

#[test]
fn timer_and_uart_interrupt_through_clint_and_plic_of_virt() {
    let Some(built) = build("virt", "0x80000000", "0x80010000") else {
        return;
    };
    let (_, code, printed) = run("virt", &built);
    // The source that was claimed, 10, and the cause, 11.
    assert_eq!((code, printed.as_str()), (21, "ok\n"));
    if let Some(theirs) = qemu("virt", &built) {
        assert_eq!(theirs, (code, printed));
    }
}

#[test]
fn firmware_of_the_fe310_sets_its_pll_and_hears_of_its_uart() {
    let Some(built) = build("sifive_e", "0x20400000", "0x80000000") else {
        return;
    };
    let (machine, code, printed) = run("sifive_e", &built);
    assert_eq!((code, printed.as_str()), (3, "fe310\n"));
    assert_eq!(machine.clock_hz(), 320_000_000);
    if let Some(theirs) = qemu("sifive_e", &built) {
        assert_eq!(theirs, (code, printed));
    }
}

#[test]
fn litex_timer_and_uart_interrupt_every_core() {
    let Some(built) = build("litex", "0", "0x10000000") else {
        return;
    };
    for board in [
        "vexriscv-min",
        "vexriscv-lite",
        "vexriscv-standard",
        "vexriscv-full",
    ] {
        let (machine, code, printed) = run(board, &built);
        assert_eq!((code, printed.as_str()), (0x21, "seventeen bytes.\n"), "{board}");
        // The UART had room when its first byte was out: ten bits at 115,200 per second.
        let byte = 10 * 100_000_000 / 115_200;
        assert!((byte..byte + 500).contains(&machine.cycle()), "{board}");
    }
}

#[test]
fn a_timer_wakes_an_ibex_through_its_table() {
    let Some(built) = build("ibex", "0", "0x10000000") else {
        return;
    };
    for board in ["ibex", "ibex-wb"] {
        let (machine, code, _) = run(board, &built);
        assert_eq!(code, 0x4b, "{board}");
        assert!(
            (1000..1100).contains(&machine.cycle()),
            "{board}: {}",
            machine.cycle()
        );
    }
}

/// Records trap events.
#[derive(Default)]
struct Traps(Vec<String>);

impl Sink for Traps {
    fn interest(&self) -> Interest {
        Interest::windows()
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.0.extend(match event {
            Event::Enter(enter) => Some(format!("enter {} {:#x}", enter.exception.name(), enter.sp)),
            Event::Exit(exit) => Some(format!("exit {} {:#x}", exit.exception.name(), exit.sp)),
            Event::Switch { left, sp, .. } => Some(format!("switch {left:#x} {sp:#x}")),
            _ => None,
        });
        Flow::On
    }
}

/// An interrupt right behind a trap's return hides neither that nor the switch of threads that it was.
#[test]
fn a_return_that_is_interrupted_at_once_is_told() {
    let Some(built) = build("behind", "0", "0x10000000") else {
        return;
    };
    let (mut machine, _) = machine_on("ibex", &image(&std::fs::read(&built.elf).unwrap()));
    let mut traps = Traps::default();
    let outcome = machine.run(LIMIT, &mut traps);
    assert!(matches!(outcome, Outcome::Exit { code: 2 }), "{outcome:?}");
    assert_eq!(
        traps.0,
        [
            "enter MachineEnvCall 0x10001000",
            "exit MachineEnvCall 0x10000f00",
            "switch 0x10001000 0x10000f00",
            "enter MachineExternal 0x10000f00",
            "exit MachineExternal 0x10000f00",
        ]
    );
}

#[test]
fn a_board_says_what_the_data_cache_leaves_alone() {
    let Some(built) = build("loads", "0x80000000", "0x80010000") else {
        return;
    };
    let cycles = |uncached: &str| {
        let text = format!(
            "name = \"mine\"\ndescription = \"mine\"\ncore = \"vexriscv-full\"\nclock_hz = 1\n{uncached}\n\
             [[memory]]\nname = \"RAM\"\nkind = \"ram\"\nbase = 0x8000_0000\nsize = \"1M\"\n\
             wait = {{ fetch = 0, read = 20, write = 0 }}\n\
             [[peripheral]]\nname = \"ports\"\nkind = \"rtl-ports\"\nbase = 0xfff0_0000\n"
        );
        let board = Board::parse("mine.toml", &text).unwrap();
        let program = image(&std::fs::read(&built.elf).unwrap());
        let mut machine = Machine::new(&board, &program, Options::default()).unwrap();
        let outcome = machine.run(LIMIT, &mut Silent);
        assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
        machine.cycle()
    };
    let (package, cached) = (cycles(""), cycles("uncached = [15]"));
    assert_eq!(
        package,
        cycles("uncached = [8, 9, 10, 11, 12, 13, 14, 15]"),
        "as LiteX has it"
    );
    assert!(package > cached + 99 * 20, "{package} {cached}");
}

#[test]
fn a_register_that_a_device_lacks_is_told_by_every_core() {
    let csrs = build("refused", "0", "0xf0001000");
    let clint = build("refused", "0x80000000", "0x02000000");
    let (Some(csrs), Some(clint)) = (csrs, clint) else {
        return;
    };
    let is_rv32 = |name: &str| Board::find(name).unwrap().core_config(Debugger::None).is_none();
    // These have their memory elsewhere.
    let elsewhere = ["sifive_e", "precursor", "aquila"];
    for board in Board::names().filter(|name| is_rv32(name) && !elsewhere.contains(name)) {
        let built = if board == "virt" { &clint } else { &csrs };
        let program = image(&std::fs::read(&built.elf).unwrap());
        let (mut machine, _) = machine_on(board, &program);
        let outcome = machine.run(LIMIT, &mut Silent);
        let Outcome::NotModelled(report) = &outcome else {
            panic!("{board}: {outcome:?}");
        };
        let report = report.to_string();
        assert!(
            report.contains("asked") && report.contains("3e8"),
            "{board}: {report}"
        );
    }
}

#[test]
fn an_entry_point_is_where_an_instruction_can_be() {
    let Some(built) = build("refused", "0", "0xf0001000") else {
        return;
    };
    let mut file = std::fs::read(&built.elf).unwrap();
    // e_entry
    file[24] |= 2;
    let board = Board::find("vexriscv-min").unwrap();
    let started = Machine::new(&board, &image(&file), Options::default());
    let error = started.err().expect("no instruction can be there").to_string();
    assert!(error.contains("0x00000002 is not a multiple of 4"), "{error}");
}

#[test]
fn a_device_can_ask_for_a_reset() {
    let Some(built) = build("reset", "0x80000000", "0x80010000") else {
        return;
    };
    let program = image(&std::fs::read(&built.elf).unwrap());
    let board = Board::find("virt").unwrap().with_resets(OnReset::Stop);
    let mut machine = Machine::new(&board, &program, Options::default()).unwrap();
    let outcome = machine.run(LIMIT, &mut Silent);
    assert!(matches!(outcome, Outcome::Reset { count: 0, .. }), "{outcome:?}");
}
