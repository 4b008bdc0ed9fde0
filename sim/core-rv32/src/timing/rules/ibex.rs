//! The rules of Ibex.

use super::{ISSUE, Known, Rule, known};

pub(super) const RULES: &[Known] = &[
    ISSUE,
    known(
        Rule::Fetch,
        "An instruction enters the ID stage when all of it is in the fetch FIFO. Words are requested ahead, two at a time, into a FIFO of three. With memory \
         that answers in the cycle after its grant, straight code waits 0 cycles.",
        "ibex_prefetch_buffer, ibex_fetch_fifo",
    ),
    known(
        Rule::Jump,
        "A jump takes 2 cycles: it fetches its target in its first, which comes 1 cycle later. Without an adder of its own \
         the return address needs the second.",
        "jump_set_raw, stall_jump",
    ),
    known(
        Rule::Branch,
        "A taken branch takes 3 cycles: it fetches its target in its second, which comes 1 cycle later. With an adder of its \
         own (ibex-wb) it fetches in its first, and takes 2. One that is not taken takes 1.",
        "branch_set_raw_q, stall_branch",
    ),
    known(
        Rule::Multiply,
        "A product takes 3 cycles for three products of 16 bits, its upper half 4.",
        "ibex_multdiv_fast",
    ),
    known(
        Rule::Divide,
        "A division takes 37 cycles whatever the operands, and 2 by zero.",
        "md_state_q",
    ),
    known(
        Rule::Csr,
        "Writing or setting bits of mstatus or mie flushes the ID stage afterwards, and takes 3 cycles; clearing them, and any other \
         access, takes 1.",
        "csr_pipe_flush",
    ),
    known(
        Rule::Exception,
        "An exception keeps the ID stage 1 cycle and flushes it in the next, in which the handler is fetched: 3 \
         cycles to the handler. With a write-back stage the access there is done first.",
        "FLUSH, special_req",
    ),
    known(
        Rule::Return,
        "MRET takes the way of an exception, 3 cycles.",
        "csr_restore_mret_id_o",
    ),
    known(
        Rule::Interrupt,
        "For an interrupt the ID stage accepts no instruction; once it and the write-back stage are \
         empty, it takes 1 cycle to decide and 1 to fetch the handler.",
        "handle_irq, IRQ_TAKEN",
    ),
    known(
        Rule::Sleep,
        "WFI flushes, stops the fetch, and then the clock, for as long as no interrupt is pending that is enabled by itself.",
        "WAIT_SLEEP, SLEEP, core_busy_q",
    ),
    known(
        Rule::FenceI,
        "FENCE.I is a jump to the next instruction: 2 cycles.",
        "jump_in_dec_o",
    ),
    known(
        Rule::Access,
        "A load or store waits 1 cycle in the ID stage for its answer, and takes 2. With a write-back stage it waits for its \
         grant, and takes 1; what is behind it waits for the answer.",
        "stall_mem, outstanding_memory_access",
    ),
    known(
        Rule::Split,
        "An access across the end of a word is made as two, each with its own grant and answer: 1 cycle more.",
        "split_misaligned_access",
    ),
    known(
        Rule::WaitStates,
        "A port grants a request at once unless it owes an answer, which comes 1 cycle later for each wait state of the memory.",
        "instr_rvalid_i, data_rvalid_i",
    ),
];

/// The additional rules of the write-back stage.
pub(super) const WRITE_BACK: &[Known] = &[known(
    Rule::Operand,
    "An instruction that reads the result of a load in the write-back stage waits until the load has left: 1 cycle right after it.",
    "stall_ld_hz",
)];
