//! Only loads and stores in a watched range are reported: at its first byte and its last, in every size, on both families.

use std::sync::Arc;

use events::{Event, Flow, Interest, Ranges, Sink};
use lab::backend::Backend;
use machine::{Board, Console, Image, Options};
use programs::{EXIT, Firmware, RAM};

/// Bytes of the area that the programs access, in ascending order, as bytes, halfwords and words.
const AREA: u32 = 16;

#[derive(Default)]
struct Told {
    watched: (u32, u32),
    /// Address, size, and whether it is a store.
    accesses: Vec<(u32, u8, bool)>,
}

impl Sink for Told {
    fn interest(&self) -> Interest {
        Interest {
            reads: Ranges::of([self.watched]),
            writes: Ranges::of([self.watched]),
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match *event {
            Event::Write { address, size, .. } => self.accesses.push((address, size, true)),
            Event::Read { address, size, .. } => self.accesses.push((address, size, false)),
            _ => {}
        }
        Flow::On
    }
}

/// Sizes and offsets, all aligned.
fn accesses() -> impl Iterator<Item = (u32, u8)> {
    [1_u8, 2, 4]
        .into_iter()
        .flat_map(|size| (0..AREA).step_by(size.into()).map(move |offset| (offset, size)))
}

fn arm() -> (Vec<u8>, &'static str, u32) {
    // movw r0, #0; movt r0, #0x2000; then strb/strh/str r1, [r0, #offset], and the load of it to r2.
    let mut code = vec![0xf240, 0x0000, 0xf2c2, 0x0000];
    for (offset, size) in accesses() {
        let (store, load) = match size {
            1 => (0x7001, 0x7802),
            2 => (0x8001, 0x8802),
            _ => (0x6001, 0x6802),
        };
        let offset = (offset as u16 / u16::from(size)) << 6;
        code.extend([store | offset, load | offset]);
    }
    (Firmware::new(&[&code, EXIT]).elf(), "stm32f100rb", RAM)
}

fn rv32() -> (Vec<u8>, &'static str, u32) {
    const BASE: u32 = 0x4000;
    // lui a0, BASE; then sb/sh/sw a1, offset(a0), and lb/lh/lw a2, offset(a0); the last one jumps to itself.
    let mut code = vec![BASE | 0x537];
    for (offset, size) in accesses() {
        let width = u32::from(size / 2) << 12;
        code.push(11 << 20 | 10 << 15 | width | offset << 7 | 0x23);
        code.push(offset << 20 | 10 << 15 | width | 12 << 7 | 0x03);
    }
    code.push(0x6f);
    let code: Vec<u8> = code.into_iter().flat_map(u32::to_le_bytes).collect();
    (programs::rv32(0, &code), "vexriscv-full", BASE)
}

#[test]
fn what_touches_a_watched_range_is_told_and_nothing_else() {
    for (elf, board, area) in [arm(), rv32()] {
        let image = Arc::new(Image::parse("app.elf", &elf).expect("an ELF file"));
        let board = Board::find(board).expect("a board of the repository");
        for (first, length) in [1, 2, 4, 5]
            .into_iter()
            .flat_map(|length| (4..9).map(move |first| (first, length)))
        {
            let last = first + length - 1;
            let mut told = Told {
                watched: (area + first, area + last),
                ..Told::default()
            };
            let options = Options {
                console: Console::none(),
                ..Options::default()
            };
            let mut bench = Backend::Model.bench(&board, &image, options).expect("starts");
            bench.run(20_000, &mut told).expect("the model runs");
            let touches = |&(offset, size): &(u32, u8)| {
                (offset..offset + u32::from(size)).any(|byte| (first..=last).contains(&byte))
            };
            let expected: Vec<_> = accesses()
                .filter(touches)
                .flat_map(|(offset, size)| [true, false].map(|store| (area + offset, size, store)))
                .collect();
            assert_eq!(
                told.accesses,
                expected,
                "{}, bytes {first} to {last}",
                board.name()
            );
        }
    }
}
