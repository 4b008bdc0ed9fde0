//! The named rules: why an instruction had to wait.
//!
//! A pipeline puts a rule into the set of an instruction in each cycle in which that one waits for what the rule says, in a
//! stage or on its way to the first; the set is announced when it retires ([`events::Retire`]). For each cycle in which no
//! instruction retires it names the one rule by which that cycle was lost: a bubble in a stage keeps the reason for which it
//! came to be. What each rule says on a core stands in a table for that core. The evidence of all is the core's own Verilog.

use std::hash::{Hash, Hasher};

use events::{Mark, RuleBook, RuleId};

use crate::config::{Config, Timing, Translation};

/// Something that an instruction waits for. Cores share a name where it is the same mechanism; how long that is differs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Rule {
    /// Its turn: what it takes if nothing keeps it waiting.
    Issue,
    /// Its own bytes.
    Fetch,
    /// A result of an older instruction.
    Operand,
    /// Its target, as a taken branch; or to be fetched, behind one.
    Branch,
    /// The same of a jump.
    Jump,
    /// To be shifted.
    Shift,
    /// The multiplier.
    Multiply,
    /// The divider.
    Divide,
    /// An access to a control and status register.
    Csr,
    /// The way into an exception's handler.
    Exception,
    /// The way back from a handler.
    Return,
    /// The way into an interrupt's handler.
    Interrupt,
    /// An interrupt that ends WFI.
    Sleep,
    /// FENCE.I.
    FenceI,
    /// The answer to a load or store.
    Access,
    /// The second access of one that is misaligned.
    Split,
    /// A memory port that something else uses.
    Port,
    /// A memory that does not answer at once.
    WaitStates,
    /// The translation of its address, or of one it accesses.
    Translation,
}

impl Rule {
    /// Every rule of every core.
    pub const ALL: [Rule; 19] = [
        Rule::Issue,
        Rule::Fetch,
        Rule::Operand,
        Rule::Branch,
        Rule::Jump,
        Rule::Shift,
        Rule::Multiply,
        Rule::Divide,
        Rule::Csr,
        Rule::Exception,
        Rule::Return,
        Rule::Interrupt,
        Rule::Sleep,
        Rule::FenceI,
        Rule::Access,
        Rule::Split,
        Rule::Port,
        Rule::WaitStates,
        Rule::Translation,
    ];

    /// Its name in documents and reports.
    pub const fn id(self) -> &'static str {
        match self {
            Rule::Issue => "issue",
            Rule::Fetch => "fetch",
            Rule::Operand => "operand",
            Rule::Branch => "branch",
            Rule::Jump => "jump",
            Rule::Shift => "shift",
            Rule::Multiply => "multiply",
            Rule::Divide => "divide",
            Rule::Csr => "csr",
            Rule::Exception => "exception",
            Rule::Return => "return",
            Rule::Interrupt => "interrupt",
            Rule::Sleep => "sleep",
            Rule::FenceI => "fence-i",
            Rule::Access => "access",
            Rule::Split => "split",
            Rule::Port => "port",
            Rule::WaitStates => "wait-states",
            Rule::Translation => "translation",
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u8
    }
}

impl From<Rule> for RuleSet {
    fn from(rule: Rule) -> RuleSet {
        RuleSet(rule.bit())
    }
}

/// A set of rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct RuleSet(u32);

impl RuleSet {
    /// None of them.
    pub const NONE: RuleSet = RuleSet(0);

    /// The set that an event tells.
    pub const fn told(set: events::RuleSet) -> RuleSet {
        RuleSet(set.0 as u32)
    }

    /// As an event tells it.
    pub const fn tell(self) -> events::RuleSet {
        events::RuleSet(self.0 as u128)
    }

    /// Adds a rule.
    #[inline]
    pub const fn add(&mut self, rule: Rule) {
        self.0 |= rule.bit();
    }

    /// Adds a rule where it applies.
    #[inline]
    pub const fn add_if(&mut self, applies: bool, rule: Rule) {
        if applies {
            self.add(rule);
        }
    }

    /// Those of both.
    #[inline]
    #[must_use]
    pub const fn and(self, other: RuleSet) -> RuleSet {
        RuleSet(self.0 | other.0)
    }

    /// Whether a rule is in it.
    pub const fn has(self, rule: Rule) -> bool {
        self.0 & rule.bit() != 0
    }

    /// Its rules.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.into_iter().filter(move |&rule| self.has(rule))
    }
}

/// Something that a pipeline only tells: it decides nothing, so that two pipelines which differ in it alone are the same.
#[derive(Clone, Copy, Default, Debug)]
pub struct Told<T>(pub T);

impl<T> PartialEq for Told<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Told<T> {}

impl<T> Hash for Told<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// What a rule says on one core.
pub use events::Rule as Known;

const fn known(rule: Rule, text: &'static str, source: &'static str) -> Known {
    Known {
        number: RuleId(rule as u8),
        id: rule.id(),
        text,
        source,
        mark: Mark::Rtl,
        switchable: false,
    }
}

