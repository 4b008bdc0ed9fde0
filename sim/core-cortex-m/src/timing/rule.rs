//! The named rules. A table for each core (`rules/`) has their texts and evidence; the documentation, the evidence of a figure and the
//! switches are made from it.

pub(super) use events::Rule as Known;
use events::{Class, RuleId};
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
        class: rule.class(),
    }
}

/// Names the rules once: the enum, their ids, and what the cycles of each are spent on.
macro_rules! rules {
    ($($name:ident $id:literal $class:ident;)*) => {
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

            /// The class of its cycles.
            pub const fn class(self) -> Class {
                match self { $(Rule::$name => Class::$class),* }
            }
        }
    };
}

rules! {
    Alu "alu" Issue;
    FetchFifo "fetch-fifo" Refill;
    FetchWord "fetch-word" Refill;
    BranchTaken "branch-taken" Refill;
    BranchEarly "branch-early" Refill;
    RefillRoom "refill-room" Refill;
    EntryRoom "entry-room" Refill;
    FetchInVain "fetch-in-vain" Refill;
    BranchNotTaken "branch-not-taken" Issue;
    CompareBranch "compare-branch" Issue;
    BranchRegister "branch-register" Refill;
    BranchLink "branch-link" Issue;
    BranchDependency "branch-dependency" Operand;
    WriteToPc "write-to-pc" Refill;
    BranchSpeculation "branch-speculation" Refill;
    AddressDependency "address-dependency" Operand;
    Load "load" Access;
    LoadPipelined "load-pipelined" Access;
    LoadArea "load-area" Access;
    LoadThenStore "load-then-store" Access;
    IndexedPipelined "indexed-pipelined" Access;
    LoadHidesNop "load-hides-nop" Issue;
    Store "store" Access;
    StoreRegisterOffset "store-register-offset" Access;
    StoreThenLoad "store-then-load" Conflict;
    LoadAhead "load-ahead" Access;
    StoreThenMultiple "store-then-multiple" Conflict;
    StoreBuffer "store-buffer" Conflict;
    MemoryGrant "memory-grant" WaitState;
    StorePrivate "store-private" Access;
    StoreUnbuffered "store-unbuffered" Access;
    Double "double" Access;
    Multiple "multiple" Access;
    LoadPc "load-pc" Refill;
    TableBranch "table-branch" Refill;
    Unaligned "unaligned" Access;
    WaitStates "wait-states" WaitState;
    MasterContention "master-contention" Conflict;
    PortContention "port-contention" Conflict;
    SystemFetch "system-fetch" Conflict;
    JumpBehindFetch "jump-behind-fetch" Conflict;
    WriteBehindFetch "write-behind-fetch" Conflict;
    UnalignedFetch "unaligned-fetch" Conflict;
    SharedBus "shared-bus" Conflict;
    IoPort "io-port" Access;
    PeripheralAccess "peripheral-access" Access;
    MemoryDocumented "memory-documented" WaitState;
    MemoryInferred "memory-inferred" WaitState;
    Multiply "multiply" Operation;
    MultiplyAccumulate "multiply-accumulate" Operation;
    LongMultiply "long-multiply" Operation;
    LongMultiplyAccumulate "long-multiply-accumulate" Operation;
    SingleCycleMultiply "single-cycle-multiply" Operation;
    Divide "divide" Operation;
    FloatData "float-data" Issue;
    FloatResult "float-result" Operand;
    FloatMultiplyAccumulate "float-multiply-accumulate" Operation;
    FloatDivide "float-divide" Operation;
    FloatMove "float-move" Operation;
    FloatAccess "float-access" Access;
    Saturate "saturate" Issue;
    It "it" Issue;
    ItFolded "it-folded" Issue;
    ItLooks "it-looks" Issue;
    ItBehindMultiply "it-behind-multiply" Issue;
    ItBehindStack "it-behind-stack" Issue;
    Skipped "skipped" Issue;
    SkippedRoom "skipped-room" Refill;
    MoveFromSpecial "move-from-special" Operation;
    MoveToSpecial "move-to-special" Operation;
    ChangeMask "change-mask" Masking;
    MaskRaise "mask-raise" Masking;
    Barrier "barrier" Operation;
    InstructionBarrier "instruction-barrier" Refill;
    Nop "nop" Issue;
    Hint "hint" Issue;
    Wait "wait" Asleep;
    BitBand "bit-band" Access;
    Halt "halt" Issue;
    Exceptional "exceptional" Issue;
    ExceptionEntry "exception-entry" Stacking;
    ExceptionReturn "exception-return" Stacking;
    ExceptionEntryFp "exception-entry-fp" Stacking;
    ExceptionReturnFp "exception-return-fp" Stacking;
    LazyStacking "lazy-stacking" Stacking;
    ExceptionSystemBus "exception-system-bus" Stacking;
    TailChain "tail-chain" Stacking;
    LateArrival "late-arrival" Stacking;
    PopPreemption "pop-preemption" Stacking;
    NvicWrite "nvic-write" Masking;
    MaskWrite "mask-write" Masking;
    LateRecognition "late-recognition" Masking;
    InterruptInput "interrupt-input" Stacking;
    DivideAbandoned "divide-abandoned" Stacking;
    MultiplyAbandoned "multiply-abandoned" Stacking;
    MultipleContinued "multiple-continued" Stacking;
    MultipleAbandoned "multiple-abandoned" Stacking;
    WakeUp "wake-up" Asleep;
    FlashWait "flash-wait" WaitState;
    FlashLine "flash-line" WaitState;
    FlashPrefetch "flash-prefetch" WaitState;
    FlashInstructionCache "flash-instruction-cache" Miss;
    FlashDataCache "flash-data-cache" Miss;
    FlashContention "flash-contention" Conflict;
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
                | Rule::ItLooks
                | Rule::ItBehindMultiply
                | Rule::ItBehindStack
                | Rule::LateArrival
                | Rule::LateRecognition
                | Rule::LazyStacking
                | Rule::LoadAhead
                | Rule::LoadArea
                | Rule::LoadHidesNop
                | Rule::LoadPipelined
                | Rule::LoadThenStore
                | Rule::IoPort
                | Rule::MultipleContinued
                | Rule::MultipleAbandoned
                | Rule::MultiplyAbandoned
                | Rule::PortContention
                | Rule::RefillRoom
                | Rule::EntryRoom
                | Rule::FetchInVain
                | Rule::JumpBehindFetch
                | Rule::WriteBehindFetch
                | Rule::UnalignedFetch
                | Rule::ExceptionSystemBus
                | Rule::SkippedRoom
                | Rule::StoreRegisterOffset
                | Rule::StorePrivate
                | Rule::StoreUnbuffered
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
