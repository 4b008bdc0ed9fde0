//! Sweeps: each run equals a separate one, and the part before its interrupt is not repeated.

use std::ops::ControlFlow;
use std::sync::Arc;

use events::{Event, Flow, Interest, Sink};
use lab::backend::{Backend, Bench};
use lab::sweep::Sweep;
use machine::{Board, Console, Exception, Image, Options, Outcome};
use programs::{EXIT, Firmware, NOP};

/// Enables IRQ6, whose handler returns at once: `movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]`.
const ENABLE: &[u16] = &[0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
const RETURN: &[u16] = &[0x4770];
/// Semihosting `SYS_WRITEC` of the word at address 0: `movs r0, #3; movs r1, #0; bkpt 0xab`.
const PRINT: &[u16] = &[0x2003, 0x2100, 0xbeab];
const LIMIT: u64 = 100_000;
const IRQ6: Exception = Exception::External(6);

fn program(rest: &[&[u16]]) -> Firmware {
    let main: Vec<&[u16]> = [PRINT, ENABLE].into_iter().chain(rest.iter().copied()).collect();
    Firmware::new(&main).handler(22, "IRQ6", &[RETURN])
}

fn bench(firmware: &Firmware, console: Console) -> Bench {
    let image = Arc::new(Image::parse("app.elf", &firmware.elf()).expect("an ELF file"));
    let board = Board::find("stm32f100rb").expect("a board of the repository");
    let options = Options {
        console,
        ..Options::default()
    };
    Backend::Model.bench(&board, &image, options).expect("starts")
}

/// All events, and the number of events over all copies.
#[derive(Clone, Default)]
struct Heard {
    events: Vec<String>,
    ever: Arc<std::sync::atomic::AtomicU64>,
}

impl Sink for Heard {
    fn interest(&self) -> Interest {
        Interest::everything()
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.events.push(format!("{event:?}"));
        self.ever.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Flow::On
    }
}

/// A separate run with an interrupt, from reset.
fn alone(firmware: &Firmware, cycle: u64) -> (Vec<String>, String) {
    let mut bench = bench(firmware, Console::none());
    bench.raise(IRQ6, cycle).expect("an input");
    let mut heard = Heard::default();
    let outcome = bench.run(LIMIT, &mut heard).expect("the model runs");
    (heard.events, format!("{outcome:?}"))
}

/// A program of some 6000 cycles: `movw r2, #1500; 1: subs r2, #1; bne 1b`.
fn long() -> Firmware {
    program(&[&[0xf240, 0x52dc, 0x3a01, 0xd1fd], EXIT])
}

#[test]
fn each_run_is_what_it_would_be_alone() {
    let firmware = long();
    let mut sweep = Sweep::new(bench(&firmware, Console::none()), Heard::default(), LIMIT).expect("a state");
    let mut runs = 0;
    // Ascending, beyond the end, and back.
    for cycles in [
        vec![0, 1, 30, 1500, 1501, 2600, 4000, 4001, 9000, 9001],
        vec![3, 2500],
    ] {
        let end = sweep.each(cycles, &[IRQ6], |mut run| {
            let outcome = run.machine.run(LIMIT, &mut run.listener)?;
            let (events, ended) = alone(&firmware, run.cycle);
            assert_eq!(format!("{outcome:?}"), ended, "in cycle {}", run.cycle);
            assert!(run.listener.events == events, "in cycle {}", run.cycle);
            runs += 1;
            Ok(ControlFlow::<()>::Continue(()))
        });
        assert_eq!(end.expect("the model runs"), None);
    }
    assert_eq!(runs, 12);
}

#[test]
fn what_lies_in_front_is_not_run_again_each_time() {
    let firmware = program(&[&vec![NOP; 20_000], EXIT]);
    let heard = Heard::default();
    let ever = heard.ever.clone();
    let mut sweep = Sweep::new(bench(&firmware, Console::none()), heard, LIMIT).expect("a state");
    let runs = 300;
    let cycles = (0..runs).map(|run| run * 60);
    let end = sweep.each(cycles, &[IRQ6], |mut run| {
        run.machine.run(run.cycle + 50, &mut run.listener)?;
        Ok(ControlFlow::<()>::Continue(()))
    });
    assert_eq!(end.expect("the model runs"), None);
    let events = ever.load(std::sync::atomic::Ordering::Relaxed);
    // Starting at reset each time would take 9000 in the mean run.
    assert!(events < 2500 * runs, "{events} events in {runs} runs");
    assert!(events > 500 * runs, "{events} events in {runs} runs");
}

#[test]
fn a_program_asleep_is_woken_by_each_run() {
    let (wfi, wait) = (&[0xbf30][..], &[NOP; 10][..]);
    let firmware = program(&[wfi, wait, EXIT]);
    let mut sweep = Sweep::new(bench(&firmware, Console::none()), Heard::default(), LIMIT).expect("a state");
    let end = sweep.each([5000, 7000, 80_000], &[IRQ6], |mut run| {
        let outcome = run.machine.run(LIMIT, &mut run.listener)?;
        assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
        assert_eq!(run.listener.events, alone(&firmware, run.cycle).0);
        Ok(ControlFlow::<()>::Continue(()))
    });
    assert_eq!(end.expect("the model runs"), None);
}

#[test]
fn output_is_that_of_one_run() {
    let firmware = long();
    let (console, output) = Console::captured();
    let mut sweep = Sweep::new(bench(&firmware, console), Heard::default(), LIMIT)
        .expect("a state")
        .capturing(output.clone());
    let last = sweep.each([0, 10, 3000, 3001], &[IRQ6], |mut run| {
        run.machine.run(LIMIT, &mut run.listener)?;
        assert_eq!(output.bytes().len(), 1, "in cycle {}", run.cycle);
        Ok(if run.cycle == 3000 {
            ControlFlow::Break(run.cycle)
        } else {
            ControlFlow::Continue(())
        })
    });
    assert_eq!(last.expect("the model runs"), Some(3000));
}
