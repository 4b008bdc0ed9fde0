//! The rules of the Cortex-M0.

use crate::timing::Cycle;
use crate::timing::rule::{Known, Rule, known};
use events::Mark::{A, B, D};

#[rustfmt::skip] // a table reads by its columns
pub(crate) const RULES: &[Known] = &[
    known(Rule::Alu, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "A data-processing instruction takes 1 cycle."),
    known(Rule::FetchWord, D, "inference; of STM32F0, without prefetch at 1 wait state, about 45 % are published, and this gives 39 % to 42 %",
        "Instructions are fetched by aligned words, just in time: a word is requested when the first halfword of the word before it moves to the execute stage. A wait state of a fetch delays straight code by 1 cycle."),
    known(Rule::BranchTaken, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "A taken branch takes 1 cycle and a refill of 2, 3 in all."),
    known(Rule::BranchNotTaken, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "A branch that is not taken takes 1 cycle."),
    known(Rule::BranchRegister, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "BX, BLX and MOV to PC take 1 cycle and a refill of 2, 3 in all."),
    known(Rule::BranchLink, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "BL takes 2 cycles and a refill of 2, 4 in all."),
    known(Rule::WriteToPc, B, "DDI 0432C table 3-1",
        "ADD to PC takes 1 cycle and a refill of 2, 3 in all."),
    known(Rule::Load, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "A load takes 2 cycles: address and data."),
    known(Rule::Store, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "A store takes 2 cycles: address and data."),
    known(Rule::Multiple, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "LDM, STM, PUSH and POP of N registers take 1 + N cycles."),
    known(Rule::LoadPc, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "POP to PC fetches its target when the data is there: 3 cycles after the data."),
    known(Rule::WaitStates, B, "AMBA 3 AHB-Lite",
        "A wait state delays the end of its transfer by 1 cycle."),
    known(Rule::SharedBus, D, "inference",
        "Instructions and data come over one bus: an access waits for the fetch under way, and a fetch for the access. With memories of 0 wait states that costs 0 cycles."),
    known(Rule::Multiply, A, "DDI 0432C table 3-1; 26 published counts of AES assembly on an STM32F0",
        "MULS takes 1 cycle, or 32 with the small multiplier."),
    known(Rule::MoveFromSpecial, B, "DDI 0432C table 3-1",
        "MRS takes 4 cycles."),
    known(Rule::MoveToSpecial, B, "DDI 0432C table 3-1",
        "MSR takes 4 cycles."),
    known(Rule::ChangeMask, B, "DDI 0432C table 3-1",
        "CPS takes 1 cycle."),
    known(Rule::Barrier, B, "DDI 0432C table 3-1",
        "DMB and DSB take 4 cycles."),
    known(Rule::InstructionBarrier, B, "DDI 0432C table 3-1",
        "ISB takes 2 cycles and a refill of 2, 4 in all."),
    known(Rule::Nop, B, "DDI 0432C table 3-1",
        "NOP takes 1 cycle."),
    known(Rule::Hint, B, "DDI 0432C table 3-1",
        "YIELD and SEV take 1 cycle."),
    known(Rule::Wait, B, "DDI 0432C table 3-1",
        "WFE and WFI take 2 cycles, plus the sleep."),
    known(Rule::Halt, D, "as on the Cortex-M3",
        "A BKPT that halts the core takes 0 cycles; the pipeline is full when execution goes on."),
    known(Rule::Exceptional, D, "inference",
        "An instruction that ends in an exception (SVC, a fault) takes 1 cycle before the entry begins."),
    known(Rule::ExceptionEntry, B, "DDI 0432C 3.6 (16 cycles from the input)",
        "From recognition to the first instruction of the handler: 8 words are stacked, then the vector is read, then the handler fetched: 13 cycles."),
    known(Rule::ExceptionReturn, D, "inference, from the entry",
        "From the end of the branch to the first instruction: 8 words are unstacked, then it is fetched: 11 cycles."),
    known(Rule::TailChain, D, "DDI 0432C 3.6 (that it is); inference from the entry (how long it takes)",
        "From the end of the returning branch to the next handler's first instruction: 5 cycles for the vector and the fetch, 6 with BX LR."),
    known(Rule::LateArrival, D, "DDI 0432C 3.6 (that it is); inference (how long it takes)",
        "Until the first instruction of a handler executes, a more urgent exception takes its place; its vector and fetch take 5 cycles from when it is seen, in parallel with the rest of the stacking."),
    known(Rule::NvicWrite, D, "as on the Cortex-M3",
        "A store to NVIC or SCB is seen by the exception logic 2 cycles after its address phase."),
    known(Rule::MaskWrite, D, "as on the Cortex-M3",
        "A lowered mask (CPSIE, MSR) is seen when the next instruction starts: an exception that waited for it is entered 0 cycles after this one."),
    known(Rule::InterruptInput, B, "DDI 0432C 3.6 (16 cycles from the input)",
        "An interrupt input is seen by the exception logic 3 cycles after it rises."),
    known(Rule::MultipleAbandoned, B, "DDI 0432C 3.6",
        "LDM, STM, PUSH and POP stop after the transfer under way, 1 cycle and its wait states, for an exception, and start again afterwards."),
    known(Rule::MultiplyAbandoned, B, "DDI 0432C 3.6",
        "The multiplication of 32 cycles is abandoned for an exception, and starts again afterwards."),
    known(Rule::WakeUp, D, "inference",
        "From WFI or WFE the core wakes 0 cycles after it sees the event."),
];

/// The cycles in the execute stage of an instruction of this rule; of a load or store, of one word, its data included. The page says the
/// same numbers.
pub(crate) const fn takes(rule: Rule) -> Cycle {
    match rule {
        Rule::Halt => 0,
        Rule::Load
        | Rule::Store
        | Rule::Multiple
        | Rule::BranchLink
        | Rule::InstructionBarrier
        | Rule::Wait => 2,
        Rule::MoveFromSpecial | Rule::MoveToSpecial | Rule::Barrier => 4,
        _ => 1,
    }
}
