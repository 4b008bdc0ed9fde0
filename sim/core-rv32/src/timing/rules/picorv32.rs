//! The rules of `PicoRV32`.

use super::{Known, Rule, known};

pub(super) const RULES: &[Known] = &[
    known(
        Rule::Issue,
        "An instruction that does not have to wait goes through its states in 3 cycles.",
        "cpu_state_fetch, cpu_state_ld_rs1, cpu_state_exec",
    ),
    known(
        Rule::Fetch,
        "The next instruction is fetched while this one is executed, and launched when it is there: with memory that answers at \
         once it waits 0 cycles.",
        "mem_do_prefetch, decoder_trigger",
    ),
    known(
        Rule::Branch,
        "For a taken branch, the next instruction is fetched in vain, and then the target: 5 cycles. One that is not \
         taken takes 3.",
        "latched_branch, set_mem_do_rinst",
    ),
    known(
        Rule::Jump,
        "JAL fetches its target when it is launched, 3 cycles; JALR after its execute state, 6.",
        "instr_jal, instr_jalr",
    ),
    known(
        Rule::Shift,
        "Four places a cycle, then one, and 1 cycle to end; the next instruction is decoded after it.",
        "TWO_STAGE_SHIFT, reg_sh",
    ),
    known(
        Rule::Multiply,
        "A product takes 40 cycles, for 32 steps; an upper half 72, for 64.",
        "picorv32_pcpi_mul",
    ),
    known(
        Rule::Divide,
        "A division takes 40 cycles, for 32 steps, whatever the operands.",
        "picorv32_pcpi_div",
    ),
    known(
        Rule::Csr,
        "RDCYCLE, RDTIME and RDINSTRET request the next instruction only when they are done: 5 cycles. RDINSTRET counts itself.",
        "is_rdcycle_rdcycleh_rdinstr_rdinstrh",
    ),
    known(
        Rule::Port,
        "There is one port: a load or store waits for the fetch of the next instruction.",
        "mem_do_prefetch",
    ),
    known(
        Rule::Access,
        "A load or store is requested when the prefetch is done, and answered: 5 cycles. The next instruction is launched from \
         what was decoded.",
        "cpu_state_ldmem, cpu_state_stmem",
    ),
    known(
        Rule::WaitStates,
        "A fetch, a load and a store are each answered 1 cycle later for each wait state of the memory.",
        "mem_ready",
    ),
];