impl From<Rule> for RuleId {
    #[inline]
    fn from(rule: Rule) -> RuleId {
        RuleId(rule as u8)
    }
}

const ISSUE: Known = known(
    Rule::Issue,
    "An instruction that nothing keeps waiting retires a cycle behind the one before it.",
    "the core retires at most one instruction a cycle",
);

const IBEX: &[Known] = &[
    ISSUE,
    known(
        Rule::Fetch,
        "An instruction enters the ID stage when all of it is in the fetch FIFO.",
        "ibex_prefetch_buffer, ibex_fetch_fifo",
    ),
    known(
        Rule::Jump,
        "A jump fetches its target in its first cycle; without an adder of its own the return address needs a second. The \
         target comes a cycle later.",
        "jump_set_raw, stall_jump",
    ),
    known(
        Rule::Branch,
        "A taken branch fetches its target in its second cycle, or in the first with an adder of its own. The target comes a \
         cycle later.",
        "branch_set_raw_q, stall_branch",
    ),
    known(
        Rule::Multiply,
        "A product takes 3 cycles, its upper half 4.",
        "ibex_multdiv_fast",
    ),
    known(
        Rule::Divide,
        "A division takes 37 cycles, by zero 2.",
        "md_state_q",
    ),
    known(
        Rule::Csr,
        "Writing or setting bits of mstatus or mie flushes the ID stage afterwards.",
        "csr_pipe_flush",
    ),
    known(
        Rule::Exception,
        "An exception keeps the ID stage a cycle and flushes it in the next, in which the handler is fetched.",
        "FLUSH, special_req",
    ),
    known(
        Rule::Return,
        "MRET takes the way of an exception.",
        "csr_restore_mret_id_o",
    ),
    known(
        Rule::Interrupt,
        "For an interrupt the ID stage takes no instruction; when all is done, a cycle to decide, and one to fetch the handler.",
        "handle_irq, IRQ_TAKEN",
    ),
    known(
        Rule::Sleep,
        "WFI stops fetch and clock; an interrupt that is pending and enabled by itself starts them.",
        "WAIT_SLEEP, SLEEP, core_busy_q",
    ),
    known(
        Rule::FenceI,
        "FENCE.I is a jump to the next instruction.",
        "jump_in_dec_o",
    ),
    known(
        Rule::Access,
        "A load or store waits in the ID stage for its answer; with a write-back stage for its grant, and what is behind it for \
         the answer.",
        "stall_mem, outstanding_memory_access",
    ),
    known(
        Rule::Split,
        "An access over the end of a word is two, each with its own grant and answer.",
        "split_misaligned_access",
    ),
    known(
        Rule::WaitStates,
        "An answer comes as many cycles later as the memory has wait states.",
        "instr_rvalid_i, data_rvalid_i",
    ),
];

const OPERAND: Known = known(
    Rule::Operand,
    "What reads the result of a load in the write-back stage waits until it has left.",
    "stall_ld_hz",
);

const PICORV32: &[Known] = &[
    known(
        Rule::Issue,
        "An instruction that nothing keeps waiting goes through its states in 3 cycles.",
        "cpu_state_fetch, cpu_state_ld_rs1, cpu_state_exec",
    ),
    known(
        Rule::Fetch,
        "The next instruction is fetched while this one is executed, and launched when it is there.",
        "mem_do_prefetch, decoder_trigger",
    ),
    known(
        Rule::Branch,
        "For a taken branch the instruction behind it is fetched for nothing, and the target after it.",
        "latched_branch, set_mem_do_rinst",
    ),
    known(
        Rule::Jump,
        "JAL fetches its target when it is launched, JALR after its execute state.",
        "instr_jal, instr_jalr",
    ),
    known(
        Rule::Shift,
        "Four places a cycle, then one, and a cycle to end; the next instruction is decoded after it.",
        "TWO_STAGE_SHIFT, reg_sh",
    ),
    known(
        Rule::Multiply,
        "32 steps, 64 for an upper half.",
        "picorv32_pcpi_mul",
    ),
    known(Rule::Divide, "32 steps.", "picorv32_pcpi_div"),
    known(
        Rule::Csr,
        "RDCYCLE, RDTIME and RDINSTRET ask for the next instruction only when they are done.",
        "is_rdcycle_rdcycleh_rdinstr_rdinstrh",
    ),
    known(
        Rule::Port,
        "There is one port: a load or store waits for the fetch of the next instruction.",
        "mem_do_prefetch",
    ),
    known(
        Rule::Access,
        "A load or store is asked for, and answered.",
        "cpu_state_ldmem, cpu_state_stmem",
    ),
    known(
        Rule::WaitStates,
        "A transfer is answered as many cycles later as the memory has wait states.",
        "mem_ready",
    ),
];

