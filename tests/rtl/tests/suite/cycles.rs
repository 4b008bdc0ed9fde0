//! Random programs on our pipelines and on the Verilog: every instruction retires in the same cycle.

use crate::common::{machine, oracle};
use crate::programs::{LENGTH, number, program};
use core_rv32::timing::vexriscv_simple::Simple;
use core_rv32::timing::{Jump, Latency, Passage, Supply};
use core_rv32::{Cause, Config, Core, Step};
use fastrand::Rng;
use isa_rv32::{Insn, Op, decode, length};
use rtl_oracle::{Core as Rtl, Job};

/// Executes each instruction as it enters the pipeline.
struct Driver {
    core: Core,
    /// What the pipeline asks for now will never be executed.
    astray: bool,
}

impl Driver {
    fn at(&self, pc: u32) -> Option<Insn> {
        let half = |address: u32| {
            let mut bytes = [0; 2];
            self.core.bus.peek(address, &mut bytes);
            u16::from_le_bytes(bytes)
        };
        let first = half(pc);
        let second = if length(first) == 4 { half(pc + 2) } else { 0 };
        decode(u32::from(first) | u32::from(second) << 16, self.core.config.isa).ok()
    }
}

impl Supply for Driver {
    fn instruction(&mut self, pc: u32) -> Passage {
        let Some(insn) = self.at(pc) else {
            if !self.astray {
                self.core.step(0).unwrap();
                self.astray = true;
            }
            return Passage::illegal(pc);
        };
        let [rs1, rs2] = [insn.rs1, insn.rs2].map(|reg| self.core.regs[usize::from(reg.0)]);
        if self.astray {
            return Passage::new(pc, &insn, rs1, rs2, None);
        }
        assert_eq!(pc, self.core.pc, "the pipeline executes what the program says");
        let always = matches!(insn.op, Op::Jal | Op::Jalr);
        let jump = match self.core.step(0).unwrap() {
            Step::Exception(trap) if trap.cause == Cause::InstructionMisaligned => Some(Jump {
                target: trap.value,
                misaligned: true,
            }),
            Step::Retired { .. } if always || insn.is_branch() && taken(&insn, rs1, rs2) => Some(Jump {
                target: self.core.pc,
                misaligned: false,
            }),
            Step::Exception(_) => {
                self.astray = true;
                None
            }
            _ => None,
        };
        self.astray |= jump.is_some() || matches!(insn.op, Op::Mret | Op::Sret);
        Passage::new(pc, &insn, rs1, rs2, jump)
    }

    fn trap_target(&mut self) -> u32 {
        self.core.pc
    }

    fn redirected(&mut self) {
        self.astray = false;
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

/// Retirements of our pipeline: cycle and PC.
fn ours(config: Config, memory: &[u8], latency: Latency, count: usize) -> Vec<(u64, u32)> {
    let mut driver = Driver {
        core: machine(config, memory),
        astray: false,
    };
    let mut pipeline = Simple::new(0, latency);
    let mut stream = Vec::new();
    let mut cycle = 0;
    while stream.len() < count && cycle < 10_000_000 {
        if let Some(retired) = pipeline.clock(&mut driver) {
            stream.push((cycle, retired.pc));
        }
        cycle += 1;
    }
    stream
}

#[test]
fn the_simple_pipeline_is_that_of_the_verilog() {
    let config = Config::named("vexriscv-min").expect("it is known");
    let Some(oracle) = oracle(Rtl::named(config.name).expect("the oracle has it")) else {
        return;
    };
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for round in 0..number("RTL_PROGRAMS", 40) {
        let memory = program(&config, &mut rng);
        let latency = Latency {
            first: rng.u32(..8) * rng.u32(..3),
            beat: 0,
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
        let ours = ours(config, &memory, latency, theirs.len());
        assert_eq!(ours.len(), theirs.len());
        for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(
                *ours,
                (theirs.cycle, theirs.pc),
                "RTL_SEED={seed}, program {round}, latency {}, instruction {at}: {:08x}",
                latency.first,
                theirs.insn
            );
        }
    }
}
