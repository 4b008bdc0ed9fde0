//! Programs that need no patches: they load their own registers from a table, loop, and end by themselves.
//!
//! A block is a prelude that loads R0 to R11 with the next row of the table, followed by a few random groups for which these values are
//! meaningful. All blocks execute several times with other values each time. With a SysTick interrupt every few cycles, no two passes
//! take the same path.

use fastrand::Rng;
use isa_thumb::{Insn, Op, decode};

use crate::encode::with_offset;
use crate::program::{aim_branches, bytes, layout, length as size, random_group};
use crate::stimulus::Stimulus;
use crate::{CODE, DATA, DATA_SIZE, FIRST, Target};

/// The memory of the table, after the count of remaining passes and the address of the next row.
pub const CONTROL: u32 = 0x2010_0000;
/// Length of that memory in bytes.
pub const CONTROL_SIZE: u32 = 0x1_0000;
const TABLE: u32 = CONTROL + 8;
/// Rows of the table: one for each block of each pass.
const ROWS: usize = (CONTROL_SIZE as usize - 8) / 48;
const GROUPS: usize = 6;
const SYST_CSR: u32 = 0xe000_e010;
const ACTLR: u32 = 0xe000_e008;
const CPACR: u32 = 0xe000_ed88;
const MPU_CTRL: u32 = 0xe000_ed94;
const MPU_RBAR: u32 = 0xe000_ed9c;

/// A program's length.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// Number of blocks.
    pub blocks: usize,
    /// Number of passes over all blocks.
    pub passes: u32,
}

/// A program and its memory contents.
pub struct Standalone {
    /// (address, content) pairs.
    pub memories: Vec<(u32, Vec<u8>)>,
    /// Address of the final BKPT, which every fault leads to.
    pub end: u32,
    /// (address, length) of each random group.
    groups: Vec<(u32, u32)>,
}

impl Standalone {
    /// A random program. SysTick interrupts every `period` cycles, if given. If there are MPU regions (RBAR, RASR), each interrupt
    /// toggles the last one.
    ///
    /// # Panics
    /// If the program does not fit.
    pub fn random(
        target: Target,
        length: Length,
        period: Option<u32>,
        regions: &[[u32; 2]],
        rng: &mut Rng,
    ) -> Self {
        let mut bodies = vec![prologue(target, period, regions)];
        assert!(length.blocks * length.passes as usize <= ROWS, "{length:?}");
        for _ in 0..length.blocks {
            bodies.push(prelude(rng));
            bodies.extend((0..GROUPS).map(|_| group(target, rng)));
        }
        let epilogue = bodies.len();
        bodies.extend([
            count_down(),
            vec![insn(0xe7fe)],
            vec![insn(0xbeab)],
            handler(target, !regions.is_empty()),
        ]);
        let starts = layout(&bodies);
        for index in 1..epilogue {
            aim_branches(
                &mut bodies[index],
                starts[index],
                &starts[index + 1..=epilogue],
                rng,
            );
        }
        let back = starts[1].wrapping_sub(starts[epilogue + 1] + 4) as i32;
        bodies[epilogue + 1] = vec![with_offset(&insn(0xf7ff_bffe), back).expect("it reaches back so far")];
        // The branch back is wide, so the code after it is two bytes further.
        let (end, handler) = (starts[epilogue + 2] + 2, starts[epilogue + 3] + 2);
        let code = (FIRST, bodies.iter().flatten().flat_map(bytes).collect());
        let mut memories = vec![
            code,
            (CODE, vectors(end, handler)),
            (DATA, vec![0; DATA_SIZE as usize]),
        ];
        let tables = (length.passes, &mut memories);
        fill_tables(target, tables, &bodies[..epilogue], &starts, rng);
        let random = (1..epilogue).filter(|index| (index - 1) % (GROUPS + 1) != 0);
        let groups = random
            .map(|index| (starts[index], size(&bodies[index])))
            .collect();
        Standalone {
            memories,
            end,
            groups,
        }
    }

    /// Replaces the random group at `address` by NOPs and returns their address and bytes; `None` if no group is there.
    pub fn silence(&mut self, address: u32) -> Option<(u32, &[u8])> {
        let found = self
            .groups
            .iter()
            .find(|&&(start, length)| address.wrapping_sub(start) < length);
        let &(start, length) = found?;
        let from = (start - FIRST) as usize;
        let code = &mut self.memories[0].1[from..from + length as usize];
        code.chunks_mut(2)
            .for_each(|halfword| halfword.copy_from_slice(&[0x00, 0xbf]));
        Some((start, code))
    }
}

