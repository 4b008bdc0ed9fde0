//! The effects of instructions.

mod alu;
mod memory;

pub(crate) use alu::operation;
pub(crate) use memory::extended;

use isa_rv32::{Extension, Insn, Op};

use crate::core::{Core, NotModelled, Refusal};
use crate::csr::CsrAccess;
use crate::trap::{Cause, Privilege, Trap};

impl Core {
    /// Executes an instruction and moves PC; false if it waits (WFI), and then nothing was done.
    pub(crate) fn execute(&mut self, insn: &Insn, now: u64) -> Result<bool, Refusal> {
        let next = self.pc.wrapping_add(u32::from(insn.size));
        if insn.is_load() || insn.is_store() {
            self.access(insn, now)?;
        } else if insn.is_branch() {
            return self.branch(insn, next);
        } else if insn.is_csr() {
            self.use_csr(insn, now)?;
        } else if let Some(value) = self.computed(insn) {
            self.write(insn.rd, value);
        } else {
            return self.control(insn, next);
        }
        self.pc = next;
        Ok(true)
    }

    /// The result of an instruction that only computes.
    fn computed(&self, insn: &Insn) -> Option<u32> {
        let immediate = insn.imm as u32;
        match insn.op {
            Op::Lui => Some(immediate),
            Op::Auipc => Some(self.pc.wrapping_add(immediate)),
            _ => {
                let (operation, takes_immediate) = alu::operation(insn.op)?;
                let b = if takes_immediate {
                    immediate
                } else {
                    self.read(insn.rs2)
                };
                Some(operation(self.read(insn.rs1), b))
            }
        }
    }

    fn branch(&mut self, insn: &Insn, next: u32) -> Result<bool, Refusal> {
        let (a, b) = (self.read(insn.rs1), self.read(insn.rs2));
        if insn.is_taken(a, b) {
            self.jump(self.pc.wrapping_add(insn.imm as u32))?;
        } else {
            self.pc = next;
        }
        Ok(true)
    }

    /// An address that no instruction can have is the jump's own exception.
    fn jump(&mut self, target: u32) -> Result<(), Refusal> {
        if target & 2 != 0 && !self.config.isa.has(Extension::C) {
            return Err(Trap::new(Cause::InstructionMisaligned, target).into());
        }
        self.pc = target;
        Ok(())
    }

    fn control(&mut self, insn: &Insn, next: u32) -> Result<bool, Refusal> {
        match insn.op {
            Op::Jal | Op::Jalr => self.jump_and_link(insn, next)?,
            Op::Wfi | Op::SfenceVma | Op::Mret | Op::Sret if self.refuses_system(insn) => {
                return Err(illegal(insn));
            }
            Op::Wfi if self.waits() => return Ok(false),
            Op::Fence | Op::FenceI | Op::Wfi => self.pc = next,
            Op::Ecall => return Err(self.call(insn).into()),
            Op::Ebreak if self.config.breakpoints => {
                let value = self.config.quirks().breakpoint_value(insn.raw, self.pc);
                return Err(Trap::new(Cause::Breakpoint, value).into());
            }
            // As the decompressor leaves it, if it was compressed.
            Op::Ebreak => return Err(Trap::new(Cause::IllegalInstruction, EBREAK).into()),
            Op::Mret => self.leave(Privilege::Machine),
            // VexRiscv without supervisor mode goes to an address that its source leaves undefined.
            Op::Sret if !self.config.supervisor => {
                return Err(Refusal::NotModelled(NotModelled::Instruction { insn: *insn }));
            }
            Op::Sret => self.leave(Privilege::Supervisor),
            Op::SfenceVma => {
                // A pipeline says when, if that is later.
                if !self.config.flushes_late() || !self.mmu.is_observed {
                    self.mmu.flush();
                }
                self.pc = next;
            }
            _ => return Err(Refusal::NotModelled(NotModelled::Instruction { insn: *insn })),
        }
        Ok(true)
    }

    fn jump_and_link(&mut self, insn: &Insn, next: u32) -> Result<(), Refusal> {
        let target = match insn.op {
            Op::Jal => self.pc.wrapping_add(insn.imm as u32),
            _ => self.read(insn.rs1).wrapping_add(insn.imm as u32) & !1,
        };
        self.jump(target)?;
        self.write(insn.rd, next);
        Ok(())
    }

    fn waits(&self) -> bool {
        self.config.waits && self.csrs.pending() & self.csrs.mie == 0
    }

    fn call(&self, insn: &Insn) -> Trap {
        let cause = match self.privilege {
            Privilege::User => Cause::UserCall,
            Privilege::Supervisor => Cause::SupervisorCall,
            Privilege::Machine => Cause::MachineCall,
        };
        Trap::new(cause, if self.config.tells_calls { insn.raw } else { 0 })
    }

    /// Whether an instruction for the system is illegal at this privilege (manual 3.1.6.5).
    pub(crate) fn refuses_system(&self, insn: &Insn) -> bool {
        let (status, privilege) = (&self.csrs.status, self.privilege);
        let supervisor = privilege == Privilege::Supervisor;
        match insn.op {
            Op::Wfi => status.tw && privilege < Privilege::Machine,
            Op::Mret => privilege < Privilege::Machine,
            Op::Sret => privilege < Privilege::Supervisor || status.tsr && supervisor,
            Op::SfenceVma if self.config.quirks().lets_all_fence() => false,
            Op::SfenceVma => privilege == Privilege::User || status.tvm && supervisor,
            _ => false,
        }
    }

    /// Whether a CSR instruction is illegal: no such register, or not to be used so.
    pub(crate) fn refuses_csr(&self, insn: &Insn) -> bool {
        !self.may_use(insn.csr, csr_use(insn))
    }

    /// Whether an instruction that waits for all older ones is illegal at this privilege.
    pub(crate) fn refuses(&self, insn: &Insn) -> bool {
        self.refuses_system(insn) || insn.is_csr() && self.refuses_csr(insn)
    }

    fn use_csr(&mut self, insn: &Insn, now: u64) -> Result<(), Refusal> {
        if self.refuses_csr(insn) {
            return Err(illegal(insn));
        }
        let what = csr_use(insn);
        let operand = if has_immediate(insn) {
            insn.imm as u32
        } else {
            self.read(insn.rs1)
        };
        let old = self.read_csr(insn.csr, now);
        if what.writes {
            let new = match insn.op {
                Op::Csrrw | Op::Csrrwi => operand,
                Op::Csrrs | Op::Csrrsi => self.kept_by(insn.csr, old) | operand,
                _ => self.kept_by(insn.csr, old) & !operand,
            };
            self.write_csr(insn.csr, new, now);
        }
        let shows = what.writes && self.config.quirks().shows_written(insn.csr);
        let old = if shows { self.read_csr(insn.csr, now) } else { old };
        self.write(insn.rd, old);
        Ok(())
    }
}

const EBREAK: u32 = 0x0010_0073;

fn has_immediate(insn: &Insn) -> bool {
    matches!(insn.op, Op::Csrrwi | Op::Csrrsi | Op::Csrrci)
}

fn csr_use(insn: &Insn) -> CsrAccess {
    let exchanges = matches!(insn.op, Op::Csrrw | Op::Csrrwi);
    let nothing = if has_immediate(insn) {
        insn.imm == 0
    } else {
        insn.rs1.0 == 0
    };
    CsrAccess {
        reads: !exchanges || insn.rd.0 != 0,
        writes: exchanges || !nothing,
    }
}

fn illegal(insn: &Insn) -> Refusal {
    Trap::new(Cause::IllegalInstruction, insn.raw).into()
}
