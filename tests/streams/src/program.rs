//! Random programs that need nothing around them.
//!
//! R4, R5 and SP point into RAM (R2 too, right behind what copies R4 there), R3 is a small index, R6 points to ICSR and R7 counts the passes; no random instruction
//! writes these, but for the base that a load or store moves. All others hold anything.

mod assemble;
mod encode;

use fastrand::Rng;
use isa_thumb::Isa;

use self::assemble::{Piece, assemble, halves};
use self::encode::Pool;
use crate::setup::{Core, IRQS, RAM, Setup};

const SYST_CSR: u32 = 0xe000_e010;
const SYST_RVR: u32 = 0xe000_e014;
const NVIC_ISER: u32 = 0xe000_e100;
const NVIC_IPR: u32 = 0xe000_e400;
const ICSR: u32 = 0xe000_ed04;
const SHPR2: u32 = 0xe000_ed1c;
const SHPR3: u32 = 0xe000_ed20;
const FPCCR: u32 = 0xe000_ef34;
const CPACR: u32 = 0xe000_ed88;

/// Bytes from the start of a memory with code to the code: vectors, and room for literals with negative offsets.
const BEFORE: u32 = 0x1000;
/// Where R4, R5 and SP point to at first.
const DATA: [u32; 3] = [RAM + 0x8000, RAM + 0xa004, RAM + 0xe000];
/// Pieces that a jump skips, at the most.
const FARTHEST: usize = 4;
/// Exceptions of the core's own.
const SYSTEM: u32 = 16;

/// A program, and what comes to it from outside.
#[derive(Debug)]
pub struct Program {
    /// Its memories: address and content. The first begins with the vectors.
    pub memories: Vec<(u32, Vec<u8>)>,
    /// Pulses of inputs: the cycle, and the name of the exception.
    pub inputs: Vec<(u64, String)>,
}

impl Program {
    /// A random one for this core.
    pub fn random(core: Core, setup: &Setup, interrupted: bool, rng: &mut Rng) -> Program {
        let base = if setup.code_in_ram { RAM } else { 0 };
        let mut pieces = prologue(core.isa, interrupted);
        let first = pieces.len();
        let functions = 1 + rng.usize(..3);
        for _ in 0..24 + rng.usize(..24) {
            pieces.push(main_piece(core.isa, functions, interrupted, rng));
        }
        pieces.extend(landing());
        pieces.extend([
            Piece::code(&[0x3f01]), // subs r7, #1
            Piece::Skip {
                cond: Some(0),
                pieces: 1,
            },
            Piece::Back { to: first },
            end(),
        ]);
        for number in 0..functions + 2 {
            pieces.push(Piece::Label);
            // The last two are handlers.
            pieces.extend(function(core.isa, number >= functions, rng));
        }
        // The handler of faults ends the program.
        pieces.extend([Piece::Label, end()]);
        let handlers = [functions, functions + 1, functions + 2];
        let table = table(core.isa, interrupted, rng);
        let (code, labels) = assemble(&pieces, base + BEFORE, &table);
        let vectors = vectors(base, handlers.map(|label| labels[label]));
        Program {
            memories: memories(setup, core, vectors, code),
            inputs: if interrupted { inputs(rng) } else { Vec::new() },
        }
    }

    /// As an ELF file.
    pub fn elf(&self) -> Vec<u8> {
        let memories: Vec<(u32, &[u8])> = self
            .memories
            .iter()
            .map(|(base, bytes)| (*base, &**bytes))
            .collect();
        programs::cortex_m(&memories)
    }

    /// A hash of it.
    pub fn digest(&self) -> u32 {
        let inputs = self
            .inputs
            .iter()
            .flat_map(|(cycle, name)| [&cycle.to_le_bytes()[..], name.as_bytes()].concat());
        crate::digest(&self.elf().into_iter().chain(inputs).collect::<Vec<u8>>())
    }
}

/// An ARMv6-M core has its vectors at 0, another one where its code is.
fn memories(setup: &Setup, core: Core, vectors: Vec<u8>, code: Vec<u8>) -> Vec<(u32, Vec<u8>)> {
    let mut with_code = vec![0; BEFORE as usize];
    with_code[..vectors.len()].copy_from_slice(&vectors);
    with_code.extend(code);
    if !setup.code_in_ram {
        return vec![(0, with_code)];
    }
    if core.isa.is_v7() {
        return vec![(RAM, with_code)];
    }
    vec![(0, vectors), (RAM, with_code)]
}

fn vectors(base: u32, [one, other, fault]: [u32; 3]) -> Vec<u8> {
    let handler = |number: u32| match number {
        1 => base + BEFORE,
        3..=6 => fault,
        _ if number.is_multiple_of(3) => one,
        _ => other,
    };
    let words = (1..SYSTEM + IRQS).map(|number| handler(number) | 1);
    std::iter::once(DATA[2])
        .chain(words)
        .flat_map(u32::to_le_bytes)
        .collect()
}

