//! What probe-rs measures on the model as a chip behind a probe, against the model itself: the rows of study 000's method are the same.

use std::sync::Arc;

use events::{Event, Flow, Interest, Pcs, Sink};
use gdb::{Output, Session};
use lab::backend::{Backend, Bench};
use machine::{Board, Console, Debugger, Image, Options};
use programs::Firmware;

const BOARD: &str = "stm32f100rb";
const RAM: u32 = 0x2000_0000;

/// Two stretches between BKPTs, a loop with a store, and the end.
fn program() -> Arc<Image> {
    let code: &[u16] = &[
        // movw r4, #0; movt r4, #0x2000; movs r5, #3; bkpt 1; nop; nop; bkpt 2
        0xf240, 0x0400, 0xf2c2, 0x0400, 0x2503, 0xbe01, 0xbf00, 0xbf00, 0xbe02, //
        // loop: ldr r0, [r4]; adds r0, #1; str r0, [r4]; subs r5, #1; bne loop; bkpt 3
        0x6820, 0x3001, 0x6020, 0x3d01, 0xd1fa, 0xbe03, //
        // b .
        0xe7fe,
    ];
    let firmware = Firmware::new(&[code]).object("word", RAM);
    Arc::new(Image::parse("app.elf", &firmware.elf()).unwrap())
}

fn options() -> Options {
    let (console, _) = Console::captured();
    Options {
        debugger: Debugger::Attached,
        console,
        ..Options::default()
    }
}

fn session(image: &Arc<Image>) -> Session {
    let board = Board::find(BOARD).unwrap();
    let silent = Arc::default();
    let bench = Backend::Model.bench(&board, image, options()).unwrap();
    let _: Output<Vec<u8>> = Output::new(Vec::new(), &silent);
    Session::new(bench, silent).unwrap()
}

/// The cycles at each BKPT, and at each instruction that is listened to.
#[derive(Default)]
struct Met {
    pcs: Vec<u32>,
    breakpoints: Vec<(u8, u64)>,
    retired: Vec<(u32, u64)>,
}

impl Sink for Met {
    fn interest(&self) -> Interest {
        Interest {
            pcs: Pcs::at(self.pcs.clone()),
            control: true,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match event {
            Event::Breakpoint { at, imm, .. } => self.breakpoints.push((*imm, at.to)),
            Event::Retire(retire) => self.retired.push((retire.pc, retire.at.to)),
            _ => {}
        }
        if self.breakpoints.len() == 3 {
            Flow::Pause
        } else {
            Flow::On
        }
    }
}

fn differences(met: &Met) -> Vec<u64> {
    met.breakpoints
        .windows(2)
        .map(|two| two[1].1 - two[0].1)
        .collect()
}

fn on_the_model(image: &Arc<Image>) -> Met {
    let board = Board::find(BOARD).unwrap();
    let mut met = Met::default();
    let mut bench = Backend::Model.bench(&board, image, options()).unwrap();
    bench.run(10_000, &mut met).unwrap();
    met
}

fn attached(image: &Arc<Image>) -> Bench {
    let held = Arc::clone(image);
    let probe = gdb::probe(move || session(&held));
    Bench::attached(probe, &Board::find(BOARD).unwrap(), image, options()).unwrap()
}

#[test]
fn probe_rs_measures_what_the_model_measures() {
    let image = program();
    let expected = differences(&on_the_model(&image));
    assert_eq!(expected.len(), 2);
    let mut met = Met::default();
    attached(&image).run(10_000, &mut met).unwrap();
    assert_eq!(differences(&met), expected);
}

/// A stop at a breakpoint costs what draining the pipeline costs, which is found and subtracted.
#[test]
fn what_a_breakpoint_costs_is_subtracted() {
    let image = program();
    let place = image.symbol("main").unwrap().address + 18;
    let mut met = Met {
        pcs: vec![place],
        ..Met::default()
    };
    attached(&image).run(10_000, &mut met).unwrap();
    assert_eq!(met.retired.len(), 3, "{:x?}", met.retired);
    let with_stops = differences(&met);
    let without = differences(&on_the_model(&image));
    assert_eq!(with_stops[0], without[0]);
    assert!(
        with_stops[1].abs_diff(without[1]) <= 3,
        "{with_stops:?} {without:?}"
    );
}

#[test]
fn a_chip_with_another_program_is_told() {
    let (image, other) = (program(), program());
    let held = Arc::clone(&other);
    let probe = gdb::probe(move || {
        let mut session = session(&held);
        let memory = session.target().memory();
        assert!(
            memory
                .unwrap()
                .write(held.symbol("main").unwrap().address, &[0; 2])
        );
        session
    });
    let board = Board::find(BOARD).unwrap();
    let refused = Bench::attached(probe, &board, &image, options())
        .map(drop)
        .unwrap_err();
    assert!(
        refused.render(false).contains("another program"),
        "{}",
        refused.render(false)
    );
}
