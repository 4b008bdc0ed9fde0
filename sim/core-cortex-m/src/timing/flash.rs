//! The rules of memories, which are the same before every core: of a flash interface, and of a RAM.

use super::rule::{Known, Rule, known};
use events::Mark::{B, C, D};

/// The rules of the flash.
#[rustfmt::skip] // a table reads by its columns
pub(crate) const RULES: &[Known] = &[
    known(Rule::FlashWait, B, "RM0090 3.4, RM0440 5.3.3: latency",
        "An access that is neither buffered nor cached takes 1 cycle plus the wait states that are set: 4 cycles at 3 wait states. The array makes one access at a time."),
    known(Rule::FlashLine, B, "RM0090 3.5: lines of 128 bits; RM0440: of 64 bits; CC2650 and CC2652, published with CMEmu, which describes the lines of both",
        "A line serves each of its words at 0 wait states until another line is read: by a fetch, or also by a read of data where both come over one bus."),
    known(Rule::FlashPrefetch, D, "RM0090 3.5.2 for its purpose; when it begins and what it keeps is inferred",
        "After a line that the array delivered for a fetch, or a read-ahead line that is now fetched from, the next line is read ahead unless it is cached. Its wait states count from the start of that read, so that between 0 and all of them are left when it is fetched; then it enters the cache."),
    known(Rule::FlashInstructionCache, D, "RM0090 3.5.2 for size and replacement; how many ways it has is inferred",
        "A line that was fetched from stays cached and is served at 0 wait states; the least recently used line is replaced. A cache of fetches and data together (CC2650) fills its ways in turn, and takes a cycle to look up a line that does not follow the last one."),
    known(Rule::FlashDataCache, D, "RM0090 3.5.2 for size and replacement; how many ways it has is inferred",
        "A line that was read as data stays cached and is served at 0 wait states; the least recently used line is replaced."),
    known(Rule::FlashContention, D, "RM0090 3.5.2: data goes first; the rest is inferred",
        "An access waits for the rest of the one under way, 1 cycle plus its wait states, even if nobody needs that one any more. Data goes before a read-ahead that has not begun."),
    known(Rule::MasterContention, D, "RM0440 12.4.1, RM0041 9.3.1 (that a master may hold up the core at the same memory); inference (who goes first)",
        "A load, store or transfer of several words waits while another master of the bus (DMA) accesses the same memory, 1 cycle plus that memory's wait states for each of its transfers: the other master goes first. Fetches, what an exception stacks, and peripherals are not held up."),
    known(Rule::MemoryGrant, C, "compendium.i-0.nl, Nop usage, Banking the stack pointer, Unsigned Accumulate Long; published counts of ChaCha and Curve9767 on an STM32F407: its SRAM2; loops of stm32-board-microbenchmarks on an STM32G474: its CCM SRAM",
        "A RAM on a bus matrix may have to be granted: its first access after a cycle without one takes 1 cycle more (LDR 3 cycles, LDM, LDRD, STM and STRD of N words N + 2). A single store does not wait for that, because the write buffer does; further stores queue up, and a load waits until they are granted."),
    known(Rule::MemoryDocumented, B, "the maker's documents, which the board's file names",
        "A memory of a chip that nobody measured answers in 1 cycle plus the wait states that its maker's documents give it (`evidence = \"B\"` in the board's file)."),
    known(Rule::MemoryInferred, D, "inference, which the board's file explains",
        "A memory answers in 1 cycle plus the wait states, and through the flash interface, that its board's file gives it; they are inferred (`evidence = \"D\"` there)."),
    known(Rule::PeripheralAccess, D, "inference: the bridges between the core and its peripherals are not modelled",
        "A load from or a store to a peripheral (0x40000000 to 0x5fffffff) takes 1 cycle plus the wait states of the board's file, mostly none, whatever bridges and slower clocks lie in between."),
];