/// Stores to registers of the core, then the registers that instructions use, from the table.
fn prologue(isa: Isa, interrupted: bool) -> Vec<Piece> {
    // ldr r0, the table's address; then for each entry: ldmia r0!, {r1, r2}; str r2, [r1]
    let mut pieces = vec![Piece::TableAddress];
    for _ in 0..settings(isa, interrupted, &mut Rng::with_seed(0)).len() {
        pieces.push(Piece::code(&[0xc806, 0x600a]));
    }
    // ldmia r0!, {r4-r7}; mov r8, r4; mov r9, r5; mov r10, r6; mov r11, r7; mov r12, r4
    pieces.push(Piece::code(&[0xc8f0, 0x46a0, 0x46a9, 0x46b2, 0x46bb, 0x46a4]));
    // ldmia r0!, {r1-r7}; ldr r0, [r0]
    pieces.push(Piece::code(&[0xc8fe, 0x6800]));
    pieces
}

/// Addresses and values of what the program sets up.
fn settings(isa: Isa, interrupted: bool, rng: &mut Rng) -> Vec<[u32; 2]> {
    let mut settings = Vec::new();
    if isa.has_float() {
        settings.push([CPACR, 0xf << 20]);
        // Room for floating-point registers on the stack, and mostly LSPEN: they are stacked late.
        let late = u32::from(rng.u32(..4) != 0);
        settings.push([FPCCR, 1 << 31 | late << 30]);
    }
    if interrupted {
        settings.extend(
            [SHPR2, SHPR3, NVIC_IPR, NVIC_IPR + 4].map(|address| [address, rng.u32(..) & 0xc0c0_c0c0]),
        );
        // Without SysTick its counter is only written.
        let ticks = if rng.bool() { 7 } else { 0 };
        settings.extend([[SYST_RVR, 40 + rng.u32(..200)], [SYST_CSR, ticks]]);
        settings.push([NVIC_ISER, (1 << IRQS) - 1]);
    }
    settings
}

/// What the prologue loads.
fn table(isa: Isa, interrupted: bool, rng: &mut Rng) -> Vec<u32> {
    let mut words = settings(isa, interrupted, rng).concat();
    words.extend([(); 4].map(|()| value(rng)));
    words.extend([value(rng), value(rng)]);
    words.extend([4 * rng.u32(..3), DATA[0], DATA[1], ICSR, 1 + rng.u32(..4)]);
    words.push(value(rng));
    words
}

/// A number: a small one as often as any.
fn value(rng: &mut Rng) -> u32 {
    let shift = rng.u32(..32);
    rng.u32(..) >> shift
}

/// Pulses, often a few close to each other.
fn inputs(rng: &mut Rng) -> Vec<(u64, String)> {
    let mut inputs = Vec::new();
    for _ in 0..rng.u32(1..6) {
        let first = 60 + rng.u64(..900);
        for _ in 0..rng.u32(1..4) {
            let name = match rng.u32(..12) {
                0 => "NMI".to_owned(),
                number => format!("IRQ{}", number % IRQS),
            };
            inputs.push((first + rng.u64(..24), name));
        }
    }
    inputs.sort();
    inputs
}

/// movs r0, #0x18; bkpt 0xab: the program ends.
fn end() -> Piece {
    Piece::code(&[0x2018, 0xbeab])
}

/// Where a jump from the last pieces leads to.
fn landing() -> [Piece; FARTHEST] {
    [(); FARTHEST].map(|()| Piece::code(&[0xbf00]))
}

/// An instruction, an IT block, a jump, or what only a main program does.
fn main_piece(isa: Isa, functions: usize, interrupted: bool, rng: &mut Rng) -> Piece {
    let label = rng.usize(..functions);
    match rng.u32(..100) {
        0..=11 => skip(rng),
        12..=17 => Piece::Call { label },
        18..=20 if isa.is_v7() => Piece::TableBranch { wide: rng.bool() },
        21..=22 => Piece::code(&[0xdf00 | rng.u16(..256)]), // svc
        // movs r0, #1; lsls r0, r0, #28; str r0, [r6]: PendSV
        23..=24 => Piece::code(&[0x2001, 0x0700, 0x6030]),
        25 if interrupted => Piece::code(&[[0xbf30, 0xbf20, 0xbf40][rng.usize(..3)]]), // wfi, wfe, sev
        26..=27 if interrupted => Piece::code(&[0xb672, 0xbf00, 0xb662]), // cpsid i; nop; cpsie i
        28 if interrupted => Piece::code(&[[0xb672, 0xb662][rng.usize(..2)]]),
        29..=33 => computed_jump(rng),
        34..=36 if isa.is_v7() => before_block(isa, rng),
        // movs r0, #0x22; lsls r0, r0, #24; ldr or str r1, [r0]: a bit of the first word of RAM
        37 if isa.is_v7() => Piece::code(&[0x2022, 0x0600, [0x6001, 0x6801][rng.usize(..2)]]),
        _ => plain(isa, rng),
    }
}

