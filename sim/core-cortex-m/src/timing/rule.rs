//! The named rules: one table, from which the documentation, the evidence of a figure and the switches are made.

/// How well a rule is known; a figure carries the weakest mark of the rules that it relied on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// Checked against published figures of silicon.
    A,
    /// A vendor's document.
    B,
    /// One independent measurement.
    C,
    /// Inference.
    D,
}

impl Mark {
    /// The letter.
    pub const fn letter(self) -> char {
        match self {
            Mark::A => 'A',
            Mark::B => 'B',
            Mark::C => 'C',
            Mark::D => 'D',
        }
    }
}

/// Names the rules once: the enum, and what is known of each.
macro_rules! rules {
    ($($name:ident $id:literal $mark:ident $source:literal: $text:literal;)*) => {
        /// A timing rule.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Rule {
            $(#[doc = $text] $name,)*
        }

        impl Rule {
            /// Every rule, in the order of the table.
            pub const ALL: &[Rule] = &[$(Rule::$name),*];

            /// Its name in documents, reports and on the command line.
            pub const fn id(self) -> &'static str {
                match self { $(Rule::$name => $id),* }
            }

            /// How well it is known.
            pub const fn mark(self) -> Mark {
                match self { $(Rule::$name => Mark::$mark),* }
            }

            /// Where it comes from.
            pub const fn source(self) -> &'static str {
                match self { $(Rule::$name => $source),* }
            }

            /// What it says.
            pub const fn text(self) -> &'static str {
                match self { $(Rule::$name => $text),* }
            }
        }
    };
}

