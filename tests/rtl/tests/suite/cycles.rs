//! Random programs on our pipelines and on the Verilog: every instruction retires in the same cycle.

use crate::common::{machine, oracle};
use crate::programs::{LENGTH, number, program};
use core_rv32::timing::vexriscv_lite::Lite;
use core_rv32::timing::vexriscv_simple::Simple;
use core_rv32::timing::{Jump, Latency, Passage, Supply};
use core_rv32::{Cause, Config, Core, Step};
use fastrand::Rng;
use isa_rv32::{Insn, Isa, Op, decode, length};
use rtl_oracle::{Core as Rtl, Job, Retired};

/// Executes each instruction as it enters the pipeline.
struct Driver(Core);

impl Driver {
    fn at(&self, pc: u32) -> Option<Insn> {
        let half = |address: u32| {
            let mut bytes = [0; 2];
            self.0.bus.peek(address, &mut bytes);
            u16::from_le_bytes(bytes)
        };
        let first = half(pc);
        let second = if length(first) == 4 {
            half(pc.wrapping_add(2))
        } else {
            0
        };
        decode(u32::from(first) | u32::from(second) << 16, self.0.config.isa).ok()
    }

    fn operands(&self, insn: &Insn) -> [u32; 2] {
        [insn.rs1, insn.rs2].map(|reg| self.0.regs[usize::from(reg.0)])
    }
}

impl Supply for Driver {
    fn instruction(&mut self, pc: u32) -> Passage {
        assert_eq!(pc, self.0.pc, "the pipeline executes what the program says");
        let insn = self.at(pc);
        let operands = insn.map_or([0; 2], |insn| self.operands(&insn));
        let step = self.0.step(0).unwrap();
        let Some(insn) = insn else {
            return Passage::illegal(pc);
        };
        let [rs1, rs2] = operands;
        let jumps = matches!(insn.op, Op::Jal | Op::Jalr) || insn.is_branch() && taken(&insn, rs1, rs2);
        let jump = match step {
            Step::Exception(trap) if trap.cause == Cause::InstructionMisaligned => Some(Jump {
                target: trap.value,
                misaligned: true,
            }),
            Step::Retired { .. } if jumps => Some(Jump {
                target: self.0.pc,
                misaligned: false,
            }),
            _ => None,
        };
        Passage::new(pc, &insn, rs1, rs2, jump)
    }

    fn unwanted(&mut self, pc: u32) -> Passage {
        let Some(insn) = self.at(pc) else {
            return Passage::illegal(pc);
        };
        let [rs1, rs2] = self.operands(&insn);
        Passage::new(pc, &insn, rs1, rs2, None)
    }

    fn trap_target(&mut self) -> u32 {
        self.0.pc
    }
}

fn taken(insn: &Insn, a: u32, b: u32) -> bool {
    match insn.op {
        Op::Beq => a == b,
        Op::Bne => a != b,
        Op::Blt => (a as i32) < b as i32,
        Op::Bge => a as i32 >= b as i32,
        Op::Bltu => a < b,
        _ => a >= b,
    }
}

/// Retirements of a pipeline: cycle and PC.
fn ours(count: usize, mut clock: impl FnMut() -> Option<Passage>) -> Vec<(u64, u32)> {
    let retired = (0..10_000_000).filter_map(|cycle| clock().map(|retired| (cycle, retired.pc)));
    retired.take(count).collect()
}

fn run(config: Config, memory: &[u8], latency: Latency, count: usize) -> Vec<(u64, u32)> {
    let mut driver = Driver(machine(config, memory));
    if config.name == "vexriscv-min" {
        let mut pipeline = Simple::new(0, latency);
        ours(count, || pipeline.clock(&mut driver))
    } else {
        let mut pipeline = Lite::new(0, latency);
        ours(count, || pipeline.clock(&mut driver))
    }
}

/// Both sides around an instruction: cycle, and cycles since the one before.
fn context(ours: &[(u64, u32)], theirs: &[Retired], at: usize) -> String {
    let around = at.saturating_sub(10).max(1)..(at + 3).min(ours.len());
    let lines = around.map(|at| {
        let Retired { cycle, pc, insn, .. } = theirs[at];
        let text = decode(insn, Isa::ALL)
            .map_or_else(|error| error.to_string(), |insn| insn.disassemble(pc).to_string());
        let (here, there) = (ours[at].0 - ours[at - 1].0, cycle - theirs[at - 1].cycle);
        let mark = if here == there && ours[at].1 == pc {
            ' '
        } else {
            '!'
        };
        format!(
            "{mark} {:>8} +{here:<3} {cycle:>8} +{there:<3} {pc:08x}  {text}\n",
            ours[at].0
        )
    });
    lines.collect()
}

fn compare(name: &str) {
    let config = Config::named(name).expect("it is known");
    let Some(oracle) = oracle(Rtl::named(name).expect("the oracle has it")) else {
        return;
    };
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for round in 0..number("RTL_PROGRAMS", 25) {
        let memory = program(&config, &mut rng);
        let latency = Latency {
            first: rng.u32(..8) * rng.u32(..3),
            beat: rng.u32(..5),
        };
        let job = Job {
            reset_vector: 0,
            base: 0,
            memory: memory.clone(),
            latency: latency.first,
            beat: latency.beat,
            changes: Vec::new(),
            limit: 1_000_000,
        };
        let theirs = oracle.run(&job).unwrap().stream;
        assert!(theirs.len() > LENGTH / 4, "a short run of {}", theirs.len());
        let ours = run(config, &memory, latency, theirs.len());
        let differing = ours
            .iter()
            .zip(&theirs)
            .position(|(ours, theirs)| *ours != (theirs.cycle, theirs.pc));
        if let Some(at) = differing {
            let context = context(&ours, &theirs, at);
            panic!("{name}, RTL_SEED={seed}, program {round}, {latency:?}, instruction {at}:\n{context}");
        }
        assert_eq!(ours.len(), theirs.len());
    }
}

#[test]
fn the_simple_pipeline_is_that_of_the_verilog() {
    compare("vexriscv-min");
}

#[test]
fn the_lite_pipeline_is_that_of_the_verilog() {
    compare("vexriscv-lite");
}