fn fill_tables(
    target: Target,
    (passes, memories): (u32, &mut Vec<(u32, Vec<u8>)>),
    bodies: &[Vec<Insn>],
    starts: &[u32],
    rng: &mut Rng,
) {
    let mut table = Vec::new();
    for _ in 0..passes {
        for block in (1..bodies.len()).step_by(GROUPS + 1) {
            let groups = block + 1..block + 1 + GROUPS;
            let insns: Vec<Insn> = bodies[groups.clone()].concat();
            let patch = Stimulus::new(target, rng).patch(&insns, starts[groups.start], &starts[groups.end..]);
            table.extend(
                patch.r[..12]
                    .iter()
                    .map(|value| value.unwrap_or_else(|| rng.u32(..))),
            );
            memories.extend(
                patch
                    .memory
                    .into_iter()
                    .map(|(address, word)| (address, word.to_le_bytes().to_vec())),
            );
        }
    }
    let words = [passes, TABLE].into_iter().chain(table);
    memories.push((CONTROL, words.flat_map(u32::to_le_bytes).collect()));
}

/// SysTick's handler. With floating point it creates a context of its own, so that the interrupted code's registers must be saved.
fn handler(target: Target, switches: bool) -> Vec<Insn> {
    // ldr r1, [r0, #4]; eor r1, r1, #1; str r1, [r0, #4]: the enable bit of the region that was written last
    let switch = [0x6841, 0xf081_0101, 0x6041].map(insn);
    let switch = [&constant(0, MPU_RBAR)[..], &switch].concat();
    let add = target.isa().decode(0xee30_0a20).ok(); // vadd.f32 s0, s0, s1
    let uses = add.filter(|_| target.core().isa.has_float());
    let switch = switch.into_iter().filter(|_| switches);
    uses.into_iter().chain(switch).chain([insn(0x4770)]).collect()
}

/// Initial SP, reset, all faults, SVCall to PendSV, SysTick.
fn vectors(end: u32, handler: u32) -> Vec<u8> {
    let stack = DATA + DATA_SIZE / 2;
    let faults = std::iter::repeat_n(end | 1, 13);
    let words = [stack, FIRST | 1].into_iter().chain(faults).chain([handler | 1]);
    words.flat_map(u32::to_le_bytes).collect()
}

fn insn(raw: u32) -> Insn {
    decode(raw).expect("an instruction")
}

/// MOVW and MOVT.
fn constant(register: u32, value: u32) -> [Insn; 2] {
    let half = |opcode: u32, imm: u32| {
        insn(
            opcode
                | (imm >> 12) << 16
                | (imm >> 11 & 1) << 26
                | (imm >> 8 & 7) << 12
                | register << 8
                | imm & 0xff,
        )
    };
    [half(0xf240_0000, value & 0xffff), half(0xf2c0_0000, value >> 16)]
}

/// Makes failing stores precise, enables floating point and the MPU, and starts SysTick.
fn prologue(target: Target, period: Option<u32>, regions: &[[u32; 2]]) -> Vec<Insn> {
    let store = [insn(0x6001)]; // str r1, [r0]
    let put = |address: u32, value: u32| [&constant(0, address)[..], &constant(1, value), &store].concat();
    let tick = period.map(|period| [put(SYST_CSR + 4, period - 1), put(SYST_CSR, 7)].concat());
    let float = target.core().isa.has_float().then(|| put(CPACR, 0xf << 20));
    let both = |region: &[u32; 2]| [put(MPU_RBAR, region[0]), put(MPU_RBAR + 4, region[1])].concat();
    let mut mpu: Vec<Insn> = regions.iter().flat_map(both).collect();
    if !mpu.is_empty() {
        mpu.extend(put(MPU_CTRL, 1));
    }
    [
        put(ACTLR, 2),
        float.unwrap_or_default(),
        mpu,
        tick.unwrap_or_default(),
    ]
    .concat()
}

/// Loads a block's registers.
fn prelude(rng: &mut Rng) -> Vec<Insn> {
    let mut inside = || DATA + DATA_SIZE / 4 + (rng.u32(..DATA_SIZE / 2) & !3);
    let load = [0xf8dc_e000, 0xe8be_0fff, 0xf8cc_e000].map(insn); // ldr lr, [r12]; ldmia lr!, {r0-r11}; str lr, [r12]
    let stack = [&constant(12, inside())[..], &[insn(0x46e5)]].concat(); // mov sp, r12
    [
        &constant(12, CONTROL + 4)[..],
        &load,
        &stack,
        &constant(12, inside()),
        &constant(14, inside()),
    ]
    .concat()
}

/// Leaves the loop over the branch back when all passes are done.
fn count_down() -> Vec<Insn> {
    let raws = [0x6801, 0x3901, 0x6001, 0xd001]; // ldr r1, [r0]; subs r1, #1; str r1, [r0]; beq over the wide branch
    [&constant(0, CONTROL)[..], &raws.map(insn)].concat()
}

/// A random group without instructions that would end the program.
fn group(target: Target, rng: &mut Rng) -> Vec<Insn> {
    loop {
        let group = random_group(target, rng);
        let ends = |insn: &Insn| matches!(insn.op, Op::Svc | Op::Bkpt | Op::Udf | Op::Coproc);
        if !group.iter().any(ends) {
            return group;
        }
    }
}