/// To the next piece, whose address is worked out.
fn computed_jump(rng: &mut Rng) -> Piece {
    let jumps: [&[u16]; 6] = [
        &[0x4678, 0x3005, 0x4700, 0xbf00], // mov r0, pc; adds r0, #5; bx r0; nop
        &[0x4678, 0x3005, 0x4780, 0xbf00], // … blx r0
        &[0x4678, 0x3005, 0x4687, 0xbf00], // … mov pc, r0
        &[0x4678, 0x3007, 0x4686, 0x4770, 0xbf00], // … mov lr, r0; bx lr; nop
        &[0x4678, 0x3009, 0x4686, 0x0000, 0x4770, 0xbf00], // … with one instruction between
        &[0x2002, 0x4487, 0xbf00, 0xbf00], // movs r0, #2; add pc, r0; nop; nop
    ];
    Piece::code(jumps[rng.usize(..jumps.len())])
}

/// A load or store whose base the instruction right before it has formed: R2 is a copy of R4, or next to it.
fn dependent(isa: Isa, rng: &mut Rng) -> Piece {
    let ways: [&[u16]; 12] = [
        &[0x4622],                         // mov r2, r4
        &[0x1d22],                         // adds r2, r4, #4
        &[0x602c, 0x682a],                 // str r4, [r5]; ldr r2, [r5]
        &[0xb410, 0xbc04],                 // push {r4}; pop {r2}
        &[0xb418, 0xbc06],                 // push {r3, r4}; pop {r1, r2}
        &[0x2201, 0x4362],                 // movs r2, #1; muls r2, r4
        &[0xe88d, 0x0018, 0xe89d, 0x0006], // stm.w sp, {r3, r4}; ldm.w sp, {r1, r2}
        &[0xb418, 0xe8fd, 0x1202],         // push {r3, r4}; ldrd r1, r2, [sp], #8
        &[0xb418, 0xe8bd, 0x0006],         // push {r3, r4}; ldm.w sp!, {r1, r2}
        &[0xf84d, 0x4d04, 0xf85d, 0x2b04], // str r4, [sp, #-4]!; ldr r2, [sp], #4
        &[0x2101, 0xfbb4, 0xf2f1],         // movs r1, #1; udiv r2, r4, r1
        &[0x2101, 0xfba4, 0x2101],         // movs r1, #1; umull r2, r1, r4, r1
    ];
    let count = if isa.is_v7() { ways.len() } else { 6 };
    let access = halves(&[Pool::of(isa).by_formed(rng)]);
    let between: &[u16] = if rng.u32(..4) == 0 { &[0xbf00] } else { &[] };
    Piece::Code([ways[rng.usize(..count)], between, &access].concat())
}

/// An IT block behind an instruction that it is not folded into: a multiplication, an access to SP, a store with an index.
fn before_block(isa: Isa, rng: &mut Rng) -> Piece {
    let before = [0x4348, 0x4585, 0xb000, 0x50e0][rng.usize(..4)]; // muls r0, r1; cmp sp, r0; add sp, #0; str r0, [r4, r3]
    let block = halves(&Pool::of(isa).block(rng));
    Piece::Code([vec![before], block].concat())
}

fn skip(rng: &mut Rng) -> Piece {
    let cond = rng.bool().then(|| rng.u16(..14));
    Piece::Skip {
        cond,
        pieces: rng.usize(1..=FARTHEST),
    }
}

/// An instruction or an IT block.
fn plain(isa: Isa, rng: &mut Rng) -> Piece {
    match rng.u32(..8) {
        0 if isa.is_v7() => Piece::Code(halves(&Pool::of(isa).block(rng))),
        1 if isa.is_v7() => Piece::CompareSkip {
            nonzero: rng.bool(),
            register: rng.u16(..3),
            pieces: rng.usize(1..=FARTHEST),
        },
        2 => skip(rng),
        3 => dependent(isa, rng),
        _ => Piece::Code(halves(&[Pool::of(isa).instruction(rng)])),
    }
}

/// A function that returns in one of several ways.
fn function(isa: Isa, handler: bool, rng: &mut Rng) -> Vec<Piece> {
    // push {r0, r2, lr} … pop {r0, r2, pc}; mov pc, lr, which ends no handler; str lr, [sp, #-8]! … ldr pc, [sp], #8;
    // stmdb sp!, {r1, lr} … ldmia sp!, {r1, pc}; bx lr
    let (enter, leave): (&[u16], &[u16]) = match rng.u32(..5) {
        0 => (&[0xb505], &[0xbd05]),
        1 if !handler => (&[], &[0x46f7]),
        2 if isa.is_v7() => (&[0xf84d, 0xed08], &[0xf85d, 0xfb08]),
        3 if isa.is_v7() => (&[0xe92d, 0x4002], &[0xe8bd, 0x8002]),
        _ => (&[], &[0x4770]),
    };
    let body: Vec<Piece> = (0..rng.usize(..6)).map(|_| plain(isa, rng)).collect();
    let mut pieces = vec![Piece::code(enter)];
    pieces.extend(body.into_iter().filter(|piece| !piece.touches_stack()));
    pieces.extend(landing());
    pieces.push(Piece::code(leave));
    pieces
}
