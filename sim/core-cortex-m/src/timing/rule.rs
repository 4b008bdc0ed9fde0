//! The named rules. What each core's rules say, and how well each is known there, stands in a table for each core
//! (`rules/`), from which the documentation, the evidence of a figure and the switches are made.

pub(super) use events::Rule as Known;
use events::RuleId;
pub use events::{Mark, RuleSet};

/// A line of a core's table.
pub(super) const fn known(rule: Rule, mark: Mark, source: &'static str, text: &'static str) -> Known {
    Known {
        number: RuleId(rule as u8),
        id: rule.id(),
        text,
        source,
        mark,
        switchable: rule.is_switchable(),
    }
}

/// Names the rules once: the enum and their ids.
macro_rules! rules {
    ($($name:ident $id:literal;)*) => {
        /// A timing rule; cores share a name where it is the same mechanism, and may differ in the number.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Rule {
            $(#[doc = concat!("`", $id, "`")] $name,)*
        }

        impl Rule {
            /// Every rule of every core.
            pub const ALL: &[Rule] = &[$(Rule::$name),*];

            /// Its name in documents, reports and on the command line.
            pub const fn id(self) -> &'static str {
                match self { $(Rule::$name => $id),* }
            }
        }
    };
}

rules! {
    Alu "alu";
    FetchFifo "fetch-fifo";
    FetchWord "fetch-word";
    BranchTaken "branch-taken";
    BranchEarly "branch-early";
    BranchNotTaken "branch-not-taken";
    CompareBranch "compare-branch";
    BranchRegister "branch-register";
    BranchLink "branch-link";
    BranchDependency "branch-dependency";
    WriteToPc "write-to-pc";
    BranchSpeculation "branch-speculation";
    AddressDependency "address-dependency";
    Load "load";
    LoadPipelined "load-pipelined";
    LoadArea "load-area";
    LoadThenStore "load-then-store";
    IndexedPipelined "indexed-pipelined";
    LoadHidesNop "load-hides-nop";
    Store "store";
    StoreRegisterOffset "store-register-offset";
    StoreThenLoad "store-then-load";
    StoreThenMultiple "store-then-multiple";
    StoreBuffer "store-buffer";
    WriteTurnAround "write-turn-around";
    Double "double";
    Multiple "multiple";
    LoadPc "load-pc";
    TableBranch "table-branch";
    Unaligned "unaligned";
    WaitStates "wait-states";
    PortContention "port-contention";
    SystemFetch "system-fetch";
    SharedBus "shared-bus";
    IoPort "io-port";
    Multiply "multiply";
    MultiplyAccumulate "multiply-accumulate";
    LongMultiply "long-multiply";
    LongMultiplyAccumulate "long-multiply-accumulate";
    SingleCycleMultiply "single-cycle-multiply";
    Divide "divide";
    FloatData "float-data";
    FloatResult "float-result";
    FloatMultiplyAccumulate "float-multiply-accumulate";
    FloatDivide "float-divide";
    FloatMove "float-move";
    FloatAccess "float-access";
    Saturate "saturate";
    It "it";
    ItFolded "it-folded";
    Skipped "skipped";
    MoveFromSpecial "move-from-special";
    MoveToSpecial "move-to-special";
    ChangeMask "change-mask";
    MaskRaise "mask-raise";
    Barrier "barrier";
    InstructionBarrier "instruction-barrier";
    Nop "nop";
    Hint "hint";
    Wait "wait";
    BitBand "bit-band";
    Halt "halt";
    Exceptional "exceptional";
    ExceptionEntry "exception-entry";
    ExceptionReturn "exception-return";
    ExceptionEntryFp "exception-entry-fp";
    ExceptionReturnFp "exception-return-fp";
    LazyStacking "lazy-stacking";
    TailChain "tail-chain";
    LateArrival "late-arrival";
    PopPreemption "pop-preemption";
    NvicWrite "nvic-write";
    MaskWrite "mask-write";
    InterruptInput "interrupt-input";
    DivideAbandoned "divide-abandoned";
    MultiplyAbandoned "multiply-abandoned";
    MultipleContinued "multiple-continued";
    MultipleAbandoned "multiple-abandoned";
    WakeUp "wake-up";
    FlashWait "flash-wait";
    FlashLine "flash-line";
    FlashPrefetch "flash-prefetch";
    FlashInstructionCache "flash-instruction-cache";
    FlashDataCache "flash-data-cache";
    FlashContention "flash-contention";
}

impl Rule {
    /// Whether it can be switched off: it adds to, or takes from, what is otherwise known. The others are what an
    /// instruction or an exception costs at the least, without which there is no cost at all.
    pub const fn is_switchable(self) -> bool {
        matches!(
            self,
            Rule::AddressDependency
                | Rule::BranchDependency
                | Rule::BranchEarly
                | Rule::BranchSpeculation
                | Rule::DivideAbandoned
                | Rule::ItFolded
                | Rule::LateArrival
                | Rule::LazyStacking
                | Rule::LoadArea
                | Rule::LoadHidesNop
                | Rule::LoadPipelined
                | Rule::LoadThenStore
                | Rule::IoPort
                | Rule::MultipleContinued
                | Rule::MultipleAbandoned
                | Rule::MultiplyAbandoned
                | Rule::PortContention
                | Rule::StoreRegisterOffset
                | Rule::StoreThenLoad
                | Rule::SystemFetch
                | Rule::Unaligned
        )
    }
}

impl From<Rule> for RuleId {
    #[inline]
    fn from(rule: Rule) -> RuleId {
        RuleId(rule as u8)
    }
}

const _: () = assert!(Rule::ALL.len() <= 128, "a RuleSet holds 128 rules");
