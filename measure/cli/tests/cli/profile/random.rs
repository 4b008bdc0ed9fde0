//! Random programs with calls, loops, tail calls and interrupts.

use proptest::prelude::*;

use crate::firmware::Firmware;
use crate::rv32::programs::Program;

/// A program for every Cortex-M.
#[derive(Clone, Debug)]
pub(super) struct Thumb {
    main: Vec<u16>,
    functions: [Vec<u16>; 3],
    handler: Vec<u16>,
}

const NAMES: [&str; 3] = ["first", "second", "third"];

impl Thumb {
    pub(super) fn firmware(&self, base: u32) -> Firmware {
        // movs r0, #32; lsls r0, #24; movs r1, #0x40; movs r2, #0xe0; lsls r2, #16; adds r2, #0xe1; lsls r2, #8; str r1, [r2]
        let enable = [0x2020, 0x0600, 0x2140, 0x22e0, 0x0412, 0x32e1, 0x0212, 0x6011];
        // Offsets are those of halfwords from `main`; every function begins at a word.
        let main_length = enable.len() + self.main.len() + 3 * 2 + 1;
        let starts = self.starts(main_length.next_multiple_of(2));
        let mut main = [&enable[..], &self.main].concat();
        for start in starts {
            main.extend(bl(start as i32 - main.len() as i32));
        }
        // b, to behind what enables the interrupt
        main.push(branch(enable.len() as i32 - main.len() as i32));
        let mut firmware = Firmware::at(base, &[&main]);
        for (index, body) in self.functions.iter().enumerate() {
            let here = starts[index];
            // push {r4, lr}
            let mut code = [&[0xb510][..], body].concat();
            match starts.get(index + 1) {
                Some(next) if body.len() % 2 == 0 => {
                    code.extend(bl(*next as i32 - (here + code.len()) as i32));
                    code.push(0xbd10); // pop {r4, pc}
                }
                Some(next) => {
                    // pop {r4}; pop {r3}; mov lr, r3; b next
                    code.extend([0xbc10, 0xbc08, 0x469e]);
                    code.push(branch(*next as i32 - (here + code.len()) as i32));
                }
                None => code.push(0xbd10),
            }
            code.resize(self.length(index), 0xbf00);
            firmware = firmware.function(NAMES[index], &[&code]);
        }
        firmware.handler(22, "IRQ6", &[&[0xb510], &self.handler, &[0xbd10]])
    }

    fn length(&self, index: usize) -> usize {
        (self.functions[index].len() + 5).next_multiple_of(2)
    }

    fn starts(&self, main: usize) -> [usize; 3] {
        [
            main,
            main + self.length(0),
            main + self.length(0) + self.length(1),
        ]
    }
}

/// `bl` to so many halfwords from here.
fn bl(halfwords: i32) -> [u16; 2] {
    let offset = halfwords - 2;
    [
        0xf000 | (offset >> 11 & 0x7ff) as u16,
        0xf800 | (offset & 0x7ff) as u16,
    ]
}

fn branch(halfwords: i32) -> u16 {
    0xe000 | ((halfwords - 2) & 0x7ff) as u16
}

/// Instructions that go on, and leave R0, R4 behind `push` and the stack as they are.
fn body() -> impl Strategy<Value = Vec<u16>> {
    let piece = prop::sample::select(vec![
        vec![0x3101_u16],             // adds r1, #1
        vec![0x4359],                 // muls r1, r3
        vec![0x6801],                 // ldr r1, [r0]
        vec![0x6041],                 // str r1, [r0, #4]
        vec![0x6801, 0x1849],         // ldr r1, [r0]; adds r1, r1, r1
        vec![0xb416, 0xbc16],         // push {r1, r2, r4}; pop {r1, r2, r4}
        vec![0xb672, 0x3301, 0xb662], // cpsid i; adds r3, #1; cpsie i
        vec![0x2903, 0xd100, 0x3101], // cmp r1, #3; bne over; adds r1, #1
        vec![0x2203, 0x3a01, 0xd1fd], // movs r2, #3; again: subs r2, #1; bne again
        vec![0xf3bf, 0x8f6f],         // isb
        vec![0xbf00],
    ]);
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

pub(super) fn thumb() -> impl Strategy<Value = Thumb> {
    (body(), [body(), body(), body()], body()).prop_map(|(main, functions, handler)| Thumb {
        main,
        functions,
        handler,
    })
}

/// `main` calls two functions for ever, of which the first calls the second.
pub(super) fn rv32() -> impl Strategy<Value = Program> {
    let piece = prop::sample::select(vec![
        0x0015_0513_u32, // addi a0, a0, 1
        0x0001_2583,     // lw a1, 0(sp)
        0x00b5_0533,     // add a0, a0, a1
        0x00a1_2223,     // sw a0, 4(sp)
        0x0025_1513,     // slli a0, a0, 2
        0x00b5_1463,     // bne a0, a1, over
        0x0000_0013,     // nop
    ]);
    let body = || prop::collection::vec(piece.clone(), 1..10);
    (body(), body(), body()).prop_map(|(main, first, second)| {
        // What a branch jumps over is there.
        let [main, first, second] = [main, first, second].map(|body| [&body[..], &[0x13]].concat());
        let start = 1 + main.len() + 3;
        let behind = start + 3 + first.len() + 1 + 3;
        // lui sp, 0x10008
        let mut code = vec![0x1000_8137];
        code.extend(&main);
        code.push(jal(1, start as i32 - code.len() as i32));
        code.push(jal(1, behind as i32 - code.len() as i32));
        code.push(jal(0, 1 - code.len() as i32));
        // addi sp, sp, -16; sw ra, 12(sp)
        code.extend([0xff01_0113, 0x0011_2623]);
        code.extend(&first);
        code.push(jal(1, behind as i32 - code.len() as i32));
        // lw ra, 12(sp); addi sp, sp, 16; ret
        code.extend([0x00c1_2083, 0x0101_0113, 0x0000_8067, 0x13]);
        assert_eq!(code.len(), behind);
        code.extend(&second);
        code.push(0x0000_8067);
        let bytes = |words: usize| 4 * words as u32;
        let all = bytes(code.len());
        Program::new(&code)
            .function("main", 0, bytes(start))
            .function("first", bytes(start), bytes(behind - start))
            .function("second", bytes(behind), all - bytes(behind))
    })
}

/// `jal` to so many instructions from here.
fn jal(link: u32, words: i32) -> u32 {
    let offset = (4 * words) as u32;
    let bits = |from: u32, count: u32, to: u32| (offset >> from & ((1 << count) - 1)) << to;
    bits(20, 1, 31) | bits(1, 10, 21) | bits(11, 1, 20) | bits(12, 8, 12) | link << 7 | 0x6f
}
