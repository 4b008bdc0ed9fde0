//! Every run ends, however it is cut and whatever pauses it.

use std::sync::Arc;

use events::{Event, Flow, Interest, Pcs, Sink};
use lab::backend::{Backend, Bench};
use lab::horizon::{Horizon, Stretch};
use machine::{Board, Image, Options, Outcome};
use programs::{Firmware, NOP};
use proptest::prelude::*;

/// Pauses before each instruction at an address, or nowhere.
struct Pausing(Pcs);

impl Sink for Pausing {
    fn interest(&self) -> Interest {
        Interest {
            pcs: self.0.clone(),
            ..Interest::none()
        }
    }

    fn event(&mut self, _: &Event) -> Flow {
        Flow::Pause
    }
}

/// Endless loops of a few NOPs, divisions, multi-register transfers, and sleep, all interrupted by SysTick.
fn endless(board: &str, arm: bool, body: usize) -> (Arc<Image>, u32) {
    if !arm {
        // div t0, t1, t2; j back
        let code = [0x0273_42b3u32, 0xffdf_f06f].map(u32::to_le_bytes).concat();
        let base = if board == "virt" { 0x8000_0000 } else { 0 };
        let image = Image::parse("app.elf", &programs::rv32(base, &code)).unwrap();
        return (Arc::new(image), base);
    }
    if board == ARMV6M {
        // nop; nop; b back
        let image = Image::parse("app.elf", &Firmware::at(0, &[&[NOP, NOP, 0xe7fc]]).elf()).unwrap();
        let at = image.symbol("main").unwrap().address;
        return (Arc::new(image), at);
    }
    let bodies: [&[u16]; 4] = [&[NOP; 3], &[0xfbb1, 0xf0f2], &[0xb4ff, 0xbcff], &[0xbf30]];
    let body = bodies[body];
    // movw r0, #0xe010; movt r0, #0xe000; movw r1, #99; str r1, [r0, #4]; movs r1, #7; str r1, [r0]; movs r2, #3
    let start: &[u16] = &[
        0xf24e, 0x0010, 0xf2ce, 0x0000, 0xf240, 0x0163, 0x6041, 0x2107, 0x6001, 0x2203,
    ];
    let back = 0xe000 | (-(body.len() as i32 + 2) as u16 & 0x7ff);
    let firmware = Firmware::new(&[start, body, &[back]]).handler(15, "SysTick", &[&[0x4770]]);
    let image = Image::parse("app.elf", &firmware.elf()).unwrap();
    let at = image.symbol("main").unwrap().address + 2 * start.len() as u32;
    (Arc::new(image), at)
}

fn bench(board: &str, image: &Arc<Image>) -> Bench {
    let board = Board::find(board).unwrap();
    Backend::Model.bench(&board, image, Options::default()).unwrap()
}

/// A board without division and MOVW.
const ARMV6M: &str = "cortex-m0plus";

/// Boards with each kind of core, and whether it is a Cortex-M.
const BOARDS: [(&str, bool); 5] = [
    ("stm32f100rb", true),
    ("stm32f407", true),
    (ARMV6M, true),
    ("virt", false),
    ("vexriscv-standard", false),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_comes_to_its_end(
        (board, arm) in proptest::sample::select(BOARDS.to_vec()),
        body in 0usize..4,
        pauses: bool,
        amount in 1u64..30_000,
        in_time: bool,
        slice in prop_oneof![1u64..200, 1u64..100_000],
    ) {
        let (image, at) = endless(board, arm, body);
        let pcs = if pauses { Pcs::at([at]) } else { Pcs::None };
        let horizon = if in_time { Horizon::Time(amount * 10) } else { Horizon::Limit(amount) };
        let mut bench = bench(board, &image);
        let (mut sink, mut stretches) = (Pausing(pcs), horizon.stretches());
        let mut last = 0;
        let outcome = loop {
            let stretch = stretches.run(&mut bench, slice, &mut sink).unwrap();
            prop_assert!(bench.reached() > last, "it stands at {}", last);
            last = bench.reached();
            if let Stretch::Over(outcome) = stretch {
                break outcome;
            }
        };
        let is_limit = matches!(outcome, Outcome::Limit { .. });
        prop_assert!(is_limit, "{:?}", outcome);
        match horizon {
            Horizon::Time(end) => prop_assert!(bench.nanoseconds() >= end),
            _ => prop_assert!(bench.reached() >= amount),
        }
    }
}

/// Stretches of a cycle or two, where what is under way at a limit keeps the core's own cycle behind it, and so would keep the next limit.
#[test]
fn the_shortest_stretches_get_on() {
    for (board, arm) in BOARDS {
        for (body, slice) in (0..4).flat_map(|body| (1..=4).map(move |slice| (body, slice))) {
            let (image, _) = endless(board, arm, body);
            let mut bench = bench(board, &image);
            let mut stretches = Horizon::Limit(400).stretches();
            let mut looks = 0;
            while !matches!(
                stretches.run(&mut bench, slice, &mut Pausing(Pcs::None)).unwrap(),
                Stretch::Over(_)
            ) {
                looks += 1;
                assert!(
                    looks < 1000,
                    "{board}, body {body}: it stands at {}",
                    bench.reached()
                );
            }
            assert!(bench.reached() >= 400, "{board}, body {body}, {slice}");
        }
    }
}