rules! {
    Alu "alu" A "seed 000, every row":
        "A data-processing instruction, shift, bit-field operation or MUL takes 1 cycle.";
    FetchFifo "fetch-fifo" A "Arm KBA 103488664; sixty published counts of AES and ChaCha assembly on STM32F103 and STM32L100":
        "Instructions come through a FIFO of three words, filled by one aligned word a cycle; an instruction is decoded when all of it is there.";
    BranchTaken "branch-taken" A "seed 000, call-entry and call-return":
        "A taken branch whose target is immediate or in LR fetches the target while it is decoded: 1 cycle and a refill of 1.";
    BranchEarly "branch-early" A "STM32F100RB, published with CMEmu (b_after_ldr, b_after_div_mull)":
        "A branch with an immediate target that waits behind an instruction of several cycles, other than a divide, asks for its target while it waits.";
    BranchNotTaken "branch-not-taken" A "seed 000, refcell-unit":
        "A branch that is not taken takes 1 cycle.";
    CompareBranch "compare-branch" A "STM32F100RB, published with CMEmu (cbz)":
        "CBZ and CBNZ fetch their target while they execute: 1 cycle and a refill of 2.";
    BranchRegister "branch-register" A "STM32F100RB, published with CMEmu (bl_blx_bx)":
        "BX, BLX and MOV PC with another register than LR fetch their target while they execute: 1 cycle and a refill of 2.";
    BranchDependency "branch-dependency" A "published ChaCha and AES (POP or LDR of LR right before BX LR)":
        "A branch to LR that the instruction right before wrote waits 1 cycle.";
    WriteToPc "write-to-pc" A "STM32F100RB, published with CMEmu (add_pc)":
        "A data-processing instruction other than MOV that writes PC: 1 cycle and a refill of 3.";
    BranchSpeculation "branch-speculation" A "DDI 0337 1.2; three published AES key schedules and decryptions need it":
        "B with a condition, or any branch that an IT block skips, has asked for its target when it is not taken: one fetch of the straight path waits a cycle.";
    AddressDependency "address-dependency" A "seed 000, counter and refcell rows; DDI 0337I 3.3.2":
        "A load or store whose address uses a result that comes late from right before it waits 1 cycle: of data processing, RdHi of a long multiply, the base that a store moved, the last register of LDM (16-bit, or moving its base).";
    Load "load" A "seed 000, counter":
        "A load takes 2 cycles: address and data.";
    LoadPipelined "load-pipelined" A "DDI 0337I 3.3.2; published table-based AES":
        "A single load right behind a single load overlaps its address with that load's data, unless its address depends on it or it moves its base.";
    LoadArea "load-area" A "STM32F100RB, published with CMEmu (ldr_two_memories)":
        "A load and the load or store right behind it overlap only if both go to the same area: code, SRAM, peripherals, external, system.";
    LoadThenStore "load-then-store" A "published bitsliced AES, 2560 such pairs":
        "A single store right behind a single load starts in that load's second cycle, unless its address depends on it or it moves its base.";
    LoadHidesNop "load-hides-nop" A "seed 000, cyccnt-read":
        "A NOP right behind a load executes in the load's second cycle.";
    Store "store" A "seed 000, counter":
        "A store takes 1 cycle: the write buffer finishes it.";
    StoreRegisterOffset "store-register-offset" A "DDI 0337I 3.3.2; STM32F100RB, published with CMEmu":
        "A store with a register offset takes 2 cycles; a NOP right behind it executes in the second, and a load need not wait.";
    StoreThenLoad "store-then-load" A "published ChaCha and bitsliced AES":
        "A load, single or multiple, right behind a single store waits 1 cycle for the store's data phase.";
    StoreBuffer "store-buffer" B "DDI 0337I 3.3.2":
        "A store that meets wait states delays only the next access, not the next instruction.";
    Double "double" A "seed 000, refcell-counter":
        "LDRD and STRD take 3 cycles and do not overlap with their neighbours.";
    Multiple "multiple" A "seed 000, call-entry-prologue":
        "LDM, STM, PUSH and POP of N registers take 1 + N cycles and do not overlap with their neighbours.";
    LoadPc "load-pc" A "seed 000, call-return-prologue; DDI 0337I 3.3.2":
        "A load to PC fetches its target when the data is there: 3 cycles after the data.";
    TableBranch "table-branch" B "DDI 0337I 3.3.2":
        "TBB and TBH: 2 cycles for the load, 1 for the addition, 3 for the refill.";
    Unaligned "unaligned" A "DDI 0337I 3.3.2; 471 accesses on STM32F100RB, published with CMEmu":
        "Each further bus transfer of an unaligned access takes 1 cycle.";
    WaitStates "wait-states" B "AMBA 3 AHB-Lite":
        "A wait state delays the end of its transfer by 1 cycle.";
    PortContention "port-contention" C "DDI 0337I 3.3.2 (literal loads); STM32F100RB, published with CMEmu, most values":
        "A data access to the memory that instructions come from takes that memory's cycle; the fetch waits.";
    SystemFetch "system-fetch" B "DDI 0337 (fetches over the system bus are registered)":
        "An instruction fetch over the system bus (code in SRAM) takes 1 more cycle.";
    MultiplyAccumulate "multiply-accumulate" A "DDI 0337I table 3-1; STM32F100RB, published with CMEmu":
        "MLA and MLS take 2 cycles; MLA takes 1 right behind a long multiply whose RdHi it accumulates into.";
    LongMultiply "long-multiply" A "28,536 products measured on STM32F100RB, published with CMEmu":
        "UMULL and SMULL take 3 to 5 cycles: 3, and 1 for each mixed product of 16-bit halves that is not 0 (or that the sign needs).";
    LongMultiplyAccumulate "long-multiply-accumulate" A "28,536 products measured on STM32F100RB, published with CMEmu":
        "UMLAL and SMLAL take 3 cycles if only the low halves count, else 4 and 1 for each other product of halves that is not 0.";
    Divide "divide" A "19,051 quotients measured on STM32F100RB, published with CMEmu":
        "UDIV and SDIV take 2 cycles if an operand is 0, 3 if the quotient is surely 0, and else 5 and 1 for every four bits by which the dividend is longer.";
    Saturate "saturate" B "DDI 0337I table 3-1":
        "SSAT and USAT take 1 cycle.";
    It "it" A "DDI 0337I table 3-1; STM32F100RB, published with CMEmu (it)":
        "IT takes 1 cycle where it is not folded.";
    ItFolded "it-folded" A "published AES key schedules; STM32F100RB, published with CMEmu (it)":
        "Right behind a 16-bit data-processing instruction other than MUL, or a NOP, that is not itself in an IT block, IT takes no cycle.";
    Skipped "skipped" A "STM32F100RB, published with CMEmu (it)":
        "An instruction whose IT condition fails takes 1 cycle.";
    MoveFromSpecial "move-from-special" A "480 values of a CC2650, published with CMEmu; seed 000, lock-enter":
        "MRS takes 1 cycle.";
    MoveToSpecial "move-to-special" A "480 values of a CC2650, published with CMEmu; seed 000, lock-exit":
        "MSR and CPS take 1 cycle where they raise no mask.";
    MaskRaise "mask-raise" A "528 values of a CC2650, published with CMEmu; seed 000, lock-enter and atomic-enter":
        "CPSID and MSR take 2 cycles where they raise PRIMASK, FAULTMASK or BASEPRI.";
    Barrier "barrier" D "DDI 0337I table 3-1":
        "DMB and DSB take 1 cycle, and wait for the write buffer.";
    InstructionBarrier "instruction-barrier" B "DDI 0337I table 3-1":
        "ISB takes 1 cycle and refills the pipeline.";
    Nop "nop" A "seed 000, nop":
        "NOP takes 1 cycle.";
    Hint "hint" B "DDI 0337I table 3-1":
        "YIELD, SEV, DBG, PLD and CLREX take 1 cycle.";
    BitBand "bit-band" D "DDI 0337I 3.6":
        "A write to a bit-band alias reads, then writes: one more transfer.";
    Halt "halt" A "seed 000, nop":
        "A BKPT that halts the core costs nothing; the pipeline is full when execution goes on.";
    Exceptional "exceptional" D "inference":
        "An instruction that ends in an exception (SVC, a fault) takes 1 cycle before the entry begins.";
    ExceptionEntry "exception-entry" A "seed 000, preempt-entry":
        "From recognition to the first instruction of the handler: eight words are stacked while the vector and the handler are fetched, and 1 cycle.";
    ExceptionReturn "exception-return" A "seed 000, preempt-exit and preempt-exit-prologue":
        "From the branch's cycle to the first instruction: eight words are unstacked while it is fetched, and 1 cycle; 1 more when EXC_RETURN was loaded.";
    TailChain "tail-chain" A "seed 000, tail-chain":
        "From the branch's cycle to the next handler: 5 cycles for the vector and the fetch.";
    LateArrival "late-arrival" B "DDI 0337 5.3":
        "Until the first instruction of a handler executes, a more urgent exception takes its place; its vector and fetch take as long as in a tail-chain.";
    PopPreemption "pop-preemption" D "DDI 0337 5.3":
        "An exception that arrives during unstacking abandons it and is tail-chained.";
    NvicWrite "nvic-write" A "seed 000, preempt-entry and the stack dump of its memory-overhead section":
        "A store to NVIC or SCB is seen by the exception logic 2 cycles after its address phase, so that one more instruction may start.";
    MaskWrite "mask-write" D "DAI 0321A 4.8":
        "A lowered mask (CPSIE, MSR) is seen when the next instruction starts.";
    InterruptInput "interrupt-input" B "DDI 0337 5.3 (12 cycles from the input)":
        "An interrupt input is seen by the exception logic 3 cycles after it rises.";
    DivideAbandoned "divide-abandoned" B "DDI 0337I 3.3.1":
        "A divide is abandoned for an exception and starts again afterwards.";
    MultipleContinued "multiple-continued" B "DDI 0337I 3.3.1":
        "LDM and STM stop after the transfer under way for an exception and continue afterwards.";
    WakeUp "wake-up" D "inference":
        "From WFI or WFE the core wakes as soon as it sees the event.";
}

/// A set of rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct RuleSet(pub u64);

impl RuleSet {
    /// Every rule.
    pub const ALL: RuleSet = RuleSet(u64::MAX);
    /// None.
    pub const EMPTY: RuleSet = RuleSet(0);

    /// The set of one.
    pub const fn of(rule: Rule) -> Self {
        RuleSet(1 << rule as u8)
    }

    /// With one more.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        RuleSet(self.0 | 1 << rule as u8)
    }

    /// With one less.
    #[must_use]
    pub const fn without(self, rule: Rule) -> Self {
        RuleSet(self.0 & !(1 << rule as u8))
    }

    /// Both together.
    #[must_use]
    pub const fn union(self, other: RuleSet) -> Self {
        RuleSet(self.0 | other.0)
    }

    /// Whether `rule` is a member.
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 >> rule as u8 & 1 != 0
    }

    /// Its members.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.iter().copied().filter(move |&rule| self.contains(rule))
    }

    /// The weakest mark among them; `None` for the empty set.
    pub fn weakest(self) -> Option<Mark> {
        self.iter().map(Rule::mark).max()
    }
}

const _: () = assert!(Rule::ALL.len() <= 64, "a RuleSet holds 64 rules");
