//! The timing of exception entry and return.

use super::frame::{EntryCourse, OnSystemBus, stack};
use super::{Cycle, Model, Rule};

/// Words of a stack frame.
const FRAME: Cycle = 8;
/// Words that an extended frame adds: S0 to S15 and FPSCR. (Its last word is only reserved.)
const FP: Cycle = 17;
/// Words fetched before a handler can execute: its vector and its first instruction.
const VECTOR_AND_FETCH: Cycle = 2;

/// From the request of an instruction until it can execute.
const REQUEST_TO_EXECUTE: Cycle = 3;

/// From the address of a word on the bus until the core has used it to form the next address.
const ADDRESS_AND_DATA: Cycle = 2;

/// The latencies of exceptions, as functions of the wait states that they meet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Latencies {
    /// Separate buses for code and system: stacking and fetching go side by side.
    SideBySide,
    /// One bus for everything: vector and handler come after the frame, and then pass through this number of stages before they execute.
    InTurn {
        /// Stages between fetch and execute.
        stages: Cycle,
    },
}

impl Latencies {
    /// Cortex-M0.
    pub(crate) const M0: Latencies = Latencies::InTurn { stages: 1 };
    /// Cortex-M0+.
    pub(crate) const M0PLUS: Latencies = Latencies::InTurn { stages: 0 };

    /// The cycle of the vector request of an exception that is recognised in cycle `at`, if its handler starts in cycle `start`: parallel
    /// to the stacking, or at its end.
    pub(crate) fn vector_request(self, at: Cycle, start: Cycle) -> Cycle {
        match self {
            Latencies::SideBySide => at + 1,
            Latencies::InTurn { .. } => start - 1 - REQUEST_TO_EXECUTE,
        }
    }

    /// When the instruction is requested that an exception returns to and that then starts in cycle `start`, if its
    /// address has the bus, first of the frame, in cycle `read`.
    pub(crate) fn return_request(self, read: Cycle, start: Cycle) -> Cycle {
        match self {
            Latencies::SideBySide => read + ADDRESS_AND_DATA,
            Latencies::InTurn { .. } => start - REQUEST_TO_EXECUTE,
        }
    }

    /// Rule `exception-entry`: from recognition until the handler's first instruction executes. With two buses, stacking
    /// goes over the system bus while vector and handler come over the code bus, and the slower one decides.
    pub(crate) fn entry(self, stack_wait: Cycle, vector_wait: Cycle, fetch_wait: Cycle) -> Cycle {
        match self {
            Latencies::SideBySide => Self::entry_of(FRAME, stack_wait, vector_wait, fetch_wait),
            Latencies::InTurn { .. } => FRAME + FRAME * stack_wait + self.tail_chain(vector_wait, fetch_wait),
        }
    }

    /// Rule `exception-entry-fp`: the same with an extended frame that is stacked at once.
    pub(crate) fn entry_with_fp(stack_wait: Cycle, vector_wait: Cycle, fetch_wait: Cycle) -> Cycle {
        Self::entry_of(FRAME + FP, stack_wait, vector_wait, fetch_wait)
    }

    fn entry_of(words: Cycle, stack_wait: Cycle, vector_wait: Cycle, fetch_wait: Cycle) -> Cycle {
        let stacking = words + words * stack_wait;
        let fetching = VECTOR_AND_FETCH + vector_wait + fetch_wait;
        stacking.max(fetching) + 1
    }

    /// Rule `lazy-stacking`: how long the first instruction of the FPU waits until the registers of the code that was left
    /// are saved.
    pub(crate) fn lazy_stacking(stack_wait: Cycle) -> Cycle {
        FP + FP * stack_wait
    }

    /// Rule `exception-return`: from the end of the branch until the next instruction executes. PC is unstacked
    /// first, so that the fetch overlaps the rest.
    pub(crate) fn exit(self, stack_wait: Cycle, fetch_wait: Cycle) -> Cycle {
        match self {
            Latencies::SideBySide => Self::exit_of(FRAME, stack_wait, fetch_wait),
            Latencies::InTurn { stages } => {
                FRAME + FRAME * stack_wait + ADDRESS_AND_DATA + fetch_wait + stages
            }
        }
    }

    /// Rule `exception-return-fp`: the same from an extended frame in which the registers were saved.
    pub(crate) fn exit_with_fp(stack_wait: Cycle, fetch_wait: Cycle) -> Cycle {
        Self::exit_of(FRAME + FP, stack_wait, fetch_wait)
    }

    fn exit_of(words: Cycle, stack_wait: Cycle, fetch_wait: Cycle) -> Cycle {
        let unstacking = words + words * stack_wait;
        let fetching = VECTOR_AND_FETCH + stack_wait + fetch_wait;
        unstacking.max(fetching) + 1
    }

    /// Rule `exception-return`: additional cycles of a return by a loaded EXC_RETURN.
    pub(crate) fn return_by_load(self) -> Cycle {
        match self {
            Latencies::SideBySide => 1,
            Latencies::InTurn { .. } => 0,
        }
    }

    /// Rule `tail-chain`: from the end of the branch until the next handler executes.
    pub(crate) fn tail_chain(self, vector_wait: Cycle, fetch_wait: Cycle) -> Cycle {
        let waits = vector_wait + fetch_wait;
        match self {
            Latencies::SideBySide => 3 + VECTOR_AND_FETCH + waits,
            Latencies::InTurn { stages } => 2 * ADDRESS_AND_DATA + stages + waits,
        }
    }

