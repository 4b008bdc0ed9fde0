//! The rules of `VexRiscv`: those of all variants, and those that some add.

use super::{ISSUE, Known, Rule, known};

/// The rules of all variants.
pub(super) const ALL: &[Known] = &[
    ISSUE,
    known(
        Rule::Csr,
        "An access to a control and status register, also an illegal one, waits in execute until memory and write-back are \
         empty: 2 cycles behind instructions that nothing keeps. On secure a write of pmpaddr takes 3 more, of pmpcfg 6.",
        "execute_CsrPlugin_blockedBySideEffects, execute_PmpPlugin_fsm_*",
    ),
    known(
        Rule::Exception,
        "An exception travels to the last stage, and jumps 1 cycle later: 7 cycles to the handler.",
        "CsrPlugin_exceptionPortCtrl_*, CsrPlugin_hadException",
    ),
    known(
        Rule::Return,
        "A trap return jumps from the last stage, and decode waits for it: from it to the next instruction 6 cycles.",
        "CsrPlugin_jumpInterface_*",
    ),
    known(
        Rule::Interrupt,
        "Inputs are seen 1 cycle late, the external ones 2. The instruction in decode waits until its address has moved through \
         the emptied stages, and is then replaced.",
        "CsrPlugin_interrupt_valid, CsrPlugin_pipelineLiberator_*",
    ),
    known(
        Rule::WaitStates,
        "A word is acknowledged 1 cycle later for each wait state of its memory, or as the L2 in front of that takes.",
        "iBusWishbone_ACK, dBusWishbone_ACK",
    ),
];

/// The smallest one: nothing is bypassed, and no jump predicted.
pub(super) const MIN: &[Known] = &[
    known(
        Rule::Operand,
        "Nothing is bypassed: an instruction waits in decode until 1 cycle after the registers it reads were written. Right after the \
         instruction that writes one, it waits 4 cycles.",
        "HazardSimplePlugin_*",
    ),
    known(
        Rule::Jump,
        "JAL and JALR jump from memory, which empties the stages before it: 3 cycles are lost.",
        "BranchPlugin_jumpInterface_*",
    ),
    known(
        Rule::Branch,
        "A branch is decided in execute. Taken, it jumps from memory, which empties the stages before it: 3 cycles are lost.",
        "BranchPlugin_jumpInterface_*",
    ),
    known(
        Rule::Fetch,
        "An instruction enters decode when the memory has answered.",
        "IBusSimplePlugin_*",
    ),
    SHIFT,
    ONE_ACCESS,
];

/// With a cache of instructions, and none of data.
pub(super) const LITE: &[Known] = &[
    known(
        Rule::Operand,
        "An instruction waits in decode until what it reads can be bypassed. The result of a load is there 2 cycles later, of a \
         multiplication, a division and a CSR access 1, of all else at once.",
        BYPASSED,
    ),
    SHIFT,
    ONE_ACCESS,
    known(
        Rule::Multiply,
        "32 cycles more in memory.",
        "memory_MulDivIterativePlugin_mul_counter_*",
    ),
];

const BYPASSED: &str = "HazardSimplePlugin_*, *_BYPASSABLE_*_STAGE";

const SHIFT: Known = known(
    Rule::Shift,
    "1 cycle for each bit in execute.",
    "execute_LightShifterPlugin_*",
);

const ONE_ACCESS: Known = known(
    Rule::Access,
    "One access at a time, from execute, where the next one waits 1 cycle; a load waits in memory for its answer.",
    "DBusSimplePlugin_*, dBus_cmd_halfPipe_*",
);

/// The variants with an instruction cache.
pub(super) const PREDICTS: &[Known] = &[
    known(
        Rule::Jump,
        "JAL is predicted and jumps from decode: 1 cycle is lost. JALR jumps from memory: 3.",
        "IBusCachedPlugin_predictionJumpInterface_*, BranchPlugin_jumpInterface_*",
    ),
    known(
        Rule::Branch,
        "A backward branch is predicted to be taken and jumps from decode: 1 cycle is lost. One that was predicted wrong jumps \
         from memory, which empties the stages before it: 3.",
        "IBusCachedPlugin_predictionJumpInterface_*, BranchPlugin_jumpInterface_*",
    ),
    known(
        Rule::Fetch,
        "A miss is noticed in decode (imac: with the tag), even on a wrong path; the line of 8 words is loaded, and the fetch \
         is repeated. On imac a word with two compressed instructions stays 2 cycles, and half an instruction is kept until the \
         next word is there.",
        "lineLoader_*, IBusCachedPlugin_rsp_redoFetch, IBusCachedPlugin_decompressor_*",
    ),
    known(
        Rule::FenceI,
        "FENCE.I empties the instruction cache, 1 cycle for each line; the fetch waits.",
        "lineLoader_flushCounter",
    ),
    known(
        Rule::Divide,
        "33 cycles more in memory.",
        "memory_*_div_counter_value",
    ),
];

/// The variants with a data cache too.
pub(super) const CACHED: &[Known] = &[
    known(
        Rule::Operand,
        "An instruction waits in decode until what it reads can be bypassed. The result of a load or a multiplication is there 2 \
         cycles later, of a shift, a division and a CSR access 1, of all else at once.",
        BYPASSED,
    ),
    known(
        Rule::Access,
        "A load that misses is abandoned in the last stage: its line is loaded while execute waits, and the load and everything after \
         it are fetched again. So is a load if a store writes some of its bytes while it is in execute or memory: 5 cycles. Stores go \
         through to memory: two wait on the way, the next one in the last stage. An AMO computes for 1 cycle in the last stage, \
         then stores. 0x500f empties the data cache, 1 cycle for each line; where addresses are translated a line stays while the data \
         port lacks the translation of the next instruction's address.",
        "io_cpu_redo, loader_*, stageB_dataColisions, dataCache_1_io_mem_cmd_*, stageB_amo_*, stageB_flusher_*",
    ),
    known(
        Rule::Sleep,
        "WFI waits in execute for an interrupt that mie enables.",
        "execute_CsrPlugin_wfiWake",
    ),
    known(
        Rule::Translation,
        "An access whose page is in none of the four entries is given up in the last stage and fetched again, a fetch likewise in \
         decode. Meanwhile the tables are walked, data before fetches: each entry is a load that goes through execute, memory and \
         write-back when no instruction is there, and 2 cycles later the next is asked for. SFENCE.VMA and a write of satp wait \
         in execute as a CSR access does, and all behind them is fetched again.",
        "MmuPlugin_shared_*, *_IS_DBUS_SHARING, *_mmuBus_busy, CsrPlugin_rescheduleLogic_*",
    ),
];