/// All variants of `VexRiscv`.
const VEXRISCV: &[Known] = &[
    ISSUE,
    known(
        Rule::Operand,
        "An instruction waits in decode until what it reads can be bypassed; without bypasses, until it is written.",
        "HazardSimplePlugin_*",
    ),
    known(
        Rule::Csr,
        "An access to a control and status register waits in execute until all older instructions are done.",
        "execute_CsrPlugin_blockedBySideEffects",
    ),
    known(
        Rule::Exception,
        "An exception travels to the last stage, and jumps a cycle later.",
        "CsrPlugin_exceptionPortCtrl_*, CsrPlugin_hadException",
    ),
    known(
        Rule::Return,
        "A trap return jumps from the last stage; decode waits for it.",
        "CsrPlugin_jumpInterface_*",
    ),
    known(
        Rule::Interrupt,
        "The instruction in decode waits until its address has moved through the emptied stages, and is then replaced.",
        "CsrPlugin_interrupt_valid, CsrPlugin_pipelineLiberator_*",
    ),
    known(
        Rule::Jump,
        "JAL jumps from decode where jumps are predicted, else from memory, as JALR does.",
        "IBusCachedPlugin_predictionJumpInterface_*, BranchPlugin_jumpInterface_*",
    ),
    known(
        Rule::Branch,
        "A branch that was predicted to be taken jumps from decode, another one from memory.",
        "IBusCachedPlugin_predictionJumpInterface_*, BranchPlugin_jumpInterface_*",
    ),
    known(
        Rule::WaitStates,
        "A word is acknowledged as many cycles later as its memory has wait states, or the L2 in front of that takes.",
        "iBusWishbone_ACK, dBusWishbone_ACK",
    ),
];

const VEXRISCV_MIN: &[Known] = &[
    known(
        Rule::Fetch,
        "An instruction enters decode when the memory has answered.",
        "IBusSimplePlugin_*",
    ),
    SHIFT,
    ONE_ACCESS,
];

const VEXRISCV_LITE: &[Known] = &[
    SHIFT,
    ONE_ACCESS,
    known(
        Rule::Multiply,
        "32 cycles more in memory.",
        "memory_MulDivIterativePlugin_mul_counter_*",
    ),
];

const SHIFT: Known = known(
    Rule::Shift,
    "One bit a cycle in execute.",
    "execute_LightShifterPlugin_*",
);

const ONE_ACCESS: Known = known(
    Rule::Access,
    "One access at a time, from execute; a load waits in memory for its answer.",
    "DBusSimplePlugin_*, dBus_cmd_halfPipe_*",
);

/// The variants with an instruction cache.
const VEXRISCV_PREDICTS: &[Known] = &[
    known(
        Rule::Fetch,
        "A line that the instruction cache misses is loaded, also on a wrong path, and the fetch done again.",
        "lineLoader_*, IBusCachedPlugin_rsp_redoFetch",
    ),
    known(
        Rule::FenceI,
        "FENCE.I empties the instruction cache, a line a cycle; the fetch waits.",
        "lineLoader_flushCounter",
    ),
    known(
        Rule::Divide,
        "33 cycles more in memory.",
        "memory_*_div_counter_value",
    ),
];

/// The variants with a data cache too.
const VEXRISCV_CACHED: &[Known] = &[
    known(
        Rule::Access,
        "A load that misses, or meets a store, is fetched again; a store waits behind two others, an AMO computes for a cycle.",
        "io_cpu_redo, loader_*, stageB_dataColisions, dataCache_1_io_mem_cmd_*, stageB_amo_*",
    ),
    known(
        Rule::Sleep,
        "WFI waits in execute for an interrupt that mie enables.",
        "execute_CsrPlugin_wfiWake",
    ),
    known(
        Rule::Translation,
        "The tables of pages are walked by accesses of their own; what needs the page, and what is behind SFENCE.VMA or a write of \
         satp, is fetched again.",
        "MmuPlugin_shared_*, CsrPlugin_rescheduleLogic_*",
    ),
];

/// The rules of a core; none if it is not known how it is timed.
pub fn of(config: &Config) -> Vec<Known> {
    let mut known = match config.timing {
        None => Vec::new(),
        Some(Timing::Simple) => [VEXRISCV, VEXRISCV_MIN].concat(),
        Some(Timing::Lite) => [VEXRISCV, VEXRISCV_PREDICTS, VEXRISCV_LITE].concat(),
        Some(Timing::Cached | Timing::Compressed) => [VEXRISCV, VEXRISCV_PREDICTS, VEXRISCV_CACHED].concat(),
        Some(Timing::Ibex) => IBEX.to_vec(),
        Some(Timing::IbexWriteBack) => [&[OPERAND], IBEX].concat(),
        Some(Timing::PicoRv32) => PICORV32.to_vec(),
    };
    known.retain(|known| match known.id {
        "sleep" => config.waits,
        "translation" => config.translation != Translation::None,
        _ => true,
    });
    known
}

/// The rules of a core with what is known of each.
pub fn book(config: &Config) -> RuleBook {
    RuleBook::new(of(config))
}