    /// Rule `exception-system-bus`: the course of an entry whose vector or handler comes over the system bus, parallel to the frame, and
    /// after a fetch that has the bus as `taken` says in its first cycle. The vector is requested in cycle `asked`. `None` if it makes no
    /// difference.
    pub(crate) fn over_system_bus(
        model: Model,
        at: Cycle,
        asked: Cycle,
        taken: bool,
        on: OnSystemBus,
    ) -> Option<EntryCourse> {
        let applies = model.has(Rule::ExceptionSystemBus) && (on.vector || on.handler);
        applies.then(|| stack(at, asked, taken, on))
    }

    /// Rule `exception-system-bus`: the cycle in which the prefetch unit requests the vector of an exception that is recognised in cycle
    /// `at`, if no fetch is under way then.
    pub(crate) fn asks_for_vector(at: Cycle) -> Cycle {
        at + 1
    }

    /// Rule `exception-system-bus`: additional cycles of a return to code on the system bus, for three words.
    pub(crate) const RETURN_BEHIND_FRAME: Cycle = 3;

    /// Rule `exception-system-bus`: delay of a handler that is chained by a vector on the system bus; and with the handler there too,
    /// beyond the hold of its fetch.
    pub(crate) const CHAIN_BY_VECTOR: [Cycle; 2] = [1, 6];

    /// Rules `multiple-continued` and `multiple-abandoned`: how many words, the first of them addressed in cycle `access`, are transferred when
    /// an exception is recognised in cycle `due` and the transfer under way ends; and when that is.
    pub(crate) fn transfers_until(due: Cycle, access: Cycle, wait: Cycle) -> (Cycle, Cycle) {
        let each = 1 + wait;
        let done = (due - access).max(0) / each + 1;
        (done, access + done * each + 1)
    }

    /// When the handler is requested if its vector was in cycle `vector_at` and came `late` cycles late.
    pub(crate) fn handler_request(vector_at: Cycle, late: Cycle) -> Cycle {
        vector_at + 1 + late
    }

    /// Rule `exceptional`: cycles of a faulting instruction before the entry begins.
    pub(crate) const EXCEPTIONAL: Cycle = 1;

    /// Rule `halt`: cycles of a BKPT that gives way to an exception.
    pub(crate) const GIVEN_WAY: Cycle = 1;

    /// Cycles before a handler's start by which SysTick's request must be raised to be pending before that exception becomes active
    /// (recordings of a CC2650).
    pub(crate) const PENDS: Cycle = 2;

    /// From when a vector on the system bus is asked for at the end of a returning branch until the next handler is requested (recordings
    /// of a CC2650).
    pub(crate) const CHAINED_REQUEST: Cycle = 2;

    /// Cycles after the recognition of an exception until which a decodable instruction is still written into the prefetch unit (recordings
    /// of a CC2650).
    pub(crate) const STILL_WRITTEN: Cycle = 2;

    /// So long before an interrupt is recognised the prefetch unit gives no address any more (recordings of a CC2650).
    pub(crate) const STOPS_FETCHING: Cycle = 1;

    /// Cycles of MLA and MLS, which an exception abandons.
    pub(crate) const MULTIPLY_ACCUMULATE: Cycle = 2;

    /// Rule `nvic-write`: from a store's address phase until its effect is seen.
    pub(crate) const NVIC_WRITE: Cycle = 2;

    /// Rule `late-recognition`: how much later the exception logic sees what an instruction raises, and how much later than the
    /// counter reads as 0 what SysTick does.
    pub(crate) fn late_recognition(model: Model) -> (Cycle, Cycle) {
        if model.writes_unbuffered() && model.has(Rule::LateRecognition) {
            (2, 4)
        } else {
            (0, 0)
        }
    }

    /// Rule `interrupt-input`: from the input's edge until it is seen.
    pub(crate) const INTERRUPT_INPUT: Cycle = 3;
}

#[cfg(test)]
mod tests {
    use super::{Cycle, Latencies, Rule};
    use crate::cores::CoreKind;

    /// The text of a rule on a core's page.
    fn says(kind: CoreKind, rule: Rule) -> &'static str {
        let known = kind.rules.iter().find(|known| known.number == rule.into());
        known.map_or("", |known| known.text)
    }

    /// The number that takes effect is the number that is written.
    #[test]
    fn the_pages_say_these_numbers() {
        for kind in CoreKind::ALL {
            let latencies = kind.latencies;
            let holds = |rule, cycles: Cycle| {
                let (text, number) = (says(kind, rule), format!("{cycles} cycle"));
                assert!(
                    text.contains(&number),
                    "{kind:?}, {rule:?}: no {number}s in {text}"
                );
            };
            holds(Rule::ExceptionEntry, latencies.entry(0, 0, 0));
            holds(Rule::ExceptionReturn, latencies.exit(0, 0));
            if let Latencies::SideBySide = latencies {
                holds(Rule::ExceptionReturn, latencies.return_request(0, 9));
            }
            holds(Rule::TailChain, latencies.tail_chain(0, 0));
            holds(Rule::LateArrival, latencies.tail_chain(0, 0));
            holds(Rule::NvicWrite, Latencies::NVIC_WRITE);
            holds(Rule::InterruptInput, Latencies::INTERRUPT_INPUT);
            holds(Rule::Exceptional, Latencies::EXCEPTIONAL);
            if kind == CoreKind::CORTEX_M4F {
                holds(Rule::ExceptionEntryFp, Latencies::entry_with_fp(0, 0, 0));
                holds(Rule::ExceptionReturnFp, Latencies::exit_with_fp(0, 0));
            }
        }
    }
}
