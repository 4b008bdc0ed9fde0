//! The rules of memories, which are the same before every core: of a flash interface, and of a RAM.

use super::super::rule::{Known, Rule, known};
use events::Mark::{B, C, D};

/// The rules.
#[rustfmt::skip] // a table reads by its columns
pub(crate) const RULES: &[Known] = &[
    known(Rule::FlashWait, B, "RM0090 3.4, RM0440 5.3.3: latency",
        "What is neither buffered nor cached takes 1 cycle and the wait states that are set: 4 cycles at 3 wait states. The array does one access at a time."),
    known(Rule::FlashLine, B, "RM0090 3.5: lines of 128 bits; RM0440: of 64 bits",
        "A line serves every word of it at 0 wait states, until another one was read."),
    known(Rule::FlashPrefetch, D, "RM0090 3.5.2 for its purpose; when it begins and what it keeps is inferred",
        "Behind a line that the array gave for a fetch, or that was read ahead and is now fetched from, the next one is read ahead, if it is not cached; its wait states count from the cycle in which that begins, so that from 0 to all of them are left when it is fetched. It is kept in the cache when it is fetched from."),
    known(Rule::FlashInstructionCache, D, "RM0090 3.5.2 for size and replacement; how many ways it has is inferred",
        "A line that was fetched from is kept and then served at 0 wait states; the least recently used one makes room."),
    known(Rule::FlashDataCache, D, "RM0090 3.5.2 for size and replacement; how many ways it has is inferred",
        "A line that was read as data is kept and then served at 0 wait states; the least recently used one makes room."),
    known(Rule::FlashContention, D, "RM0090 3.5.2: data goes first; the rest is inferred",
        "An access waits for what is left of the one under way, 1 cycle and its wait states, even for one that nobody needs any more. Data goes before what was not yet begun to be read ahead."),
    known(Rule::WriteTurnAround, C, "three published counts of ChaCha on an STM32F407 against the same code on a Cortex-M3",
        "Behind the last word of a write a RAM may take nothing else for 1 cycle."),
];
