//! Describes an exception of an RV32 core and suggests a remedy.

use core_rv32::Core;
use isa_rv32::{DecodeError, Extension, Insn, Isa, Op, Reason, decode};

use crate::board::{Board, Core as BoardCore};
use crate::exception::Exception;

/// The form of a semihosting request ("RISC-V Semihosting").
const NO_REQUEST: &str = "a semihosting request is an EBREAK right between `slli zero, zero, 0x1f` and \
                          `srai zero, zero, 7`, none of them compressed";

/// Instructions that need trap support.
const TRAPS: [Op; 5] = [Op::Ecall, Op::Ebreak, Op::Mret, Op::Sret, Op::Wfi];

/// An exception by an instruction.
#[derive(Clone, Copy)]
pub(super) struct Refused<'a> {
    core: &'a Core,
    /// The code in `mcause`.
    cause: u32,
    /// `mtval`.
    value: u32,
    pc: u32,
}

impl<'a> Refused<'a> {
    pub(super) fn new(core: &'a Core, cause: u32, value: u32, pc: u32) -> Refused<'a> {
        Refused {
            core,
            cause,
            value,
            pc,
        }
    }

    /// `a load from the misaligned address 0x00000003 (LoadMisaligned, pc 0x00000044)`.
    pub(super) fn describe(self) -> String {
        let value = self.value;
        let what = match self.cause {
            0 => format!("a jump to {value:#010x}, where no instruction can begin"),
            1 => "an instruction fetch that the memory refuses".into(),
            2 => self.illegal(),
            3 => "EBREAK without a debugger".into(),
            4 => format!("a load from the misaligned address {value:#010x}"),
            5 => format!("a load from {value:#010x}, which the memory refuses"),
            6 => format!("a store to the misaligned address {value:#010x}"),
            7 => format!("a store to {value:#010x}, which the memory refuses"),
            8..=11 => "ECALL".into(),
            12 => "an instruction fetch from a page that is not there".into(),
            13 => format!("a load from {value:#010x}, a page that is not there"),
            15 => format!("a store to {value:#010x}, a page that is not there"),
            _ => format!("mtval {value:#010x}"),
        };
        let name = Exception::Trap(self.cause as u8).name();
        format!("{what} ({name}, pc {:#010x})", self.pc)
    }

    fn illegal(self) -> String {
        let halts = self.core.config.halts;
        match self.decoded() {
            None => "an instruction where no memory is".into(),
            Some(Err(error)) if let Some(name) = self.core.config.unbuilt(error.raw) => {
                format!(
                    "{name}, for PicoRV32's own interrupts, which this core is built without (`ENABLE_IRQ`)"
                )
            }
            Some(Err(error)) => error.to_string(),
            Some(Ok(insn)) if insn.op == Op::Ebreak => "EBREAK without a debugger".into(),
            Some(Ok(insn)) if insn.is_csr() => {
                let register = isa_rv32::csr::name(insn.csr)
                    .map_or_else(|| format!("{:#x}", insn.csr), ToOwned::to_owned);
                format!(
                    "the core has no control and status register {register} that can be used in this way here"
                )
            }
            Some(Ok(_)) if halts => "an instruction for traps, which the core does not have".into(),
            Some(Ok(_)) => "an instruction that is not allowed at this privilege".into(),
        }
    }

    /// Decodes the instruction; `None` if there is no memory.
    fn decoded(self) -> Option<Result<Insn, DecodeError>> {
        let bus = &self.core.bus;
        let mut bytes = [0; 4];
        if !bus.peek(self.pc, &mut bytes) && !bus.peek(self.pc, &mut bytes[..2]) {
            return None;
        }
        Some(decode(u32::from_le_bytes(bytes), self.core.config.isa))
    }

    /// The suggested remedy, if there is one.
    pub(super) fn hint(self) -> Option<String> {
        let config = &self.core.config;
        let asks_traps =
            matches!(self.decoded(), Some(Ok(insn)) if insn.is_csr() || TRAPS.contains(&insn.op));
        if config.halts && asks_traps {
            return Some(format!(
                "{} has no traps, and of the control and status registers only `cycle`, `time` and `instret` to be read",
                config.name
            ));
        }
        let decoded = self.decoded().filter(|_| matches!(self.cause, 2 | 3))?;
        let extension = match decoded {
            Ok(insn) if insn.op == Op::Ebreak => return Some(NO_REQUEST.into()),
            Err(error) => match error.reason {
                Reason::Lacks(extension) => extension,
                _ => return None,
            },
            Ok(_) => return None,
        };
        let isa = self.core.config.isa;
        let build = format!(
            "build the program for `{}` (`--target {}`, gcc: `-march={}`)",
            self.core.config.name,
            rust_target(isa),
            march(isa)
        );
        let boards: Vec<_> = boards_with(extension).collect();
        Some(if boards.is_empty() {
            build
        } else {
            format!(
                "{build}, or choose a board with {extension:?}: {}",
                boards.join(", ")
            )
        })
    }
}

/// The boards whose core has an extension.
fn boards_with(extension: Extension) -> impl Iterator<Item = &'static str> {
    Board::names().filter(move |name| {
        let board = Board::built_in(name).ok();
        board.is_some_and(|board| match board.core() {
            BoardCore::Rv32(core) => core.timing.is_some() && core.isa.has(extension),
            BoardCore::CortexM(_) => false,
        })
    })
}

/// The `-march` value of the core: `rv32imac`.
fn march(isa: Isa) -> String {
    let base = if isa.registers() == 16 { "rv32e" } else { "rv32i" };
    let atomics = isa.has(Extension::Zalrsc) && isa.has(Extension::Zaamo);
    let letters = [
        (isa.has(Extension::M), "m"),
        (atomics, "a"),
        (isa.has(Extension::C), "c"),
    ];
    let extensions = letters.iter().filter(|(has, _)| *has).map(|&(_, letter)| letter);
    std::iter::once(base).chain(extensions).collect()
}

/// The Rust target without floating point that uses most of the core's instructions.
fn rust_target(isa: Isa) -> String {
    let march = march(isa);
    let target = match march.as_str() {
        "rv32ic" | "rv32iac" | "rv32ia" => "rv32i",
        other => other,
    };
    format!("{}-unknown-none-elf", target.replacen("rv32", "riscv32", 1))
}
